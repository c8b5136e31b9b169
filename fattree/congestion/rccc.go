package congestion

import (
	"fmt"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// rcccRules are the constants of RCCC in the simulator of [UEC-htsim]: quanta of 256 bytes, up to 64 of them with
// a pull.
var rcccRules = creditRules{
	quantumBits: 8, most: 64, empty: 4, timed: 1,
	sharedEVs: true, everyTime: true, exactBytes: true, inSlot: true, diameter: true,
}

// RCCC is the receiver-credit congestion control of Ultra Ethernet: there is no window, and receivers grant credit
// as under [EQDS]. Rules and constants follow the simulator [UEC-htsim]. They differ from EQDS in four points:
//
//   - a pull grants the flow's unmet demand, up to 16,384 bytes in quanta of 256. The receiver's next pull waits
//     for the time that these bytes take at 0.99 of its link's rate, or 1024 bytes if nothing is granted. A pull to
//     a flow with met demand grants all 16,384;
//   - flows with met demand wait in a queue. A flow enters it each time that its demand is met, even if it is in the
//     queue already. So of two such flows, the one that asked in smaller steps gets more pulls;
//   - bandwidth-delay products use the longest paths of the network for every flow, and a short last packet counts with
//     its size;
//   - the pulls of a receiver take 128 EVs in turn, whatever their flows.
//
// This queue grows as a run needs, which allocates; its memory is kept for later runs.
type RCCC struct {
	// Adaptive lets receivers pace more slowly if the topology has fewer uplinks than hosts, by the rules of
	// [EQDS]. The simulator turns this on by itself, unless senders also have a window. A topology says
	// in its outline if it has fewer uplinks than hosts.
	Adaptive bool
	// LeastRate is the smallest rate of an Adaptive receiver as a fraction of its link's rate, in (0, 1]. 0 means
	// 0.9 divided by the oversubscription; if the oversubscription is at most 1, receivers then do not adapt.
	LeastRate float64

	credit
}

// Reset prepares for a run of the network.
func (c *RCCC) Reset(n *fattree.Network, random mc.Stream) {
	refuseUnless(c.LeastRate >= 0 && c.LeastRate <= 1, "RCCC.LeastRate", c.LeastRate, "must be in [0, 1]")
	c.reset(n, random, rcccRules, c.leastRate(n))
}

// leastRate returns the smallest rate of receivers, or 0 if they do not change their rate.
func (c *RCCC) leastRate(n *fattree.Network) float64 {
	switch {
	case !c.Adaptive:
		return 0
	case c.LeastRate > 0:
		return c.LeastRate
	case n.Oversubscription() > 1:
		return leastRate / n.Oversubscription()
	}
	return 0
}

// Traits says that receivers grant credit, and that RCCC uses no RTTs.
func (c *RCCC) Traits() transport.ControlTraits {
	return transport.ControlTraits{IgnoresRTTs: true, Granter: c, Observe: c.Observe}
}

// WindowedRCCC is RCCC with a window at senders: a packet may be sent if both the credit and the window allow it.
// The demand of a packet is at most the window plus a packet, minus the credit.
type WindowedRCCC struct {
	RCCC
	Sender transport.Control // controls the windows; default NSCC by the rules of Ultra Ethernet, with Credited

	windows []transport.Window // by flow, as Sender sets them
}

// Reset prepares receivers and the sender's control for a run of the network.
func (c *WindowedRCCC) Reset(n *fattree.Network, random mc.Stream) {
	c.RCCC.Reset(n, random)
	if c.Sender == nil {
		c.Sender = &NSCC{Rules: fattree.UltraEthernet, Credited: true}
	}
	refuseUnless(c.Sender.Traits().Granter == nil, "WindowedRCCC.Sender", fmt.Sprintf("%T", c.Sender), "must be a congestion control of senders")
	c.Sender.Reset(n, random.Child(1<<32)) // receivers have the children before it
	if len(c.windows) != n.Flows() {
		c.windows = make([]transport.Window, n.Flows())
	}
}

// Traits says that receivers grant credit; RTTs are for the sender's control.
func (c *WindowedRCCC) Traits() transport.ControlTraits {
	ignores := c.Sender != nil && c.Sender.Traits().IgnoresRTTs
	return transport.ControlTraits{IgnoresRTTs: ignores, Granter: c, Observe: c.Observe}
}

// narrow limits an open window to the size that the sender's control allows.
func (c *WindowedRCCC) narrow(w *transport.Window, flow int32) {
	if w.Packets > 0 {
		w.Packets = c.windows[flow].Packets
	}
}

// Open starts a flow with its speculative credit and its initial window. O(1).
func (c *WindowedRCCC) Open(w *transport.Window, flow int32) {
	c.windows[flow] = *w
	c.RCCC.Open(w, flow)
	c.narrow(w, flow)
}

// Acknowledge ends speculation and updates the window. O(1) if Sender.Acknowledge is.
func (c *WindowedRCCC) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	c.Sender.Acknowledge(&c.windows[ack.Flow], ack)
	c.RCCC.Acknowledge(w, ack)
	c.narrow(w, ack.Flow)
}

// Lose ends speculation if the packet was trimmed, and updates the window. O(1) if Sender.Lose is.
func (c *WindowedRCCC) Lose(w *transport.Window, loss transport.Loss) {
	c.Sender.Lose(&c.windows[loss.Flow], loss)
	c.RCCC.Lose(w, loss)
	c.narrow(w, loss.Flow)
}

// Spend takes a packet's bytes from the flow's credit and returns its demand, see WindowedRCCC. O(1).
func (c *WindowedRCCC) Spend(w *transport.Window, t transport.Transmission) (demand int32) {
	window := int64((c.windows[t.Flow].Packets + 1) * float64(c.mtu))
	demand = c.spend(w, t, min(window, c.senders[t.Flow].most))
	c.narrow(w, t.Flow)
	return demand
}

// Pulled adds the grant of a pull to the flow's credit. O(1).
func (c *WindowedRCCC) Pulled(w *transport.Window, p transport.Pull) {
	c.RCCC.Pulled(w, p)
	c.narrow(w, p.Flow)
}
