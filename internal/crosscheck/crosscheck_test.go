package crosscheck

import (
	"fmt"
	"testing"

	"repslab/ballsbins"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// begun returns a run of a one-switch network.
func begun(t *testing.T, o experiment.OneSwitch) *transport.Run {
	t.Helper()
	network, err := fattree.Build(o.Spec())
	if err != nil {
		t.Fatal(err)
	}
	return transport.NewRun(network)
}

// TestNetworkIsRecycledProcess: a one-switch network whose hosts run package reps, and the
// recycled process with its own model of the cache, have the same load in every bin after
// every round.
func TestNetworkIsRecycledProcess(t *testing.T) {
	for _, c := range []struct{ bins, threshold, delay, window, ring, rounds int }{
		{8, 9, 0, 0, 8, 2000},
		{32, 14, 0, 0, 8, 2000},
		{32, 14, 1, 0, 8, 500},
		{32, 14, 7, 0, 8, 1000},
		{32, 14, 100, 0, 8, 1000},
		{32, 25, 100, 111, 8, 2000},
		{32, 25, 100, 151, 8, 1000},
		{128, 20, 12, 40, 8, 600},
		{7, 3, 2, 5, 1, 1000},
		{13, 6, 5, 0, 32, 1000},
		{8, 1, 0, 0, 8, 2000},
		{32, 1, 7, 12, 8, 500},
	} {
		t.Run(fmt.Sprintf("n=%d/threshold=%d/delay=%d/window=%d/ring=%d", c.bins, c.threshold, c.delay, c.window, c.ring), func(t *testing.T) {
			run := begun(t, experiment.OneSwitch{Bins: c.bins, Threshold: c.threshold, Delay: c.delay, Window: c.window, Rounds: c.rounds})
			sender, err := balance.NewRecycling(balance.Paper, reps.Config{BufferSize: c.ring, EVSSize: c.bins})
			if err != nil {
				t.Fatal(err)
			}
			theory, err := recycled.New(recycled.Config{Bins: c.bins, Threshold: c.threshold, Clocking: recycled.PerFlow, Delay: c.delay, Window: c.window, Ring: c.ring})
			if err != nil {
				t.Fatal(err)
			}
			streams := fattree.NewStreams(1, 0)
			run.Begin(sender, congestion.None{}, streams)
			theory.Reset(streams.Balancer())
			for round := 1; round <= c.rounds; round++ {
				run.Step()
				theory.Step()
				for bin := range c.bins {
					if got, want := run.QueueLength(bin), theory.Load(bin); got != want {
						t.Fatalf("round %d, bin %d: the network has %d packets, the process %d balls", round, bin, got, want)
					}
				}
			}
			if theory.MaxLoad() < c.threshold {
				t.Errorf("no bin ever had more than %d balls: the test did not see a mark", theory.MaxLoad())
			}
		})
	}
}

// replay is a balancer that sends packets to the bins chosen by another process.
type replay struct {
	to []uint16
}

func (*replay) Reset(*fattree.Network, mc.Stream) {}
func (r *replay) NextEV(int32, fattree.Picoseconds) (uint16, bool) {
	ev := r.to[0]
	r.to = r.to[1:]
	return ev, false
}
func (*replay) Feedback(transport.Feedback) {}
func (*replay) Traits() transport.Traits    { return transport.Traits{} }

// TestNetworkIsBatchedProcess: a one-switch network and the batched process, choosing the
// same ports, have the same load in every bin after every round.
func TestNetworkIsBatchedProcess(t *testing.T) {
	for _, n := range []int{5, 32, 100} {
		const rounds = 2000
		theory, err := ballsbins.New(ballsbins.Config{Bins: n})
		if err != nil {
			t.Fatal(err)
		}
		theory.Reset(mc.NewStream(1, mc.Algorithm, 0))
		run := begun(t, experiment.OneSwitch{Bins: n, Threshold: 10, Rounds: rounds})
		chosen := new(replay)
		run.Begin(chosen, congestion.None{}, fattree.NewStreams(1, 0))
		before := make([]int, n)
		for round := 1; round <= rounds; round++ {
			theory.Step()
			for bin := range n {
				load := int(theory.Load(bin))
				for range load - max(0, before[bin]-1) {
					chosen.to = append(chosen.to, uint16(bin))
				}
				before[bin] = load
			}
			if len(chosen.to) != n {
				t.Fatalf("round %d: %d balls were thrown, want %d", round, len(chosen.to), n)
			}
			run.Step()
			for bin := range n {
				if got := run.QueueLength(bin); got != before[bin] {
					t.Fatalf("n = %d, round %d, bin %d: the network has %d packets, the process %d balls", n, round, bin, got, before[bin])
				}
			}
		}
	}
}
