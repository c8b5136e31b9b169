package coalescing

import (
	"repslab/mc"
	"repslab/recycled"
)

// Process is one run of a recycled process with coalesced acknowledgements,
// advanced round by round. Make it with [New]; it is not safe for concurrent use.
type Process interface {
	// Reset empties the bins and all memory, makes all ports serve in every round and begins a run that
	// draws from stream. O(n b), or O(n) without colours.
	Reset(stream mc.Stream)
	// Step runs one round. O(n); it allocates only when queues grow.
	Step()
	// SetPort makes a bin, 0 <= bin < n, serve only in rounds divisible by every, which
	// must not be negative: 2 and more is a slow port, 0 a broken one, 1 a normal one.
	// It applies from the next round until Reset. It panics if an argument is out of
	// range. O(slow ports).
	SetPort(bin, every int)
	// Round returns the number of rounds run since Reset.
	Round() int
	// Load returns the balls in a bin, 0 <= bin < n. It panics for other bins.
	Load(bin int) int
	// Balls returns M, the balls in all bins.
	Balls() int64
	// MaxLoad returns the largest load seen after any round since Reset.
	MaxLoad() int
	// OverThreshold returns the number of bins with more than τ balls after a round,
	// summed over the rounds since Reset.
	OverThreshold() int64
	// Throws returns the number of balls thrown since Reset, and the number thrown into a random bin.
	Throws() (all, random int64)
}

// New returns the process that cfg describes at the start of a run on the zero stream, or the faults of cfg.
// Reset begins a run on another stream. It holds 300 to 700 bytes per bin at first, and 8 bytes per colour; queues grow
// with the loads.
func New(cfg Config) (Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	var p Process
	switch cfg.Clocking {
	case recycled.SelfClocked:
		p = newEveryRthRound(cfg)
	case recycled.PerFlow:
		p = newPerFlow(cfg)
	default:
		p = newRoundRobin(cfg)
	}
	p.Reset(mc.Stream{})
	return p, nil
}
