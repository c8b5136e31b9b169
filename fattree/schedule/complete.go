package schedule

import (
	"fmt"
	"slices"
)

// complete sets the Match of all operations and checks that a schedule whose values are in range can be played to its
// end. name returns the name of an operation in errors. O(n log n) for n operations and edges.
func (s *Schedule) complete(name func(op int32) string) error {
	total := int64(0)
	for i, op := range s.Ops {
		if s.Ops[i].Match = -1; op.Kind == Calc {
			total += op.Amount
		}
		if total > MaxCalc {
			return fmt.Errorf("schedule: %s: calcs take %d ns up to here, must be at most %d", name(int32(i)), total, int64(MaxCalc))
		}
	}
	if err := s.match(name); err != nil {
		return err
	}
	p := playIdeally(s)
	if p.left == 0 {
		return nil
	}
	op := int32(slices.IndexFunc(p.ops, func(o progress) bool { return o.end == Never }))
	for range s.Ops { // at most, until it is on the cycle
		op = p.awaited(op)
	}
	return fmt.Errorf("schedule: %s waits for itself, by way of %s", name(op), name(p.awaited(op)))
}

// match pairs sends and receives: the k-th of a source, destination and tag with the k-th.
func (s *Schedule) match(name func(op int32) string) error {
	type channel struct{ from, to, tag int32 }
	sent := map[channel][]int32{}
	for i, op := range s.Ops {
		if c := (channel{op.Rank, op.Peer, op.Tag}); op.Kind == Send {
			sent[c] = append(sent[c], int32(i))
		}
	}
	for i, op := range s.Ops {
		c := channel{op.Peer, op.Rank, op.Tag}
		if op.Kind != Recv || len(sent[c]) == 0 {
			continue
		}
		send := sent[c][0]
		if bytes := s.Ops[send].Amount; bytes != op.Amount {
			return fmt.Errorf("schedule: %s: recv of %d bytes must have the %d of %s", name(int32(i)), op.Amount, bytes, name(send))
		}
		s.Ops[i].Match, s.Ops[send].Match, sent[c] = send, int32(i), sent[c][1:]
	}
	for i, op := range s.Ops {
		if op.Kind != Calc && op.Match < 0 {
			return fmt.Errorf("schedule: %s: rank %d has no other end of it with tag %d", name(int32(i)), op.Peer, op.Tag)
		}
	}
	return nil
}

// awaited returns an operation that lets another one wait at the end of a play: what it needs, or the Send of a Recv
// that has started.
func (p *Player) awaited(op int32) int32 {
	for _, e := range p.job.Schedule.Needs[op] {
		if b := &p.ops[e.Before]; e.Start && b.start == Never || !e.Start && b.end == Never {
			return e.Before
		}
	}
	return p.job.Schedule.Ops[op].Match
}
