package proofs

import (
	"fmt"
	"iter"
	"slices"
)

// system is a recycled process at λ = 1 that gets its random choices from the caller, so that they can be
// enumerated. It implements both readings of the text, written for clarity and independent of package
// recycled. A round has two halves: [system.remove] returns the number of draws, and [system.throw] takes
// their outcomes.
//
// In self-clocked balls have no identity; their colours are 0.
type system struct {
	setup
	queues  [][]uint16 // colours of the balls in each bin, the head first
	memory  []uint16   // of each colour: its bin plus one, or 0; round-robin only
	next    int        // first colour of the next batch
	inBins  []uint16   // balls of each colour in the bins; round-robin only
	doubled int        // colours with two or more balls in the bins
	marks
}

// setup are the parameters of a system.
type setup struct {
	process   Process
	bins      int // n, below 256
	threshold int // integer τ
	colors    int // b colours per bin, n b below 65,536; round-robin only
}

// String names the process and its parameters.
func (s setup) String() string {
	if s.process == RoundRobin {
		return fmt.Sprintf("n = %d, τ = %d, b = %d", s.bins, s.threshold, s.colors)
	}
	return fmt.Sprintf("n = %d, τ = %d", s.bins, s.threshold)
}

// marks records the history of a run as far as facts depend on it.
type marks struct {
	fresh       []int // fresh balls each bin has received
	filled      bool  // some earlier state had no empty bin: phase two has begun
	settled     bool  // such a state also had all loads at most τ and no two balls of a colour
	manyArrived bool  // in some round one bin received more than b balls
	repeated    bool  // two balls of a colour were in the bins together
}

// newSystem returns the system with empty bins.
func newSystem(s setup) *system {
	y := &system{setup: s, queues: make([][]uint16, s.bins)}
	y.fresh = make([]int, s.bins)
	if s.process == RoundRobin {
		y.memory = make([]uint16, s.bins*s.colors)
		y.inBins = make([]uint16, s.bins*s.colors)
	}
	return y
}

// systemAt returns the self-clocked system with the given loads.
func systemAt(threshold int, loads []int) *system {
	y := newSystem(setup{SelfClocked, len(loads), threshold, 0})
	for i, load := range loads {
		y.queues[i] = make([]uint16, load)
	}
	return y
}

// clone returns an independent copy.
func (y *system) clone() *system {
	c := *y
	c.queues = make([][]uint16, len(y.queues))
	for i, q := range y.queues {
		c.queues[i] = slices.Clone(q)
	}
	c.memory, c.inBins = slices.Clone(y.memory), slices.Clone(y.inBins)
	c.fresh = slices.Clone(y.fresh)
	return &c
}

// key returns a text that differs for states that the process or a fact can tell apart. The fresh balls
// that bins received are part of it only if the fact depends on them; otherwise the bins of self-clocked
// are exchangeable. Colours and loads must be below 256, as in all searches.
func (y *system) key(fresh bool) string {
	s := make([]byte, 0, 64)
	flags := byte(0)
	for i, on := range []bool{y.filled, y.settled, y.manyArrived, y.repeated} {
		if on {
			flags |= 1 << i
		}
	}
	s = append(s, flags, byte(y.next))
	for _, bin := range y.memory {
		s = append(s, byte(bin))
	}
	if y.process == SelfClocked && !fresh {
		loads := y.loads()
		slices.Sort(loads)
		for _, load := range loads {
			s = append(s, byte(load))
		}
		return string(s)
	}
	for i, q := range y.queues {
		s = append(s, byte(len(q)))
		for _, color := range q {
			s = append(s, byte(color))
		}
		if fresh {
			s = append(s, byte(y.fresh[i]))
		}
	}
	return string(s)
}

// round records the events of a round and the loads before and after it.
type round struct {
	before, after  []int
	fresh, arrived []int // balls that each bin received: thrown at random, and all
	removed        int   // balls removed
	overfull       int   // bins above τ before the round
	thrown         []throw
	// The marks of the same names before the round.
	filled, settled bool
}

// fork returns a copy of a round before its throws, for one of its choices.
func (r *round) fork() *round {
	c := *r
	c.fresh, c.arrived = slices.Clone(r.fresh), slices.Clone(r.arrived)
	return &c
}

// anyBin reports whether a condition holds for some bin.
func (r *round) anyBin(holds func(bin int) bool) bool {
	for bin := range r.after {
		if holds(bin) {
			return true
		}
	}
	return false
}

// throw is a ball on its way.
type throw struct {
	color, bin int // color is -1 if balls have no colour
	fresh      bool
}

// loads returns the balls in each bin.
func (y *system) loads() []int {
	l := make([]int, len(y.queues))
	for i, q := range y.queues {
		l[i] = len(q)
	}
	return l
}

// remove takes the heads out, updates the memory of their colours, and returns the number of draws that
// the round needs. In self-clocked, good balls stay in their bins.
func (y *system) remove() (r *round, draws int) {
	counts := make([]int, 2*y.bins)
	r = &round{before: y.loads(), fresh: counts[:y.bins:y.bins], arrived: counts[y.bins:]}
	for i, q := range y.queues {
		overfull := len(q) > y.threshold
		if overfull {
			r.overfull++
		}
		if len(q) > 0 {
			r.removed++
		}
		if y.process == SelfClocked {
			switch {
			case overfull:
				y.queues[i] = q[1:]
				draws++
			case len(q) == 0:
				draws++
			default:
				r.arrived[i]++
			}
			continue
		}
		if len(q) > 0 {
			y.learn(q[0], i, overfull)
			y.queues[i] = q[1:]
			if y.inBins[q[0]]--; y.inBins[q[0]] == 1 {
				y.doubled--
			}
		}
	}
	if y.process == RoundRobin {
		for c := y.next; c < y.next+y.bins; c++ {
			if y.memory[c] == 0 {
				draws++
			}
		}
	}
	return r, draws
}

// learn lets a colour forget, or remember a bin unless it remembers one.
func (y *system) learn(color uint16, bin int, overfull bool) {
	switch {
	case overfull:
		y.memory[color] = 0
	case y.memory[color] == 0:
		y.memory[color] = uint16(bin + 1)
	}
}

// throw ends the round: fresh balls go to the chosen bins, one choice for each draw.
func (y *system) throw(r *round, choices []int) {
	r.thrown = make([]throw, 0, y.bins)
	if y.process == SelfClocked {
		for _, bin := range choices {
			y.put(r, throw{-1, bin, true})
		}
	} else {
		for c := y.next; c < y.next+y.bins; c++ {
			if y.memory[c] > 0 {
				y.put(r, throw{c, int(y.memory[c]) - 1, false})
				continue
			}
			y.put(r, throw{c, choices[0], true})
			choices = choices[1:]
		}
		y.next = (y.next + y.bins) % len(y.memory)
	}
	r.after = y.loads()
	r.filled, r.settled = y.filled, y.settled
	y.mark(r)
}

// put adds a ball to a bin.
func (y *system) put(r *round, t throw) {
	y.queues[t.bin] = append(y.queues[t.bin], uint16(max(0, t.color)))
	r.arrived[t.bin]++
	if t.color >= 0 {
		if y.inBins[t.color]++; y.inBins[t.color] == 2 {
			y.doubled++
		}
	}
	if t.fresh {
		r.fresh[t.bin]++
		y.fresh[t.bin]++
	}
	r.thrown = append(r.thrown, t)
}

// mark updates the marks of the run after the throws.
func (y *system) mark(r *round) {
	if y.process == RoundRobin {
		y.repeated = y.repeated || y.twins()
		y.manyArrived = y.manyArrived || slices.Max(r.arrived) > y.colors
	}
	if slices.Min(r.after) > 0 {
		y.filled = true
		if slices.Max(r.after) <= y.threshold && !y.twins() {
			y.settled = true
		}
	}
}

// twins reports whether two balls of a colour are in the bins.
func (y *system) twins() bool { return y.doubled > 0 }

// excess returns Y, the balls above τ.
func excess(loads []int, threshold int) int {
	y := 0
	for _, load := range loads {
		y += max(0, load-threshold)
	}
	return y
}

// drift encloses E[Y' - Y | the current state]. The number of fresh balls in each bin in the next round
// is binomial; the other balls go where memory sends them.
func (y *system) drift() Interval {
	start := y.clone()
	r, draws := start.remove()
	loads := start.loads()
	if y.process == RoundRobin {
		for c := y.next; c < y.next+y.bins; c++ {
			if start.memory[c] > 0 {
				loads[start.memory[c]-1]++
			}
		}
	}
	after := integer(0)
	for _, load := range loads {
		if load >= y.threshold {
			after = after.add(integer(load - y.threshold)).add(ratio(draws, y.bins))
		} else {
			after = after.add(binomialExcess(y.bins, draws, y.threshold-load))
		}
	}
	return after.sub(integer(excess(r.before, y.threshold)))
}

// successors yields the states to which the next round may lead, one for each choice of the draws, and
// the events of the round.
func (y *system) successors() iter.Seq2[*system, *round] {
	return func(yield func(*system, *round) bool) {
		start := y.clone()
		r, draws := start.remove()
		for choice := range choices(y.bins, draws) {
			state, record := start.clone(), r.fork()
			state.throw(record, choice)
			if !yield(state, record) {
				return
			}
		}
	}
}

// choices yields every vector of the given number of bins, each out of n, in the same slice.
func choices(n, draws int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		choice := make([]int, draws)
		for yield(choice) {
			at := draws - 1
			for at >= 0 && choice[at] == n-1 {
				choice[at] = 0
				at--
			}
			if at < 0 {
				return
			}
			choice[at]++
		}
	}
}
