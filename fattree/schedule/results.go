package schedule

import (
	"slices"

	"repslab/fattree"
)

// Left returns the number of operations that have not ended. O(1).
func (p *Player) Left() int { return p.left }

// Waited returns the time in which a rank computed nothing while one of its receives had started and the message of
// that was under way. O(1).
func (p *Player) Waited(rank int) fattree.Picoseconds { return p.ranks[rank].waited }

// Step is a piece of the critical path: a calc, or a message from its Send's start until it was delivered or, where
// its sender waited for that, acknowledged.
type Step struct {
	Op         int32 // the Calc or Send
	Start, End fattree.Picoseconds
}

// CriticalPath returns the steps that made the last operation to end as late as it ended, in the order of time: each
// starts when the one before it ends, the first at the beginning. Where several operations ended at the same time, it
// follows the one that the Player played last. O(steps, and operations that took no time between them).
func (p *Player) CriticalPath() []Step {
	var path []Step
	for e := (Edge{Before: p.latest}); e.Before >= 0; e = p.ops[e.Before].released {
		until := p.ops[e.Before].end
		if e.Start || until == p.ops[e.Before].start {
			continue
		}
		if op := &p.schedule.Ops[e.Before]; op.Kind == Recv {
			e.Before = op.Match
		}
		if from := p.ops[e.Before].start; from < until {
			path = append(path, Step{e.Before, from, until})
		}
	}
	slices.Reverse(path)
	return path
}

// End returns when the last operation so far ended; 0 before the first. O(1).
func (p *Player) End() fattree.Picoseconds {
	if p.latest < 0 {
		return 0
	}
	return p.ops[p.latest].end
}

// Ideal returns the time that a schedule takes if messages take none: the critical path of its calcs and streams.
// O(n log n) for n operations and edges.
func Ideal(s *Schedule) fattree.Picoseconds { return playIdeally(s).End() }

// playIdeally plays a schedule whose messages take no time.
func playIdeally(s *Schedule) *Player {
	p := NewPlayer(s)
	p.Advance(Never-1, func(op int32, at fattree.Picoseconds) {
		p.Delivered(op, at)
		p.Acknowledged(op, at)
	})
	return p
}
