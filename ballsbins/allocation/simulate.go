package allocation

import (
	"context"
	"strconv"

	"repslab/internal/must"
	"repslab/mc"
)

// Observation holds Monte Carlo estimates, over replicas, after some number of balls.
type Observation struct {
	Balls   int
	Gap     mc.Estimate // mean of the largest load minus the average W/n, in balls of weight 1
	GapP95  mc.Estimate // 95 % quantile of the gap
	MaxGap  mc.Estimate // mean of the largest gap so far, see [Process.MaxGap]
	Under   mc.Estimate // mean of W/n minus the smallest load
	MaxLoad mc.Estimate // mean of the largest load
	Levels  []Level     // histogram of loads minus floor(W/n), ascending; empty unless Config.Histogram is set
	GapLaw  []Level     // the histogram of the gap, ascending
}

// Level is a bar of a histogram: a value in balls of weight 1, and the share of the observations
// that have it. The shares of one histogram sum to 1. They have no interval: the bins of a
// replica are not independent.
type Level struct {
	Value float64
	Share float64
}

// Result holds Monte Carlo estimates over replicas of an allocation.
type Result struct {
	Observations []Observation // one for each observed number of balls, ascending
	Replicas     uint64        // number of replicas
}

// Tally accumulates the observations of replicas. It implements [mc.Tally]; [NewExperiment]
// makes it.
type Tally struct {
	cfg  Config
	seen []observed // one for each observed number of balls
}

// observed holds the observations after some number of balls: gaps in observed units, loads in
// units of load, and the loads of the histogram relative to floor(W/n).
type observed struct {
	gap, maxGap, under mc.Sample
	maxLoad            mc.Moments
	levels             mc.Sample
}

// Parts implements [mc.Tally]: for each observed number of balls M, gap_M, max_gap_M and under_M in
// multiples of 1/n balls, max_load_M and level_M in balls. Under exponential weights both units are 2^-20
// balls.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i, balls := range t.cfg.Balls {
		m, s := strconv.Itoa(balls), &t.seen[i]
		parts = append(parts, []mc.NamedPart{
			{Name: "gap_" + m, Part: &s.gap}, {Name: "max_gap_" + m, Part: &s.maxGap}, {Name: "under_" + m, Part: &s.under},
			{Name: "max_load_" + m, Part: &s.maxLoad}, {Name: "level_" + m, Part: &s.levels},
		}...)
	}
	return parts
}

// StoppingStatistic implements [mc.Tally] by the mean gap at the end.
func (t *Tally) StoppingStatistic() mc.Estimate {
	t.mustBeMade()
	return t.seen[len(t.seen)-1].gap.Mean(mc.DefaultConfidence).Per(float64(t.cfg.scale()))
}

// mustBeMade panics for the zero value.
func (t *Tally) mustBeMade() { must.BeMade(len(t.seen) > 0, "allocation: Tally", "NewExperiment") }

// Result returns the estimates.
func (t *Tally) Result() Result {
	t.mustBeMade()
	var r Result
	scale, unit := float64(t.cfg.scale()), float64(t.cfg.unit())
	for i, balls := range t.cfg.Balls {
		s := &t.seen[i]
		r.Observations = append(r.Observations, Observation{
			Balls:   balls,
			Gap:     s.gap.Mean(mc.DefaultConfidence).Per(scale),
			GapP95:  s.gap.Quantile(0.95, mc.DefaultConfidence).Per(scale),
			MaxGap:  s.maxGap.Mean(mc.DefaultConfidence).Per(scale),
			Under:   s.under.Mean(mc.DefaultConfidence).Per(scale),
			MaxLoad: s.maxLoad.Mean(mc.DefaultConfidence).Per(unit),
			Levels:  histogram(&s.levels, unit),
			GapLaw:  histogram(&s.gap, scale),
		})
	}
	r.Replicas = t.seen[0].gap.N()
	return r
}

// histogram returns the bars of a sample. units is the number of observed units in a ball.
func histogram(s *mc.Sample, units float64) (levels []Level) {
	for value, count := range s.Counts() {
		levels = append(levels, Level{float64(value) / units, float64(count) / float64(s.N())})
	}
	return levels
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report the faults of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.WithDefaults()
	newTally := func() *Tally { return &Tally{cfg, make([]observed, len(cfg.Balls))} }
	return mc.EachRun(newTally, func() (*Process, error) { return New(cfg) },
		func(ctx context.Context, t *Tally, p *Process) error { return t.run(ctx, p) })
}

// Simulate runs replicas as planned and returns Monte Carlo estimates at the observed numbers of balls.
// Replica r draws from the stream (seed, Algorithm, r). The stopping statistic is the mean gap at the
// end. It returns the errors of cfg, of the plan and of a cancelled ctx; after a cancellation the result
// holds the replicas finished before. It takes the time of [Process.Advance], plus O(n) for every
// observation.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	return mc.Simulate(ctx, cfg, NewExperiment(cfg), plan, (*Tally).Result)
}

// run adds a replica: a run of a process that was just reset.
func (t *Tally) run(ctx context.Context, p *Process) error {
	for i, balls := range t.cfg.Balls {
		for p.balls < balls {
			if ctx.Err() != nil {
				mc.ReportShare(ctx, float64(p.balls)/float64(t.cfg.Balls[len(t.cfg.Balls)-1]))
				return ctx.Err()
			}
			p.Advance(min(1<<18, balls-p.balls))
		}
		s := &t.seen[i]
		s.gap.Add(p.gap())
		s.maxGap.Add(p.largestGap())
		s.under.Add(p.under())
		s.maxLoad.Add(p.most)
		if t.cfg.Histogram {
			base := p.total / p.capacity / p.unit * p.unit * p.multiple
			for _, load := range p.loads {
				s.levels.Add(load - base)
			}
		}
	}
	return nil
}
