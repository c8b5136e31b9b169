package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"os"
)

// maxLine bounds the bytes of a line. The rows of the most rounds that can be
// observed take half of it.
const maxLine = 64 << 20

// errLong reports a line that no record can be.
var errLong = fmt.Errorf("is longer than the %d MiB that a record may have", maxLine>>20)

// lineReader reads a file line by line. It holds no more of it in memory than the
// line that it returns, however long the others are.
type lineReader struct {
	*bufio.Reader
	file   *os.File
	offset int64 // of the next line
	long   []byte
}

// newLineReader returns what reads a file that is at its beginning.
func newLineReader(f *os.File) *lineReader {
	return &lineReader{Reader: bufio.NewReaderSize(f, 1<<20), file: f}
}

// next returns the next line without its newline, valid until the next call. The
// error is io.EOF where no whole line is left, and errLong for a line that is too
// long, behind which next goes on.
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

// checkLength returns an error for the line of a record that could not be read
// again.
func checkLength(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("sweep: a record of %d MiB %w; blocks may be too large", len(line)>>20, errLong)
	}
	return nil
}
