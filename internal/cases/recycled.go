package cases

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/recycled"
	"repslab/sweep"
)

func recycledModel() param.Model {
	return param.New(param.Model{
		Name:    "recycled",
		Streams: 2,
		Results: param.Numbers(recycledRow(recycled.Result{}, 1, predictions{}, nil)),
		Brief: []string{"bins", "threshold", "clocking", "converged", "converged_limit", "rounds_mean", "rounds_se", "rounds_p95", "rounds_per_nlnn",
			"max_load_mean", "max_load_se", "exceeds_probability"},
	}, func() param.Space { return recycledSpace(new(Recycled)) })
}

// Recycled is a point: a combination of parameters of a recycled process.
type Recycled struct {
	recycled.Config
	expression string // expression of the threshold
	start      startLoads
	closed     *bool // nil for the default
	exceeds    int   // 0 if not given
}

// startLoads is a start with its name: the name in the library, or the path of a file.
type startLoads struct {
	cell  any // the name, made once for all points
	loads recycled.Start
}

// String returns the name.
func (s startLoads) String() string { return fmt.Sprint(s.cell) }

// readStarts reads a list of starts. Each is a name or the path of a file.
func readStarts(files *param.InputFiles, text string) ([]startLoads, error) {
	return param.EachFile(files, text, func(name string) (startLoads, error) {
		if known, err := values.Names(name, recycled.Starts()); err == nil {
			return startLoads{string(known[0]), known[0]}, nil
		}
		start, err := param.ReadInput(files, name, readLoads)
		if err != nil {
			err = fmt.Errorf("%w; without a file it %s", err, values.MustBeOneOf(name, values.Texts(recycled.Starts())))
		}
		return startLoads{name, start}, err
	})
}

// readLoads reads the load of every bin: integers separated by white space.
func readLoads(r io.Reader) (recycled.Start, error) {
	loads, words := []int{}, bufio.NewScanner(r)
	for words.Split(bufio.ScanWords); words.Scan() && len(loads) <= recycled.MaxBins; {
		load, err := strconv.Atoi(words.Text())
		if err != nil || load < 0 || load > recycled.MaxBalls {
			return "", fmt.Errorf("load %d (%.60q) must be an integer in [0, %d]", len(loads)+1, words.Text(), recycled.MaxBalls)
		}
		loads = append(loads, load)
	}
	if err := words.Err(); err != nil {
		return "", fmt.Errorf("after load %d: %w", len(loads), err)
	}
	if len(loads) == 0 || len(loads) > recycled.MaxBins {
		return "", fmt.Errorf("%d loads must be in [1, %d]", len(loads), recycled.MaxBins)
	}
	return recycled.Given(loads), nil
}

// theoremThreshold is the smallest threshold of the theorem, the default of [recycled.Config].
const theoremThreshold = "4*ln(n)"

// thresholdParameter is the threshold of recycled and coalescing; text receives its expression.
func thresholdParameter(least int, bins, threshold *int, text *string) param.Parameter {
	return param.Expression("threshold", "a ball is good if its bin held at most this many balls",
		bins, least, func(int) int { return recycled.MaxThreshold }, threshold, text).
		NoPreset(theoremThreshold + ", the theorem's").More("counted before it was served")
}

// colorsParameter is the number of colours per bin of recycled and coalescing.
func colorsParameter(bins, colors *int, clocking *recycled.Clocking) param.Parameter {
	return param.Expression("colors-per-bin", "round-robin: colours per bin",
		bins, 1, func(n int) int { return recycled.MaxColors / n }, colors, new(string)).Field("Colors").
		NoPreset("2.4*ln(n), the theorem's").
		UsedOnly("by --clocking round-robin", func() bool { return *clocking == recycled.RoundRobin })
}

func recycledSpace(p *Recycled) param.Space {
	*p = Recycled{Config: recycled.Config{}.WithDefaults(), start: startLoads{cell: string(recycled.Empty)}}
	p.PMax = 1
	threshold := thresholdParameter(0, &p.Bins, &p.Threshold, &p.expression).Field("Threshold", "Oblivious")
	threshold = threshold.More("with 0 none is").Also("threshold_expression", func() any { return p.expression })
	threshold.Columns[1].Column = frame.Text("threshold_expression")
	flows := func() bool { return p.Clocking == recycled.PerFlow }
	delayed := func(flag, help string, most int, field *int) param.Parameter {
		return param.Integer(flag, "per-flow, ack, frozen: "+help, 0, most, field).
			UsedOnly("by --clocking per-flow, ack and frozen", func() bool { return flows() || p.ackClocked() })
	}
	byEVs := func(q param.Parameter) param.Parameter {
		return q.UsedOnly("by --clocking per-flow with --evs", func() bool { return flows() && p.EVS > 0 }).NullUnused()
	}
	return param.NewSpace(p, (*Recycled).complete, (*Recycled).point, param.Formulas("bins", &p.Bins, []param.Parameter{
		param.Integer("bins", "output ports n", 1, recycled.MaxBins, &p.Bins),
		threshold,
		param.Integer("ramp", "balls are marked with probability (load - threshold)/ramp above the threshold",
			0, recycled.MaxThreshold, &p.Ramp).More("0 and 1 mean a step: every ball above the threshold").
			UsedOnly("with --threshold above 0", func() bool { return p.expression == "" || p.Threshold > 0 }),
		param.Probability("pmax", "probability of a mark at the end of the ramp", &p.PMax).More("above it every ball is marked").
			UsedOnly("with --ramp above 0", func() bool { return p.Ramp > 0 }).NullUnused(),
		colorsParameter(&p.Bins, &p.Colors, &p.Clocking),
		param.Name("clocking", "process", recycled.Clockings(), &p.Clocking).
			Show(func() any { return string(p.Clocking) }).Text(), // one allocation, fmt.Sprint takes two
		param.Parsed("start", "initial loads: "+param.List(recycled.Starts())+", or a FILE with the load of every bin", readStarts,
			func(s startLoads) error { p.start = s; return nil }).Show(func() any { return p.start.cell }).Text(),
		param.Integer("balls", "balls of --start all-in-one or random", 1, recycled.MaxBalls, &p.Balls).NoPreset("n").
			UsedOnly("by --start all-in-one and random", p.counted),
		param.Choice("closed", "self-clocked: empty bins make no fresh balls", []string{"on", "off"},
			func(i int) { p.closed = new(i == 0) }, func() int { return param.Bit(!p.Closed) }).NoPreset("on with a start that is not empty").
			UsedOnly("by --clocking self-clocked", p.selfClocked),
		param.Integer("level", "a closed run with threshold 0 ends when no bin holds more balls",
			1, recycled.MaxThreshold, &p.Level).NoPreset("2*max(1,balls/n)*ln(n)").Seldom().
			UsedOnly("by closed runs with threshold 0", func() bool { return p.Closed && p.Oblivious }),
		param.Integer("choices", "self-clocked: random bins of which the least loaded gets the ball",
			1, recycled.MaxChoices, &p.Choices).UsedOnly("by --clocking self-clocked", p.selfClocked),
		param.Probability("lambda", "probability that a thrown ball is not lost, in (0, 1]", &p.Lambda),
		param.Integer("ring", "entries of a flow's ring", 1, recycled.MaxRing, &p.Ring).
			UsedOnly("by --clocking frozen and per-flow, of the rules by reps", func() bool {
				return flows() && p.Rule == recycled.REPS || p.Clocking == recycled.Frozen
			}),
		delayed("delay", "rounds from a ball's service to its return", recycled.MaxDelay, &p.Delay),
		delayed("window", "most balls of a flow in flight; 0 means no window", recycled.MaxWindow, &p.Window).
			More("required by ack and frozen, where each flow throws a new ball in each of the first W rounds"),
		param.Integer("evs", "per-flow: entropy values of a flow; 0 means an infinite set", 0, recycled.MaxColors, &p.EVS).
			Field("EVS").More("a power of two for most rules").UsedOnly("by --clocking per-flow", flows),
		byEVs(param.Name("rule", "per-flow with --evs: choice of the entropy value", recycled.Rules(), &p.Rule)).More(
			"reps: a ring, else uniform; mixed: an unlimited list, else as bitmap; " +
				"bitmap: in blocks, past those with marks; mrc: in turn, past those with a mark; stratified: in blocks; ops: uniform; " +
				"klb: K in turn, of which a mark replaces one with probability (K-1)/K; klb-always: every mark does; " +
				"hklb: as klb, but only EVs without a mark join, and uniform ones are sent until K have"),
		param.Integer("active-evs", "per-flow, rules klb, klb-always and hklb: EVs in use, K", 1, recycled.MaxActive, &p.Active).Field("Active").
			NoPreset("8").NullIf(func() bool { return p.Active == 0 }).Seldom().
			UsedOnly("by --rule klb, klb-always and hklb", func() bool {
				return flows() && slices.Contains([]recycled.Rule{recycled.KLB, recycled.KLBAlways, recycled.HKLB}, p.Rule)
			}),
		byEVs(param.Integer("ack-ratio", "per-flow with --evs: balls per ACK", 1, recycled.MaxRatio, &p.Ratio)).Field("Ratio"),
		param.Integer("max-rounds", "rounds after which a run ends undecided", 1, recycled.MaxMaxRounds, &p.MaxRounds).
			NoPreset("100*n*ln(n)").More("at least 100, and in closed runs 10*balls*(1+balls/n)"),
		param.Integer("horizon",
			"rounds that every run is followed",
			0, recycled.MaxMaxRounds, &p.Horizon).More("decided or not; 0 means until the run is decided"),
		exceedsParameter("per-flow, lambda below 1", recycled.MaxExceeds, &p.exceeds),
	}))
}

// complete applies defaults and checks the point.
func (p *Recycled) complete() error {
	p.Oblivious = p.expression != "" && p.Threshold == 0
	if p.Oblivious {
		p.Ramp = 0
	}
	if p.Ramp == 0 {
		p.PMax = 0
	}
	if p.Start = p.start.loads; !p.counted() {
		p.Balls = 0
	}
	p.Closed = p.selfClocked() && p.Start != recycled.Empty && p.Lambda == 1
	if p.closed != nil {
		p.Closed = *p.closed
	}
	if !p.selfClocked() {
		p.Choices, p.Closed = 0, false
	}
	if !p.Closed || !p.Oblivious {
		p.Level = 0
	}
	p.Config = p.Used().WithDefaults()
	p.expression = cmp.Or(p.expression, theoremThreshold)
	if p.exceeds > 0 {
		_, err := recycled.NewExceedsExperiment(p.Config, p.exceeds)
		return exceedsFault(p.exceeds, err)
	}
	return p.Validate()
}

// counted reports whether the start can have any number of balls.
func (p *Recycled) counted() bool {
	return p.Start == recycled.AllInOne || p.Start == recycled.Random
}

// selfClocked reports whether the clocking is self-clocked.
func (p *Recycled) selfClocked() bool { return p.Clocking == recycled.SelfClocked }

// ackClocked reports whether each ball that comes back is thrown at once.
func (p *Recycled) ackClocked() bool {
	return p.Clocking == recycled.Ack || p.Clocking == recycled.Frozen
}

// point returns the point of a sweep.
func (p *Recycled) point() sweep.Point {
	known := new(once[predictions])
	point := besideExceeds(p.String(), recycled.NewExperiment(p.Config), p.exceeds,
		func() (rareExperiment, error) { return recycled.NewExceedsExperiment(p.Config, p.exceeds) },
		func(ctx context.Context, tally *recycled.Tally, rare *mc.SplitTally, _ uint64) (sweep.Results, error) {
			predicted, err := known.get(ctx, func(context.Context) (predictions, error) { return p.predict() })
			if err != nil {
				return sweep.Results{}, err
			}
			return p.results(tally, rare, predicted), nil
		})
	point.Work = float64(p.Bins)
	if !p.selfClocked() || p.Lambda < 1 || p.Closed || p.Oblivious { // not absorbed early, by few random throws
		point.Work *= float64(cmp.Or(p.Horizon, p.MaxRounds))
	}
	return point
}

// String names the point in warnings and progress.
func (p *Recycled) String() string {
	return fmt.Sprintf("bins=%d threshold=%d clocking=%s", p.Bins, p.Threshold, p.Clocking)
}

// predictions are theoretical values next to the estimates, nil if they do not apply: the limit of the share of
// runs that converge, without and with next-order terms, the mean field's share of empty bins, and what is known
// of the round trip.
type predictions struct{ limit, nextOrder, emptyShare, boundaryLaw, criticalWindow, settlesBound any }

// predict returns the predictions for a point.
func (p *Recycled) predict() (values predictions, err error) {
	if p.Closed && p.Oblivious && p.Choices == 1 {
		values.emptyShare = recycled.ClosedEmptyShare(float64(p.Balls) / float64(p.Bins))
	}
	if p.selfClocked() && p.Start == recycled.Empty && p.Lambda == 1 && p.Choices == 1 && p.Bins > 1 && p.Threshold > 0 && p.IsStep() && !p.Closed {
		limit, err := recycled.ConvergenceLimit(p.Bins, p.Threshold)
		if err != nil {
			return predictions{}, err
		}
		values.limit, values.nextOrder = limit.Share.Value, limit.NextOrder.Value
	}
	p.predictRoundTrip(&values)
	return values, nil
}

// predictRoundTrip sets the predictions for runs with a round trip.
func (p *Recycled) predictRoundTrip(values *predictions) {
	known := func(value float64, err error) any {
		if err != nil {
			return nil // outside the range in which it holds
		}
		return value
	}
	if p.Clocking == recycled.PerFlow && p.Window > 0 && p.EVS == 0 && p.Lambda == 1 && p.IsStep() {
		values.boundaryLaw = known(recycled.BoundaryLaw(float64(p.Threshold), float64(p.Delay)))
	}
	if p.Clocking == recycled.Ack && p.IsStep() {
		values.criticalWindow = known(recycled.CriticalWindow(p.Threshold, p.Delay))
	}
	if p.Clocking == recycled.PerFlow || p.Clocking == recycled.Ack {
		bound, _, err := recycled.SettlesBound(p.Config, 0, 0)
		values.settlesBound = known(bound, err)
	}
}

// recycledRow returns the results of a point with n bins; rare is nil unless --exceeds is given.
func recycledRow(r recycled.Result, n float64, predicted predictions, rare *mc.SplitTally) frame.Row {
	ifAbsorbing := func(count uint64) any {
		if !r.Absorbing {
			return nil
		}
		return count
	}
	return frame.Row{
		{"converged", ifAbsorbing(r.Converged)},
		{"certified", ifAbsorbing(r.Certified)},
		{"converged_share", frame.WithEnds(r.ConvergedShare)},
		{"converged_limit", predicted.limit},
		{"converged_next_order", predicted.nextOrder},
		{"rounds_mean", frame.WithError(r.Rounds)},
		{"rounds_p50", frame.WithEnds(r.RoundsP50)},
		{"rounds_p95", frame.WithEnds(r.RoundsP95)},
		{"rounds_max", r.RoundsMax},
		{"rounds_per_nlnn", per(r.Rounds, n*math.Log(n))},
		{"rounds_per_n", per(r.Rounds, n)},
		{"max_load_at_decision_mean", frame.WithError(r.MaxLoadAtDecision)},
		{"max_load_at_decision_max", r.MaxLoadAtDecisionMax},
		{"max_load_at_decision_per_lnn", per(r.MaxLoadAtDecision, math.Log(n))},
		{"random_throw_fraction", share(r.RandomFraction)},
		{"boundary_law", predicted.boundaryLaw},
		{"critical_window", predicted.criticalWindow},
		{"settles_bound", predicted.settlesBound},
		{"max_load_mean", frame.WithError(r.MaxLoad)},
		{"max_load_max", r.MaxLoadMax},
		{"max_load_per_lnn", per(r.MaxLoad, math.Log(n))},
		{"duplicate_color_fraction", frame.WithEnds(r.ColorRepeated)},
		{"empty_share_mean", share(r.EmptyShare)},
		{"mean_field_empty_share", predicted.emptyShare},
		{"round_max_load_mean", frame.WithError(r.RoundMaxLoad)},
		{"late_max_load_mean", frame.WithError(r.LateMaxLoad)},
		{"late_max_load_max", r.LateMaxLoadMax},
		{"flight_evs_mean", frame.WithErrorAndEnds(r.DistinctEVs.OfFew(mc.Support{Least: float64(min(1, r.Replicas)), Most: math.Inf(1)}))},
		{"top_ev_share_mean", share(r.TopEVShare)},
		exceedsCell(rare),
	}
}

// per returns the cell of a mean divided by some units, which are 0 for ln n with a single bin. It has ends and no
// standard error, because comparing it would test the mean twice.
func per(mean mc.Estimate, units float64) frame.Estimate {
	if units == 0 {
		return frame.WithEnds(noEstimate())
	}
	return frame.WithEnds(mean.OfFew(mc.Support{Most: math.Inf(1)}).Per(units))
}

// share returns the cell of a mean over runs of a fraction in [0, 1].
func share(mean mc.Estimate) frame.Estimate {
	return frame.WithErrorAndEnds(mean.OfFew(mc.Support{Most: 1}))
}

// results returns the row of a tally; rare is nil unless --exceeds is given.
func (p *Recycled) results(tally *recycled.Tally, rare *mc.SplitTally, predicted predictions) sweep.Results {
	r := tally.Result()
	row := recycledRow(r, float64(p.Bins), predicted, rare)
	out := sweep.Results{Rows: [][]any{row.Values()}, Warnings: p.warnings(r), Work: float64(r.Throws)}
	out.Warnings = append(out.Warnings, wideIntervals(p.String(), row, nil)...)
	if rare != nil {
		out.Warnings = append(out.Warnings, exceedsWarnings(p, rare)...)
		out.Work += float64(rare.Work()) * float64(p.Bins)
	}
	return out
}

// warnings names the statistics that have no value.
func (p *Recycled) warnings(s recycled.Result) (w []string) {
	warn := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	switch {
	case !s.Absorbing:
		warn("clocking=%s lambda=%v: absorbing states are not looked for, so converged, certified and rounds_* are null",
			p.Clocking, p.Lambda)
	case s.Converged == 0:
		warn("%s: none of %d runs converged within %d rounds (%d certainly never will): rounds_* are null",
			p, s.Replicas, p.MaxRounds, s.Certified)
	case s.Converged < s.Replicas:
		warn("%s: %d of %d runs converged: rounds_* are over these alone", p, s.Converged, s.Replicas)
	}
	if s.Converged == 1 {
		warn("one converged run gives no standard error: rounds_se is null")
	}
	if math.IsNaN(s.MaxLoad.Value) {
		unknown := "max_load_mean, max_load_max and max_load_per_lnn"
		if p.Clocking == recycled.RoundRobin && math.IsNaN(s.ColorRepeated.Value) {
			unknown = "max_load_mean, max_load_max, max_load_per_lnn and duplicate_color_fraction"
		}
		if p.selfClocked() {
			unknown += ", and empty_share_*, round_max_load_* and late_max_load_*,"
		}
		ended, why := s.Certified, "were certified"
		if p.Closed && p.Oblivious {
			ended, why = s.Converged, "stabilised"
		}
		warn("%s: %d of %d runs %s and ended there, so their later loads are unknown: "+
			"%s are null (--horizon %d follows all runs for max_rounds)",
			p, ended, s.Replicas, why, unknown, p.MaxRounds)
	}
	if p.Bins == 1 {
		warn("ln n is 0 for bins=1: rounds_per_nlnn and *_per_lnn are null")
	}
	if math.IsNaN(s.RandomFraction.Value) {
		warn("%s: nothing was thrown: random_throw_fraction is null", p)
	}
	return w
}
