package main

import (
	"repslab/ballsbins/leafspine"
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// own is the rule to compare: its name, and a function that makes it.
var own = contender{"Scoreboard", func() (transport.Balancer, error) { return new(Scoreboard), nil }}

const (
	slots = 32  // EVs that a flow remembers
	bad   = 0.5 // score from which an EV is replaced
)

// slot is an EV that a flow remembers.
type slot struct {
	ev    uint16
	score float64 // moving average of the EV's marks, in [0, 1]
}

// Scoreboard implements [transport.Balancer].
type Scoreboard struct {
	flows  [][slots]slot
	random []mc.Rand
}

// Reset gives every flow random EVs. Flow f draws from child f of the stream, so its
// draws do not depend on the packets of other flows.
func (s *Scoreboard) Reset(n *fattree.Network, random mc.Stream) {
	s.flows = make([][slots]slot, n.Flows())
	s.random = make([]mc.Rand, n.Flows())
	for f := range s.flows {
		s.random[f] = random.Child(uint64(f)).Rand()
		for i := range s.flows[f] {
			s.flows[f][i].ev = uint16(s.random[f].Below(evs))
		}
	}
}

// Traits says that it ignores RTTs, which need not be measured.
func (s *Scoreboard) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true} }

// NextEV returns the better of two remembered EVs.
func (s *Scoreboard) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	a := &s.flows[flow][s.random[flow].Below(slots)]
	b := &s.flows[flow][s.random[flow].Below(slots)]
	if b.score < a.score {
		a = b
	}
	return a.ev, true
}

// Feedback updates the score of the packet's EV, and replaces the EV if its score is bad.
func (s *Scoreboard) Feedback(f transport.Feedback) {
	for i := range s.flows[f.Flow] {
		slot := &s.flows[f.Flow][i]
		if slot.ev != f.EV {
			continue
		}
		slot.score *= 0.75
		if f.Kind != transport.Good {
			slot.score += 0.25
		}
		if slot.score > bad || f.Kind == transport.TimedOut {
			slot.ev, slot.score = uint16(s.random[f.Flow].Below(evs)), 0
		}
	}
}

// ownWithoutMarks is the rule in a network without feedback ([leafspine]): no score changes, so a packet takes the path
// of a random one of the remembered EVs, and the EVs of a host stay.
func ownWithoutMarks(p *leafspine.Process) leafspine.Chooser {
	paths := make([][slots]int, p.Hosts())
	for host := range paths {
		for i := range paths[host] {
			paths[host][i] = p.Drawn()
		}
	}
	random := p.Random()
	return func(q leafspine.Packet) int { return paths[q.Source][random.Below(slots)] }
}
