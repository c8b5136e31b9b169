package sweep

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// Inventory counts the parts of a sweep, or of its shard, that a file holds.
type Inventory struct {
	Blocks   uint64 // recorded, of the shard
	Points   int    // with rows
	Failed   int    // points that failed and have no rows
	Finished bool   // only failed points are left to run
}

// Inspect returns the inventory of the file at path; it is empty if there is no file.
// O(file size).
func Inspect(s *Sweep, path string) (Inventory, error) {
	var v Inventory
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	defer f.Close()
	x := newIndex(s)
	size, err := x.scan(context.Background(), f, false, nil)
	if err != nil || size == 0 {
		return v, err
	}
	if err := x.dropUnfounded(); err != nil {
		return v, err
	}
	v.Finished = true
	for point := range s.Points {
		recorded := x.recorded(point)
		v.Blocks += recorded
		switch {
		case x.hasRows(point): // its missing blocks lie beyond the end of a stopping rule
			v.Points++
		case x.hasFailed(point):
			v.Failed++
		case s.whole() || recorded < s.blocksHere(point):
			v.Finished = false
		}
	}
	return v, nil
}

// LockFile opens a file, creates it if it does not exist, and locks it against other
// processes until it is closed. The error wraps [ErrLocked] if another process holds the
// lock.
func LockFile(path string) (io.Closer, error) { return openLocked(path) }
