package sweep

import (
	"context"

	"repslab/internal/checks"
)

// BlockResults holds the results of one block of a point alone.
type BlockResults struct {
	Replicas uint64
	Rows     [][]any // as in [Results], with as many rows as the point has
}

// ReadBlocks returns, for each point of the sweep, the results of each block from which the file at path has its rows,
// in order: what [Point.Fold] makes of the block alone. Sweeps with the same seed and the same size of blocks are so
// paired, since their replicas have the same random streams. Exact points and points without rows have none. The
// file must be of the sweep or a shard of it, as for [Sweep.Merge]. O(file size), and a Fold for each block.
func (s *Sweep) ReadBlocks(ctx context.Context, path string) ([][]BlockResults, error) {
	s.mustBeMade()
	if err := checks.Context("sweep", ctx); err != nil {
		return nil, err
	}
	x := newIndex(s, func(string) {})
	x.anyShard = true
	defer x.close()
	if err := x.load(ctx, []string{path}); err != nil {
		return nil, err
	}
	list := make([][]BlockResults, len(s.Points))
	for point := range s.Points {
		var err error
		if list[point], err = x.blockResults(ctx, point); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// blockResults returns the results of each block of a point that has rows.
func (x *index) blockResults(ctx context.Context, point int) (list []BlockResults, err error) {
	if x.sweep.Points[point].Exact || !x.hasRows(point) {
		return nil, nil
	}
	blocks, err := x.blocksBehind(point)
	if err != nil {
		return nil, err
	}
	a := &activePoint{point: point}
	if err := x.sweep.newTallies(a); err != nil {
		return nil, err
	}
	for k := range blocks {
		e := x.at(point, k)
		line, err := x.read(e)
		if err == nil {
			err = readBlock(line, a.scratch)
		}
		block := x.sweep.block(k)
		var found Results
		if err == nil {
			err = guarded(func() (err error) {
				found, err = x.sweep.Points[point].Fold(ctx, a.scratch, block.End-block.First)
				return err
			})
		}
		if err != nil {
			return nil, x.wrap(e, err)
		}
		list = append(list, BlockResults{block.End - block.First, found.Rows})
	}
	return list, nil
}
