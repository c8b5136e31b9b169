package main

import (
	"bytes"
	"testing"

	"repslab/internal/vectors"
)

// TestVectors: the command prints the test vectors, and writes the same bytes into a
// file.
func TestVectors(t *testing.T) {
	t.Chdir(t.TempDir())
	var want bytes.Buffer
	if err := vectors.Write(&want); err != nil {
		t.Fatal(err)
	}
	if o := repslab(t, "vectors"); o.code != exitDone || o.stdout != want.String() || o.stderr != "" {
		t.Errorf("code %d, %d bytes, want %d; stderr %q", o.code, len(o.stdout), want.Len(), o.stderr)
	}
	o := repslab(t, "vectors", "-o", "v.jsonl")
	if o.code != exitDone || o.stdout+o.stderr != "" || !bytes.Equal(fileBytes(t, "v.jsonl"), want.Bytes()) {
		t.Errorf("%+v, or v.jsonl differs", o)
	}
}
