package mc_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// walks are paths of a reflected random walk: it steps up with probability up and otherwise down, but not
// below 0. The stationary law is geometric, P[x >= k] = (up/(1-up))^k. With probability key a step has a
// flag; only steps with the flag can be events.
type walks struct {
	up, key float64
	top     int
	rng     mc.Rand
	root    walk
}

type walk struct {
	*walks
	at   int
	open bool
}

func (w *walks) Begin(stream mc.Stream) mc.Path {
	w.rng = stream.Rand()
	w.root = walk{walks: w, open: w.key == 1}
	return &w.root
}

func (w *walks) NewPath() mc.Path { return &walk{walks: w} }

func (w *walk) Step() {
	if w.rng.Float64() < w.up {
		w.at++
	} else {
		w.at = max(0, w.at-1)
	}
	w.open = w.key == 1 || w.rng.Float64() < w.key
}

func (w *walk) Observe() (importance int, events int64) {
	if w.at >= w.top && w.open {
		return w.at, 1
	}
	return w.at, 0
}

func (w *walk) CopyFrom(other mc.Path) { w.at, w.open = other.(*walk).at, other.(*walk).open }

// splitting returns the splitting of a walk.
func splitting(up, key float64, top, rounds int) mc.Splitting {
	newFamily := func() mc.PathFamily { return &walks{up: up, key: key, top: top} }
	return mc.Splitting{Top: top, Warm: 400, Rounds: rounds, Units: 1, NewFamily: newFamily}
}

// TestSplittingIsExact compares probabilities from 1e-2 to 1e-15 with the law of a random walk:
// the probability is unbiased, so its distance is in standard errors, at most 4 (6.11 under
// fresh seeds); an error of 10 % would be seen.
func TestSplittingIsExact(t *testing.T) {
	for _, c := range []struct {
		up  float64
		top int
	}{{0.3, 6}, {0.3, 20}, {0.3, 40}, {0.1, 10}} {
		plan := mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 200}
		all, _, err := splitting(c.up, 1, c.top, 2000).Experiment().Run(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		got, want := all.StoppingStatistic(), math.Pow(c.up/(1-c.up), float64(c.top))
		t.Logf("up %v, top %d: %.4g [%.4g, %.4g], exact %.4g", c.up, c.top, got.Value, got.Lo, got.Hi, want)
		if got.StdErr > got.Value/10 {
			t.Errorf("up %v, top %d: standard error %v of %v", c.up, c.top, got.StdErr, got.Value)
		}
		mctest.Agree(t, "probability", got, want, 0, 0)
	}
}

// TestSplittingCovers counts the 95 % intervals of 300 groups of 16 replicas each that hold the exact
// probability, 7.0e-8. The share must be above 0.90 minus 6.11 of its standard errors (false-alarm rate
// 1e-9 if the coverage is 0.90). The bound is 0.90 since few replicas of a skewed count lose some
// coverage.
func TestSplittingCovers(t *testing.T) {
	const groups, size = 300, 16
	worker := splitting(0.25, 1, 15, 1000).Experiment().NewWorker(mctest.Seed(t, 2))
	want, covered := math.Pow(1.0/3, 15), 0
	for g := range uint64(groups) {
		tally, err := worker(context.Background(), mc.Block{First: g * size, End: (g + 1) * size})
		if err != nil {
			t.Fatal(err)
		}
		if e := tally.Probability(0.95); e.Lo <= want && want <= e.Hi {
			covered++
		}
	}
	share := float64(covered) / groups
	t.Logf("%.4f of intervals hold %v", share, want)
	if least := 0.90 - 6.11*math.Sqrt(0.9*0.1/groups); share < least {
		t.Errorf("%v of the intervals hold the truth, want at least %v", share, least)
	}
}

// TestSplittingRefuses: the result is an error or a warning if the importance never reaches the top, if
// it does but there are no events, or if replicas disagree.
func TestSplittingRefuses(t *testing.T) {
	ctx, plan := context.Background(), mc.Plan{Seed: 1, Replicas: 32}
	_, _, err := splitting(1e-6, 1, 3, 100).Experiment().Run(ctx, plan)
	if !errors.Is(err, mc.ErrNoSplitting) || !strings.HasSuffix(err.Error(), " of 12 pilot runs got from importance 0 to 1, fewer than 6") {
		t.Errorf("a walk that hardly ever rises: error %v", err)
	}
	all, _, err := splitting(0.3, 1e-9, 10, 1000).Experiment().Run(ctx, plan)
	if e := all.StoppingStatistic(); err != nil || e.Value != 0 || !math.IsInf(e.Hi, 1) || len(e.Warnings) == 0 {
		t.Errorf("events that never come: %+v, error %v", e, err)
	}
	all, _, err = splitting(0.3, 3e-5, 10, 1000).Experiment().Run(ctx, plan)
	if e := all.StoppingStatistic(); err != nil || len(e.Warnings) == 0 || !(e.Hi/e.Value > 1.9) {
		t.Errorf("events that are rare among the important states: %+v, error %v", e, err)
	}
	one, _, err := splitting(0.3, 1, 10, 1000).Experiment().Run(ctx, mc.Plan{Seed: 1, Replicas: 1})
	if e := one.StoppingStatistic(); err != nil || !(e.Value < 1) || !math.IsInf(e.Hi, 1) || len(e.Warnings) == 0 {
		t.Errorf("one replica: %+v, error %v", e, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := splitting(0.3, 1, 10, 1000).Experiment().Run(cancelled, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestSplittingIsTheSameForAnyWorkers: each worker has its own pilot runs, with the same result.
func TestSplittingIsTheSameForAnyWorkers(t *testing.T) {
	mctest.SameForAnyWorkers(t, "splitting", func(workers int) (any, error) {
		plan := mc.Plan{Seed: 3, Replicas: 70, Workers: workers}
		all, _, err := splitting(0.3, 1, 12, 500).Experiment().Run(context.Background(), plan)
		return all.StoppingStatistic(), err
	})
}

// BenchmarkSplitting reports the cost of a path-round of a trivial chain, which is the cost of the
// splitting itself.
func BenchmarkSplitting(b *testing.B) {
	worker := splitting(0.3, 1, 30, 2000).Experiment().NewWorker(1)
	b.ReportAllocs()
	var work, replica uint64
	for b.Loop() {
		tally, err := worker(context.Background(), mc.Block{First: replica, End: replica + 1})
		if err != nil {
			b.Fatal(err)
		}
		replica++
		work += tally.Work()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(work), "ns/path-round")
}
