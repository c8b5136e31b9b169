package figures

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"repslab/internal/paper"
	"repslab/recycled"
)

var update = flag.Bool("update", false, "rewrite docs/open-questions.md")

// valueAt returns the number under a column of the one row of a table that has the
// given values: a key, its value, and so on.
func valueAt(t *testing.T, table paper.Table, key string, where ...any) float64 {
	t.Helper()
	var found []float64
rows:
	for _, row := range table.Rows {
		for i := 0; i < len(where); i += 2 {
			if table.Cell(row, where[i].(string)) != where[i+1] {
				continue rows
			}
		}
		found = append(found, table.Cell(row, key).(float64))
	}
	if len(found) != 1 {
		t.Fatalf("table %q: %d rows with %v", table.Name, len(found), where)
	}
	return found[0]
}

// TestOpenQuestions: docs/open-questions.md is what the quick figure finds, and
// the findings that its words state hold in the numbers, by far more than their
// intervals, with any seed.
func TestOpenQuestions(t *testing.T) {
	answers, out, err := buildOpen(context.Background(), paper.Settings{Seed: 1, Scale: paper.Quick})
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../../docs/open-questions.md"
	text := openDocument(answers)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(document) != text {
		t.Error("docs/open-questions.md is not what `reproduce open` finds: go test ./internal/paper/figures -run OpenQuestions -update")
	}
	value := func(table int, key string, where ...any) float64 { return valueAt(t, out.Tables[table], key, where...) }
	for _, c := range []struct {
		what        string
		less, great float64
	}{
		{"self-clocked, n = 16384: τ = 2 fails, far below ln n τ = 6 is enough", value(0, "share_hi", "bins", 16_384, "threshold", 2) + 0.5, value(0, "share_lo", "bins", 16_384, "threshold", 6)},
		{"time from empty bins: fewer than 2 n rounds at n = 4096", value(0, "rounds_hi", "bins", 4096, "threshold", theoremThreshold(4096)), 2 * 4096},
		{"round-robin: n = 32 is worse than n = 4", value(1, "share_hi", "bins", 32, "threshold", 16), value(1, "share_lo", "bins", 4, "threshold", 16)},
		{"round trip: a delay of τ/4 does no harm", value(2, "random_throw_fraction", "bins", 32, "threshold", 14, "delay", 4), unstableFrom},
		{"round trip: one of 3 τ does", 0.5, value(2, "random_lo", "bins", 32, "threshold", 14, "delay", 42)},
		{"window: one above the round trip is enough at τ = 25, d = 100", value(3, "random_throw_fraction", "threshold", 25, "delay", 100, "window", 101), unstableFrom},
		{"window: not at τ = 14", unstableFrom, value(3, "random_lo", "threshold", 14, "delay", 100, "window", 101)},
		{"network: congestion control shortens queues at W = 151", value(4, "max_queue_hi", "cc", "dctcp", "window", 151), value(4, "max_queue_lo", "cc", "none", "window", 151)},
		{"lost balls: recycled below OPS at λ = 0.99", value(5, "max_load_hi", "process", string(recycled.RoundRobin), "lambda", 0.99), value(5, "max_load_lo", "process", "ops", "lambda", 0.99)},
		{"coalescing: r = 8 gathers more than carry", value(6, "balls_hi", "ack_variant", "carry", "ack_ratio", 8, "round", 20_000), value(6, "balls_lo", "ack_variant", "standard", "ack_ratio", 8, "round", 20_000)},
	} {
		if c.less >= c.great {
			t.Errorf("%s: %v is not below %v", c.what, c.less, c.great)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
		t.Errorf("the document has a hole:\n%s", text)
	}
}

// TestBoundary: the boundary is between the last point before the first lost one.
func TestBoundary(t *testing.T) {
	curve := func(shares ...float64) tripCurve {
		c := tripCurve{name: "c"}
		for i, s := range shares {
			p := tripPoint{cfg: recycled.Config{Delay: i + 1}}
			p.summary.RandomFraction.Value = s
			c.points = append(c.points, p)
		}
		return c
	}
	delay := func(p tripPoint) float64 { return float64(p.cfg.Delay) }
	for _, c := range []struct {
		curve tripCurve
		want  string
	}{
		{curve(0, 0.01, 0.3, 0.01, 0.9), "c: between 2 and 3"},
		{curve(0, 0.01), "c: above 2"},
		{curve(0.05, 0), "c: below 1"},
	} {
		if got := c.curve.between(delay); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
