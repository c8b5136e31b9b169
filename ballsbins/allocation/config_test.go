package allocation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestValidate: a configuration with one fault has one message, which names the field, the value and
// what is allowed.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: -1}, "allocation: Bins (-1) must be in [1, 16777216]"},
		{Config{Bins: -1, Information: Batched}, "allocation: Bins (-1) must be in [1, 16777216]"},
		{Config{Rule: "three-choice"}, `Rule ("three-choice") must be one of [one-choice two-choice`},
		{Config{Information: "stale"}, `Information ("stale") must be one of [current batched`},
		{Config{Ties: "left"}, `Ties ("left") must be one of [random rank index]`},
		{Config{Ties: IndexTies}, `Ties ("index") must be random but for the rules`},
		{Config{Rule: DChoice, Choices: 2000}, "Choices (2000) must be in [1, 1024]"},
		{Config{Bins: 3, Rule: AlwaysGoLeft, Choices: 4}, "Choices (4) must be in [1, 3]"},
		{Config{Bins: 2000, Rule: AlwaysGoLeft, Choices: 1025}, "Choices (1025) must be in [1, 1024]"},
		{Config{Rule: AlwaysGoLeft, Sampling: Sampling{Law: Half, Parameter: 0.5}}, "Sampling (half:0.5) must be uniform under always-go-left: a sample"},
		{Config{Rule: AlwaysGoLeft, Information: GBounded}, "is defined for a comparison of two samples"},
		{Config{Rule: AlwaysGoLeft, Information: Batched, Ties: IndexTies}, `Ties ("index") must be random but for`},
		{Config{Rule: TwoThinning}, "Threshold (0) must be given under two-thinning, in [1, 2147483647]"},
		{Config{Rule: TwoThinning, Threshold: 1 << 31}, "Threshold (2147483648) must be given under two-thinning, in [1, 2147483647]"},
		{Config{Rule: RelativeThreshold, Offset: math.NaN()}, "Offset (NaN) must be in [-1.048576e+06, 1.048576e+06]"},
		{Config{Rule: RelativeThreshold, Offset: -2e6}, "Offset (-2e+06) must be in"},
		{Config{Bins: MaxBins, Rule: RelativeThreshold, Offset: MaxOffset, Weights: Weights{Law: ExponentialWeights}, Balls: []int{1}},
			"Offset (1.048576e+06) must be nearer to 0 for so many bins"},
		{Config{Rule: OnePlusBeta, Beta: 1.5}, "Beta (1.5) must be in [0, 1]"},
		{Config{Rule: OnePlusBeta, Beta: math.NaN()}, "Beta (NaN) must be in [0, 1]"},
		{Config{Rule: Quantile, Delta: -0.5}, "Delta (-0.5) must be in [0, 1]"},
		{Config{Rule: Quantile, Eta: 2}, "Eta (2) must be in [0, 1]"},
		{Config{Rule: Token, Information: Batched, Offset: math.Inf(1)}, "Offset (+Inf) must be in"},
		{Config{Rule: Token}, `Information ("current") must be batched: token passes tokens from batch to batch`},
		{Config{Rule: Token, Information: Batched, Batch: 1 << 30}, "must be at most 67108864 under token"},
		{Config{Information: Batched, Batch: -1}, "Batch (-1) must be in [1,"},
		{Config{Information: GBounded, Width: -1}, "Width (-1) must be in [0, 1048576]"},
		{Config{Information: SigmaFormal, Sigma: -1}, "Sigma (-1) must be in [0, 65536]"},
		{Config{Rule: Memory, Information: GMyopic}, "is defined for a comparison of two samples"},
		{Config{Rule: DChoice, Choices: 3, Information: GBounded}, "is defined for a comparison of two samples"},
		{Config{Weights: Weights{Law: "heavy"}}, `Weights (heavy) must be one of`},
		{Config{Weights: Weights{Law: GivenWeights}}, `Weights (given) must list sizes for given, and for it alone`},
		{Config{Weights: Weights{Sizes: []int{1}}}, `Weights (unit:1) must list sizes for given, and for it alone`},
		{Config{Weights: Weights{Law: GivenWeights, Sizes: []int{0}}}, `Weights (given:0) must list sizes in [1, 1048576]`},
		{Config{Sampling: Sampling{Law: "zipf"}}, `Sampling ("zipf") must be one of`},
		{Config{Sampling: Sampling{Law: Half, Parameter: 1.5}}, `Sampling (half:1.5) must have numbers in [0, 1]`},
		{Config{Sampling: Sampling{Law: Given, Shares: []float64{0}}}, "must have a share above 0"},
		{Config{Bins: 1, Sampling: Sampling{Law: Half, Parameter: 1}}, "must have a share above 0"},
		{Config{Bins: MaxBins, Rule: Token, Information: Batched, Offset: MaxOffset, Weights: Weights{Law: ExponentialWeights}, Balls: []int{1}},
			"Offset (1.048576e+06) must be nearer to 0 for so many bins"},
		{Config{Bins: 2, Sampling: Sampling{Law: Given, Shares: []float64{1, 2, 3}}}, "must list 1 to Bins=2 shares"},
		{Config{Bins: 2, Start: []int{1, 2, 3}}, "Start (3) must list at most Bins=2 loads"},
		{Config{Bins: 2, Speeds: []int{1, 2, 3}}, "Speeds (3) must list at most Bins=2 speeds"},
		{Config{Speeds: []int{1, 0}}, "Speeds (0) must be in [1, 65536]"},
		{Config{Speeds: []int{65535, 65536}}, "Speeds ([65535 65536]) must have a common multiple of at most 1048576"},
		{Config{Start: []int{-1}}, "Start (-1) must be in [0,"},
		{Config{Balls: []int{5, 5}}, "Balls (5) must be in [6,"},
		{Config{Bins: 1 << 24, Balls: []int{1 << 30}}, "must be below 67108864 balls"},
	} {
		checkRefused(t, c.cfg, c.want)
	}
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
}

// checkRefused: everything that takes a configuration refuses it, with one message that contains want.
func checkRefused(t *testing.T, cfg Config, want string) {
	t.Helper()
	err := cfg.Validate()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%+v: %v, want %s", cfg, err, want)
	}
	if _, err := New(cfg); err == nil {
		t.Errorf("New(%+v) gives no error", cfg)
	}
	if _, err := Exact(cfg); err == nil {
		t.Errorf("Exact(%+v) gives no error", cfg)
	}
	if _, err := Simulate(context.Background(), cfg, mc.Plan{Replicas: 1}); err == nil {
		t.Errorf("Simulate(%+v) gives no error", cfg)
	}
}

// TestLimits: the last value within each limit is taken, and the next one is refused by name.
func TestLimits(t *testing.T) {
	// The offset in units of a bin's speed, unit and capacity: 2^20 * 2^11 * 2^31 is 2^62.
	fast := Config{Bins: 1 << 20, Rule: RelativeThreshold, Speeds: []int{1 << 11}, Balls: []int{100}}
	token := Config{Rule: Token, Information: Batched}
	shares := Config{Sampling: Sampling{Law: Given, Shares: []float64{1e6}}}
	for name, c := range map[string]struct {
		cfg    Config
		change func(c *Config) // beyond the limit
		field  string
	}{
		"offset": {with(fast, func(c *Config) { c.Offset = 1<<20 - 1 }), func(c *Config) { c.Offset++ }, "Offset"},
		"token":  {with(token, func(c *Config) { c.Batch = 1 << 26 }), func(c *Config) { c.Batch++ }, "Batch"},
		"shares": {shares, func(c *Config) { c.Sampling.Shares = []float64{1e6 + 1} }, "Sampling"},
		"speed":  {Config{Bins: 2, Balls: []int{1}, Speeds: []int{1 << 16}}, func(c *Config) { c.Speeds = []int{1<<16 + 1} }, "Speeds"},
		"width":  {Config{Information: GBounded, Width: 1 << 20}, func(c *Config) { c.Width++ }, "Width"},
		"sigma":  {Config{Information: SigmaFormal, Sigma: 1 << 16}, func(c *Config) { c.Sigma++ }, "Sigma"},
	} {
		if err := c.cfg.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkRefused(t, with(c.cfg, c.change), c.field+" (")
	}
}

// TestHalfOfAnOddNumber: the first floor(n/2) bins have the larger share.
func TestHalfOfAnOddNumber(t *testing.T) {
	if got := (Sampling{Law: Half, Parameter: 0.5}).shares(5); !slices.Equal(got, []float64{1.5, 1.5, 0.5, 0.5, 0.5}) {
		t.Errorf("shares %v", got)
	}
}

// with returns a changed configuration.
func with(c Config, change func(*Config)) Config {
	change(&c)
	return c
}

// TestExactRefusals: laws that are not rational or too large are refused.
func TestExactRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: 2, Balls: []int{2}, Information: SigmaFormal, Sigma: 1}, "has no rational law"},
		{Config{Bins: 2, Balls: []int{2}, Weights: Weights{Law: ExponentialWeights}}, "have no rational law"},
		{Config{}, "Bins (1000) must be in [1, 16] for an exact law"},
		// Two balls of 24 weights in 16 bins: 69,120 states with the balls apart, from 384 with one ball.
		{Config{Bins: 16, Rule: OneChoice, Balls: []int{2}, Weights: manyWeights(24)}, "have more than 65536 states"},
	} {
		if _, err := Exact(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.cfg, err, c.want)
		}
	}
}

// manyWeights returns equally likely weights 1, 2, ..., count.
func manyWeights(count int) Weights {
	w := Weights{Law: GivenWeights}
	for size := range count {
		w.Sizes = append(w.Sizes, size+1)
	}
	return w
}

// TestTexts: samples and weights are read as they are written.
func TestTexts(t *testing.T) {
	for _, text := range []string{"uniform", "half:0.5", "given:3:1:0.25"} {
		if s, err := ParseSampling(text); err != nil || s.String() != text {
			t.Errorf("ParseSampling(%q) = %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "half", "half:x", "half:1:2", "uniform:1", "given", "given:", "zipf:1", "half:"} {
		if s, err := ParseSampling(text); err == nil || !strings.Contains(err.Error(), "must be uniform, half:A") {
			t.Errorf("ParseSampling(%q) = %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"unit", "exponential", "one-or-two", "given:1:1:4"} {
		if w, err := ParseWeights(text); err != nil || w.String() != text {
			t.Errorf("ParseWeights(%q) = %v, %v", text, w, err)
		}
	}
	for _, text := range []string{"", "given", "given:a", "given:0.5", "heavy", "unit:2"} {
		if w, err := ParseWeights(text); err == nil || !strings.Contains(err.Error(), "must be unit, exponential") {
			t.Errorf("ParseWeights(%q) = %v, %v", text, w, err)
		}
	}
}

// TestSameForAnyWorkers: estimates, histograms included, do not depend on the number of workers.
func TestSameForAnyWorkers(t *testing.T) {
	for _, rule := range []Rule{TwoChoice, Memory, Quantile} {
		cfg := Config{Bins: 20, Rule: rule, Information: Batched, Balls: []int{10, 100}, Histogram: true}
		mctest.SameForAnyWorkers(t, string(rule), func(workers int) (any, error) {
			return Simulate(context.Background(), cfg, mc.Plan{Seed: 4, Replicas: 150, Workers: workers})
		})
	}
}

// TestObservations: the observations of a run agree with its loads, also for weights without a
// lattice and a start that is not level.
func TestObservations(t *testing.T) {
	for _, weights := range WeightLaws() {
		cfg := Config{Bins: 7, Weights: Weights{Law: weights}, Start: []int{3, 0, 1}, Balls: []int{50}, Histogram: true}
		if weights == GivenWeights {
			cfg.Weights.Sizes = []int{2, 5}
		}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		p.Advance(50)
		loads := make([]float64, p.bins())
		var total float64
		for i := range loads {
			loads[i] = p.Load(i)
			total += loads[i]
		}
		most, least := slices.Max(loads), slices.Min(loads)
		near := func(a, b float64) bool { return math.Abs(a-b) < 2e-6 }
		if !near(p.Gap(), most-total/7) || !near(p.Under(), total/7-least) || p.Max() != most || p.MaxGap() < p.Gap() ||
			p.Balls() != 50 {
			t.Errorf("%v: gap %v, under %v, max %v, loads %v", weights, p.Gap(), p.Under(), p.Max(), loads)
		}
		if weights == UnitWeights && total != 54 {
			t.Errorf("total %v, want 54", total)
		}
		r, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		o, want := r.Observations[0], map[string]float64{}
		for _, load := range loads {
			want[fmt.Sprintf("%.4f", load-math.Floor(total/7))] += 1.0 / 7
		}
		for _, l := range o.Levels {
			want[fmt.Sprintf("%.4f", l.Value)] -= l.Share
		}
		for level, rest := range want {
			if math.Abs(rest) > 1e-9 {
				t.Errorf("%v: level %s is off by %v bins", weights, level, rest*7)
			}
		}
		if !near(o.Gap.Value, p.Gap()) || !near(o.MaxLoad.Value, most) || !near(o.Under.Value, p.Under()) ||
			!near(o.MaxGap.Value, p.MaxGap()) {
			t.Errorf("%v: %+v", weights, o)
		}
	}
}

// TestNoAllocation: balls allocate nothing, under any rule and information.
func TestNoAllocation(t *testing.T) {
	for _, c := range smallConfigs() {
		c.Balls = []int{mc.MaxRounds}
		p, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		p.Advance(100)
		if allocations := testing.AllocsPerRun(5, func() { p.Advance(100) }); allocations != 0 {
			t.Errorf("%s: %v allocations in 100 balls", nameOf(c), allocations)
		}
	}
}

// TestCancel: a cancelled context ends a long run.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Simulate(ctx, Config{Balls: []int{1 << 30}, Bins: 100}, mc.Plan{Replicas: 4}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// TestNormalTail compares the tail with tables.
func TestNormalTail(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0.5, 1: 0.15865525393145705, 1.96: 0.024997895148220435, 3: 0.0013498980316300933, 6: 9.86587645e-10,
		-1: 0.8413447460685429, 12: 0,
	} {
		if got := normalTail(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("normalTail(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestComparisonErrors: the noisy comparisons err as often as their definitions say, by independent
// formulas or by drawing the noise; binomial errors, z = 4 (6.3e-5 a comparison).
func TestComparisonErrors(t *testing.T) {
	rng := mc.NewStream(mctest.Seed(t, 6), mc.Algorithm, 0).Rand()
	normal := func() float64 { // Box and Muller
		return math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
	}
	const draws = 200_000
	for _, sigma := range []float64{0.5, 4} {
		for _, difference := range []float64{0, 1, 3, 7} {
			var gaussian float64
			for range draws {
				heavy, light := 100+difference+sigma*normal(), 100+sigma*normal()
				if heavy < light {
					gaussian++
				}
			}
			want := gaussianError(difference, sigma)
			slack := mctest.Z(t)*math.Sqrt(want*(1-want)/draws) + 1.0/draws
			if math.Abs(gaussian/draws-want) > slack {
				t.Errorf("σ=%v, D=%v: errors %v, want %v", sigma, difference, gaussian/draws, want)
			}
		}
	}
	if got := formalError(2, 4); math.Abs(got-math.Exp(-0.25)/2) > 1e-15 {
		t.Errorf("formal error %v", got)
	}
	for _, c := range []float64{formalError(0, 0), gaussianError(0, 0)} {
		if c != 0.5 {
			t.Errorf("an error of %v between equal loads without noise", c)
		}
	}
}

// TestNewBeginsARun: a process that was not reset is at the start of a run.
func TestNewBeginsARun(t *testing.T) {
	for _, cfg := range smallConfigs() {
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		q, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		q.Reset(mc.Stream{})
		p.Advance(50)
		q.Advance(50)
		if p.Balls() != 50 || p.Gap() != q.Gap() || p.Load(0) != q.Load(0) {
			t.Errorf("%+v: %d balls, gap %v and %v", cfg, p.Balls(), p.Gap(), q.Gap())
		}
	}
}
