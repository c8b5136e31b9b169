package schedule

import (
	"errors"
	"fmt"
	"slices"

	"repslab/mc"
)

// maxParts bounds the number of chunks and micro-batches.
const maxParts = 1 << 16

// maker makes a schedule, rank by rank.
type maker struct {
	Schedule
	rank int32
}

// Tags of messages.
const (
	forwardTag = iota
	backwardTag
	ringTag
	exchangeTag
	treeTag // and the three after it
)

// add adds an operation of the rank that requires others; negative ones stand for none. It returns its index.
func (m *maker) add(op Op, needs ...int32) int32 {
	var edges []Edge
	for _, before := range needs {
		if before >= 0 {
			edges = append(edges, Edge{Before: before})
		}
	}
	op.Rank = m.rank
	m.Ops, m.Needs = append(m.Ops, op), append(m.Needs, edges)
	return int32(len(m.Ops)) - 1
}

// calc adds a calc of some nanoseconds; one of 0 joins those that it requires.
func (m *maker) calc(ns int64, needs ...int32) int32 { return m.add(Op{Amount: ns}, needs...) }

// send adds a message to a rank.
func (m *maker) send(to int32, bytes int64, tag int32, needs ...int32) int32 {
	return m.add(Op{Kind: Send, Peer: to, Amount: bytes, Tag: tag}, needs...)
}

// recv adds the other end of a message.
func (m *maker) recv(from int32, bytes int64, tag int32, needs ...int32) int32 {
	return m.add(Op{Kind: Recv, Peer: from, Amount: bytes, Tag: tag}, needs...)
}

// made makes a schedule of ranks that do the same number of operations each, at most.
func made(ranks, operations int, program func(m *maker)) (*Schedule, error) {
	if operations > MaxOps/ranks {
		return nil, fmt.Errorf("schedule: %d ranks of up to %d operations each must have %d in all, at most", ranks, operations, MaxOps)
	}
	m := &maker{Schedule: Schedule{Ranks: ranks}}
	for m.rank = range int32(ranks) {
		program(m)
	}
	return &m.Schedule, m.complete(func(op int32) string { return fmt.Sprintf("operation %d of rank %d", op, m.Ops[op].Rank) })
}

// inRange returns an error about a value that is out of range.
func inRange[T int | int64 | float64](name string, value, least, most T) error {
	if value >= least && value <= most { // not so for NaN
		return nil
	}
	return mc.NewFieldError("schedule", name, value, "must be in [%v, %v]", least, most)
}

// ring adds the part of the rank at a place of a ring in its all-reduce: in each of 2 (n - 1) steps it sends a chunk on,
// and from the second step on the one that came in the step before [Patarasuk09]. It returns the end.
func (m *maker) ring(members []int32, place int, bytes int64, after int32) int32 {
	n := len(members)
	next, previous := members[(place+1)%n], members[(place+n-1)%n]
	ends := []int32{after}
	for step := range 2 * (n - 1) {
		sent := m.send(next, part(bytes, n, place-step), ringTag, after)
		after = m.recv(previous, part(bytes, n, place-1-step), ringTag, after)
		ends = append(ends, sent, after)
	}
	return m.calc(0, ends...)
}

// part returns the bytes of a chunk of n nearly equal ones, numbered modulo n.
func part(bytes int64, n, number int) int64 {
	if number = (number%n + n) % n; int64(number) < bytes%int64(n) {
		return bytes/int64(n) + 1
	}
	return bytes / int64(n)
}

// exchange adds the part of the rank at a place in an all-to-all of bytes from each to each, with a number of sends open
// at a time. It returns the end.
func (m *maker) exchange(members []int32, place, parallel int, bytes int64, after int32) int32 {
	ends, sent := []int32{after}, slices.Repeat([]int32{after}, parallel)
	for i := 1; i < len(members); i++ {
		to, from := members[(place+i)%len(members)], members[(place-i+len(members))%len(members)]
		sent[i%parallel] = m.send(to, bytes, exchangeTag, sent[i%parallel])
		ends = append(ends, m.recv(from, bytes, exchangeTag, after))
	}
	return m.calc(0, append(ends, sent...)...)
}

// RingAllreduce returns an all-reduce of bytes, in [0, 2^50], over a ring of ranks as NCCL has it: in 2 (ranks - 1) steps
// every rank sends a chunk of 1/ranks of the bytes to the next one [Patarasuk09]. Where a message takes d from the start of
// its send to its delivery it takes
//
//	2 (ranks - 1) d
//
// and the rest of the last acknowledgement. ranks must be at least 2; errors are [*mc.FieldError] values or name the
// limit of operations, MaxOps. O(ranks^2).
func RingAllreduce(ranks int, bytes int64) (*Schedule, error) {
	if err := errors.Join(inRange("ranks", ranks, 2, MaxRanks), inRange("bytes", bytes, 0, MaxBytes)); err != nil {
		return nil, err
	}
	members := upTo(ranks)
	return made(ranks, 4*ranks, func(m *maker) { m.ring(members, int(m.rank), bytes, -1) })
}

// upTo returns the numbers below n.
func upTo(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// AllToAll returns an exchange in which every rank sends bytes, in [0, 2^50], to each other one, the next one first, with
// at most parallel sends open: the next begins when the one that many before it is acknowledged. It is the shuffle between
// experts. Where a message takes a from the start of its send to its acknowledgement it takes
//
//	ceil((ranks - 1) / parallel) a
//
// ranks must be at least 2, parallel in [1, ranks-1]; errors are as of RingAllreduce. O(ranks^2).
func AllToAll(ranks, parallel int, bytes int64) (*Schedule, error) {
	err := errors.Join(inRange("ranks", ranks, 2, MaxRanks), inRange("bytes", bytes, 0, MaxBytes))
	if err = errors.Join(err, inRange("parallel", parallel, 1, max(1, ranks-1))); err != nil {
		return nil, err
	}
	members := upTo(ranks)
	return made(ranks, 2*ranks, func(m *maker) { m.exchange(members, int(m.rank), parallel, bytes, -1) })
}

// TreeAllreduce returns an all-reduce of bytes, in [0, 2^50], over NCCL's double binary tree: each of two trees reduces half
// of the bytes to its root and sends them back, in chunks. All ranks but one, at most, have children in one tree only
// [Sanders09]. A rank hands a chunk to a neighbour when the one before it is acknowledged. Where a chunk takes d from the start of its send to its
// delivery, and a >= d to its acknowledgement, and the deeper tree has depth h, it takes
//
//	(chunks - 1) a + (2 h - 1) d + a
//
// ranks must be at least 2, chunks in [1, 2^16]; errors are as of RingAllreduce. O(ranks chunks).
func TreeAllreduce(ranks, chunks int, bytes int64) (*Schedule, error) {
	err := errors.Join(inRange("ranks", ranks, 2, MaxRanks), inRange("bytes", bytes, 0, MaxBytes), inRange("chunks", chunks, 1, maxParts))
	if err != nil {
		return nil, err
	}
	var children [2][][]int32
	for tree := range children {
		children[tree] = make([][]int32, ranks)
		for rank := range ranks {
			if parent := treeParent(tree, ranks, rank); parent >= 0 {
				children[tree][parent] = append(children[tree][parent], int32(rank))
			}
		}
	}
	return made(ranks, 14*chunks, func(m *maker) {
		for tree := range children {
			m.tree(treeTag+2*int32(tree), int32(treeParent(tree, ranks, int(m.rank))), children[tree][m.rank], chunks, part(bytes, 2, tree))
		}
	})
}

// treeParent returns the parent of a rank in one of the two trees of [NCCL], -1 for the root: in the first one, of rank 0, ranks
// with more trailing zero bits stand above others; the second one is its mirror image or, for an odd number of ranks, the
// first one shifted by a rank.
func treeParent(tree, ranks, rank int) int {
	move := func(rank, by int) int {
		switch {
		case tree == 0:
			return rank
		case ranks%2 == 0:
			return ranks - 1 - rank
		}
		return (rank + by + ranks) % ranks
	}
	rank = move(rank, -1)
	if rank == 0 {
		return -1
	}
	bit := rank & -rank
	parent := rank ^ bit | bit<<1
	if parent >= ranks {
		parent = rank ^ bit
	}
	return move(parent, 1)
}

// tree adds the part of the rank in a tree: chunks go up to the parent, if there is one, and down to the children.
func (m *maker) tree(tag, parent int32, children []int32, chunks int, bytes int64) {
	up, down := int32(-1), slices.Repeat([]int32{-1}, len(children))
	for chunk := range chunks {
		var here []int32
		size := part(bytes, chunks, chunk)
		for _, child := range children {
			here = append(here, m.recv(child, size, tag))
		}
		if parent >= 0 {
			up = m.send(parent, size, tag, append(here, up)...)
			here = []int32{m.recv(parent, size, tag+1)}
		}
		for i, child := range children {
			down[i] = m.send(child, size, tag+1, append(here, down[i])...)
		}
	}
}
