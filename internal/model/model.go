// Package model holds the models of the command line as typed values: their parameters, grids of points, and rows
// of results. A model is a list of parameters bound to the fields of a point, such as [Fattree], and a function
// from the point to an experiment.
package model

import (
	"cmp"
	"reflect"
	"slices"

	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/recycled"
	"repslab/reps"
)

// All lists the models in the order of the help. To add a model, add a function that returns its Model, and a file
// in the folder help.
func All() []Model {
	return []Model{ballsbinsModel(), recycledModel(), coalescingModel(), evsModel(), allocateModel(), fattreeModel()}
}

// Model describes a model to the commands that run it. [New] makes one.
type Model struct {
	Name string

	space      func() Space   // a new one for each use: it holds the point under construction
	Parameters []Parameter    // for names, ranges and help only, never to set a point
	Keys       []frame.Column // columns of a point's parameters, with defaults applied
	Results    []frame.Column // columns of the estimates at a point
	Brief      []string       // keys of the default columns of a table, in addition to varying parameters
	unit       string         // unit of work, for --timing; default "ball"
	replicas   uint64         // default of --replicas; default 1000
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
	m.space, m.Parameters, m.Keys = s, one.parameters, one.heads()
	return m
}

// Grid returns the points of a selection of parameters.
func (m Model) Grid(sel Selection) (*Grid, error) { return m.space().grid(m.Name, sel) }

// TimingKey returns the key of the time per unit of work.
func (m Model) TimingKey() string { return "ns_per_" + cmp.Or(m.unit, "ball") }

// NeedsInside reports whether some key names a column that has values only with --inside.
func (m Model) NeedsInside(keys []string) bool {
	return m.Name == FattreeName && slices.ContainsFunc(experiment.Statistics(), func(s experiment.Statistic) bool {
		return s.Inside && slices.ContainsFunc(keys, func(key string) bool {
			beside := frame.BesideOf(s.Key)
			return slices.Contains([]string{s.Key, beside.Se, beside.Lo, beside.Hi, lawKey}, key)
		})
	})
}

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

// LibraryFields returns the fields of a model's library configurations that the parameter sets.
func (q *Parameter) LibraryFields(model string) (fields []string) {
	configs := map[string][]any{
		"ballsbins": {ballsbins.Config{}}, "recycled": {recycled.Config{}}, "coalescing": {coalescing.Config{}},
		"evs": {evsimbalance.Config{}}, "allocate": {allocation.Config{}},
		"fattree": {fattree.Spec{}, transport.Options{}, topology.FatTree{}, fattree.Link{}, topology.Planes{}, reps.Config{}, traffic.Arrivals{},
			traffic.Message{}},
	}
	for _, config := range configs[model] {
		t := reflect.TypeOf(config)
		for i := range t.NumField() {
			if name := t.Field(i).Name; q.sets(name) {
				fields = append(fields, t.String()+"."+name)
			}
		}
	}
	return fields
}
