package figures

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestRingTraffic: every message crosses to the other ToR, every active host sends
// to one host and receives from one, and a host's messages come one after the
// other.
func TestRingTraffic(t *testing.T) {
	const active, messages = 40, 3
	spec := ringTraffic(symmetricTestbed(), active, messages, 1000)
	if got := len(spec.Workload.Flows); got != 2*active*messages {
		t.Fatalf("%d flows, want %d", got, 2*active*messages)
	}
	to, from := map[fattree.Host]fattree.Host{}, map[fattree.Host]fattree.Host{}
	for i, f := range spec.Workload.Flows {
		if treeOf(spec).Climb(f.Source, f.Destination) != 1 {
			t.Errorf("flow %d from host %d to %d does not cross the spines", i, f.Source, f.Destination)
		}
		if first := i%messages == 0; first {
			to[f.Source], from[f.Destination] = f.Destination, f.Source
		} else if before := spec.Workload.Flows[i-1]; f.StartedBy == fattree.NoTrigger || before.Fires != f.StartedBy || before.Source != f.Source || to[f.Source] != f.Destination {
			t.Errorf("flow %d %+v does not follow %+v", i, f, before)
		}
	}
	if len(to) != 2*active || len(from) != 2*active {
		t.Errorf("%d hosts send and %d receive, want %d", len(to), len(from), 2*active)
	}
	if _, err := fattree.Build(spec); err != nil {
		t.Error(err)
	}
}

// TestTestbedRates: the fair share and OPS's bound of the asymmetric testbed are
// the paper's.
func TestTestbedRates(t *testing.T) {
	if fig10SlowShare != 75 {
		t.Errorf("fair share %v Gb/s, want 75", fig10SlowShare)
	}
	for _, p := range newFig10(1, 1).points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		tree := treeOf(n.Spec())
		up := float64(tree.UplinksPerToR) * testbedFabric
		if down := float64(tree.HostsPerToR) * testbedNIC; up != down {
			t.Errorf("%s: uplinks of %v Gb/s for NICs of %v", p.group, up, down)
		}
	}
}

// TestOutageTotals counts losses up to the end of a bucket.
func TestOutageTotals(t *testing.T) {
	samples := []fattree.Sample{{Time: testbedFailure, Counts: fattree.Counts{Lost: 7}}} // until the failure
	for i, lost := range []int64{5, 3, 0, 1} {
		end := fattree.Picoseconds(testbedFailure + (i+1)*testbedBucket - 83_000) // a slot early
		samples = append(samples, fattree.Sample{Time: end, Counts: fattree.Counts{Lost: lost}, Frozen: []int{0, 2, 4, 8}[i]})
	}
	for _, c := range []struct {
		until  float64 // us
		lost   int64
		frozen int64
	}{{20, 5, 0}, {40, 8, 2}, {60, 8, 4}, {80, 9, 8}, {1000, 9, 8}} {
		r := newLossTrace(samples, []float64{c.until})
		if got := r.Lost[0]; got != c.lost {
			t.Errorf("%d packets lost until %v us, want %d", got, c.until, c.lost)
		}
		if got := r.Frozen[0]; got != c.frozen {
			t.Errorf("%v flows frozen at %v us, want %v", got, c.until, c.frozen)
		}
	}
}

// TestReuse: a cached EV is sent as often as there are packets per ACK, and once without
// reuse.
func TestReuse(t *testing.T) {
	spec := ringTraffic(symmetricTestbed(), 64, 1, 1000)
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scheme scheme
		uses   int
	}{{lb("reps"), 1}, {reusing(4), 4}} {
		b, err := c.scheme.open(fullEVS)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
		b.Feedback(transport.Feedback{Flow: 7, EV: 1234, Kind: transport.Good})
		uses := 0
		for range 10 {
			if ev, recycled := b.NextEV(7, 0); recycled && ev == 1234 {
				uses++
			}
		}
		if uses != c.uses {
			t.Errorf("%s: the EV is sent %d times, want %d", c.scheme.key, uses, c.uses)
		}
	}
}
