package ballsbins

import (
	"context"
	"strconv"

	"repslab/internal/checks"
	"repslab/internal/must"
	"repslab/mc"
)

// Observation holds Monte Carlo estimates, over replicas, of one round of the
// process.
type Observation struct {
	Round      int
	MaxLoad    mc.Estimate // mean of the maximum load, balls
	MaxLoadP95 mc.Estimate // 95 % quantile of the maximum load, balls
	TotalLoad  mc.Estimate // mean of the sum of all loads, balls
}

// Result holds Monte Carlo estimates over replicas of the process.
type Result struct {
	Observations []Observation // one per observed round, ascending
	Replicas     uint64        // number of replicas
}

// Tally accumulates the observations of replicas, one entry per observed round. It
// implements [mc.Tally]; [NewExperiment] makes it.
type Tally struct {
	rounds    []int
	units     float64 // observed units in a ball
	maxLoad   []mc.Sample
	totalLoad []mc.Moments
}

// newTally returns an empty tally for a configuration with defaults applied.
func newTally(cfg Config) *Tally {
	rounds := cfg.Rounds
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

// StoppingStatistic implements [mc.Tally] by the mean maximum load at the last round.
func (t *Tally) StoppingStatistic() mc.Estimate {
	t.mustBeMade()
	return t.maxLoad[len(t.rounds)-1].Mean(mc.DefaultConfidence).Per(t.units)
}

// mustBeMade panics for the zero value.
func (t *Tally) mustBeMade() { must.BeMade(len(t.rounds) > 0, "ballsbins: Tally", "NewExperiment") }

// Result returns the estimates.
func (t *Tally) Result() Result {
	t.mustBeMade()
	observations := make([]Observation, len(t.rounds))
	for i, round := range t.rounds {
		observations[i] = Observation{
			Round:      round,
			MaxLoad:    t.maxLoad[i].Mean(mc.DefaultConfidence).Per(t.units),
			MaxLoadP95: t.maxLoad[i].Quantile(0.95, mc.DefaultConfidence).Per(t.units),
			TotalLoad:  t.totalLoad[i].Mean(mc.DefaultConfidence).Per(t.units),
		}
	}
	return Result{Observations: observations, Replicas: t.maxLoad[0].N()}
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report the faults
// of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.WithDefaults()
	newTally := func() *Tally { return newTally(cfg) }
	return mc.EachRun(newTally, func() (*Process, error) { return New(cfg) },
		func(ctx context.Context, t *Tally, p *Process) error { return t.run(ctx, p) })
}

// Simulate runs replicas of the process as planned and returns Monte Carlo estimates at
// the observed rounds. Replica r draws from the stream (seed, Algorithm, r). The stopping
// statistic is the mean maximum load at the last round. It returns the errors of cfg,
// of the plan and of a cancelled ctx; after a cancellation the result holds the replicas
// finished before. O(replicas * last round * n) time.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	return mc.Simulate(ctx, cfg, NewExperiment(cfg), plan, (*Tally).Result)
}

// run adds a replica: a run of a process that was just reset.
func (t *Tally) run(ctx context.Context, process *Process) error {
	pause := checks.Every(process.cfg.Bins)
	for i, round := range t.rounds {
		for process.Round() < round {
			if ctx.Err() != nil {
				mc.ReportShare(ctx, float64(process.Round())/float64(t.rounds[len(t.rounds)-1]))
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
