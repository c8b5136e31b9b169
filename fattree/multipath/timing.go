package multipath

import (
	"repslab/fattree"
	"repslab/fattree/transport"
)

// timer is the timer of a packet's last transmission.
type timer struct {
	flow, psn int32
	halves    int32 // halves of a time-out until the packet times out
}

// timers are the timers of a tile in the order in which they expire. Each runs for half a time-out and is set
// again as often as needed, so timers form a queue.
type timers struct {
	ring []entry
	head int // place of the first one
	used int
}

// entry is a timer and the slot in which it expires.
type entry struct {
	slot int32
	timer
}

// reset removes all timers.
func (q *timers) reset() { q.head, q.used = 0, 0 }

// next returns the slot in which the first timer expires.
func (q *timers) next() int32 {
	if q.used == 0 {
		return fattree.Never
	}
	return q.ring[q.head].slot
}

// add sets a timer that expires no earlier than all others.
func (q *timers) add(slot int32, t timer) {
	if q.used == len(q.ring) {
		grown := make([]entry, max(16, 2*len(q.ring)))
		n := copy(grown, q.ring[q.head:])
		copy(grown[n:], q.ring[:q.head])
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.used)&(len(q.ring)-1)] = entry{slot, t}
	q.used++
}

// pop removes the first timer and returns it.
func (q *timers) pop() entry {
	first := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.used--
	return first
}

// linearAttempts is how many time-outs of a packet are as long as the first one, and mostDoublings how often they
// double then: more often than any run is long. [MRC26]
const (
	linearAttempts = 7
	mostDoublings  = 14
)

// periods returns the length of a packet's next time-out after some time-outs in a row, in units of the first
// time-out.
func periods(timeouts uint8) int32 {
	return 1 << min(max(0, int32(timeouts)-linearAttempts+1), mostDoublings)
}

// expire handles the packets with timers that expire.
func (h *hosts) expire() {
	for h.timers.next() <= h.Slot {
		t := h.timers.pop()
		f := &h.senders[t.flow]
		s := &f.sent[t.psn]
		total := 2 * periods(s.timeouts)
		if s.state != inFlight || f.acked == f.total || t.slot-s.slot != (total-t.halves+1)*h.half {
			continue // answered, or sent again in the meantime
		}
		if t.halves == total/2+1 {
			h.ask(t.flow, t.psn, f)
		}
		if t.halves--; t.halves > 0 || h.options.ConnectionTimer && t.slot-f.filled < 2*h.half {
			h.timers.add(t.slot+h.half, t.timer)
			continue
		}
		s.timeouts = min(s.timeouts+1, linearAttempts+mostDoublings)
		f.probing = false
		h.lose(t.flow, t.psn, f, transport.Loss{Kind: transport.TimedOut})
	}
}

// ask sends a reliability probe for a packet along the next path, unless one is in flight or no header can be
// lost.
func (h *hosts) ask(flow, psn int32, f *sender) {
	if f.probing || h.reports == nil {
		return
	}
	if ev, _, ok := h.paths.NextPath(flow, h.ports, h.Now); ok {
		f.probing = true
		h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, psn, ev).As(fattree.Outward), Note: fattree.NewNote(arrived, 0)})
	}
}
