package main

import (
	"repslab/internal/values"
	"repslab/recycled"
)

// The theorem's smallest parameters, which [recycled.Config] takes by default.
const (
	theoremThreshold = "4*ln(n)"
	theoremColors    = "2.4*ln(n)"
)

// The help of the flags --threshold and --colors-per-bin.
const (
	thresholdHelp = "a ball is good if its bin held at most so many before the removal (default the theorem's " + theoremThreshold + ")"
	colorsHelp    = "round-robin: colours a bin (default the theorem's " + theoremColors + ")"
)

// thresholdAt returns the current value of --threshold for n bins, 0 for the
// theorem's, and its text.
func thresholdAt(next func() (values.Expr, bool), n int) (threshold int, expression string, err error) {
	e, ok := next()
	if !ok {
		return 0, theoremThreshold, nil
	}
	threshold, err = exprAt("threshold", e, n, 1, recycled.MaxThreshold)
	return threshold, e.String(), err
}

// colorsAt returns the current value of --colors-per-bin for n bins, 0 for the
// theorem's.
func colorsAt(next func() (values.Expr, bool), n int) (int, error) {
	e, ok := next()
	if !ok {
		return 0, nil
	}
	return exprAt("colors-per-bin", e, n, 1, recycled.MaxColors/n)
}
