package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/mc"
)

// Penalties of a Bitmap; that of an EV is at most mostPenalty.
const (
	markPenalty = 1
	nackPenalty = 4
	mostPenalty = 15
)

// Bitmap keeps a penalty for each EV, like STrack: 1 for a mark, 4 for a NACK,
// 15 for a time-out, 15 at most. It walks through the EVs in an order that it
// draws anew for each walk. An EV with a penalty is passed over; the first such
// one at each packet loses 1 of its penalty.
//
// The EVs of a set smaller than 16 bits have upper bits that are drawn once for
// each flow.
type Bitmap struct {
	mask    uint16 // of the bits that the penalties tell apart
	flow    []bitmapFlow
	penalty []uint8 // by flow and EV
}

// bitmapFlow is the state of a flow.
type bitmapFlow struct {
	draw  mc.Rand
	index uint16 // of the walk
	order uint16 // what turns indices into EVs
	upper uint16 // bits above the mask
}

// NewBitmap returns a Bitmap over evs EVs, a power of two up to MaxEVS. Its
// memory is a byte for each flow and EV; the authors run 256 EVs.
func NewBitmap(evs int) (*Bitmap, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	if bits.OnesCount(uint(evs)) != 1 {
		return nil, mc.NewFieldError("balance", "evs", evs, "must be a power of two for a Bitmap")
	}
	return &Bitmap{mask: uint16(evs - 1)}, nil
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

// NextEV returns the next EV of the walk without a penalty, or, if all have one,
// the one where a walk through all of them ends. O(1) and one step for each EV
// passed over.
func (b *Bitmap) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
	penalty := b.penalties(flow)
	ev = f.index ^ f.order
	if penalty[ev] > 0 {
		penalty[ev]--
		for range len(penalty) {
			f.advance(b.mask)
			if ev = f.index ^ f.order; penalty[ev] == 0 {
				break
			}
		}
	}
	f.advance(b.mask)
	return ev | f.upper, false
}

// advance takes a walk one step on.
func (f *bitmapFlow) advance(mask uint16) {
	f.index = (f.index + 1) & mask
	if f.index == 0 {
		f.order = uint16(f.draw.Uint64()) & mask
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
