package main

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// exploring gives every packet of an exploration a random EV.
type exploring struct {
	transport.Balancer
	flows []exploration
}

// exploration is the state of a flow.
type exploration struct {
	random mc.Rand
	frozen bool
	left   int // packets left in the exploration
	window int
}

// Reset implements [transport.Balancer].
func (b *exploring) Reset(n *fattree.Network, random mc.Stream) {
	b.Balancer.Reset(n, random)
	b.flows = make([]exploration, n.Flows())
	for f := range b.flows {
		draw := random.Child(1).Child(uint64(f)).Rand()
		b.flows[f] = exploration{random: draw, window: int(n.BDP(int32(f)))}
	}
}

// Feedback begins an exploration when freezing mode ends.
func (b *exploring) Feedback(f transport.Feedback) {
	b.Balancer.Feedback(f)
	flow, frozen := &b.flows[f.Flow], b.Balancer.Traits().Frozen(f.Flow)
	if flow.frozen && !frozen {
		flow.left = flow.window
	}
	flow.frozen = frozen
}

// NextEV implements [transport.Balancer].
func (b *exploring) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flows[flow]
	if f.left == 0 {
		return b.Balancer.NextEV(flow, now)
	}
	f.left--
	return uint16(f.random.Below(evs)), false
}

// inOrder treats a packet that overtakes another packet as if it had a mark.
type inOrder struct {
	transport.Balancer
	sent [][]uint16 // by flow: EVs of the packets not answered yet, the oldest first
}

// Reset implements [transport.Balancer].
func (b *inOrder) Reset(n *fattree.Network, random mc.Stream) {
	b.Balancer.Reset(n, random)
	b.sent = make([][]uint16, n.Flows())
}

// NextEV implements [transport.Balancer].
func (b *inOrder) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, recycled = b.Balancer.NextEV(flow, now)
	b.sent[flow] = append(b.sent[flow], ev)
	return ev, recycled
}

// Feedback implements [transport.Balancer].
func (b *inOrder) Feedback(f transport.Feedback) {
	if i := slices.Index(b.sent[f.Flow], f.EV); i >= 0 {
		b.sent[f.Flow] = slices.Delete(b.sent[f.Flow], i, i+1)
		if i > 0 && f.Kind == transport.Good {
			f.Kind = transport.Marked
		}
	}
	b.Balancer.Feedback(f)
}

// onePathBack makes switches hash all headers of a flow to the same port.
type onePathBack struct{ transport.Balancer }

// Traits returns the traits of the balancer, with switches that choose ports.
func (b onePathBack) Traits() transport.Traits {
	t := b.Balancer.Traits()
	t.Router = b
	return t
}

// Route implements [fattree.Router].
func (onePathBack) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if !p.Header {
		return 0, false
	}
	p.EV = 0
	return ports.Hashed(p), true
}
