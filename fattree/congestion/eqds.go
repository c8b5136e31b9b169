package congestion

import "repslab/fattree"

// eqdsRules are the constants of EQDS as the authors' simulator sets them: quanta of 512 bytes, of
// which every pull grants 8.
var eqdsRules = creditRules{quantumBits: 9, least: 8, most: 8, timed: 8}

// EQDS has no congestion window: receivers grant credit. A flow starts with a speculative
// credit of 1.5 bandwidth-delay products, which expires with the first feedback. Then it
// sends while it has credit, and its receiver grants 4096 bytes with each pull. Rules and
// constants are those of the authors' simulator.
//
// A receiver paces the pulls of all its flows together at 0.99 of its link's rate, in turn
// over the flows with unmet demand. If there are none, it serves flows whose demand is met,
// until each is 1.5 bandwidth-delay products ahead. The demand of a packet is the rest of
// its flow, at most 1.5 bandwidth-delay products, less its credit, divided by the number of
// flows that wait for the sender's link.
//
// In a network with fewer uplinks than hosts a receiver may pace more slowly; the authors'
// simulator does so by itself there. It looks at the packets of about 1.5 RTTs, a time drawn from
// 0.75 to 1.25 times that, with their marked fraction f, and trimmed ones left out:
//
//	g <- g/2 + f/2
//	rate <- rate - trimmed before the last hop / all         if there are any
//	rate <- rate (1 - (g - 0.3)/2)                           if g > 0.3
//	rate <- rate + 0.01 (times 2^k if none carries a mark)   otherwise, k times in a row
//
// with rate in [0.9/Oversubscription, 1], 1 at the start.
type EQDS struct {
	Oversubscription float64 // hosts per uplink, for which receivers pace more slowly; 0: they do not

	credit
}

// Reset prepares for a run of the network.
func (c *EQDS) Reset(n *fattree.Network) {
	least := 0.0
	if c.Oversubscription > 1 {
		least = leastRate / c.Oversubscription
	}
	c.reset(n, eqdsRules, least)
}
