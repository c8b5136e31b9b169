package fattree

import (
	"slices"

	"repslab/mc"
)

// segment is a flow that has begun and not ended, as a part of its connection. The first of the
// connection's flows in the workload stands for it: packets, balancer and congestion control know that
// one alone.
type segment struct {
	flow       int32
	begin, end int32 // its packets are those of [begin, end)
	from       int32 // of which those below from have arrived, as far as the sender knows
}

// validateConnections reports the first flow whose hosts are others than those of its connection.
func (w Workload) validateConnections() error {
	list := w.connections()
	if list != nil && w.BackgroundEvery > 0 {
		return mc.NewFieldError("fattree", "BackgroundEvery", w.BackgroundEvery, "must be 0 with connections of several messages")
	}
	for i, first := range list {
		if f := w.Flows[i]; pairOf(i, f) != pairOf(i, w.Flows[first]) {
			return refuse("Flows", i, "Connection", f.Connection, "must not be that of flow %d, which has other hosts", first)
		}
	}
	return nil
}

// connections returns for each flow the first one of its connection, or nil if all have their own.
func (w Workload) connections() []int32 {
	if !slices.ContainsFunc(w.Flows, func(f Flow) bool { return f.Connection > 0 }) {
		return nil
	}
	return firsts(w.Flows, func(i int, f Flow) int {
		if f.Connection == 0 {
			return -i - 1
		}
		return f.Connection
	})
}

// connection returns the flow that stands for the connection of a flow.
func (n *Network) connection(flow int32) int32 {
	if n.connections == nil {
		return flow
	}
	return n.connections[flow]
}

// newMessages returns empty lists with room for all messages of each connection, or nil.
func (n *Network) newMessages() [][]segment {
	if n.connections == nil {
		return nil
	}
	list := make([][]segment, len(n.connections))
	for _, connection := range n.connections {
		list[connection] = append(list[connection], segment{})
	}
	return list
}

// addMessage puts a flow that begins behind those of its connection.
func (t *tile) addMessage(connection, flow int32, f *sender) {
	begin := f.total
	f.total += int32(t.net.spec.packets(t.net.spec.Workload.Flows[flow].Bytes))
	t.messages[connection] = append(t.messages[connection], segment{flow, begin, f.total, begin})
	if t.short != nil {
		t.short[f.first*64+f.total-1] = t.net.missingPart(flow)
	}
	if t.grants != nil {
		t.grants.short[connection] = int32(t.net.missing(flow))
		t.requestPull(connection, f)
	}
}

// startsMessage reports whether all that a connection has sent has arrived, and a message comes next.
func (t *tile) startsMessage(connection int32, f *sender) bool {
	if t.messages == nil || f.next == 0 || f.received < f.next {
		return false
	}
	open := t.messages[connection]
	return len(open) > 0 && open[0].begin == f.next
}

// endMessages ends the messages of a connection whose packets have all arrived, as far as its sender knows
// after the ACK of psn. O(messages under way), and of packets amortized O(1).
func (t *tile) endMessages(connection int32, f *sender, psn int32) {
	open := t.messages[connection]
	last := lastAt(open, psn+1)
	left := open[:0]
	for i := range open {
		m := open[i]
		if m.from >= f.next {
			left = append(left, open[i:]...)
			break
		}
		for m.from < min(m.end, f.next) && t.arrived(f, m.from) {
			m.from++
		}
		if m.from == m.end {
			t.end(m.flow, f, last, psn)
		} else {
			left = append(left, m)
		}
	}
	t.messages[connection] = left
}

// arrived reports whether the sender knows that a packet has arrived.
func (t *tile) arrived(f *sender, psn int32) bool {
	return psn < f.complete || t.groups[f.first+psn/64].acked>>(uint32(psn)%64)&1 == 1
}

// unfinished reports whether a connection has messages under way.
func (t *tile) unfinished(connection int32) bool {
	if t.messages == nil {
		return t.result.Flows[connection].End == Unfinished
	}
	return len(t.messages[connection]) > 0
}

// sentBy returns the flow whose last packet is the one before the next new one, or none.
func (t *tile) sentBy(connection int32, f *sender) int32 {
	if t.messages == nil {
		if f.next == f.total {
			return connection
		}
		return none
	}
	return lastAt(t.messages[connection], f.next)
}

// lastAt returns the message of a list that ends at a packet, or none.
func lastAt(list []segment, end int32) int32 {
	for _, m := range list {
		if m.end == end {
			return m.flow
		}
	}
	return none
}
