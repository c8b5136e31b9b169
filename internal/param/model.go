// Package param holds flags, grids and units: a model is a list of parameters bound to the fields of a point, and a
// function from the point to an experiment. It knows no model. Package cases has the models.
package param

import (
	"cmp"
	"slices"

	"repslab/internal/frame"
)

// Model describes a model to the commands that run it. [New] makes one.
type Model struct {
	Name string

	space      func() Space   // a new one for each use: it holds the point under construction
	Parameters []Parameter    // for names, ranges and help only, never to set a point
	Keys       []frame.Column // columns of a point's parameters, with defaults applied
	Results    []frame.Column // columns of the estimates at a point
	Brief      []string       // keys of the default columns of a table, in addition to varying parameters
	Unit       string         // unit of work, for --timing; default "ball"
	Replicas   uint64         // default of --replicas; default 1000
	// Streams is the version of the results. Raise it with every change of the model's random streams or numbers:
	// TestResultsAreNumbered fails until it has a digest of the new results.
	Streams int
	// Older returns today's text of a parameter from a file of earlier streams. Nil means that texts have not
	// changed.
	Older func(streams int, key, text string) string
}

// New completes a model with its parameters.
func New(m Model, s func() Space) Model {
	one := s()
	m.space, m.Parameters, m.Keys = s, one.parameters, one.Heads()
	return m
}

// Grid returns the points of a selection of parameters.
func (m Model) Grid(sel Selection) (*Grid, error) { return m.space().Grid(m.Name, sel) }

// TimingKey returns the key of the time per unit of work.
func (m Model) TimingKey() string { return "ns_per_" + cmp.Or(m.Unit, "ball") }

// Columns returns the columns of the rows of a model.
func (m Model) Columns() []frame.Column {
	return slices.Concat(m.Keys, m.Results, frame.Numbers("seed", "replicas"))
}

// Parameter returns the parameter with a flag, or with a column that has the flag's key.
func (m Model) Parameter(flag string) (Parameter, bool) {
	i := slices.IndexFunc(m.Parameters, func(q Parameter) bool {
		return q.Flag == flag || slices.ContainsFunc(q.Columns, func(c Column) bool { return c.Key == KeyOf(flag) })
	})
	if i < 0 {
		return Parameter{}, false
	}
	return m.Parameters[i], true
}
