package transport

import (
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// slotParts is the number of parts of a slot in [fattree.Passing].At.
const slotParts = 1 << 20

// looking routes everything to port 0 and notes the queue that each packet meets there.
type looking struct {
	uniform
	t        *testing.T
	last     fattree.Passing
	waiting  int
	together int // packets that arrived in the same slot as the previous packet
}

func (l *looking) Traits() Traits { return Traits{Router: l} }

func (l *looking) Route(p fattree.Passing, ports fattree.Ports) (int, bool) {
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
	if p.At/slotParts == l.last.At/slotParts {
		l.together++
		// The packet in service may end between the two.
		if waiting != l.waiting+1 && (p.At == l.last.At || waiting != l.waiting) {
			l.t.Errorf("at %d %d packets, at %d %d", l.last.At, l.waiting, p.At, waiting)
		}
	} else if slots := int(p.At/slotParts - l.last.At/slotParts); waiting < l.waiting+1-slots-1 || waiting > l.waiting+1 {
		l.t.Errorf("%d slots later %d packets after %d", slots, waiting, l.waiting)
	}
	l.last, l.waiting = p, waiting
	return 0, true
}

// TestRouterSeesQueues: a Router gets the packets of a slot in order of time, and each packet meets one
// packet more than the previous one.
func TestRouterSeesQueues(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16, HostsPerToR: 4}, Workload: nettest.Tornado(16, 1<<19), Queue: 1000}
	l := &looking{t: t}
	execute(t, s, l, steady{})
	if l.together < 100 {
		t.Errorf("%d packets arrived together, too few to tell", l.together)
	}
}

// TestCarriedEVs: a balancer gets feedback about every packet once if ACKs carry EVs, and about one
// packet in four otherwise.
func TestCarriedEVs(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16, HostsPerToR: 4}, Workload: nettest.Tornado(16, 1<<20), Options: Options{AckRatio: 4}, KMin: 1 << 20, KMax: 1 << 20}
	for _, carry := range []bool{false, true} {
		Change(&s, func(o *Options) { o.CarryEVs = carry })
		b := new(uniform)
		result := execute(t, s, b, steady{})
		// Flows get no feedback about packets still in flight when they end.
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

func (p *prober) Traits() Traits { return Traits{Probe: p.Probe} }
func (p *prober) Probe(flow int32, _ fattree.Picoseconds) (uint16, bool) {
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

// TestProbe: a probe comes back after the way there and back, unless a link of its path has failed.
func TestProbe(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 8, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 7, 1<<20)}}}
	alive := new(prober)
	execute(t, s, alive, steady{})
	if len(alive.back) != 1 || alive.back[0].EV != 5 || alive.back[0].Now < 16_000_000 {
		t.Fatalf("probes back: %v, want one of EV 5 after two round trips", alive.back)
	}
	lost := 0
	for uplink := range 4 {
		s.Faults = []fattree.Fault{{Ports: nettest.Cable(s.Topology, 0, uplink)}}
		p := new(prober)
		execute(t, s, p, steady{})
		if len(p.back) == 0 {
			lost++
		}
	}
	if lost < 1 || lost > 2 { // the uplink on the way there, and the uplink on the way back if it is another
		t.Errorf("the probe is lost with %d of 4 dead cables, want 1 or 2", lost)
	}
}
