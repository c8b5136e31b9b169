package evsimbalance

import (
	"context"
	"slices"

	"repslab/mc"
)

// distinct returns the maximum load of sets of different uplinks: each flow takes the first ones of a random order,
// which need not be shuffled from the beginning.
func (s *Sampler) distinct(ctx context.Context, random *mc.Rand) (int, error) {
	clear(s.counts)
	for i := range s.order {
		s.order[i] = uint16(i)
	}
	for range s.cfg.Flows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for i := range s.cfg.EVS {
			other := i + int(random.Below(uint64(len(s.order)-i)))
			s.order[i], s.order[other] = s.order[other], s.order[i]
			s.counts[s.order[i]]++
		}
	}
	return slices.Max(s.counts), nil
}
