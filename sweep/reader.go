package sweep

import (
	"errors"
	"fmt"
	"io"
)

// reader reads records of an index, mostly one after the other. One goroutine uses it.
type reader struct {
	index   *index
	windows []window // by file
	one     []byte   // of a record that is read alone
}

// window is the part of a file that is in memory.
type window struct {
	data   []byte
	offset int64 // of data in the file
	after  int64 // the end of the last record that was read
}

// The size of all windows together, and of one.
const (
	allWindows  = 4 << 20
	mostWindow  = 256 << 10
	leastWindow = 4 << 10
)

func newReader(x *index) *reader {
	return &reader{index: x, windows: make([]window, len(x.files))}
}

// read returns a record's line, without its newline; it is valid until the next
// call.
func (r *reader) read(e entry) ([]byte, error) {
	w := &r.windows[e.file]
	near := w.after <= e.offset && e.offset < w.after+mostWindow
	w.after = e.offset + int64(e.length) + 1
	if line, ok := w.line(e); ok {
		return line, nil
	}
	size := max(leastWindow, min(mostWindow, allWindows/len(r.windows)))
	if !near || int(e.length) > size { // a jump: the bytes after it are not needed next
		if cap(r.one) < int(e.length) {
			r.one = make([]byte, e.length)
		}
		line := r.one[:e.length]
		_, err := r.index.files[e.file].ReadAt(line, e.offset)
		return line, r.wrap(e, err)
	}
	if cap(w.data) < size {
		w.data = make([]byte, size)
	}
	n, err := r.index.files[e.file].ReadAt(w.data[:size], e.offset)
	w.data, w.offset = w.data[:n], e.offset
	if line, ok := w.line(e); ok {
		return line, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, r.wrap(e, err)
}

// line returns a record that is in memory.
func (w *window) line(e entry) ([]byte, bool) {
	from := e.offset - w.offset
	if from < 0 || from+int64(e.length) > int64(len(w.data)) {
		return nil, false
	}
	return w.data[from : from+int64(e.length)], true
}

// wrap adds the place to an error.
func (r *reader) wrap(e entry, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: %w", r.index.files[e.file].Name(), e.line, err)
}
