package cases

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/ballsbins/allocation"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/sweep"
)

func allocateModel() param.Model {
	results := param.Numbers(allocateRow(allocation.Observation{}))
	results = append(results, frame.Text("gap_law"), frame.Text("load_histogram"))
	return param.New(param.Model{Name: "allocate", Streams: 1, Results: results, Brief: []string{
		"bins", "balls", "rule", "gap_mean", "gap_se", "gap_p95", "max_load_mean", "max_load_se",
	}, Replicas: 100}, func() param.Space { return allocateSpace(new(Allocate)) })
}

// Allocate is a point: a combination of parameters of an allocation.
type Allocate struct {
	allocation.Config
	balls, every int
}

func allocateSpace(p *Allocate) param.Space {
	*p = Allocate{Config: allocation.Config{}.WithDefaults()}
	p.Beta = 0.5
	used := func(q param.Parameter, words string, by func() bool) param.Parameter {
		return q.UsedOnly("by "+words, by).NullUnused()
	}
	byRule := func(q param.Parameter, rules ...allocation.Rule) param.Parameter {
		return used(q, "--rule "+param.List(rules), func() bool { return slices.Contains(rules, p.Rule) })
	}
	byInformation := func(q param.Parameter, kinds ...allocation.Information) param.Parameter {
		return used(q, "--information "+param.List(kinds), func() bool { return slices.Contains(kinds, p.Information) })
	}
	return param.NewSpace(p, (*Allocate).complete, (*Allocate).point, param.Formulas("bins", &p.Bins, []param.Parameter{
		param.Integer("bins", "bins n", 1, allocation.MaxBins, &p.Bins),
		param.Integer("balls", "balls m of a run", 1, mc.MaxRounds, &p.balls).NoPreset("100*n"),
		param.Integer("every", "observe after every multiple of this many balls, and after the last",
			1, mc.MaxRounds, &p.every).NoPreset("only after the last"),
		param.Name("rule", "choice of a ball's bin", allocation.Rules(), &p.Rule),
		byRule(param.Integer("choices", "samples of a ball, d", 1, allocation.MaxChoices, &p.Choices),
			allocation.DChoice, allocation.AlwaysGoLeft),
		byRule(param.Number("beta", "probability of two choices", 0, 1, &p.Beta), allocation.OnePlusBeta),
		byRule(param.Probability("delta", "share of heavy bins, in (0, 1]", &p.Delta), allocation.Quantile),
		byRule(param.Probability("eta", "share of the balls that are tested, or use a token, in (0, 1]", &p.Eta), allocation.Quantile,
			allocation.Token),
		byRule(param.Number("offset", "a bin is good up to this many balls above the average",
			-allocation.MaxOffset, allocation.MaxOffset, &p.Offset), allocation.RelativeThreshold, allocation.Token),
		byRule(param.Integer("threshold", "a sample with fewer balls is kept", 1, mc.MaxRounds, &p.Threshold).NoPreset(""),
			allocation.TwoThinning),
		param.Name("information", "loads that the rule sees", allocation.Informations(), &p.Information),
		byInformation(param.Integer("batch", "balls of a batch, b", 1, mc.MaxRounds, &p.Batch).NoPreset("n"),
			allocation.Batched),
		byInformation(param.Integer("width", "largest difference g that is not seen, balls", 0, allocation.MaxOffset, &p.Width),
			allocation.GBounded, allocation.GMyopic),
		byInformation(param.Number("sigma", "standard deviation of the noise, balls", 0, allocation.MaxSigma, &p.Sigma),
			allocation.SigmaFormal, allocation.SigmaGaussian),
		byInformation(param.Name("ties", "choice among equal samples of a batch", allocation.TieRules(), &p.Ties),
			allocation.Batched),
		param.Word("weights", "distribution of the balls' weights: "+param.List(allocation.WeightLaws())+":SIZE:SIZE...",
			eachOf(allocation.ParseWeights), &p.Weights),
		param.Word("sampling", "distribution of a sample: uniform, half:A, given:SHARE:SHARE...",
			eachOf(allocation.ParseSampling), &p.Sampling).More("the probabilities of the bins"),
		integers("speeds", "equal, or speeds of the bins, as 1:4, repeated over them", "equal", &p.Speeds).
			More("a load is balls over speed"),
		integers("start", "empty, or balls of the first bins, as 5:0:2; the others are empty", "empty", &p.Start),
		param.OnOff("histogram", "print the laws of the gap and of the loads", &p.Histogram),
	}))
}

// eachOf returns a reader of lists that reads each item by parse.
func eachOf[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		return values.Each(text, ",", func(item string) (T, error) { return parse(strings.ToLower(strings.TrimSpace(item))) })
	}
}

// integers is a parameter with lists of integers, separated by colons; none is the text of an empty list.
func integers(flag, help, none string, field *[]int) param.Parameter {
	show := func(list []int) string { return cmp.Or(strings.Join(values.Texts(list), ":"), none) }
	parse := func(text string) (list []int, err error) {
		for part := range strings.SplitSeq(text, ":") {
			number, err := strconv.Atoi(part)
			if err != nil && text != none {
				return nil, fmt.Errorf("%.60q must be %s or integers such as 5:1:2", text, none)
			} else if err == nil {
				list = append(list, number)
			}
		}
		return list, nil
	}
	read := func(text string) (string, error) {
		list, err := parse(text)
		return show(list), err
	}
	set := func(text string) { *field, _ = parse(text) }
	return param.Settable(flag, help, eachOf(read), set).Show(func() any { return show(*field) }).Text().Of("lists")
}

// complete applies defaults and checks the point.
func (p *Allocate) complete() error {
	p.balls = cmp.Or(p.balls, min(100*p.Bins, mc.MaxRounds))
	p.every = cmp.Or(p.every, p.balls)
	if least := (p.balls-1)/mc.MaxObservations + 1; p.every < least {
		return param.Usagef("--every (%d) must be at least %d with --balls %d: at most %d numbers of balls are observed",
			p.every, least, p.balls, mc.MaxObservations)
	}
	p.Balls = mc.RoundsEvery(p.every, p.balls)
	p.Config = p.WithDefaults()
	return p.Validate()
}

// point returns the point of a sweep.
func (p *Allocate) point() sweep.Point {
	point := sweep.Estimated(p.String(), nil, allocation.NewExperiment(p.Config), p.results)
	point.Work = float64(p.balls)
	return point
}

// String names the point in warnings and progress.
func (p *Allocate) String() string {
	return fmt.Sprintf("bins=%d balls=%d rule=%s information=%s", p.Bins, p.balls, p.Rule, p.Information)
}

// allocateRow returns the cells of an observation.
func allocateRow(o allocation.Observation) frame.Row {
	return frame.Row{
		{"observed_balls", o.Balls},
		{"gap_mean", frame.WithError(o.Gap)},
		{"gap_p95", frame.WithEnds(o.GapP95)},
		{"max_gap_mean", frame.WithError(o.MaxGap)},
		{"under_mean", frame.WithError(o.Under)},
		{"max_load_mean", frame.WithError(o.MaxLoad)},
	}
}

// results returns a row for each observation.
func (p *Allocate) results(_ context.Context, tally *allocation.Tally, replicas uint64) (sweep.Results, error) {
	var out sweep.Results
	for _, o := range tally.Result().Observations {
		cells := allocateRow(o)
		out.Warnings = append(out.Warnings, wideIntervals(fmt.Sprintf("%s observed_balls=%d", p, o.Balls), cells, nil)...)
		row := cells.Values()
		if p.Histogram {
			row = append(row, levels(o.GapLaw), levels(o.Levels))
		} else {
			row = append(row, nil, nil)
		}
		out.Rows = append(out.Rows, row)
	}
	if replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error: *_se are null")
	}
	out.Work = float64(replicas) * float64(p.balls)
	return out, nil
}

// levels writes a histogram as value:share, separated by spaces.
func levels(bars []allocation.Level) string {
	var b strings.Builder
	for i, bar := range bars {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%v:%v", math.Round(bar.Value*1e9)/1e9, math.Round(bar.Share*1e9)/1e9)
	}
	return b.String()
}
