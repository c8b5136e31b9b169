package rows

import (
	"cmp"
	"math"

	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// mean is a value with its interval. A number that does not exist is NaN.
type mean struct {
	value, lo, hi float64
	stdErr        float64 // 0 for an exact result, NaN if it is not known well enough for an interval
	runs          float64 // +Inf for an exact result
	omission      string  // the omission and its reason; "" if there is none
}

// bounded reports whether only one bound of the value is known: there is no value, and the other end is
// infinite.
func (m mean) bounded() bool {
	return math.IsNaN(m.value) && math.IsInf(m.lo, -1) != math.IsInf(m.hi, 1)
}

// noValue returns a mean without a value.
func noValue() mean {
	return mean{value: math.NaN(), lo: math.NaN(), hi: math.NaN(), runs: math.Inf(1)}
}

// mean returns the value of --y in a row.
func (d *Drawing) mean(row Record) (m mean, err error) {
	m = noValue()
	beside := row.table.beside[d.Y]
	m.value, err = coordinate(row, "y", d.Y, d.LogY)
	stdErr, estimated := row.number(beside.Se)
	runs, known := row.runs(d.Y)
	lo, hi := row.interval(d.Y)
	own := beside.Hi != ""
	withoutInterval := func(reason string) { m.stdErr, m.omission = math.NaN(), "points have no interval of "+d.Y+": "+reason }
	switch {
	case row.bound(d.Y) != "":
		m.lo, m.hi = lo, hi
	case math.IsNaN(m.value):
		m.omission = "points have no " + d.Y + ": they are left out"
	case !row.table.isEstimate(d.Y) || known && runs == 0: // exact
	case known && runs < plot.LeastRuns:
		withoutInterval("fewer than three runs give none")
	case !own && !known:
		withoutInterval("the file has no number of runs, replicas, and neither " + frame.BesideOf(d.Y).Lo + " nor _hi")
	case !own && (!estimated || stdErr < 0):
		withoutInterval("the file has no standard error")
	case math.IsInf(hi-lo, 0):
		withoutInterval("their runs are all alike, or too few")
	default:
		if m.lo, m.hi, m.stdErr, m.runs = lo, hi, stdErr, float64(runs); !estimated || !known {
			m.stdErr = math.NaN() // the standard error of a ratio does not exist
		}
	}
	return m, err
}

// shown returns the mean of the row at a place or, with --ratio-to, its ratio to the mean of the base,
// with an interval that assumes the two to be independent. It notes an omission.
func (d *Drawing) shown(row Record, p place) (m mean, err error) {
	m, err = d.mean(row)
	if d.RatioTo != "" && err == nil && (m.bounded() || !math.IsNaN(m.value)) {
		itself := d.isBase(p.line)
		p.line.by = d.base()
		base := noValue()
		if other, found := d.places[p]; found {
			base, err = d.mean(other)
		}
		m = m.over(base)
		if itself {
			m.lo, m.hi, m.omission = math.NaN(), math.NaN(), ""
		}
	}
	if m.omission != "" {
		d.note(m.omission)
	}
	return m, err
}

// over returns the ratio of the means of two independent sets of runs.
func (m mean) over(base mean) mean {
	ratio := noValue()
	switch {
	case m.bounded() && base.value > 0:
		ratio.lo, ratio.hi = m.lo/base.value, m.hi/base.value
		return ratio
	case base.bounded() && m.value > 0:
		ratio.lo, ratio.hi = m.value/base.hi, m.value/base.lo
		if base.lo > 0 {
			ratio.lo = math.Inf(-1)
		} else {
			ratio.hi = math.Inf(1)
		}
		return ratio
	case m.bounded() || base.value == 0 || math.IsNaN(base.value):
		ratio.omission = "points are left out: --ratio-to has no value there to divide by"
		return ratio
	}
	ratio.value, ratio.omission = m.value/base.value, cmp.Or(m.omission, base.omission)
	if math.IsNaN(m.stdErr + base.stdErr) {
		ratio.omission = cmp.Or(ratio.omission, "points have no interval of the ratio: the file lacks standard errors or the number of runs")
	}
	if m.value > 0 && base.value > 0 && m.stdErr >= 0 && base.stdErr >= 0 && m.stdErr+base.stdErr > 0 { // not NaN
		ratio.lo, ratio.hi = mc.WelchRatio(m.value, m.stdErr, m.runs, base.value, base.stdErr, base.runs)
	}
	return ratio
}
