// Package rates answers one question: in which rounds does a port of a switch
// serve?
//
// Ports of the balls-into-bins models serve once a round. [Ports] makes some of
// them slow or broken, in the middle of a run if need be. It is not safe for
// concurrent use.
package bins

import (
	"fmt"
	"slices"
)

// Ports says which ports of a switch serve in which rounds. Make it with [New].
type Ports struct {
	count   int
	slow    []slow // that do not serve in every round, ascending
	resting []int  // scratch
}

// slow is a port that serves only in rounds divisible by every, never if that is 0.
type slow struct{ port, every int }

// New returns as many ports that all serve in every round. It holds memory for
// slow ports alone.
func NewPorts(count int) Ports { return Ports{count: count} }

// Reset lets all ports serve in every round again. O(1).
func (p *Ports) Reset() { p.slow = p.slow[:0] }

// Set lets a port, 0 <= port < count, serve only in rounds divisible by every: in
// all if that is 1, in none if it is 0. It panics if port or every is out of its
// range. O(slow ports).
func (p *Ports) Set(port, every int) {
	if port < 0 || port >= p.count || every < 0 {
		panic(fmt.Sprintf("rates: Set(%d, %d): port must be in [0, %d), every at least 0", port, every, p.count))
	}
	at, found := slices.BinarySearchFunc(p.slow, port, func(s slow, port int) int { return s.port - port })
	switch {
	case found && every == 1:
		p.slow = slices.Delete(p.slow, at, at+1)
	case found:
		p.slow[at].every = every
	case every != 1:
		p.slow = slices.Insert(p.slow, at, slow{port, every})
	}
}

// Even says whether all ports serve in every round. O(1).
func (p *Ports) Even() bool { return len(p.slow) == 0 }

// Rests says whether a port does not serve in a round. O(slow ports), inlined where
// there is none.
func (p *Ports) Rests(port, round int) bool { return len(p.slow) > 0 && p.rests(port, round) }

func (p *Ports) rests(port, round int) bool {
	for _, s := range p.slow {
		if s.port == port {
			return s.rests(round)
		}
	}
	return false
}

// Resting returns the ports that do not serve in a round, ascending. The slice is
// valid until the next call. O(slow ports), inlined where there is none.
func (p *Ports) Resting(round int) []int {
	if len(p.slow) == 0 {
		return nil
	}
	return p.restingIn(round)
}

func (p *Ports) restingIn(round int) []int {
	p.resting = p.resting[:0]
	for _, s := range p.slow {
		if s.rests(round) {
			p.resting = append(p.resting, s.port)
		}
	}
	return p.resting
}

func (s slow) rests(round int) bool { return s.every == 0 || round%s.every != 0 }
