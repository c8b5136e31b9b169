package crosscheck

import (
	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/mc"
)

// boosted is the DCTCP variant with a rule from the authors' script of figure 6: from
// 650 us on, after a window of unmarked packets that queued for less than 1 us, each such
// ACK of x packets grows the window by x/2.
type boosted struct {
	congestion.DCTCP
	base []fattree.Picoseconds // unloaded RTT, by flow
	calm []float64             // packets in a row
}

func (c *boosted) Reset(n *fattree.Network, _ mc.Stream) {
	c.base, c.calm = make([]fattree.Picoseconds, n.Flows()), make([]float64, n.Flows())
	for i := range c.base {
		c.base[i] = n.BaseRTT(int32(i))
	}
}

func (*boosted) Traits() transport.ControlTraits { return transport.ControlTraits{} }

func (c *boosted) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	calm := &c.calm[ack.Flow]
	*calm += float64(ack.Packets)
	if ack.Marked || ack.RTT-c.base[ack.Flow] >= us || ack.Now < 650*us {
		*calm = 0
	}
	if *calm > w.Packets {
		w.Packets = min(w.Packets+float64(ack.Packets)/2, w.Most)
		return
	}
	c.DCTCP.Acknowledge(w, ack)
}
