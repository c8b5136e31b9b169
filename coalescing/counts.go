package coalescing

import (
	"repslab/internal/bins"
)

// counts holds the statistics of a run that all processes share, and the ports.
type counts struct {
	threshold   uint32
	ports       bins.Ports
	round       int   // rounds run
	all, random int64 // throws
	balls       int64
	overfull    int64  // bins above the threshold
	peak        uint32 // the largest load seen
	over        int64  // sum of overfull over the rounds run
}

// reset begins a run with empty bins.
func (c *counts) reset() {
	c.ports.Reset()
	*c = counts{threshold: c.threshold, ports: c.ports}
}

func newCounts(cfg Config) counts {
	return counts{threshold: uint32(cfg.Threshold), ports: bins.NewPorts(cfg.Bins)}
}

// SetPort implements [Process].
func (c *counts) SetPort(bin, every int) { c.ports.Set(bin, every) }

// rests reports that a bin does not serve in the current round.
func (c *counts) rests(bin uint32) bool { return c.ports.Rests(int(bin), c.round+1) }

// removed counts a ball removed from a bin with the given load before, and reports
// whether the bin was overfull.
func (c *counts) removed(load uint32) (overfull bool) {
	c.balls--
	if load == c.threshold+1 {
		c.overfull--
	}
	return load > c.threshold
}

// added counts a ball added to a bin with the given load after. Within a round all balls
// are added after the removals, so the peak over balls is that over loads at the end of a
// round.
func (c *counts) added(load uint32) {
	c.balls++
	c.peak = max(c.peak, load)
	if load == c.threshold+1 {
		c.overfull++
	}
}

// endRound ends a round with the given numbers of throws and of random throws.
func (c *counts) endRound(thrown, random int) {
	c.round++
	c.all += int64(thrown)
	c.random += int64(random)
	c.over += c.overfull
}

// Round implements [Process].
func (c *counts) Round() int { return c.round }

// Balls implements [Process].
func (c *counts) Balls() int64 { return c.balls }

// Peak implements [Process].
func (c *counts) Peak() int { return int(c.peak) }

// OverThreshold implements [Process].
func (c *counts) OverThreshold() int64 { return c.over }

// Throws implements [Process].
func (c *counts) Throws() (all, random int64) { return c.all, c.random }
