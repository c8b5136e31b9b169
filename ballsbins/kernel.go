package ballsbins

import "repslab/mc"

// kernel runs rounds of the process of the paper's text, all bins empty at
// first: in a round every non-empty bin loses a ball, then balls arrive. Kernels
// differ in what they hold and how fast they are, not in what they draw: all that
// know a policy for the same bins walk the same path for the same stream.
type kernel interface {
	// reset empties all bins.
	reset()
	// advance runs rounds, or fewer: it ends after a round in which a bin has got so
	// full that later rounds could overflow. It returns how many it ran, and whether
	// it ended so, also if that was the last round: the run must then go on elsewhere.
	advance(rng *mc.Rand, offered *arrivals, rounds int) (done int, full bool)
	// load returns the balls in a bin, or the units under Weighted.
	load(bin int) int64
	// setLoad changes the load of a bin.
	setLoad(bin int, load int64)
	// sound says whether nothing overflowed since reset; a run that is not sound
	// is repeated on a wider kernel.
	sound() bool
}

// kernels returns the kernels that a configuration may use, the fastest first,
// each made when it is needed. The last one never overflows.
func kernels(cfg Config) []func() kernel {
	n := cfg.Bins
	var list []func() kernel
	packs := cfg.Policy == Uniform || cfg.Policy == TwoChoice
	if packs && cfg.Variant != Weighted && n <= maxPackedBins {
		if cfg.Policy == Uniform && n >= 2 && n <= maxOneHotBins && n&(n-1) == 0 {
			list = append(list, func() kernel { return newOneHot(n) })
		} else {
			list = append(list, func() kernel { return newPacked[uint8](n, cfg.Policy) })
		}
		list = append(list, func() kernel { return newPacked[uint16](n, cfg.Policy) })
	}
	return append(list, func() kernel { return newScalar(cfg) })
}
