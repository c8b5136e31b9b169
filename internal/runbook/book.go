package runbook

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"repslab/internal/seal"
	"repslab/internal/store"
)

// Run identifies a run of a figure.
type Run struct {
	Key  string // encoded by [Encode]
	Seed uint64
	Run  int64 // replica; -n of an estimate from n replicas
}

// line is a line of a book's file.
type line struct {
	Key   json.RawMessage `json:"key"`
	Seed  uint64          `json:"seed"`
	Run   int64           `json:"run"`
	Value json.RawMessage `json:"value"`
}

// Book holds the values of runs. The zero value is empty and ready for use, by several goroutines.
type Book struct {
	mutex  sync.Mutex
	values map[Run][]byte
	file   *store.Log // gets a line for every new value; may be nil
}

// Open returns the book of a file, which need not exist and which no other process may have open; fresh empties it.
// Every value that is put into the book is appended to the file, as a line with a checksum. An incomplete last line is
// cut off. A line that was changed is an error that names it. The caller closes the file.
func Open(path string, fresh bool) (*Book, io.Closer, error) {
	file, err := store.Open(path)
	if err == nil && fresh {
		err = file.Cut(0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("runbook: %w", err)
	}
	b, err := openedBook(file)
	if err != nil {
		return nil, nil, fmt.Errorf("runbook: %s: %w", path, errors.Join(err, file.File.Close()))
	}
	return b, file, nil
}

// openedBook reads a file of lines with checksums.
func openedBook(file *store.Log) (*Book, error) {
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	b, err := read(bytes.NewReader(data[:whole]), func(sealed []byte) ([]byte, error) {
		line, err := seal.Open(sealed)
		if err != nil {
			return nil, fmt.Errorf("it %w", err)
		}
		return append(bytes.Clone(line), '}'), nil
	})
	if err == nil {
		b.file, err = file, file.Cut(int64(whole))
	}
	return b, err
}

// read returns the book of a text, whose lines are verified by open.
func read(r io.Reader, open func(line []byte) ([]byte, error)) (*Book, error) {
	b := &Book{values: map[Run][]byte{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var l line
		text, err := open(lines.Bytes())
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		b.values[Run{string(l.Key), l.Seed, l.Run}] = l.Value
	}
	return b, lines.Err()
}

// Value returns the value of a run, and false if the book has none.
func (b *Book) Value(of Run) (value []byte, found bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	value, found = b.values[of]
	return value, found
}

// Put adds the value of a run, and writes it to the book's file.
func (b *Book) Put(of Run, value []byte) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.values == nil {
		b.values = map[Run][]byte{}
	}
	b.values[of] = value
	if b.file == nil {
		return nil
	}
	_, err := b.file.Append(seal.Line(of.line(value)))
	return err
}

// Len returns the number of runs.
func (b *Book) Len() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.values)
}

// Runs returns all runs, by key, seed and number.
func (b *Book) Runs() []Run {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	runs := make([]Run, 0, len(b.values))
	for of := range b.values {
		runs = append(runs, of)
	}
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Run, b.Run))
	})
	return runs
}

// WriteTo writes all runs, one per line, in the order of [Book.Runs]. The lines have no checksum: in a library the
// compressed file has one ([Unpack]), and the index a digest ([Book.Digest]).
func (b *Book) WriteTo(w io.Writer) (n int64, err error) {
	for _, of := range b.Runs() {
		value, _ := b.Value(of)
		written, err := w.Write(append(of.line(value), "}\n"...))
		if n += int64(written); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Digest returns the SHA-256 of what [Book.WriteTo] writes, in hexadecimal digits; empty without runs.
func (b *Book) Digest() string {
	if b.Len() == 0 {
		return ""
	}
	sum := sha256.New()
	_, _ = b.WriteTo(sum) // a hash has no error
	return hex.EncodeToString(sum.Sum(nil))
}

// line returns the line of a run without the closing brace.
func (of Run) line(value []byte) []byte {
	return fmt.Appendf(nil, "{\"key\":%s,\"seed\":%d,\"run\":%d,\"value\":%s", of.Key, of.Seed, of.Run, value)
}
