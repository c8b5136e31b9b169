package schedule

import (
	"iter"
	"slices"

	"repslab/fattree"
)

// StepResult holds the outcome of a step.
type StepResult struct {
	Time fattree.Picoseconds // from the beginning of the step to the end of its last operation
	// Waiting is the mean over ranks of the time in which a rank computes nothing while one of its receives has
	// started and waits for its message.
	Waiting  float64
	LateRank int32    // the rank with the largest share of the critical path in its calcs, or -1
	LateLink [2]int32 // sender and receiver with the largest share of the critical path in their messages, or -1
}

// endStep records the outcome of a step and starts the next one.
func (p *Player) endStep() {
	end, waited := p.ops[p.latest].end, fattree.Picoseconds(0)
	for _, r := range p.ranks {
		waited += r.waited
	}
	of := float64(max(1, end-p.began)) * float64(len(p.ranks))
	rank, link := p.late()
	p.steps, p.began = append(p.steps, StepResult{end - p.began, float64(waited) / of, rank[0], link}), end
	if len(p.steps) < p.job.Steps {
		p.begin(end)
	}
}

// late returns the rank with the largest share of the critical path in its calcs, and the two ranks with the
// largest share in their messages; the first of several.
func (p *Player) late() (rank, link [2]int32) {
	rank, link = [2]int32{-1, -1}, [2]int32{-1, -1}
	clear(p.spent)
	for step := range p.CriticalPath() { // from the last to the first, so that the first of equals wins
		op := &p.job.Schedule.Ops[step.Op]
		key, most := [2]int32{op.Rank, -1}, &rank
		if op.Kind != Calc {
			key[1], most = op.Peer, &link
		}
		if p.spent[key] += step.End - step.Start; p.spent[key] >= p.spent[*most] {
			*most = key
		}
	}
	return rank, link
}

// Results returns the outcomes of all steps, and whether the end of the run cut some. A cut step has only Time, as
// a lower bound. O(steps).
func (p *Player) Results(end fattree.Picoseconds) (steps []StepResult, cut bool) {
	steps = slices.Clone(p.steps)
	for began := p.began; len(steps) < p.job.Steps; began = end {
		steps = append(steps, StepResult{Time: max(0, end-began), LateRank: -1, LateLink: [2]int32{-1, -1}})
	}
	return steps, len(p.steps) < p.job.Steps
}

// Step is a piece of the critical path: a calc, or a message. A message lasts from the start of its Send to its
// delivery or, if its sender waited for that, to its acknowledgement.
type Step struct {
	Op         int32 // the Calc or Send
	Start, End fattree.Picoseconds
}

// CriticalPath yields the steps that determine the end of the last operation so far, from the last step to the
// first. Each step ends when the step yielded before it starts, and the last one yielded starts at the beginning.
// If several operations ended at the same time, it follows the one that the Player played last. O(steps, and
// operations that took no time between them).
func (p *Player) CriticalPath() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for e := (Edge{Before: p.latest}); e.Before >= 0; e = p.ops[e.Before].released {
			until := p.ops[e.Before].end
			if e.Start || until == p.ops[e.Before].start {
				continue
			}
			if op := &p.job.Schedule.Ops[e.Before]; op.Kind == Recv {
				e.Before = op.Match
			}
			if from := p.ops[e.Before].start; from < until && !yield(Step{e.Before, from, until}) {
				return
			}
		}
	}
}
