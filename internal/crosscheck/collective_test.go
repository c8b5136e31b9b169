package crosscheck

import (
	"context"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// TestCollectivesOnAnIdleNetwork: where no two flows of a collective share a
// host's link in one direction, OPS and REPS take what the dependencies and the
// fluid ideal say: its end is a lower bound, exceeded by the 64/4150 = 1.5 % of
// the ACKs, which the ideal does not count, and by the queue of each step, in all
// at most 7 %. For the ring and the butterfly the ideal is a closed form as well:
// the steps in a row, each as long as a flow alone between ToRs, or less inside.
func TestCollectivesOnAnIdleNetwork(t *testing.T) {
	const most = 0.07
	topology := fattree.Topology{Hosts: 64}.WithDefaults()
	const ringBytes, butterflyBytes, pairBytes = 1_000_000, 2_000_000, 200_000
	ring, ringErr := traffic.RingAllreduce(64, 16, traffic.Message{Bytes: ringBytes}, mc.NewStream(1, mc.Workload, 0).Source())
	butterfly, butterflyErr := traffic.ButterflyAllreduce(64, traffic.Message{Bytes: butterflyBytes})
	exchange, exchangeErr := traffic.AllToAll(64, 1, traffic.Message{Bytes: pairBytes, Start: 1_000_000}, mc.NewStream(1, mc.Workload, 0).Source())
	for _, c := range []struct {
		name  string
		w     fattree.Workload
		err   error
		steps int // in a row, each of one flow; 0 if the exchange's hosts share
	}{
		{"ring", ring, ringErr, 31},
		{"butterfly", butterfly, butterflyErr, 6},
		{"alltoall", exchange, exchangeErr, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := must(t, c.w, c.err)
			ideal, err := fluid.Ideal(fluid.Config{Topology: topology, Workload: w})
			lowest := slices.Max(must(t, ideal, err).End)
			network, err := fattree.Build(fattree.Spec{Topology: topology, Workload: w})
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
			for name, balancer := range map[string]fattree.Balancer{"ops": sprayed(t, 65536), "reps": recycledBy(t, "paper", 65536)} {
				result, err := network.NewRun().Execute(context.Background(), balancer, congestion.DCTCP{}, fattree.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				end := lastEnd(result.Flows)
				if excess := float64(end)/float64(lowest) - 1; end < lowest-network.SlotTime()*64 || excess > most {
					t.Errorf("%s ends after %d ps, ideal %d ps: %+.2f %%, want at most %g %%", name, end, lowest, 100*excess, 100*most)
				} else {
					t.Logf("%s ends after %d ps, ideal %d ps: %+.2f %%", name, end, lowest, 100*excess)
				}
			}
		})
	}
}

// lastEnd returns when the last of flows that all finished ended.
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
