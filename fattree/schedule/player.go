package schedule

import (
	"slices"

	"repslab/fattree"
	"repslab/internal/heap"
)

// Never is a time that never comes.
const Never = fattree.Idle

// Player plays a job: it knows which operations have ended, which ones compute, and what others wait for. It does
// not know how messages travel: Delivered and Ended tell it. It delivers messages of 0 bytes itself, by
// [Job].Latency. It is the [fattree.Script] of the job's workload; the flows are the messages of [Job.Workload].
type Player struct {
	job   Job
	sends []int32  // by flow of a step, in ascending order
	after [][]Edge // by operation: edges to operations that wait for it, with Before as the one that waits

	ops     []progress        // by operation
	streams map[[2]int32]Step // by rank and cpu: the last calc
	ranks   []attention
	agenda  heap.Heap[event] // never empty: its last event is at Never
	left    int              // number of operations that have not ended
	latest  int32            // the operation that ended last, or -1

	began  fattree.Picoseconds // beginning of the current step, or end of the last one
	played fattree.Picoseconds // time played so far
	start  func(flow int32, at fattree.Picoseconds)
	steps  []StepResult                     // steps that have ended
	spent  map[[2]int32]fattree.Picoseconds // time on the critical path, by (rank, -1) or by (sender, receiver)

	claim func(send int32) bool // finds the Recv of a Send without Match; nil for complete schedules
}

// progress is the progress of an operation.
type progress struct {
	start, end fattree.Picoseconds // Never until it happens
	released   Edge                // the last operation that it needed, or the calc that held its stream; Before is -1 for none
	needs      int32               // number of operations that it still waits for
	arrived    bool                // for a Recv: its message is complete
}

// attention says what a rank is occupied with.
type attention struct {
	computing, awaiting int32 // calcs in progress; receives that have started and wait for their messages
	since, waited       fattree.Picoseconds
}

// NewPlayer returns a Player at the beginning of a job. It uses the job's Hosts only for Latency. It panics with the
// name of a field that is not set or does not fit. O(operations and edges).
func NewPlayer(j Job) *Player {
	j.check(j.Latency != nil)
	return newPlayer(j)
}

// newPlayer is NewPlayer for schedules that may not be complete.
func newPlayer(j Job) *Player {
	n := len(j.Schedule.Ops)
	p := &Player{job: j, sends: j.Schedule.sends(), after: make([][]Edge, n), ops: make([]progress, n),
		streams: map[[2]int32]Step{}, spent: map[[2]int32]fattree.Picoseconds{}, ranks: make([]attention, j.Schedule.Ranks)}
	for i, needs := range j.Schedule.Needs {
		for _, e := range needs {
			p.after[e.Before] = append(p.after[e.Before], Edge{int32(i), e.Start})
		}
	}
	p.Reset()
	return p
}

// Reset implements [fattree.Script]. It allocates nothing after the first play. O(operations).
func (p *Player) Reset() {
	p.played, p.steps = 0, p.steps[:0]
	p.begin(0)
}

// Delivered implements [fattree.Script]; it takes effect in the next Play. O(log operations).
func (p *Player) Delivered(flow int32, at fattree.Picoseconds) {
	p.agenda.Push(event{max(at, p.played), arrival, p.job.Schedule.Ops[p.send(flow)].Match})
}

// Ended implements [fattree.Script]; it takes effect in the next Play. O(log operations).
func (p *Player) Ended(flow int32, at fattree.Picoseconds) {
	p.agenda.Push(event{max(at, p.played), end, p.send(flow)})
}

// send returns the Send of a flow.
func (p *Player) send(flow int32) int32 { return p.sends[int(flow)%len(p.sends)] }

// Next implements [fattree.Script]. O(1).
func (p *Player) Next() fattree.Picoseconds { return p.agenda[0].at }

// Play implements [fattree.Script] for times before Never. start may call Delivered and Ended for times at or
// after until. O(log operations) for each operation that starts or ends.
func (p *Player) Play(until fattree.Picoseconds, start func(flow int32, at fattree.Picoseconds)) {
	p.start = start
	for p.agenda[0].at <= until {
		p.played = until
		switch e := p.agenda.Pop(); e.what {
		case arrival:
			p.arrive(e.op, e.at)
		case end:
			p.finish(e.op, e.at)
		case turn:
			p.take(e.op, e.at)
		case ready:
			p.agenda.Push(event{p.reserve(e.op, e.at), turn, e.op})
		}
		if p.left == 0 {
			p.endStep()
		}
	}
}

// begin starts a step.
func (p *Player) begin(at fattree.Picoseconds) {
	p.agenda, p.left, p.latest, p.began = append(p.agenda[:0], event{Never, ready, -1}), len(p.ops), -1, at
	clear(p.streams)
	clear(p.ranks)
	for i := range p.ops {
		needs := int32(len(p.job.Schedule.Needs[i]))
		p.ops[i] = progress{Never, Never, Edge{Before: -1}, needs, false}
		if needs == 0 {
			p.agenda.Push(event{at, ready, int32(i)})
		}
	}
}

// reserve gives an operation that is ready the next turn on its stream, and returns the time of the turn.
func (p *Player) reserve(op int32, now fattree.Picoseconds) fattree.Picoseconds {
	o := &p.job.Schedule.Ops[op]
	stream := [2]int32{o.Rank, int32(o.CPU)}
	if calc := p.streams[stream]; calc.End > now {
		now, p.ops[op].released = calc.End, Edge{Before: calc.Op}
	}
	if o.Kind == Calc {
		p.streams[stream] = Step{op, now, now + fattree.Picoseconds(o.Amount)*fattree.Nanosecond}
	}
	return now
}

// take starts an operation at its turn.
func (p *Player) take(op int32, now fattree.Picoseconds) {
	p.ops[op].start = now
	p.release(op, now, true)
	o := &p.job.Schedule.Ops[op]
	switch {
	case o.Kind == Calc:
		p.occupy(o.Rank, now, 1, 0)
		p.agenda.Push(event{now + fattree.Picoseconds(o.Amount)*fattree.Nanosecond, end, op})
	case o.Kind == Recv && p.ops[op].arrived:
		p.finish(op, now)
	case o.Match < 0 && (o.Kind == Recv || !p.claim(op)): // it waits, forever if there is no other end
	case o.Kind == Recv && p.ops[o.Match].start <= now:
		p.occupy(o.Rank, now, 0, 1)
	case o.Kind == Send:
		if p.ops[o.Match].start <= now {
			p.occupy(o.Peer, now, 0, 1)
		}
		if o.Amount == 0 {
			p.sendNothing(op, now)
			return
		}
		message, _ := slices.BinarySearch(p.sends, op)
		p.start(int32(len(p.steps)*len(p.sends)+message), now)
	}
}

// sendNothing sends a message of 0 bytes.
func (p *Player) sendNothing(op int32, now fattree.Picoseconds) {
	o, way := &p.job.Schedule.Ops[op], fattree.Picoseconds(0)
	if p.job.Latency != nil {
		way = p.job.Latency(p.job.Hosts[o.Rank], p.job.Hosts[o.Peer])
	}
	if way == 0 {
		p.arrive(o.Match, now)
		p.finish(op, now)
		return
	}
	p.agenda.Push(event{now + way, arrival, o.Match})
	p.agenda.Push(event{now + 2*way, end, op})
}

// arrive completes the message of a Recv.
func (p *Player) arrive(op int32, now fattree.Picoseconds) {
	p.ops[op].arrived = true
	if p.ops[op].start <= now {
		p.occupy(p.job.Schedule.Ops[op].Rank, now, 0, -1)
		p.finish(op, now)
	}
}

// finish ends an operation.
func (p *Player) finish(op int32, now fattree.Picoseconds) {
	p.ops[op].end, p.latest = now, op
	p.left--
	if o := &p.job.Schedule.Ops[op]; o.Kind == Calc {
		p.occupy(o.Rank, now, -1, 0)
	}
	p.release(op, now, false)
}

// release makes operations ready that waited only for the start, or only for the end, of an operation.
func (p *Player) release(op int32, now fattree.Picoseconds, start bool) {
	for _, e := range p.after[op] {
		if o := &p.ops[e.Before]; e.Start == start {
			if o.needs--; o.needs == 0 {
				o.released = Edge{op, start}
				p.agenda.Push(event{now, ready, e.Before})
			}
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
