package sweep

import (
	"cmp"
	"errors"
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

// Read returns the rows of a result file, finished or not, of any program. It needs
// neither the points nor the input files of the sweep. It verifies the checksum of every
// line; the error names a damaged one. warn gets a warning about a torn last line; it may
// be nil.
// O(file size).
func Read(path string, warn func(string)) (Contents, error) {
	f, err := openRegular(path)
	if err != nil {
		return Contents{}, err
	}
	defer f.Close()
	t := tableReader{rows: map[string]int{}, failed: map[string]Failure{}}
	size, err := newLineReader(f).each(func(line int, _ int64, data []byte, err error) error {
		if err == nil {
			err = t.take(line, data)
		}
		if err != nil {
			return lineError(path, line, err)
		}
		return nil
	})
	if err == nil && size == 0 {
		err = noLine(path)
	}
	if err != nil {
		return Contents{}, err
	}
	if warn != nil {
		warnTorn(f, size, warn)
	}
	return t.finish(), nil
}

// tableReader collects the rows and failures of a file.
type tableReader struct {
	contents Contents
	rows     map[string]int // by ID of the point, where they are in contents
	failed   map[string]Failure
}

// take adds a line.
func (t *tableReader) take(line int, data []byte) (err error) {
	if line == 1 {
		t.contents.Header, err = parseHeader(data)
		return err
	}
	id, kind, _, err := openRecord(data)
	if err != nil {
		return err
	}
	switch kind {
	case rowsKind:
		var rows Rows
		if err := readValue(data, &rows); err != nil {
			return err
		}
		if at, ok := t.rows[id]; ok {
			if !reflect.DeepEqual(t.contents.Rows[at], rows) {
				return errors.New("contradicts an earlier line, which has the same key and other data")
			}
			return nil
		}
		t.rows[id] = len(t.contents.Rows)
		t.contents.Rows = append(t.contents.Rows, rows)
	case failedKind:
		var f Failure
		if err := readValue(data, &f); err != nil {
			return err
		}
		t.failed[id] = f
	}
	return nil
}

// finish returns the contents. Files of schema 1 do not number their points: their rows
// stay in the order of the file.
func (t *tableReader) finish() Contents {
	c := t.contents
	for id, f := range t.failed {
		if _, ok := t.rows[id]; !ok {
			c.Failures = append(c.Failures, f)
		}
	}
	slices.SortFunc(c.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(string(a.Point), string(b.Point)))
	})
	slices.SortStableFunc(c.Rows, func(a, b Rows) int { return cmp.Compare(a.Number, b.Number) })
	c.Missing = max(len(c.Failures), c.Header.Points-len(c.Rows))
	return c
}
