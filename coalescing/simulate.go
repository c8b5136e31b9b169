package coalescing

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"repslab/mc"
)

// Observation holds Monte Carlo estimates over replicas at one round: of that
// round, and of the run up to it.
type Observation struct {
	Round      int
	MaxLoad    mc.Estimate // mean of the maximum load, balls
	MaxLoadP95 mc.Estimate // 95 % quantile of the maximum load, balls
	TotalLoad  mc.Estimate // mean of M, the sum of all loads, balls

	Peak           mc.Estimate // mean of the largest load of the rounds up to this one, balls
	OverThreshold  mc.Estimate // mean fraction of bins above τ, over bins and rounds up to this one
	RandomFraction mc.Estimate // mean fraction of throws up to this round that were random
}

// Result is the outcome of [Simulate].
type Result struct {
	Observations []Observation // one for each observed round, in order
	Replicas     uint64        // that were run
}

// Simulate runs replicas of the process as planned and returns estimates at the
// observed rounds, which must be ascending and in [1, MaxRounds]; a run ends at
// the last of them. Replica r draws from the stream (seed, Algorithm, r), so
// variants and ratios meet the same random words. A plan's stopping rule judges
// the mean maximum load at the last round. On an error (a cancelled ctx) the
// observations of the replicas that were finished are returned with it. O(replicas
// * last round * n) time.
func Simulate(ctx context.Context, cfg Config, rounds []int, plan mc.Plan) (Result, error) {
	if err := errors.Join(cfg.Validate(), validRounds(rounds), plan.Validate()); err != nil {
		return Result{}, err
	}
	all, replicas, err := NewExperiment(cfg, rounds).Run(ctx, plan)
	return Result{Observations: all.Observations(), Replicas: replicas}, err
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report
// the faults of cfg.
func NewExperiment(cfg Config, rounds []int) mc.Experiment[*Tally] {
	newTally := func() *Tally { return &Tally{bins: cfg.Bins, rounds: rounds, at: make([]observed, len(rounds))} }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		process, err := New(cfg)
		return func(ctx context.Context, t *Tally, replica uint64) error {
			process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
			return t.run(ctx, process)
		}, err
	})
}

// validRounds reports the first fault of the observed rounds.
func validRounds(rounds []int) error {
	if len(rounds) == 0 {
		return errors.New("coalescing: Rounds (none) must be at least one")
	}
	before := 0
	for _, r := range rounds {
		if r <= before || r > MaxRounds {
			return fmt.Errorf("coalescing: Rounds (%d after %d) must be ascending in [1, %d]", r, before, MaxRounds)
		}
		before = r
	}
	return nil
}

// Tally collects the observations of some replicas, one entry for each observed
// round. It implements [mc.Tally]; make it by [NewExperiment].
type Tally struct {
	bins   int
	rounds []int
	at     []observed // one for each of rounds
}

// observed collects what some replicas gave at one round.
type observed struct {
	maxLoad                        mc.Sample
	totalLoad, peak, over, randoms mc.Moments
}

// checkEvery is how many rounds pass between two looks for a cancelled context.
const checkEvery = 256

// run adds one run of a process that is at its beginning.
func (t *Tally) run(ctx context.Context, process Process) error {
	for i, round := range t.rounds {
		for process.Round() < round {
			if process.Round()%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			process.Step()
		}
		most := 0
		for bin := range t.bins {
			most = max(most, process.Load(bin))
		}
		_, random := process.Throws()
		o := &t.at[i]
		o.maxLoad.Add(int64(most))
		o.totalLoad.Add(process.Balls())
		o.peak.Add(int64(process.Peak()))
		o.over.Add(process.OverThreshold())
		o.randoms.Add(random)
	}
	return nil
}

// Parts implements [mc.Tally]: for each observed round R the maximum and total
// load (balls) and, up to it, the largest load, the bin-rounds above the threshold
// and the random throws.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i, round := range t.rounds {
		o, r := &t.at[i], strconv.Itoa(round)
		parts = append(parts,
			mc.NamedPart{Name: "max_load_" + r, Part: &o.maxLoad},
			mc.NamedPart{Name: "total_load_" + r, Part: &o.totalLoad},
			mc.NamedPart{Name: "peak_load_" + r, Part: &o.peak},
			mc.NamedPart{Name: "over_threshold_" + r, Part: &o.over},
			mc.NamedPart{Name: "random_throws_" + r, Part: &o.randoms})
	}
	return parts
}

// Judged implements [mc.Tally]: a stopping rule looks at the mean maximum load at
// the last round.
func (t *Tally) StoppingStatistic() mc.Estimate {
	return t.at[len(t.at)-1].maxLoad.Mean(mc.DefaultConfidence)
}

// Observations returns estimates for the observed rounds.
func (t *Tally) Observations() []Observation {
	observations := make([]Observation, len(t.rounds))
	for i, round := range t.rounds {
		observations[i] = t.at[i].observation(round, t.bins)
	}
	return observations
}

// observation turns what was observed at a round into estimates. As many balls
// are thrown as there are bin-rounds.
func (o *observed) observation(round, bins int) Observation {
	binRounds := float64(round) * float64(bins)
	return Observation{
		Round:          round,
		MaxLoad:        o.maxLoad.Mean(mc.DefaultConfidence),
		MaxLoadP95:     o.maxLoad.Quantile(0.95, mc.DefaultConfidence),
		TotalLoad:      o.totalLoad.Mean(mc.DefaultConfidence),
		Peak:           o.peak.Mean(mc.DefaultConfidence),
		OverThreshold:  o.over.Mean(mc.DefaultConfidence).Per(binRounds),
		RandomFraction: o.randoms.Mean(mc.DefaultConfidence).Per(binRounds),
	}
}
