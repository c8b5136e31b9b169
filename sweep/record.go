package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/seal"
	"repslab/mc"
)

// idLength is the length of a point's ID in hexadecimal digits.
const idLength = 16

// The ends of the keys of records that are not blocks.
const (
	rowsKind   = "rows"
	failedKind = "failed"
)

const (
	keyStart   = `{"key":"`
	tallyStart = `","tally":`
)

// openRecord returns the ID of the point of a record, given without its newline, the rest of
// its key, and the members after the key.
func openRecord(line []byte) (id, kind string, rest []byte, err error) {
	body, err := seal.Open(line)
	if err != nil {
		return "", "", nil, err
	}
	after, ok := bytes.CutPrefix(body, []byte(keyStart))
	end := bytes.IndexByte(after, '"')
	if !ok || end < idLength+2 || after[idLength] != '/' {
		return "", "", nil, errors.New("is no record: it must begin with a key")
	}
	return string(after[:idLength]), string(after[idLength+1 : end]), after[end:], nil
}

// parseBlock reads "FIRST-END".
func parseBlock(kind string) (mc.Block, bool) {
	first, end, ok := strings.Cut(kind, "-")
	f, errFirst := strconv.ParseUint(first, 10, 64)
	e, errEnd := strconv.ParseUint(end, 10, 64)
	return mc.Block{First: f, End: e}, ok && errFirst == nil && errEnd == nil
}

// blockRecord returns the line of a finished block.
func blockRecord(id string, block mc.Block, tally mc.Tally) []byte {
	line := fmt.Appendf(nil, `%s%s/%d-%d%s`, keyStart, id, block.First, block.End, tallyStart)
	return seal.Line(mc.AppendTally(line, tally))
}

// readBlock reads the tally of a block's record, given without its newline.
func readBlock(line []byte, tally mc.Tally) error {
	_, _, rest, err := openRecord(line)
	if err != nil {
		return err
	}
	data, ok := bytes.CutPrefix(rest, []byte(tallyStart))
	if !ok {
		return errors.New("is no block: it must have a tally")
	}
	return mc.ReadTally(data, tally)
}

// Rows holds the rows of a point in a result file.
type Rows struct {
	Number   int               `json:"number"`   // number of the point in the sweep, from 0; absent in schema 1
	Replicas uint64            `json:"replicas"` // replicas from which the rows are estimated
	Rows     []json.RawMessage `json:"rows"`     // JSON objects
	Warnings []string          `json:"warnings,omitempty"`
}

// Failure records a point that ended with an error instead of rows.
type Failure struct {
	Number int             `json:"number"` // number of the point, as in [Rows]
	Point  json.RawMessage `json:"point"`  // its parameters
	Error  string          `json:"error"`
}

// valueRecord returns the line of a record: id and kind, then the members of a
// struct.
func valueRecord(id, kind string, members any) ([]byte, error) {
	line := bytes.NewBuffer(fmt.Appendf(nil, `%s%s/%s",`, keyStart, id, kind))
	start := line.Len()
	encoder := json.NewEncoder(line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	data := slices.Delete(line.Bytes(), start, start+len("{"))
	record := seal.Line(bytes.TrimSuffix(data, []byte("}\n")))
	return record, checkLength(record)
}

// readValue reads the members of a record that [valueRecord] wrote.
func readValue(line []byte, members any) error {
	body, err := seal.Open(line)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(append(bytes.Clone(body), '}'), members); err != nil {
		return fmt.Errorf("is no record: %w", err)
	}
	return nil
}
