package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"unicode/utf8"

	"repslab/internal/must"
)

// Program identifies the code that computes the numbers of a sweep. A file is only
// resumed, or merged with others, by the program that wrote it.
type Program struct {
	Version  string `json:"-"`                  // version of the program, the first member of [Header]
	Revision string `json:"revision,omitempty"` // version control revision; may be empty
	Modified bool   `json:"modified,omitempty"` // the source differed from the revision
	// Streams is raised by hand whenever the random streams or the numbers of the model change.
	Streams int `json:"streams"`
	// Source is a digest of the source code that determines the numbers; it may be empty.
	Source string `json:"source,omitempty"`
}

// String returns a description for messages.
func (p Program) String() string {
	return fmt.Sprintf("version %s, revision %s, streams %d", p.Version, p.revision(), p.Streams)
}

// revision describes the source in a message.
func (p Program) revision() string {
	switch {
	case p.Revision == "":
		return "unknown"
	case p.Modified:
		return p.Revision + " with changes"
	default:
		return p.Revision
	}
}

// Differences lists the fields in which two programs differ, with p's value as "there" and
// the other's as "here".
func (p Program) Differences(other Program) []string {
	var d differences
	d.compare("version", p.Version, other.Version)
	d.compare("revision", p.revision(), other.revision())
	d.compare("streams", p.Streams, other.Streams)
	d.compare("source", cmp.Or(p.Source, "unknown"), cmp.Or(other.Source, "unknown"))
	return d
}

// maxInputText bounds the bytes of an input file that a header carries.
const maxInputText = 1 << 16

// Input is a file that a parameter names. Its contents are part of the identity of the sweep and of the
// points.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of the contents, in hexadecimal digits
	// Text holds the contents if they are UTF-8 and at most 2^16 bytes, so
	// that the sweep can be run where the file does not exist; otherwise it is empty.
	Text string `json:"text,omitempty"`
}

// ReadInput passes the contents of a file to read, and returns the Input with its path and all contents,
// including any that read does not consume. It returns the errors of contents and of read. O(contents).
func ReadInput(path string, contents io.Reader, read func(io.Reader) error) (Input, error) {
	must.Be(contents != nil && read != nil, "sweep: ReadInput", "contents and read must not be nil")
	start, err := io.ReadAll(io.LimitReader(contents, maxInputText+1))
	if err != nil {
		return Input{}, err
	}
	sum := sha256.New()
	all := io.TeeReader(io.MultiReader(bytes.NewReader(start), contents), sum)
	if err := read(all); err != nil {
		return Input{}, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return Input{}, err
	}
	in := Input{Path: path, SHA256: hex.EncodeToString(sum.Sum(nil))}
	if len(start) <= maxInputText && utf8.Valid(start) {
		in.Text = string(start)
	}
	return in, nil
}

// Carried returns the contents in Text, or false if they do not have the digest.
func (in Input) Carried() (string, bool) {
	sum := sha256.Sum256([]byte(in.Text))
	return in.Text, hex.EncodeToString(sum[:]) == in.SHA256
}
