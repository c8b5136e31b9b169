package mc

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"repslab/internal/checks"
)

// Tally accumulates the observations of replicas of an experiment. It consists of
// exact accumulators alone, so tallies merge associatively and commutatively and
// survive being written and read: the merged tally is the same for any split of the
// replicas into blocks, files or machines.
type Tally interface {
	// Parts lists the accumulators, as pointers into the tally; tallies of one
	// experiment list the same names in the same order.
	Parts() []NamedPart
	// StoppingStatistic returns the estimate whose interval a [Precision] bounds. It must not panic for a
	// tally without observations, such as the tally of no replica: the means of this package then have an
	// infinite interval.
	StoppingStatistic() Estimate
}

// Part is an exact accumulator: a [*Count], [*Moments], [*Sample] or
// [*PairedMoments].
type Part interface {
	// mergePart adds the contents of other, which has the same type.
	mergePart(other Part)
	// appendJSON appends the accumulator's contents as JSON.
	appendJSON(data []byte) []byte
	// read replaces the contents by the numbers that appendJSON wrote.
	read(n *numbers) error
}

// NamedPart is a part of a tally and its key: one or more ASCII letters, digits and
// underscores. The keys of a tally differ from each other.
type NamedPart struct {
	Name string
	Part Part
}

// Count is a number of events.
type Count uint64

func (c *Count) mergePart(other Part) { *c += *other.(*Count) }

// mustBePart panics unless the part has a type of this package and its name is a key.
func mustBePart(function string, p NamedPart) {
	word := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	if p.Name == "" || strings.ContainsFunc(p.Name, func(c rune) bool { return !word(c) }) {
		panic(fmt.Sprintf("mc: %s: the name of part %q must consist of ASCII letters, digits and underscores", function, p.Name))
	}
	switch p.Part.(type) {
	case *Count, *Moments, *Sample, *PairedMoments:
		if !reflect.ValueOf(p.Part).IsNil() {
			return
		}
	}
	panic(fmt.Sprintf("mc: %s: part %q must be a *Count, *Moments, *Sample or *PairedMoments that is not nil", function, p.Name))
}

// mustBeParts panics unless [mustBePart] accepts every part and the names differ.
func mustBeParts(function string, parts []NamedPart) {
	known := make(map[string]bool, len(parts))
	for _, p := range parts {
		mustBePart(function, p)
		if known[p.Name] {
			panic(fmt.Sprintf("mc: %s: two parts of the tally have the name %q", function, p.Name))
		}
		known[p.Name] = true
	}
}

// isNil reports whether a tally is nil or a nil pointer.
func isNil(t Tally) bool {
	v := reflect.ValueOf(t)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// MergeTally adds the observations of from to into. from is not changed. MergeTally panics
// if one of them is nil, or if they are not tallies of one experiment: if the names or the
// types of their parts differ.
func MergeTally(into, from Tally) {
	if isNil(into) || isNil(from) {
		panic("mc: MergeTally: a tally is nil")
	}
	parts, others := into.Parts(), from.Parts()
	if len(parts) != len(others) {
		panic(fmt.Sprintf("mc: MergeTally: tallies of %d and %d parts are of different experiments", len(parts), len(others)))
	}
	for i, p := range parts {
		other := others[i]
		mustBePart("MergeTally", p)
		mustBePart("MergeTally", other)
		if p.Name != other.Name || reflect.TypeOf(p.Part) != reflect.TypeOf(other.Part) {
			panic(fmt.Sprintf("mc: MergeTally: part %q (%T) and part %q (%T) are of different experiments", p.Name, p.Part, other.Name, other.Part))
		}
	}
	for i, p := range parts {
		p.Part.mergePart(others[i].Part)
	}
}

// Experiment is a random experiment with independent replicas. A T accumulates their observations.
// [EachReplica] makes an Experiment from a function that runs one replica. Both functions are needed, so
// the zero value cannot be run.
type Experiment[T Tally] struct {
	NewTally  func() T                    // returns an empty tally
	NewWorker func(seed uint64) Worker[T] // returns a worker that runs blocks of replicas
	// Alone is for replicas that need much memory: only one block runs at a time, and it may use the
	// goroutines of all workers ([Goroutines]).
	Alone bool
}

// mustBeWhole panics if a function of the experiment is nil.
func (e Experiment[T]) mustBeWhole(function string) {
	mustNotBeNil(function, "Experiment.NewTally", e.NewTally == nil)
	mustNotBeNil(function, "Experiment.NewWorker", e.NewWorker == nil)
}

// newTally returns an empty tally, and panics if NewTally returns none.
func (e Experiment[T]) newTally() T {
	t := e.NewTally()
	mustNotBeNil("Experiment", "the tally that NewTally returns", isNil(t))
	return t
}

// mustNotBeNil panics if an argument is nil.
func mustNotBeNil(function, argument string, isNil bool) {
	if isNil {
		panic(fmt.Sprintf("mc: %s: %s must not be nil", function, argument))
	}
}

// Run runs the replicas of a plan and returns their tally and their number. Its errors are the errors of
// the function [Run], and a block whose tally [Experiment.Checked] refuses. After an error it returns the
// tally of the replicas finished before, which remains usable. Run panics if a function of the experiment or
// a tally is nil, and where Checked panics.
func (e Experiment[T]) Run(ctx context.Context, plan Plan) (all T, replicas uint64, err error) {
	e = e.Checked()
	all = e.newTally()
	plan.alone = e.Alone
	newWorker := func() Worker[T] { return e.NewWorker(plan.Seed) }
	replicas, err = Run(ctx, plan, newWorker, func(block T) Estimate {
		MergeTally(all, block)
		return all.StoppingStatistic()
	})
	return all, replicas, err
}

// Simulate runs an experiment as planned and returns the result of its tally. cfg is
// the experiment's configuration; if it has faults, nothing runs. It returns them, the errors of
// the plan, a [*faults.FieldError] if ctx is nil, or the error of a cancelled ctx; after a cancellation the result
// holds the replicas finished before.
func Simulate[T Tally, R any](ctx context.Context, cfg interface{ Validate() error }, e Experiment[T], plan Plan, result func(all T) R) (r R, err error) {
	mustNotBeNil("Simulate", "cfg", cfg == nil)
	if err := errors.Join(checks.Context("mc", ctx), cfg.Validate(), plan.Validate()); err != nil {
		return r, err
	}
	mustNotBeNil("Simulate", "result", result == nil)
	all, _, err := e.Run(ctx, plan)
	return result(all), err
}

// EachReplica returns the experiment that adds one replica after the other to a tally. prepare is called
// once for each worker, with the seed of the plan, and returns the function that runs a replica and adds
// its observations to t; allocate scratch memory in prepare. An error of either function ends the run. So
// does a prepare that returns neither a function nor an error. EachReplica panics if newTally or prepare
// is nil.
func EachReplica[T Tally](newTally func() T, prepare func(seed uint64) (func(ctx context.Context, t T, replica uint64) error, error)) Experiment[T] {
	mustNotBeNil("EachReplica", "newTally", newTally == nil)
	mustNotBeNil("EachReplica", "prepare", prepare == nil)
	return Experiment[T]{
		NewTally: newTally,
		NewWorker: func(seed uint64) Worker[T] {
			add, err := prepare(seed)
			if add == nil && err == nil {
				err = errors.New("mc: EachReplica: prepare returned no function")
			}
			return func(ctx context.Context, block Block) (T, error) {
				t := newTally()
				if err != nil {
					return t, err
				}
				if isNil(t) {
					return t, errors.New("mc: EachReplica: newTally returned no tally")
				}
				for replica := block.First; replica < block.End; replica++ {
					if err := add(ctx, t, replica); err != nil {
						return t, err
					}
				}
				return t, nil
			}
		},
	}
}

// EachRun returns the experiment that runs, as replica r, a process on the stream (seed, Algorithm, r).
// open is called once for each worker. For each replica run gets the process just after its reset and
// adds its observations to t. An error of either function ends the run. EachRun panics if newTally, open
// or run is nil.
func EachRun[P interface{ Reset(Stream) }, T Tally](
	newTally func() T, open func() (P, error), run func(ctx context.Context, t T, process P) error,
) Experiment[T] {
	mustNotBeNil("EachRun", "open", open == nil)
	mustNotBeNil("EachRun", "run", run == nil)
	return EachReplica(newTally, func(seed uint64) (func(context.Context, T, uint64) error, error) {
		process, err := open()
		return func(ctx context.Context, t T, replica uint64) error {
			process.Reset(NewStream(seed, Algorithm, replica))
			return run(ctx, t, process)
		}, err
	})
}

// Repeat returns the experiment that calls add for one replica after the other. It is
// [EachReplica] for replicas that cannot fail, take no more than some milliseconds and
// need no scratch memory. Repeat panics if newTally or add is nil.
func Repeat[T Tally](newTally func() T, add func(t T, seed, replica uint64)) Experiment[T] {
	mustNotBeNil("Repeat", "newTally", newTally == nil)
	mustNotBeNil("Repeat", "add", add == nil)
	return EachReplica(newTally, func(seed uint64) (func(context.Context, T, uint64) error, error) {
		return func(ctx context.Context, t T, replica uint64) error {
			add(t, seed, replica)
			return ctx.Err()
		}, nil
	})
}

// Paired returns the experiment that runs, as replica r, replica r of a and then replica r of b on the
// same seed, so both draw from the same streams (common random numbers). It is Alone if a or b is. Paired
// panics if a function of an experiment is nil.
func Paired[A, B Tally](a Experiment[A], b Experiment[B]) Experiment[*Pair[A, B]] {
	a.mustBeWhole("Paired")
	b.mustBeWhole("Paired")
	return Experiment[*Pair[A, B]]{
		NewTally: func() *Pair[A, B] { return &Pair[A, B]{a.newTally(), b.newTally()} },
		NewWorker: func(seed uint64) Worker[*Pair[A, B]] {
			runFirst, runSecond := a.NewWorker(seed), b.NewWorker(seed)
			if runFirst == nil || runSecond == nil {
				return nil // which Run reports
			}
			return func(ctx context.Context, block Block) (*Pair[A, B], error) {
				first, err := runFirst(ctx, block)
				if err != nil {
					return nil, err
				}
				second, err := runSecond(WithShares(ctx, func(...float64) {}), block) // shares of the pair are told by the first
				if err != nil {
					return nil, err
				}
				return &Pair[A, B]{first, second}, nil
			}
		},
		Alone: a.Alone || b.Alone,
	}
}

// Pair is the tally of two experiments on the same replicas.
type Pair[A, B Tally] struct {
	First  A
	Second B
}

// Parts implements [Tally]. The keys of the second tally begin with "beside_", as in existing result
// files.
func (p *Pair[A, B]) Parts() []NamedPart {
	mustNotBeNil("Pair", "First", isNil(p.First))
	mustNotBeNil("Pair", "Second", isNil(p.Second))
	parts := p.First.Parts()
	for _, part := range p.Second.Parts() {
		parts = append(parts, NamedPart{"beside_" + part.Name, part.Part})
	}
	return parts
}

// StoppingStatistic implements [Tally] by the statistic of the first experiment.
func (p *Pair[A, B]) StoppingStatistic() Estimate {
	mustNotBeNil("Pair", "First", isNil(p.First))
	return p.First.StoppingStatistic()
}
