package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Contents holds the rows of a result file.
type Contents struct {
	Header   Header
	Rows     []Rows    // of the finished points, in order
	Failures []Failure // of points that failed and have no rows, in order
	Missing  int       // points without rows, failed ones included
}

// Read returns the rows of a result file, finished or not, of any program. It needs neither the points
// nor the input files of the sweep. It verifies the checksum of every line; the error names a damaged
// line. warn, which may be nil, gets a warning about a torn last line. O(file size).
func Read(path string, warn func(string)) (Contents, error) {
	var c Contents
	f, err := openRegular(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	rows, failures := map[string]Rows{}, map[string]Failure{} // by ID of the point
	var last fileLine
	for l, err := range wholeLines(f, f) {
		if err == nil && l.number == 1 {
			c.Header, err = parseHeader(l.data)
		} else if err == nil {
			err = c.take(l.data, rows, failures)
		}
		if err != nil {
			return Contents{}, &LineError{path, l.number, err}
		}
		last = l
	}
	if last.number == 0 {
		return c, fmt.Errorf("%s: %w", path, errNoLine)
	}
	if warn != nil {
		warnTorn(f, last.end, warn)
	}
	for id, failure := range failures {
		if _, finished := rows[id]; !finished {
			c.Failures = append(c.Failures, failure)
		}
	}
	slices.SortFunc(c.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(string(a.Point), string(b.Point)))
	})
	// Files of schema 1 do not number their points: their rows stay in the order of the file.
	slices.SortStableFunc(c.Rows, func(a, b Rows) int { return cmp.Compare(a.Number, b.Number) })
	c.Missing = max(len(c.Failures), c.Header.Points-len(c.Rows))
	return c, nil
}

// take adds the rows or the failure of a record.
func (c *Contents) take(line []byte, rows map[string]Rows, failures map[string]Failure) error {
	id, kind, _, err := openRecord(line)
	if err != nil {
		return err
	}
	switch kind {
	case rowsKind:
		var r Rows
		if err := readValue(line, &r); err != nil {
			return err
		}
		first, twice := rows[id]
		if twice && !reflect.DeepEqual(first, r) {
			return errors.New("contradicts an earlier line, which has the same key and other data")
		}
		if !twice {
			rows[id], c.Rows = r, append(c.Rows, r)
		}
	case failedKind:
		var f Failure
		if err := readValue(line, &f); err != nil {
			return err
		}
		failures[id] = f
	}
	return nil
}
