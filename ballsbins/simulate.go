package ballsbins

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"repslab/mc"
)

// Limits of an observation.
const (
	MaxRounds       = 1<<31 - 1 // rounds of a run
	MaxObservations = 100_000   // observed rounds of a run
)

// Horizon says how long a run is and when it is observed.
type Horizon struct {
	Rounds int // in [1, MaxRounds]
	Every  int // observe rounds Every, 2 Every, ... and the last; 0 means only the last
}

// Validate reports every fault of the horizon.
func (h Horizon) Validate() error {
	var errs []error
	if h.Rounds < 1 || h.Rounds > MaxRounds {
		errs = append(errs, fmt.Errorf("ballsbins: Rounds (%d) must be in [1, %d]", h.Rounds, MaxRounds))
	}
	if h.Every < 0 {
		errs = append(errs, fmt.Errorf("ballsbins: Every (%d) must be at least 1, or 0 for only the last round", h.Every))
	}
	if h.Every > 0 && h.Rounds/h.Every > MaxObservations {
		errs = append(errs, fmt.Errorf("ballsbins: Rounds/Every (%d) must be at most %d observed rounds", h.Rounds/h.Every, MaxObservations))
	}
	return errors.Join(errs...)
}

// Observed returns the observed rounds, ascending.
func (h Horizon) Observed() []int {
	var rounds []int
	if h.Every > 0 {
		for i := 1; i <= h.Rounds/h.Every; i++ {
			rounds = append(rounds, i*h.Every)
		}
	}
	if len(rounds) == 0 || rounds[len(rounds)-1] != h.Rounds {
		rounds = append(rounds, h.Rounds)
	}
	return rounds
}

// Observation holds Monte Carlo estimates, over replicas, of one round of the
// process.
type Observation struct {
	Round      int
	MaxLoad    mc.Estimate // mean of the maximum load, balls
	MaxLoadP95 mc.Estimate // 95 % quantile of the maximum load, balls
	TotalLoad  mc.Estimate // mean of the sum of all loads, balls
}

// Result is the outcome of [Simulate].
type Result struct {
	Observations []Observation // one per observed round, ascending
	Replicas     uint64        // that were run
}

// Tally collects the observations of some replicas, one entry per observed
// round. It implements [mc.Tally]; make it by [NewExperiment].
type Tally struct {
	rounds    []int
	units     float64 // observed units in a ball
	maxLoad   []mc.Sample
	totalLoad []mc.Moments
}

func newTally(cfg Config, rounds []int) *Tally {
	t := &Tally{rounds: rounds, units: 1, maxLoad: make([]mc.Sample, len(rounds)), totalLoad: make([]mc.Moments, len(rounds))}
	if cfg.Variant == Weighted {
		t.units = unitsPerBall
	}
	return t
}

// Parts implements [mc.Tally]: max_load_R and total_load_R for each observed
// round R, in balls, or in units of 1e-9 balls under [Weighted].
func (t *Tally) Parts() []mc.NamedPart {
	parts := make([]mc.NamedPart, 0, 2*len(t.rounds))
	for i, round := range t.rounds {
		r := strconv.Itoa(round)
		parts = append(parts, mc.NamedPart{Name: "max_load_" + r, Part: &t.maxLoad[i]}, mc.NamedPart{Name: "total_load_" + r, Part: &t.totalLoad[i]})
	}
	return parts
}

// Judged implements [mc.Tally]: a stopping rule looks at the mean maximum load at
// the last round.
func (t *Tally) StoppingStatistic() mc.Estimate {
	return t.maxLoad[len(t.rounds)-1].Mean(mc.DefaultConfidence).Per(t.units)
}

// Observations returns estimates for the observed rounds.
func (t *Tally) Observations() []Observation {
	observations := make([]Observation, len(t.rounds))
	for i, round := range t.rounds {
		observations[i] = Observation{
			Round:      round,
			MaxLoad:    t.maxLoad[i].Mean(mc.DefaultConfidence).Per(t.units),
			MaxLoadP95: t.maxLoad[i].Quantile(0.95, mc.DefaultConfidence).Per(t.units),
			TotalLoad:  t.totalLoad[i].Mean(mc.DefaultConfidence).Per(t.units),
		}
	}
	return observations
}

// NewExperiment returns the experiment that observes the process at the given
// rounds; see [SimulateAt]. Its workers report the faults of cfg.
func NewExperiment(cfg Config, rounds []int) mc.Experiment[*Tally] {
	newTally := func() *Tally { return newTally(cfg, rounds) }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		process, err := NewBatched(cfg)
		return func(ctx context.Context, t *Tally, replica uint64) error {
			process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
			return t.run(ctx, process)
		}, err
	})
}

// Simulate is [SimulateAt] at the rounds that a horizon observes.
func Simulate(ctx context.Context, cfg Config, horizon Horizon, plan mc.Plan) (Result, error) {
	if err := errors.Join(cfg.Validate(), horizon.Validate(), plan.Validate()); err != nil {
		return Result{}, err
	}
	return SimulateAt(ctx, cfg, horizon.Observed(), plan)
}

// SimulateAt runs replicas of the process as planned and returns estimates at the
// given rounds, which must ascend in [1, MaxRounds], at most MaxObservations+1 of
// them. Replica r draws from the stream (seed, Algorithm, r). A plan's stopping
// rule judges the mean maximum load at the last round. On an error (a cancelled
// ctx) the observations of the replicas that were finished are returned with it.
// O(replicas * rounds * n) time.
func SimulateAt(ctx context.Context, cfg Config, rounds []int, plan mc.Plan) (Result, error) {
	if err := errors.Join(cfg.Validate(), validateRounds(rounds), plan.Validate()); err != nil {
		return Result{}, err
	}
	all, replicas, err := NewExperiment(cfg, rounds).Run(ctx, plan)
	return Result{Observations: all.Observations(), Replicas: replicas}, err
}

// validateRounds reports a fault of a list of observed rounds.
func validateRounds(rounds []int) error {
	if len(rounds) < 1 || len(rounds) > MaxObservations+1 {
		return fmt.Errorf("ballsbins: rounds (%d of them) must be 1 to %d", len(rounds), MaxObservations+1)
	}
	last := 0
	for _, r := range rounds {
		if r <= last || r > MaxRounds {
			return fmt.Errorf("ballsbins: rounds (%d after %d) must ascend in [1, %d]", r, last, MaxRounds)
		}
		last = r
	}
	return nil
}

// run adds a replica, which process begins.
func (t *Tally) run(ctx context.Context, process *Batched) error {
	pause := mc.CheckEvery(process.Bins())
	for i, round := range t.rounds {
		for process.Round() < round {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			process.Advance(min(pause, round-process.Round()))
		}
		most, total := process.observe()
		t.maxLoad[i].Add(most)
		t.totalLoad[i].Add(total)
	}
	return nil
}
