package bins

import "fmt"

// Counts holds the statistics of a run of a recycled process, and its ports. Make it with
// [NewCounts].
type Counts struct {
	ports       Ports
	threshold   uint32
	round       int   // rounds run
	all, random int64 // throws
	balls       int64
	overfull    int64  // bins above the threshold
	peak        uint32 // the largest load seen
	over        int64  // sum of overfull over the rounds run
}

// NewCounts returns the counts of a run of a package's process with the given number of empty bins. A bin
// with more balls than threshold is overfull.
func NewCounts(pkg string, bins, threshold int) Counts {
	return Counts{threshold: uint32(threshold), ports: NewPorts(pkg, bins)}
}

// Reset begins a run with empty bins that all serve in every round. O(1).
func (c *Counts) Reset() {
	c.ports.Reset()
	*c = Counts{threshold: c.threshold, ports: c.ports}
}

// SetPort is [Ports.Set].
func (c *Counts) SetPort(bin, every int) { c.ports.Set(bin, every) }

// MustHave panics for a bin that does not exist; Load calls it.
func (c *Counts) MustHave(bin int) {
	if bin < 0 || bin >= c.ports.count {
		panic(fmt.Sprintf("%s: Process.Load: bin (%d) must be in [0, %d)", c.ports.pkg, bin, c.ports.count))
	}
}

// Even is [Ports.Even].
func (c *Counts) Even() bool { return c.ports.Even() }

// Rests reports whether a bin does not serve in the current round.
func (c *Counts) Rests(bin int) bool { return c.ports.Rests(bin, c.round+1) }

// Idle returns the bins that do not serve in the current round; see [Ports.Idle].
func (c *Counts) Idle() []int { return c.ports.Idle(c.round + 1) }

// Removed counts a ball removed from a bin. load is the load before the removal. It reports whether the
// bin was overfull.
func (c *Counts) Removed(load uint32) (overfull bool) {
	c.balls--
	if load == c.threshold+1 {
		c.overfull--
	}
	return load > c.threshold
}

// Added counts a ball added to a bin. load is the load after the ball. Within a round all balls are added
// after the removals, so the largest of these loads is also the largest load at the end of a round.
func (c *Counts) Added(load uint32) {
	c.balls++
	c.peak = max(c.peak, load)
	if load == c.threshold+1 {
		c.overfull++
	}
}

// Moved counts some removed and some added balls at once, for a process that itself counts overfull bins
// and the largest load.
func (c *Counts) Moved(removed, added int) { c.balls += int64(added - removed) }

// EndRound ends a round with the given numbers of throws and of random throws.
func (c *Counts) EndRound(thrown, random int) {
	c.round++
	c.all += int64(thrown)
	c.random += int64(random)
	c.over += c.overfull
}

// Round returns the number of rounds run.
func (c *Counts) Round() int { return c.round }

// Balls returns the number of balls in all bins.
func (c *Counts) Balls() int64 { return c.balls }

// MaxLoad returns the largest load seen.
func (c *Counts) MaxLoad() int { return int(c.peak) }

// OverThreshold returns the number of overfull bins after a round, summed over rounds.
func (c *Counts) OverThreshold() int64 { return c.over }

// Throws returns the number of balls thrown, and the number thrown at random.
func (c *Counts) Throws() (all, random int64) { return c.all, c.random }

// Switch holds the bins of a process whose balls have a sender: their queues and counts.
// Make it with [NewSwitch].
type Switch struct {
	Counts
	queues Queues
}

// NewSwitch returns empty bins. Before the queues grow, each has room for twice the threshold, at most 64
// balls.
func NewSwitch(pkg string, bins, threshold int) Switch {
	return Switch{NewCounts(pkg, bins, threshold), NewQueues(bins, min(2*threshold, 64))}
}

// Reset empties all bins and begins a run. O(bins).
func (s *Switch) Reset() {
	s.queues.Reset()
	s.Counts.Reset()
}

// Load returns the number of balls in a bin. O(1).
func (s *Switch) Load(bin int) int {
	s.MustHave(bin)
	return int(s.queues.Load(bin))
}

// Serve removes the head of a bin's queue and reports whether the bin was overfull; ok is
// false if the bin is empty or does not serve in the current round. O(1).
func (s *Switch) Serve(bin int) (ball uint32, overfull, ok bool) {
	load := s.queues.Load(bin)
	if load == 0 || s.Rests(bin) {
		return 0, false, false
	}
	return s.queues.Pop(uint32(bin)), s.Removed(load), true
}

// Throw puts a ball at the end of a bin's queue. O(1), or O(bins * room) when the queue outgrows its
// room.
func (s *Switch) Throw(bin, ball uint32) {
	if s.queues.Full(bin) {
		s.queues.Grow()
	}
	s.Added(s.queues.Push(bin, ball))
}
