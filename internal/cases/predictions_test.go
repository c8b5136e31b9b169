package cases

import (
	"testing"

	"repslab/internal/param"
)

// TestPredictions: each prediction for runs with a round trip stands in the rows for which its law holds, and in no
// others.
func TestPredictions(t *testing.T) {
	type holds struct{ boundary, critical, settles bool }
	perFlow := param.Texts{"bins": "16", "threshold": "20", "clocking": "per-flow", "delay": "40", "window": "60"}
	ack := param.Texts{"bins": "16", "threshold": "20", "clocking": "ack", "delay": "40", "window": "60"}
	for _, c := range []struct {
		name  string
		base  param.Texts
		other param.Texts
		want  holds
	}{
		{"per-flow", perFlow, nil, holds{boundary: true, settles: true}},
		{"without a window", perFlow, param.Texts{"window": "0"}, holds{}},
		{"with EVs", perFlow, param.Texts{"evs": "8"}, holds{}},
		{"with losses", perFlow, param.Texts{"lambda": "0.9"}, holds{}},
		{"with a ramp", perFlow, param.Texts{"ramp": "4"}, holds{settles: true}},
		{"ack", ack, nil, holds{critical: true, settles: true}},
		{"ack with a ramp", ack, param.Texts{"ramp": "4"}, holds{settles: true}},
		{"self-clocked", param.Texts{"bins": "16", "threshold": "20"}, nil, holds{}},
		{"round-robin", param.Texts{"bins": "16", "threshold": "20", "clocking": "round-robin"}, nil, holds{}},
	} {
		given := param.Texts{}
		for _, texts := range []param.Texts{c.base, c.other} {
			for key, text := range texts {
				given[key] = text
			}
		}
		var p Recycled
		if _, err := recycledSpace(&p).Grid("recycled", param.Selection{Parameters: given}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		values, err := p.predict()
		if got := (holds{values.boundaryLaw != nil, values.criticalWindow != nil, values.settlesBound != nil}); err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v (error %v)", c.name, got, c.want, err)
		}
	}
}
