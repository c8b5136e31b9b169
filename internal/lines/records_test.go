package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// endless repeats a byte, and counts the bytes that were read.
type endless struct {
	of   byte
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.of
	}
	e.read += len(p)
	return len(p), nil
}

// TestRecordsAreBounded: a record that never ends is an error after as many bytes as a record may have, be it a line
// without an end or lines in quotation marks; records within the limit are read, however many.
func TestRecordsAreBounded(t *testing.T) {
	const most, buffers = 10_000, 8192
	for text, filler := range map[string]byte{"": 0, "\ufeffa,b\n1,2\n": 'x', "a,b\n1,\"": '\n'} {
		end := &endless{of: filler}
		l := NewRecords(io.MultiReader(strings.NewReader(text), end), most)
		var err error
		rows := 0
		for ; err == nil; rows++ {
			_, err = l.Read()
		}
		if want := "more than 10000 bytes in a record"; !strings.Contains(err.Error(), want) || end.read > most+buffers || rows-1 != strings.Count(text, "\n") {
			t.Errorf("%q: error %v after %d rows and %d bytes, want %s", text, err, rows-1, end.read, want)
		}
	}
	line := strings.Repeat("x", most/2) + ",1\n"
	l := NewRecords(strings.NewReader("\ufeff"+strings.Repeat(line, 100)), most)
	for rows := 0; ; rows++ {
		record, err := l.Read()
		if errors.Is(err, io.EOF) && rows == 100 {
			return
		}
		if err != nil || len(record[0]) != most/2 {
			t.Fatalf("row %d: %d bytes, error %v", rows, len(record[0]), err)
		}
	}
}
