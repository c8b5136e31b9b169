package ballsbins

import (
	"context"
	"errors"
	"math"
	"repslab/internal/elementary"
	"repslab/internal/must"
	"repslab/mc"
	"sort"
)

// Exceeds returns the estimate of [NewExceedsExperiment] from replicas as planned, with a 95 % interval.
// It returns the errors of NewExceedsExperiment, of the plan and of a cancelled ctx, or an error that
// wraps [mc.ErrNoSplitting].
func Exceeds(ctx context.Context, cfg Config, exceeds int, plan mc.Plan) (mc.Estimate, error) {
	experiment, err := NewExceedsExperiment(cfg, exceeds)
	if err := errors.Join(err, plan.Validate()); err != nil {
		return mc.Estimate{}, err
	}
	all, _, err := experiment.Run(ctx, plan)
	return all.StoppingStatistic(), err
}

// MedianMax returns the median of the maximum, in balls, of the given number of independent bins with
// this law: the smallest k with P[load <= k]^bins >= 1/2; exact unless the power is within rounding of
// 1/2. It panics if bins is below 1. O(log(1/(1-λ))).
func (s *Stationary) MedianMax(bins int) int {
	s.mustBeMade()
	must.BeAtLeast("ballsbins: MedianMax", "bins", bins, 1)
	return sort.Search(len(s.law)-1, func(k int) bool {
		return float64(bins)*elementary.Log1p(-s.Tail(k+1)) >= -math.Ln2
	})
}
