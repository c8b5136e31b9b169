// Package seal protects lines of JSON against changes: the last member of each line is a checksum (CRC-32C) of
// everything before it.
package seal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
)

// start begins the last member of a line.
const start = `,"crc32c":"`

// Length is the length of the last member with the brace that follows.
const Length = len(start) + 8 + len(`"}`)

// castagnoli is the polynomial of the checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ending returns the end of a line, without the newline: the checksum of everything before, and the closing brace.
func ending(body []byte) []byte {
	return fmt.Appendf(make([]byte, 0, Length), `%s%08x"}`, start, crc32.Checksum(body, castagnoli))
}

// Line completes a JSON object without its closing brace by the checksum, the brace and a newline. It may change the
// bytes after body. O(length).
func Line(body []byte) []byte { return append(append(body, ending(body)...), '\n') }

// ErrCorrupted reports a line that was changed after it was written.
var ErrCorrupted = errors.New("is corrupted: its checksum does not fit")

// Is reports whether a line, given without its newline, ends in a checksum, right or wrong.
func Is(line []byte) bool {
	n := len(line) - Length
	return n >= 0 && bytes.HasPrefix(line[n:], []byte(start)) && bytes.HasSuffix(line, []byte(`"}`))
}

// Open returns a line, given without its newline, without the checksum that [Line] added. Its error is
// [ErrCorrupted]. O(length).
func Open(line []byte) ([]byte, error) {
	n := len(line) - Length
	if n < 0 || !bytes.Equal(line[n:], ending(line[:n])) {
		return nil, ErrCorrupted
	}
	return line[:n], nil
}
