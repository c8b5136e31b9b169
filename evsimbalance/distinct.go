package evsimbalance

import (
	"context"
	"slices"

	"repslab/mc"
)

// distinct returns the maximum load if the EVs of each flow are different uplinks. A flow shuffles the
// first uplinks of the order that the previous flow left, which is as random as a fresh order.
func (s *Sampler) distinct(ctx context.Context, random *mc.Rand) (int, error) {
	clear(s.counts)
	for i := range s.order {
		s.order[i] = uint16(i)
	}
	for flow := range s.cfg.Flows {
		if err := ctx.Err(); err != nil {
			mc.ReportShare(ctx, float64(flow)/float64(s.cfg.Flows))
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
