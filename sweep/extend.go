package sweep

import (
	"context"
	"maps"

	"repslab/mc"
)

// extends reports whether a file with the header old is a smaller form of the sweep: fewer replicas, fewer points or
// a wider interval, and all else alike, the size of blocks too. Its blocks are then blocks of the sweep. Neither may
// be a shard, since the points before a block decide its shard.
func (s *Sweep) extends(old Header) bool {
	h, c, smaller := s.Header, s.Header.Config, old.Config
	wider := c.Precision < smaller.Precision
	if smaller.Replicas > c.Replicas || c.Precision != smaller.Precision && !wider || h.Shard.Of > 0 {
		return false
	}
	anyValues := func(string, string) bool { return true }
	if !maps.EqualFunc(smaller.Parameters, c.Parameters, anyValues) {
		return false
	}
	smaller.Replicas, smaller.Precision = c.Replicas, c.Precision
	smaller.Parameters, smaller.Zip = c.Parameters, c.Zip
	old.Config, old.Points = smaller, h.Points
	return len(old.differences(h)) == 0
}

// leavesOut reports whether a record of a file that the sweep extends is computed again: rows and failures, which
// depend on the grid and on all replicas, and a last block that had fewer replicas than others.
func (x *index) leavesOut(kind string) bool {
	if x.extended == nil {
		return false
	}
	old := x.extended.Config
	short := mc.Block{First: old.Replicas / old.Block * old.Block, End: old.Replicas}
	block, ok := parseBlock(kind)
	return kind == rowsKind || kind == failedKind || ok && block == short && block.End < x.sweep.Header.Config.Replicas
}

// extend replaces the file of a smaller sweep by one with the header of the sweep and the blocks of the file, and
// opens it. A process that is killed leaves one or the other.
func (l *log) extend(ctx context.Context, x *index, o Options) (*log, error) {
	path := l.Name()
	err := x.writeFile(path, l.undisplaced)
	if errClose := l.File.Close(); err == nil {
		err = errClose
	}
	if err != nil {
		return nil, err
	}
	*x = *newIndex(x.sweep, x.warn)
	return openLog(ctx, path, x, o)
}
