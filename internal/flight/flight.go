// Package flight counts the different entropy values (EVs) among the packets that a flow has in flight.
package flight

import "slices"

// EVs holds the EVs of a flow's packets. The zero value is a flow that has sent none.
type EVs struct {
	sent     []int32 // EVs of the packets sent last, in order
	inFlight int     // packets in flight after the last one
}

// Send records that a packet leaves, after which inFlight packets are in flight, this one included. O(1), and
// amortized O(1) memory for each packet in flight.
func (e *EVs) Send(ev int32, inFlight int) {
	e.sent = append(e.sent, ev)
	if left := len(e.sent) - inFlight; left > inFlight {
		e.sent = e.sent[:copy(e.sent, e.sent[left:])]
	}
	e.inFlight = inFlight
}

// Count returns how many different EVs the packets have that were in flight after the last Send, the number of packets
// with the most frequent EV, and the number of all. Packets are taken to arrive in the order in which they left.
// O(n log n) for n packets.
func (e *EVs) Count() (different, most, all int) {
	last := slices.Clone(e.sent[max(0, len(e.sent)-e.inFlight):])
	slices.Sort(last)
	run := 0
	for i, ev := range last {
		if i == 0 || ev != last[i-1] {
			different, run = different+1, 0
		}
		run++
		most = max(most, run)
	}
	return different, most, len(last)
}
