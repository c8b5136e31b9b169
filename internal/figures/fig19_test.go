package figures

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/internal/figures/engine"
	"repslab/internal/plot"
)

// TestForcedPermutation: the permutation of fig19 is the paper's, 128 flows of 16 MiB between 128 hosts.
func TestForcedPermutation(t *testing.T) {
	c := newFig19(1)
	n, err := c.points[0].network(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	flows := n.Spec().Workload.Flows
	if len(flows) != 128 || len(c.points) != 1 {
		t.Errorf("%d flows, %d points, want 128 and 1", len(flows), len(c.points))
	}
	for i, f := range flows {
		if f.Bytes != 16<<20 {
			t.Errorf("flow %d has %d bytes, want 16 MiB", i, f.Bytes)
		}
	}
}

// TestTrimming: each point with trimming has the same point without, in the same order, and only switches that trim say
// so.
func TestTrimming(t *testing.T) {
	c := newTrimming(1)
	half := len(c.points) / 2
	for i, p := range c.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		spec, other := n.Spec(), c.points[(i+half)%len(c.points)]
		if spec.DisableTrimming != (i >= half) || p.label != other.label || p.group == other.group {
			t.Errorf("point %d, %s: without trimming %t", i, p.place, spec.DisableTrimming)
		}
		for _, fault := range spec.Faults {
			if us := (fault.End - fault.Start) / microseconds; (us == 100) != (p.label == "failed for 100 µs") {
				t.Errorf("point %d, %s: a failure of %d µs", i, p.place, us)
			}
		}
		if failed := len(spec.Faults) > 0; failed != (p.label != "incast") {
			t.Errorf("point %d, %s: failures %v", i, p.place, spec.Faults)
		}
	}
}

// TestForcedAsTheAuthors: with the authors' rules and their settings, freezing mode that is forced at 50 us makes a
// permutation take longer by 0.1 to 0.5 %; the authors' simulator has 0.5 to 1 %. By the paper's rules it is below
// 0.1 %. docs/findings.md has the numbers. The seed is fixed: no false alarms.
func TestForcedAsTheAuthors(t *testing.T) {
	as := func(key string, rules balance.Rules, at fattree.Picoseconds) scheme {
		return repsAs(key, key, plot.AutoColor, balance.RecyclingConfig{Rules: rules, FreezeAt: at * microseconds})
	}
	c := comparison{schemes: []scheme{as("theirs", balance.Artifact, 0), as("theirs, forced", balance.Artifact, forcedAt),
		as("paper", balance.Paper, 0), as("paper, forced", balance.Paper, forcedAt)}}
	c.points = []*comparedPoint{{place: "forced", replicas: 2, keep: keepComplete, network: permuted(patternSpec(topology.FatTree{Hosts: 128}), 16*mebi)}}
	if err := c.run(t.Context(), engine.Settings{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	longer := func(key string) float64 {
		return 100 * (c.points[0].of(key+", forced").over(c.points[0].of(key)).Value - 1)
	}
	theirs, paper := longer("theirs"), longer("paper")
	reading := authorsReading("N081", "max FCT REPS with freezing forced at 50 us / REPS")
	if theirs < 0.1 || theirs > 0.5 || paper < 0 || paper > 0.1 || reading.Least != "1.005" || reading.Top != "1.01" {
		t.Errorf("forced freezing takes %.3f %% longer by the authors' rules, %.3f %% by the paper's; they have %+v", theirs, paper, reading)
	}
}
