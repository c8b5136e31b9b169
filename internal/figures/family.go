package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/ballsbins/allocation"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// familyBins is the number of bins of figure family.
const familyBins = 1000

// familyCase is an allocation in batches.
type familyCase struct {
	rule   allocation.Rule
	offset int     // offset of tokens: balls above the average
	bias   float64 // half of the bins are (1 + bias)/(1 - bias) times as likely as the others
	batch  int     // balls of a batch per bin
	eta    float64 // share of the balls that use a token; 0 means all
}

// config returns the allocation up to last balls per bin.
func (c familyCase) config(last int) allocation.Config {
	cfg := allocation.Config{Bins: familyBins, Rule: c.rule, Offset: float64(c.offset), Eta: c.eta,
		Information: allocation.Batched, Batch: familyBins * c.batch}
	if c.bias > 0 {
		cfg.Sampling = allocation.Sampling{Law: allocation.Half, Parameter: c.bias}
	}
	cfg.Balls = lists.Map(c.observed(last), func(perBin int) int { return familyBins * perBin })
	return cfg
}

// observed returns the numbers of balls per bin at which the gap is observed: of 1, 2, 4, 10, 20, 40 and so on up
// to last, those that end a batch.
func (c familyCase) observed(last int) []int {
	var at []int
	for power := 1; power <= last; power *= 10 {
		for _, perBin := range []int{power, 2 * power, 4 * power} {
			if perBin <= last && perBin%c.batch == 0 {
				at = append(at, perBin)
			}
		}
	}
	return at
}

// families are the cases of the figure.
type families struct {
	engine.Settings
	replicas uint64
	order    []familyCase
	last     map[familyCase]int // balls per bin
	runs     engine.Results[familyCase, allocation.Result]
}

// add adds a case, or makes its runs longer.
func (f *families) add(c familyCase, last int) {
	if _, there := f.last[c]; !there {
		f.order = append(f.order, c)
	}
	f.last[c] = max(f.last[c], last)
}

// run runs all cases.
func (f *families) run(ctx context.Context) (err error) {
	var list engine.Estimations[familyCase, allocation.Result]
	for _, c := range f.order {
		list.Add(c, f.replicas, engine.Simulating(allocation.Simulate, c.config(f.last[c])))
	}
	f.runs, err = list.Run(ctx, f.Settings)
	return err
}

// gap returns the gap of a case at an observed number of balls per bin.
func (f *families) gap(c familyCase, perBin int) mc.Estimate {
	return f.runs.At(c).Observations[slices.Index(c.observed(f.last[c]), perBin)].Gap.OfFew(counted(1))
}

// table lists the gaps of all cases.
func (f *families) table() frame.Table {
	var rows frame.Table
	for _, c := range f.order {
		for _, perBin := range c.observed(f.last[c]) {
			gap := f.gap(c, perBin)
			rows.Add(cells{{"rule", string(c.rule)}, {"offset", orNull(c.rule == allocation.Token, c.offset)},
				{"eta", orNull(c.rule == allocation.Token, cmp.Or(c.eta, 1))}, {"bins", familyBins}, {"bias", c.bias},
				{"batch_per_bin", c.batch}, {"balls_per_bin", perBin}, {"gap", frame.WithEnds(gap)}}, madeFrom(f.Seed, gap.N))
		}
	}
	return rows
}

// The lengths of runs in balls per bin: of panels (a) and (b), and of panel (c).
const familyLast, longLast = 400, 1000

// biasLast is the length of the runs of panel (d).
const biasLast = 10_000

// biasedOffset is the offset of tokens if bins differ, in balls.
const biasedOffset = 2

// familyCurve is a curve of a panel. Its cases differ in the length of a batch.
type familyCurve struct {
	name  string
	color plot.Color
	familyCase
	inProportion bool // the offset of tokens is multiplied by the balls of a batch per bin
}

// at returns the case for a batch of some balls per bin.
func (c familyCurve) at(batch int) familyCase {
	at := c.familyCase
	at.batch = batch
	if c.inProportion {
		at.offset *= batch
	}
	return at
}

// familyCurves returns a curve for each rule; offset is the offset of tokens.
func familyCurves(bias float64, offset int) []familyCurve {
	of := func(rule allocation.Rule, offset int) familyCase {
		return familyCase{rule: rule, offset: offset, bias: bias}
	}
	return []familyCurve{
		{"token", plot.Indigo, of(allocation.Token, offset), true},
		{"two-choice", plot.Rose, of(allocation.TwoChoice, 0), false},
		{"mean-thinning", plot.Olive, of(allocation.MeanThinning, 0), false},
		{"one-choice", plot.Black, of(allocation.OneChoice, 0), false},
		{"memory, not consumed", plot.Teal, of(allocation.Memory, 0), false},
	}
}

// longCurves returns the curves over the length of batches: all rules except memory, and tokens only of bins up to
// the average, used by all balls or by one in five.
func longCurves() []familyCurve {
	curves := familyCurves(0, 1)[:4]
	strict := familyCurves(0, 0)[0]
	strict.name, strict.color = "token, f = 0", plot.Wine
	few := strict
	few.name, few.color, few.eta = "token, f = 0, 80 % random", plot.Magenta, 0.2
	return append(curves, strict, few)
}

// biasCurves returns tokens under the biases of the open question.
func biasCurves() []familyCurve {
	var curves []familyCurve
	for i, bias := range []float64{0.95, 0.9, 0.8, 0.5} {
		curves = append(curves, familyCurve{fmt.Sprintf("token, %.0f times as likely", (1+bias)/(1-bias)), plot.NthColor(i).Hollow(),
			familyCase{rule: allocation.Token, offset: biasedOffset, bias: bias}, false})
	}
	return curves
}

// familyPanel is a panel over the number of balls, or over the length of batches.
type familyPanel struct {
	plot.Panel
	curves  []familyCurve
	last    int   // balls per bin
	batches []int // empty: over the number of balls
}

// familyPanels lays out the figure.
func familyPanels() []familyPanel {
	return []familyPanel{
		{plot.Panel{Title: "(a) Equal bins, a batch is n balls"}, familyCurves(0, 1), familyLast, nil},
		{plot.Panel{Title: "(b) Half of the bins 3 times as likely"}, familyCurves(0.5, biasedOffset), familyLast, nil},
		{plot.Panel{Title: fmt.Sprintf("(c) Equal bins, after %d n balls, by the batch", longLast)}, longCurves(), longLast,
			[]int{1, 2, 5, 10, 20, 50}},
		{plot.Panel{Title: "(d) Recycling, half of the bins likelier"}, biasCurves(), biasLast, nil},
	}
}

// inFamily replaces the names of curves by the words of the picture.
var inFamily = strings.NewReplacer("token, f = 0", "recycling to the mean", "token, ", "", "token", "recycling")

// drawn draws a panel.
func (f *families) drawn(p familyPanel) plot.Panel {
	panel := p.Panel
	panel.XLabel, panel.YLabel = "Balls so far / bins n", "Gap: maximum - mean load"
	panel.X, panel.Y = onScale(plot.Log10), onScale(plot.Log10, 3)
	if len(p.batches) > 0 {
		panel.XLabel = "Balls of a batch / bins n"
		panel.X = ticked(panel.X, "%d", p.batches...)
	}
	for _, c := range p.curves {
		s := plot.Series{Name: inFamily.Replace(c.name), Mark: plot.LinePoints, Color: c.color}
		if at := c.at(1); len(p.batches) == 0 {
			s = over(s, at.observed(p.last), func(perBin int) mc.Estimate { return f.gap(at, perBin) })
		} else {
			s = over(s, p.batches, func(batch int) mc.Estimate { return f.gap(c.at(batch), p.last) })
		}
		panel.Series = append(panel.Series, s)
	}
	return panel
}

// family compares consumed memory, REPS's rule without departures, with the rules of the literature, when
// information comes in batches.
func family(ctx context.Context, s engine.Settings) (engine.Output, error) {
	f := families{Settings: s, replicas: 20, last: map[familyCase]int{}}
	panels := familyPanels()
	for _, p := range panels {
		batches := p.batches
		if len(batches) == 0 {
			batches = []int{1}
		}
		for _, c := range p.curves {
			for _, batch := range batches {
				f.add(c.at(batch), p.last)
			}
		}
	}
	if err := f.run(ctx); err != nil {
		return engine.Output{}, err
	}
	drawn := lists.Map(panels, f.drawn)
	return engine.Output{
		Tables: []frame.Table{f.table()},
		Plot:   &plot.Plot{Columns: plot.Double, Height: 5, Panels: [][]plot.Panel{drawn[:2], drawn[2:]}},
		Notes:  notes(f.facts(), "family"),
	}, nil
}

// facts returns the numbers in the notes.
func (f *families) facts() facts {
	const long = biasLast
	facts := facts{"bins": familyBins, "replicas": f.replicas, "last": familyLast, "longLast": longLast, "long": long,
		"biasedOffset": biasedOffset, "early": long / 10, "rate": allocation.GapRate(0.75, 0.5, 2)}
	text := func(c familyCase, perBin int) string { return withBounds(f.gap(c, perBin), "%.3g") }
	for i, c := range familyCurves(0, 1) {
		half := familyCurves(0.5, biasedOffset)[i].at(1)
		facts["equal-"+string(c.rule)] = text(c.at(1), 100)
		facts["half-"+string(c.rule)] = text(half, 100) + " at m = 100 n and " + text(half, familyLast)
	}
	for _, c := range longCurves() {
		facts["long-"+c.name] = text(c.at(10), longLast) + " at b = 10 n and " + text(c.at(50), longLast)
	}
	for _, c := range biasCurves() {
		facts[fmt.Sprintf("bias-%v", c.bias)] = text(c.at(1), long/10) + " and " + text(c.at(1), long)
	}
	return facts
}
