package coalescing

import "repslab/mc"

// everyRthRound is the process of the authors' figure script: self-clocked in
// every r-th round, oblivious in the others. Balls have no identity and flows play
// no part. A round costs O(n).
type everyRthRound struct {
	counts
	loads []uint32
	ratio int
	rng   mc.Rand
}

func newEveryRthRound(cfg Config) *everyRthRound {
	return &everyRthRound{loads: make([]uint32, cfg.Bins), ratio: cfg.Ratio, counts: newCounts(cfg)}
}

// Reset implements [Process]. O(n).
func (e *everyRthRound) Reset(stream mc.Stream) {
	clear(e.loads)
	e.counts.reset()
	e.rng = stream.Rand()
}

// Step implements [Process]. O(n).
func (e *everyRthRound) Step() {
	recycles := (e.round+1)%e.ratio == 0
	all, fresh := len(e.loads), 0 // balls thrown, and those at random
	for bin, load := range e.loads {
		if e.rests(uint32(bin)) {
			all--
			continue
		}
		// The ball of a good bin returns to it: nothing changes.
		if recycles && load > 0 && load <= e.threshold {
			continue
		}
		fresh++
		if load > 0 {
			e.removed(load)
			e.loads[bin]--
		}
	}
	rng, n := e.rng, uint64(len(e.loads))
	for range fresh {
		bin := rng.Below(n)
		e.loads[bin]++
		e.added(e.loads[bin])
	}
	e.rng = rng
	e.endRound(all, fresh)
}

// Load returns the balls in a bin.
func (e *everyRthRound) Load(bin int) int { return int(e.loads[bin]) }
