package sweep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"repslab/mc"
)

// entry is the place of a record; the zero value is none. Its 24 bytes for each block
// are the only memory that grows with the number of replicas.
type entry struct {
	offset int64
	length int32 // without the newline; 0 means no record
	line   int32
	file   int32
}

// index holds the places of the records of a sweep.
type index struct {
	sweep  *Sweep
	files  []*os.File
	blocks [][]entry // by point and block; nil where a point has none
	rows   []entry   // by point
	failed []entry   // by point

	damaged    []string // files whose headers are damaged but recognized
	recorded   uint64   // blocks
	duplicates int      // records that repeat another one
	firstTwice string   // the first of them
	sorted     bool     // all records so far are in the order of [writeSorted]
	last       [2]int   // point and place in it of the last record
}

func newIndex(s *Sweep) *index {
	n := len(s.Points)
	return &index{sweep: s, blocks: make([][]entry, n), rows: make([]entry, n), failed: make([]entry, n), sorted: true, last: [2]int{-1, 0}}
}

// lineError is an error of a line of a file.
type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string {
	if e.line == 0 { // of a record that this process wrote
		return fmt.Sprintf("%s: a record that was written %v", e.file, e.err)
	}
	return fmt.Sprintf("%s:%d: %v", e.file, e.line, e.err)
}
func (e *lineError) Unwrap() error { return e.err }

// eachLine calls visit for every whole line of a file, from its beginning, and returns
// the size of all whole lines together; a torn line may follow them. For a line that is
// too long, visit gets nil and errLong. The data is valid until visit returns.
func eachLine(f *os.File, visit func(line int, offset int64, data []byte, err error) error) (size int64, err error) {
	return eachLineFrom(newLineReader(f), 1, visit)
}

// eachLineFrom is eachLine for the lines of a reader, which begins at a line.
func eachLineFrom(in *lineReader, line int, visit func(line int, offset int64, data []byte, err error) error) (size int64, err error) {
	for ; ; line++ {
		offset := in.offset
		data, err := in.next()
		if errors.Is(err, io.EOF) {
			return offset, nil
		}
		if err != nil && !errors.Is(err, errLong) {
			return offset, err
		}
		if err := visit(line, offset, data, err); err != nil {
			return offset, err
		}
	}
}

// ErrForeign reports a file that is no result file of a sweep.
var ErrForeign = errors.New("is no result file of a sweep")

// headerStart begins every result file.
const headerStart = `{"repslab":`

// parseHeader reads a header's line.
func parseHeader(line []byte) (Header, error) {
	var h Header
	if !bytes.HasPrefix(line, []byte(headerStart)) {
		return h, ErrForeign
	}
	body, err := unseal(line)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(append(bytes.Clone(body), '}'), &h); err != nil {
		return h, ErrForeign
	}
	if h.Schema < 1 || h.Schema > schema {
		return h, fmt.Errorf("has schema %d, but this version of the program reads schemas 1 to %d", h.Schema, schema)
	}
	return h, nil
}

// ReadHeader returns the header of a result file.
func ReadHeader(path string) (Header, error) {
	f, err := openRegular(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	in := newLineReader(f)
	// A foreign file may be one line of any length.
	start, _ := in.Peek(len(headerStart))
	if len(start) == 0 {
		return Header{}, fmt.Errorf("%s: %w: it is empty", path, ErrForeign)
	}
	if string(start) != headerStart {
		return Header{}, fmt.Errorf("%s: %w", path, ErrForeign)
	}
	line, err := in.next()
	if errors.Is(err, io.EOF) {
		return Header{}, fmt.Errorf("%s: %w: its first line has no end", path, ErrForeign)
	}
	var h Header
	if err == nil {
		h, err = parseHeader(line)
	}
	if err != nil {
		return Header{}, &lineError{path, 1, err}
	}
	return h, nil
}

// linesBetween is the number of lines between two checks of a context: 50 ms of reading.
const linesBetween = 1 << 16

// scan adds the records of a file to the index and returns the size of the file's whole
// lines. The header must be that of the sweep, or of any of its shards if anyShard is
// set. A corrupted line is an error unless skip is not nil: then the line is left out and
// skip gets the error. A header that [damagedHeader] recognizes is accepted, and noted in
// the index, if skip is not nil or anyShard is not set, since the header is then known.
// scan ends early with the error of ctx.
func (x *index) scan(ctx context.Context, f *os.File, anyShard bool, skip func(error)) (size int64, err error) {
	x.files = append(x.files, f)
	file := int32(len(x.files) - 1)
	in, first := newLineReader(f), 1
	if !anyShard || skip != nil {
		if in.offset, err = x.passDamagedHeader(f, anyShard); err != nil {
			return 0, err
		}
		if in.offset > 0 {
			first = 2
		}
	}
	return eachLineFrom(in, first, func(line int, offset int64, data []byte, err error) error {
		switch {
		case line%linesBetween == 0 && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
		case line == 1:
			err = x.checkHeader(data, anyShard)
		default:
			err = x.add(entry{offset: offset, length: int32(len(data)), line: int32(line), file: file}, data)
		}
		if err == nil {
			return nil
		}
		err = &lineError{f.Name(), line, err}
		if skip != nil && (errors.Is(err, errCorrupted) || errors.Is(err, errLong)) && line > 1 {
			skip(err)
			return nil
		}
		return err
	})
}

// ErrOther reports a file of another sweep.
var ErrOther = errors.New("belongs to another sweep")

// checkHeader compares a header's line with the header of the sweep.
func (x *index) checkHeader(line []byte, anyShard bool) error {
	h, err := parseHeader(line)
	if err != nil {
		return err
	}
	if d := h.differences(x.sweep.Header, !anyShard); len(d) > 0 {
		return fmt.Errorf("%w: %s", ErrOther, joinAnd(d))
	}
	return nil
}

// joinAnd joins phrases.
func joinAnd(list []string) string {
	var b bytes.Buffer
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	return b.String()
}

// add keeps the place of a record. A record with a known key must be identical to the
// first, but of failures the last counts.
func (x *index) add(e entry, line []byte) error {
	body, err := unseal(line)
	if err != nil {
		return err
	}
	id, kind, _, err := splitKey(body)
	if err != nil {
		return err
	}
	point, known := x.sweep.byID[id]
	if !known {
		return fmt.Errorf("%w: no point has the key %s", ErrOther, id)
	}
	switch kind {
	case rowsKind:
		return x.put(&x.rows[point], e, line, point, int(x.sweep.blocksOf(point)))
	case failedKind:
		x.failed[point] = entry{}
		return x.put(&x.failed[point], e, line, point, int(x.sweep.blocksOf(point)))
	}
	block, ok := parseBlock(kind)
	k := block.First / x.sweep.Header.Config.Block
	if !ok || k >= x.sweep.blocksOf(point) || x.sweep.block(k) != block {
		return fmt.Errorf("%w: no block has the key %s/%s", ErrOther, id, kind)
	}
	if x.blocks[point] == nil {
		x.blocks[point] = make([]entry, x.sweep.blocksOf(point))
	}
	return x.put(&x.blocks[point][k], e, line, point, int(k))
}

// put fills a slot, or compares the record with the one that fills it.
func (x *index) put(slot *entry, e entry, line []byte, point, place int) error {
	if slot.length == 0 {
		*slot = e
		if place < int(x.sweep.blocksOf(point)) {
			x.recorded++
		}
		here := [2]int{point, place}
		x.sorted = x.sorted && (x.last[0] < point || x.last[0] == point && x.last[1] < place)
		x.last = here
		return nil
	}
	before, err := x.read(*slot)
	if err != nil {
		return err
	}
	if !bytes.Equal(before, line) {
		return fmt.Errorf("contradicts %s:%d, which has the same key and other data", x.files[slot.file].Name(), slot.line)
	}
	if x.duplicates++; x.duplicates == 1 {
		x.firstTwice = fmt.Sprintf("%s:%d repeats %s:%d", x.files[e.file].Name(), e.line, x.files[slot.file].Name(), slot.line)
	}
	x.sorted = false
	return nil
}

// read returns a record's line, without its newline.
func (x *index) read(e entry) ([]byte, error) {
	line := make([]byte, e.length)
	if _, err := x.files[e.file].ReadAt(line, e.offset); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", x.files[e.file].Name(), e.line, err)
	}
	return line, nil
}

// has reports whether the k-th block of a point is recorded.
func (x *index) has(point int, k uint64) bool {
	return x.blocks[point] != nil && x.blocks[point][k].length > 0
}

// readTally reads the tally of the k-th block of a point.
func (x *index) readTally(in *reader, point int, k uint64, tally mc.Tally) error {
	e := x.blocks[point][k]
	line, err := in.read(e)
	if err != nil {
		return err
	}
	if err := readBlock(line, tally); err != nil {
		return &lineError{x.files[e.file].Name(), int(e.line), err}
	}
	return nil
}

// rowsAt returns the rows of a point.
func (x *index) rowsAt(point int) (Rows, error) {
	var r Rows
	e := x.rows[point]
	line, err := x.read(e)
	if err != nil {
		return r, err
	}
	if err := readValue(line, &r); err != nil {
		return r, &lineError{x.files[e.file].Name(), int(e.line), err}
	}
	return r, nil
}

// dropUnfounded forgets rows with missing blocks, as after a damaged line was left out.
// They will be computed again.
func (x *index) dropUnfounded() error {
	c := x.sweep.Header.Config
	for point, e := range x.rows {
		if e.length == 0 {
			continue
		}
		blocks := x.sweep.blocksOf(point)
		if c.Precision > 0 {
			rows, err := x.rowsAt(point)
			if err != nil {
				return err
			}
			blocks = min(blocks, (rows.Replicas+c.Block-1)/c.Block)
		}
		for k := range blocks {
			if !x.has(point, k) {
				x.rows[point], x.sorted = entry{}, false
				break
			}
		}
	}
	return nil
}

// writeSorted writes the records of the index in the order of points and blocks, a
// point's rows or failure after its blocks. Blocks after a stopping rule's end are left
// out.
func (x *index) writeSorted(w io.Writer) error {
	in := newReader(x)
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.Write(x.sweep.Header.line()); err != nil {
		return err
	}
	for point := range x.sweep.Points {
		end := x.sweep.Header.Config.Replicas
		last := x.failed[point]
		if x.rows[point].length > 0 {
			rows, err := x.rowsAt(point)
			if err != nil {
				return err
			}
			end, last = rows.Replicas, x.rows[point]
		}
		for k, e := range x.blocks[point] {
			if e.length == 0 || x.sweep.block(uint64(k)).End > end {
				continue
			}
			if err := x.copyRecord(in, out, e); err != nil {
				return err
			}
		}
		if last.length > 0 {
			if err := x.copyRecord(in, out, last); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// copyRecord copies a record unchanged.
func (x *index) copyRecord(in *reader, out *bufio.Writer, e entry) error {
	line, err := in.read(e)
	if err != nil {
		return err
	}
	if _, err := unseal(line); err != nil {
		return &lineError{x.files[e.file].Name(), int(e.line), err}
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
