package schedule

import (
	"math"

	"repslab/fattree"
	"repslab/internal/heap"
)

// Never is a time that never comes.
const Never fattree.Picoseconds = math.MaxInt64

// Player plays a schedule: it knows which operations have ended, which compute and which wait for what. It does
// not know how messages travel: Delivered and Acknowledged tell it. Messages of 0 bytes it delivers itself.
type Player struct {
	schedule *Schedule
	after    [][]Edge // by operation, those that wait for it: Before is the one that waits

	ops     []progress        // by operation
	streams map[[2]int32]Step // by rank and cpu, the last calc
	ranks   []attention
	agenda  heap.Heap[event] // never empty: its last event comes never
	left    int              // operations that have not ended
	latest  int32            // the operation that ended last; -1 for none
}

// progress is how far an operation is.
type progress struct {
	start, end fattree.Picoseconds // Never until it happens
	released   Edge                // the last one that it needed, or the calc that held its stream; Before -1 for none
	needs      int32               // operations that it still waits for
	arrived    bool                // of a Recv: its message is complete
}

// attention is what a rank is occupied with.
type attention struct {
	computing, awaiting int32 // calcs under way; receives that have started and whose messages are under way
	since, waited       fattree.Picoseconds
}

// NewPlayer returns a Player at the beginning of a complete schedule, which it does not change. O(operations and
// edges).
func NewPlayer(s *Schedule) *Player {
	n := len(s.Ops)
	p := &Player{s, make([][]Edge, n), make([]progress, n), map[[2]int32]Step{}, make([]attention, s.Ranks), nil, 0, 0}
	for i, needs := range s.Needs {
		for _, e := range needs {
			p.after[e.Before] = append(p.after[e.Before], Edge{int32(i), e.Start})
		}
	}
	p.Reset(0)
	return p
}

// Reset takes the Player back to the beginning, which is at the given time, in [0, 2^60]. It allocates nothing after
// the first play. O(operations).
func (p *Player) Reset(at fattree.Picoseconds) {
	p.agenda, p.left, p.latest = append(p.agenda[:0], event{Never, ready, -1}), len(p.ops), -1
	clear(p.streams)
	clear(p.ranks)
	for i := range p.ops {
		needs := int32(len(p.schedule.Needs[i]))
		p.ops[i] = progress{Never, Never, Edge{Before: -1}, needs, false}
		if needs == 0 {
			p.agenda.Push(event{at, ready, int32(i)})
		}
	}
}

// Next returns the time of the next operation's start or end of which the Player itself knows; Never if only messages
// are under way. O(1).
func (p *Player) Next() fattree.Picoseconds { return p.agenda[0].at }

// Advance plays up to a time before Never, itself included, and calls send for each message of at least a byte that
// a rank hands to the network, in the order of time; the message is named by its Send. send may call Delivered and
// Acknowledged. O(log operations) for each operation that starts or ends.
func (p *Player) Advance(until fattree.Picoseconds, send func(op int32, at fattree.Picoseconds)) {
	for p.agenda[0].at <= until {
		switch e := p.agenda.Pop(); e.what {
		case arrival:
			p.arrive(e.op, e.at)
		case end:
			p.finish(e.op, e.at)
		case start:
			p.begin(e.op, e.at, send)
		case ready:
			if turn := p.reserve(e.op, e.at); turn == e.at {
				p.begin(e.op, e.at, send)
			} else {
				p.agenda.Push(event{turn, start, e.op})
			}
		}
	}
}

// Delivered notes that all of a message has arrived at its receiver, at a time that is not before that of the last
// Advance. It takes effect in the next one. O(log operations).
func (p *Player) Delivered(op int32, at fattree.Picoseconds) {
	p.agenda.Push(event{at, arrival, p.schedule.Ops[op].Match})
}

// Acknowledged notes that the sender of a message knows of its delivery, under the conditions of Delivered.
func (p *Player) Acknowledged(op int32, at fattree.Picoseconds) { p.agenda.Push(event{at, end, op}) }

// reserve gives an operation that is ready the next turn on its stream, and returns when that is.
func (p *Player) reserve(op int32, now fattree.Picoseconds) fattree.Picoseconds {
	o := &p.schedule.Ops[op]
	stream := [2]int32{o.Rank, int32(o.CPU)}
	if calc := p.streams[stream]; calc.End > now {
		now, p.ops[op].released = calc.End, Edge{Before: calc.Op}
	}
	if o.Kind == Calc {
		p.streams[stream] = Step{op, now, now + o.Amount*psPerNs}
	}
	return now
}

// begin starts an operation.
func (p *Player) begin(op int32, now fattree.Picoseconds, send func(int32, fattree.Picoseconds)) {
	p.ops[op].start = now
	p.release(op, now, true)
	o := &p.schedule.Ops[op]
	switch {
	case o.Kind == Calc:
		p.occupy(o.Rank, now, 1, 0)
		p.agenda.Push(event{now + o.Amount*psPerNs, end, op})
	case o.Kind == Recv && p.ops[op].arrived:
		p.finish(op, now)
	case o.Kind == Recv && p.ops[o.Match].start <= now:
		p.occupy(o.Rank, now, 0, 1)
	case o.Kind == Send && o.Amount == 0:
		p.arrive(o.Match, now)
		p.finish(op, now)
	case o.Kind == Send:
		if p.ops[o.Match].start <= now {
			p.occupy(o.Peer, now, 0, 1)
		}
		send(op, now)
	}
}

// arrive completes the message of a Recv.
func (p *Player) arrive(op int32, now fattree.Picoseconds) {
	p.ops[op].arrived = true
	if p.ops[op].start > now {
		return
	}
	if o := &p.schedule.Ops[op]; o.Amount > 0 {
		p.occupy(o.Rank, now, 0, -1)
	}
	p.finish(op, now)
}

// finish ends an operation.
func (p *Player) finish(op int32, now fattree.Picoseconds) {
	p.ops[op].end, p.latest = now, op
	p.left--
	if o := &p.schedule.Ops[op]; o.Kind == Calc {
		p.occupy(o.Rank, now, -1, 0)
	}
	p.release(op, now, false)
}

// release lets the operations start that wait for the start or the end of another one, and for nothing else.
func (p *Player) release(op int32, now fattree.Picoseconds, start bool) {
	for _, e := range p.after[op] {
		o := &p.ops[e.Before]
		if e.Start != start {
			continue
		}
		if o.needs--; o.needs == 0 {
			o.released = Edge{op, start}
			p.agenda.Push(event{now, ready, e.Before})
		}
	}
}

// occupy changes the numbers of calcs and awaited messages of a rank.
func (p *Player) occupy(rank int32, now fattree.Picoseconds, computing, awaiting int32) {
	r := &p.ranks[rank]
	if r.computing == 0 && r.awaiting > 0 {
		r.waited += now - r.since
	}
	r.since, r.computing, r.awaiting = now, r.computing+computing, r.awaiting+awaiting
}
