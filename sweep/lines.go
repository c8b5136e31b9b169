package sweep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"repslab/internal/lines"
)

// maxLine bounds the bytes of a line. The largest rows of the command repslab take half as many.
const maxLine = 64 << 20

// errLong reports a line that is too long for a record.
var errLong = fmt.Errorf("is longer than the %d MiB that a record may have", maxLine>>20)

// errNoLine reports a file without a whole line.
var errNoLine = fmt.Errorf("%w: it has no whole line", ErrForeign)

// fileLine is a line of a file that ends in a newline.
type fileLine struct {
	number int    // from 1
	offset int64  // in the file
	end    int64  // offset of the next line
	data   []byte // without mark and line end; valid until the next line
}

// wholeLines yields the lines of a file that end in a newline. Their data has neither a byte-order mark nor the
// carriage return of Windows' line ends, so that files copied as texts are read like the originals. A line that is
// too long has no data and errLong; any other error ends the sequence. in reads the file from its beginning. Only the
// data of one line is in memory at a time.
func wholeLines(f *os.File, in io.Reader) iter.Seq2[fileLine, error] {
	return func(yield func(fileLine, error) bool) {
		buffer := bufio.NewReaderSize(in, 1<<20)
		var long []byte
		for l := (fileLine{number: 1}); ; l = (fileLine{number: l.number + 1, offset: l.end}) {
			chunk, err := buffer.ReadSlice('\n')
			length := len(chunk)
			for errors.Is(err, bufio.ErrBufferFull) {
				chunk, err = buffer.ReadSlice('\n')
				length += len(chunk)
			}
			l.end = l.offset + int64(length)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
			case length > maxLine:
				err = errLong
			case length > len(chunk):
				long = slices.Grow(long[:0], length)[:length]
				_, err = f.ReadAt(long, l.offset)
				l.data = bytes.TrimSuffix(long[:length-1], []byte("\r"))
			default:
				l.data = bytes.TrimSuffix(chunk[:length-1], []byte("\r"))
			}
			if l.number == 1 && err == nil {
				l.data, err = lines.Unmarked(l.data)
			}
			if !yield(l, err) || err != nil && !errors.Is(err, errLong) {
				return
			}
		}
	}
}

// LineError reports a line of a result file that cannot be used.
type LineError struct {
	path string
	line int   // from 1
	err  error // what is wrong with it
}

// Error names the file and the line.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.path, e.line, e.err) }

// Unwrap returns e.Err.
func (e *LineError) Unwrap() error { return e.err }

// warnTorn reports bytes behind the whole lines of a file.
func warnTorn(f *os.File, whole int64, warn func(string)) {
	if info, err := f.Stat(); err == nil && info.Size() > whole {
		warn(fmt.Sprintf("%s: the last %d bytes are a line without an end, which is left out", f.Name(), info.Size()-whole))
	}
}

// checkLength returns an error for a record that is too long to be read again.
func checkLength(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("sweep: a record of %d MiB %w; blocks may be too large", len(line)>>20, errLong)
	}
	return nil
}
