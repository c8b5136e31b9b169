package sweep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// entry is the place of a record; the zero value is none. Its 24 bytes for each block
// are the only memory that grows with the number of replicas.
type entry struct {
	offset int64
	length int32 // without the newline; 0 means no record
	line   int32 // in the file; 0 if this process wrote the record
	file   int32
}

// index holds the places of the records of a sweep. A point has a place for each block,
// and behind them one for its rows and one for its failure.
type index struct {
	sweep   *Sweep
	files   []*os.File
	size    int64     // of the whole lines of all files
	records [][]entry // by point and place; nil where a point has none

	in     bufio.Reader // of the file of the last record that was read
	inFile int32
	inNext int64 // offset at which it continues
	line   []byte

	damaged    []string // files whose headers are damaged but recognized
	duplicates int      // records that repeat another one
	firstTwice string   // the first of them
	sorted     bool     // all records so far are in the order of [index.writeSorted]
	next       uint64   // while they are: the least number that the next one may have
}

func newIndex(s *Sweep) *index {
	return &index{sweep: s, records: make([][]entry, len(s.Points)), sorted: true, inNext: math.MaxInt64}
}

// at returns the record of a point at a place.
func (x *index) at(point int, place uint64) entry {
	if x.records[point] == nil {
		return entry{}
	}
	return x.records[point][place]
}

// set notes a record of a point.
func (x *index) set(point int, place uint64, e entry) {
	if x.records[point] == nil {
		x.records[point] = make([]entry, x.sweep.blocksOf(point)+2)
	}
	x.records[point][place] = e
}

// has reports whether a point has a record at a place.
func (x *index) has(point int, place uint64) bool { return x.at(point, place).length > 0 }

// hasRows reports whether the rows of a point are recorded.
func (x *index) hasRows(point int) bool { return x.has(point, x.sweep.rowsPlace(point)) }

// hasFailed reports whether a point has a failure and no rows.
func (x *index) hasFailed(point int) bool {
	return !x.hasRows(point) && x.has(point, x.sweep.failurePlace(point))
}

// recorded returns the number of recorded blocks of a point in the sweep's shard.
func (x *index) recorded(point int) (n uint64) {
	for k := range x.sweep.blocksOf(point) {
		if x.has(point, k) && x.sweep.mine(point, k) {
			n++
		}
	}
	return n
}

// warn reports headers that were rebuilt and records that were repeated.
func (x *index) warn(warn func(string)) {
	for _, path := range x.damaged {
		warn(path + ":1: the header is damaged; it is rebuilt, since all else agrees with these parameters")
	}
	if x.duplicates > 0 {
		warn(fmt.Sprintf("%d repeated records count once: %s", x.duplicates, x.firstTwice))
	}
}

// wrap adds the place of a record to an error.
func (x *index) wrap(e entry, err error) error {
	name := x.files[e.file].Name()
	switch {
	case err == nil:
		return nil
	case e.line == 0:
		return fmt.Errorf("%s: a record that was written %w", name, err)
	}
	return lineError(name, int(e.line), err)
}

// lineError adds the place of a line to an error.
func lineError(path string, line int, err error) error {
	return fmt.Errorf("%s:%d: %w", path, line, err)
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
	e := entry{file: int32(len(x.files) - 1)}
	in := newLineReader(f)
	if !anyShard || skip != nil {
		if in.offset, err = x.passDamagedHeader(f, anyShard); err != nil {
			return 0, err
		}
		if in.offset > 0 {
			in.line = 1
		}
	}
	size, err = in.each(func(line int, offset int64, data []byte, err error) error {
		if line%linesBetween == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && line == 1 {
			err = x.checkHeader(data, anyShard)
		} else if err == nil {
			e.offset, e.length, e.line = offset, int32(len(data)), int32(line)
			err = x.add(e, data)
		}
		if err == nil {
			return nil
		}
		err = lineError(f.Name(), line, err)
		if skip != nil && (errors.Is(err, errCorrupted) || errors.Is(err, errLong)) && line > 1 {
			skip(err)
			return nil
		}
		return err
	})
	x.size += size
	return size, err
}

// checkHeader compares a header's line with the header of the sweep.
func (x *index) checkHeader(line []byte, anyShard bool) error {
	h, err := parseHeader(line)
	if err != nil {
		return err
	}
	if d := h.differences(x.sweep.Header, !anyShard); len(d) > 0 {
		return fmt.Errorf("%w: %s", ErrOther, strings.Join(d, ", "))
	}
	return nil
}

// add notes the place of a record. A record with a known key must be identical to the
// first, but of failures the last counts.
func (x *index) add(e entry, line []byte) error {
	id, kind, _, err := openRecord(line)
	if err != nil {
		return err
	}
	point, known := x.sweep.byID[id]
	if !known {
		return fmt.Errorf("%w: no point has the key %s", ErrOther, id)
	}
	place, ok := x.sweep.place(point, kind)
	if !ok {
		return fmt.Errorf("%w: no block has the key %s/%s", ErrOther, id, kind)
	}
	if before := x.at(point, place); before.length > 0 && kind != failedKind {
		return x.repeated(before, e, line)
	}
	x.set(point, place, e)
	number := x.sweep.first[point] + uint64(point) + min(place, x.sweep.rowsPlace(point))
	x.sorted = x.sorted && number >= x.next
	x.next = number + 1
	return nil
}

// repeated compares a record with one of the same key.
func (x *index) repeated(before, e entry, line []byte) error {
	first, err := x.read(before)
	if err != nil {
		return err
	}
	place := fmt.Sprintf("%s:%d", x.files[before.file].Name(), before.line)
	if !bytes.Equal(first, line) {
		return fmt.Errorf("contradicts %s, which has the same key and other data", place)
	}
	if x.duplicates++; x.duplicates == 1 {
		x.firstTwice = fmt.Sprintf("%s:%d repeats %s", x.files[e.file].Name(), e.line, place)
	}
	x.sorted = false
	return nil
}

// read returns a record's line, without its newline; it is valid until the next call.
// Records that follow one another are read through a buffer.
func (x *index) read(e entry) ([]byte, error) {
	gap := e.offset - x.inNext
	if e.file != x.inFile || gap < 0 || gap > int64(x.in.Buffered()) {
		x.in.Reset(io.NewSectionReader(x.files[e.file], e.offset, math.MaxInt64-e.offset))
		gap = 0
	}
	x.line = slices.Grow(x.line[:0], int(e.length))[:e.length]
	_, err := x.in.Discard(int(gap))
	if err == nil {
		_, err = io.ReadFull(&x.in, x.line)
	}
	x.inFile, x.inNext = e.file, e.offset+int64(e.length)
	if err != nil {
		x.refill()
	}
	return x.line, x.wrap(e, err)
}

// refill empties the buffer of [index.read], for a file that was changed.
func (x *index) refill() { x.inNext = math.MaxInt64 }

// rowsOf returns the recorded rows of a point.
func (x *index) rowsOf(point int) (Rows, error) {
	var r Rows
	e := x.at(point, x.sweep.rowsPlace(point))
	line, err := x.read(e)
	if err != nil {
		return r, err
	}
	return r, x.wrap(e, readValue(line, &r))
}

// dropUnfounded forgets rows with missing blocks, as after a damaged line was left out.
// They will be computed again.
func (x *index) dropUnfounded() error {
	c := x.sweep.Header.Config
	for point := range x.records {
		if !x.hasRows(point) {
			continue
		}
		blocks := x.sweep.blocksOf(point)
		if c.Precision > 0 {
			rows, err := x.rowsOf(point)
			if err != nil {
				return err
			}
			blocks = min(blocks, (rows.Replicas+c.Block-1)/c.Block)
		}
		if slices.Contains(x.records[point][:blocks], entry{}) {
			x.set(point, x.sweep.rowsPlace(point), entry{})
			x.sorted = false
		}
	}
	return nil
}

// writeSorted writes the records of the index in the order of points and blocks, a
// point's rows or failure after its blocks. Blocks after a stopping rule's end are left
// out.
func (x *index) writeSorted(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.Write(x.sweep.Header.line()); err != nil {
		return err
	}
	for point := range x.records {
		end := x.sweep.Header.Config.Replicas
		rows := x.hasRows(point)
		if rows {
			recorded, err := x.rowsOf(point)
			if err != nil {
				return err
			}
			end = recorded.Replicas
		}
		for k, e := range x.records[point] {
			place := uint64(k)
			late := place < x.sweep.rowsPlace(point) && x.sweep.block(place).End > end
			if e.length == 0 || late || rows && place == x.sweep.failurePlace(point) {
				continue
			}
			if err := x.copyRecord(out, e); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// copyRecord copies a record unchanged.
func (x *index) copyRecord(out *bufio.Writer, e entry) error {
	line, err := x.read(e)
	if err != nil {
		return err
	}
	if _, err := unseal(line); err != nil {
		return x.wrap(e, err)
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
