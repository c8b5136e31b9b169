package multipath

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// heard is a congestion control that keeps what it and an ears learn. Each ACK adds half a packet to the
// window.
type heard struct {
	congestion.None
	acks     []transport.Acknowledgement
	losses   []transport.Loss
	feedback []transport.Feedback
}

func (h *heard) Acknowledge(w *transport.Window, a transport.Acknowledgement) {
	h.acks = append(h.acks, a)
	w.Packets += 0.5
}

func (h *heard) Lose(_ *transport.Window, l transport.Loss) { h.losses = append(h.losses, l) }

// ears is a balancer with the EV 7 that tells a heard what it learns.
type ears struct {
	recorder
	heard *heard
}

func (e *ears) Feedback(f transport.Feedback)                    { e.heard.feedback = append(e.heard.feedback, f) }
func (e *ears) NextEV(int32, fattree.Picoseconds) (uint16, bool) { return 7, false }

// TestWhatIsLearnt: what the control and the balancer learn from a SACK, a NACK and the answer to a
// reliability probe, of a flow with a window of 20.5 packets at most and 10 packets in flight, 100 slots
// after they left.
func TestWhatIsLearnt(t *testing.T) {
	n := build(t, fattree.Spec{
		Topology: topology.FatTree{Hosts: 16, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 9, 1<<20)}},
		Options: transport.Options{InitialWindow: 20, AckRatio: 2}, // so that SACKs have reports
	})
	const slot, window = 83_000, 20
	for name, c := range map[string]struct {
		do       func(h *hosts)
		ack      *transport.Acknowledgement
		loss     *transport.Loss
		feedback *transport.Feedback
		timeouts uint8 // of packet 3, which had 2
	}{
		"a SACK": {
			func(h *hosts) { h.receiveSack(fattree.Crossing{Packet: fattree.NewPacket(0, 3, 7)}) },
			&transport.Acknowledgement{Packets: 1, RTT: 100 * slot, InFlight: 9}, nil,
			&transport.Feedback{EV: 7, Kind: transport.Good, RTT: 100 * slot, Grown: 0.5, Room: window + 0.5 - 9}, 2,
		},
		"a SACK of an earlier transmission, with a mark": {
			func(h *hosts) { h.receiveSack(fattree.Crossing{Packet: fattree.NewPacket(0, 3, 8) | fattree.MarkBit}) },
			&transport.Acknowledgement{Packets: 1, Marked: true, RTT: 100 * slot, Unclear: true, InFlight: 9}, nil,
			&transport.Feedback{EV: 8, Kind: transport.Marked, RTT: 100 * slot, Grown: 0.5, Room: window + 0.5 - 9}, 2,
		},
		"a NACK": {
			func(h *hosts) { h.receiveNack(fattree.NewPacket(0, 3, 7), 0) }, nil,
			&transport.Loss{Kind: transport.Nacked, RTT: 100 * slot, InFlight: 9}, &transport.Feedback{EV: 7, Kind: transport.Nacked, RTT: 100 * slot}, 0,
		},
		"a NACK from the last hop": {
			func(h *hosts) { h.receiveNack(fattree.NewPacket(0, 3, 7), fattree.LastHop) }, nil,
			&transport.Loss{Kind: transport.Nacked, RTT: 100 * slot, LastHop: true, InFlight: 9}, &transport.Feedback{EV: 7, Kind: transport.Good, RTT: 100 * slot}, 0,
		},
		"a NACK of an earlier transmission": {func(h *hosts) { h.receiveNack(fattree.NewPacket(0, 3, 8), 0) }, nil, nil, nil, 2},
		"a packet has arrived": {
			func(h *hosts) { h.receiveAnswer(fattree.NewPacket(0, 3, 7), arrived, 0) },
			&transport.Acknowledgement{Packets: 1, RTT: 100 * slot, Unclear: true, InFlight: 9}, nil, nil, 2,
		},
		"a packet is missing, and two others have arrived": {
			func(h *hosts) { h.receiveAnswer(fattree.NewPacket(0, 3, 7), missing, 2) },
			&transport.Acknowledgement{Packets: 2, RTT: 100 * slot, Unclear: true, InFlight: 8}, nil, nil, 2,
		},
		"nothing new": {func(h *hosts) { h.receiveAnswer(fattree.NewPacket(0, 3, 7), missing, 0) }, nil, nil, nil, 2},
	} {
		told := new(heard)
		state := newFlows(n)
		run := transport.NewRunBy(n, state)
		run.Begin(&ears{heard: told}, told, fattree.NewStreams(1, 0))
		f, h := &state.senders[0], state.tiles[0]
		for f.next < 10 {
			run.Step()
		}
		f.inFlight = 10
		for psn := range f.sent[:10] {
			f.sent[psn] = transmission{slot: h.Slot - 100, ev: 7, timeouts: 2}
		}
		f.window.Packets, h.Now = window, fattree.Picoseconds(h.Slot)*slot
		told.acks, told.losses, told.feedback = nil, nil, nil
		c.do(h)
		told.check(t, name, h.Now, c.ack, c.loss, c.feedback)
		if got := f.sent[3].timeouts; got != c.timeouts {
			t.Errorf("%s: %d time-outs of the packet, want %d", name, got, c.timeouts)
		}
	}
}

// check fails the test unless the control and the balancer have learnt, at a time, what is not nil, and nothing else.
func (h *heard) check(t *testing.T, name string, now fattree.Picoseconds, ack *transport.Acknowledgement, loss *transport.Loss, feedback *transport.Feedback) {
	t.Helper()
	if len(h.acks) != count(ack) || len(h.losses) != count(loss) || len(h.feedback) != count(feedback) {
		t.Errorf("%s: %d ACKs, %d losses, %d pieces of feedback, want %d, %d, %d", name, len(h.acks), len(h.losses), len(h.feedback), count(ack), count(loss), count(feedback))
		return
	}
	if ack != nil {
		if ack.Now = now; h.acks[0] != *ack {
			t.Errorf("%s: %+v, want %+v", name, h.acks[0], *ack)
		}
	}
	if loss != nil {
		if loss.Now = now; h.losses[0] != *loss {
			t.Errorf("%s: %+v, want %+v", name, h.losses[0], *loss)
		}
	}
	if feedback != nil {
		got := h.feedback[0]
		if feedback.Now = now; math.Abs(got.Room-feedback.Room) > 1e-9 || got.Kind != feedback.Kind || got.EV != feedback.EV || got.RTT != feedback.RTT || got.Grown != feedback.Grown {
			t.Errorf("%s: %+v, want %+v", name, got, *feedback)
		}
	}
}

// count returns 1 unless p is nil.
func count[T any](p *T) int {
	if p == nil {
		return 0
	}
	return 1
}

// TestMaySend: a flow sends what fits into its window: lost packets, and new ones fewer than 255 times 128 beyond the
// first that the receiver lacks.
func TestMaySend(t *testing.T) {
	const beyond = 255 * 128
	for _, c := range []struct {
		f    sender
		want bool
	}{
		{sender{window: transport.Window{Packets: 5}, inFlight: 4, next: 9, total: 10}, true}, {sender{window: transport.Window{Packets: 5}, inFlight: 5, next: 9, total: 10}, false},
		{sender{window: transport.Window{Packets: 5}, next: 10, total: 10}, false}, {sender{window: transport.Window{Packets: 5}, next: 10, total: 10, lost: 1}, true},
		{sender{window: transport.Window{Packets: 5}, next: 7 + beyond - 1, complete: 7, total: 1 << 20}, true}, {sender{window: transport.Window{Packets: 5}, next: 7 + beyond, complete: 7, total: 1 << 20}, false},
		{sender{window: transport.Window{Packets: 5}, next: 7 + beyond, complete: 7, total: 1 << 20, lost: 1}, true}, {sender{window: transport.Window{Packets: 5.5}, inFlight: 5, next: 9, total: 10}, true},
	} {
		if got := c.f.maySend(); got != c.want {
			t.Errorf("%+v may send: %v", c.f, got)
		}
	}
}

// TestInTurnHidesPlanes: a balancer that knows no planes learns the place of an EV within its plane, and the planes
// with free and working links take turns.
func TestInTurnHidesPlanes(t *testing.T) {
	n := build(t, fattree.Spec{
		Topology: topology.Planes{Tree: topology.FatTree{Hosts: 16, HostsPerToR: 4}, Planes: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 9, 1)}},
	})
	told, evs := new(heard), uint16(transport.PlaneEVs(4))
	b := newInTurn(&ears{heard: told}, n)
	b.Reset(n, fattree.NewStreams(1, 0).Balancer())
	for plane := range uint16(4) {
		b.Feedback(transport.Feedback{EV: plane*evs + 5})
		if got := told.feedback[plane].EV; got != 5 {
			t.Errorf("the balancer learns of EV %d of plane %d", got, plane)
		}
	}
	b.Ports(0, 0b1011)
	for i, c := range []struct{ free, plane uint16 }{{15, 0}, {15, 1}, {15, 3}, {15, 0}, {0b1001, 3}, {0b0111, 0}, {0b0001, 0}, {0b1110, 1}, {0b0100, 9}} {
		ev, _, ok := b.NextPath(0, c.free, 0)
		if ok != (c.plane < 9) || ok && ev != c.plane*evs+7 {
			t.Errorf("turn %d with links %b free: EV %d of plane %d, want plane %d", i, c.free, ev%evs, ev/evs, c.plane)
		}
	}
}

// TestLastAck: the ACK of a flow's last packet, which is short, is not the last one that bounds the flow's end.
func TestLastAck(t *testing.T) {
	n := build(t, fattree.Spec{
		Topology: topology.FatTree{Hosts: 16, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 9, 4*4086)}},
	})
	state := newFlows(n)
	run := transport.NewRunBy(n, state)
	run.Begin(newMRC(t), congestion.None{}, fattree.NewStreams(1, 0))
	f, h := &state.senders[0], state.tiles[0]
	for f.next < 4 {
		run.Step()
	}
	for _, c := range []struct{ psn, complete, lastAck int32 }{{3, 0, 0}, {1, 0, h.Slot}, {0, 2, h.Slot}} {
		h.receiveSack(fattree.Crossing{Packet: fattree.NewPacket(0, c.psn, f.sent[c.psn].ev)})
		if f.lastAck != c.lastAck || f.complete != c.complete {
			t.Errorf("after the ACK of packet %d of 4: last ACK in slot %d, %d packets without a gap, want %d and %d", c.psn, f.lastAck, f.complete, c.lastAck, c.complete)
		}
	}
}

// TestInTurnBeginsWithAllPlanes: until a flow hears of ports that do not work, all planes take turns, from the first
// on.
func TestInTurnBeginsWithAllPlanes(t *testing.T) {
	n := build(t, fattree.Spec{
		Topology: topology.Planes{Tree: topology.FatTree{Hosts: 16, HostsPerToR: 4}, Planes: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 9, 1)}},
	})
	b := newInTurn(&ears{heard: new(heard)}, n)
	b.Reset(n, fattree.NewStreams(1, 0).Balancer())
	for turn := range uint16(8) {
		if ev, _, ok := b.NextPath(0, 15, 0); !ok || ev/uint16(transport.PlaneEVs(4)) != turn%4 {
			t.Errorf("turn %d: EV %d (%v)", turn, ev, ok)
		}
	}
}
