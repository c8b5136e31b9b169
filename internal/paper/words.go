package paper

import (
	"fmt"
	"math"

	"repslab/internal/mc"
)

// Interval writes an estimate with its interval, if it has one.
func Interval(e mc.Estimate, format string) string {
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		return fmt.Sprintf(format+" (no interval)", e.Value)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}

// Percent returns an estimate of a ratio as the percentage by which it is above 1.
func Percent(ratio mc.Estimate) mc.Estimate {
	ratio.Value, ratio.Lo, ratio.Hi, ratio.StdErr = 100*(ratio.Value-1), 100*(ratio.Lo-1), 100*(ratio.Hi-1), 100*ratio.StdErr
	return ratio
}
