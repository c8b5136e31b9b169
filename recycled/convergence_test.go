package recycled

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"repslab/mc"
)

// BenchmarkConvergence reports the time to convergence of self-clocked at the
// theorem's threshold in the units of the bounds: over n, n ln n and the rounds
// of [RoundsBound]; the largest load over ln n; and the cost of a random throw, of which a
// run has some n ln n: the n balls of a round return to their bins without work. Every
// iteration of every repetition (-count) runs a new replica, so that repetitions
// scatter as the means of independent runs do.
func BenchmarkConvergence(b *testing.B) {
	for _, bins := range []int{16, 64, 256, 1024, 4096} {
		var next uint64
		b.Run(fmt.Sprintf("bins=%d", bins), func(b *testing.B) { benchmarkConvergence(b, bins, &next) })
	}
}

// benchmarkConvergence runs the replicas from next on, which it advances.
func benchmarkConvergence(b *testing.B, bins int, next *uint64) {
	cfg := Config{Bins: bins}.WithDefaults()
	p, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	bound, _, err := RoundsBound(bins, cfg.Threshold)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	first := *next
	var rounds, maxLoad, throws float64
	for b.Loop() {
		o, err := Run(context.Background(), p, cfg, mc.NewStream(1, mc.Algorithm, *next))
		if err != nil {
			b.Fatal(err)
		}
		*next++
		rounds += float64(o.Rounds)
		maxLoad += float64(o.MaxLoad)
		_, random := p.Throws()
		throws += float64(random)
	}
	n, runs := float64(bins), float64(*next-first)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/throws, "ns/throw")
	b.ReportMetric(throws/runs/n, "throws/n")
	b.ReportMetric(rounds/runs/n, "rounds/n")
	b.ReportMetric(rounds/runs/(n*math.Log(n)), "rounds/(n·ln·n)")
	b.ReportMetric(rounds/runs/bound, "rounds/bound")
	b.ReportMetric(maxLoad/runs/math.Log(n), "max-load/ln·n")
}

// TestConvergenceBenchmarkScatters: two repetitions of the benchmark report the means
// of different replicas.
func TestConvergenceBenchmarkScatters(t *testing.T) {
	benchtime := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", "3x"); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("test.benchtime", benchtime)
	var next uint64
	var means []float64
	for range 2 {
		r := testing.Benchmark(func(b *testing.B) { benchmarkConvergence(b, 64, &next) })
		means = append(means, r.Extra["rounds/n"])
		// A run throws some n (ln n + 1) balls at random, and n a round in all.
		if throws := r.Extra["throws/n"]; r.Extra["ns/ball"] != 0 || !(throws > 2 && throws < 16) {
			t.Errorf("%v random throws per bin, and %v", throws, r.Extra)
		}
	}
	if means[0] == means[1] || !(means[0] > 0.5) || !(means[1] > 0.5) {
		t.Errorf("two repetitions report %v rounds per n", means)
	}
}

// TestConvergenceIsShownWithItsScatter: docs/performance.md shows no mean of random
// runs without a spread over runs.
func TestConvergenceIsShownWithItsScatter(t *testing.T) {
	text, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^Convergence/bins=\d+ +[0-9.]+m? ± +(\d+)%$`).FindAllSubmatch(text, -1)
	if len(rows) != 15 {
		t.Errorf("%d rows of three quantities at five n, want 15", len(rows))
	}
	for _, row := range rows {
		if string(row[1]) == "0" {
			t.Errorf("%q: repetitions of the same runs", row[0])
		}
	}
}
