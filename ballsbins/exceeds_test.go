package ballsbins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestExceedsIsExact compares the tail of a queue by splitting with the exact stationary law, from
// 1e-2 to 1e-6, or 1e-12 with REPSLAB_LONG=1. With these replicas an error of 40 % would be seen at 1e-12, of
// 10 % at 1e-2.
func TestExceedsIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg      Config
		exceeds  int
		replicas uint64
	}{
		{Config{Bins: 32, Lambda: 0.8}, 10, 24},
		{Config{Bins: 8, Lambda: 0.8}, 28, 24},
		{Config{Bins: 32, Lambda: 0.8}, 60, 24}, // with REPSLAB_LONG=1
		{Config{Bins: 8, Lambda: 0.3}, 8, 64},
		{Config{Bins: 5, Lambda: 0.5, Variant: ArriveThenServe}, 9, 32},
	} {
		if c.exceeds == 60 && !mctest.Long() {
			continue
		}
		want, err := ExceedsExact(c.cfg, c.exceeds)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Exceeds(context.Background(), c.cfg, c.exceeds, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: c.replicas})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("n=%d λ=%v: P[load > %d]", c.cfg.Bins, c.cfg.Lambda, c.exceeds)
		t.Logf("%s = %.4g [%.4g, %.4g], exact %.4g", what, got.Value, got.Lo, got.Hi, want)
		mctest.Agree(t, what, got, want, 0, 0)
		if got.StdErr > 0.15*want {
			t.Errorf("standard error %v of %v", got.StdErr, want)
		}
	}
}

// TestExceedsCovers counts the 95 % intervals of 30 groups of 8 replicas that hold the exact
// probability: at least 0.90 less 6.11 standard errors of the share, a false-alarm rate
// of 1e-9 if the coverage is 0.90. TestSplittingCovers of package mc has more groups.
func TestExceedsCovers(t *testing.T) {
	t.Parallel()
	const groups, size, exceeds = 30, 8, 5
	cfg := Config{Bins: 2, Lambda: 0.5}
	want, err := ExceedsExact(cfg, exceeds)
	if err != nil {
		t.Fatal(err)
	}
	experiment, err := NewExceedsExperiment(cfg, exceeds)
	if err != nil {
		t.Fatal(err)
	}
	worker, covered := experiment.NewWorker(mctest.Seed(t, 2)), 0
	for g := range uint64(groups) {
		tally, err := worker(context.Background(), mc.Block{First: g * size, End: (g + 1) * size})
		if err != nil {
			t.Fatal(err)
		}
		if e := tally.StoppingStatistic(); e.Lo <= want && want <= e.Hi {
			covered++
		}
	}
	share := float64(covered) / groups
	t.Logf("%.2f of intervals hold %.3g", share, want)
	if share < 0.90-6.11*math.Sqrt(0.9*0.1/groups) {
		t.Errorf("%v of the intervals hold the truth", share)
	}
}

// TestExceedsWarmsUp compares the tail of one bin after the rounds that are not counted with the
// stationary one: it is below it by less than 1e-6 of it.
func TestExceedsWarmsUp(t *testing.T) {
	for _, c := range []struct {
		bins, exceeds int
		lambda        float64
	}{{32, 60, 0.8}, {32, 5, 0.8}, {4, 10, 0.5}, {8, 8, 0.3}, {32, 60, 0.9}} {
		cfg := Config{Bins: c.bins, Lambda: c.lambda}
		law, err := NewOneBinLaw(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range exceedsWarm(c.lambda, c.exceeds) {
			law.Step()
		}
		var tail float64
		for k := len(law.law) - 1; k > c.exceeds; k-- {
			tail += law.law[k]
		}
		want, err := ExceedsExact(cfg, c.exceeds)
		if err != nil {
			t.Fatal(err)
		}
		if short := 1 - tail/want; !(math.Abs(short) < 1e-6) {
			t.Errorf("%+v: the tail %v is %v below the stationary %v", c, tail, short, want)
		}
	}
}

func TestExceedsFaults(t *testing.T) {
	for _, c := range []struct {
		cfg     Config
		exceeds int
		want    string
	}{
		{Config{}, 5, ErrNotRare.Error()},
		{Config{Lambda: 0.5, Policy: TwoChoice}, 5, ErrNotRare.Error()},
		{Config{Lambda: 0.5, Variant: Weighted}, 5, ErrNotRare.Error()},
		{Config{Lambda: 0.5}, 0, "exceeds (0) must be in [1, 1048576]"},
		{Config{Lambda: 0.5}, MaxExceeds + 1, "exceeds (1048577) must be in"},
		{Config{Lambda: 0.999999}, 5, "Lambda (0.999999) must be at most 0.99999"},
		{Config{Bins: -1, Lambda: 0.5}, 5, "Bins (-1) must be in"},
	} {
		_, err := Exceeds(context.Background(), c.cfg, c.exceeds, mc.Plan{Replicas: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %d: error %v, want %q", c.cfg, c.exceeds, err, c.want)
		}
		if _, errExact := ExceedsExact(c.cfg, c.exceeds); errExact == nil {
			t.Errorf("%+v, %d: no error of the exact law", c.cfg, c.exceeds)
		}
	}
	_, err := Exceeds(context.Background(), Config{Bins: 2, Lambda: 1e-4}, 40, mc.Plan{Replicas: 2})
	if !errors.Is(err, mc.ErrNoSplitting) {
		t.Errorf("a tail of some 1e-150: error %v", err)
	}
}

// BenchmarkExceeds reports the cost of a path-round, and the seconds on one core for a relative
// standard error of 10 % of a tail near 1e-9 (n = 32, λ = 0.8, 46 balls).
func BenchmarkExceeds(b *testing.B) {
	experiment, err := NewExceedsExperiment(Config{Bins: 32, Lambda: 0.8}, 46)
	if err != nil {
		b.Fatal(err)
	}
	var work uint64
	var relative float64
	first := uint64(0)
	worker := experiment.NewWorker(1)
	for b.Loop() {
		tally, err := worker(context.Background(), mc.Block{First: first, End: first + 32})
		if err != nil {
			b.Fatal(err)
		}
		first += 32
		work += tally.Work()
		e := tally.StoppingStatistic()
		relative += e.StdErr / e.Value
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	relative /= float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(work), "ns/path-round")
	b.ReportMetric(seconds*(relative/0.1)*(relative/0.1), "s/10%-error")
}
