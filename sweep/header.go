package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

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

// firstLine passes the first line of a regular file to read.
func firstLine(path string, read func(line []byte) error) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for l, err := range wholeLines(f) {
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

// ReadHeader returns the header of a result file. The error wraps [ErrForeign] if the first line is
// no header, or [ErrIrregular]. O(length of the line).
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
		if bytes.HasPrefix(line, []byte(headerStart)) || sealed(line) {
			return nil
		}
		return ErrForeign
	}) == nil
}
