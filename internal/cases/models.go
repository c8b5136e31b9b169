// Package cases holds the models of the command line as typed values: points such as [Fattree], and rows of results.
// The parameters of a point set the configurations of the libraries. Package param makes flags and grids of them.
package cases

import (
	"reflect"
	"slices"

	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/ballsbins/leafspine"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/recycled"
	"repslab/reps"
)

// All lists the models in the order of the help. To add a model, add a function that returns its Model, and a file
// in the folder help.
func All() []param.Model {
	return []param.Model{ballsbinsModel(), recycledModel(), coalescingModel(), evsModel(), allocateModel(), leafspineModel(), fattreeModel()}
}

// NeedsInside reports whether some key names a column of the model that has values only with --inside.
func NeedsInside(m param.Model, keys []string) bool {
	return m.Name == FattreeName && slices.ContainsFunc(experiment.Statistics(), func(s experiment.Statistic) bool {
		return s.Inside && slices.ContainsFunc(keys, func(key string) bool {
			beside := frame.BesideOf(s.Key)
			return slices.Contains([]string{s.Key, beside.Se, beside.Lo, beside.Hi, lawKey}, key)
		})
	})
}

// LibraryFields returns the fields of a model's library configurations that the parameter sets.
func LibraryFields(q *param.Parameter, model string) (fields []string) {
	configs := map[string][]any{
		"ballsbins": {ballsbins.Config{}}, "recycled": {recycled.Config{}}, "coalescing": {coalescing.Config{}},
		"evs": {evsimbalance.Config{}}, "allocate": {allocation.Config{}}, "leafspine": {leafspine.Config{}},
		"fattree": {fattree.Spec{}, transport.Options{}, topology.FatTree{}, fattree.Link{}, topology.Planes{}, reps.Config{}, traffic.Arrivals{},
			traffic.Message{}},
	}
	for _, config := range configs[model] {
		t := reflect.TypeOf(config)
		for i := range t.NumField() {
			if name := t.Field(i).Name; q.Sets(name) {
				fields = append(fields, t.String()+"."+name)
			}
		}
	}
	return fields
}
