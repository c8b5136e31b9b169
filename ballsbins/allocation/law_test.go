package allocation

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// smallConfigs returns the valid combinations of rule, information and ties that have a rational
// law, for few bins and balls and a start that is not level; each with unit weights, equal speeds and uniform
// samples, with each other law of weights or samples, with both, and with speeds.
func smallConfigs() (list []Config) {
	sizes, speeds := Weights{Law: GivenWeights, Sizes: []int{1, 3}}, []int{1, 3}
	variants := []Config{{Weights: Weights{Law: OneOrTwo}}, {Weights: sizes}, {Speeds: speeds},
		{Weights: sizes, Speeds: speeds, Sampling: Sampling{Law: Half}}}
	for _, law := range samplingLaws() {
		variants = append(variants, Config{Sampling: Sampling{Law: law}})
	}
	for _, rule := range Rules() {
		for _, information := range Informations() {
			for _, ties := range TieRules() {
				for _, v := range variants {
					c := Config{
						Bins: 3, Rule: rule, Information: information, Ties: ties,
						Weights: v.Weights, Speeds: v.Speeds, Sampling: v.Sampling, Beta: 0.25, Delta: 0.4, Eta: 0.75,
						Offset: 0.5, Threshold: 2, Width: 1, Batch: 2, Start: []int{1, 0, 2}, Balls: []int{4},
					}
					c.Sampling.Parameter = 0.5
					if v.Sampling.Law == Given {
						c.Sampling.Shares = []float64{2, 0, 1}
					}
					if c.Validate() == nil && !c.noisy() {
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

func nameOf(c Config) string {
	return fmt.Sprintf("%s/%s/%s/%v/%v/%v", c.Rule, c.Information, c.Ties, c.Weights, c.Sampling, c.Speeds)
}

// result holds the largest gap and the loads of a run with at most 4 bins, in millionths.
type result [5]int64

func resultOf(maxGap float64, bins int, load func(bin int) float64) (r result) {
	r[0] = int64(math.Round(maxGap * 1e6))
	for i := range bins {
		r[i+1] = int64(math.Round(load(i) * 1e6))
	}
	return r
}

// TestProcessHasTheExactLaw is a chi-square test of the joint law of the loads and the largest gap,
// for valid combinations with a rational law, with REPSLAB_LONG=1 also of weights and samples:
// alpha about 1e-9 each. With 10,000 runs it sees an outcome of probability 1/10 that is 12 % off.
func TestProcessHasTheExactLaw(t *testing.T) {
	const runs = 10_000
	long := mctest.Long()
	tested, seed := 0, mctest.Seed(t, 3)
	for number, c := range smallConfigs() {
		sampled := c.Sampling.Law != "" && c.Sampling.Law != Uniform
		if (sampled || c.Weights.Law != "") && !long {
			continue
		}
		tested++
		law, err := Exact(c)
		if err != nil {
			t.Fatalf("%s: %v", nameOf(c), err)
		}
		p, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[result]float64{}
		for run := range runs {
			p.Reset(mc.NewStream(seed, mc.Algorithm, uint64(number*runs+run)))
			p.Advance(c.Balls[0])
			counts[resultOf(p.MaxGap(), c.Bins, p.Load)]++
		}
		expected := map[result]float64{}
		for _, o := range law.Outcomes() {
			gap, _ := o.MaxGap.Float64()
			load := func(bin int) float64 {
				load, _ := o.Load(bin).Float64()
				return load
			}
			probability, _ := o.Probability.Float64()
			expected[resultOf(gap, c.Bins, load)] += probability * runs
		}
		var chi2, k, rare, rareExpected float64
		for key, want := range expected {
			if want < 10 {
				rare, rareExpected = rare+counts[key], rareExpected+want
			} else {
				chi2 += (counts[key] - want) * (counts[key] - want) / want
				k++
			}
			delete(counts, key)
		}
		if rareExpected >= 10 {
			chi2 += (rare - rareExpected) * (rare - rareExpected) / rareExpected
			k++
		}
		for key := range counts {
			t.Errorf("%s: outcome %v is impossible", nameOf(c), key)
		}
		if k--; k >= 1 {
			if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); z > 6.11 {
				t.Errorf("%s: chi2 = %.1f for %.0f degrees of freedom (z = %.1f)", nameOf(c), chi2, k, z)
			}
		}
	}
	if tested < 54 {
		t.Errorf("%d combinations", tested)
	}
	t.Logf("%d combinations", tested)
}

// TestManyShares: with many bins, whose table of probabilities is one of runs of equal ones, parts of
// a run get their shares of the balls; binomial errors, z = 4 (6.3e-5 a part). It sees a share that is
// 3 % off.
func TestManyShares(t *testing.T) {
	const bins, balls = cachedBins, 1 << 18
	for _, c := range []struct {
		sampling Sampling
		from, to int
		want     float64
	}{
		{Sampling{Law: Half, Parameter: 0.5}, 0, bins / 8, 0.1875},
		{Sampling{Law: Half, Parameter: 0.5}, bins / 2, bins, 0.25},
		{Sampling{Law: Given, Shares: []float64{3, 1}}, 0, bins / 4, 0.25},
		{Sampling{Law: Given, Shares: append([]float64{bins - 1}, slices.Repeat([]float64{1}, bins-1)...)}, 0, 1, 0.5},
		{Sampling{Law: Given, Shares: append([]float64{bins - 1}, slices.Repeat([]float64{1}, bins-1)...)}, 1, 1 + (bins-1)/3, 1. / 6},
	} {
		p, err := New(Config{Bins: bins, Rule: OneChoice, Sampling: c.sampling})
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(mctest.Seed(t, 8), mc.Algorithm, 0))
		p.Advance(balls)
		share := float64(sum(p.loads[c.from:c.to])) / balls
		slack := mctest.Z(t)*math.Sqrt(c.want*(1-c.want)/balls) + 1.0/bins
		if math.Abs(share-c.want) > slack {
			t.Errorf("%v: bins %d to %d have %v of the balls, want %v", c.sampling, c.from, c.to-1, share, c.want)
		}
	}
}

// TestSpeeds: Exact has the mean gap that is summed here over all samples of all balls, with loads
// compared by cross multiplication.
func TestSpeeds(t *testing.T) {
	speeds, balls := []int{1, 2, 4}, 4
	for rule, chosen := range map[Rule]func(x []int, a, b, total int) int{
		OneChoice: func(_ []int, a, _, _ int) int { return a },
		TwoChoice: func(x []int, a, b, _ int) int {
			if x[b]*speeds[a] < x[a]*speeds[b] {
				return b
			}
			return a
		},
		MeanThinning: func(x []int, a, b, total int) int {
			if 7*x[a] < total*speeds[a] {
				return a
			}
			return b
		},
		RelativeThreshold: func(x []int, a, b, total int) int {
			if 14*x[a] < (2*total+7)*speeds[a] {
				return a
			}
			return b
		},
		TwoThinning: func(x []int, a, b, _ int) int {
			if x[a] < speeds[a] {
				return a
			}
			return b
		},
	} {
		var sum func(x []int, total int) *big.Rat
		sum = func(x []int, total int) *big.Rat {
			if total == balls {
				most := 0
				for i := range x {
					most = max(most, 4/speeds[i]*x[i])
				}
				return big.NewRat(int64(7*most-4*balls), 28)
			}
			all := new(big.Rat)
			for pair := range 9 {
				after := slices.Clone(x)
				after[chosen(x, pair/3, pair%3, total)]++
				all.Add(all, sum(after, total+1))
			}
			return all.Mul(all, big.NewRat(1, 9))
		}
		law, err := Exact(Config{Bins: 3, Rule: rule, Offset: 0.5, Threshold: 1, Speeds: speeds, Balls: []int{balls}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := law.Mean(Outcome.Gap), sum(make([]int, 3), 0); got.Cmp(want) != 0 {
			t.Errorf("%s: mean gap %v, want %v", rule, got, want)
		}
	}
}

// TestEqualSpeeds: with all speeds 2 a run puts its balls into the same bins as with speeds 1, if the
// parameters in units of load are halved.
func TestEqualSpeeds(t *testing.T) {
	for _, slow := range smallConfigs() {
		slow.Balls, slow.Speeds, slow.Width, slow.Offset, slow.Threshold = []int{100}, nil, 2, 1, 26
		fast := slow
		fast.Speeds, fast.Width, fast.Offset, fast.Threshold = []int{2}, 1, 0.5, 13
		p, err := New(slow)
		if err != nil {
			t.Fatal(err)
		}
		q, _ := New(fast)
		for _, process := range []*Process{p, q} {
			process.Reset(mc.NewStream(7, mc.Algorithm, 0))
			process.Advance(100)
		}
		if !slices.Equal(p.loads, q.loads) || p.MaxGap() != 2*q.MaxGap() || p.Under() != 2*q.Under() {
			t.Errorf("%s: loads %v, with speeds 2 %v", nameOf(slow), p.loads, q.loads)
		}
	}
}

// TestSplitsDoNotMatter: a run does not depend on how its balls are split into calls, and two
// processes do not share a state.
func TestSplitsDoNotMatter(t *testing.T) {
	for _, c := range smallConfigs() {
		c.Balls = []int{400}
		whole, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		parts, _ := New(c)
		whole.Reset(mc.NewStream(5, mc.Algorithm, 0))
		parts.Reset(mc.NewStream(5, mc.Algorithm, 0))
		whole.Advance(400)
		for size := 1; parts.Balls() < 400; size = size*3%17 + 1 {
			parts.Advance(min(size, 400-parts.Balls()))
		}
		got, want := fmt.Sprint(parts.loads, parts.MaxGap()), fmt.Sprint(whole.loads, whole.MaxGap())
		if got != want {
			t.Errorf("%s: loads %s in parts, %s as a whole", nameOf(c), got, want)
		}
	}
}

// TestResetForgets: a process that has made another run gives the run of a new one.
func TestResetForgets(t *testing.T) {
	for _, c := range smallConfigs() {
		fresh, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		used, _ := New(c)
		used.Reset(mc.NewStream(6, mc.Algorithm, 1))
		used.Advance(35)
		for _, p := range []*Process{fresh, used} {
			p.Reset(mc.NewStream(6, mc.Algorithm, 0))
			p.Advance(40)
		}
		got, want := fmt.Sprint(used.loads, used.MaxGap()), fmt.Sprint(fresh.loads, fresh.MaxGap())
		if got != want {
			t.Errorf("%s: loads %s after another run, %s on a new process", nameOf(c), got, want)
		}
	}
}

// TestReadingAhead: a run does not depend on whether it reads ahead the tables of balls to come, as
// runs with many bins do.
func TestReadingAhead(t *testing.T) {
	for _, c := range smallConfigs() {
		if c.Rule == OneChoice {
			continue
		}
		c.Balls = []int{3000}
		waits, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		ahead, _ := New(c)
		ahead.samples.touch = ahead.touch
		for _, p := range []*Process{waits, ahead} {
			p.Reset(mc.NewStream(8, mc.Algorithm, 0))
			p.Advance(3000)
		}
		got, want := fmt.Sprint(ahead.loads, ahead.MaxGap()), fmt.Sprint(waits.loads, waits.MaxGap())
		if got != want {
			t.Errorf("%s: loads %s with reads ahead, %s without", nameOf(c), got, want)
		}
	}
}
