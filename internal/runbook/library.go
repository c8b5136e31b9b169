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

// Taken describes a figure's runs: their number, the total time that they took on one core, and two digests.
type Taken struct {
	Runs        int     `json:"runs"`
	CoreSeconds float64 `json:"core_seconds"`
	Digest      string  `json:"digest,omitempty"` // [Book.Digest]
	Source      string  `json:"source,omitempty"` // digest of the code that made them; empty if it is not known
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

// ReadBook returns the book of a figure in a library, an empty one if the figure has no runs. Runs that do not have
// the digest of the library's index are an error.
func ReadBook(library fs.FS, figure string) (*Book, error) {
	index, err := ReadIndex(library)
	if err != nil {
		return nil, err
	}
	b, file := new(Book), fs.File(nil)
	if file, err = library.Open(bookFile(figure)); err == nil {
		defer file.Close()
		b, err = Unpack(file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("runbook: %s: %w", bookFile(figure), err)
	}
	taken := index.Figures[figure]
	if digest := b.Digest(); digest != taken.Digest {
		return nil, fmt.Errorf("runbook: %s has other runs than were recorded: %d with the digest %.16q, in %s %d with %.16q",
			figure, b.Len(), digest, indexFile, taken.Runs, taken.Digest)
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
