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

// NewOneShot returns a sampler for balls in [0, 2^31-1] and bins in [1, MaxBins]; otherwise joined
// [*mc.FieldError] values. O(bins).
func NewOneShot(bins, balls int) (*OneShot, error) {
	faults := mc.Faults{Package: "ballsbins"}
	faults.In("bins", bins, 1, MaxBins)
	faults.In("balls", balls, 0, 1<<31-1)
	if err := faults.Err(); err != nil {
		return nil, err
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
