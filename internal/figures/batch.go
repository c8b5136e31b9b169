package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
)

// Batch is set-ups that are run together, each under names by which its runs are
// found again: a condition, a contender's key, a number of EVs. The zero value is
// empty; T is what is kept of a run.
type Batch[T any] struct {
	setups []fattree.Setup
	places map[string]int // of setups, by their names
	runs   [][]T
}

// place returns the names as one.
func nameOf(names []any) string { return fmt.Sprintf("%#v", names) }

// Add takes in a set-up. It panics if there is one of these names.
func (b *Batch[T]) Add(setup fattree.Setup, names ...any) {
	if b.places == nil {
		b.places = map[string]int{}
	}
	key := nameOf(names)
	if _, twice := b.places[key]; twice {
		panic(fmt.Sprintf("netrun: two set-ups are named %v", names))
	}
	b.places[key] = len(b.setups)
	b.setups = append(b.setups, setup)
}

// Run runs replicas of every set-up, as [Simulate] does.
func (b *Batch[T]) Run(ctx context.Context, s Settings, replicas uint64, keep func(fattree.Replica) (T, error)) error {
	var err error
	b.runs, err = Simulate(ctx, s, b.setups, replicas, keep)
	return err
}

// Of returns the runs of the set-up with the names that it was added under, by
// replica. It panics if there is none.
func (b *Batch[T]) Of(names ...any) []T {
	at, known := b.places[nameOf(names)]
	if !known {
		panic(fmt.Sprintf("netrun: no set-up is named %v", names))
	}
	return b.runs[at]
}
