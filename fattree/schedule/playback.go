package schedule

import (
	"slices"

	"repslab/fattree"
)

// Job is a schedule whose ranks are hosts of a network.
type Job struct {
	Schedule *Schedule      // complete, with at least an operation
	Hosts    []fattree.Host // by rank, each another one
	Steps    int            // how often it is played, at least once; all ranks end a step before any begins the next
}

// Workload returns the messages of at least a byte as flows, in the order of their sends, once for each step; so many
// steps that [fattree.Build] refuses them are left out. Its Script is a [Playback]. O(operations and flows).
func (j Job) Workload() (w fattree.Workload) {
	sends := j.sends()
	for range min(j.Steps, fattree.MaxFlows/max(1, len(sends))+1) { // more flows than a network takes are enough
		for _, send := range sends {
			op := &j.Schedule.Ops[send]
			w.Flows = append(w.Flows, fattree.NewFlow(j.Hosts[op.Rank], j.Hosts[op.Peer], op.Amount, 0))
		}
	}
	w.Script = func() fattree.Script { return newPlayback(j, sends) }
	return w
}

// sends returns the sends of messages of at least a byte.
func (j Job) sends() (list []int32) {
	for i, op := range j.Schedule.Ops {
		if op.Kind == Send && op.Amount > 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// StepResult holds the outcome of a step.
type StepResult struct {
	Time     fattree.Picoseconds // from its beginning to the end of its last operation
	Waiting  float64             // mean over ranks of the part of Time in which they wait: see [Player.Waited]
	LateRank int32               // the rank whose calcs take most of the critical path, or -1
	LateLink [2]int32            // the ranks, from and to, whose messages take most of it, or -1
}

// Playback plays a job on a network.
type Playback struct {
	job    Job
	player *Player
	sends  []int32             // of the flows of a step, in ascending order
	began  fattree.Picoseconds // the step under way, or the end of the last one
	played fattree.Picoseconds // up to here
	start  func(flow int32, at fattree.Picoseconds)
	send   func(op int32, at fattree.Picoseconds) // starts the flow of a message
	steps  []StepResult                           // those that have ended
}

// newPlayback returns a Playback of a job with its sends.
func newPlayback(j Job, sends []int32) *Playback {
	p := &Playback{job: j, player: NewPlayer(j.Schedule), sends: sends}
	p.send = func(op int32, at fattree.Picoseconds) {
		message, _ := slices.BinarySearch(sends, op)
		p.start(int32(len(p.steps)*len(sends)+message), at)
	}
	return p
}

// Reset implements [fattree.Script].
func (p *Playback) Reset() {
	p.player.Reset(0)
	p.began, p.played, p.steps = 0, 0, p.steps[:0]
}

// Delivered implements [fattree.Script].
func (p *Playback) Delivered(flow int32, at fattree.Picoseconds) {
	p.player.Delivered(p.sends[int(flow)%len(p.sends)], max(at, p.played))
}

// Ended implements [fattree.Script].
func (p *Playback) Ended(flow int32, at fattree.Picoseconds) {
	p.player.Acknowledged(p.sends[int(flow)%len(p.sends)], max(at, p.played))
}

// Next implements [fattree.Script].
func (p *Playback) Next() fattree.Picoseconds { return p.player.Next() }

// Play implements [fattree.Script].
func (p *Playback) Play(until fattree.Picoseconds, start func(flow int32, at fattree.Picoseconds)) {
	p.start = start
	for p.player.Next() <= until {
		p.played = until
		p.player.Advance(until, p.send)
		if p.player.Left() == 0 {
			p.endStep()
		}
	}
}

// endStep notes the outcome of a step, and lets the next one begin.
func (p *Playback) endStep() {
	end, late, waited := p.player.End(), p.latest(), fattree.Picoseconds(0)
	for rank := range p.job.Hosts {
		waited += p.player.Waited(rank)
	}
	of := float64(max(1, end-p.began)) * float64(len(p.job.Hosts))
	p.steps, p.began = append(p.steps, StepResult{end - p.began, float64(waited) / of, late[0][0], late[1]}), end
	if len(p.steps) < p.job.Steps {
		p.player.Reset(end)
	}
}

// latest returns which rank's calcs and which two ranks' messages take most of the critical path, the first of them.
func (p *Playback) latest() [2][2]int32 {
	path, late, spent := p.player.CriticalPath(), [2][2]int32{{-1, -1}, {-1, -1}}, map[[2]int32]fattree.Picoseconds{}
	for round := range 2 {
		for _, step := range path {
			op := &p.job.Schedule.Ops[step.Op]
			key, most := [2]int32{op.Rank, -1}, &late[0]
			if op.Kind != Calc {
				key[1], most = op.Peer, &late[1]
			}
			if round == 0 {
				spent[key] += step.End - step.Start
			} else if most[0] < 0 || spent[key] > spent[*most] {
				*most = key
			}
		}
	}
	return late
}

// Results returns the outcomes of all steps and true. If the last ones had not ended at the end of the run, it returns
// false, and of them a lower bound of Time alone. O(steps).
func (p *Playback) Results(end fattree.Picoseconds) (steps []StepResult, ended bool) {
	left := p.job.Steps - len(p.steps)
	cut := StepResult{LateRank: -1, LateLink: [2]int32{-1, -1}}
	steps = slices.Concat(p.steps, slices.Repeat([]StepResult{cut}, left))
	if left > 0 {
		steps[len(p.steps)].Time = max(0, end-p.began)
	}
	return steps, left == 0
}
