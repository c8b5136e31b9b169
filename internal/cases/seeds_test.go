package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
)

// pointsOf returns the points of the fattree command with flags such as "hosts=16 lb=ops".
func pointsOf(t *testing.T, flags string) []ExtraPoint {
	t.Helper()
	p := param.Texts{}
	for flag := range strings.FieldsSeq(flags) {
		key, value, _ := strings.Cut(flag, "=")
		p[param.KeyOf(key)] = value
	}
	points, _, err := ExtraPoints(param.Selection{Parameters: p})
	if err != nil {
		t.Fatalf("%s: %v", flags, err)
	}
	return points
}

// extra returns the rows of an extra file of replica 0.
func extra(t *testing.T, points []ExtraPoint, write ExtraWriter, seed uint64) (list []map[string]any) {
	t.Helper()
	var text bytes.Buffer
	plan := mc.Plan{Seed: seed, Replicas: 1, Workers: 1, Progress: func(mc.Progress) {}}
	if err := write.All(t.Context(), ExtraOutput{To: &text, Format: rows.JSON, Warn: func(string) {}}, points, plan); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for line := range bytes.Lines(text.Bytes()) {
		row := map[string]any{}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// TestCountsOfAnySeed: for any seed and workload, the packets of --ev-counts are the packets that the run sends, of all
// of its flows; and --events and --trace find the last flow, but no flow behind it.
func TestCountsOfAnySeed(t *testing.T) {
	const small = "hosts=16 tiers=3 "
	others := []string{"allreduce-ring", "alltoall", "incast", "one-tor", "permutation", "tornado"}
	var networks []string
	for _, name := range others {
		networks = append(networks, small+"message-bytes=20000 workload="+name)
	}
	for _, more := range []string{
		"", " arrivals=poisson", " inherit=on", " background-every=3", " lb=mptcp-subflows cc=dctcp", " profile=uet trimming=off queue=25",
		" failure=cables=1,at=1", " slips=both queue=20", " ack-ratio=4",
	} {
		networks = append(networks, "hosts=4 link-gbps=9.7 workload=facebook load=0.3 duration-us=400"+more)
	}
	for i, flags := range networks {
		points := pointsOf(t, flags)
		for seed := uint64(1); seed <= 4; seed++ {
			seed += 4 * uint64(i)
			p := &points[0].Fattree
			runner, err := p.Setup().NewRunner()
			if err != nil {
				t.Fatal(err)
			}
			r, err := runner.Run(t.Context(), seed, 0)
			if err != nil {
				t.Fatal(err)
			}
			sent, flows := 0.0, map[float64]bool{}
			for _, row := range extra(t, points, new(Events).WriteCounts, seed) {
				sent += row["sent"].(float64)
				flows[row["flow"].(float64)] = true
			}
			if want := r.Result.Counts.Sent; sent != float64(want) {
				t.Errorf("%s, seed %d: --ev-counts has %v packets, the run sent %v", flags, seed, sent, want)
			}
			last := r.Network.Flows() - 1
			if !strings.Contains(flags, "inherit") && len(flows) != last+1 {
				t.Errorf("%s, seed %d: --ev-counts has %d flows, the run %d", flags, seed, len(flows), last+1)
			}
			at, beyond := fmt.Sprint(last), fmt.Sprint(last+1)
			if err := (&Events{Flows: at}).Check(p, seed); err != nil {
				t.Error(err)
			}
			for _, err := range []error{(&Events{Flows: beyond}).Check(p, seed), (&Trace{Every: 2, Flows: beyond}).Check(p, seed)} {
				if want := fmt.Sprintf("-flows: %s must be an integer in [0, %s]", beyond, at); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, seed %d: error %v, want %s", flags, seed, err, want)
				}
			}
		}
	}
}

// TestTraceOfAnySeed: a trace has the first 8 flows of its own seed, or all if there are fewer.
func TestTraceOfAnySeed(t *testing.T) {
	points := pointsOf(t, "hosts=2 link-gbps=9.603 workload=facebook load=0.1 duration-us=200")
	for seed := range uint64(60) {
		runs, err := points[0].SpecOf(seed, 0)
		if err != nil {
			t.Fatal(err)
		}
		flows := map[any]bool{}
		for _, row := range extra(t, points, (&Trace{Every: 50}).Write, seed) {
			if row["quantity"] == "cwnd_packets" {
				flows[row["number"]] = true
			}
		}
		if want := min(8, len(runs.Workload.Flows)); len(flows) != want {
			t.Errorf("seed %d: the trace has %d flows, want %d", seed, len(flows), want)
		}
	}
}

// TestFailedFlowsOfAnySeed: a failure of a flow is accepted if all replicas have the flow, whatever another seed
// draws, and otherwise refused by its flag. A point holds neither flows nor faults of a seed.
func TestFailedFlowsOfAnySeed(t *testing.T) {
	const flags = "hosts=16 workload=websearch load=0.6 duration-us=20 failure=flow=%d,paths=0"
	for seed := uint64(1); seed <= 20; seed++ {
		for _, flow := range []int{16, 17, 18, 20} {
			p := pointsOf(t, fmt.Sprintf(flags, flow))[0].Fattree
			if p.Spec.Workload.Flows != nil || p.Spec.Faults != nil || p.Spec.Errors != nil {
				t.Fatalf("the point keeps flows or faults")
			}
			spec, err := p.SpecOf(seed, 2)
			if err != nil {
				t.Fatal(err)
			}
			n, err := p.Setup().Network(seed, 2)
			switch flows := len(spec.Workload.Flows); {
			case flow < flows && (err != nil || n.Flows() != flows):
				t.Errorf("seed %d has %d flows: error %v", seed, flows, err)
			case flow >= flows:
				want := fmt.Sprintf("--failure: fault 0: flows (%d) must be a flow that exists, in [0, %d], in replica 2 of --seed %d", flow, flows-1, seed)
				if _, is := err.(*console.UsageError); !is || err.Error() != want {
					t.Errorf("seed %d: error %v, want %s", seed, err, want)
				}
			}
		}
	}
}

// TestEventsWithoutFlows: a run without flows has no events to record.
func TestEventsWithoutFlows(t *testing.T) {
	for _, f := range []Events{{}, {Flows: "0"}} {
		list, err := new(Fattree).flowsOf("event-flows", f.Flows, new(fattree.Workload), 1)
		if err == nil {
			_, err = f.config(list)
		}
		if err == nil || !strings.Contains(err.Error(), "the run has no") {
			t.Errorf("%+v: error %v", f, err)
		}
	}
}
