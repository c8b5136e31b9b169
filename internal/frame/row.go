package frame

import (
	"slices"
	"strings"

	"repslab/internal/lists"
	"repslab/mc"
)

// Cell is a value of a row with the key of its column. It is an alias of an unnamed struct, so that
// literals in other packages may leave out the field names.
type Cell = struct {
	Key   string
	Value any
}

// Row is a row of a table, or a part of one. A value may be an [Estimate], which takes several columns.
type Row []Cell

// Keys returns the keys of the columns.
func (r Row) Keys() []string { return lists.Map(r.Written(), func(c Cell) string { return c.Key }) }

// Values returns the values.
func (r Row) Values() []any { return lists.Map(r.Written(), func(c Cell) any { return c.Value }) }

// Written returns the row with a cell for each column: estimates become numbers.
func (r Row) Written() Row {
	all := make(Row, 0, len(r))
	for _, c := range r {
		e, is := c.Value.(Estimate)
		if !is {
			all = append(all, c)
			continue
		}
		beside := BesideOf(c.Key)
		all = append(all, Cell{c.Key, e.Value})
		if e.hasError {
			all = append(all, Cell{beside.Se, e.StdErr})
		}
		if e.hasEnds {
			all = append(all, Cell{beside.Lo, e.Lo}, Cell{beside.Hi, e.Hi})
		}
	}
	return all
}

// Estimate is an estimate in a cell. [WithError], [WithEnds] and [WithErrorAndEnds] say what is written beside it.
type Estimate struct {
	mc.Estimate
	hasError, hasEnds bool
}

// WithError returns a cell's estimate with its standard error.
func WithError(e mc.Estimate) Estimate { return Estimate{e, true, false} }

// WithEnds returns a cell's estimate with the ends of its interval.
func WithEnds(e mc.Estimate) Estimate { return Estimate{e, false, true} }

// WithErrorAndEnds returns a cell's estimate with its standard error and the ends of its interval. Observations
// that are all alike have a standard error of 0, which tells it, and no ends.
func WithErrorAndEnds(e mc.Estimate) Estimate {
	if e.Identical {
		e.StdErr = 0
	}
	return Estimate{e, true, true}
}

// Beside holds the keys of the columns beside an estimate: its standard error and the ends of its interval.
type Beside struct{ Se, Lo, Hi string }

// endings are the endings of keys of estimates that the keys beside them lack. withEnding are keys whose ending belongs
// to all of them: it names a mean over the connections of a run.
var (
	endings    = []string{"_mean", "_probability", ""}
	withEnding = []string{"distinct_evs_mean", "flight_evs_mean", "ring_valid_mean"}
)

// BesideOf returns the keys beside an estimate: lost_se, lost_lo and lost_hi beside lost, and max_load_se,
// max_load_lo and max_load_hi beside max_load_mean.
func BesideOf(key string) Beside {
	for _, ending := range endings {
		if !slices.Contains(withEnding, key) {
			key = strings.TrimSuffix(key, ending)
		}
	}
	return Beside{key + "_se", key + "_lo", key + "_hi"}
}

// Estimates returns the estimates among the keys of a table. Each has those keys beside it that the table has; the
// others are empty. It finds the keys of [BesideOf], and rounds_mean_se beside rounds_mean, as other programs
// write it. If a table has both exceeds and exceeds_probability, exceeds_se is beside exceeds_probability.
func Estimates(keys []string) map[string]Beside {
	all := map[string]Beside{}
	for _, key := range keys {
		for i, suffix := range []string{"_se", "_lo", "_hi"} {
			stem, cut := strings.CutSuffix(key, suffix)
			owner := slices.IndexFunc(endings, func(ending string) bool { return slices.Contains(keys, stem+ending) })
			if !cut || owner < 0 {
				continue
			}
			beside := all[stem+endings[owner]]
			*[]*string{&beside.Se, &beside.Lo, &beside.Hi}[i] = key
			all[stem+endings[owner]] = beside
		}
	}
	return all
}
