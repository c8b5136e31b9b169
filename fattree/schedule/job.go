package schedule

import (
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/faults"
)

// Job is a schedule with its ranks on hosts of a network.
type Job struct {
	Schedule *Schedule      // complete, with at least an operation
	Hosts    []fattree.Host // by rank, all different
	Steps    int            // how often the schedule is played, at least once; all ranks end a step before any begins the next
	// Latency returns the time that a message of 0 bytes takes from one host to another, and the time that the
	// answer to its sender takes: [fattree.Outline.Latency] of the path. If it is nil, such messages take no time.
	Latency func(from, to fattree.Host) fattree.Picoseconds
	// Connect makes the messages that a stream (CPU) of a rank sends to another rank, in all steps, one connection:
	// [fattree.Flow.Connection]. Otherwise each message has its own.
	Connect bool
}

// Workload returns the messages of at least one byte as flows, in the order of their sends, once for each step. If
// there are too many steps for [fattree.Build], it returns only enough flows that Build refuses them. Its Script
// is a [Player] of a copy of the job, so later changes of the schedule do not reach it. It panics with the name of a
// field that is not set or does not fit. O(operations and flows).
func (j Job) Workload() (w fattree.Workload) {
	j = j.clone()
	sends := j.Schedule.sends()
	connections := map[[3]int32]int{}                               // by stream and rank
	for range min(j.Steps, fattree.MaxFlows/max(1, len(sends))+1) { // more flows than a network takes are enough
		for _, send := range sends {
			op := &j.Schedule.Ops[send]
			flow := fattree.NewFlow(j.Hosts[op.Rank], j.Hosts[op.Peer], op.Amount, 0)
			if j.Connect {
				from := [3]int32{op.Rank, op.Peer, int32(op.CPU)}
				if connections[from] == 0 {
					connections[from] = len(connections) + 1
				}
				flow.Connection = connections[from]
			}
			w.Flows = append(w.Flows, flow)
		}
	}
	w.Script = func() fattree.Script { return newPlayer(j) }
	return w
}

// check panics with the faults of a job that is to be played; withHosts says that its Hosts are used.
func (j Job) check(withHosts bool) {
	bad := faults.List{Package: "schedule"}
	bad.Check(j.Steps > 0, "Job.Steps", j.Steps, "must be at least 1")
	if j.Schedule == nil || len(j.Schedule.Ops) == 0 {
		bad.Refuse("Job.Schedule", j.Schedule, "must be set, with at least an operation")
	} else {
		bad.Add(j.Schedule.validate())
		bad.Check(!withHosts || len(j.Hosts) >= j.Schedule.Ranks, "Job.Hosts", len(j.Hosts), "must have a host for each of the %d ranks", j.Schedule.Ranks)
	}
	if err := bad.Err(); err != nil {
		panic(err)
	}
}

// validate reports the first operation that is not complete, as every operation of [Read] and of the makers is.
// O(operations and edges).
func (s *Schedule) validate() error {
	if s.Ranks < 0 || s.Ranks > maxRanks {
		return faults.New("schedule", "Ranks", s.Ranks, "must be in [0, %d]", maxRanks)
	}
	if len(s.Needs) != len(s.Ops) {
		return faults.New("schedule", "Needs", len(s.Needs), "must have an entry for each of the %d Ops", len(s.Ops))
	}
	ops, left := int32(len(s.Ops)), int64(MaxCalc)
	for i, op := range s.Ops {
		wrong := op.Kind > Recv || op.Rank < 0 || i > 0 && op.Rank < s.Ops[i-1].Rank || int(op.Rank) >= s.Ranks || op.Amount < 0
		if op.Kind == Calc {
			wrong = wrong || op.Amount > left
			left -= op.Amount
		} else {
			wrong = wrong || op.Amount > MaxBytes || op.Match < 0 || op.Match >= ops
			if !wrong {
				end := s.Ops[op.Match]
				wrong = end.Match != int32(i) || end.Kind != Send+Recv-op.Kind || end.Amount != op.Amount || op.Peer >= 0 && op.Peer != end.Rank
			}
		}
		if wrong {
			return faults.New("schedule", fmt.Sprintf("Ops[%d]", i), fmt.Sprintf("%+v", op), "must have a Kind, a Rank in [0, %d] and not below the one before, an Amount of at most %d bytes (or calcs of %d ns in all), "+
				"and the Match of a message, whose Match it is, on the rank Peer and with the same Amount", s.Ranks-1, int64(MaxBytes), int64(MaxCalc))
		}
		if slices.ContainsFunc(s.Needs[i], func(e Edge) bool {
			return e.Before < 0 || e.Before >= ops || e.Before == int32(i) || s.Ops[e.Before].Rank != op.Rank
		}) {
			return faults.New("schedule", fmt.Sprintf("Needs[%d]", i), s.Needs[i], "must name other operations in [0, %d], of rank %d", ops-1, op.Rank)
		}
	}
	return nil
}

// clone returns a valid job with lists of its own, and panics if j is not valid.
func (j Job) clone() Job {
	j.check(true)
	s := *j.Schedule
	s.Ops, s.Needs = slices.Clone(s.Ops), slices.Clone(s.Needs)
	for i := range s.Needs {
		s.Needs[i] = slices.Clone(s.Needs[i])
	}
	j.Schedule, j.Hosts = &s, slices.Clone(j.Hosts)
	return j
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
// streams. It panics if s cannot be played. O(n log n) for n operations and edges.
func Ideal(s *Schedule) fattree.Picoseconds {
	Job{Schedule: s, Steps: 1}.check(false)
	p := playIdeally(s)
	if p.left > 0 {
		panic(faults.New("schedule", "Needs", s.Needs, "must not let operations wait for each other in a circle"))
	}
	return p.played
}

// playIdeally plays a schedule with messages that take no time.
func playIdeally(s *Schedule) *Player {
	p := newPlayer(Job{Schedule: s, Steps: 1})
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
