package metric

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/results.md")

// TestPage: docs/results.md has the metrics.
func TestPage(t *testing.T) {
	const path = "../../docs/results.md"
	if *update {
		if err := os.WriteFile(path, []byte(Page()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != Page() {
		t.Errorf("%s is not the page of the metrics: go test ./internal/metric -update rewrites it", path)
	}
}
