package schedule

import (
	"slices"

	"repslab/fattree"
)

// Step is a piece of the critical path: a calc, or a message from its Send's start until it was delivered or, where
// its sender waited for that, acknowledged.
type Step struct {
	Op         int32 // the Calc or Send
	Start, End fattree.Picoseconds
}

// Times returns when an operation started and ended; Never for what has not happened. O(1).
func (p *Player) Times(op int32) (start, end fattree.Picoseconds) {
	o := &p.ops[op]
	if !o.begun {
		return Never, Never
	}
	return o.start, o.end
}

// Waited returns the time in which a rank computed nothing while one of its receives had started and the message of
// that was under way. O(1).
func (p *Player) Waited(rank int) fattree.Picoseconds { return p.ranks[rank].waited }

// CriticalPath returns the steps that made the last operation to end as late as it ended, in the order of time: each
// starts when the one before it ends, the first at the beginning. Where several operations ended at the same time, it
// follows the one that the Player played last. O(steps).
func (p *Player) CriticalPath() []Step {
	var path []Step
	for e := (Edge{Before: p.latest}); e.Before >= 0; e = p.ops[e.Before].released {
		o := &p.ops[e.Before]
		if e.Start || o.end == o.start {
			continue
		}
		if p.schedule.Ops[e.Before].Kind == Recv {
			e.Before = p.schedule.Ops[e.Before].Match
		}
		if from := p.ops[e.Before].start; from < o.end {
			path = append(path, Step{e.Before, from, o.end})
		}
	}
	slices.Reverse(path)
	return path
}

// Ideal returns the time that a complete schedule takes if messages take none: the critical path of its calcs and
// streams. O(operations and edges, and their logarithm).
func Ideal(s *Schedule) fattree.Picoseconds {
	p := NewPlayer(s)
	p.Advance(Never, func(op int32, at fattree.Picoseconds) {
		p.Delivered(op, at)
		p.Acknowledged(op, at)
	})
	if p.latest < 0 {
		return 0
	}
	return p.ops[p.latest].end
}
