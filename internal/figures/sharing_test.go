package figures

import (
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/plot"
)

// heldRuns returns the number of runs that are held.
func heldRuns(r *Runs) (n int) {
	r.outcomes.Range(func(_, _ any) bool { n++; return true })
	return n
}

// TestRunsAreShared: a figure takes over a run of another, whatever they call it, and only one with
// the same network, workload, load balancer, number of EVs, congestion control, seed and replica.
func TestRunsAreShared(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
	run := func(s Settings, change func(*comparedPoint)) netRuns {
		p := &comparedPoint{network: permuted(spec, 100_000), schemes: lbs("reps"), replicas: 2}
		change(p)
		if err := (&comparison{points: []*comparedPoint{p}}).run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return p.of(p.schemes[0].key)
	}
	same := func(*comparedPoint) {}
	runs := new(Runs)
	first, alone := run(Settings{Seed: 1, Runs: runs}, same), run(Settings{Seed: 1}, same)
	if held := heldRuns(runs); held != 2 || !reflect.DeepEqual(first, alone) {
		t.Fatalf("%d runs are held, want 2; runs %+v, without sharing %+v", held, first, alone)
	}
	runs.outcomes.Range(func(key, outcome any) bool { // a mark that no run has
		marked := *outcome.(*fattree.Result)
		marked.Sent = -1
		runs.outcomes.Store(key, &marked)
		return true
	})
	for _, c := range []struct {
		name   string
		seed   uint64
		change func(*comparedPoint)
		taken  int
	}{
		{"the same", 1, same, 2},
		{"another name", 1, func(p *comparedPoint) { p.schemes = []scheme{lb("reps").called("own", "Own", plot.Blue)} }, 2},
		{"defaults in words", 1, func(p *comparedPoint) {
			p.network = permuted(fattree.Spec{Topology: topology.FatTree{Hosts: 16, Tiers: 2}, AckRatio: 1}, 100_000)
		}, 2},
		{"a ring of 8 in words", 1, func(p *comparedPoint) { p.schemes = []scheme{reusing(1)} }, 2},
		{"carried EVs, an ACK for each packet", 1, func(p *comparedPoint) { p.schemes[0].carries = true }, 2},
		{"a third replica", 1, func(p *comparedPoint) { p.replicas = 3 }, 2},
		{"another seed", 2, same, 0},
		{"another message", 1, func(p *comparedPoint) { p.network = permuted(spec, 100_001) }, 0},
		{"another queue", 1, func(p *comparedPoint) { p.network = altered(p.network, func(s *fattree.Spec) { s.Queue = 50 }) }, 0},
		{"another link", 1, func(p *comparedPoint) {
			p.network = permuted(fattree.Spec{Topology: topology.FatTree{Hosts: 16, SwitchLatencyNs: 1}}, 100_000)
		}, 0},
		{"a failed link", 1, func(p *comparedPoint) {
			p.network = altered(p.network, func(s *fattree.Spec) { s.Faults = failedUplinks(treeOf(*s), 0) })
		}, 0},
		{"fewer EVs", 1, func(p *comparedPoint) { p.evs = 256 }, 0},
		{"another balancer", 1, func(p *comparedPoint) { p.schemes = []scheme{lb("ops").called("reps", "REPS", plot.Blue)} }, 0},
		{"no freezing mode", 1, func(p *comparedPoint) { p.schemes = lbs("reps-unfrozen") }, 0},
		{"an unknown balancer", 1, func(p *comparedPoint) { p.schemes[0].open.text = "" }, 0},
		{"another control", 1, func(p *comparedPoint) { p.control = fixedWindow }, 0},
		{"a trace", 1, func(p *comparedPoint) {
			p.trace = func(*fattree.Network) fattree.TraceConfig { return fattree.TraceConfig{Every: 1, Ports: []int{0}} }
		}, 0},
	} {
		taken := 0
		for _, r := range run(Settings{Seed: c.seed, Runs: runs}, c.change) {
			if r.Sent == -1 {
				taken++
			}
		}
		if taken != c.taken {
			t.Errorf("%s: %d runs are taken over, want %d", c.name, taken, c.taken)
		}
	}
}

// TestFiguresHaveRunsInCommon: figures with the same experiment have the same runs.
func TestFiguresHaveRunsInCommon(t *testing.T) {
	s := Settings{Seed: 1}
	keys := func(list ...comparison) map[runKey]bool {
		keys := map[runKey]bool{}
		for _, c := range list {
			for _, p := range c.points {
				for _, of := range c.schemesAt(p) {
					setup := p.setup(of)
					network, err := setup.Network(s.Seed, 0)
					if err != nil {
						t.Fatal(err)
					}
					if setup.text != "" {
						keys[keyOfRun(network, setup.text, s.Seed, 0)] = true
					}
				}
			}
		}
		return keys
	}
	found := comparison{}
	for _, d := range slices.Concat(ackSlips(), failureSlips(), recyclingSlips()) {
		coded := d.meant
		d.code(&coded)
		found.points = append(found.points, &d.meant, &coded)
	}
	for _, c := range []struct {
		name string
		a, b map[runKey]bool
		want int
	}{
		{"patterns of 8 MiB in the conclusion and fig21", keys(newConclusion()), keys(comparison{schemes: lbs("ops", "reps"), points: tieredPoints(2)}), 6},
		{"all EVs and 32 EVs in fig15 and ring", keys(newFig15()), keys(newRing(1)), 4},
		{"32 EVs in findings and fig15", keys(found), keys(newFig15()), 2},
		{"fig03 and fig05", keys(newFig03()), keys(newFig05()), 0},
	} {
		common := 0
		for key := range c.a {
			if c.b[key] {
				common++
			}
		}
		if common != c.want {
			t.Errorf("%s: %d runs of a replica in common, want %d", c.name, common, c.want)
		}
	}
}
