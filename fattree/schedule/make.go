package schedule

import (
	"fmt"
	"slices"

	"repslab/faults"
)

// maxParts bounds the number of chunks and micro-batches.
const maxParts = 1 << 16

// maker makes a schedule, rank by rank.
type maker struct {
	Schedule
	rank int64
	cpu  uint8 // stream of the operations to add
}

// Tags of messages; trees use treeTag and the three tags after it.
const forwardTag, backwardTag, ringTag, exchangeTag, treeTag = 0, 1, 2, 3, 4

// add adds an operation of the rank. It requires the operations needs, except negative ones. It returns its index.
func (m *maker) add(kind Kind, peer, amount int64, tag int32, needs ...int32) int32 {
	var edges []Edge
	for _, before := range needs {
		if before >= 0 {
			edges = append(edges, Edge{Before: before})
		}
	}
	m.Ops = append(m.Ops, Op{Kind: kind, CPU: m.cpu, Rank: int32(m.rank), Peer: int32(peer), Tag: int64(tag), Amount: amount})
	m.Needs = append(m.Needs, edges)
	return int32(len(m.Ops)) - 1
}

// calc adds a calc of some nanoseconds; a calc of 0 only joins the operations that it requires.
func (m *maker) calc(ns int64, needs ...int32) int32 { return m.add(Calc, 0, ns, 0, needs...) }

// limit is a value that must be in [least, most].
type limit struct {
	name               string
	value, least, most int64
}

// outside returns an error for each value out of range.
func outside(limits []limit) faults.List {
	f := faults.List{Package: "schedule"}
	for _, l := range limits {
		f.Check(l.least <= l.value && l.value <= l.most, l.name, l.value, "must be in [%d, %d]", l.least, l.most)
	}
	return f
}

// made makes a schedule of ranks with at most the given number of operations each.
func made(limits []limit, ranks, operations int64, program func(m *maker)) (*Schedule, error) {
	bad := outside(limits)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if operations > maxOps/ranks {
		return nil, fmt.Errorf("schedule: %d ranks of up to %d operations each must have %d in all, at most", ranks, operations, maxOps)
	}
	m := &maker{Schedule: Schedule{Ranks: int(ranks)}}
	for m.rank = range ranks {
		program(m)
	}
	return m.complete(func(op int32) string { return fmt.Sprintf("operation %d of rank %d", op, m.Ops[op].Rank) })
}

// group is n ranks at a constant distance from each other.
type group struct{ first, distance, n int64 }

// at returns the rank at a place of the group, modulo n.
func (g group) at(place int64) int64 { return g.first + (place%g.n+g.n)%g.n*g.distance }

// ringSteps are steps [first, end) of a ring of n ranks: the first n - 1 of an all-reduce reduce and scatter, the other
// n - 1 gather.
type ringSteps struct{ first, end int64 }

func reducing(n int64) ringSteps    { return ringSteps{0, n - 1} }
func gathering(n int64) ringSteps   { return ringSteps{n - 1, 2 * (n - 1)} }
func allReducing(n int64) ringSteps { return ringSteps{0, 2 * (n - 1)} }

// ring adds the part of one rank, at a place of a ring, in some steps of an all-reduce. In each step the rank sends a
// chunk; from the second step on it is the chunk that came in the step before [Patarasuk09]. ring returns the last
// receive, which ends after all others.
func (m *maker) ring(members group, steps ringSteps, place, bytes int64, after int32) int32 {
	ends := []int32{after}
	for step := steps.first; step < steps.end; step++ {
		sent := m.add(Send, members.at(place+1), part(bytes, members.n, place-step), ringTag, after)
		after = m.add(Recv, members.at(place-1), part(bytes, members.n, place-1-step), ringTag, after)
		ends = append(ends, sent, after)
	}
	m.calc(0, ends...)
	return after
}

// part returns the bytes of one of n nearly equal chunks, numbered modulo n.
func part(bytes, n, number int64) int64 {
	if number = (number%n + n) % n; number < bytes%n {
		return bytes/n + 1
	}
	return bytes / n
}

// exchange adds the part of one rank, at a place of a group, in an all-to-all in which each rank sends bytes to
// each other one. parallel sends are open at a time. exchange returns the last operation.
func (m *maker) exchange(members group, place, parallel, bytes int64, after int32) int32 {
	ends, sent := []int32{after}, slices.Repeat([]int32{after}, int(parallel))
	for i := int64(1); i < members.n; i++ {
		sent[i%parallel] = m.add(Send, members.at(place+i), bytes, exchangeTag, sent[i%parallel])
		ends = append(ends, m.add(Recv, members.at(place-i), bytes, exchangeTag, after))
	}
	return m.calc(0, append(ends, sent...)...)
}

// RingAllreduce returns an all-reduce of bytes, in [0, 2^50], over a ring of ranks as in NCCL: in each of 2 (ranks
// - 1) steps every rank sends a chunk of 1/ranks of the bytes to the next one [Patarasuk09]. If a message takes d
// from the start of its send to its delivery, the all-reduce takes
//
//	2 (ranks - 1) d
//
// plus the time from the last delivery to its acknowledgement. ranks must be at least 2; errors are
// [*faults.FieldError] values or name the limit of 2^24 operations. O(ranks^2).
func RingAllreduce(ranks, bytes int64) (*Schedule, error) {
	limits := []limit{{"ranks", ranks, 2, maxRanks}, {"bytes", bytes, 0, MaxBytes}}
	return made(limits, ranks, 4*ranks, ringOf(allReducing, ranks, bytes))
}

// ReduceScatter returns the first half of [RingAllreduce]: of bytes, in [0, 2^50], that each rank has, each rank ends
// with the sum of a part of 1/ranks. It sends (ranks - 1) / ranks of the bytes and takes
//
//	(ranks - 1) d
//
// plus the time as of RingAllreduce, with its errors. O(ranks^2).
func ReduceScatter(ranks, bytes int64) (*Schedule, error) {
	limits := []limit{{"ranks", ranks, 2, maxRanks}, {"bytes", bytes, 0, MaxBytes}}
	return made(limits, ranks, 2*ranks, ringOf(reducing, ranks, bytes))
}

// AllGather returns the second half of [RingAllreduce]: each rank has a part of 1/ranks of the bytes, in [0, 2^50], and
// ends with all of them. Bytes, time and errors are as of [ReduceScatter]. O(ranks^2).
func AllGather(ranks, bytes int64) (*Schedule, error) {
	limits := []limit{{"ranks", ranks, 2, maxRanks}, {"bytes", bytes, 0, MaxBytes}}
	return made(limits, ranks, 2*ranks, ringOf(gathering, ranks, bytes))
}

// ringOf returns the program of a rank in some steps of a ring of all ranks.
func ringOf(steps func(n int64) ringSteps, ranks, bytes int64) func(m *maker) {
	return func(m *maker) { m.ring(group{0, 1, ranks}, steps(ranks), m.rank, bytes, -1) }
}

// AllToAll returns an exchange in which every rank sends bytes, in [0, 2^50], to each other one, the next one
// first, as in a shuffle between experts. The i-th send of a rank waits for the acknowledgement of send i -
// parallel. If a message takes a from the start of its send to its acknowledgement, the exchange takes
//
//	ceil((ranks - 1) / parallel) a
//
// ranks must be at least 2, parallel in [1, ranks-1]; errors as of RingAllreduce. O(ranks^2).
func AllToAll(ranks, parallel, bytes int64) (*Schedule, error) {
	limits := []limit{{"ranks", ranks, 2, maxRanks}, {"bytes", bytes, 0, MaxBytes}, {"parallel", parallel, 1, max(2, ranks) - 1}}
	return made(limits, ranks, 2*ranks, func(m *maker) { m.exchange(group{0, 1, ranks}, m.rank, parallel, bytes, -1) })
}

// TreeAllreduce returns an all-reduce of bytes, in [0, 2^50], over NCCL's double binary tree: each of two trees
// reduces half of the bytes to its root and sends them back, in chunks. All ranks but one, at most, have children
// in one tree only [Sanders09]. A rank sends a chunk to a neighbour when the chunk before it is acknowledged. If a
// chunk takes d from the start of its send to its delivery, and a >= d to its acknowledgement, and the deeper tree
// has depth h, the all-reduce takes
//
//	(chunks - 1) a + (2 h - 1) d + a
//
// ranks must be at least 2, chunks in [1, 2^16]; errors as of RingAllreduce. O(ranks (chunks + log ranks)).
func TreeAllreduce(ranks, chunks, bytes int64) (*Schedule, error) {
	limits := []limit{{"ranks", ranks, 2, maxRanks}, {"bytes", bytes, 0, MaxBytes}, {"chunks", chunks, 1, maxParts}}
	return made(limits, ranks, 14*chunks, func(m *maker) {
		for tree := range int64(2) {
			m.tree(tree, ranks, chunks, part(bytes, 2, tree))
		}
	})
}

// treeParent returns the parent of a rank in one of the two trees of [NCCL], or -1 for the root. In the first
// tree, with rank 0 as root, ranks with more trailing zero bits stand above others. The second tree is the mirror
// image of the first or, for an odd number of ranks, the first one shifted by a rank.
func treeParent(tree, ranks, rank int64) int64 {
	move := func(rank, by int64) int64 {
		if tree == 1 && ranks%2 == 0 {
			return ranks - 1 - rank
		}
		return (rank + by*tree + ranks) % ranks
	}
	if rank = move(rank, -1); rank == 0 {
		return -1
	}
	bit := rank & -rank
	parent := rank ^ bit | bit<<1
	if parent >= ranks {
		parent = rank ^ bit
	}
	return move(parent, 1)
}

// tree adds the part of one rank in a tree: chunks go up to its parent, if it has one, and down to its children.
func (m *maker) tree(tree, ranks, chunks, bytes int64) {
	tag := treeTag + 2*int32(tree)
	var children []int64
	for bit := int64(1); bit < ranks; bit <<= 1 { // a rank and its parent are a power of two apart
		for _, child := range []int64{(m.rank + bit) % ranks, (m.rank - bit + ranks) % ranks} {
			if treeParent(tree, ranks, child) == m.rank && !slices.Contains(children, child) {
				children = append(children, child)
			}
		}
	}
	parent, up, down := treeParent(tree, ranks, m.rank), int32(-1), slices.Repeat([]int32{-1}, len(children))
	for chunk := range chunks {
		var here []int32
		size := part(bytes, chunks, chunk)
		for _, child := range children {
			here = append(here, m.add(Recv, child, size, tag))
		}
		if parent >= 0 {
			up = m.add(Send, parent, size, tag, append(here, up)...)
			here = []int32{m.add(Recv, parent, size, tag+1)}
		}
		for i, child := range children {
			down[i] = m.add(Send, child, size, tag+1, append(here, down[i])...)
		}
	}
}
