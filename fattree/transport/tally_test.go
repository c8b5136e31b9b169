package transport

import (
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// icy is a balancer with its first two flows frozen, which reports every third EV as recycled.
type icy struct {
	uniform
	packets int
}

func (*icy) Traits() Traits { return Traits{Frozen: func(flow int32) bool { return flow < 2 }} }
func (b *icy) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	ev, _ := b.uniform.NextEV(flow, now)
	b.packets++
	return ev, b.packets%3 == 0
}

// TestTraceMatchesState: samples hold the state of ports and flows at their times, and the packets that
// ports sent since the previous sample.
func TestTraceMatchesState(t *testing.T) {
	const every = 7
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18), KMin: 1, KMax: 4}
	for i := range s.Workload.Flows {
		s.Workload.Flows[i].Start = fattree.Picoseconds(i) * 500_000
	}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(n)
	cfg := fattree.TraceConfig{Every: every*n.SlotTime() + n.SlotTime()/2}
	for id := range n.Ports() {
		cfg.Ports = append(cfg.Ports, id)
	}
	for flow := range n.Flows() {
		cfg.Flows = append(cfg.Flows, flow)
	}
	r.Trace(cfg)
	b := new(icy)
	r.Begin(b, shrinking{}, fattree.NewStreams(1, 0))
	hops, recycled := int64(0), int64(0)
	for r.Unfinished() > 0 {
		r.Step()
		samples := r.Samples()
		if want := int(r.Slot() / every); len(samples) != want {
			t.Fatalf("%d samples after %d slots, want %d", len(samples), r.Slot(), want)
		}
		now, err := r.Result()
		if err != nil {
			t.Fatalf("slot %d: %v", r.Slot(), err)
		}
		if r.Slot()%every != 0 {
			continue
		}
		last := samples[len(samples)-1]
		hops, recycled = hops+sumOf(last.Packets), recycled+last.Recycled
		if hops != now.PacketHops || recycled != int64(b.packets/3) || last.Time != fattree.Picoseconds(r.Slot())*n.SlotTime() {
			t.Fatalf("slot %d: %d packets left ports, %d recycled, at %d ps; want %d, %d", r.Slot(), hops, recycled, last.Time, now.PacketHops, b.packets/3)
		}
		for id, queue := range last.Queue {
			if int(queue) != r.QueueLength(id) {
				t.Fatalf("slot %d: queue of port %d is %d, want %d", r.Slot(), id, queue, r.QueueLength(id))
			}
		}
		frozen := 0
		for flow, window := range last.Window {
			if window != r.hosts.(*flows).senders[flow].window.Packets {
				t.Fatalf("slot %d: window of flow %d is %v", r.Slot(), flow, window)
			}
			if flow < 2 && window > 0 {
				frozen++
			}
		}
		if last.Frozen != frozen {
			t.Fatalf("slot %d: %d flows are frozen, want %d", r.Slot(), last.Frozen, frozen)
		}
	}
	r.Trace(fattree.TraceConfig{})
	if r.Samples() != nil {
		t.Error("samples without a trace")
	}
}

// sumOf adds up.
func sumOf(list []int64) (sum int64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
