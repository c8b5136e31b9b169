package cases

import (
	"fmt"
	"strings"
	"testing"

	"repslab/evsimbalance"
	"repslab/sweep"
)

// TestEVsPlan: each question is answered by its law for the point's flows, EVs and uplinks; the others are null, and so
// is an answer that does not exist, with a warning.
func TestEVsPlan(t *testing.T) {
	must := func(v any, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(v)
	}
	cover, share := must(evsimbalance.CoverEVs(5, 0.8)), must(evsimbalance.Coverage(9, 5))
	mean, sure := must(evsimbalance.LeastEVs(3, 5, 0.5)), must(evsimbalance.SureEVs(3, 5, 0.5, 0.95))
	probes, err := evsimbalance.LeastProbes(5, 0.4, 0.02, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	config := evsimbalance.Config{Flows: 3, EVS: 9, Uplinks: 5, Method: evsimbalance.Exact}
	wide := evsimbalance.Config{Flows: 1 << 16, EVS: 1, Uplinks: 4096, Method: evsimbalance.Exact} // few EVs are the most
	for _, c := range []struct {
		point EVs
		want  string
		warns int
	}{
		{EVs{Config: config}, "[<nil> <nil> <nil> <nil> <nil> <nil>]", 0},
		{EVs{Config: config, cover: 0.8}, "[" + cover + " " + share + " <nil> <nil> <nil> <nil>]", 0},
		{EVs{Config: config, tolerance: 0.5}, "[<nil> <nil> " + mean + " " + sure + " <nil> <nil>]", 0},
		{EVs{Config: wide, tolerance: 1e-4}, "[<nil> <nil> <nil> <nil> <nil> <nil>]", 2},
		{EVs{Config: config, loss: 0.4, falseAlarm: 0.02, miss: 0.03}, fmt.Sprintf("[<nil> <nil> <nil> <nil> %d %d]", probes.Sent, probes.Suspect), 0},
		{EVs{Config: wide, loss: 1e-7, falseAlarm: 0.02, miss: 0.03}, "[<nil> <nil> <nil> <nil> <nil> <nil>]", 1},
	} {
		var out sweep.Results
		row := c.point.planRow(&out)
		if got := fmt.Sprint(row.Values()); got != c.want || len(out.Warnings) != c.warns || c.warns > 0 && !strings.Contains(out.Warnings[0], " is null: ") {
			t.Errorf("%+v: %s, warnings %q, want %s", c.point, got, out.Warnings, c.want)
		}
	}
}
