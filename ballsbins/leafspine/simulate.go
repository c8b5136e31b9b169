package leafspine

import (
	"context"
	"math"
	"strconv"

	"repslab/internal/checks"
	"repslab/internal/must"
	"repslab/mc"
)

// Observation holds Monte Carlo estimates, over replicas, after some packets of each host.
type Observation struct {
	Packets    int         // m: after m + Config.Spread slots, every host has sent m packets or more
	Longest    mc.Estimate // mean of the longest queue of any port in any slot so far, packets
	LongestP95 mc.Estimate // 95 % quantile of the longest queue
	Uplink     mc.Estimate // mean queue of an uplink, packets
	// Growth is the local exponent γ of Longest ~ m^γ, between the observation before and this one: ln of the ratio of
	// the mean longest queues over ln of the ratio of the packets. It is at least 0, and NaN with a warning at the
	// first observation. Fewer than three replicas, or replicas that all grow alike, give no interval.
	Growth mc.Estimate
}

// Result holds Monte Carlo estimates over replicas of the process.
type Result struct {
	Observations []Observation // one for each observed number of packets, ascending
	Replicas     uint64        // number of replicas
}

// Tally accumulates the observations of replicas. It implements [mc.Tally]; [NewExperiment] makes it.
type Tally struct {
	cfg  Config
	seen []observed // one for each observed number of packets
}

// observed holds the observations after some number of packets.
type observed struct {
	longest mc.Sample
	uplinks mc.Moments       // sum over all uplinks
	growth  mc.PairedMoments // the longest queue, now and at the observation before; empty at the first
}

func newTally(cfg Config) *Tally { return &Tally{cfg, make([]observed, len(cfg.Packets))} }

// Parts implements [mc.Tally]: longest_M, uplinks_M and growth_M for each observed number of packets M, in packets.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i, packets := range t.cfg.Packets {
		m, s := strconv.Itoa(packets), &t.seen[i]
		parts = append(parts, mc.NamedPart{Name: "longest_" + m, Part: &s.longest}, mc.NamedPart{Name: "uplinks_" + m, Part: &s.uplinks},
			mc.NamedPart{Name: "growth_" + m, Part: &s.growth})
	}
	return parts
}

// StoppingStatistic implements [mc.Tally] by the mean longest queue at the last observation.
func (t *Tally) StoppingStatistic() mc.Estimate {
	t.mustBeMade()
	return t.seen[len(t.seen)-1].longest.Mean(mc.DefaultConfidence)
}

// mustBeMade panics for the zero value.
func (t *Tally) mustBeMade() { must.BeMade(len(t.seen) > 0, "leafspine: Tally", "NewExperiment") }

// Result returns the estimates.
func (t *Tally) Result() Result {
	t.mustBeMade()
	r := Result{Replicas: t.seen[0].longest.N()}
	for i, packets := range t.cfg.Packets {
		s := &t.seen[i]
		o := Observation{
			Packets:    packets,
			Longest:    s.longest.Mean(mc.DefaultConfidence),
			LongestP95: s.longest.Quantile(0.95, mc.DefaultConfidence),
			Uplink:     s.uplinks.Mean(mc.DefaultConfidence).Per(float64(t.cfg.hosts())),
			Growth:     s.growth.RatioOfFew(mc.DefaultConfidence),
		}
		if i > 0 {
			o.Growth = exponent(o.Growth, float64(packets)/float64(t.cfg.Packets[i-1]))
		}
		r.Observations = append(r.Observations, o)
	}
	return r
}

// exponent returns ln ratio / ln factor. The longest queue never falls, so the ratio is at least 1.
func exponent(ratio mc.Estimate, factor float64) mc.Estimate {
	unit := math.Log(factor)
	of := func(x float64) float64 { return math.Log(max(1, x)) / unit }
	ratio.StdErr /= ratio.Value * unit
	ratio.Value, ratio.Scale.Logarithmic = of(ratio.Value), false // an exponent is a logarithm already
	if !math.IsInf(ratio.Hi, 1) {
		ratio.Lo, ratio.Hi = of(ratio.Lo), of(ratio.Hi)
	}
	return ratio
}

// NewExperiment returns the experiment that [Simulate] runs. Its workers report the faults of cfg.
func NewExperiment(cfg Config) mc.Experiment[*Tally] {
	cfg = cfg.WithDefaults()
	newTally := func() *Tally { return newTally(cfg) }
	return mc.EachRun(newTally, func() (*Process, error) { return New(cfg) },
		func(ctx context.Context, t *Tally, p *Process) error { return t.run(ctx, p) })
}

// Simulate runs replicas of the process as planned and returns Monte Carlo estimates at the observed numbers of
// packets. Replica r draws from the stream (seed, Algorithm, r). The stopping statistic is the mean longest queue at
// the end. It returns the errors of cfg, of its rule, of the plan and of a cancelled ctx; after a cancellation the
// result holds the replicas finished before. It takes the time of [Process.Advance].
func Simulate(ctx context.Context, cfg Config, plan mc.Plan) (Result, error) {
	return mc.Simulate(ctx, cfg, NewExperiment(cfg), plan, (*Tally).Result)
}

// run adds a replica: a run of a process that was just reset.
func (t *Tally) run(ctx context.Context, p *Process) error {
	pause, spread, before := checks.Every(p.hosts), t.cfg.Spread, 0
	for i, packets := range t.cfg.Packets {
		for p.slot < packets+spread {
			if ctx.Err() != nil {
				mc.ReportShare(ctx, float64(p.slot)/float64(t.cfg.Packets[len(t.cfg.Packets)-1]+spread))
				return ctx.Err()
			}
			if err := p.advance(min(pause, packets+spread-p.slot)); err != nil {
				return err
			}
		}
		s, longest := &t.seen[i], p.Longest()
		s.longest.Add(int64(longest))
		s.uplinks.Add(int64(p.UplinkTotal()))
		if i > 0 {
			s.growth.Add(int64(longest), int64(before))
		}
		before = longest
	}
	return nil
}
