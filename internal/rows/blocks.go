package rows

import (
	"context"
	"slices"

	"repslab/internal/param"
	"repslab/sweep"
)

// origin is the place of a row in a result file: the number of its point, and its place among the rows of the point.
type origin struct{ point, row int }

// blocksOfRow are the results of the blocks behind a row, and its place among their rows.
type blocksOfRow struct {
	list []sweep.BlockResults
	row  int
}

// ReadBlocks reads the results of the blocks behind the rows of a result file, for [Row.Blocks]. No row may have been
// removed. It needs the points of the sweep; the error says which input file, parameter or program is another one. A
// table without estimates from blocks, such as a CSV file, stays as it is.
func (t *Table) ReadBlocks(ctx context.Context, available []param.Model) error {
	if t.origins == nil {
		return nil
	}
	request := param.RequestOf(t.Config)
	s, err := request.NewSweep(ctx, available, sweep.Shard{})
	if err != nil {
		return err
	}
	points, err := s.ReadBlocks(ctx, t.Path)
	if err != nil {
		return err
	}
	t.blocks = map[*any]blocksOfRow{}
	for i, at := range t.origins {
		t.blocks[&t.Rows[i].Cells[0]] = blocksOfRow{points[at.point], at.row}
	}
	return nil
}

// Blocks returns the results under a key in each block of replicas behind a row, and the number of runs that each is
// estimated from. Without [Table.ReadBlocks], and unless every block has a number, it returns nil.
func (r Row) Blocks(key string) (values, runs []float64) {
	blocks := r.Table.blocks[&r.Cells[0]]
	at := slices.Index(r.Table.results, key)
	runsAt := slices.Index(r.Table.results, r.runsKey(key))
	for _, b := range blocks.list {
		if at < 0 || blocks.row >= len(b.Rows) {
			return nil, nil
		}
		v, known := AsNumber(b.Rows[blocks.row][at])
		n := float64(b.Replicas)
		if runsAt >= 0 {
			n, _ = AsNumber(b.Rows[blocks.row][runsAt])
		}
		if !known || n == 0 {
			return nil, nil
		}
		values, runs = append(values, v), append(runs, n)
	}
	return values, runs
}
