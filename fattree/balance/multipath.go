package balance

import (
	"repslab/fattree"
	"repslab/mc"
)

// MaxPaths is the largest number of EVs of a Multipath.
const MaxPaths = 1 << 8

// Multipath sends the packets of a flow on a few fixed EVs in turn: the flow's number and
// the next ones, modulo the size of the set. With 8 EVs it is the authors' MPTCP-like
// balancer, with one window for all. Use [NewMultipath].
type Multipath struct {
	evs, paths uint32
	next       []uint8 // by flow
}

// NewMultipath returns a Multipath over paths EVs, in [1, MaxPaths], of the set 0
// to evs-1, evs in [1, MaxEVS].
func NewMultipath(evs, paths int) (*Multipath, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	return withEVs(evs, &Multipath{evs: uint32(evs), paths: uint32(paths)})
}

// checkPaths reports a wrong number of EVs of a flow.
func checkPaths(paths int) error {
	if paths < 1 || paths > MaxPaths {
		return mc.NewFieldError("balance", "paths", paths, "must be in [1, %d]", MaxPaths)
	}
	return nil
}

// Reset starts each flow with its first EV.
func (b *Multipath) Reset(n *fattree.Network, _ mc.Stream) {
	b.next = resized(b.next, n.Flows())
	clear(b.next)
}

// NextEV returns the flow's next EV in turn. O(1).
func (b *Multipath) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	k := uint32(b.next[flow])
	b.next[flow]++
	if k+1 == b.paths {
		b.next[flow] = 0
	}
	return uint16((uint32(flow) + k) % b.evs), false
}

// Feedback changes nothing.
func (*Multipath) Feedback(fattree.Feedback) {}
