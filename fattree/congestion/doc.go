// Package congestion holds the congestion controls of the fat-tree model: each
// decides when a flow may send.
//
//	DCTCP  a window that grows by a packet per round trip and shrinks by a
//	       quarter of what a marked ACK covers [Bonato26] sec. 4.1
//	NSCC   a window steered by marks and by the queueing delay [Bonato26-artifact]
//	EQDS   no window: receivers grant credit at the rate of their link
//	       [Bonato26-artifact]
//	None   a window that stays
//
// # References
//
// Keys are those of docs/references.md.
package congestion
