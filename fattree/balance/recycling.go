package balance

import (
	"fmt"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/reps"
)

// Rules says which rules a Recycling follows.
type Rules string

// The rules.
const (
	Paper    Rules = "paper"    // Algorithms 1 and 2 of [Bonato26]
	Artifact Rules = "artifact" // as in the authors' simulator
	FIFO     Rules = "fifo"     // the authors' unbounded list of EVs, without freezing
)

// AllRules lists the rules.
func AllRules() []Rules { return []Rules{Paper, Artifact, FIFO} }

// connection is what a Recycling needs of the sender's side of a connection.
type connection[T any] interface {
	*T
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	NextEV(random reps.Source) (ev uint16, recycled bool)
	Frozen() bool
	Reset()
}

// Recycling is REPS: package reps for each flow of the network.
//
// A time-out makes a flow suspect a failure as in the authors' simulator: where
// switches trim, congestion never ends in one, so every time-out counts; where
// they drop, only one during whose observation window, twice the RTO long, no
// RTT reached 1.65 times the unloaded one.
type Recycling[T any, C connection[T]] struct {
	fresh    func(packetsPerWindow int) (T, error)
	flows    []T
	draw     []mc.Rand
	paths    []path
	observe  fattree.Picoseconds // length of the observation window
	dropping bool                // switches drop and do not trim
	inherits bool                // flows can go on where others ended
}

// path is what a flow has seen of its RTTs.
type path struct {
	suspicious fattree.Picoseconds // RTT from which on a time-out may be congestion
	longest    fattree.Picoseconds // in the observation window
	since      fattree.Picoseconds // begin of the window
}

// NewRecycling returns a REPS by the given rules. cfg.PacketsPerWindow 0 means
// one bandwidth-delay product of each network that it is used in. Of cfg the
// FIFO rules look at EVSSize alone. The error is that of package reps.
func NewRecycling(rules Rules, cfg reps.Config) (fattree.Balancer, error) {
	perWindow := func(packets int) reps.Config {
		c := cfg
		if c.PacketsPerWindow == 0 {
			c.PacketsPerWindow = packets
		}
		return c
	}
	switch rules {
	case Paper:
		return newRecycling[reps.REPS](true, func(packets int) (c reps.REPS, err error) {
			return c, c.Init(perWindow(packets))
		})
	case Artifact:
		return newRecycling[reps.Artifact](true, func(packets int) (c reps.Artifact, err error) {
			return c, c.Init(perWindow(packets))
		})
	case FIFO:
		return newRecycling[reps.FIFO](false, func(int) (c reps.FIFO, err error) {
			return c, c.Init(reps.FIFOConfig{EVSSize: cfg.EVSSize})
		})
	}
	return nil, fmt.Errorf("balance: Rules (%q) must be one of %q", rules, AllRules())
}

func newRecycling[T any, C connection[T]](inherits bool, fresh func(int) (T, error)) (fattree.Balancer, error) {
	if _, err := fresh(1); err != nil {
		return nil, err
	}
	return &Recycling[T, C]{fresh: fresh, inherits: inherits}, nil
}

// Reset gives every flow the state of a new connection.
func (b *Recycling[T, C]) Reset(n *fattree.Network, random mc.Stream) {
	spec := n.Spec()
	b.draw = generators(b.draw, n.Flows(), random)
	b.observe = 2 * spec.RTO
	b.dropping = spec.DisableTrimming
	if len(b.flows) != n.Flows() {
		b.flows = make([]T, n.Flows())
		b.paths = make([]path, n.Flows())
	}
	for i := range b.flows {
		rtt := n.BaseRTT(int32(i))
		// The configuration was tried in NewRecycling, so this cannot fail; a list
		// that has grown is not kept.
		b.flows[i], _ = b.fresh(min(1<<16-1, max(1, int(rtt/n.SlotTime()))))
		b.paths[i] = path{suspicious: rtt * 165 / 100}
	}
}

// nanoseconds returns the clock that package reps reads, modulo 2^32.
func nanoseconds(now fattree.Picoseconds) uint32 { return uint32(uint64(now) / 1000) }

// NextEV returns the EV that the flow's REPS chooses. O(1).
func (b *Recycling[T, C]) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return C(&b.flows[flow]).NextEV(&b.draw[flow])
}

// Feedback passes the news on to the flow's REPS. O(1).
func (b *Recycling[T, C]) Feedback(f fattree.Feedback) {
	c := C(&b.flows[f.Flow])
	if b.dropping && f.RTT > 0 {
		b.paths[f.Flow].observe(f, b.observe)
	}
	switch f.Kind {
	case fattree.Good:
		c.OnAck(nanoseconds(f.Now), f.EV, false)
	case fattree.Marked:
		c.OnAck(nanoseconds(f.Now), f.EV, true)
	case fattree.Nacked:
		c.OnNack(nanoseconds(f.Now))
	case fattree.TimedOut:
		if !b.dropping || b.paths[f.Flow].longest < b.paths[f.Flow].suspicious {
			c.OnFailure(nanoseconds(f.Now))
		}
	}
}

// observe takes in an RTT. A window that is over begins anew with it.
func (p *path) observe(f fattree.Feedback, length fattree.Picoseconds) {
	if f.Now-p.since > length {
		p.since, p.longest = f.Now, 0
	}
	p.longest = max(p.longest, f.RTT)
}

// Inherit gives a flow the ring and the mode of another. The authors' unbounded
// lists are not inherited. O(ring).
func (b *Recycling[T, C]) Inherit(flow, from int32) {
	if b.inherits {
		b.flows[flow] = b.flows[from]
	}
}

// Frozen reports whether a flow is in freezing mode.
func (b *Recycling[T, C]) Frozen(flow int32) bool { return C(&b.flows[flow]).Frozen() }
