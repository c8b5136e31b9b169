package coalescing

import (
	"repslab/mc"
	"repslab/recycled"
)

// Process is one run of a recycled process with coalesced acknowledgements,
// advanced round by round. Make it with [New]; it is not safe for concurrent use.
type Process interface {
	// Reset empties the bins and all memory, makes all ports serve in every round
	// and begins a run that draws from stream. O(n b), or O(n) where there are no
	// colours.
	Reset(stream mc.Stream)
	// Step runs one round. O(n), no allocation but for the growth of queues.
	Step()
	// SetPort lets a bin, 0 <= bin < n, serve only in rounds divisible by every: a
	// slow port, or a broken one if every is 0, or again one like the others if it
	// is 1. It counts from the next round on, until Reset. It panics if bin or every
	// is out of its range. O(slow ports).
	SetPort(bin, every int)
	// Round returns the number of rounds run since Reset.
	Round() int
	// Load returns the balls in a bin, 0 <= bin < n.
	Load(bin int) int
	// Balls returns M, the balls in all bins.
	Balls() int64
	// Peak returns the largest load after any round since Reset, balls.
	Peak() int
	// OverThreshold returns how many bins held more than τ balls after a round,
	// summed over the rounds since Reset.
	OverThreshold() int64
	// Throws returns how many balls were thrown since Reset and how many of them
	// into a random bin.
	Throws() (all, random int64)
}

// New returns the process that cfg describes, or the faults of cfg. It holds some
// 300 to 700 bytes a bin to begin with, and 8 bytes a colour; queues grow with
// the loads.
func New(cfg Config) (Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	switch cfg.Clocking {
	case recycled.SelfClocked:
		return newEveryRthRound(cfg), nil
	case recycled.PerFlow:
		return newPerFlow(cfg), nil
	default:
		return newRoundRobin(cfg), nil
	}
}
