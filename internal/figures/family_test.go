package figures

import (
	"context"
	"strings"
	"testing"

	"repslab/ballsbins/allocation"
	"repslab/mc"
)

// TestFamily: the figure's statements hold in its intervals.
func TestFamily(t *testing.T) {
	out, err := figure("family").Make(context.Background(), fromRecord(t, "family"))
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, "family", out.Plot)
	if text := strings.Join(out.Notes, " "); strings.Contains(text, "NaN") || strings.Contains(text, "interval") {
		t.Errorf("a number is missing: %s", text)
	}
	gap := func(rule allocation.Rule, bias float64, batch, perBin int, where ...any) mc.Estimate {
		at := append(where, "rule", string(rule), "bias", bias, "batch_per_bin", batch, "balls_per_bin", perBin)
		return mc.Estimate{Value: valueAt(t, out.Tables[0], "gap", at...), Lo: valueAt(t, out.Tables[0], "gap_lo", at...),
			Hi: valueAt(t, out.Tables[0], "gap_hi", at...)}
	}
	for _, c := range []struct {
		what        string
		less, great float64
	}{
		{"memory that is not consumed gets most of a batch", 0.8 * familyBins, gap(allocation.Memory, 0, 1, 100).Lo},
		{"tokens do not herd", gap(allocation.Token, 0, 1, 100, "offset", 1).Hi, 10},
		{"tokens do not diverge where bins differ", gap(allocation.Token, 0.5, 1, 400).Hi, 15},
		{"two-choice grows at least as its lower bound", allocation.GapRate(0.75, 0.5, 2) * 400,
			gap(allocation.TwoChoice, 0.5, 1, 400).Hi},
		{"thinning is worse than two-choice", gap(allocation.TwoChoice, 0.5, 1, 400).Hi,
			gap(allocation.MeanThinning, 0.5, 1, 400).Lo},
		{"tokens lose in long batches", gap(allocation.TwoChoice, 0, 50, 1000).Hi,
			gap(allocation.Token, 0, 50, 1000, "offset", 50).Lo},
		{"a lower limit helps there", gap(allocation.Token, 0, 50, 1000, "offset", 0, "eta", 1.0).Hi,
			gap(allocation.Token, 0, 50, 1000, "offset", 50).Lo},
		{"so do random throws: tokens beat two-choice", gap(allocation.Token, 0, 50, 1000, "offset", 0, "eta", 0.2).Hi,
			gap(allocation.TwoChoice, 0, 50, 1000).Lo},
		{"at a = 0.95 the gap still grows", gap(allocation.Token, 0.95, 1, 200).Hi, gap(allocation.Token, 0.95, 1, 2000).Lo},
	} {
		if !(c.less < c.great) {
			t.Errorf("%s: %v is not below %v", c.what, c.less, c.great)
		}
	}
}
