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
	if h.deliveries != nil {
		h.deliveries.expect(flow, begin, f.first*64, min(f.total, int32(h.Net.Places(connection))))
	}
	if int(f.total) <= h.Net.Places(connection) {
		h.Shorten(int(f.first*64+f.total-1), flow)
	}
	if h.grants != nil {
		h.grants.short[connection] = int32(h.Net.Missing(flow))
		h.requestPull(connection, f)
	}
}

// deliveries tell which message of a connection a packet belongs to, and count what receivers have. Senders write
// places and begin before the packets leave, so that receivers on other workers read them later.
type deliveries struct {
	message []int32 // by packet, 64 places for each group of the network
	begin   []int32 // by message: its first packet in the connection
	arrived []int32 // by message: distinct packets at the receiver
}

// newDeliveries returns the state of runs in which the network is told when messages of connections are delivered, or
// nil.
func newDeliveries(n *fattree.Network) *deliveries {
	if !n.Connects() || !n.TellsDelivery() {
		return nil
	}
	return &deliveries{make([]int32, 64*n.Groups()), make([]int32, n.Flows()), make([]int32, n.Flows())}
}

// reset prepares for a run.
func (d *deliveries) reset() {
	if d != nil {
		clear(d.arrived)
	}
}

// expect notes the packets of a message that begins, from begin up to end of its connection. Packets have places
// from first on.
func (d *deliveries) expect(message, begin, first, end int32) {
	d.begin[message] = begin
	for psn := begin; psn < end; psn++ {
		d.message[first+psn] = message
	}
}

// countDelivered counts a packet that its receiver did not have, and notes that its message is delivered if it is the
// last one.
func (h *hosts) countDelivered(connection, psn int32) {
	d := h.deliveries
	message := d.message[h.Net.FirstGroup(connection)*64+psn]
	if d.arrived[message]++; int64(d.arrived[message]) == h.spec.Packets(h.spec.Workload.Flows[message].Bytes) {
		h.Deliver(message, psn-d.begin[message])
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
