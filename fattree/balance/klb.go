package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/evset"
	"repslab/mc"
)

// Sizes of a set of active EVs.
const (
	DefaultActive = 8   // in [All]: the best of [ecn-sweep] for 16 paths
	MaxActive     = 128 // the largest of [ecn-sweep]
)

// klb is the balancer of [NewKLB] and [NewHKLB].
type klb struct {
	rule        evset.Rule
	evs, active int
	sets        evset.Sets
	draw        []mc.Rand // by flow
}

// NewKLB returns a balancer that sends the packets of a flow on K active EVs in turn, K = active in [1, MaxActive], out
// of the EVs 0 to evs-1, evs in [1, MaxEVS]. The set starts with uniform EVs, all different. A mark replaces its EV, if
// the set still has it, with probability (K-1)/K, or always: by a uniform EV that no other slot holds, the marked one
// included. NACKs and time-outs change nothing. If K is above evs, the EVs beyond are uniform, so that some come twice,
// and so is each EV that replaces one.
//
// The rules are KLB of [ecn-sweep]; those that always replace are the senders of its SKLB, where switches protect the
// flows that they know. Its text leaves open what a mark does if no other EV is left; this follows its code.
func NewKLB(evs, active int, always bool) (transport.Balancer, error) {
	return newKLB(evs, active, evset.Rule{Always: always})
}

// NewHKLB returns a balancer as [NewKLB] that starts with an empty set and sends uniform EVs while the set is not full.
// An EV joins the set when it is acknowledged without a mark. It leaves the set with probability (K-1)/K after a mark,
// and always after a NACK or a time-out, which under [fattree.UltraEthernet] is reported for EV 0. K is at most evs.
// The rules are HKLB of [ecn-sweep].
func NewHKLB(evs, active int) (transport.Balancer, error) {
	return newKLB(evs, active, evset.Rule{Discover: true})
}

func newKLB(evs, active int, rule evset.Rule) (transport.Balancer, error) {
	if active < 1 || active > MaxActive {
		return nil, faults.New("balance", "active", active, "must be in [1, %d]", MaxActive)
	}
	return withEVs(evs, &klb{rule: rule, evs: evs, active: active})
}

// Reset begins each flow's set.
func (b *klb) Reset(n *fattree.Network, random mc.Stream) {
	made(b.evs != 0, "NewKLB or NewHKLB")
	b.draw = generators(b.draw, n.Flows(), random)
	b.sets = evset.New(b.rule, b.active, b.evs, n.Flows())
	for flow := range int32(n.Flows()) {
		b.sets.Reset(flow, &b.draw[flow])
	}
}

// Traits says that HKLB learns from carried EVs, and that a flow can continue with the set of another.
func (b *klb) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, UsesCarried: b.rule.Discover, UsesTrims: true, Inherit: b.Inherit, Inspect: b.Inspect}
}

// Inherit gives a flow the set of another. O(K).
func (b *klb) Inherit(flow, from int32) { b.sets.Inherit(flow, from) }

// Inspect returns the origin of the EVs.
func (b *klb) Inspect(flow int32, _ []transport.Slot) transport.Memory {
	if !b.sets.Full(flow) {
		return transport.Memory{Next: transport.OriginRandom}
	}
	return transport.Memory{Next: transport.OriginRotation}
}

// NextEV returns the flow's next active EV in turn, or a uniform one if its set is not full. O(1).
func (b *klb) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return uint16(b.sets.Next(flow, &b.draw[flow])), false
}

// Feedback lets an EV join or leave the flow's set. O(K), and O(K²) at most if nearly all EVs are active.
func (b *klb) Feedback(n transport.Feedback) {
	ev := uint32(n.EV)
	switch n.Kind {
	case transport.Good:
		b.sets.Good(n.Flow, ev)
	case transport.Marked:
		b.sets.Marked(n.Flow, ev, &b.draw[n.Flow])
	case transport.Nacked, transport.TimedOut:
		b.sets.Lost(n.Flow, ev)
	}
}
