package recycled

import (
	"context"
	"errors"
	"math"
	"repslab/ballsbins"
	"repslab/faults"
	"repslab/internal/must"
	"repslab/mc"
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

// PhaseTwoRoundsSharp returns an upper bound on E[T2], in rounds, from a phase
// two with M = balls and Y = excess. It is below [PhaseTwoRoundsBound], and finite
// for balls = bins·threshold too:
//
//	E[T2] <= sum over y = 1, ..., Y of n (τ-1) / (n τ - M + y).
//
// By equation (1) of the package, a throw takes y to y-1 with a probability of at least the inverse of
// the term, whatever happened before, and a round has at least one throw. Domain as [AbsorptionBound],
// excess in [0, balls], at most MaxBalls. O(excess).
func PhaseTwoRoundsSharp(bins, threshold, balls, excess int) (float64, error) {
	if err := errors.Join(phaseTwo(bins, threshold, balls), checkExcess(excess, min(balls, MaxBalls))); err != nil {
		return 0, err
	}
	var rounds float64
	for y := 1; y <= excess; y++ {
		rounds += float64(bins*(threshold-1)) / float64(bins*threshold-balls+y)
	}
	return rounds, nil
}

// ConvergenceExponent returns a (1 - ln a) for a = ratio in (0, 1) and 1 for a >= 1. It panics for others.
// Asymptotic: P[Poisson(ln n) < a ln n] = n^(a (1 - ln a) - 1 + o(1)). Conjecture: if a > a*, runs with τ
// = a ln n that converge take n to this power rounds, up to a factor n^o(1). O(1).
func ConvergenceExponent(ratio float64) float64 {
	must.Be(ratio > 0, "recycled: ConvergenceExponent", "ratio must be positive")
	if ratio >= 1 {
		return 1
	}
	return float64(ratio * (1 - math.Log(ratio)))
}

// ClosedMeanField returns the asymptotic law of the load of one bin of repeated balls into bins, see
// [ClosedEmptyShare]. Its MeanMax(n) is an estimate of the expected largest load. ballsPerBin must be
// positive and below 49,999, so that the share of non-empty bins is at most
// [ballsbins.MaxStationaryLambda]; otherwise a [*faults.FieldError]. O(ballsPerBin).
func ClosedMeanField(ballsPerBin float64) (*ballsbins.Stationary, error) {
	busy := 0.0
	if ballsPerBin > 0 {
		busy = 1 - ClosedEmptyShare(ballsPerBin)
	}
	if !(busy > 0 && busy <= ballsbins.MaxStationaryLambda) {
		return nil, faults.New("recycled", "ballsPerBin", ballsPerBin, "must be in (0, 49999) for a mean field")
	}
	return ballsbins.StationaryPoisson(busy)
}
