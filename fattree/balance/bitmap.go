package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/mc"
)

// Penalties of a Bitmap; an EV has at most mostPenalty.
const (
	markPenalty = 1
	nackPenalty = 4
	mostPenalty = 15
)

// Bitmap keeps a penalty per EV, like STrack: 1 for a mark, 4 for a NACK, 15 for a
// time-out, 15 at most. It cycles through the EVs in an order drawn anew for each cycle and
// skips EVs with a penalty; the first one skipped for a packet loses 1 of its penalty.
//
// If the set has fewer than 2^16 EVs, their upper bits are drawn once per flow.
type Bitmap struct {
	length  uint32 // of a cycle
	mask    uint16 // of the EV's bits that select a penalty
	flow    []bitmapFlow
	penalty []uint8 // by flow and EV
}

// bitmapFlow is the state of a flow.
type bitmapFlow struct {
	draw  mc.Rand
	index uint32 // in the cycle
	order uint16 // an index xor order is an EV
	upper uint16 // bits above the mask
}

// NewBitmap returns a Bitmap over evs EVs, a power of two up to MaxEVS. It takes a byte per
// flow and EV; the authors run 256 EVs.
func NewBitmap(evs int) (*Bitmap, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	if bits.OnesCount(uint(evs)) != 1 {
		return nil, mc.NewFieldError("balance", "evs", evs, "must be a power of two for a Bitmap")
	}
	return NewBitmapByMask(evs)
}

// NewBitmapByMask returns a Bitmap with a slip of the authors' simulator, for comparisons with
// it: evs need not be a power of two, but evs-1 serves as the mask of an EV's bits. With 65,535
// EVs, as in the authors' traces and collectives, the mask is 65,534: every EV is sent twice in
// a row, and the lowest bit is drawn once per flow.
func NewBitmapByMask(evs int) (*Bitmap, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	return &Bitmap{length: uint32(evs), mask: uint16(evs - 1)}, nil
}

// Reset forgets all penalties.
func (b *Bitmap) Reset(n *fattree.Network, random mc.Stream) {
	b.flow = resized(b.flow, n.Flows())
	b.penalty = resized(b.penalty, n.Flows()*(int(b.mask)+1))
	clear(b.penalty)
	for i := range b.flow {
		f := bitmapFlow{draw: random.Child(uint64(i)).Rand()}
		f.upper = uint16(f.draw.Uint64()) &^ b.mask
		f.order = uint16(f.draw.Uint64()) & b.mask
		b.flow[i] = f
	}
}

// NextEV returns the next EV of the cycle without a penalty, or, if all have one, the EV
// after a full cycle. O(1) and a step per skipped EV.
func (b *Bitmap) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
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

// candidate returns the EV of a flow's place in the cycle.
func (b *Bitmap) candidate(f *bitmapFlow) uint16 { return uint16(f.index)&b.mask ^ f.order }

// advance moves to the next place in the cycle.
func (b *Bitmap) advance(f *bitmapFlow) {
	f.index++
	if f.index == b.length {
		f.index = 0
		f.order = uint16(f.draw.Uint64()) & b.mask
	}
}

// penalties returns the penalties of a flow's EVs.
func (b *Bitmap) penalties(flow int32) []uint8 {
	size := int(b.mask) + 1
	return b.penalty[int(flow)*size:][:size]
}

// Inherit gives a flow the penalties of another. O(EVs).
func (b *Bitmap) Inherit(flow, from int32) { copy(b.penalties(flow), b.penalties(from)) }

// Feedback adds to the EV's penalty. O(1).
func (b *Bitmap) Feedback(n fattree.Feedback) {
	penalty := uint8(0)
	switch n.Kind {
	case fattree.Good:
		return
	case fattree.Marked:
		penalty = markPenalty
	case fattree.Nacked:
		penalty = nackPenalty
	case fattree.TimedOut:
		penalty = mostPenalty
	}
	p := &b.penalties(n.Flow)[n.EV&b.mask]
	*p = min(*p+penalty, mostPenalty)
}
