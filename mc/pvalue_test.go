package mc

import (
	"math"
	"testing"
)

// TestPValues: at an end of the interval the p-value is (1 - confidence)/2 for every kind of estimate.
// Without scatter it is 0 or 1, and without an interval it is 1.
func TestPValues(t *testing.T) {
	var m Moments
	for _, x := range []int64{90, 100, 104, 111, 95} {
		m.Add(x)
	}
	var p PairedMoments
	for i, x := range []int64{90, 100, 104, 111, 95} {
		p.Add(x, 50+int64(i))
	}
	for name, e := range map[string]Estimate{"mean": m.Mean(0.95), "ratio": p.Ratio(0.95), "at 99 %": m.Mean(0.99)} {
		want := (1 - e.Confidence) / 2
		for _, c := range []struct{ got, want float64 }{
			{e.PAtMost(e.Lo), want}, {e.PAtMost(e.Hi), 1 - want}, {e.PAtLeast(e.Hi), want}, {e.PAtLeast(e.Lo), 1 - want}, {e.PAtMost(e.Value), 0.5}, {e.PAtLeast(e.Value), 0.5},
		} {
			if math.Abs(c.got-c.want) > 1e-9 {
				t.Errorf("%s: p-value %v, want %v", name, c.got, c.want)
			}
		}
	}
	sure := Estimate{Value: 2, Lo: 2, Hi: 2, Confidence: 0.95, N: 3}
	single := Estimate{Value: 2, Lo: math.Inf(-1), Hi: math.Inf(1), Confidence: 0.95, N: 1}
	none := Estimate{Value: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Confidence: 0.95}
	for i, c := range []struct{ got, want float64 }{
		{sure.PAtMost(1), 0}, {sure.PAtMost(3), 1}, {sure.PAtMost(2), 1}, {sure.PAtLeast(3), 0}, {sure.PAtLeast(1), 1},
		{single.PAtMost(1), 1}, {single.PAtLeast(1), 1}, {none.PAtMost(1), 1},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %v, want %v", i, c.got, c.want)
		}
	}
}
