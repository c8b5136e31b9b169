package cases

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/experiment"
	"repslab/internal/frame"
	"repslab/mc"
)

// wideFactor is the least factor between the ends of an interval of which a row says so.
const wideFactor = 10

// wideIntervals returns a warning if intervals of positive quantities in a row span a factor of [wideFactor] or
// more. It names the widest first. Shares do not count, since they are often near 0, nor do intervals of two runs,
// which are mere chance. spread returns the spread of a column's replicas: with it only columns that have one count,
// which are times and slowdowns. It may be nil.
func wideIntervals(point string, row frame.Row, spread func(key string) experiment.Spread) []string {
	var wide frame.Row
	factor := func(c frame.Cell) float64 { e := estimateIn(c); return e.Hi / e.Lo }
	for _, c := range row {
		e := estimateIn(c)
		counts := e.N >= mc.Fewest && e.Scale.Span == 0 && (spread == nil || spread(c.Key).Replicas > 0)
		if counts && e.Lo > 0 && e.Value > 0 && e.Hi >= wideFactor*e.Lo && !math.IsInf(e.Hi, 1) {
			wide = append(wide, c)
		}
	}
	if len(wide) == 0 {
		return nil
	}
	slices.SortStableFunc(wide, func(a, b frame.Cell) int { return cmp.Compare(factor(b), factor(a)) })
	first, e := wide[0], estimateIn(wide[0])
	text := fmt.Sprintf("%s: the interval of %s, %.3g [%.3g, %.3g], spans a factor of %.2g", point, first.Key, e.Value, e.Lo, e.Hi, factor(first))
	var others []string
	for _, c := range wide[1:] {
		others = append(others, c.Key)
	}
	if others != nil {
		text += "; wide too: " + strings.Join(others, ", ")
	}
	if spread != nil {
		text += spreadText(spread(first.Key))
	}
	return []string{text + ": more --replicas narrow it"}
}

// estimateIn returns the estimate of a cell, without a value if it has none.
func estimateIn(c frame.Cell) mc.Estimate {
	if e, is := c.Value.(frame.Estimate); is {
		return e.Estimate
	}
	return noEstimate()
}

// spreadText says how replicas lie.
func spreadText(s experiment.Spread) string {
	if s.Replicas < 2 {
		return ""
	}
	text := fmt.Sprintf("; of %d replicas the largest is %.3g times the smallest", s.Replicas, s.Ratio)
	if s.Below > 0 {
		text += fmt.Sprintf(", in two groups: %d below a gap, %d above it", s.Below, s.Above)
	}
	return text
}

// spreadCell returns the cell of the spread of a statistic's replicas.
func spreadCell(key string, s experiment.Spread) frame.Cell {
	c := frame.Cell{key + "_spread", nil}
	if s.Replicas >= 2 {
		c.Value = s.Ratio
	}
	return c
}
