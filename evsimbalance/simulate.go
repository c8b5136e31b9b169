package evsimbalance

import (
	"context"
	"errors"
	"math"

	"repslab/mc"
)

// Summary is what is known of the load imbalance λ of a configuration. Under the
// exact method all are exact ([MaxLaw]): an interval is its value, there is no
// standard error (NaN), and no replica was run. Otherwise they are Monte Carlo
// estimates over replicas with 95 % intervals.
type Summary struct {
	Mean      mc.Estimate
	P025, P05 mc.Estimate // quantiles 2.5 % and 5 %
	P50       mc.Estimate // median
	P95, P975 mc.Estimate // quantiles 95 % and 97.5 %
	Replicas  uint64      // that were run
}

// Simulate returns the imbalance of cfg. Under the exact method it computes it and
// the plan needs only be valid; otherwise it runs replicas as planned, and a
// plan's stopping rule judges the mean imbalance. Replica r draws from the
// streams (seed, purpose, r), whatever the configuration. On an error (a cancelled
// ctx) the estimates of the replicas that were finished are returned with it. A
// replica takes O(n) time under Multinomial, O(F E) under Hash and CRC32.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Summary, error) {
	if err := errors.Join(cfg.Validate(), plan.Validate(), ctx.Err()); err != nil {
		return Summary{}, err
	}
	if cfg.withDefaults().Method == Exact {
		return ExactSummary(cfg)
	}
	all, _, err := NewExperiment(cfg).Run(ctx, plan)
	return all.Summary(), err
}

// Tally collects the maximum loads of some replicas. It implements [mc.Tally];
// make it by [NewExperiment].
type Tally struct {
	cfg   Config // defaults filled in
	loads mc.Sample
}

// Parts implements [mc.Tally]: the maximum loads, in EVs.
func (t *Tally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "max_load", Part: &t.loads}}
}

// Judged implements [mc.Tally]: a stopping rule looks at the mean imbalance.
func (t *Tally) StoppingStatistic() mc.Estimate {
	return t.cfg.imbalance(t.loads.Mean(mc.DefaultConfidence))
}

// Summary turns the tally into estimates.
func (t *Tally) Summary() Summary {
	quantile := func(p float64) mc.Estimate {
		return t.cfg.imbalance(t.loads.Quantile(p, mc.DefaultConfidence))
	}
	return Summary{
		Mean: t.StoppingStatistic(),
		P025: quantile(0.025), P05: quantile(0.05), P50: quantile(0.5), P95: quantile(0.95), P975: quantile(0.975),
		Replicas: t.loads.N(),
	}
}

// NewExperiment returns the experiment that [Simulate] runs under a method that is
// not [Exact]; under that it panics, there is nothing to sample.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.withDefaults()
	if cfg.Method == Exact {
		panic("evsimbalance: NewExperiment: the exact method has no replicas")
	}
	newTally := func() *Tally { return &Tally{cfg: cfg} }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		s := newSampler(cfg)
		return func(ctx context.Context, t *Tally, replica uint64) error {
			load, err := s.draw(ctx, seed, replica)
			t.loads.Add(int64(load))
			return err
		}, nil
	})
}

// imbalance turns an estimate of a load into one of the imbalance.
func (c Config) imbalance(e mc.Estimate) mc.Estimate {
	e = e.Per(float64(c.Balls()) / float64(c.Uplinks))
	e.Value--
	e.Lo--
	e.Hi--
	return e
}

// ExactSummary computes the summary of a configuration from the law of the
// maximum, whatever its method; see [NewMaxLaw] for cost and errors.
func ExactSummary(cfg Config) (Summary, error) {
	cfg = cfg.withDefaults()
	law, err := NewMaxLaw(cfg.Balls(), cfg.Uplinks)
	if err != nil {
		return Summary{}, err
	}
	certain := func(load float64) mc.Estimate {
		v := law.Imbalance(load)
		return mc.Estimate{Value: v, StdErr: math.NaN(), Lo: v, Hi: v, Confidence: 1}
	}
	quantile := func(p float64) mc.Estimate { return certain(float64(law.Quantile(p))) }
	return Summary{
		Mean: certain(law.Mean()),
		P025: quantile(0.025), P05: quantile(0.05), P50: quantile(0.5), P95: quantile(0.95), P975: quantile(0.975),
	}, nil
}
