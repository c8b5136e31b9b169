package fattree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/mc"
)

// inOrder is a Router that leaves the choice to the hash.
type inOrder struct{ Balancer }

func (inOrder) Route(Passing, Ports) (int, bool) { return 0, false }

// TestChooseSortsByPhase: a Router sees arrivals by phase, equal ones in their random order.
func TestChooseSortsByPhase(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	sw := &n.NewRun().tiles[0]
	sw.Run.router = inOrder{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []crossing
		for i := range rng.IntN(300) {
			phase := uint32([]int{0, 1, 15, rng.IntN(1 << 10)}[rng.IntN(4)])
			list = append(list, crossing{newPacket(0, int32(i), 0), 0, phase})
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b crossing) int { return int(a.phase()) - int(b.phase()) })
		sw.choose(list, false)
		for i := range list {
			if list[i].packet != want[i].packet || list[i].phase() != want[i].phase() {
				t.Fatalf("%d arrivals are out of order", len(list))
			}
		}
	}
}

// TestCarriedEVs: a balancer hears of every packet once if ACKs carry EVs, and of
// about one in four if they do not.
func TestCarriedEVs(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 16, HostsPerToR: 4}, Workload: tornado(16, 1<<20), AckRatio: 4, KMin: 1 << 20, KMax: 1 << 20}
	for _, carry := range []bool{false, true} {
		s.CarryEVs = carry
		b := new(uniform)
		result := execute(t, s, b, steady{})
		// Flows hear nothing of what is still on its way when they end.
		heard, most := int64(b.counts[Good]), result.Delivered
		least := most - int64(len(s.Workload.Flows))*4
		if !carry {
			least, most = most/4, most/2
		}
		if heard < least || heard > most {
			t.Errorf("carry %v: heard of %d packets, want %d to %d", carry, heard, least, most)
		}
	}
}

// prober wants one probe of EV 5 for flow 0.
type prober struct {
	uniform
	asked bool
	back  []Feedback
}

func (*prober) Probes() bool { return true }
func (p *prober) Probe(flow int32, _ Picoseconds) (uint16, bool) {
	wanted := flow == 0 && !p.asked
	p.asked = p.asked || wanted
	return 5, wanted
}
func (p *prober) Feedback(f Feedback) {
	if f.Kind == Probed {
		p.back = append(p.back, f)
		return
	}
	p.uniform.Feedback(f)
}

// TestProbe: a probe comes back after two ways through the network, unless a link
// of its path is dead.
func TestProbe(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 8, HostsPerToR: 4}, Workload: Workload{Flows: []Flow{message(0, 7, 1<<20)}}}
	alive := new(prober)
	execute(t, s, alive, steady{})
	if len(alive.back) != 1 || alive.back[0].EV != 5 || alive.back[0].Now < 16_000_000 {
		t.Fatalf("probes back: %v, want one of EV 5 after two round trips", alive.back)
	}
	lost := 0
	for uplink := range 4 {
		s.Faults = []Fault{{Ports: cable(s.Topology, 0, uplink)}}
		p := new(prober)
		execute(t, s, p, steady{})
		if len(p.back) == 0 {
			lost++
		}
	}
	if lost < 1 || lost > 2 { // the uplink there, and the one on the way back where it is another
		t.Errorf("the probe is lost with %d of 4 dead cables, want 1 or 2", lost)
	}
}

// TestInsertIsUniform: each of the 24 orders of four inserted elements is equally likely.
// A count is Binomial(24000, 1/24), so at z = 6.8 a false alarm in one of the 24 has a
// rate of 24 * 1.05e-11 < 1e-9. An order that is 30 % too rare or too frequent is seen
// in 99.9 % of seeds.
func TestInsertIsUniform(t *testing.T) {
	const draws, orders, z = 24_000, 24, 6.8
	random := mc.NewStream(1, mc.Algorithm, 0).Rand()
	counts := map[[4]int32]int{}
	for range draws {
		var list []int32
		for i := range int32(4) {
			list = insert(list, i, &random)
		}
		counts[[4]int32(list)]++
	}
	if len(counts) != orders {
		t.Errorf("%d orders, want %d", len(counts), orders)
	}
	const mean = float64(draws) / orders
	slack := z * math.Sqrt(mean*(1-1.0/orders))
	for order, count := range counts {
		if math.Abs(float64(count)-mean) > slack {
			t.Errorf("order %v: %d times, want %.0f within %.0f", order, count, mean, slack)
		}
	}
}
