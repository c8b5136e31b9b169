package balance

import (
	"cmp"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
	"repslab/reps"
)

// DefaultExclude is the time for which [RecyclingConfig.NewExcluding] excludes an EV unless another is given: 200 ms,
// in picoseconds.
const DefaultExclude = 200_000 * fattree.Microsecond

// excluding is the balancer of [RecyclingConfig.NewExcluding].
type excluding struct {
	*recycling[reps.Large, *reps.Large]
	evs    int
	length fattree.Picoseconds
	out    [][]exclusion // by flow, in no order
}

// exclusion is an EV and the time at which its exclusion ends.
type exclusion struct {
	ev    uint16
	until fattree.Picoseconds
}

// NewExcluding returns a REPS without freezing mode. When REPS would freeze, it excludes the EV of the packet
// that timed out for a length of time, above 0: the EV is neither drawn nor taken from the ring, and its ACKs
// are not cached. Another time-out restarts this time. While all EVs are excluded, the flow uses all of them.
// Time-outs must report the EV; under [fattree.UltraEthernet] they do not. It allocates when a flow excludes
// more EVs than before.
//
// It returns the errors of [RecyclingConfig.New] and refuses a length out of range. Without freezing mode,
// all Rules with a ring are the same.
func (c RecyclingConfig) NewExcluding(length fattree.Picoseconds) (transport.Balancer, error) {
	if length <= 0 || length > longestTime {
		return nil, faults.New("balance", "length", int64(length), "must be in (0, %d] ps", int64(longestTime))
	}
	c.Rules, c.FreezeAt = Paper, 0
	c.REPS.DisableFreezing, c.REPS.FrozenCache, c.REPS.Exit = true, reps.CacheAll, reps.ExitOnTimeout
	b, err := newRecycling[reps.Large](c, func(int) (s reps.Large, err error) { return s, s.Init(c.REPS, false) })
	if err != nil {
		return nil, err
	}
	evs := cmp.Or(c.REPS.EVSSize, reps.DefaultEVSSize)
	return &excluding{recycling: b.(*recycling[reps.Large, *reps.Large]), evs: evs, length: length}, nil
}

// Reset gives every flow the state of a new connection, without excluded EVs.
func (b *excluding) Reset(n *fattree.Network, random mc.Stream) {
	b.recycling.Reset(n, random)
	b.out = resized(b.out, n.Flows())
	for i := range b.out {
		b.out[i] = b.out[i][:0]
	}
}

// find returns the place of an EV among the flow's exclusions, or -1.
func (b *excluding) find(flow int32, ev uint16) int {
	return slices.IndexFunc(b.out[flow], func(e exclusion) bool { return e.ev == ev })
}

// NextEV returns the next EV of the flow's REPS that is not excluded. O(excluded EVs), and, if x of E EVs are
// excluded, E / (E - x) draws on average.
func (b *excluding) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, recycled = b.recycling.NextEV(flow, now)
	if len(b.out[flow]) == 0 {
		return ev, recycled
	}
	b.out[flow] = slices.DeleteFunc(b.out[flow], func(e exclusion) bool { return e.until <= now })
	for len(b.out[flow]) < b.evs && b.find(flow, ev) >= 0 {
		ev, recycled = b.recycling.NextEV(flow, now)
	}
	return ev, recycled
}

// Feedback forwards to the flow's REPS. It forwards an ACK of an excluded EV as if it were marked. O(excluded
// EVs).
func (b *excluding) Feedback(f transport.Feedback) {
	out := &b.out[f.Flow]
	switch i := b.find(f.Flow, f.EV); {
	case f.Kind == transport.Good && i >= 0 && f.Now < (*out)[i].until:
		f.Kind = transport.Marked
	case f.Kind != transport.TimedOut || !b.suspects(f.Flow):
	case i >= 0:
		(*out)[i].until = f.Now + b.length
	default:
		*out = append(*out, exclusion{f.EV, f.Now + b.length})
	}
	b.recycling.Feedback(f)
}

// Traits returns the traits of REPS; flows can continue with excluded EVs too.
func (b *excluding) Traits() transport.Traits {
	t := b.recycling.Traits()
	t.Inherit = b.Inherit
	return t
}

// Inherit gives a flow the ring and the excluded EVs of another. O(ring + excluded EVs).
func (b *excluding) Inherit(flow, from int32) {
	b.recycling.Inherit(flow, from)
	b.out[flow] = append(b.out[flow][:0], b.out[from]...)
}
