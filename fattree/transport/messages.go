package transport

import "repslab/fattree"

// segment is the part of its connection that belongs to a flow that has begun and not ended. The connection's
// first flow in the workload stands for the connection: packets, balancer and congestion control know only this
// flow.
type segment struct {
	flow       int32
	begin, end int32 // its packets: [begin, end)
	from       int32 // packets below have arrived, as far as the sender knows
}

// newMessages returns empty lists with room for all messages of each connection, or nil.
func newMessages(n *fattree.Network) [][]segment {
	if !n.Connects() {
		return nil
	}
	list := make([][]segment, n.Flows())
	for flow := range list {
		connection := n.Connection(int32(flow))
		list[connection] = append(list[connection], segment{})
	}
	return list
}

// addMessage appends a flow that begins to the messages of its connection.
func (h *hosts) addMessage(connection, flow int32, f *sender) {
	begin := f.total
	f.total += int32(h.spec.Packets(h.spec.Workload.Flows[flow].Bytes))
	h.messages[connection] = append(h.messages[connection], segment{flow, begin, f.total, begin})
	if int(f.total) <= h.Net.Places(connection) {
		h.Shorten(int(f.first*64+f.total-1), flow)
	}
	if h.grants != nil {
		h.grants.short[connection] = int32(h.Net.Missing(flow))
		h.requestPull(connection, f)
	}
}

// startsMessage reports whether everything that a connection has sent has arrived, and a message comes next.
func (h *hosts) startsMessage(connection int32, f *sender) bool {
	if h.messages == nil || f.next == 0 || f.received < f.next {
		return false
	}
	open := h.messages[connection]
	return len(open) > 0 && open[0].begin == f.next
}

// endMessages ends the messages of a connection that have arrived completely, as far as the sender knows after the
// ACK of psn. O(messages in progress), and amortized O(1) for each packet.
func (h *hosts) endMessages(connection int32, f *sender, psn int32) {
	open := h.messages[connection]
	last := lastAt(open, psn+1)
	left := open[:0]
	for i := range open {
		m := open[i]
		if m.from >= f.next {
			left = append(left, open[i:]...)
			break
		}
		for m.from < min(m.end, f.next) && h.arrived(f, m.from) {
			m.from++
		}
		if m.from == m.end {
			h.end(m.flow, f, last, psn)
		} else {
			left = append(left, m)
		}
	}
	h.messages[connection] = left
}

// arrived reports whether the sender knows that a packet has arrived.
func (h *hosts) arrived(f *sender, psn int32) bool {
	return psn < f.complete || h.groups[f.first+psn/64].acked>>(uint32(psn)%64)&1 == 1
}

// unfinished reports whether a connection has messages in progress.
func (h *hosts) unfinished(connection int32) bool {
	if h.messages == nil {
		return !h.Edge.Finished(connection)
	}
	return len(h.messages[connection]) > 0
}

// sentBy returns the flow that ends just before the connection's next new packet, or none.
func (h *hosts) sentBy(connection int32, f *sender) int32 {
	if h.messages == nil {
		if f.next == f.total {
			return connection
		}
		return none
	}
	return lastAt(h.messages[connection], f.next)
}

// lastAt returns the message of a list that ends with packet end-1, or none.
func lastAt(list []segment, end int32) int32 {
	for _, m := range list {
		if m.end == end {
			return m.flow
		}
	}
	return none
}
