package bins

import (
	"fmt"
	"slices"
)

// Ports records the rounds in which each port of a switch serves, so that some ports can be slow or
// broken, also in the middle of a run. [NewPorts] makes it.
type Ports struct {
	pkg   string // the package that a panic names
	count int
	slow  []slow // the ports that do not serve in every round, ascending
	idle  []int  // scratch
}

// slow is a port that serves only in rounds divisible by every, or never if every is 0.
type slow struct{ port, every int }

// NewPorts returns the given number of ports of a process of a package, which all serve in every round. Only
// slow ports take memory.
func NewPorts(pkg string, count int) Ports { return Ports{pkg: pkg, count: count} }

// Reset makes all ports serve in every round again. O(1).
func (p *Ports) Reset() { p.slow = p.slow[:0] }

// Set makes a port, 0 <= port < count, serve only in rounds divisible by every: in all rounds if every is
// 1, in none if it is 0. It panics if port or every is out of its range. O(slow ports).
func (p *Ports) Set(port, every int) {
	if port < 0 || port >= p.count || every < 0 {
		panic(fmt.Sprintf("%s: Process.SetPort: bin (%d) must be in [0, %d), and every (%d) at least 0", p.pkg, port, p.count, every))
	}
	at, found := slices.BinarySearchFunc(p.slow, port, func(s slow, port int) int { return s.port - port })
	switch {
	case found && every == 1:
		p.slow = slices.Delete(p.slow, at, at+1)
	case found:
		p.slow[at].every = every
	case every != 1:
		p.slow = append(p.slow, slow{})
		copy(p.slow[at+1:], p.slow[at:])
		p.slow[at] = slow{port, every}
	}
}

// Even reports whether all ports serve in every round. O(1).
func (p *Ports) Even() bool { return len(p.slow) == 0 }

// Rests reports whether a port does not serve in a round. O(slow ports), inlined if
// there are none.
func (p *Ports) Rests(port, round int) bool { return len(p.slow) > 0 && p.rests(port, round) }

func (p *Ports) rests(port, round int) bool {
	for _, s := range p.slow {
		if s.port == port {
			return s.rests(round)
		}
	}
	return false
}

// Idle returns the ports that do not serve in a round, ascending. The slice is valid
// until the next call. O(slow ports), inlined if there are none.
func (p *Ports) Idle(round int) []int {
	if len(p.slow) == 0 {
		return nil
	}
	return p.idleIn(round)
}

func (p *Ports) idleIn(round int) []int {
	p.idle = p.idle[:0]
	for _, s := range p.slow {
		if s.rests(round) {
			p.idle = append(p.idle, s.port)
		}
	}
	return p.idle
}

func (s slow) rests(round int) bool { return s.every == 0 || round%s.every != 0 }
