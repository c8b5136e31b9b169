package sweep

import (
	"context"
	"fmt"

	"repslab/internal/frame"
	"repslab/mc"
)

// pointError is an error of a point's own functions: the point fails, and the sweep goes on.
type pointError struct{ error }

// statistic returns the stopping statistic of a point's tally. The error is a [pointError].
func (a *activePoint) statistic() (e mc.Estimate, err error) {
	err = guarded(func() error { e = a.tally.StoppingStatistic(); return nil })
	if err != nil {
		err = pointError{fmt.Errorf("StoppingStatistic: %w", err)}
	}
	return e, err
}

// newTallies gives a point empty tallies with readable parts. The error is a [pointError].
func (s *Sweep) newTallies(a *activePoint) error {
	err := guarded(func() error {
		e := s.Points[a.point].Experiment.Checked()
		a.tally, a.scratch = e.NewTally(), e.NewTally()
		return nil
	})
	if err != nil {
		return pointError{fmt.Errorf("NewTally: %w", err)}
	}
	return nil
}

// guarded runs f and turns a panic into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}

// runBlock runs a block of a point and returns its record.
func (s *Sweep) runBlock(ctx context.Context, run mc.Worker[mc.Tally], point int, number uint64) ([]byte, error) {
	block := s.block(number)
	tally, err := run(ctx, block)
	if err != nil {
		return nil, err
	}
	line := blockRecord(s.ids[point], block, tally)
	return line, checkLength(line)
}

// rowsRecord makes the rows of a point from a tally of replicas. It returns their record and their
// warnings.
func (s *Sweep) rowsRecord(
	ctx context.Context, point int, tally mc.Tally, replicas uint64,
) (line []byte, warnings []string, err error) {
	p, stop := s.Points[point], s.Header.Config.plan().Stop
	found, err := p.Fold(ctx, tally, replicas)
	if err != nil {
		return nil, nil, err
	}
	rows := Rows{Number: point, Replicas: replicas, Warnings: found.Warnings}
	for _, cells := range found.Rows {
		object, err := appendCells(nil, s.columns.Parameters, p.Parameters)
		if err == nil {
			object, err = appendCells(object, s.columns.Results, cells)
		}
		if err != nil {
			return nil, nil, err
		}
		object = frame.AppendMember(object, seedColumn, s.Header.Config.Seed)
		object = frame.AppendMember(object, replicasColumn, replicas)
		rows.Rows = append(rows.Rows, append(object, '}'))
	}
	if !p.Exact && stop.Relative > 0 && !stop.Met(tally.StoppingStatistic()) {
		rows.Warnings = append(rows.Warnings, fmt.Sprintf(
			"%s: the precision of %v was not reached with %d replicas", p.Name, stop.Relative, replicas))
	}
	line, err = valueRecord(s.ids[point], rowsKind, rows)
	return line, rows.Warnings, err
}
