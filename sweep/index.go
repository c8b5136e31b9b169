package sweep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"repslab/internal/seal"
)

// entry is the place of a record in the files; the zero value means no record. The 24 bytes of a block's
// entry are the only memory that grows with the number of replicas.
type entry struct {
	offset int64
	length int32 // without the newline; 0 means no record
	line   int32 // in the file
	file   int32
}

// index holds the entries of the records of a sweep. A point has a place for each block, then one for its
// rows and one for its failure.
type index struct {
	sweep    *Sweep
	anyShard bool         // the files may be shards of the sweep
	salvage  bool         // damaged lines are left out, with a warning each
	grows    bool         // the file may be of a smaller sweep, see [Sweep.extends]
	warn     func(string) // called with each warning

	files   []*os.File
	size    int64     // bytes of the whole lines of all files
	records [][]entry // by point and place; nil for a point without records

	extended    *Header // of the file, if it is of a smaller sweep
	repaired    bool    // the header of a file is damaged but recognized
	window      []byte  // bytes of a file, read by [index.read]
	windowFile  int32
	windowStart int64

	duplicates int    // records that repeat another record
	firstTwice string // the first repeated record
}

func newIndex(s *Sweep, warn func(string)) *index {
	return &index{sweep: s, warn: warn, records: make([][]entry, len(s.Points))}
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

// wrap adds the place of a record to an error.
func (x *index) wrap(e entry, err error) error {
	if err == nil {
		return nil
	}
	return &LineError{x.files[e.file].Name(), int(e.line), err}
}

// linesBetween is the number of lines between two checks of a context: 50 ms of reading.
const linesBetween = 1 << 16

// scan adds the records of a file to the index and returns the file's last whole line. The header must be
// the header of the sweep or, with anyShard, of one of its shards. A damaged header that
// [index.repairHeader] recognizes is accepted; for one of several shards only with salvage. scan ends
// early with the error of ctx.
func (x *index) scan(ctx context.Context, f *os.File) (last fileLine, err error) {
	x.files = append(x.files, f)
	var repaired io.Reader
	if x.salvage || !x.anyShard {
		if repaired, err = x.repairHeader(f); err != nil {
			return last, err
		}
	}
	in := repaired
	if in == nil {
		in = f
	}
	for l, err := range wholeLines(f, in) {
		if l.number%linesBetween == 0 && ctx.Err() != nil {
			return last, ctx.Err()
		}
		if err == nil {
			err = x.take(l)
		}
		if err != nil {
			err = &LineError{f.Name(), l.number, err}
			if !x.salvage || l.number == 1 || !errors.Is(err, seal.ErrCorrupted) && !errors.Is(err, errLong) {
				return last, err
			}
			x.warn(fmt.Sprintf("%v; the line is left out", err))
		}
		last = l
	}
	if last.number == 0 {
		return last, fmt.Errorf("%s: %w", f.Name(), errNoLine)
	}
	if repaired != nil {
		x.repaired = true
		x.warn(f.Name() + ":1: the header is damaged; it is rebuilt, since all else agrees with these parameters")
	}
	x.size += last.end
	return last, nil
}

// take adds a line of the last file. The first line must be a header of the sweep.
func (x *index) take(l fileLine) error {
	if l.number > 1 {
		file := int32(len(x.files) - 1)
		return x.add(entry{offset: l.offset, length: int32(len(l.data)), line: int32(l.number), file: file}, l.data)
	}
	h, err := parseHeader(l.data)
	if err != nil {
		return err
	}
	if x.anyShard {
		h.Shard = x.sweep.Header.Shard
	}
	d := h.differences(x.sweep.Header)
	switch {
	case len(d) == 0:
		return nil
	case x.grows && x.sweep.extends(h):
		x.extended = &h
		return nil
	default:
		return fmt.Errorf("%w: %s", ErrOther, strings.Join(d, ", "))
	}
}

// add notes the place of a record. A record with a known key must be identical to the first one; for
// failures the last one counts.
func (x *index) add(e entry, line []byte) error {
	id, kind, _, err := openRecord(line)
	if err != nil {
		return err
	}
	point, known := x.sweep.byID[id]
	if !known && x.extended != nil {
		return fmt.Errorf("%w, with a point that is missing here: %s", ErrOther, strings.Join(x.extended.differences(x.sweep.Header), ", "))
	}
	if !known {
		return fmt.Errorf("%w: no point has the key %s", ErrOther, id)
	}
	if x.leavesOut(kind) {
		return nil
	}
	place, ok := x.sweep.place(point, kind)
	if !ok {
		return fmt.Errorf("%w: no block has the key %s/%s", ErrOther, id, kind)
	}
	if before := x.at(point, place); before.length > 0 && kind != failedKind {
		return x.repeated(before, e, line)
	}
	x.set(point, place, e)
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
	return nil
}

// readAhead is the number of bytes that [index.read] reads at once, unless a record is longer.
const readAhead = 4 << 10

// read returns a record's line, without its newline; it is valid until the next call.
func (x *index) read(e entry) ([]byte, error) {
	start := e.offset - x.windowStart
	if e.file != x.windowFile || start < 0 || start+int64(e.length) > int64(len(x.window)) {
		x.window = slices.Grow(x.window[:0], max(readAhead, int(e.length)))
		n, err := x.files[e.file].ReadAt(x.window[:cap(x.window)], e.offset)
		x.window, x.windowFile, x.windowStart, start = x.window[:n], e.file, e.offset, 0
		if n < int(e.length) {
			if errors.Is(err, io.EOF) {
				err = errors.New("the file was changed by another process: it ends before this line")
			}
			return nil, x.wrap(e, err)
		}
	}
	return x.window[start:][:e.length], nil
}

// blocksBehind returns the number of blocks from which the recorded rows of a point were estimated.
func (x *index) blocksBehind(point int) (uint64, error) {
	var rows Rows
	e := x.at(point, x.sweep.rowsPlace(point))
	line, err := x.read(e)
	if err == nil {
		err = x.wrap(e, readValue(line, &rows))
	}
	size := x.sweep.Header.Config.Block
	return min(x.sweep.blocksOf(point), (rows.Replicas+size-1)/size), err
}

// finish ends the reading of files. It warns of repeated records and forgets rows with missing blocks,
// such as a damaged line that was left out; they will be computed again.
func (x *index) finish() error {
	defer func() { x.window = nil }() // bytes behind the last line may be overwritten
	if x.duplicates > 0 {
		x.warn(fmt.Sprintf("%d repeated records count once: %s", x.duplicates, x.firstTwice))
	}
	for point := range x.records {
		if !x.hasRows(point) {
			continue
		}
		blocks, err := x.blocksBehind(point)
		if err != nil {
			return err
		}
		if slices.Contains(x.records[point][:blocks], entry{}) {
			x.set(point, x.sweep.rowsPlace(point), entry{})
		}
	}
	return nil
}

// writeSorted writes the records of the index in the order of points and blocks, a point's rows or
// failure after its blocks. Blocks beyond the end of a stopping rule are left out.
func (x *index) writeSorted(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.Write(x.sweep.Header.line()); err != nil {
		return err
	}
	for point, records := range x.records {
		if x.hasRows(point) {
			blocks, err := x.blocksBehind(point)
			if err != nil {
				return err
			}
			records = append(slices.Clip(records[:blocks]), x.at(point, x.sweep.rowsPlace(point)))
		}
		for _, e := range records {
			if e.length == 0 {
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
	if _, err := seal.Open(line); err != nil {
		return x.wrap(e, err)
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
