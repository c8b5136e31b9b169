package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// walks holds a walk through the EVs for each flow. Each cycle visits every EV once, in an order drawn anew: the
// index xor a random number. If the set has fewer than 2^16 EVs, their upper bits are drawn once per flow.
type walks struct {
	length uint32 // number of EVs in a cycle
	mask   uint16 // bits of the EV that a walk changes
	walk   []walk // by flow
}

// walk is the position of a flow.
type walk struct {
	draw  mc.Rand
	index uint32 // position in the cycle
	order uint16 // an EV is an index xor order
	upper uint16 // bits above the mask
}

// newWalks returns walks through evs EVs, a power of two up to MaxEVS.
func newWalks(evs int) (walks, error) {
	if err := checkEVS(evs); err != nil {
		return walks{}, err
	}
	if bits.OnesCount(uint(evs)) != 1 {
		return walks{}, faults.New("balance", "evs", evs, "must be a power of two")
	}
	return walks{length: uint32(evs), mask: uint16(evs - 1)}, nil
}

// EVs returns the length of a cycle.
func (w *walks) EVs() int { return int(w.length) }

// reset begins the walks of a run.
func (w *walks) reset(n *fattree.Network, random mc.Stream) {
	made(w.length != 0, "NewBitmap, NewRecyclingBitmap or NewStratified")
	w.walk = resized(w.walk, n.Flows())
	for i := range w.walk {
		f := walk{draw: random.Child(uint64(i)).Rand()}
		f.upper = uint16(f.draw.Uint64()) &^ w.mask
		f.order = uint16(f.draw.Uint64()) & w.mask
		w.walk[i] = f
	}
}

// candidate returns the EV at a flow's position in the cycle, without its upper bits.
func (w *walks) candidate(f *walk) uint16 { return uint16(f.index)&w.mask ^ f.order }

// advance moves to the next place in the cycle.
func (w *walks) advance(f *walk) {
	f.index++
	if f.index == w.length {
		f.index = 0
		f.order = uint16(f.draw.Uint64()) & w.mask
	}
}

// powerOfTwo returns the largest power of two up to evs, which is at least 1.
func powerOfTwo(evs int) int { return 1 << bits.Len(uint(evs)) / 2 }

// stratified is the balancer of [NewStratified].
type stratified struct {
	fixed
	walks
}

// NewStratified returns oblivious spraying without replacement: every block of evs packets of a flow uses
// each of evs EVs once, evs a power of two up to MaxEVS. The order within a block is the index xor a number
// drawn for the block. It is the oblivious balancer of [UEC-htsim]; package evsimbalance has the distribution
// of the load on a link.
func NewStratified(evs int) (transport.Balancer, error) {
	w, err := newWalks(evs)
	if err != nil {
		return nil, err
	}
	return &stratified{walks: w}, nil
}

// Reset begins each flow's first block.
func (s *stratified) Reset(n *fattree.Network, random mc.Stream) { s.reset(n, random) }

// Traits says that it uses the EVs of a cycle.
func (s *stratified) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, EVs: s.EVs(), Inspect: from(transport.OriginRotation)}
}

// NextEV returns the block's next EV. O(1).
func (s *stratified) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &s.walk[flow]
	ev = s.candidate(f) | f.upper
	s.advance(f)
	return ev, false
}
