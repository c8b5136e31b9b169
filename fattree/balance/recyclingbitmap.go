package balance

import (
	"math"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// recyclingBitmap is the balancer of [NewRecyclingBitmap].
type recyclingBitmap struct {
	bitmap
	good []reps.FIFO // by flow
}

// NewRecyclingBitmap returns a balancer that recycles the EV of every unmarked ACK for one more packet,
// oldest first, and takes the next EV of a bitmap (see [NewBitmap]) when none is left. The list of EVs has no
// limit, and the bitmap gets all feedback. With r packets per ACK at most 1 in r packets is recycled, not
// counting the EVs of marked packets. It is the default of [UEC-htsim].
//
// evs is a power of two up to MaxEVS. It takes a byte per flow and EV, and 2 to 4 bytes for each packet of a
// flow's first window.
func NewRecyclingBitmap(evs int) (transport.Balancer, error) {
	return of(newRecyclingBitmap)(evs)
}

func newRecyclingBitmap(evs int) (*recyclingBitmap, error) {
	b, err := newBitmap(evs)
	if err != nil {
		return nil, err
	}
	return &recyclingBitmap{bitmap: *b}, nil
}

// Reset forgets all penalties and good EVs.
//
// The EVs in a list and the packets without feedback are together at most the largest number of packets ever in
// flight. So lists have room for all packets of a flow or for its largest window. They grow only if packets
// declared lost let more packets be in flight.
func (b *recyclingBitmap) Reset(n *fattree.Network, random mc.Stream) {
	b.bitmap.Reset(n, random)
	known := min(len(b.good), n.Flows())
	b.good = append(b.good[:known], make([]reps.FIFO, n.Flows()-known)...)
	given := transport.OptionsOn(n).InitialWindow
	for i := range b.good {
		f := &b.good[i]
		_ = f.Init(reps.FIFOConfig{DisableSweep: true}) // valid for any network
		window := int(math.Ceil(1.5 * n.BDP(int32(i))))
		f.Grow(min(n.Packets(int32(i)), max(window, given)))
	}
}

// Traits says that it recycles carried EVs, and that flows can continue with penalties and good EVs.
func (b *recyclingBitmap) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, UsesCarried: true, UsesTrims: true, EVs: b.EVs(), Inherit: b.Inherit}
}

// NextEV returns the oldest good EV, or the EV of the bitmap if there is none.
func (b *recyclingBitmap) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	if good := &b.good[flow]; good.ValidEVs() > 0 {
		return good.NextEV(nil)
	}
	return b.bitmap.NextEV(flow, now)
}

// Feedback adds to the EV's penalty or to the good EVs. O(1).
func (b *recyclingBitmap) Feedback(f transport.Feedback) {
	if f.Kind == transport.Good {
		b.good[f.Flow].OnAck(0, f.EV, false)
		return
	}
	b.bitmap.Feedback(f)
}

// Inherit gives a flow the penalties and the good EVs of another. O(EVs + good EVs).
func (b *recyclingBitmap) Inherit(flow, from int32) {
	b.bitmap.Inherit(flow, from)
	b.good[flow].Assign(&b.good[from])
}
