package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine bounds the bytes of a line. The largest rows of the command repslab take half
// of it.
const maxLine = 64 << 20

// errLong reports a line that is too long for a record.
var errLong = fmt.Errorf("is longer than the %d MiB that a record may have", maxLine>>20)

// lineReader reads a file line by line. It keeps only the line that it returns in memory,
// however long the others are.
type lineReader struct {
	*bufio.Reader
	file   *os.File
	line   int   // lines read
	offset int64 // of the next line
	long   []byte
}

// newLineReader returns a reader of a file that is at its beginning.
func newLineReader(f *os.File) *lineReader {
	return &lineReader{Reader: bufio.NewReaderSize(f, 1<<20), file: f}
}

// next returns the next line without its newline, valid until the next call. The error
// is io.EOF if no whole line is left, and errLong for a line that is too long; next can
// be called again after it.
func (l *lineReader) next() ([]byte, error) {
	chunk, err := l.ReadSlice('\n')
	length := int64(len(chunk))
	for errors.Is(err, bufio.ErrBufferFull) {
		chunk, err = l.ReadSlice('\n')
		length += int64(len(chunk))
	}
	if err != nil {
		return nil, err
	}
	start := l.offset
	l.offset += length
	l.line++
	if length == int64(len(chunk)) {
		return chunk[:len(chunk)-1], nil
	}
	if length > maxLine {
		return nil, errLong
	}
	if int64(cap(l.long)) < length {
		l.long = make([]byte, length)
	}
	line := l.long[:length-1]
	_, err = l.file.ReadAt(line, start)
	return line, err
}

// each calls visit for every whole line that is left and returns the offset behind them; a
// torn line may follow. For a line that is too long, visit gets nil and errLong. The data
// is valid until visit returns.
func (l *lineReader) each(visit func(line int, offset int64, data []byte, err error) error) (end int64, err error) {
	for {
		offset := l.offset
		data, err := l.next()
		if err != nil && !errors.Is(err, errLong) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return offset, err
		}
		if err := visit(l.line, offset, data, err); err != nil {
			return offset, err
		}
	}
}

// noLine returns the error of a file without a whole line.
func noLine(path string) error { return fmt.Errorf("%s: %w: it has no whole line", path, ErrForeign) }

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
