package schedule

import "repslab/fattree"

// Job is a schedule with its ranks on hosts of a network.
type Job struct {
	Schedule *Schedule      // complete, with at least an operation
	Hosts    []fattree.Host // by rank, all different
	Steps    int            // how often the schedule is played, at least once; all ranks end a step before any begins the next
	// Latency returns the time that a message of 0 bytes takes from one host to another, and the time that the
	// answer to its sender takes: [fattree.Outline.Latency] of the path. If it is nil, such messages take no time.
	Latency func(from, to fattree.Host) fattree.Picoseconds
}

// Workload returns the messages of at least one byte as flows, in the order of their sends, once for each step. If
// there are too many steps for [fattree.Build], it returns only enough flows that Build refuses them. Its Script
// is a [Player]. O(operations and flows).
func (j Job) Workload() (w fattree.Workload) {
	sends := j.Schedule.sends()
	for range min(j.Steps, fattree.MaxFlows/max(1, len(sends))+1) { // more flows than a network takes are enough
		for _, send := range sends {
			op := &j.Schedule.Ops[send]
			w.Flows = append(w.Flows, fattree.NewFlow(j.Hosts[op.Rank], j.Hosts[op.Peer], op.Amount, 0))
		}
	}
	w.Script = func() fattree.Script { return NewPlayer(j) }
	return w
}

// sends returns the sends of messages of at least one byte.
func (s *Schedule) sends() (list []int32) {
	for i, op := range s.Ops {
		if op.Kind == Send && op.Amount > 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// Ideal returns the time that a schedule takes if messages take no time: the critical path of its calcs and
// streams. O(n log n) for n operations and edges.
func Ideal(s *Schedule) fattree.Picoseconds { return playIdeally(s).played }

// playIdeally plays a schedule with messages that take no time.
func playIdeally(s *Schedule) *Player {
	p := NewPlayer(Job{Schedule: s, Steps: 1})
	p.playIdeally()
	return p
}

// playIdeally plays a step with messages that take no time.
func (p *Player) playIdeally() {
	for p.Next() < Never {
		p.Play(p.Next(), func(flow int32, at fattree.Picoseconds) {
			p.Delivered(flow, at)
			p.Ended(flow, at)
		})
	}
}
