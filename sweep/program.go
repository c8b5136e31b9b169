package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"unicode/utf8"
)

// Program identifies the code that computes the numbers of a sweep. Files of two
// programs are never resumed or merged into one.
type Program struct {
	Version  string `json:"-"`                  // of the program; [Header] has it in its first member
	Revision string `json:"revision,omitempty"` // of the version control; empty where the build does not record it
	Modified bool   `json:"modified,omitempty"` // the source differed from the revision
	// Streams numbers the results of the model. It is raised by hand with every
	// change of its random streams or of its numbers.
	Streams int `json:"streams"`
	// Source is a digest of the source that decides the numbers, changes included.
	Source string `json:"source,omitempty"`
}

// String describes a program in a message.
func (p Program) String() string {
	return fmt.Sprintf("repslab %s, revision %s, streams %d", p.Version, p.revision(), p.Streams)
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

// Differences lists the values in which two programs differ, the first one's as
// those there.
func (p Program) Differences(other Program) []string {
	var d differences
	d.compare("version", p.Version, other.Version)
	d.compare("revision", p.revision(), other.revision())
	d.compare("streams", p.Streams, other.Streams)
	d.compare("source", cmp.Or(p.Source, "unknown"), cmp.Or(other.Source, "unknown"))
	return d
}

// MaxInputText bounds the bytes of an input file whose contents a header carries.
const MaxInputText = 1 << 16

// Input is a file that a parameter names. Its contents are part of the identity of
// the sweep and of its points.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of the contents, in hexadecimal digits
	// Text is the contents where they are UTF-8 and at most [MaxInputText] bytes; with
	// it the sweep can be run where the file does not exist. Empty otherwise.
	Text string `json:"text,omitempty"`
}

// InputRecorder takes the digest of a file's contents, and its text where a header may
// carry it, as the contents are written to it. The zero value is ready for use.
type InputRecorder struct {
	sum  hash.Hash
	text []byte // at most one byte more than a header carries
}

// Write implements [io.Writer]; it never fails.
func (r *InputRecorder) Write(data []byte) (int, error) {
	if r.sum == nil {
		r.sum = sha256.New()
	}
	r.text = append(r.text, data[:min(len(data), MaxInputText+1-len(r.text))]...)
	return r.sum.Write(data)
}

// Input returns the input of that path whose contents were written.
func (r *InputRecorder) Input(path string) Input {
	r.Write(nil)
	in := Input{Path: path, SHA256: hex.EncodeToString(r.sum.Sum(nil))}
	if len(r.text) <= MaxInputText && utf8.Valid(r.text) {
		in.Text = string(r.text)
	}
	return in
}

// Carried returns the contents that the input carries, or false if it carries none
// or others than its digest says.
func (in Input) Carried() (string, bool) {
	sum := sha256.Sum256([]byte(in.Text))
	return in.Text, hex.EncodeToString(sum[:]) == in.SHA256
}
