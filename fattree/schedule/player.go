package schedule

import (
	"math"

	"repslab/fattree"
)

// Never is a time that never comes.
const Never fattree.Picoseconds = math.MaxInt64

// Player plays a schedule: it knows which operations have ended, which compute and which wait for what. It does
// not know how messages travel: that is told to it by Delivered and Acknowledged. Messages of 0 bytes are its own.
type Player struct {
	schedule *Schedule
	stream   []int32 // of each operation
	after    []Edge  // the operations that wait for each one: Before is the one that waits
	first    []int32 // of each operation in after; one more at the end

	ops    []progress            // by operation
	free   []fattree.Picoseconds // when each stream's last calc ends
	last   []int32               // the last calc of each stream; -1 for none
	ranks  []attention           // by rank
	agenda agenda
	left   int   // operations that have not ended
	latest int32 // the operation that ended last; -1 for none
}

// progress is how far an operation is.
type progress struct {
	start, end fattree.Picoseconds // start from when its turn is known on
	released   Edge                // who let it start: the last one that it needed, or the calc that held its stream; Before -1 for nobody
	needs      int32               // operations that it still waits for
	begun      bool
	arrived    bool // of a Recv: its message is complete
}

// attention is what a rank is occupied with.
type attention struct {
	computing, awaiting int32 // calcs under way; receives that have started and whose messages are under way
	since, waited       fattree.Picoseconds
}

// NewPlayer returns a Player at the beginning of a complete schedule, which it does not change. O(operations and
// edges, and their logarithm).
func NewPlayer(s *Schedule) *Player {
	p := &Player{schedule: s, ops: make([]progress, len(s.Ops)), ranks: make([]attention, s.Ranks)}
	p.number()
	p.invert()
	p.Reset(0)
	return p
}

// number gives the streams of each rank numbers.
func (p *Player) number() {
	p.stream = make([]int32, len(p.ops))
	of := map[[2]int32]int32{}
	for i, op := range p.schedule.Ops {
		key := [2]int32{op.Rank, int32(op.CPU)}
		if _, known := of[key]; !known {
			of[key] = int32(len(of))
		}
		p.stream[i] = of[key]
	}
	p.free, p.last = make([]fattree.Picoseconds, len(of)), make([]int32, len(of))
}

// invert lists the operations that wait for each one.
func (p *Player) invert() {
	p.first = make([]int32, len(p.ops)+1)
	for _, needs := range p.schedule.Needs {
		for _, e := range needs {
			p.first[e.Before+1]++
		}
	}
	for i := range p.ops {
		p.first[i+1] += p.first[i]
	}
	p.after = make([]Edge, p.first[len(p.ops)])
	next := append([]int32(nil), p.first...)
	for i, needs := range p.schedule.Needs {
		for _, e := range needs {
			p.after[next[e.Before]] = Edge{int32(i), e.Start}
			next[e.Before]++
		}
	}
}

// Reset takes the Player back to the beginning, which is at the given time, in [0, 2^60]. It allocates nothing after
// the first play. O(operations).
func (p *Player) Reset(at fattree.Picoseconds) {
	p.agenda, p.left, p.latest = p.agenda[:0], len(p.ops), -1
	for i := range p.free {
		p.free[i], p.last[i] = at, -1
	}
	clear(p.ranks)
	for i := range p.ops {
		p.ops[i] = progress{start: Never, end: Never, released: Edge{Before: -1}, needs: int32(len(p.schedule.Needs[i]))}
		if p.ops[i].needs == 0 {
			p.agenda.push(event{at, int32(i), ready})
		}
	}
}

// Next returns the time of the next operation's start or end of which the Player itself knows; Never if only messages
// are under way. O(1).
func (p *Player) Next() fattree.Picoseconds {
	if len(p.agenda) == 0 {
		return Never
	}
	return p.agenda[0].at
}

// Left returns the number of operations that have not ended. O(1).
func (p *Player) Left() int { return p.left }

// Advance plays up to a time, itself included, and calls send for each message of at least a byte that a rank hands to
// the network, in the order of time; the message is named by its Send. send may call Delivered and Acknowledged.
// O(log operations) for each operation that starts or ends.
func (p *Player) Advance(until fattree.Picoseconds, send func(op int32, at fattree.Picoseconds)) {
	for len(p.agenda) > 0 && p.agenda[0].at <= until {
		e := p.agenda.pop()
		switch e.what {
		case ready:
			p.reserve(e.op, e.at)
			if p.ops[e.op].start == e.at {
				p.begin(e.op, e.at, send)
			}
		case start:
			p.begin(e.op, e.at, send)
		case arrival:
			p.arrive(e.op, e.at)
		case end:
			p.finish(e.op, e.at)
		}
	}
}

// Delivered notes that all of a message has arrived at its receiver, at a time that is not before that of the last
// Advance. It takes effect in the next one.
func (p *Player) Delivered(op int32, at fattree.Picoseconds) {
	p.agenda.push(event{at, p.schedule.Ops[op].Match, arrival})
}

// Acknowledged notes that the sender of a message knows of its delivery, under the conditions of Delivered.
func (p *Player) Acknowledged(op int32, at fattree.Picoseconds) {
	p.agenda.push(event{at, op, end})
}

// reserve gives an operation that is ready the next turn on its stream.
func (p *Player) reserve(op int32, now fattree.Picoseconds) {
	stream := p.stream[op]
	if p.free[stream] > now {
		now = p.free[stream]
		p.ops[op].released = Edge{Before: p.last[stream]}
		p.agenda.push(event{now, op, start})
	}
	p.ops[op].start = now
	if o := p.schedule.Ops[op]; o.Kind == Calc {
		p.free[stream], p.last[stream] = now+o.Amount*psPerNs, op
	}
}

// begin starts an operation.
func (p *Player) begin(op int32, now fattree.Picoseconds, send func(int32, fattree.Picoseconds)) {
	p.ops[op].begun = true
	p.release(op, now, true)
	o := &p.schedule.Ops[op]
	switch {
	case o.Kind == Calc:
		p.occupy(o.Rank, now, 1, 0)
		p.agenda.push(event{now + o.Amount*psPerNs, op, end})
	case o.Kind == Recv && p.ops[op].arrived:
		p.finish(op, now)
	case o.Kind == Recv:
		p.await(o, o.Rank, now)
	case o.Amount == 0:
		p.arrive(o.Match, now)
		p.finish(op, now)
	default:
		p.await(o, o.Peer, now)
		send(op, now)
	}
}

// await notes that a rank waits for a message from now on, if the other end of it has begun.
func (p *Player) await(o *Op, rank int32, now fattree.Picoseconds) {
	if p.ops[o.Match].begun {
		p.occupy(rank, now, 0, 1)
	}
}

// arrive completes the message of a Recv.
func (p *Player) arrive(op int32, now fattree.Picoseconds) {
	p.ops[op].arrived = true
	if !p.ops[op].begun {
		return
	}
	if o := &p.schedule.Ops[op]; o.Amount > 0 {
		p.occupy(o.Rank, now, 0, -1)
	}
	p.finish(op, now)
}

// finish ends an operation.
func (p *Player) finish(op int32, now fattree.Picoseconds) {
	p.ops[op].end = now
	p.left, p.latest = p.left-1, op
	if o := &p.schedule.Ops[op]; o.Kind == Calc {
		p.occupy(o.Rank, now, -1, 0)
	}
	p.release(op, now, false)
}

// release lets the operations start that wait for the start or the end of another one, and for nothing else.
func (p *Player) release(op int32, now fattree.Picoseconds, start bool) {
	for _, e := range p.after[p.first[op]:p.first[op+1]] {
		if e.Start != start {
			continue
		}
		o := &p.ops[e.Before]
		if o.needs--; o.needs == 0 {
			o.released = Edge{op, start}
			p.agenda.push(event{now, e.Before, ready})
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
