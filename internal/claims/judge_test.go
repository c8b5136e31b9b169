package claims

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestGain: an interval decides only where it shows a gain at all.
func TestGain(t *testing.T) {
	for _, c := range []struct {
		value, lo, hi float64
		want          Verdict
	}{
		{1.2, 1.15, 1.25, Reproduced}, {1.5, 1.2, 1.8, Reproduced}, {1.5, 1.3, 1.7, Differs}, {1.1, 0.9, 1.3, Differs},
		{1.6, math.Inf(-1), math.Inf(1), Differs}, {math.NaN(), math.Inf(-1), math.Inf(1), Differs},
	} {
		if got := Judged("N000", Gain(mc.Estimate{Value: c.value, Lo: c.lo, Hi: c.hi}, 1.25, 1), "",
			"").Verdict; got != c.want {
			t.Errorf("%v [%v, %v] against 1.25: %s, want %s", c.value, c.lo, c.hi, got, c.want)
		}
	}
}
