package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"

	"repslab/internal/seal"
	"repslab/internal/wholefile"
)

// headerStart begins every result file.
const headerStart = `{"repslab":`

// parseHeader reads a header's line.
func parseHeader(line []byte) (Header, error) {
	var h Header
	if !bytes.HasPrefix(line, []byte(headerStart)) {
		return h, ErrForeign
	}
	body, err := seal.Open(line)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(append(bytes.Clone(body), '}'), &h); err != nil {
		return h, ErrForeign
	}
	h.Program.Version = h.Repslab
	if h.Schema < 1 || h.Schema > schema {
		return h, fmt.Errorf("has schema %d, but this version of the program reads schemas 1 to %d", h.Schema, schema)
	}
	return h, nil
}

// openRegular opens a regular file for reading.
func openRegular(path string) (*os.File, error) {
	if err := wholefile.CheckRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// firstLine passes the first line of a regular file to the function read.
func firstLine(path string, read func(line []byte) error) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for l, err := range wholeLines(f, f) {
		if err == nil {
			err = read(l.data)
		}
		if err != nil {
			return &LineError{path, l.number, err}
		}
		return nil
	}
	return fmt.Errorf("%s: %w", path, errNoLine)
}

// ReadHeader returns the header of a result file. The error wraps [ErrForeign] if the first line is not a
// header, or [ErrIrregular]. O(length of the line).
func ReadHeader(path string) (h Header, err error) {
	err = firstLine(path, func(line []byte) (err error) {
		h, err = parseHeader(line)
		return err
	})
	return h, err
}

// IsResult reports whether a regular file looks like a result file: its first line begins or
// ends like a header, even if the other end is damaged.
func IsResult(path string) bool {
	return firstLine(path, func(line []byte) error {
		if bytes.HasPrefix(line, []byte(headerStart)) || seal.Is(line) {
			return nil
		}
		return ErrForeign
	}) == nil
}

// repairHeader returns a reader of the file in which the sweep's header replaces a damaged copy of it, or
// nil if the file does not begin with a damaged copy.
//
// The records prove only a part of a header: their IDs prove the model, the seed and the points, their
// keys the blocks. They do not prove the precision, the architecture, the program, or a number of
// replicas that is a multiple of the block. Therefore the line itself must show that it was this header.
// It must have the header's checksum, which another header has with probability 2^-32, or differ in a
// single byte, or differ only in the checksum, with bytes in it that are not digits. If the sweep accepts
// any shard, the repaired header describes the shard that the line names.
func (x *index) repairHeader(f *os.File) (io.Reader, error) {
	h := x.sweep.Header
	if x.anyShard {
		h.Shard = shardIn(f)
	}
	line := h.line()
	found := make([]byte, len(line))
	if n, err := f.ReadAt(found, 0); n < len(line) {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return nil, err
	}
	differ := 0
	for i := range line {
		if found[i] != line[i] {
			differ++
		}
	}
	end := len(line) - 1 - seal.Length
	sameEnd := bytes.Equal(found[end:], line[end:])
	noChecksum := bytes.Equal(found[:end], line[:end]) && !checksum.Match(found[end:])
	if differ == 0 || found[len(line)-1] == '\r' || differ > 1 && !sameEnd && !noChecksum {
		return nil, nil
	}
	rest := io.NewSectionReader(f, int64(len(line)), math.MaxInt64-int64(len(line)))
	return io.MultiReader(bytes.NewReader(line), rest), nil
}

// checksum matches the digits of any checksum.
var checksum = regexp.MustCompile(`[0-9a-f]{8}`)

// shardMember matches the member of a header's line that names the shard.
var shardMember = regexp.MustCompile(`"shard":({"index":\d+,"of":\d+})`)

// shardIn returns the shard in the first line of a file, which may be damaged elsewhere.
func shardIn(f *os.File) (s Shard) {
	start := make([]byte, 4<<10)
	n, _ := f.ReadAt(start, 0)
	if found := shardMember.FindSubmatch(start[:n]); found == nil || json.Unmarshal(found[1], &s) != nil {
		return Shard{}
	}
	return s
}
