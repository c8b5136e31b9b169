package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

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
	body, err := unseal(line)
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

// openRegular opens a file for reading if it is a regular one.
func openRegular(path string) (*os.File, error) {
	if err := wholefile.CheckRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
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
		return Header{}, lineError(path, 1, err)
	}
	return h, nil
}

// damagedHeader reports whether a file begins with a damaged copy of a header's line
// (given with its newline) and can safely be read as if the line were whole.
//
// The records prove only a part of a header: the model, the seed and the points by
// their IDs, the blocks by their keys. Precision, the number of replicas where it is
// a multiple of the block, the architecture and the program they do not prove.
// Therefore the line itself must show that it was this header:
//
//   - the first record, if any, begins exactly where it would after the header, and
//   - either the digits of the checksum are those of this header, which another header
//     has with probability 2^-32;
//   - or all bytes before the checksum are, and the damage is in the checksum or behind
//     it: at most one digit differs, or a byte there is no digit. If several digits
//     differ, the line may be the header of another program or precision in which
//     damage made the bytes before the checksum those of this header.
//
// One of the two holds after damage to one place of the line: a bit, a byte, a hole. The
// caller checks the records, all of which must belong to the sweep.
func damagedHeader(f *os.File, line []byte) (bool, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, int64(len(line)+len(keyStart))))
	if err != nil || len(data) < len(line) {
		return false, err
	}
	found, next := data[:len(line)], data[len(line):]
	if bytes.Equal(found, line) || !bytes.HasPrefix([]byte(keyStart), next) {
		return false, nil
	}
	body := len(line) - 1 - sealLength
	differ, digits := 0, true
	for i := body + len(sealStart); i < len(line)-len("\"}\n"); i++ {
		if found[i] != line[i] {
			differ++
		}
		digits = digits && bytes.IndexByte([]byte("0123456789abcdef"), found[i]) >= 0
	}
	return differ == 0 || bytes.Equal(found[:body], line[:body]) && (differ == 1 || !digits), nil
}

// passDamagedHeader notes a file whose header is damaged but recognized, and goes to
// the line after it; it returns the offset there, or 0 for any other file. If
// anyShard, the header may be that of the shard which the damaged line names.
func (x *index) passDamagedHeader(f *os.File, anyShard bool) (int64, error) {
	h := x.sweep.Header
	if shard, ok := shardIn(f); ok && anyShard {
		h.Shard = shard
	}
	line := h.line()
	if damaged, err := damagedHeader(f, line); err != nil || !damaged {
		return 0, err
	}
	x.damaged = append(x.damaged, f.Name())
	return f.Seek(int64(len(line)), io.SeekStart)
}

// shardIn returns the shard in the first line of a file without reading the whole line.
func shardIn(f *os.File) (Shard, bool) {
	data := make([]byte, 4<<10)
	n, _ := f.ReadAt(data, 0)
	found := regexp.MustCompile(`^.*"shard":({"index":\d+,"of":\d+})`).FindSubmatch(data[:n])
	var s Shard
	return s, found != nil && json.Unmarshal(found[1], &s) == nil
}
