package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// MaxPaths is the largest number of EVs of a Multipath.
const MaxPaths = 1 << 8

// Multipath sends the packets of a flow on a few fixed EVs in turn: the flow's number and the numbers after it,
// modulo the size of the set. With 8 EVs it is the authors' MPTCP-like balancer, with one window for all EVs. Use
// [NewMultipath].
type Multipath struct {
	unmeasured
	evs, paths uint32
	next       []uint8 // by flow
}

// NewMultipath returns a Multipath over paths EVs, in [1, MaxPaths], from the set of EVs 0 to evs-1, evs in [1,
// MaxEVS].
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
	made(b.evs != 0, "NewMultipath")
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
func (*Multipath) Feedback(transport.Feedback) {}

// Subflows splits every flow into subflows, each with a window and a fixed EV: multipath TCP, or several queue
// pairs, as [Bonato26] sec. 4.1 describes its MPTCP-like balancer; the authors run [Multipath] instead. A packet
// goes to the next subflow with room, so a subflow on a bad path carries less, and other subflows may retransmit
// its lost packets. Windows are not coupled. Use [NewSubflows].
type Subflows struct {
	unmeasured
	evs, paths int32
}

// NewSubflows returns a Subflows with paths subflows, in [1, MaxPaths], on the EVs of a [Multipath]. evs must be
// in [paths, MaxEVS], so that the EVs differ.
func NewSubflows(evs, paths int) (*Subflows, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	if evs < paths || evs > MaxEVS {
		return nil, mc.NewFieldError("balance", "evs", evs, "must be in [%d, %d], one for each subflow", paths, MaxEVS)
	}
	return &Subflows{evs: int32(evs), paths: int32(paths)}, nil
}

// Reset changes nothing: the network holds the state of subflows.
func (b *Subflows) Reset(*fattree.Network, mc.Stream) { made(b.evs != 0, "NewSubflows") }

// Subflows returns the number of subflows, the same for all flows.
func (b *Subflows) Subflows(int32) int32 { return b.paths }

// SubflowEV returns the flow's number plus the subflow's, modulo the size of the
// set.
func (b *Subflows) SubflowEV(flow, subflow int32) uint16 {
	return uint16((flow + subflow) % b.evs)
}

// Subflow returns the subflow of an EV. It is the inverse of SubflowEV.
func (b *Subflows) Subflow(flow int32, ev uint16) int32 {
	return (int32(ev) - flow%b.evs + b.evs) % b.evs
}

// NextEV returns the first subflow's EV; the network does not call it for flows with subflows.
func (b *Subflows) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return b.SubflowEV(flow, 0), false
}

// Feedback changes nothing.
func (*Subflows) Feedback(transport.Feedback) {}
