package figures

import (
	"math"
	"testing"

	"repslab/internal/plot"
	"repslab/mc"
)

// TestPointsOfBounds: a bound without a value is drawn, and the interval of two runs is not.
func TestPointsOfBounds(t *testing.T) {
	two := mc.Estimate{Value: 5, Lo: 4, Hi: 6, N: 2}
	never := two.Bound(true, false)
	never.Value = math.Inf(1) // as a bar that did not finish has it
	var s plot.Series
	for i, e := range []mc.Estimate{two, two.Bound(true, false), two.Bound(false, true), never} {
		appendPoint(&s, float64(i), e)
	}
	if !math.IsNaN(s.Lo[0]) || s.Lo[1] != 5 || s.Hi[2] != 5 || s.Lo[3] != 5 || !math.IsInf(s.Hi[1], 1) || !math.IsInf(s.Lo[2], -1) {
		t.Errorf("from %v to %v, want none, from 5, to 5, from 5", s.Lo, s.Hi)
	}
}
