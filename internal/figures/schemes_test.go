package figures

import (
	"context"
	"math"
	"testing"

	"repslab/internal/figures/engine"
	"repslab/internal/plot"
	"repslab/mc"
)

// TestSchemes: those that stand in one figure differ in key, name and colour, each
// opens for the numbers of EVs of the figures, and OPS is there to compare with.
func TestSchemes(t *testing.T) {
	for name, list := range map[string][]scheme{
		"three":    lbs("ecmp", "ops", "reps"),
		"all":      allSchemes(),
		"freezing": {lb("ops"), lb("reps-100us"), lb("artifact-100us"), lb("reps-unfrozen")},
		"rules":    {lb("ops"), lb("reps"), lb("reps-fifo")},
	} {
		keys, names, colors := map[string]bool{}, map[string]bool{}, map[plot.Color]bool{}
		for _, c := range list {
			keys[c.key], names[c.name], colors[c.color] = true, true, true
			for _, evs := range []int{16, 256, 1 << 16} {
				if b, err := c.open(evs); err != nil || b == nil {
					t.Errorf("%s: %s with %d EVs: %v, error %v", name, c.key, evs, b, err)
				}
			}
		}
		if !keys["ops"] || len(keys) != len(list) || len(names) != len(list) || len(colors) != len(list) {
			t.Errorf("%s: %d schemes have keys %v, names %v, colors %v", name, len(list), keys, names, colors)
		}
	}
}

// TestNoScheme: a key that no load balancer has is a fault.
func TestNoScheme(t *testing.T) {
	if !panics(func() { lb("rep") }) {
		t.Error("an unknown load balancer is accepted")
	}
}

// TestNoIntervalFromFewRuns: an interval is drawn from three runs on.
func TestNoIntervalFromFewRuns(t *testing.T) {
	for runs, drawn := range map[uint64]bool{1: false, 2: false, 3: true} {
		var s plot.Series
		appendPoint(&s, 1, mc.Estimate{Value: 5, Lo: 4, Hi: 6, N: runs})
		f := engine.Figure{Build: func(context.Context, engine.Settings) (engine.Output, error) {
			return engine.Output{Plot: &plot.Plot{Panels: [][]plot.Panel{{{Series: []plot.Series{s}}}}}}, nil
		}}
		if out, err := f.Make(t.Context(), engine.Settings{}); err != nil || (len(out.Notes) == 0) != drawn {
			t.Errorf("%d runs: notes %q, error %v", runs, out.Notes, err)
		}
		if got := s.Lo[0] == 4 && s.Hi[0] == 6; s.Y[0] != 5 || got != drawn || !drawn && !math.IsNaN(s.Lo[0]+s.Hi[0]) {
			t.Errorf("%d runs: %v from %v to %v", runs, s.Y, s.Lo, s.Hi)
		}
	}
}
