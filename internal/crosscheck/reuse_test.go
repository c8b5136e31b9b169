package crosscheck

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// listener wraps a balancer and records the EVs of each flow.
type listener struct {
	transport.Balancer
	evs [][]uint16
}

func (l *listener) Reset(n *fattree.Network, random mc.Stream) {
	l.evs = make([][]uint16, n.Flows())
	l.Balancer.Reset(n, random)
}

func (l *listener) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, recycled = l.Balancer.NextEV(flow, now)
	l.evs[flow] = append(l.evs[flow], ev)
	return ev, recycled
}

// distinct returns the mean over flows of the number of different EVs in 100 packets,
// starting with packet from.
func (l *listener) distinct(from int) float64 {
	total := 0
	for _, evs := range l.evs {
		different := map[uint16]bool{}
		for _, ev := range evs[from : from+100] {
			different[ev] = true
		}
		total += len(different)
	}
	return float64(total) / float64(len(l.evs))
}

// TestReuseNarrows: why using each EV that comes back 8 times, where one ACK in 8
// packets brings one, is slower than not to make up for the missing ACKs at all.
// A round trip of packets descends from an eighth of the EVs of the one before,
// drawn by chance: the EVs of a flow die out like the names of families, marks or
// none, and its packets end on a handful of paths. Carried EVs have one
// descendant each, and a standard flow draws most EVs afresh.
func TestReuseNarrows(t *testing.T) {
	const ratio = 8
	means := map[string]fattree.Picoseconds{}
	for _, c := range []struct {
		variant     string
		reuse       int
		carry       bool
		least, most float64 // different EVs in 100 packets, in the end
	}{
		{"standard", 1, false, 95, 100},
		{"carry", 1, true, 95, 100},
		{"reuse", ratio, false, 1, 10},
	} {
		recycling, err := balance.NewRecycling(balance.Paper, reps.Config{ReuseCount: c.reuse})
		heard := &listener{Balancer: must(t, recycling, err)}
		network, err := fattree.Build(fattree.Spec{
			Topology: topology.FatTree{Hosts: 128}, Workload: permutation128(t), Options: transport.Options{AckRatio: ratio, CarryEVs: c.carry},
		})
		result, err := transport.NewRun(must(t, network, err)).Execute(context.Background(), heard, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		means[c.variant] = fattree.Mean(must(t, result, err).FCTs())
		first, last := heard.distinct(0), heard.distinct(1950)
		t.Logf("%s: %.1f different EVs in the first 100 packets, %.1f in the last, mean FCT %.1f us", c.variant, first, last, float64(means[c.variant])/1e6)
		if first < 95 || last < c.least || last > c.most {
			t.Errorf("%s: %.1f different EVs in the first 100 packets, %.1f in the last, want more than 95 and %g to %g", c.variant, first, last, c.least, c.most)
		}
	}
	if means["carry"] >= means["standard"] || 4*means["reuse"] < 5*means["standard"] {
		t.Errorf("mean FCTs (ps) are %v, want carry below standard and reuse a quarter above it", means)
	}
}
