package rows

import (
	"math"
	"slices"

	"repslab/internal/frame"
	"repslab/mc"
)

// Estimate is a number of a row and what is known about it. A number that does not exist is NaN; an end that is not
// known is infinite.
type Estimate struct {
	Value, Lo, Hi float64 // 95 % interval: of the row, or else Student's
	StdErr        float64
	Runs          float64
}

// Estimate returns the number under a key with its interval. Both ends are infinite if all runs are alike.
func (r Row) Estimate(key string) (e Estimate) {
	beside, none := r.Table.Beside[key], math.NaN()
	e.Lo, e.Hi = math.Inf(-1), math.Inf(1)
	or := func(key string, missing float64) float64 {
		if v, known := r.Number(key); known {
			return v
		}
		return missing
	}
	e.Value, e.StdErr, e.Runs = or(key, none), or(beside.Se, none), or(r.runsKey(key), none)
	switch {
	case !math.IsNaN(or(beside.Lo, none)) || !math.IsNaN(or(beside.Hi, none)):
		e.Lo, e.Hi = or(beside.Lo, e.Lo), or(beside.Hi, e.Hi)
	case e.StdErr > 0 && e.Runs >= 0: // known
		value := or(key, 0)
		e.Lo, e.Hi = mc.StudentInterval(value, e.StdErr, uint64(e.Runs), mc.DefaultConfidence)
		if r.Table.Model.Name != "" && value >= 0 && !math.IsInf(e.Lo, 0) {
			e.Lo = max(e.Lo, 0) // no result of a model is negative
		}
	}
	return e
}

// Bounded reports whether only one bound of the value is known: there is no value, and the other end is
// infinite.
func (e Estimate) Bounded() bool {
	return math.IsNaN(e.Value) && math.IsInf(e.Lo, -1) != math.IsInf(e.Hi, 1)
}

// Bound returns "> 12" or "< 12" for an estimate of which one bound is known: runs did not finish. Otherwise it
// returns an empty text.
func (e Estimate) Bound() string {
	switch {
	case !e.Bounded():
		return ""
	case math.IsInf(e.Hi, 1):
		return "> " + frame.Human(e.Lo)
	}
	return "< " + frame.Human(e.Hi)
}

// IsBound reports whether a column holds the standard error or an end of the interval of another column.
func (t *Table) IsBound(key string) bool {
	for _, b := range t.Beside {
		if key == b.Se || key == b.Lo || key == b.Hi {
			return true
		}
	}
	return false
}

// IsEstimate reports whether a column has an interval, given by its ends or by a standard error.
func (t *Table) IsEstimate(key string) bool {
	_, is := t.Beside[key]
	return is && !slices.Contains(t.Points, key)
}

// IsTrace reports whether the table is a file of fattree --trace.
func (t *Table) IsTrace() bool {
	return !slices.ContainsFunc([]string{"time_us", QuantityKey, "number", "value"}, func(key string) bool { return !slices.Contains(t.inFile, key) })
}
