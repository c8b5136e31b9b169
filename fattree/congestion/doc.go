// Package congestion holds the congestion controls of the fat-tree model: each
// moves the congestion window of the flows.
//
//	DCTCP  a window that grows by a packet per round trip and shrinks by a
//	       quarter of what a marked ACK covers [Bonato26] sec. 4.1
//	None   a window that stays
//
// # References
//
// Keys are those of docs/references.md.
package congestion
