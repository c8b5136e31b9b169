package cases

import (
	"testing"

	"repslab/fattree"
)

// TestHorizonOfBursts: a run with bursts takes as much longer as its senders pause, unless --horizon-us
// says when it ends.
func TestHorizonOfBursts(t *testing.T) {
	for flags, want := range map[string]fattree.Picoseconds{
		"hosts=16":                                      100_000_000_000,
		"hosts=16 burst=on=50,off=100":                  300_000_000_000,
		"hosts=16 burst=on=100,off=50":                  150_000_000_000,
		"hosts=16 burst=on=50,off=100 horizon-us=70000": 70_000_000_000,
	} {
		p := pointOf(t, flags)
		spec, err := p.SpecOf(1, 0)
		if err != nil || spec.Horizon != want || p.Spec.Horizon != want {
			t.Errorf("%s: a run ends at %d ps and the column has %d, want %d (error %v)", flags, spec.Horizon, p.Spec.Horizon, want, err)
		}
	}
}
