package cases

import (
	"fmt"
	"strings"
	"testing"

	"repslab/evsimbalance"
	"repslab/internal/param"
	"repslab/sweep"
)

// TestEVsPlan: each question is answered by its law for the point's flows, EVs and uplinks. Null are answers without a
// question, answers for another hash, and, with a warning, an answer that does not exist.
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
	hashed := config
	hashed.Method = evsimbalance.Hash
	for _, c := range []struct {
		point EVs
		want  string
		warns int
	}{
		{EVs{Config: config}, "[<nil> <nil> <nil> <nil> <nil> <nil>]", 0},
		{EVs{Config: config, cover: 0.8}, "[" + cover + " " + share + " <nil> <nil> <nil> <nil>]", 0},
		{EVs{Config: config, tolerance: 0.5}, "[<nil> <nil> " + mean + " " + sure + " <nil> <nil>]", 0},
		{EVs{Config: hashed, cover: 0.8, tolerance: 0.5, loss: 0.4, falseAlarm: 0.02, miss: 0.03}, "[<nil> <nil> <nil> <nil> <nil> <nil>]", 0},
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

// TestEVsQuestions: the row of another hash has neither questions nor their options.
func TestEVsQuestions(t *testing.T) {
	m := evsModel()
	g, err := m.Grid(param.Selection{Parameters: param.Texts{"uplinks": "4", "method": "exact,hash", "cover": "0.9", "tolerance": "0.25", "loss": "0.5"}})
	if err != nil || len(g.Points) != 2 {
		t.Fatalf("error %v", err)
	}
	asked := 0
	for i, column := range m.Columns()[:len(g.Points[0].Parameters)] {
		switch column.Key {
		case "cover", "tolerance", "loss", "false_alarm", "miss":
			asked++
			if exact, hash := g.Points[0].Parameters[i], g.Points[1].Parameters[i]; exact == nil || hash != nil {
				t.Errorf("%s: %v and %v", column.Key, exact, hash)
			}
		}
	}
	if asked != 5 {
		t.Errorf("%d of 5 columns", asked)
	}
}
