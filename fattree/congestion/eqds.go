package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// eqdsRules are the constants of EQDS in the authors' simulator: quanta of 512 bytes, 8 of them with every pull.
var eqdsRules = creditRules{quantumBits: 9, least: 8, most: 8, timed: 8}

// EQDS has no congestion window: receivers grant credit. A flow starts with a speculative credit of 1.5
// bandwidth-delay products, which expires with the first feedback. Then it sends while it has credit, and its
// receiver grants 4096 bytes with each pull. Rules and constants follow the authors' simulator.
//
// A receiver paces the pulls of all its flows together at 0.99 of its link's rate, in turn over the flows with
// unmet demand. If there are none, it serves flows with met demand, until each is 1.5 bandwidth-delay products
// ahead. The demand of a packet is the rest of its flow, at most 1.5 bandwidth-delay products, minus the flow's
// credit, divided by the number of flows that wait for the sender's link.
//
// In a network with fewer uplinks than hosts a receiver may pace more slowly; the authors' simulator turns this on
// by itself. The length of a period is drawn uniformly from 0.75 to 1.25 times 1.5 RTTs. After each period the
// receiver updates its rate. f is the marked fraction of the packets of the period, without trimmed ones:
//
//	g <- g/2 + f/2
//	rate <- rate - trimmed before the last hop / all    if any were trimmed there
//	rate <- rate (1 - (g - 0.3)/2)                      if g > 0.3
//	rate <- rate + 0.01                                 if neither, and a packet is marked
//	rate <- rate + min(0.01 2^k, 1)                     if neither, and no packet is marked
//
// where k counts the periods in a row, before this one, in which neither happened. The rate is 1 at the start and stays
// in [0.9/Oversubscription, 1].
type EQDS struct {
	Oversubscription float64 // hosts per uplink; above 1 receivers may pace more slowly

	credit
}

// Reset prepares for a run of the network.
func (c *EQDS) Reset(n *fattree.Network, random mc.Stream) {
	refuseUnless(c.Oversubscription >= 0 && c.Oversubscription <= mostOversubscription, "EQDS.Oversubscription", c.Oversubscription, "must be in [0, %v]", mostOversubscription)
	least := 0.0
	if c.Oversubscription > 1 {
		least = leastRate / c.Oversubscription
	}
	c.reset(n, random, eqdsRules, least)
}

// Traits says that receivers grant credit.
func (c *EQDS) Traits() transport.ControlTraits {
	return transport.ControlTraits{Granter: c, Observe: c.Observe}
}
