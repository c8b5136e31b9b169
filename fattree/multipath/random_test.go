package multipath

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
	"repslab/internal/recordtest"
)

// randomSpec returns a small random experiment by the rules of MRC, two in three with several planes. It
// may be invalid.
func randomSpec(rng *rand.Rand) fattree.Spec {
	s, o := nettest.RandomSpec(rng)
	s.Profile = fattree.MRC
	s.Options = transport.Options{InitialWindow: o.InitialWindow, AckRatio: o.AckRatio, InheritConnections: rng.IntN(4) == 0}
	for i := range s.Workload.Flows {
		s.Workload.Flows[i].Connection = 0
	}
	tree, isTree := s.Topology.(topology.FatTree)
	if tree = tree.WithDefaults(); isTree && tree.Tiers > 1 && rng.IntN(3) > 0 {
		planes := topology.Planes{Tree: tree, Planes: 2 + rng.IntN(3)}
		s.Topology = planes
		for i := range s.Faults {
			part := topology.Part{ToHost: rng.IntN(2) == 0, Direction: topology.Direction(rng.IntN(3))}
			s.Faults[i].Ports = planes.Ports(part, rng.IntN(planes.Planes))
		}
	}
	return s
}

// users returns balancers (some know planes, some probe, some let switches choose) and congestion
// controls.
func users(t *testing.T) (balancers []transport.Balancer, controls []transport.Control) {
	t.Helper()
	for _, known := range balance.All() {
		if known.Name == "mptcp-subflows" {
			continue
		}
		b, err := known.New(64)
		if err != nil {
			t.Fatal(err)
		}
		balancers = append(balancers, b)
	}
	return balancers, []transport.Control{&congestion.NSCC{Rules: fattree.UltraEthernet}, congestion.DCTCP{}, congestion.None{}}
}

// TestRandomNetworks: every network that can be built runs to its end without a panic, conserves packets
// (an error otherwise), gives the same result again with any number of goroutines and any blocks, and
// finishes its flows or reaches the horizon. No flow is faster than the propagation delay allows. 6
// networks, 120 with REPSLAB_LONG=1.
func TestRandomNetworks(t *testing.T) {
	balancers, controls := users(t)
	seeds := uint64(6)
	if os.Getenv("REPSLAB_LONG") != "" {
		seeds = 120
	}
	built, finished := uint64(0), uint64(0)
	for seed := range seeds {
		n, err := fattree.Build(randomSpec(rand.New(rand.NewPCG(seed, 2))))
		if err != nil || n.HasSink() {
			continue
		}
		built++
		b, c := balancers[seed%uint64(len(balancers))], controls[seed%3]
		run, err := NewRun(n)
		if err != nil {
			t.Fatal(err)
		}
		first, err := run.Execute(context.Background(), b, c, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatalf("seed %d, %T, %T: %v", seed, b, c, err)
		}
		nettest.CheckResult(t, seed, n, first)
		if first.Finished() == n.Flows() {
			finished++
		}
		for _, workers := range []int{1, 3} {
			run.Workers(workers)
			again, err := run.Execute(context.Background(), b, c, fattree.NewStreams(seed, 0))
			if err != nil || !reflect.DeepEqual(first, again) {
				t.Fatalf("seed %d, %T, %T: another run with %d goroutines differs (error %v)", seed, b, c, workers, err)
			}
			run.Trace(fattree.TraceConfig{Every: 3 * n.SlotTime()}) // a block ends with a bucket
		}
	}
	if built < seeds*2/5 || finished < built*3/4 {
		t.Errorf("%d of %d networks were built and %d of them finished", built, seeds, finished)
	}
}

// TestRecordedRuns: runs of random networks with fixed seeds, with balancers that know planes and others,
// failures of every kind, bursts and timers of connections, give the same counts and ends of flows as
// before.
func TestRecordedRuns(t *testing.T) {
	_, controls := users(t)
	balancers := strings.Fields("mrc reps mrc reps-planes mrc ops mrc bitmap mrc mixed plb switch-adaptive ecmp host-adaptive mprdma") // a new one does not change the draws
	var lines []string
	for seed := range uint64(64) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := randomSpec(rng)
		s.RetransmissionsFirst = rng.IntN(3) == 0
		s.Horizon = min(s.Horizon, 250*fattree.Microsecond)
		s.Faults = slices.DeleteFunc(s.Faults, func(f fattree.Fault) bool { return slices.Contains(f.Ports, -1) })
		transport.Change(&s, func(o *transport.Options) {
			o.RTO = fattree.Picoseconds(rng.IntN(3)) * 15 * fattree.Microsecond
			o.ConnectionTimer = rng.IntN(3) == 0
			if rng.IntN(4) == 0 {
				o.BurstOn, o.BurstOff = 3*fattree.Microsecond, 5*fattree.Microsecond
			}
		})
		n, err := fattree.Build(s)
		if err != nil || n.HasSink() {
			continue
		}
		run, err := NewRun(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := balance.New(balancers[seed%uint64(len(balancers))], 64)
		if err != nil {
			t.Fatal(err)
		}
		result, err := run.Execute(context.Background(), b, controls[seed%3], fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		lines = append(lines, fmt.Sprintf("%d %s", seed, nettest.Record(result)))
	}
	recordtest.Check(t, "runs.txt", lines)
}
