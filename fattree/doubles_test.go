package fattree

import (
	"context"
	"testing"
)

// burst is a Transport in which flows send all their packets at the rate of the host's link, each with
// the next EV, without a window. Receivers answer each packet. Trimmed and answered packets count as
// done.
type burst struct {
	net  *Network
	left []int32 // by flow: packets without an answer
}

func (b *burst) Attach(e *Edge) Hosts {
	b.net = e.Network()
	return &burstHosts{burst: b, Edge: e}
}

func (b *burst) Begin(Streams) Needs {
	b.left = make([]int32, b.net.Flows())
	for flow := range b.left {
		b.left[flow] = int32(b.net.Packets(int32(flow)))
	}
	return Needs{}
}

// burstHosts are the hosts of a tile.
type burstHosts struct {
	*burst
	*Edge
	flows []int32 // flows that send
	next  []int32 // next packet of each of these flows
}

func (h *burstHosts) Start(flow, _ int32) { h.flows, h.next = append(h.flows, flow), append(h.next, 0) }

func (h *burstHosts) Due() int32 {
	if len(h.flows) > 0 {
		return 0
	}
	return Never
}

func (h *burstHosts) Receive(packets []Crossing) {
	for _, c := range packets {
		h.SendHeader(NewHeader(c.Packet, 0, c.Phase()), false)
	}
}

func (h *burstHosts) Step(headers []Crossing) {
	for _, c := range headers {
		flow := c.Packet.Flow()
		if c.Packet.Outward() {
			h.SendHeader(NewHeader(c.Packet.As(Answer), 0, c.Phase()), false)
		} else if h.left[flow]--; h.left[flow] == 0 {
			h.Finish(flow, h.Now)
		}
	}
	if len(h.flows) == 0 {
		return
	}
	flow, psn := h.flows[0], h.next[0]
	source, _ := h.net.Pair(flow)
	if h.SpendSlot(int32(source) - h.First) {
		return
	}
	h.Sent++
	h.Send(int32(source)-h.First, NewPacket(flow, psn, uint16(psn)), 0)
	if h.next[0]++; h.next[0] == int32(h.net.Packets(flow)) {
		h.flows, h.next = h.flows[1:], h.next[1:]
	}
}

// message is a flow that starts at 0.
func message(source, destination int, bytes int64) Flow {
	return NewFlow(Host(source), Host(destination), bytes, 0)
}

// tornado sends a message from every host to the one half-way round.
func tornado(hosts int, bytes int64) Workload {
	var w Workload
	for i := range hosts {
		w.Flows = append(w.Flows, message(i, (i+hosts/2)%hosts, bytes))
	}
	return w
}

// execute runs a spec once.
func execute(t *testing.T, s Spec) *Result {
	t.Helper()
	n, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := n.NewRun(new(burst)).Execute(context.Background(), NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}
