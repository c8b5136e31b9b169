package sweep

import (
	"context"
	"errors"
	"io/fs"
)

// Inventory counts the parts of a sweep, or of its shard, that a file holds.
type Inventory struct {
	Blocks   uint64 // recorded, of the shard
	Points   int    // with rows
	Failed   int    // points that failed and have no rows
	Finished bool   // only failed points are left to run
	Bytes    int64  // of the records and headers read
}

// Inspect returns the inventory of the file at path; it is empty if there is no file.
// O(file size).
func (s *Sweep) Inspect(path string) (Inventory, error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Inventory{}, nil
	}
	if err != nil {
		return Inventory{}, err
	}
	defer f.Close()
	x := newIndex(s)
	size, err := x.scan(context.Background(), f, false, nil)
	if err == nil {
		err = x.dropUnfounded()
	}
	if err != nil || size == 0 {
		return Inventory{}, err
	}
	return x.inventory(), nil
}

// inventory counts the records of an index.
func (x *index) inventory() Inventory {
	v := Inventory{Finished: true, Bytes: x.size}
	for point := range x.sweep.Points {
		recorded := x.recorded(point)
		v.Blocks += recorded
		switch {
		case x.hasRows(point): // its missing blocks lie beyond the end of a stopping rule
			v.Points++
		case x.hasFailed(point):
			v.Failed++
		case x.sweep.whole() || recorded < x.sweep.blocksHere(point):
			v.Finished = false
		}
	}
	return v
}
