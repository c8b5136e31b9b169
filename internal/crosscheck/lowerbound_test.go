package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/reps"
)

// randomTree returns a random tree of at most 64 hosts; half of them have links of
// different rates.
func randomTree(r *rand.Rand) topology.FatTree {
	t := topology.FatTree{Tiers: 2 + r.IntN(2), HostsPerToR: 1 + r.IntN(4), UplinksPerToR: 1 + r.IntN(4), ToRsPerPod: 1 + r.IntN(3), UplinksPerAgg: 1 + r.IntN(3)}
	t.Hosts = t.HostsPerToR * t.ToRsPerPod * (2 + r.IntN(3))
	if r.IntN(2) == 0 {
		for _, link := range []*fattree.Link{&t.Access, &t.Fabric, &t.Core} {
			link.Gbps = 50 * math.Exp2(float64(r.IntN(4)))
		}
	}
	return t
}

// randomPattern returns a workload of equal messages that start together.
func randomPattern(t *testing.T, r *rand.Rand, tree topology.FatTree) fattree.Workload {
	m := traffic.Message{Bytes: 1 + r.Int64N(1<<19)}
	hosts := tree.Hosts
	var w fattree.Workload
	var err error
	switch r.IntN(4) {
	case 0:
		w, err = traffic.Permutation(hosts, m, r)
	case 1:
		w, err = traffic.Tornado(hosts, m)
	case 2:
		w, err = traffic.Incast(hosts, 1+r.IntN(hosts-hosts/2), m)
	default:
		w, err = traffic.OneToR(tree, m)
	}
	return must(t, w, err)
}

// TestFluidIdealIsALowerBound: in random trees no flow is faster than on an idle network,
// and the last of equal flows does not end before the fluid ideal. The packet model rounds
// latencies to whole slots, so a slot is allowed per link, there and back.
func TestFluidIdealIsALowerBound(t *testing.T) {
	const cases = 150
	random := rand.New(rand.NewPCG(5, 6))
	tight := 0
	for i := range cases {
		tree := randomTree(random)
		spec := fattree.Spec{Topology: tree, Workload: randomPattern(t, random, tree), DisableTrimming: random.IntN(2) == 0, Queue: 8 << random.IntN(5), Options: transport.Options{AckRatio: 1 << random.IntN(4)}}
		evs := 1 << random.IntN(17)
		balancer := []transport.Balancer{pinnedFlows(t, evs), sprayed(t, evs), recycledBy(t, balance.Paper, evs), recycledBy(t, balance.FIFO, evs)}[random.IntN(4)]
		control := []transport.Control{congestion.DCTCP{}, congestion.None{}}[random.IntN(2)]
		name := fmt.Sprintf("case %d: %+v, %d flows of %d B, %T %d, %T", i, tree, len(spec.Workload.Flows), spec.Workload.Flows[0].Bytes, balancer, evs, control)
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		result, err := transport.NewRun(n).Execute(context.Background(), balancer, control, fattree.NewStreams(7, uint64(i)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ideal, err := fluid.Ideal(fluid.Config{Topology: tree, Workload: spec.Workload})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slack := 12 * n.SlotTime()
		for f, flow := range result.Flows {
			if alone := n.Unloaded(int32(f)); flow.End != fattree.Unfinished && flow.FCT() < alone-slack {
				t.Errorf("%s: flow %d takes %d ps, alone %d", name, f, flow.FCT(), alone)
			}
		}
		end, finished := result.LastEnd()
		best, _ := ideal.LastEnd()
		if finished && end < best-slack {
			t.Errorf("%s: the last flow ends at %d ps, ideally at %d", name, end, best)
		}
		if finished && float64(end) < 1.1*float64(best) {
			tight++
		}
	}
	// The bound is useful only if runs come close to it.
	if tight < cases/4 {
		t.Errorf("only %d of %d runs come within 10 %% of the ideal", tight, cases)
	}
}

// sprayed, pinnedFlows and recycledBy return balancers; their parameters are valid.
func sprayed(t testing.TB, evs int) transport.Balancer {
	b, err := balance.NewSpraying(evs)
	return must(t, b, err)
}

func pinnedFlows(t testing.TB, evs int) transport.Balancer {
	b, err := balance.NewECMP(evs)
	return must(t, b, err)
}

func recycledBy(t testing.TB, rules balance.Rules, evs int) transport.Balancer {
	b, err := balance.NewRecycling(rules, reps.Config{EVSSize: evs})
	return must(t, b, err)
}
