package coalescing

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// everyRthRound is the process of the authors' figure script: self-clocked in every r-th round, oblivious
// in the others. Balls have no identity, and there are no flows. A round costs O(n).
type everyRthRound struct {
	bins.Counts
	threshold uint32
	loads     []uint32
	ratio     int
	rng       mc.Rand
}

func newEveryRthRound(cfg Config) *everyRthRound {
	return &everyRthRound{
		Counts:    bins.NewCounts("coalescing", cfg.Bins, cfg.Threshold),
		threshold: uint32(cfg.Threshold),
		loads:     make([]uint32, cfg.Bins),
		ratio:     cfg.Ratio,
	}
}

// Reset implements [Process]. O(n).
func (e *everyRthRound) Reset(stream mc.Stream) {
	clear(e.loads)
	e.Counts.Reset()
	e.rng = stream.Rand()
}

// Step implements [Process]. O(n).
func (e *everyRthRound) Step() {
	recycles := (e.Round()+1)%e.ratio == 0
	all, fresh := len(e.loads), 0 // balls thrown, and balls thrown at random
	for bin, load := range e.loads {
		if e.Rests(bin) {
			all--
			continue
		}
		// The ball of a good bin returns to it: nothing changes.
		if recycles && load > 0 && load <= e.threshold {
			continue
		}
		fresh++
		if load > 0 {
			e.Removed(load)
			e.loads[bin]--
		}
	}
	rng, n := e.rng, uint64(len(e.loads))
	for range fresh {
		bin := rng.Below(n)
		e.loads[bin]++
		e.Added(e.loads[bin])
	}
	e.rng = rng
	e.EndRound(all, fresh)
}

// Load returns the balls in a bin.
func (e *everyRthRound) Load(bin int) int {
	e.MustHave(bin)
	return int(e.loads[bin])
}
