package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/faults"
	"repslab/internal/frame"
	"repslab/internal/must"
	"repslab/mc"
)

// Columns names the columns of a sweep's rows, in order. A row of a result file has the
// point's parameters, its results, and the columns seed and replicas, which the package
// adds. For repslab plot and compare, a column x_se holds the standard error of the mean in
// column x or x_mean over all replicas of the row.
type Columns struct {
	Parameters []string // distinct for each point
	Results    []string // estimated or computed at each point
}

// The last columns of every row.
const (
	seedColumn     = "seed"
	replicasColumn = "replicas"
)

// check records the faults of the columns.
func (c Columns) check(f *faults.List) {
	f.Check(len(c.Parameters) > 0 && len(c.Results) > 0, "Columns", c, "must have parameters and results")
	seen := []string{"", seedColumn, replicasColumn}
	for _, name := range slices.Concat(c.Parameters, c.Results) {
		f.Check(!slices.Contains(seen, name), "Columns", name,
			"must be distinct, not empty, and neither %s nor %s", seedColumn, replicasColumn)
		seen = append(seen, name)
	}
}

// Point is one combination of parameters and how its rows are computed. [Estimated] and
// [Exact] make one.
//
// A cell, here and in [Results], is nil, a bool, a string, an int, int64, uint64 or
// float64. NaN and infinities are written as null in results, and refused in parameters.
type Point struct {
	Name       string // name in messages
	Parameters []any  // a cell for each of Columns.Parameters; no two points have the same
	// Exact marks a point that is computed without replicas, blocks and an Experiment.
	Exact      bool
	Experiment mc.Experiment[mc.Tally]
	// Work is the expected work of a replica, in any unit in which time is about proportional to work, such as packets
	// times hops or balls. Calibrate extrapolates by it. 0 means that it is unknown, and taken as 1.
	Work float64
	// Fold turns the tally of replicas, nil for an exact point, into results. Its results must depend on
	// its arguments alone, and it must return soon after ctx is cancelled.
	Fold func(ctx context.Context, tally mc.Tally, replicas uint64) (Results, error)
}

// Results holds the results of a point.
type Results struct {
	Rows     [][]any  // each has a cell for each of Columns.Results
	Warnings []string // recorded with the rows
	Work     float64  // work of all replicas, in any unit, from which the caller reports speed; not recorded
}

// Estimated returns a point whose results are estimated from the tally of replicas of an
// experiment; fold is [Point.Fold]. It panics if a function is nil.
func Estimated[T mc.Tally](name string, parameters []any, e mc.Experiment[T],
	fold func(ctx context.Context, tally T, replicas uint64) (Results, error)) Point {
	must.Be(e.NewTally != nil && e.NewWorker != nil && fold != nil, "sweep: Estimated", "the functions of e, and fold, must not be nil")
	return Point{
		Name:       name,
		Parameters: parameters,
		Experiment: mc.Experiment[mc.Tally]{
			NewTally: func() mc.Tally { return e.NewTally() },
			NewWorker: func(seed uint64) mc.Worker[mc.Tally] {
				run := e.NewWorker(seed)
				return func(ctx context.Context, block mc.Block) (mc.Tally, error) { return run(ctx, block) }
			},
			Alone: e.Alone,
		},
		Fold: func(ctx context.Context, tally mc.Tally, replicas uint64) (Results, error) {
			return fold(ctx, tally.(T), replicas)
		},
	}
}

// Exact returns a point whose results are computed. It panics if compute is nil.
func Exact(name string, parameters []any, compute func(context.Context) (Results, error)) Point {
	must.Be(compute != nil, "sweep: Exact", "compute must not be nil")
	fold := func(ctx context.Context, _ mc.Tally, _ uint64) (Results, error) { return compute(ctx) }
	return Point{Name: name, Parameters: parameters, Exact: true, Fold: fold}
}

// appendCells appends cells to a JSON object without its closing brace.
func appendCells(object []byte, columns []string, cells []any) ([]byte, error) {
	if len(cells) != len(columns) {
		return nil, fmt.Errorf("sweep: %d cells must be %d, one for each of the columns %v",
			len(cells), len(columns), columns)
	}
	for i, v := range cells {
		checked, err := frame.Check(v)
		if err != nil {
			return nil, fmt.Errorf("sweep: column %q: %w", columns[i], err)
		}
		object = frame.AppendMember(object, columns[i], checked)
	}
	return object, nil
}

// parameters appends the parameters of a point, as a JSON object, to data, which is empty.
func (s *Sweep) parameters(data []byte, p Point) ([]byte, error) {
	object, err := appendCells(data, s.columns.Parameters, p.Parameters)
	return append(object, '}'), err
}

// values returns for each parameter the list of its distinct values as text, in the order of the points:
// the form of [Config.Parameters].
func (s *Sweep) values() map[string]string {
	all := map[string]string{}
	for i, name := range s.columns.Parameters {
		var texts []string
		seen := map[string]bool{}
		for _, p := range s.Points {
			if text := frame.Exact(p.Parameters[i]); !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
		all[name] = strings.Join(texts, ",")
	}
	return all
}
