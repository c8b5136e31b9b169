package cases

import (
	"testing"

	"repslab/fattree"
)

// TestPeriodOfEvents: FROM..TO is in microseconds with 0 <= FROM < TO <= 10^9.
func TestPeriodOfEvents(t *testing.T) {
	for text, want := range map[string][2]fattree.Picoseconds{
		"": {}, "0..1": {0, 1_000_000}, "20..40.5": {20_000_000, 40_500_000}, "0.001..1e9": {1000, 1_000_000_000_000_000},
	} {
		from, to, err := (&Events{Time: text}).period()
		if err != nil || from != want[0] || to != want[1] {
			t.Errorf("%q: %d to %d, error %v", text, from, to, err)
		}
	}
	for _, text := range []string{"1..1", "2..1", "-1..1", "1", "1..", "..1", "1..1.1e9", "NaN..1", "1..NaN"} {
		if _, _, err := (&Events{Time: text}).period(); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestMostEvents: the limits of events are those of the file: 10,000,000 in all, 100,000 of a flow by default.
func TestMostEvents(t *testing.T) {
	for _, c := range []struct {
		flows, most int
		want        int // 0 if it is refused
	}{
		{1, 0, 100_000}, {100, 0, 100_000}, {125, 0, 80_000}, {1, 10_000_000, 10_000_000}, {1, 10_000_001, 0}, {2, 5_000_000, 5_000_000},
		{2, 5_000_001, 0}, {1, -1, 0}, {0, 0, 0},
	} {
		cfg, err := (&Events{Most: c.most}).config(make([]int, c.flows))
		if cfg.Most != c.want && err == nil || (err == nil) != (c.want > 0) {
			t.Errorf("%d flows, --event-most %d: %d, error %v", c.flows, c.most, cfg.Most, err)
		}
	}
}
