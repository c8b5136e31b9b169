package cases

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
)

// flowsFile returns the rows of --flows-out for three replicas of all points, and what was reported as progress.
func flowsFile(t *testing.T, sel param.Selection) (list []map[string]any, reports []mc.Progress) {
	t.Helper()
	points, _, err := ExtraPoints(sel)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	plan := mc.Plan{Seed: 1, Replicas: 3, Workers: 1, Progress: func(p mc.Progress) { reports = append(reports, p) }}
	if err := ExtraWriter((*Fattree).WriteFlows).All(t.Context(), ExtraOutput{To: &text, Format: rows.JSON, Warn: func(string) {}}, points, plan); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text.Bytes()) {
		row := map[string]any{}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list, reports
}

// TestFlowsFile: each flow of each replica has a row with its start, and with the share of the replica's flows that
// took no longer. Progress covers all points. Nothing is faster than alone in the network.
func TestFlowsFile(t *testing.T) {
	flows := inputOf(t, "list", "Nodes 8\nConnections 3\n0->4 start 0 size 40860\n1->4 start 3000000 size 40860\n2->5 start 7000000 size 408600\n")
	list, reports := flowsFile(t, param.Selection{Parameters: param.Texts{"flows": "list", "hosts_per_tor": "4", "lb": "ops,reps"}, Inputs: flows})
	if len(list) != 2*3*3 {
		t.Fatalf("%d rows, want 2 points x 3 replicas x 3 flows", len(list))
	}
	for i, row := range list {
		flow, same := i%3, list[i/3*3:i/3*3+3]
		if row["flow"] != float64(flow) || row["replica"] != float64(i/3%3) || row["lb"] != []string{"ops", "reps"}[i/9] ||
			row["start_us"] != []float64{0, 3, 7}[flow] || row["bytes"] != []float64{40860, 40860, 408600}[flow] {
			t.Errorf("row %d: %v", i, row)
		}
		after := 0
		for _, other := range same {
			if other["fct_us"].(float64) <= row["fct_us"].(float64) {
				after++
			}
		}
		if row["fct_cdf"] != float64(after)/3 {
			t.Errorf("row %d: fct_cdf %v, want %d/3", i, row["fct_cdf"], after)
		}
		if row["slowdown"].(float64) < 1 || row["slowdown_ideal"].(float64) < 1-1e-9 ||
			math.Abs(row["slowdown_ideal"].(float64)*row["ideal_us"].(float64)/row["fct_us"].(float64)-1) > 1e-9 {
			t.Errorf("row %d: %v", i, row)
		}
	}
	var want []mc.Progress
	for _, done := range []uint64{0, 1, 2, 3, 3, 4, 5, 6} {
		want = append(want, mc.Progress{Done: done, Total: 6})
	}
	if !slices.Equal(reports, want) {
		t.Errorf("progress %v, want %v", reports, want)
	}
}

// TestFlowsFileOfSchedule: fluids start a message of a schedule when the run did, so messages one after the other do
// not share a link in the ideal.
func TestFlowsFileOfSchedule(t *testing.T) {
	const goal = "num_ranks 2\nrank 0 {\na: send 400000b to 1 tag 1\nb: recv 400000b from 1 tag 2\nb requires a\nc: send 400000b to 1 tag 3\nc requires b\n}\n" +
		"rank 1 {\na: recv 400000b from 0 tag 1\nb: send 400000b to 0 tag 2\nb requires a\nc: recv 400000b from 0 tag 3\n}\n"
	list, _ := flowsFile(t, param.Selection{Parameters: param.Texts{"schedule": "s", "hosts": "4", "hosts_per_tor": "2"}, Inputs: inputOf(t, "s", goal)})
	if len(list) != 9 {
		t.Fatalf("%d rows, want 3 messages of 3 replicas", len(list))
	}
	for i, row := range list {
		if s := row["slowdown_ideal"].(float64); s < 1 || s > 2 {
			t.Errorf("row %d: %v times as long as fluids", i, s)
		}
		if start := row["start_us"].(float64); i%3 == 0 && start != 0 || i%3 > 0 && start < 8 {
			t.Errorf("row %d starts at %v us", i, start)
		}
	}
}
