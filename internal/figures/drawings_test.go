package figures

import (
	"context"
	"math"
	"slices"
	"testing"

	"repslab/internal/plot"
)

// drawnFrom returns the rows of panels of a figure from the record.
func drawnFrom(t *testing.T, id string) [][]plot.Panel {
	t.Helper()
	out, err := figure(id).Make(context.Background(), fromRecord(t, id))
	if err != nil {
		t.Fatal(err)
	}
	return out.Plot.Panels
}

// TestGoodputAxes: no panel of the testbed magnifies a difference of 0.01 Gb/s, and OPS is drawn above REPS where both
// coincide.
func TestGoodputAxes(t *testing.T) {
	panels := drawnFrom(t, "fig10")[0]
	for _, panel := range panels {
		if faults := magnified(panel); faults != nil {
			t.Errorf("%s: %q", panel.Title, faults)
		}
	}
	if list := panels[1].Series; list[0].Name != "REPS" || list[1].Name != "OPS" {
		t.Errorf("(b) draws %s and then %s, want REPS and then OPS", list[0].Name, list[1].Name)
	}
	panels[1].X.Min = nil
	if faults := magnified(panels[1]); len(faults) != 1 {
		t.Errorf("(b) without its axis: %q, want one fault", faults)
	}
}

// TestRingShowsOPS: each panel has the time of OPS inside its axis, with failures too.
func TestRingShowsOPS(t *testing.T) {
	for _, panel := range drawnFrom(t, "ring")[0] {
		if len(panel.References) != 1 || !(panel.References[0].At < *panel.Y.Max) {
			t.Errorf("%s: references %v on an axis to %v", panel.Title, panel.References, *panel.Y.Max)
		}
		if far := panel.References[0].At > 5*panel.Series[0].Y[0]; far != (panel.Y.Scale == plot.Log10) {
			t.Errorf("%s: OPS at %v, scale %v", panel.Title, panel.References[0].At, panel.Y.Scale)
		}
	}
}

// TestFailedPortsHaveABaseline: the panel in which only MRC runs without ports has its healthy time as a line.
func TestFailedPortsHaveABaseline(t *testing.T) {
	four := drawnFrom(t, "mrc")[4][0]
	if len(four.References) != 1 || four.References[0].At != four.Series[0].Y[0] || !(four.References[0].At < four.Series[0].Y[1]) {
		t.Errorf("references %v, MRC %v", four.References, four.Series[0].Y)
	}
}

// TestRoundRobinMapIsLegible: thresholds of the map are a quarter apart, from 2 to 118, the same at every n.
func TestRoundRobinMapIsLegible(t *testing.T) {
	at := map[float64][]float64{}
	for _, s := range drawnFrom(t, "open")[0][1].Series {
		for i := range s.X {
			if s.Mark == plot.Points {
				at[s.X[i]] = append(at[s.X[i]], s.Y[i])
			}
		}
	}
	slices.Sort(at[2])
	for n, taus := range at {
		slices.Sort(taus)
		if !slices.Equal(taus, at[2]) || taus[0] != 2 || taus[len(taus)-1] != 118 {
			t.Errorf("n = %v: τ %v, at n = 2 %v", n, taus, at[2])
		}
		for i := range taus[1:] {
			if taus[i+1] < math.Ceil(1.25*taus[i]) {
				t.Errorf("n = %v: τ = %v and %v overlap", n, taus[i], taus[i+1])
			}
		}
	}
	if len(at) != 10 {
		t.Errorf("%d n, want 10", len(at))
	}
}
