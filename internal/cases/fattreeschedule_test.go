package cases

import (
	"fmt"
	"os"
	"testing"

	"repslab/fattree"
)

// writeFile writes a file.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPlaying: a step of a schedule takes its critical path and at most 100 ms for its messages.
func TestPlaying(t *testing.T) {
	path := t.TempDir() + "/job.goal"
	writeFile(t, path, "num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 1000b to 1 tag 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 1000b from 0 tag 1\n}\n")
	for steps, want := range map[int]fattree.Picoseconds{1: 100_005_000_000, 3: 300_015_000_000} {
		p := pointOf(t, fmt.Sprintf("hosts=16 schedule=%s steps=%d", path, steps))
		spec, err := p.SpecOf(1, 0)
		if err != nil || p.playing != want || spec.Horizon != want || p.calcPathUs != 5. {
			t.Errorf("%d steps may take %d ps, the run %d, the path %v us, want %d (error %v)", steps, p.playing, spec.Horizon, p.calcPathUs, want, err)
		}
	}
}
