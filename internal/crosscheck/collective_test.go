package crosscheck

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestCollectivesOnAnIdleNetwork compares collectives under OPS and REPS with the fluid
// ideal and with a lower bound, the end if every flow took the time that it takes alone.
// They exceed the ideal by the 64/4150 = 1.5 % of the ACKs, which it ignores, and by
// queueing in each step: 7 % are allowed in all. For the ring and the butterfly the ideal
// is the lower bound and is checked against the sequence of steps, each of which takes at
// most the time of a single flow between ToRs. The flows of the exchange share links, where
// a flow that ends sooner can delay the last one (Graham's anomaly), so packets may end
// before the ideal: 7 % are allowed there too, while seeds differ by 1.5 % (standard
// deviation, seeds 0 to 7).
func TestCollectivesOnAnIdleNetwork(t *testing.T) {
	const most = 0.07
	tree := topology.FatTree{Hosts: 64}.WithDefaults()
	const ringBytes, butterflyBytes, pairBytes = 1_000_000, 2_000_000, 200_000
	ring, ringErr := traffic.RingAllreduce(64, 16, traffic.Message{Bytes: ringBytes}, mc.NewStream(1, mc.Workload, 0).Source())
	butterfly, butterflyErr := traffic.ButterflyAllreduce(64, traffic.Message{Bytes: butterflyBytes})
	exchange, exchangeErr := traffic.AllToAll(64, 1, traffic.Message{Bytes: pairBytes, Start: 1_000_000}, mc.NewStream(1, mc.Workload, 0).Source())
	for _, c := range []struct {
		name  string
		w     fattree.Workload
		err   error
		steps int // in sequence, each of one flow; 0: flows share links
	}{
		{"ring", ring, ringErr, 31},
		{"butterfly", butterfly, butterflyErr, 6},
		{"alltoall", exchange, exchangeErr, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := must(t, c.w, c.err)
			ideal, err := fluid.Ideal(fluid.Config{Topology: tree, Workload: w})
			lowest := slices.Max(must(t, ideal, err).End)
			network, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w})
			must(t, network, err)
			if c.steps > 0 {
				slowest := fattree.Picoseconds(0)
				for flow := range w.Flows {
					slowest = max(slowest, network.Unloaded(int32(flow)))
				}
				if lowest > fattree.Picoseconds(c.steps)*slowest || float64(lowest) < 0.8*float64(c.steps)*float64(slowest) {
					t.Errorf("the ideal ends after %d ps, want little less than %d steps of %d ps", lowest, c.steps, slowest)
				}
			}
			soonest := soonestEnd(network, w)
			for name, balancer := range map[string]transport.Balancer{"ops": sprayed(t, 65536), "reps": recycledBy(t, "paper", 65536)} {
				result, err := transport.NewRun(network).Execute(context.Background(), balancer, congestion.DCTCP{}, fattree.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				end := lastEnd(result.Flows)
				if excess := float64(end)/float64(lowest) - 1; end < soonest || math.Abs(excess) > most {
					t.Errorf("%s ends after %d ps, want at least %d ps; ideal %d ps: %+.2f %%, want at most %g %%", name, end, soonest, lowest, 100*excess, 100*most)
				} else {
					t.Logf("%s ends after %d ps, ideal %d ps: %+.2f %%", name, end, lowest, 100*excess)
				}
			}
		})
	}
}

// soonestEnd returns the last end if every flow took the time that it takes alone: a lower
// bound, since a trigger never fires later if flows end sooner.
func soonestEnd(n *fattree.Network, w fattree.Workload) (last fattree.Picoseconds) {
	starter, ends := fattree.NewStarter(w), map[fattree.Picoseconds][]int32{}
	start := func(flow int32, after fattree.Picoseconds) {
		end := after + w.Flows[flow].Start + n.Unloaded(flow)
		ends[end] = append(ends[end], flow)
	}
	for flow, f := range w.Flows {
		if f.StartedBy == fattree.NoTrigger {
			start(int32(flow), 0)
		}
	}
	for len(ends) > 0 {
		last = slices.Min(slices.Collect(maps.Keys(ends)))
		ended := ends[last]
		delete(ends, last)
		for _, flow := range ended {
			if trigger := w.Flows[flow].Fires; trigger != fattree.NoTrigger {
				for _, next := range starter.Fire(trigger) {
					start(next, last)
				}
			}
		}
	}
	return last
}

// lastEnd returns the end of the last flow, or Unfinished if one did not finish.
func lastEnd(flows []fattree.FlowResult) fattree.Picoseconds {
	last := fattree.Picoseconds(0)
	for _, f := range flows {
		if f.End == fattree.Unfinished {
			return fattree.Unfinished
		}
		last = max(last, f.End)
	}
	return last
}
