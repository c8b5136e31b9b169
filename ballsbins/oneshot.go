package ballsbins

import (
	"repslab/mc"
)

// OneShot throws m balls into n bins once, uniformly. It is the reference sampler
// of the maximum load, one ball at a time; use package evsimbalance where m is
// large. Make it with [NewOneShot]; it is not safe for concurrent use.
type OneShot struct {
	balls int
	loads []int32
}

// NewOneShot returns a sampler for balls in [0, 2^31-1] and bins in [1, MaxBins].
func NewOneShot(bins, balls int) (*OneShot, error) {
	if bins < 1 || bins > MaxBins {
		return nil, mc.NewFieldError("ballsbins", "bins", bins, "must be in [1, %d]", MaxBins)
	}
	if balls < 0 || balls > 1<<31-1 {
		return nil, mc.NewFieldError("ballsbins", "balls", balls, "must be in [0, %d]", 1<<31-1)
	}
	return &OneShot{balls: balls, loads: make([]int32, bins)}, nil
}

// Max throws all balls with draws of stream and returns the maximum load, a
// sample of its exact law. O(m + n), no allocation.
func (o *OneShot) Max(stream mc.Stream) int {
	clear(o.loads)
	rng, n := stream.Rand(), uint64(len(o.loads))
	var most int32
	for range o.balls {
		bin := rng.Below(n)
		o.loads[bin]++
		most = max(most, o.loads[bin])
	}
	return int(most)
}
