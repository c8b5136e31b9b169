// Package congestion holds the congestion controls of the fat-tree model. They decide when a flow may send.
//
//	DCTCP  a window that grows by a packet per round trip and shrinks by a
//	       quarter of the packets that a marked ACK covers [Bonato26] sec. 4.1
//	NSCC   a window controlled by marks and queueing delay, by the rules of
//	       [Bonato26-artifact] or of [UEC-htsim]
//	EQDS   no window: receivers grant credit at the rate of their link
//	       [Bonato26-artifact]
//	RCCC   the same in Ultra Ethernet, alone or with a window [UEC-htsim]
//	None   a constant window
//
// # Symbols
//
//	W      Window.Packets             packets that may be in flight (cwnd)
//	Most   Window.Most                packets, 1.5 bandwidth-delay products
//	x      Acknowledgement.Packets    packets newly acknowledged
//	d      RTT less the unloaded one  queueing delay, ps
//
// The types state their rules in these symbols. All keep 1 <= W <= Most except EQDS and RCCC: their W only opens
// and closes. They follow the simulators, not the standards of the same names.
//
// # References
//
// [Bonato26], [Bonato26-artifact], [UEC-htsim]; full entries are under these keys in
// docs/references.md.
package congestion
