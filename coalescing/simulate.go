package coalescing

import (
	"context"
	"strconv"

	"repslab/internal/must"
	"repslab/mc"
)

// Observation holds Monte Carlo estimates over replicas, of one round and of the run up to it.
type Observation struct {
	Round      int
	MaxLoad    mc.Estimate // mean of the maximum load, balls
	MaxLoadP95 mc.Estimate // 95 % quantile of the maximum load, balls
	TotalLoad  mc.Estimate // mean of M, the sum of all loads, balls

	Peak           mc.Estimate // mean of the largest load of the rounds up to this one, balls
	OverThreshold  mc.Estimate // mean fraction of bins above τ, over bins and rounds up to this one
	RandomFraction mc.Estimate // mean fraction of throws up to this round that were random
}

// Result holds Monte Carlo estimates over replicas of the process.
type Result struct {
	Observations []Observation // one per observed round, ascending
	Replicas     uint64        // number of replicas
}

// Simulate runs replicas of the process as planned and returns Monte Carlo estimates at
// the observed rounds. Replica r draws from the stream (seed, Algorithm, r), so variants
// and ratios meet the same random words. The stopping statistic is the mean maximum load at
// the last round. It returns the errors of cfg, of the plan and of a cancelled ctx; after
// a cancellation the result holds the replicas finished before. O(replicas * last round * n) time.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	return mc.Simulate(ctx, cfg, NewExperiment(cfg), plan, (*Tally).Result)
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report the faults
// of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.WithDefaults()
	newTally := func() *Tally {
		return &Tally{bins: cfg.Bins, rounds: cfg.Rounds, at: make([]observed, len(cfg.Rounds))}
	}
	return mc.EachRun(newTally, func() (Process, error) { return New(cfg) },
		func(ctx context.Context, t *Tally, p Process) error { return t.run(ctx, p) })
}

// Tally accumulates the observations of replicas, one entry per observed round. It
// implements [mc.Tally]; [NewExperiment] makes it.
type Tally struct {
	bins   int
	rounds []int
	at     []observed // one for each of rounds
}

// observed accumulates the observations of replicas at one round.
type observed struct {
	maxLoad                        mc.Sample
	totalLoad, peak, over, randoms mc.Moments
}

// checkEvery is the number of rounds between two checks of the context.
const checkEvery = 256

// run adds a replica: a run of a process that was just reset.
func (t *Tally) run(ctx context.Context, process Process) error {
	for i, round := range t.rounds {
		for process.Round() < round {
			if process.Round()%checkEvery == 0 && ctx.Err() != nil {
				mc.ReportShare(ctx, float64(process.Round())/float64(t.rounds[len(t.rounds)-1]))
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
		o.peak.Add(int64(process.MaxLoad()))
		o.over.Add(process.OverThreshold())
		o.randoms.Add(random)
	}
	return nil
}

// Parts implements [mc.Tally]: for each observed round R the maximum and the total load (balls) after it,
// and the largest load, the bin-rounds above the threshold and the random throws up to it.
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

// StoppingStatistic implements [mc.Tally] by the mean maximum load at the last round.
func (t *Tally) StoppingStatistic() mc.Estimate {
	t.mustBeMade()
	return t.at[len(t.at)-1].maxLoad.Mean(mc.DefaultConfidence)
}

// mustBeMade panics for the zero value.
func (t *Tally) mustBeMade() { must.BeMade(len(t.at) > 0, "coalescing: Tally", "NewExperiment") }

// Result returns the estimates.
func (t *Tally) Result() Result {
	t.mustBeMade()
	observations := make([]Observation, len(t.rounds))
	for i, round := range t.rounds {
		observations[i] = t.at[i].observation(round, t.bins)
	}
	return Result{Observations: observations, Replicas: t.at[0].maxLoad.N()}
}

// observation returns the estimates at a round. The number of throws equals the
// number of bin-rounds.
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
