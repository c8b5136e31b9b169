package coalescing

import (
	"testing"

	"repslab/recycled"
)

// TestLimits: each bound is the last value that is taken.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		good bool
	}{
		{Config{Bins: 1, Ratio: MaxRatio}, true}, {Config{Bins: 1, Ratio: MaxRatio + 1}, false}, {Config{Bins: 1, Ratio: 1}, true},
		{Config{Bins: 1, Ratio: MaxRatio, Variant: Carry}, true}, {Config{Bins: 1, Ratio: MaxRatio + 1, Variant: Carry}, false},
		{Config{Bins: 1 << 11, Ratio: MaxRatio, Variant: Carry}, true}, {Config{Bins: 1<<11 + 1, Ratio: MaxRatio, Variant: Carry}, false},
		{Config{Bins: 1 << 20, Ratio: 1 << 7, Variant: Carry}, true}, {Config{Bins: 1 << 20, Ratio: 1<<7 + 1, Variant: Reuse}, true},
		{Config{Bins: recycled.MaxBins}, true}, {Config{Bins: recycled.MaxBins + 1}, false},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.good {
			t.Errorf("%+v: error %v", c.cfg, err)
		}
	}
}
