package ballsbins

import "repslab/mc"

// kernel runs rounds of the process of the paper's text. In a round every
// non-empty bin loses a ball, then balls arrive. Kernels differ in memory layout and speed, not in their
// draws: on the same stream, with the same bins and policy, all kernels produce the same loads.
type kernel interface {
	// reset empties all bins.
	reset()
	// advance runs up to the given number of rounds: it stops after a round that leaves a bin so full
	// that later rounds could overflow. It returns the number of rounds it ran, and whether there is such
	// a bin (also after the last round): the run must then continue on a wider kernel.
	advance(rng *mc.Rand, offered *arrivals, rounds int) (done int, full bool)
	// load returns the balls in a bin, or the units under Weighted.
	load(bin int) int64
	// setLoad changes the load of a bin.
	setLoad(bin int, load int64)
	// sound reports that nothing overflowed since reset. Otherwise the run is repeated on a wider kernel.
	sound() bool
}

// kernels returns constructors of the kernels for a configuration, the fastest first. The last kernel never overflows.
// Loads of the start take at most half the range of a lane, as they do after any round that leaves no bin too full.
func kernels(cfg Config) []func() kernel {
	n, most := cfg.Bins, 0 // the largest load before round 1
	for _, load := range cfg.Start {
		most = max(most, load)
	}
	var list []func() kernel
	packs := cfg.Policy == Uniform || cfg.Policy == TwoChoice && cfg.Choices == 2 && !cfg.SeeBefore
	if packs && cfg.Variant != Weighted && n <= maxPackedBins {
		switch oneHot := cfg.Policy == Uniform && n >= 2 && n <= maxOneHotBins && n&(n-1) == 0; {
		case most >= 1<<7-1:
		case oneHot:
			list = append(list, func() kernel { return newOneHot(n) })
		default:
			list = append(list, func() kernel { return newPacked[uint8](n, cfg.Policy) })
		}
		if most < 1<<15-1 {
			list = append(list, func() kernel { return newPacked[uint16](n, cfg.Policy) })
		}
	}
	return append(list, func() kernel { return newScalar(cfg) })
}
