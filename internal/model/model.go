// Package model holds the models of the command line as typed values: their parameters, grids of their points,
// and the rows of results. A model is a list of parameters bound to the fields of a point, such as [Fattree], and
// a function from the point to an experiment.
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
	"repslab/internal/table"
	"repslab/recycled"
	"repslab/reps"
)

// All lists the models, in the order of the help. A new model is a function that
// returns such a description, and a file of the folder help.
func All() []Model {
	return []Model{ballsbinsModel(), recycledModel(), coalescingModel(), evsModel(), allocateModel(), fattreeModel()}
}

// Model describes a model to the commands that run it. [New] makes one.
type Model struct {
	Name string

	space      func() Space   // another one for each use: it holds the point under construction
	Parameters []Parameter    // of a space of its own: for names, ranges and help, never to set a point
	Keys       []table.Column // of a point's parameters, defaults applied
	Results    []table.Column // of the estimates at a point
	Brief      []string       // keys of the columns that a table has by default, beside varying parameters
	unit       string         // of work, for --timing; default "ball"
	replicas   uint64         // default of --replicas; default 1000
	// Streams numbers the results. Raise it with every change of the model's random
	// streams or numbers; TestResultsAreNumbered fails until it has a digest of them.
	Streams int
	// Older returns the text of a parameter in a file of earlier streams as this program writes it.
	// Nil means the same text.
	Older func(streams int, key, text string) string
}

// New completes a model by its parameters.
func New(m Model, s func() Space) Model {
	one := s()
	m.space, m.Parameters, m.Keys = s, one.parameters, one.heads()
	return m
}

// Grid returns the points of a selection of parameters.
func (m Model) Grid(sel Selection) (*Grid, error) { return m.space().grid(m.Name, sel) }

// TimingKey returns the key of the time per unit of work.
func (m Model) TimingKey() string { return "ns_per_" + cmp.Or(m.unit, "ball") }

// NeedsInside reports whether some keys name a column that has values with --inside alone.
func (m Model) NeedsInside(keys []string) bool {
	return m.Name == FattreeName && slices.ContainsFunc(experiment.Statistics(), func(s experiment.Statistic) bool {
		return s.Inside && slices.ContainsFunc(keys, func(key string) bool {
			return key == s.Key || key == s.Key+"_lo" || key == s.Key+"_hi" || key == lawKey
		})
	})
}

// Columns returns the columns of the rows of a model.
func (m Model) Columns() []table.Column {
	return slices.Concat(m.Keys, m.Results, table.Numbers("seed", "replicas"))
}

// Parameter returns the parameter that has a flag, or a column with the key of the flag.
func (m Model) Parameter(flag string) (Parameter, bool) {
	i := slices.IndexFunc(m.Parameters, func(q Parameter) bool {
		return q.Flag == flag || slices.ContainsFunc(q.Columns, func(c Column) bool { return c.Key == KeyOf(flag) })
	})
	if i < 0 {
		return Parameter{}, false
	}
	return m.Parameters[i], true
}

// LibraryFields returns the fields of a model's configurations that the parameter sets.
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
