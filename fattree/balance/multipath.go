package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// maxPaths is the largest number of EVs of a flow under [NewMultipath].
const maxPaths = 1 << 8

// multipath is the balancer of [NewMultipath].
type multipath struct {
	fixed
	evs, paths uint32
	next       []uint8 // by flow
}

// NewMultipath returns a balancer that sends the packets of a flow on a few fixed EVs in turn: the flow's
// number and the numbers after it, paths of them, in [1, 256], modulo evs, in [1, MaxEVS]. With 8 EVs it
// is the authors' MPTCP-like balancer, with one window for all EVs.
func NewMultipath(evs, paths int) (transport.Balancer, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	return withEVs(evs, &multipath{evs: uint32(evs), paths: uint32(paths)})
}

// checkPaths reports a wrong number of EVs of a flow.
func checkPaths(paths int) error {
	if paths < 1 || paths > maxPaths {
		return faults.New("balance", "paths", paths, "must be in [1, %d]", maxPaths)
	}
	return nil
}

// Reset starts each flow with its first EV.
func (b *multipath) Reset(n *fattree.Network, _ mc.Stream) {
	made(b.evs != 0, "NewMultipath")
	b.next = resized(b.next, n.Flows())
	clear(b.next)
}

// NextEV returns the flow's next EV in turn. O(1).
func (b *multipath) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	k := uint32(b.next[flow])
	b.next[flow]++
	if k+1 == b.paths {
		b.next[flow] = 0
	}
	return uint16((uint32(flow) + k) % b.evs), false
}

// subflows is the balancer of [NewSubflows].
type subflows struct {
	fixed
	evs, paths int32
}

// NewSubflows returns a balancer that splits every flow into subflows, each with a window and a fixed EV:
// multipath TCP, or several queue pairs, as [Bonato26] sec. 4.1 describes its MPTCP-like balancer; the
// authors run that of [NewMultipath] instead. A packet goes to the next subflow with room, so a subflow on a
// bad path carries less, and other subflows may retransmit its lost packets. Windows are not coupled.
//
// There are paths subflows, in [1, 256], on the EVs of NewMultipath. evs must be in [paths, MaxEVS], so
// that the EVs differ.
func NewSubflows(evs, paths int) (transport.Splitter, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	if evs < paths || evs > MaxEVS {
		return nil, faults.New("balance", "evs", evs, "must be in [%d, %d], one for each subflow", paths, MaxEVS)
	}
	return &subflows{evs: int32(evs), paths: int32(paths)}, nil
}

// Reset changes nothing: the network holds the state of subflows.
func (b *subflows) Reset(*fattree.Network, mc.Stream) { made(b.evs != 0, "NewSubflows") }

// Traits says that it splits flows.
func (b *subflows) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true, Splitter: b} }

// Subflows returns the number of subflows, the same for all flows.
func (b *subflows) Subflows(int32) int32 { return b.paths }

// SubflowEV returns the flow's number plus the subflow's, modulo the size of the
// set.
func (b *subflows) SubflowEV(flow, subflow int32) uint16 {
	return uint16((flow + subflow) % b.evs)
}

// Subflow returns the subflow of an EV. It is the inverse of SubflowEV.
func (b *subflows) Subflow(flow int32, ev uint16) int32 {
	return (int32(ev) - flow%b.evs + b.evs) % b.evs
}

// NextEV returns the first subflow's EV; the network does not call it for flows with subflows.
func (b *subflows) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return b.SubflowEV(flow, 0), false
}
