package allocation

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"repslab/mc"
)

// fastest returns the nanoseconds of a ball in the fastest of some calls that throw a number of balls:
// others are slowed by whatever else the machine does.
func fastest(calls, balls int, throw func()) float64 {
	best := time.Duration(math.MaxInt64)
	for range calls {
		start := time.Now()
		throw()
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(balls)
}

// need is the work that no kernel can do without, per ball: random words, and reads of random bins,
// one of which is incremented; the others are in a table of their own if the rule does not see the
// loads themselves.
type need struct {
	words, reads int
	apart        bool
}

// timer returns a function that returns the nanoseconds of that work, in the fastest of 100 calls.
func (c need) timer(bins int) func() float64 {
	loads, rng := make([]int64, bins), mc.NewStream(1, mc.Algorithm, 0).Rand()
	seen := loads
	if c.apart {
		seen = make([]int64, bins)
	}
	var kept int64
	return func() float64 {
		return fastest(100, 1<<14, func() {
			r, sum, n := rng, int64(0), uint64(bins)
			for range 1 << 14 {
				var word, next uint64
				word, r = r.Next()
				for range c.words - 1 {
					next, r = r.Next()
					word ^= next
				}
				for range c.reads - 1 {
					sum += seen[(word>>32)*n>>32]
					word = word<<7 | word>>57
				}
				loads[(word>>32)*n>>32]++
			}
			rng, kept = r, kept+sum
		})
	}
}

// BenchmarkAdvance times the fastest 16,384 balls in a row, and reports them in multiples of the
// limit: the fastest time of as many random words and random reads as the rule needs, measured in turn
// with the rule.
func BenchmarkAdvance(b *testing.B) {
	for _, bins := range []int{1000, 1_000_000} {
		for _, c := range []struct {
			words, reads int // that a ball of the rule needs; the bin that gets it is one of the reads
			cfg          Config
		}{
			{1, 1, Config{Rule: OneChoice}},
			{2, 2, Config{Rule: TwoChoice}},
			{3, 3, Config{Rule: DChoice, Choices: 3}},
			{3, 2, Config{Rule: OnePlusBeta, Beta: 0.5}},
			{3, 2, Config{Rule: Quantile}},
			{2, 2, Config{Rule: MeanThinning}},
			{1, 2, Config{Rule: Memory}},
			{2, 4, Config{Rule: TwoChoice, Sampling: Sampling{Law: Half, Parameter: 0.5}}},
			{3, 2, Config{Rule: TwoChoice, Weights: Weights{Law: OneOrTwo}}},
			{1, 1, Config{Rule: OneChoice, Information: Batched}},
			{2, 3, Config{Rule: TwoChoice, Information: Batched}},
			{3, 3, Config{Rule: Quantile, Information: Batched, Batch: 50 * bins}},
			{2, 2, Config{Rule: MeanThinning, Information: Batched}},
			{1, 3, Config{Rule: Memory, Information: Batched}},
			{1, 3, Config{Rule: Token, Offset: 1, Information: Batched}},
			{2, 2, Config{Rule: TwoChoice, Information: GBounded, Width: 4}},
			{2, 2, Config{Rule: TwoChoice, Information: GMyopic, Width: 4}},
			{3, 2, Config{Rule: TwoChoice, Information: SigmaGaussian, Sigma: 4}},
		} {
			cfg := c.cfg
			cfg.Bins = bins
			full := cfg.WithDefaults()
			name := fmt.Sprintf("bins=%d/rule=%s/information=%s/weights=%v/sampling=%v",
				bins, full.Rule, full.Information, full.Weights, full.Sampling)
			b.Run(name, func(b *testing.B) {
				apart := cfg.Information == Batched
				limit := need{c.words, c.reads, apart}.timer(bins)
				p, err := New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				p.Reset(mc.NewStream(1, mc.Algorithm, 0))
				p.Advance(2 * bins)
				b.ReportAllocs()
				perBall, least := math.Inf(1), math.Inf(1)
				for b.Loop() {
					least = min(least, limit())
					perBall = min(perBall, fastest(100, 1<<14, func() { p.Advance(1 << 14) }))
				}
				b.ReportMetric(perBall, "ns/ball")
				b.ReportMetric(least, "limit-ns/ball")
				b.ReportMetric(perBall/least, "times-limit")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// boundSeeds is the number of seeds over which a bound shows its spread.
const boundSeeds = 5

// boundCase compares a measured gap with a bound of the literature.
type boundCase struct {
	name  string
	cfg   Config
	bound float64
}

// boundCases returns cases for every bound, at n = 1000.
func boundCases() []boundCase {
	const n = 1000
	best, beta := BestBatchedGap(n, 50*n)
	half := func(a float64) Sampling { return Sampling{Law: Half, Parameter: a} }
	long := []int{1000 * n}
	full := []int{50} // a start with 50 balls in one bin
	return []boundCase{
		{"two-choice", Config{}, DChoiceGap(n, 2)},
		{"two-choice/start=50", Config{Start: full}, DChoiceGap(n, 2)},
		{"three-choice", Config{Rule: DChoice, Choices: 3}, DChoiceGap(n, 3)},
		{"one-plus-beta/beta=0.1", Config{Rule: OnePlusBeta, Beta: 0.1, Balls: long}, OnePlusBetaGap(n, 0.1)},
		{"one-plus-beta/beta=0.5", Config{Rule: OnePlusBeta, Beta: 0.5}, OnePlusBetaGap(n, 0.5)},
		{"mean-thinning", Config{Rule: MeanThinning}, ThinningGap(n)},
		{"batched/batch=n", Config{Information: Batched}, BatchedGap(n, n)},
		{"batched/batch=50n", Config{Information: Batched, Batch: 50 * n, Balls: long}, BatchedGap(n, 50*n)},
		{"batched/batch=50n/best-beta",
			Config{Rule: OnePlusBeta, Beta: beta, Information: Batched, Batch: 50 * n, Balls: long}, best},
		{"g-bounded/g=1", Config{Information: GBounded, Width: 1}, NoisyGap(n, 1)},
		{"g-bounded/g=4", Config{Information: GBounded, Width: 4}, NoisyGap(n, 4)},
		{"g-bounded/g=16", Config{Information: GBounded, Width: 16}, NoisyGap(n, 16)},
		{"g-myopic/g=4", Config{Information: GMyopic, Width: 4}, NoisyGap(n, 4)},
		{"g-myopic/g=16", Config{Information: GMyopic, Width: 16}, NoisyGap(n, 16)},
		{"half/a=0.5", Config{Sampling: half(0.5), Balls: []int{400 * n}}, 400 * GapRate(0.75, 0.5, 2)},
		{"half/a=0.8", Config{Sampling: half(0.8), Balls: []int{400 * n}}, 400 * GapRate(0.9, 0.5, 2)},
		{"half/choices=3/a=0.7",
			Config{Rule: DChoice, Choices: 3, Sampling: half(0.7), Balls: []int{400 * n}}, 400 * GapRate(0.85, 0.5, 3)},
	}
}

// ratio returns the mean of 20 runs over the bound.
func (c boundCase) ratio(b *testing.B, seed uint64) float64 {
	r, err := Simulate(b.Context(), c.cfg, mc.Plan{Seed: seed, Replicas: 20})
	if err != nil {
		b.Fatal(err)
	}
	return r.Observations[0].Gap.Value / c.bound
}

// BenchmarkBounds reports measured gaps over the leading terms and orders that the literature
// gives: the mean over five seeds of 20 runs each, and the lowest and the highest mean of a seed. A
// ratio that is not near 1 is the constant that the bound leaves open.
func BenchmarkBounds(b *testing.B) {
	for _, c := range boundCases() {
		b.Run(c.name, func(b *testing.B) {
			var ratios [boundSeeds]float64
			for b.Loop() {
				for i := range ratios {
					ratios[i] = c.ratio(b, uint64(1+i))
				}
			}
			sum := 0.0
			for _, ratio := range ratios {
				sum += ratio
			}
			b.ReportMetric(sum/boundSeeds, "measured/bound")
			b.ReportMetric(slices.Min(ratios[:]), "lowest-seed")
			b.ReportMetric(slices.Max(ratios[:]), "highest-seed")
		})
	}
}
