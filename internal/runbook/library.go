package runbook

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"repslab/internal/wholefile"
)

// Index holds the parameters that determine the recorded runs of a library, and their cost.
type Index struct {
	Seed      uint64           `json:"seed"`
	Processor string           `json:"processor"` // GOARCH; on others numbers can differ in their last digits
	Results   map[string]int   `json:"results"`   // the streams number of each model
	Figures   map[string]Taken `json:"figures"`
}

// Taken is the number of a figure's runs, and the total time that they took on one core.
type Taken struct {
	Runs        int     `json:"runs"`
	CoreSeconds float64 `json:"core_seconds"`
}

// indexFile is the name of the index in a library.
const indexFile = "index.json"

// bookFile returns the name of a figure's book in a library.
func bookFile(figure string) string { return figure + ".jsonl.gz" }

// ReadIndex returns the index of a library.
func ReadIndex(library fs.FS) (Index, error) {
	var index Index
	text, err := fs.ReadFile(library, indexFile)
	if err == nil {
		err = json.Unmarshal(text, &index)
	}
	if err != nil {
		return index, fmt.Errorf("runbook: %s: %w", indexFile, err)
	}
	return index, nil
}

// ReadBook returns the book of a figure in a library, an empty one if the figure has no runs.
func ReadBook(library fs.FS, figure string) (*Book, error) {
	file, err := library.Open(bookFile(figure))
	if errors.Is(err, fs.ErrNotExist) {
		return new(Book), nil
	}
	if err != nil {
		return nil, fmt.Errorf("runbook: %w", err)
	}
	defer file.Close()
	b, err := Unpack(file)
	if err != nil {
		return nil, fmt.Errorf("runbook: %s: %w", bookFile(figure), err)
	}
	return b, nil
}

// Unpack reads a book from a compressed file of a library, and verifies gzip's checksum of the whole.
func Unpack(file io.Reader) (*Book, error) {
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return read(text, func(line []byte) ([]byte, error) { return line, nil })
}

// WriteBook writes the book of a figure into the directory of a library, if it has runs. The same runs
// give the same bytes.
func WriteBook(dir, figure string, b *Book) error {
	if b.Len() == 0 {
		return nil
	}
	var packed bytes.Buffer
	text, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = b.WriteTo(text)
	}
	if err == nil {
		err = text.Close()
	}
	if err != nil {
		return fmt.Errorf("runbook: %s: %w", figure, err)
	}
	return wholefile.Write(filepath.Join(dir, bookFile(figure)), packed.Bytes())
}

// WriteIndex writes the index of a library into its directory.
func WriteIndex(dir string, index Index) error {
	text, err := json.MarshalIndent(index, "", "\t")
	if err != nil {
		return fmt.Errorf("runbook: %w", err)
	}
	return wholefile.Write(filepath.Join(dir, indexFile), append(text, '\n'))
}
