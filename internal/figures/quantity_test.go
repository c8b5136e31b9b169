package figures

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/recycled"
)

// kindOfRuns is a law of the results of runs whose mean is known.
type kindOfRuns struct {
	name    string
	mean    float64
	support mc.Support
	draw    func(*mc.Rand) float64
	least   float64 // coverage with 3, 5, 10 and 20 runs, %
}

// fromPool returns the kind of values drawn from some, with the mean of the law.
func fromPool(name string, pool []float64, support mc.Support, least float64) kindOfRuns {
	return kindOfRuns{name, mean(pool), support, func(r *mc.Rand) float64 { return pool[r.Below(uint64(len(pool)))] }, least}
}

// pool returns values of a function.
func pool(n int, of func(i int) float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = of(i)
	}
	return values
}

// equallyLikely returns values of a law at equally likely points.
func equallyLikely(quantile func(p float64) float64) []float64 {
	const n = 20_000
	return pool(n, func(i int) float64 { return quantile((float64(i) + 0.5) / n) })
}

// jump returns 20 values of 14, the first of them higher by a step.
func jump(step float64) []float64 {
	return pool(20, func(i int) float64 { return 14 + map[bool]float64{true: step}[i == 0] })
}

// scattered returns the kind of times of 14 with one of 24 in some runs, which all scatter by 1 %.
func scattered(runs int, least float64) kindOfRuns {
	k := fromPool(fmt.Sprintf("14; 24 in one run of %d, scatter of 1 %%", runs), jump(10)[:runs], positive(0), least)
	exact, scatter := k.draw, distuv.Normal{Mu: 1, Sigma: 0.01}
	k.draw = func(r *mc.Rand) float64 { return exact(r) * scatter.Quantile((float64(r.Below(1<<32))+0.5)/(1<<32)) }
	return k
}

// kindsOfRuns returns the kinds of runs for the test of coverage.
func kindsOfRuns(t *testing.T) []kindOfRuns {
	outcome := func(cfg recycled.Config, of func(recycled.Outcome) int) []float64 {
		process, err := recycled.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return pool(4000, func(i int) float64 {
			o, err := recycled.Run(t.Context(), process, cfg, mc.NewStream(1, mc.Workload, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			return float64(of(o))
		})
	}
	random := mc.NewStream(1, mc.Workload, 0).Rand()
	fullest := pool(4000, func(int) float64 {
		var loads [32]int
		most := 0
		for range 32 {
			bin := random.Below(32)
			loads[bin]++
			most = max(most, loads[bin])
		}
		return float64(most)
	})
	poisson := func(mean float64) []float64 {
		law := distuv.Poisson{Lambda: mean}
		return equallyLikely(func(p float64) float64 {
			k := 0.0
			for law.CDF(k) < p {
				k++
			}
			return k
		})
	}
	binomial := equallyLikely(func(p float64) float64 {
		law := distuv.Binomial{N: 20, P: 0.95}
		k := 0.0
		for law.CDF(k) < p {
			k++
		}
		return k / 20
	})
	lognormal := distuv.LogNormal{Sigma: 0.5}
	return []kindOfRuns{
		fromPool("normal times, scatter of 10 %", equallyLikely(distuv.Normal{Mu: 10, Sigma: 1}.Quantile), positive(0), 95),
		fromPool("exponential times", equallyLikely(distuv.Exponential{Rate: 1}.Quantile), positive(0), 94),
		fromPool("lognormal times, σ = 1/2", equallyLikely(lognormal.Quantile), positive(0), 94),
		fromPool("lognormal times, σ = 1", equallyLikely(distuv.LogNormal{Sigma: 1}.Quantile), positive(0), 91),
		fromPool("Pareto's times, α = 2.5", equallyLikely(distuv.Pareto{Xm: 1, Alpha: 2.5}.Quantile), positive(0), 82),
		fromPool("rounds to convergence, n = 3, τ = 2", outcome(recycled.Config{Bins: 3, Threshold: 2},
			func(o recycled.Outcome) int { return o.Rounds }), counted(1), 95),
		fromPool("largest load of recycled balls, n = 3, τ = 2", outcome(recycled.Config{Bins: 3, Threshold: 2},
			func(o recycled.Outcome) int { return o.MaxLoad }), counted(1), 93),
		fromPool("maximum load, 32 balls in 32 bins", fullest, counted(1), 94),
		fromPool("Poisson counts, mean 4", poisson(4), counted(1), 96),
		fromPool("Poisson counts, mean 1/2", poisson(0.5), counted(1), 96),
		fromPool("binomial shares, 95 % of 20", binomial, shareOf(1, 0), 96),
		fromPool("14; 15 in one run of 20", jump(1), counted(1), 99),
		fromPool("14; 24 in one run of 20", jump(10), counted(1), 99),
		scattered(20, 22),
		scattered(10, 27),
	}
}

// numberIn reads a number in a cell.
func numberIn(t *testing.T, cell string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCoverage draws runs of each kind and counts the 95 % intervals of the mean that contain the law's:
// the share is at least the promised one, within 4 standard errors, a false-alarm rate of 3e-5 for each of
// 64 comparisons. With -v it prints a table; the part of it in docs/quality.md is checked likewise. REPSLAB_LONG=1
// draws 30,000 samples of each instead of 800.
func TestCoverage(t *testing.T) {
	samples := 800
	if os.Getenv("REPSLAB_LONG") != "" {
		samples = 30_000
	}
	sizes := []int{3, 5, 10, 20}
	seed := mctest.Seed(t, 1)
	lines := []string{"| results of runs | 3 runs | 5 | 10 | 20 |", "|---|---|---|---|---|"}
	page, err := os.ReadFile("../../docs/quality.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := 0
	check := func(name string, least float64, covered func(random *mc.Rand, n int) bool) {
		line := "| " + name
		_, row, listed := strings.Cut(string(page), "\n| "+name+" |")
		told := strings.Split(row, "|")
		if listed {
			documented++
		}
		for i, n := range sizes {
			random := mc.NewStream(seed, mc.Algorithm, uint64(1000*len(lines)+n)).Rand()
			count := 0.0
			for range samples {
				if covered(&random, n) {
					count++
				}
			}
			percent := 100 * count / float64(samples)
			line += fmt.Sprintf(" | %.1f", percent)
			if slack := mctest.Z(t) * math.Sqrt(least*(100-least)/float64(samples)); percent < least-slack {
				t.Errorf("%s: %.1f %% of the intervals of %d runs contain the mean, want %.0f", name, percent, n, least)
			}
			if listed && math.Abs(percent-numberIn(t, told[i])) > 0.3+mctest.Z(t)*math.Sqrt(percent*(100-percent)/float64(samples)) {
				t.Errorf("%s: docs/quality.md says%sfor %d runs, got %.1f %%", name, told[i], n, percent)
			}
		}
		lines = append(lines, line+" |")
	}
	for _, k := range kindsOfRuns(t) {
		check(k.name, k.least, func(random *mc.Rand, n int) bool {
			e := inSupport(pool(n, func(int) float64 { return k.draw(random) }), func(x float64) float64 { return x }, k.support)
			return e.Lo <= k.mean+1e-6 && k.mean-1e-6 <= e.Hi
		})
	}
	times := equallyLikely(distuv.LogNormal{Sigma: 0.5}.Quantile)
	check("ratio of paired lognormal times, σ = 1/2", 95, func(random *mc.Rand, n int) bool {
		var p mc.PairedMoments
		for range n {
			p.Add(millionths(2*times[random.Below(uint64(len(times)))]), millionths(times[random.Below(uint64(len(times)))]))
		}
		e := p.RatioOfFew(mc.DefaultConfidence)
		return e.Lo <= 2 && 2 <= e.Hi
	})
	t.Log("\n" + strings.Join(lines, "\n"))
	if documented != 6 {
		t.Errorf("docs/quality.md has %d of these rows, want 6", documented)
	}
}
