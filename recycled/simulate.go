package recycled

import (
	"context"
	"math"

	"repslab/mc"
)

// partsOfFraction is the fixed-point unit of fractions: sums of multiples of 1/partsOfFraction are exact.
const partsOfFraction = 1_000_000_000_000

// partsOfLoad is the fixed-point unit of average loads. 2^26 balls in this unit stay below 2^50.
const partsOfLoad = 1_000_000

// Result holds Monte Carlo estimates over replicas of one process. An estimate that does not exist is
// NaN, with a warning.
type Result struct {
	Replicas  uint64 // number of replicas
	Throws    int64  // balls thrown in all runs together
	Absorbing bool   // runs are decided by their state; otherwise the next two counts are 0
	Converged uint64 // runs that converged, or stabilised, within MaxRounds
	Certified uint64 // runs that certainly never converge

	ConvergedShare mc.Estimate `json:"-"` // proportion of runs that converged within MaxRounds; NaN unless Absorbing

	// Rounds to convergence, over converged runs. If some runs do not converge
	// these are conditional: the unconditional expectation is infinite.
	Rounds, RoundsP50, RoundsP95 mc.Estimate
	RoundsMax                    float64

	// StoppingStatistic is Rounds or, while no run converged, MaxLoadAtDecision.
	StoppingStatistic mc.Estimate

	MaxLoadAtDecision    mc.Estimate // mean over runs of [Outcome].MaxLoadAtDecision, balls
	MaxLoadAtDecisionMax float64     // maximum over runs, balls
	RandomFraction       mc.Estimate // mean over runs of [Outcome].RandomFraction

	// Of whole runs; NaN where the value of any run is unknown, see [Outcome].
	MaxLoad       mc.Estimate // mean over runs of the largest load, balls
	MaxLoadMax    float64     // largest load in any run, balls
	ColorRepeated mc.Estimate // proportion of runs in which two balls of a colour met; NaN without colours

	// Of late rounds; NaN where the value of any run is unknown, see [Outcome].
	EmptyShare     mc.Estimate // mean over runs of [Outcome].EmptyShare
	RoundMaxLoad   mc.Estimate // mean over runs of [Outcome].RoundMaxLoad, balls
	LateMaxLoad    mc.Estimate // mean over runs of [Outcome].LateMaxLoad, balls
	LateMaxLoadMax float64     // maximum over runs, balls

	// Of senders in freezing mode; NaN under other clockings.
	DistinctEVs mc.Estimate `json:"-"` // mean over runs of [Outcome].DistinctEVs
	TopEVShare  mc.Estimate `json:"-"` // mean over runs of [Outcome].TopEVShare
}

// Tally accumulates the outcomes of replicas. It implements [mc.Tally]; [NewExperiment]
// makes it.
type Tally struct {
	decidable                      bool
	replicas, converged, certified mc.Count
	throws                         mc.Count
	colorsKnown, colorsRepeated    mc.Count
	rounds, atDecision, maxLoad    mc.Sample
	randomFraction                 mc.Moments
	emptyShare, roundMaxLoad       mc.Moments
	lateMaxLoad                    mc.Sample
	distinctEVs, topEVShare        mc.Moments
}

// add records one outcome.
func (t *Tally) add(o Outcome) {
	t.replicas++
	t.throws += mc.Count(o.Throws)
	switch o.Status {
	case Converged:
		t.converged++
		t.rounds.Add(int64(o.Rounds))
	case Certified:
		t.certified++
	}
	if o.ColorsKnown {
		t.colorsKnown++
		if o.ColorRepeated {
			t.colorsRepeated++
		}
	}
	t.atDecision.Add(int64(o.MaxLoadAtDecision))
	if o.MaxLoadKnown {
		t.maxLoad.Add(int64(o.MaxLoad))
	}
	if !math.IsNaN(o.RandomFraction) {
		t.randomFraction.Add(int64(math.Round(o.RandomFraction * partsOfFraction)))
	}
	if o.LateKnown {
		t.emptyShare.Add(int64(math.Round(o.EmptyShare * partsOfFraction)))
		t.roundMaxLoad.Add(int64(math.Round(o.RoundMaxLoad * partsOfLoad)))
		t.lateMaxLoad.Add(int64(o.LateMaxLoad))
	}
	if !math.IsNaN(o.DistinctEVs) {
		t.distinctEVs.Add(int64(math.Round(o.DistinctEVs * partsOfLoad)))
		t.topEVShare.Add(int64(math.Round(o.TopEVShare * partsOfFraction)))
	}
}

// Parts implements [mc.Tally]: the counts of [Result], the number of runs in which [Outcome].ColorRepeated is known,
// the number in which it is true, and the rounds, loads and shares of the runs that have them. Loads are in balls,
// averages of loads in 1e-6 balls, shares in 1e-12.
func (t *Tally) Parts() []mc.NamedPart {
	return []mc.NamedPart{
		{Name: "replicas", Part: &t.replicas},
		{Name: "converged", Part: &t.converged},
		{Name: "certified", Part: &t.certified},
		{Name: "throws", Part: &t.throws},
		{Name: "colors_known", Part: &t.colorsKnown},
		{Name: "colors_repeated", Part: &t.colorsRepeated},
		{Name: "rounds", Part: &t.rounds},
		{Name: "max_load_at_decision", Part: &t.atDecision},
		{Name: "max_load", Part: &t.maxLoad},
		{Name: "random_throw_fraction", Part: &t.randomFraction},
		{Name: "empty_share", Part: &t.emptyShare},
		{Name: "round_max_load", Part: &t.roundMaxLoad},
		{Name: "late_max_load", Part: &t.lateMaxLoad},
		{Name: "flight_evs", Part: &t.distinctEVs},
		{Name: "top_ev_share", Part: &t.topEVShare},
	}
}

// StoppingStatistic implements [mc.Tally] by the mean rounds to convergence or, while no
// run converged, by the mean maximum load at the decision, which every run has.
func (t *Tally) StoppingStatistic() mc.Estimate {
	if t.converged > 0 {
		return t.rounds.Mean(mc.DefaultConfidence)
	}
	return t.atDecision.Mean(mc.DefaultConfidence)
}

// Result returns the estimates.
func (t *Tally) Result() Result {
	maxLoad, repeated, colors := &t.maxLoad, t.colorsRepeated, t.colorsKnown
	if maxLoad.N() < uint64(t.replicas) {
		maxLoad = new(mc.Sample) // a mean over the known runs would leave out those that diverge
	}
	emptyShare, roundMaxLoad, lateMaxLoad := t.emptyShare, t.roundMaxLoad, &t.lateMaxLoad
	if lateMaxLoad.N() < uint64(t.replicas) {
		emptyShare, roundMaxLoad, lateMaxLoad = mc.Moments{}, mc.Moments{}, new(mc.Sample)
	}
	if colors < t.replicas {
		repeated, colors = 0, 0
	}
	decided := t.replicas
	if !t.decidable {
		decided = 0
	}
	return Result{
		Replicas:          uint64(t.replicas),
		Throws:            int64(t.throws),
		Absorbing:         t.decidable,
		Converged:         uint64(t.converged),
		Certified:         uint64(t.certified),
		ConvergedShare:    mc.Proportion(uint64(t.converged), uint64(decided), mc.DefaultConfidence),
		StoppingStatistic: t.StoppingStatistic(),
		Rounds:            t.rounds.Mean(mc.DefaultConfidence),
		RoundsP50:         t.rounds.Quantile(0.5, mc.DefaultConfidence),
		RoundsP95:         t.rounds.Quantile(0.95, mc.DefaultConfidence),
		RoundsMax:         largest(&t.rounds),
		RandomFraction:    t.randomFraction.Mean(mc.DefaultConfidence).Per(partsOfFraction),

		MaxLoadAtDecision:    t.atDecision.Mean(mc.DefaultConfidence),
		MaxLoadAtDecisionMax: largest(&t.atDecision),

		MaxLoad:       maxLoad.Mean(mc.DefaultConfidence),
		MaxLoadMax:    largest(maxLoad),
		ColorRepeated: mc.Proportion(uint64(repeated), uint64(colors), mc.DefaultConfidence),

		EmptyShare:     emptyShare.Mean(mc.DefaultConfidence).Per(partsOfFraction),
		RoundMaxLoad:   roundMaxLoad.Mean(mc.DefaultConfidence).Per(partsOfLoad),
		LateMaxLoad:    lateMaxLoad.Mean(mc.DefaultConfidence),
		LateMaxLoadMax: largest(lateMaxLoad),

		DistinctEVs: t.distinctEVs.Mean(mc.DefaultConfidence).Per(partsOfLoad),
		TopEVShare:  t.topEVShare.Mean(mc.DefaultConfidence).Per(partsOfFraction),
	}
}

// largest returns the maximum of a sample, NaN if it is empty.
func largest(s *mc.Sample) float64 {
	if v, ok := s.Max(); ok {
		return float64(v)
	}
	return math.NaN()
}

// Simulate runs replicas of the process as planned and returns Monte Carlo estimates. Replica r draws
// from the stream (seed, Algorithm, r). It returns the errors of cfg, of the plan and of a cancelled ctx;
// after a cancellation the result holds the replicas finished before. A run takes O(rounds * n) time;
// less for self-clocked at λ = 1, where the cost of a round is the number of its random throws.
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	return mc.Simulate(ctx, cfg, NewExperiment(cfg), plan, (*Tally).Result)
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report the faults
// of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	newTally := func() *Tally { return &Tally{decidable: cfg.WithDefaults().decidable()} }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		process, err := New(cfg)
		return func(ctx context.Context, t *Tally, replica uint64) error {
			outcome, err := Run(ctx, process, cfg, mc.NewStream(seed, mc.Algorithm, replica))
			if err == nil {
				t.add(outcome)
			}
			return err
		}, err
	})
}
