package evsimbalance

import (
	"context"
	"errors"
	"math"

	"repslab/internal/checks"
	"repslab/internal/must"
	"repslab/mc"
)

// Result holds the load imbalance λ of a configuration. Under the exact method all values are exact
// ([MaxLaw]): the interval is the value alone, the standard error is NaN, and Replicas is 0. Under the
// others they are Monte Carlo estimates over replicas with 95 % intervals.
type Result struct {
	Mean      mc.Estimate
	P025, P05 mc.Estimate // quantiles 2.5 % and 5 %
	P50       mc.Estimate // median
	P95, P975 mc.Estimate // quantiles 95 % and 97.5 %
	Replicas  uint64      // number of replicas
}

// Simulate returns the imbalance of cfg. Under the exact method it computes the imbalance, and the plan
// only has to be valid; under the others it runs replicas as planned. Replica r draws from the streams
// (seed, purpose, r), see [Sampler.Draw]. The stopping statistic is the mean imbalance. It returns the
// errors of cfg, of the plan and of a cancelled ctx; after a cancellation the result holds the replicas
// finished before.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	if err := errors.Join(checks.Context("evsimbalance", ctx), cfg.Validate(), plan.Validate()); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if cfg.WithDefaults().Method == Exact {
		return ExactResult(cfg)
	}
	all, _, err := NewExperiment(cfg).Run(ctx, plan)
	return all.Result(), err
}

// Tally accumulates the maximum loads of replicas. It implements [mc.Tally];
// [NewExperiment] makes it.
type Tally struct {
	cfg   Config // with defaults applied
	loads mc.Sample
}

// Parts implements [mc.Tally]: the maximum loads, in EVs.
func (t *Tally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "max_load", Part: &t.loads}}
}

// StoppingStatistic implements [mc.Tally] by the mean imbalance.
func (t *Tally) StoppingStatistic() mc.Estimate {
	must.BeMade(t.cfg.Uplinks > 0, "evsimbalance: Tally", "NewExperiment")
	return t.cfg.imbalance(t.loads.Mean(mc.DefaultConfidence))
}

// Result returns the estimates.
func (t *Tally) Result() Result {
	return newResult(t.loads.N(), t.StoppingStatistic(), func(p float64) mc.Estimate {
		return t.cfg.imbalance(t.loads.Quantile(p, mc.DefaultConfidence))
	})
}

func newResult(replicas uint64, mean mc.Estimate, quantile func(p float64) mc.Estimate) Result {
	return Result{mean, quantile(0.025), quantile(0.05), quantile(0.5), quantile(0.95), quantile(0.975), replicas}
}

// NewExperiment returns the experiment that [Simulate] runs. Under the exact method, where Simulate runs
// no replicas, it returns an experiment that samples the exact law. Its workers report the faults of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.WithDefaults()
	newTally := func() *Tally { return &Tally{cfg: cfg} }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		s, err := New(cfg)
		return func(ctx context.Context, t *Tally, replica uint64) error {
			load, err := s.Draw(ctx, seed, replica)
			t.loads.Add(int64(load))
			return err
		}, err
	})
}

// Imbalance returns the imbalance of a maximum load, λ of equation (1), with defaults
// applied: load / (m/n) - 1. c must be valid. It panics unless load is at least 0 and finite.
func (c Config) Imbalance(load float64) float64 {
	must.BeWithin("evsimbalance: Config.Imbalance", "load", load, 0, math.MaxFloat64)
	return imbalance(load, c.Balls(), c.WithDefaults().Uplinks)
}

// imbalance turns an estimate of a load into an estimate of the imbalance.
func (c Config) imbalance(e mc.Estimate) mc.Estimate {
	e = e.Per(float64(c.Balls()) / float64(c.Uplinks))
	e.Value--
	e.Lo--
	e.Hi--
	return e
}

// ExactResult returns the exact result of a configuration from the law of the maximum,
// for any method; see [NewMaxLaw] for cost and errors.
func ExactResult(cfg Config) (Result, error) {
	cfg = cfg.WithDefaults()
	law, err := NewMaxLaw(cfg.Balls(), cfg.Uplinks)
	if err != nil {
		return Result{}, err
	}
	certain := func(load float64) mc.Estimate {
		v := law.Imbalance(load)
		return mc.Estimate{Value: v, StdErr: math.NaN(), Lo: v, Hi: v, Confidence: 1}
	}
	quantile := func(p float64) mc.Estimate { return certain(float64(law.Quantile(p))) }
	return newResult(0, certain(law.Mean()), quantile), nil
}
