package figures

import (
	"math"

	"repslab/internal/plot"
	"repslab/mc"
)

// The kinds of numbers of a run. The support of a number decides the interval of its mean over few runs: see
// [mc.Estimate.OfFew].

// positive returns the support of times, rates and other numbers that are not negative. resolution is 0 if it is
// fine.
func positive(resolution float64) mc.Support {
	return mc.Support{Most: math.Inf(1), Step: resolution}
}

// counted returns the support of whole numbers; units is 1 for balls, 0.5 for multiples of 2 balls.
func counted(units float64) mc.Support { return positive(1 / units) }

// atLeast returns the support of numbers with a lower end, such as the slowest flow over the fastest.
func atLeast(least float64) mc.Support { return mc.Support{Least: least, Most: math.Inf(1)} }

// shareOf returns the support of fractions of a whole, 1 or 100 %. events is the number of events that a run
// counts the fraction over, or 0 if it is not known.
func shareOf(whole, events float64) mc.Support {
	s := mc.Support{Most: whole}
	if events > 0 {
		s.Step = whole / events
	}
	return s
}

// inSupport returns the mean over runs of a number with a support. Numbers are rounded to millionths.
func inSupport[T any](runs []T, of func(T) float64, s mc.Support) mc.Estimate {
	return mc.MeanOf(runs, func(r T) int64 { return millionths(of(r)) }).Per(million).OfFew(s)
}

// multipleOf returns a mean time as a multiple of an ideal that no run can beat.
func multipleOf(ideal float64, e mc.Estimate) mc.Estimate {
	if e = e.Per(ideal); e.Value > 1 {
		return e.OfFew(atLeast(1))
	}
	return e
}

// proportion returns the share of runs of some kind, with an interval if there are at least three runs.
func proportion(of, runs uint64) mc.Estimate {
	e := mc.Proportion(of, runs, mc.DefaultConfidence)
	if runs < plot.LeastRuns {
		e.Lo, e.Hi = math.Inf(-1), math.Inf(1)
	}
	return e
}
