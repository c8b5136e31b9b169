package figures

import "testing"

// TestMillionths: numbers are rounded to the nearest millionth, those below 0 too.
func TestMillionths(t *testing.T) {
	for x, want := range map[float64]int64{0: 0, 1: 1e6, 0.0000016: 2, -0.0000016: -2, 29.8116666: 29_811_667} {
		if got := millionths(x); got != want {
			t.Errorf("%v is %d millionths, want %d", x, got, want)
		}
	}
	if e := meanOf([]float64{0.25, 0.75}, func(x float64) float64 { return x }); e.Value != 0.5 {
		t.Errorf("mean %v, want 0.5", e.Value)
	}
}
