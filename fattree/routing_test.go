package fattree

import (
	"math"
	"testing"

	"repslab/mc"
)

// looking routes everything to port 0 and notes the queue that packets see there.
type looking struct {
	uniform
	t        *testing.T
	last     Passing
	waiting  int
	together int // packets that arrived in the slot of the one before
}

func (l *looking) Route(p Passing, ports Ports) (int, bool) {
	if p.Header || p.Switch != 0 {
		return 0, true
	}
	waiting, capacity := ports.Queue(0, p)
	if capacity != 1000 {
		l.t.Errorf("a queue of %v packets, want 1000", capacity)
	}
	if p.At < l.last.At {
		l.t.Errorf("a packet arrives at %d, after one at %d", p.At, l.last.At)
	}
	if p.At/oneSlot == l.last.At/oneSlot {
		l.together++
		// The packet in service may end between the two.
		if waiting != l.waiting+1 && (p.At == l.last.At || waiting != l.waiting) {
			l.t.Errorf("at %d %d packets, at %d %d", l.last.At, l.waiting, p.At, waiting)
		}
	} else if slots := int(p.At/oneSlot - l.last.At/oneSlot); waiting < l.waiting+1-slots-1 || waiting > l.waiting+1 {
		l.t.Errorf("%d slots later %d packets after %d", slots, waiting, l.waiting)
	}
	l.last, l.waiting = p, waiting
	return 0, true
}

// TestRouterSeesQueues: a Router meets the packets of a slot in order of time, and each sees one
// packet more than the one before it.
func TestRouterSeesQueues(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 16, HostsPerToR: 4}, Workload: tornado(16, 1<<19), Queue: 1000}
	l := &looking{t: t}
	execute(t, s, l, steady{})
	if l.together < 100 {
		t.Errorf("%d packets arrived together, too few to tell", l.together)
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

// TestMixInIsUniform: each of the 24 orders of four elements is equally likely, if two are mixed into two
// others and if a list is mixed into its own memory. A count is Binomial(24000, 1/24), so at z = 6.8 a false
// alarm in one of the 48 has a rate of 48 * 1.05e-11 < 1e-9. An order that is 30 % too rare or too frequent
// is seen in 99.9 % of seeds.
func TestMixInIsUniform(t *testing.T) {
	const draws, orders, z = 24_000, 24, 6.8
	for name, mixed := range map[string]func(random *mc.Rand) []int32{
		"in pairs": func(random *mc.Rand) []int32 {
			return mixIn(mixIn(nil, []int32{0, 1}, random), []int32{2, 3}, random)
		},
		"in place": func(random *mc.Rand) []int32 {
			list := []int32{0, 1, 2, 3}
			return mixIn(list[:0], list, random)
		},
	} {
		random, counts := mc.NewStream(1, mc.Algorithm, 0).Rand(), map[[4]int32]int{}
		for range draws {
			counts[[4]int32(mixed(&random))]++
		}
		if len(counts) != orders {
			t.Errorf("%s: %d orders, want %d", name, len(counts), orders)
		}
		const mean = float64(draws) / orders
		slack := z * math.Sqrt(mean*(1-1.0/orders))
		for order, count := range counts {
			if math.Abs(float64(count)-mean) > slack {
				t.Errorf("%s: order %v: %d times, want %.0f within %.0f", name, order, count, mean, slack)
			}
		}
	}
}
