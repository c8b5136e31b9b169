package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Penalties of a bitmap. The penalty of an EV is at most mostPenalty.
const (
	markPenalty = 1
	nackPenalty = 4
	mostPenalty = 15
)

// bitmap is the balancer of [NewBitmap].
type bitmap struct {
	walks
	penalty []uint8 // by flow and EV
}

// NewBitmap returns a balancer that keeps a penalty per EV, like STrack: 1 for a mark, 4 for a NACK, 15 for a
// time-out, 15 at most. It cycles through the EVs in an order drawn anew for each cycle and skips EVs with a
// penalty. For each packet, the first EV skipped has its penalty reduced by 1.
//
// evs is a power of two up to MaxEVS; the authors run 256 EVs. If there are fewer than 2^16, their upper bits
// are drawn once per flow. It takes a byte per flow and EV. The rules are those of [Bonato26-artifact] and of
// [UEC-htsim]; the transport of [UEC-htsim] reports a time-out for EV 0.
func NewBitmap(evs int) (transport.Balancer, error) {
	return of(newBitmap)(evs)
}

func newBitmap(evs int) (*bitmap, error) {
	w, err := newWalks(evs)
	if err != nil {
		return nil, err
	}
	return &bitmap{walks: w}, nil
}

// NewBitmapByMask returns a bitmap as [NewBitmap], with a bug of the authors' simulator, for comparisons with
// it: evs need not be a power of two, but evs-1 is the mask of an EV's bits. With 65,535 EVs, as in the
// authors' traces and collectives, the mask is 65,534: every EV is sent twice in a row, and the lowest bit is
// drawn once per flow.
func NewBitmapByMask(evs int) (transport.Balancer, error) {
	return withEVs(evs, &bitmap{walks: walks{length: uint32(evs), mask: uint16(evs - 1)}})
}

// Reset forgets all penalties.
func (b *bitmap) Reset(n *fattree.Network, random mc.Stream) {
	b.reset(n, random)
	b.penalty = resized(b.penalty, n.Flows()*(int(b.mask)+1))
	clear(b.penalty)
}

// NextEV returns the next EV of the cycle without a penalty. If all EVs have one, it returns the EV after a full
// cycle. O(1) and a step per skipped EV.
func (b *bitmap) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.walk[flow]
	penalty := b.penalties(flow)
	ev = b.candidate(f)
	if penalty[ev] > 0 {
		penalty[ev]--
		for range len(penalty) {
			b.advance(f)
			if ev = b.candidate(f); penalty[ev] == 0 {
				break
			}
		}
	}
	b.advance(f)
	return ev | f.upper, false
}

// penalties returns the penalties of a flow's EVs.
func (b *bitmap) penalties(flow int32) []uint8 {
	size := int(b.mask) + 1
	return b.penalty[int(flow)*size:][:size]
}

// Traits says how many EVs it uses, and that flows can continue with penalties.
func (b *bitmap) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, UsesTrims: true, EVs: b.EVs(), Inherit: b.Inherit}
}

// Inherit gives a flow the penalties of another. O(EVs).
func (b *bitmap) Inherit(flow, from int32) { copy(b.penalties(flow), b.penalties(from)) }

// Feedback adds to the EV's penalty. O(1).
func (b *bitmap) Feedback(n transport.Feedback) {
	penalty := uint8(0)
	switch n.Kind {
	case transport.Good:
		return
	case transport.Marked:
		penalty = markPenalty
	case transport.Nacked:
		penalty = nackPenalty
	case transport.TimedOut:
		penalty = mostPenalty
	}
	p := &b.penalties(n.Flow)[n.EV&b.mask]
	*p = min(*p+penalty, mostPenalty)
}
