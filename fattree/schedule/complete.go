package schedule

import (
	"fmt"
	"slices"
)

// complete sets the Match of all operations of a schedule with values in range. It returns the schedule if it can
// be played to its end. name returns the name of an operation for errors. O(n log n) for n operations and edges.
func (s *Schedule) complete(name func(op int32) string) (*Schedule, error) {
	open, err := s.match(name)
	if err != nil {
		return nil, err
	}
	p := newPlayer(Job{Schedule: s, Steps: 1})
	p.claim = func(send int32) bool { return s.claim(open, send) }
	p.playIdeally()
	if err := s.checkMatches(name); err != nil {
		return nil, err
	}
	if p.left == 0 {
		return s, nil
	}
	op := int32(slices.IndexFunc(p.ops, func(o progress) bool { return o.end == Never }))
	for range s.Ops { // at most this often, until op is on the cycle
		op = p.awaited(op)
	}
	return nil, fmt.Errorf("schedule: %s waits for itself, by way of %s", name(op), name(p.awaited(op)))
}

// channel is what both ends of a message agree on: sender, receiver and tag. A Recv may leave the sender and the
// tag open, as -1.
type channel struct {
	from, to int32
	tag      int64
}

// isOpen reports whether an operation is a Recv from any rank or with any tag.
func (o *Op) isOpen() bool { return o.Kind == Recv && (o.Peer < 0 || o.Tag < 0) }

// match pairs sends and receives, the k-th send of a source, destination and tag with the k-th receive, and adds
// up the calcs. It returns the receives that leave the source or tag open.
func (s *Schedule) match(name func(op int32) string) (open map[channel][]int32, err error) {
	open = map[channel][]int32{}
	waiting, total := map[channel][]int32{}, int64(0) // operations that wait for their other end, all of one kind
	for i := range s.Ops {
		op := &s.Ops[i]
		c, of := channel{op.Rank, op.Peer, op.Tag}, waiting
		switch op.Match = -1; op.Kind {
		case Calc:
			if total += op.Amount; total > MaxCalc {
				return nil, fmt.Errorf("schedule: %s: calcs take %d ns up to here, must be at most %d", name(int32(i)), total, int64(MaxCalc))
			}
			continue
		case Recv:
			c.from, c.to = op.Peer, op.Rank
		}
		if op.isOpen() {
			of = open
		}
		if others := of[c]; len(others) == 0 || s.Ops[others[0]].Kind == op.Kind {
			of[c] = append(others, int32(i))
		} else {
			op.Match, s.Ops[others[0]].Match, of[c] = others[0], int32(i), others[1:]
		}
	}
	return open, nil
}

// claim pairs a send with the first open receive that takes it, if there is one.
func (s *Schedule) claim(open map[channel][]int32, send int32) bool {
	op, first, at := &s.Ops[send], int32(-1), channel{}
	for _, c := range []channel{{-1, op.Peer, -1}, {-1, op.Peer, op.Tag}, {op.Rank, op.Peer, -1}} {
		if list := open[c]; len(list) > 0 && (first < 0 || list[0] < first) {
			first, at = list[0], c
		}
	}
	if first < 0 {
		return false
	}
	op.Match, s.Ops[first].Match, open[at] = first, send, open[at][1:]
	return true
}

// checkMatches reports an operation without another end, or with another end of a different size.
func (s *Schedule) checkMatches(name func(op int32) string) error {
	for i, op := range s.Ops {
		if op.isOpen() && op.Match < 0 {
			return fmt.Errorf("schedule: %s: no send that can start is left for it", name(int32(i)))
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

// awaited returns an operation that an operation still waits for at the end of a play: one that it needs, or the
// Send of a Recv that has started.
func (p *Player) awaited(op int32) int32 {
	for _, e := range p.job.Schedule.Needs[op] {
		if b := &p.ops[e.Before]; e.Start && b.start == Never || !e.Start && b.end == Never {
			return e.Before
		}
	}
	return p.job.Schedule.Ops[op].Match
}
