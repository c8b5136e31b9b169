package sweep

import (
	"context"
	"fmt"
)

// Contents is what a file holds of its sweep.
type Contents struct {
	Rows     []Rows // of the points that have them, in order
	Points   []int  // their numbers
	Missing  int    // points without rows
	Failures []Failure
}

// Read returns the rows of a result file of the sweep, shards apart. Points that
// are not finished are counted as missing.
func Read(s *Sweep, path string, warn func(string)) (Contents, error) {
	var c Contents
	x, _, err := load(context.Background(), s, []string{path}, MergeOptions{Warn: warn})
	defer x.close()
	if err != nil {
		return c, err
	}
	for point := range s.Points {
		switch {
		case x.rows[point].length > 0:
			rows, err := x.rowsAt(point)
			if err != nil {
				return c, err
			}
			c.Rows, c.Points = append(c.Rows, rows), append(c.Points, point)
		case x.failed[point].length > 0:
			var f Failure
			line, err := x.read(x.failed[point])
			if err == nil {
				err = readValue(line, &f)
			}
			if err != nil {
				return c, fmt.Errorf("%s: %w", path, err)
			}
			c.Failures = append(c.Failures, f)
			c.Missing++
		default:
			c.Missing++
		}
	}
	return c, nil
}
