package transport

import "repslab/fattree"

// insights holds the state of a run with an Insider. It takes the Insider's place as the Control.
type insights struct {
	Insider
	look     func(flow int32, dst []Slot) Memory // see Traits.Inspect
	origins  []Origin                            // by packet, 64 places for each group
	late     []int32                             // by flow, at its destination: packets that arrived after a higher one
	reported []int32                             // by report: the value of late when the ACK was sent
	next     []Insight                           // by flow: the insight for the next ACK
}

// newInsights returns the state for an Insider, or nil without one.
func (f *flows) newInsights(insider Insider) *insights {
	if insider == nil {
		return nil
	}
	flows := len(f.senders)
	return &insights{
		Insider: insider, look: f.traits.Inspect, origins: make([]Origin, len(f.sent)), late: make([]int32, flows),
		reported: make([]int32, f.Net.ReportPlaces()), next: make([]Insight, flows),
	}
}

// Acknowledge implements [Control].
func (i *insights) Acknowledge(w *Window, ack Acknowledgement) {
	inside := &i.next[ack.Flow]
	inside.Memory = i.inspect(ack.Flow)
	i.AcknowledgeInside(w, ack, *inside)
}

// inspect returns the balancer's memory of a flow.
func (i *insights) inspect(flow int32) (m Memory) {
	if i.look != nil {
		m = i.look(flow, i.next[flow].Slots[:0])
		i.next[flow].Slots = m.Slots
	}
	return m
}

// keepOrigin records the origin of the EV of the flow's next packet, before the EV is chosen.
func (i *insights) keepOrigin(flow, packet int32) { i.origins[packet] = i.inspect(flow).Next }

// countLate counts a packet that arrives after a higher one.
func (i *insights) countLate(flow, psn, highest int32) {
	if psn < highest {
		i.late[flow]++
	}
}

// prepare prepares the insight for the ACK of a packet, or for the answer to a request, which has no origin.
func (i *insights) prepare(p fattree.Packet, origin Origin, late int32) {
	next := &i.next[p.Flow()]
	next.EV, next.Origin, next.OutOfOrder = p.EV(), origin, late
}

// user returns the congestion control as the user gave it, for errors.
func (f *flows) user() Control {
	if f.insights != nil {
		return f.insights.Insider
	}
	return f.control
}
