package figures

import (
	"maps"
	"math"
	"slices"
	"testing"

	"repslab/internal/plot"
)

// TestUltraPublished: each published run with the simulator's queues stands beside one set of runs of the
// full figure, and those whose values are written here beside the right one.
func TestUltraPublished(t *testing.T) {
	published := readUltraPublished()
	if len(published) != 24 {
		t.Errorf("%d published runs, want 24", len(published))
	}
	c := newUltraEthernet()
	var drawn []float64
	for _, p := range c.points {
		for _, of := range c.schemesAt(p) {
			if tail := published.at(p, of.key); !math.IsNaN(tail) {
				drawn = append(drawn, tail)
			}
		}
	}
	slices.Sort(drawn)
	if all := slices.Sorted(maps.Values(published)); !slices.Equal(drawn, all) {
		t.Errorf("drawn %v, want %v", drawn, all)
	}
	for _, want := range []struct {
		group, links string
		ack          int
		lb           string
		tail         float64
	}{
		{threeTiers, "healthy", 4, "stratified", 212.794},
		{threeTiers, "slow", 1, "reps", 206.684},
		{threeTiersCredit, "healthy", 1, "mixed", 195.608},
		{threeTiersCredit, "slow", 4, "bitmap", 211.342},
	} {
		p := &comparedPoint{group: want.group, workload: want.links, x: want.ack}
		if got := published.at(p, want.lb); got != want.tail {
			t.Errorf("%+v: %v", want, got)
		}
	}
}

// TestUltraPoints: the points of published runs and of all schemes, the paper's REPS too, have glyphs of their own.
func TestUltraPoints(t *testing.T) {
	out, err := ultraethernet(t.Context(), fromRecord(t, "ultraethernet"))
	if err != nil {
		t.Fatal(err)
	}
	three, failed := out.Plot.Panels[0][0], out.Plot.Panels[2][0]
	failed.Series = append(failed.Series, three.Series[len(three.Series)-1])
	if len(failed.Series) != 6 || failed.Series[5].Mark != plot.Points {
		t.Fatalf("series %v, want 5 schemes and the published runs", failed.Series)
	}
	for _, fault := range alike(t, *out.Plot, failed) {
		t.Error(fault)
	}
}
