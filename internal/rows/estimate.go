package rows

import (
	"cmp"
	"math"

	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// estimate is a number of a row and what is known about it. A number that does not exist is NaN; an end that is not
// known is infinite.
type estimate struct {
	value, lo, hi float64 // 95 % interval: of the row, or else Student's
	stdErr        float64
	runs          float64
	omission      string // what a drawing leaves out, with the reason; "" for nothing
}

// noValue returns an estimate without a value.
func noValue() estimate {
	none := math.NaN()
	return estimate{value: none, lo: none, hi: none, runs: math.Inf(1)}
}

// estimate returns the number under a key with its interval. Both ends are infinite if all runs are alike.
func (r entry) estimate(key string) (e estimate) {
	beside, none := r.table.beside[key], math.NaN()
	e.lo, e.hi = math.Inf(-1), math.Inf(1)
	or := func(key string, missing float64) float64 {
		if v, known := r.number(key); known {
			return v
		}
		return missing
	}
	e.value, e.stdErr, e.runs = or(key, none), or(beside.Se, none), or(r.runsKey(key), none)
	switch {
	case !math.IsNaN(or(beside.Lo, none)) || !math.IsNaN(or(beside.Hi, none)):
		e.lo, e.hi = or(beside.Lo, e.lo), or(beside.Hi, e.hi)
	case e.stdErr > 0 && e.runs >= 0: // known
		value := or(key, 0)
		e.lo, e.hi = mc.StudentInterval(value, e.stdErr, uint64(e.runs), mc.DefaultConfidence)
		if r.table.model.Name != "" && value >= 0 && !math.IsInf(e.lo, 0) {
			e.lo = max(e.lo, 0) // no result of a model is negative
		}
	}
	return e
}

// bounded reports whether only one bound of the value is known: there is no value, and the other end is
// infinite.
func (e estimate) bounded() bool {
	return math.IsNaN(e.value) && math.IsInf(e.lo, -1) != math.IsInf(e.hi, 1)
}

// bound returns "> 12" or "< 12" for an estimate of which one bound is known: runs did not finish. Otherwise it
// returns an empty text.
func (e estimate) bound() string {
	switch {
	case !e.bounded():
		return ""
	case math.IsInf(e.hi, 1):
		return "> " + frame.Human(e.lo)
	}
	return "< " + frame.Human(e.hi)
}

// mean returns the value of --y in a row, with the interval that is drawn: its standard error is 0 if it is exact, and
// NaN if it is not known well enough for an interval.
func (d *Drawing) mean(row entry) (m estimate, err error) {
	e := row.estimate(d.Y)
	m = noValue()
	m.value, err = coordinate(row, "y", d.Y, d.LogY)
	withoutInterval := func(reason string) { m.stdErr, m.omission = math.NaN(), "points have no interval of "+d.Y+": "+reason }
	own := row.table.beside[d.Y].Hi != ""
	switch {
	case e.bounded():
		m.lo, m.hi = e.lo, e.hi
	case math.IsNaN(m.value):
		m.omission = "points have no " + d.Y + ": they are left out"
	case !row.table.isEstimate(d.Y) || e.runs == 0: // exact
	case e.runs < plot.LeastRuns:
		withoutInterval("fewer than three runs give none")
	case !own && math.IsNaN(e.runs):
		withoutInterval("the file has no number of runs, replicas, and neither " + frame.BesideOf(d.Y).Lo + " nor _hi")
	case !own && !(e.stdErr >= 0):
		withoutInterval("the file has no standard error")
	case math.IsInf(e.hi-e.lo, 0):
		withoutInterval("their runs are all alike, or too few")
	default:
		if m.lo, m.hi, m.stdErr, m.runs = e.lo, e.hi, e.stdErr, e.runs; math.IsNaN(e.runs) {
			m.stdErr = math.NaN() // the standard error of a ratio does not exist
		}
	}
	return m, err
}

// shown returns the mean of the row at a place or, with --ratio-to, its ratio to the mean of the base,
// with an interval that assumes the two to be independent. It notes an omission.
func (d *Drawing) shown(row entry, p place) (m estimate, err error) {
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
func (m estimate) over(base estimate) estimate {
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
