package transport

import (
	"math/bits"

	"repslab/fattree"
)

// requests holds the state of a Run with senders that ask before they retransmit, see
// [Slips.RequestsForRetransmission]. It stands between the run and its congestion control. Each lost request
// enlarges (leaks into) the window; congestion control sees the window without this leak.
type requests struct {
	Control
	flows []requestState
	heard []heardRequests // by flow, at its destination: requests that have arrived
	size  float64         // size of a request, in packets

	reported []heardRequests // by report: requests that had arrived at the receiver
}

// requestState holds the requests of a flow.
type requestState struct {
	sent   int32         // slot of the last new request; 0 is none, since losses come later
	all    []sentRequest // by number
	lost   int32         // requests that wait to be sent again
	open   int32         // requests without an answer
	leaked float64       // packets by which the flow's window is too large
}

// sentRequest is a request. Like a packet it is sent again until its sender knows that it has arrived.
type sentRequest struct {
	sent      int32 // slot
	ev        uint16
	next      int32 // number of the flow's next new packet when the request was first sent
	again     bool  // it was sent again, and then counts against the window
	lost      bool  // it waits to be sent again
	confirmed bool
}

// heardRequests holds the requests of a flow that have arrived: all numbers below all, and all+i for each bit i of
// more.
type heardRequests struct {
	all  int32
	more uint64
}

// add notes a request. A request 64 or more ahead is not noted, and will be sent again.
func (h *heardRequests) add(number int32) {
	if number >= h.all && number < h.all+64 {
		h.more |= 1 << uint32(number-h.all)
	}
	run := bits.TrailingZeros64(^h.more)
	h.all += int32(run)
	h.more >>= run
}

// has reports whether a request has arrived.
func (h heardRequests) has(number int32) bool {
	return number < h.all || number < h.all+64 && h.more>>uint32(number-h.all)&1 == 1
}

// newRequests returns the state for a control c, or nil if senders do not ask before they retransmit.
func (f *flows) newRequests(c Control) *requests {
	spec := &f.spec
	asks := f.options.RequestsForRetransmission || spec.Profile == fattree.UltraEthernet && spec.DisableTrimming
	if !asks || f.grants != nil {
		return nil
	}
	flows := len(f.senders)
	return &requests{
		c, make([]requestState, flows), make([]heardRequests, flows), float64(spec.HeaderBytes) / float64(spec.MTU), make([]heardRequests, len(f.reports)),
	}
}

// Acknowledge lets congestion control move the window without its leak.
func (q *requests) Acknowledge(w *Window, ack Acknowledgement) {
	leaked := q.flows[ack.Flow].leaked
	w.Packets -= leaked
	q.Control.Acknowledge(w, ack)
	w.Packets += leaked
}

// Lose lets congestion control reduce the window without its leak.
func (q *requests) Lose(w *Window, loss Loss) {
	leaked := q.flows[loss.Flow].leaked
	w.Packets -= leaked
	q.Control.Lose(w, loss)
	w.Packets += leaked
}

// leak adds room to the window of a flow beyond what congestion control gave it, or takes this room back.
func (q *requests) leak(flow int32, f *sender, packets float64) {
	q.flows[flow].leaked += packets
	f.window.Packets += packets
}

// askToResend sends a new request for a flow that has no room in its window for a packet that has timed out. It
// does not if the flow has sent one within an RTO. Under UltraEthernet it does not if the flow has sent one within
// an RTT, or if another lost packet waits.
func (h *hosts) askToResend(flow int32, f *sender) {
	q := &h.requests.flows[flow]
	pause, others := h.timeout, false
	if h.ultra() {
		pause, others = int32(h.Net.LongestRTT()/h.slotTime), f.lost > 1
	}
	if h.split.cuts(flow) || f.maySend(h.room) || f.lost == 0 || others || q.sent > 0 && h.Slot-q.sent < pause {
		return
	}
	q.sent = h.Slot
	q.open++
	q.all = append(q.all, sentRequest{next: f.next})
	h.sendRequest(flow, int32(len(q.all)-1))
}

// sendRequest sends a request and sets its timer.
func (h *hosts) sendRequest(flow, number int32) {
	h.agenda.add(h.Slot+h.timeout, fattree.NewPacket(flow, number, expireRequest))
	origin := h.watch.next(flow)
	ev, _ := h.balance.NextEV(flow, h.Now)
	h.emitSent(EventRequest, flow, ev, origin, &h.senders[flow])
	asked := &h.requests.flows[flow].all[number]
	asked.sent, asked.ev = h.Slot, ev
	h.Requests++
	h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, number, ev).As(fattree.Outward), Note: fattree.NewNote(resend, 0)})
}

// resendRequest sends a flow's lowest lost request again in the turn of a packet, unless a lost packet comes
// before it. It reports whether it does.
func (h *hosts) resendRequest(flow int32, f *sender) bool {
	q := &h.requests.flows[flow]
	if q.lost == 0 {
		return false
	}
	number := int32(0)
	for !q.all[number].lost {
		number++
	}
	again := &q.all[number]
	if f.lost > q.lost && h.lowestLost(f) < again.next {
		return false
	}
	again.lost, again.again = false, true
	q.lost--
	f.lost--
	h.requests.leak(flow, f, -h.requests.size) // the request is in flight again
	h.sendRequest(flow, number)
	return true
}

// answerRequest lets a receiver answer a request with the number of packets that it has.
func (h *hosts) answerRequest(c fattree.Crossing) {
	flow := c.Packet.Flow()
	h.requests.heard[flow].add(c.Packet.Number())
	c.Packet, c.Note = c.Packet.As(fattree.Answer), fattree.NewNote(resend, h.Receivers[flow].Received)
	h.sendHeader(c)
}

// receiveAnswer takes in the answer to a request: an ACK that is not for a packet.
func (h *hosts) receiveAnswer(p fattree.Packet, received int32) {
	flow := p.Flow()
	f, q := &h.senders[flow], &h.requests.flows[flow]
	asked := &q.all[p.Number()]
	if q.open == 0 {
		return
	}
	h.requests.confirm(flow, f, p.Number())
	if !h.learn(flow, f, p, received, fattree.Picoseconds(h.Slot-asked.sent)*h.slotTime, false) {
		h.offer(flow, f)
	}
}

// learn lets a flow, congestion control and the balancer learn from an ACK that is not for a packet, and reports
// whether the flow has ended.
func (h *hosts) learn(flow int32, f *sender, p fattree.Packet, received int32, rtt fattree.Picoseconds, unclear bool) (ended bool) {
	fresh := int32(0)
	if h.sacking { // otherwise every packet has an ACK of its own, which counts it
		fresh = max(0, received-f.received)
	}
	f.received += fresh
	f.inFlight -= fresh
	before, kind := f.window.Packets, kindOf(p)
	if h.insights != nil {
		h.insights.prepare(p, "", h.insights.next[flow].OutOfOrder)
	}
	h.control.Acknowledge(&f.window, Acknowledgement{
		Flow: flow, Packets: fresh, Marked: kind == Marked, Now: h.Now, RTT: rtt, Unclear: unclear, InFlight: f.inFlight,
	})
	h.balance.Feedback(Feedback{
		Flow: flow, EV: p.EV(), Kind: kind, Now: h.Now, RTT: rtt,
		Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
	})
	h.emitAnswer(EventReply, flow, none, p, rtt, f)
	if ended = f.received == f.total; ended {
		h.finish(flow, f, none)
	}
	return ended
}

// confirm notes that a request has arrived.
func (q *requests) confirm(flow int32, f *sender, number int32) {
	a := &q.flows[flow]
	asked := &a.all[number]
	switch {
	case asked.confirmed:
		return
	case asked.lost:
		asked.lost = false
		a.lost--
		f.lost--
	case asked.again:
		q.leak(flow, f, q.size)
	}
	asked.confirmed = true
	a.open--
}

// confirmHeard notes the requests that have arrived, as an ACK reports.
func (q *requests) confirmHeard(flow int32, f *sender, h heardRequests) {
	a := &q.flows[flow]
	for number := int32(len(a.all)) - 1; number >= 0 && a.open > 0; number-- {
		if h.has(number) {
			q.confirm(flow, f, number)
		}
	}
}

// expireRequest declares a request lost if its answer has not come. The window shrinks by the request's size. The
// same size is removed from the packets in flight, although it was not added when the request was first sent.
func (h *hosts) expireRequest(flow, number int32, f *sender) {
	q := &h.requests.flows[flow]
	asked := &q.all[number]
	if asked.confirmed || asked.lost {
		return
	}
	asked.lost = true
	q.lost++
	f.lost++
	w := &f.window
	w.Packets = max(w.Packets-q.leaked-h.requests.size, 1) + q.leaked
	h.requests.leak(flow, f, h.requests.size)
	ev := asked.ev
	if h.ultra() {
		ev = 0 // like any time-out, see rules.go
	}
	h.balance.Feedback(Feedback{Flow: flow, EV: ev, Kind: TimedOut, Now: h.Now})
	h.emitLost(flow, none, ev, TimedOut, f)
	h.offer(flow, f)
	h.askToResend(flow, f)
}

// awaitsAnswer reports whether a flow must wait for the answer to a request although all its packets have arrived,
// because its cumulative count is not complete without the answer. It forgets the packets.
func (h *hosts) awaitsAnswer(flow int32, f *sender) bool {
	q := &h.requests.flows[flow]
	if q.open == 0 {
		return false
	}
	f.inFlight, f.lost = 0, q.lost
	h.offer(flow, f)
	return true
}
