package vectors_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"repslab/internal/vectors"
)

var update = flag.Bool("update", false, "rewrite mrc/testdata/vectors.jsonl")

// TestMRCFile pins the file of package mrc, whose tests replay it by lists that share no code with the package: a
// change of its bytes must be intended.
func TestMRCFile(t *testing.T) {
	const path = "../../mrc/testdata/vectors.jsonl"
	var want bytes.Buffer
	if err := vectors.WriteMRC(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("mrc/testdata/vectors.jsonl is not what package mrc does: go test ./internal/vectors -run MRCFile -update")
	}
}
