package repslab

import (
	"context"
	"os"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/mc/mctest"
)

// workloadCalibration holds a trace or collective against one run of the
// authors' simulator.
type workloadCalibration struct {
	id           string // of the reference's row
	bounds       map[string]float64
	balancer     fattree.Balancer
	spec         fattree.Spec
	inShortSuite bool
}

// flowList reads a flow list of the authors'.
func flowList(t *testing.T, name string) fattree.Workload {
	t.Helper()
	f, err := os.Open("fattree/traffic/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, w, err := traffic.ReadFlows(f)
	return must(t, w, err)
}

// workloadCalibrations lists the set-ups of the authors' trace and collective
// scripts: 32 active hosts in a tree of 128, connections that inherit, and of the
// asymmetric ones four uplinks of ToR 0 at half rate.
func workloadCalibrations(t *testing.T) []workloadCalibration {
	scripted := func(w fattree.Workload) fattree.Spec {
		return fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Workload: w, DisableTrimming: true, InheritConnections: true}
	}
	trace, exchange := scripted(flowList(t, "websearch60_n32.cm")), scripted(flowList(t, "alltoall4.cm"))
	ring, err := traffic.RingAllreduce(32, 16, traffic.Message{Bytes: 4_000_000}, 1, 0)
	slow := scripted(must(t, ring, err))
	for uplink := range 4 {
		slow.Faults = append(slow.Faults, fattree.Fault{Uplink: uplink, Rate: 0.5})
	}
	ops, pinned, reps := sprayed(t, 65535), pinnedFlows(t, 65535), recycledBy(t, "artifact", 65535)
	times, end := map[string]float64{"mean_fct_us": 0.15, "p99_fct_us": 0.15}, map[string]float64{"end_us": 0.08}
	list := []workloadCalibration{
		{"f2dc_ae32hosts_load60_oblivious", times, ops, trace, true},
		{"f2dc_ae32hosts_load60_freezing", times, reps, trace, true},
		{"f2dc_ae32hosts_load60_ecmp", times, pinned, trace, true},
		{"f2ai_a4_oblivious", end, ops, exchange, false},
		{"f2ai_a4_freezing", end, reps, exchange, false},
		{"f2ai_a4_ecmp", end, pinned, exchange, false},
		{"f4ai_r32_oblivious", end, ops, slow, true},
		{"f4ai_r32_freezing", end, reps, slow, true},
	}
	for _, name := range []string{"mprdma", "bitmap", "plb"} {
		b, ended := balancerOf(t, name, 1<<16), end
		if name == "plb" {
			ended = map[string]float64{"end_us": 0.25}
		}
		list = append(list,
			workloadCalibration{"f2dc_ae32hosts_load60_" + name, times, b, trace, false},
			workloadCalibration{"f2ai_a4_" + name, ended, b, exchange, false},
			workloadCalibration{"f4ai_r32_" + name, ended, b, slow, false})
	}
	return list
}

// TestWorkloadCalibration: traces and collectives end as in the authors'
// simulator.
func TestWorkloadCalibration(t *testing.T) {
	long := os.Getenv("REPSLAB_LONG") != ""
	replicas := uint64(2)
	if long {
		replicas = 10
	}
	rows := mctest.Reference(t, "testdata/htsim_runs.csv")
	for _, c := range workloadCalibrations(t) {
		if !long && !c.inShortSuite {
			continue
		}
		t.Run(c.id, func(t *testing.T) {
			i := slices.IndexFunc(rows, func(r mctest.Row) bool { return r["scenario_id"] == c.id })
			got := c.measure(t, replicas)
			for _, key := range []string{"max_fct_us", "mean_fct_us", "p99_fct_us", "end_us", "drops_or_rtx"} {
				var want mc.Moments
				want.Add(int64(rows[i].Number(t, key) * 1e6))
				if bound, bounded := c.bounds[key]; bounded {
					compare(t, key, got[key], want, bound)
				} else {
					g := got[key]
					t.Logf("%s %.2f, reference %.2f", key, g.Mean(mc.DefaultConfidence).Value/1e6, rows[i].Number(t, key))
				}
			}
		})
	}
}

// measure returns the statistics of runs by the names of the reference.
func (c workloadCalibration) measure(t *testing.T, replicas uint64) map[string]mc.Moments {
	t.Helper()
	network, err := fattree.Build(c.spec)
	if err != nil {
		t.Fatal(err)
	}
	run := network.NewRun()
	moments := map[string]mc.Moments{}
	add := func(key string, value int64) {
		m := moments[key]
		m.Add(value)
		moments[key] = m
	}
	for replica := range replicas {
		result, err := run.Execute(context.Background(), c.balancer, congestion.DCTCP{}, fattree.NewStreams(1, replica))
		if err != nil {
			t.Fatal(err)
		}
		fcts := result.FCTs()
		if len(fcts) != len(c.spec.Workload.Flows) {
			t.Fatalf("replica %d: %d of %d flows finished", replica, len(fcts), len(c.spec.Workload.Flows))
		}
		sum := fattree.Picoseconds(0)
		for _, fct := range fcts {
			sum += fct
		}
		add("max_fct_us", fcts[len(fcts)-1])
		add("mean_fct_us", sum/int64(len(fcts)))
		add("p99_fct_us", fattree.NearestRank(fcts, 0.99))
		add("end_us", lastEnd(result.Flows))
		add("drops_or_rtx", 1e6*result.Retransmitted)
	}
	return moments
}
