package schedule

import (
	"fmt"
	"slices"
)

// complete sets the Match of all operations and returns the schedule, whose values are in range, if it can be played to
// its end. name returns the name of an operation in errors. O(n log n) for n operations and edges.
func (s *Schedule) complete(name func(op int32) string) (*Schedule, error) {
	if err := s.match(name); err != nil {
		return nil, err
	}
	p := playIdeally(s)
	if p.left == 0 {
		return s, nil
	}
	op := int32(slices.IndexFunc(p.ops, func(o progress) bool { return o.end == Never }))
	for range s.Ops { // at most, until it is on the cycle
		op = p.awaited(op)
	}
	return nil, fmt.Errorf("schedule: %s waits for itself, by way of %s", name(op), name(p.awaited(op)))
}

// match pairs sends and receives, the k-th of a source, destination and tag with the k-th, and sums up the calcs.
func (s *Schedule) match(name func(op int32) string) error {
	type channel struct{ from, to, tag int32 }
	open, total := map[channel][]int32{}, int64(0) // operations of one kind whose other ends have not come yet
	for i := range s.Ops {
		op := &s.Ops[i]
		c := channel{op.Rank, op.Peer, op.Tag}
		switch op.Match = -1; op.Kind {
		case Calc:
			if total += op.Amount; total > MaxCalc {
				return fmt.Errorf("schedule: %s: calcs take %d ns up to here, must be at most %d", name(int32(i)), total, int64(MaxCalc))
			}
			continue
		case Recv:
			c.from, c.to = op.Peer, op.Rank
		}
		if others := open[c]; len(others) == 0 || s.Ops[others[0]].Kind == op.Kind {
			open[c] = append(others, int32(i))
		} else {
			op.Match, s.Ops[others[0]].Match, open[c] = others[0], int32(i), others[1:]
		}
	}
	for i, op := range s.Ops {
		switch {
		case op.Kind != Calc && op.Match < 0:
			return fmt.Errorf("schedule: %s: rank %d has no other end of it with tag %d", name(int32(i)), op.Peer, op.Tag)
		case op.Kind == Recv && s.Ops[op.Match].Amount != op.Amount:
			return fmt.Errorf("schedule: %s: recv of %d bytes must have the %d of %s", name(int32(i)), op.Amount, s.Ops[op.Match].Amount, name(op.Match))
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
