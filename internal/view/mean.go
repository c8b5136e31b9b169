package view

import (
	"cmp"
	"math"

	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/mc"
)

// mean is the estimate that is drawn at a place.
type mean struct {
	rows.Estimate
	omission string // what a drawing leaves out, with the reason; "" for nothing
}

// noValue returns a mean without a value.
func noValue() mean {
	none := math.NaN()
	return mean{Estimate: rows.Estimate{Value: none, Lo: none, Hi: none, Runs: math.Inf(1)}}
}

// mean returns the value of --y in a row, with the interval that is drawn: its standard error is 0 if it is exact, and
// NaN if it is not known well enough for an interval.
func (d *Drawing) mean(row rows.Row) (m mean, err error) {
	e := row.Estimate(d.Y)
	m = noValue()
	m.Value, err = coordinate(row, "y", d.Y, d.LogY)
	withoutInterval := func(reason string) { m.StdErr, m.omission = math.NaN(), "points have no interval of "+d.Y+": "+reason }
	own := row.Table.Beside[d.Y].Hi != ""
	switch {
	case e.Bounded():
		m.Lo, m.Hi = e.Lo, e.Hi
	case math.IsNaN(m.Value):
		m.omission = "points have no " + d.Y + ": they are left out"
	case !row.Table.IsEstimate(d.Y) || e.Runs == 0: // exact
	case e.Runs < plot.LeastRuns:
		withoutInterval("fewer than three runs give none")
	case !own && math.IsNaN(e.Runs):
		withoutInterval("the file has no number of runs, replicas, and neither " + frame.BesideOf(d.Y).Lo + " nor _hi")
	case !own && !(e.StdErr >= 0):
		withoutInterval("the file has no standard error")
	case math.IsInf(e.Hi-e.Lo, 0):
		withoutInterval("their runs are all alike, or too few")
	default:
		if m.Lo, m.Hi, m.StdErr, m.Runs = e.Lo, e.Hi, e.StdErr, e.Runs; math.IsNaN(e.Runs) {
			m.StdErr = math.NaN() // the standard error of a ratio does not exist
		}
	}
	return m, err
}

// shown returns the mean of the row at a place or, with --ratio-to, its ratio to the mean of the base, with an interval
// over pairs of blocks if there are any, and else one that assumes the two to be independent. It notes an omission.
func (d *Drawing) shown(row rows.Row, p place) (m mean, err error) {
	m, err = d.mean(row)
	if d.RatioTo != "" && err == nil && (m.Bounded() || !math.IsNaN(m.Value)) {
		itself := d.isBase(p.line)
		p.line.by = d.base()
		base := noValue()
		other, found := d.places[p]
		if found {
			base, err = d.mean(other)
		}
		ratio := m.over(base)
		if found {
			ratio.pairUp(row, other, d.Y)
		}
		m = ratio
		if itself {
			m.Lo, m.Hi, m.omission = math.NaN(), math.NaN(), ""
		}
	}
	if m.omission != "" {
		d.note(m.omission)
	}
	return m, err
}

// pairUp gives a ratio of two rows the interval over their pairs, if there are any.
func (m *mean) pairUp(row, base rows.Row, key string) {
	if p, are := pairsOf(row, base, key); are {
		if lo, hi, scatters := p.ratio(); scatters {
			m.Lo, m.Hi, m.omission = lo, hi, ""
		}
	}
}

// over returns the ratio of the means of two independent sets of runs.
func (m mean) over(base mean) mean {
	ratio := noValue()
	switch {
	case m.Bounded() && base.Value > 0:
		ratio.Lo, ratio.Hi = m.Lo/base.Value, m.Hi/base.Value
		return ratio
	case base.Bounded() && m.Value > 0:
		ratio.Lo, ratio.Hi = m.Value/base.Hi, m.Value/base.Lo
		if base.Lo > 0 {
			ratio.Lo = math.Inf(-1)
		} else {
			ratio.Hi = math.Inf(1)
		}
		return ratio
	case m.Bounded() || base.Value == 0 || math.IsNaN(base.Value):
		ratio.omission = "points are left out: --ratio-to has no value there to divide by"
		return ratio
	}
	ratio.Value, ratio.omission = m.Value/base.Value, cmp.Or(m.omission, base.omission)
	if math.IsNaN(m.StdErr + base.StdErr) {
		ratio.omission = cmp.Or(ratio.omission, "points have no interval of the ratio: the file lacks standard errors or the number of runs")
	}
	if m.Value > 0 && base.Value > 0 && m.StdErr >= 0 && base.StdErr >= 0 && m.StdErr+base.StdErr > 0 { // not NaN
		ratio.Lo, ratio.Hi = mc.WelchRatio(m.Value, m.StdErr, m.Runs, base.Value, base.StdErr, base.Runs)
	}
	return ratio
}
