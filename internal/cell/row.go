package cell

import (
	"repslab/internal/lists"
	"repslab/mc"
)

// Cell is a value of a row with the key of its column. It is an alias of an unnamed struct, so that
// literals in other packages may leave out the field names.
type Cell = struct {
	Key   string
	Value any
}

// Row is a row of a table, or a part of one.
type Row []Cell

// Keys returns the keys of the columns.
func (r Row) Keys() []string { return lists.Map(r, func(c Cell) string { return c.Key }) }

// Values returns the values.
func (r Row) Values() []any { return lists.Map(r, func(c Cell) any { return c.Value }) }

// Ends returns the cells of an estimate and of the ends of its interval, prefix_lo and prefix_hi.
func Ends(key, prefix string, e mc.Estimate) Row {
	return Row{{key, e.Value}, {prefix + "_lo", e.Lo}, {prefix + "_hi", e.Hi}}
}

// ErrorAndEnds returns the cells of an estimate, of its standard error, prefix_se, and of the ends of its
// interval. Observations that are all alike have a standard error of 0, which tells it, and no ends.
func ErrorAndEnds(key, prefix string, e mc.Estimate) Row {
	if e.Identical {
		e.StdErr = 0
	}
	return append(Row{{key, e.Value}, {prefix + "_se", e.StdErr}}, Ends(key, prefix, e)[1:]...)
}
