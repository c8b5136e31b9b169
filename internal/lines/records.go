package lines

import (
	"encoding/csv"
	"fmt"
	"io"
)

// Records reads a file of comma-separated values, with a limit of the memory for a record. The package of csv has
// none: a quotation mark without its partner makes one field of all lines behind it.
type Records struct {
	*csv.Reader
	from bounded
}

// NewRecords returns a reader of records of at most about most bytes. It skips a byte-order mark and refuses
// UTF-16, as [SkipMark].
func NewRecords(r io.Reader, most int) *Records {
	l := &Records{from: bounded{Reader: r, most: most}}
	l.Reader = csv.NewReader(SkipMark(&l.from))
	return l
}

// Read is [csv.Reader.Read]. It returns an error for a record that is too long.
func (l *Records) Read() ([]string, error) {
	l.from.taken = 0
	return l.Reader.Read()
}

// bounded is a reader that fails after a number of bytes.
type bounded struct {
	io.Reader
	taken, most int
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.taken >= b.most {
		return 0, fmt.Errorf("more than %d bytes in a record", b.most)
	}
	n, err := b.Reader.Read(p[:min(len(p), b.most-b.taken)])
	b.taken += n
	return n, err
}
