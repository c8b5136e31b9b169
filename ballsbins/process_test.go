package ballsbins

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/draw"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestAgainstExactSmallN compares mean maximum loads with the exact values of an
// independent computation at all of its rounds, up to 1000 for two bins: up to round 100
// with 32,000 replicas, beyond it with 8,000, or 32,000 with REPSLAB_LONG=1. The standard
// error is at most 0.45 % of the mean, so that an error of 3 % is more than six of them;
// of 8,000 replicas 0.9 %, so that one of 6 % is.
func TestAgainstExactSmallN(t *testing.T) {
	t.Parallel()
	type key struct {
		bins   int
		lambda float64
	}
	exact := map[key]map[int]float64{}
	for _, row := range mctest.Reference(t, "testdata/exact_small_n.csv") {
		k := key{int(row.Number(t, "n")), row.Number(t, "lambda")}
		if exact[k] == nil {
			exact[k] = map[int]float64{}
		}
		exact[k][int(row.Number(t, "round"))] = row.Number(t, "exact_mean_max_after_throw")
	}
	if len(exact) < 4 {
		t.Fatalf("only %d cases in the reference", len(exact))
	}
	for k, byRound := range exact {
		t.Run(fmt.Sprintf("bins=%d/lambda=%v", k.bins, k.lambda), func(t *testing.T) {
			rounds := slices.Sorted(maps.Keys(byRound))
			if last := rounds[len(rounds)-1]; last < 200 || k.bins == 2 && last < 1000 {
				t.Fatalf("the reference ends at round %d", last)
			}
			cfg := Config{Bins: k.bins, Lambda: k.lambda, Rounds: rounds}
			if mctest.Long() {
				compareExact(t, cfg, 32_000, 0.0045, byRound)
				return
			}
			compareExact(t, cfg, 8000, 0.009, byRound)
			cfg.Rounds = rounds[:slices.Index(rounds, 100)+1]
			compareExact(t, cfg, 32_000, 0.0045, byRound)
		})
	}
}

// compareExact compares the mean maximum loads of replicas with exact ones by round, to a relative
// standard error.
func compareExact(t *testing.T, cfg Config, replicas uint64, precision float64, exact map[int]float64) {
	t.Helper()
	result, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range result.Observations {
		mctest.Agree(t, fmt.Sprintf("mean maximum at round %d", o.Round), o.MaxLoad, exact[o.Round], 0, 0)
		if o.MaxLoad.StdErr > precision*o.MaxLoad.Value {
			t.Errorf("round %d: the standard error of %v is %v, relatively above %v", o.Round, o.MaxLoad.Value, o.MaxLoad.StdErr, precision)
		}
	}
}

// TestAgainstPaperFigure holds the mean maximum at round 1000 against the
// reference values of the figure's set-up, which are given to one decimal. The larger n is,
// the less a maximum varies; from 1,000 replicas at n = 4 to 125 at n = 128 the standard
// error is about 1 %, so that an error of 7 % is seen.
func TestAgainstPaperFigure(t *testing.T) {
	t.Parallel()
	for bins, want := range map[int]float64{4: 36.2, 8: 47.5, 16: 57.9, 32: 66.2, 64: 74.5, 128: 81.7} {
		plan := mc.Plan{Seed: mctest.Seed(t, 1), Replicas: uint64(min(1000, 16_000/bins))}
		served, err := Simulate(context.Background(), Config{Bins: bins, Lambda: 0.99, Rounds: []int{1000}}, plan)
		if err != nil {
			t.Fatal(err)
		}
		// The reference has the error of some thousand replicas.
		got := served.Observations[0].MaxLoad
		theirs := got.StdErr * math.Sqrt(float64(got.N)/1000)
		mctest.Agree(t, fmt.Sprintf("n=%d: mean maximum", bins), got, want, theirs, 0.05)
		weighted, err := Simulate(context.Background(), Config{Bins: bins, Lambda: 0.99, Variant: Weighted, Rounds: []int{1000}}, plan)
		if err != nil {
			t.Fatal(err)
		}
		// Balls of weight 0.99 have nearly the same variance per round; the authors
		// record after the service, one ball less.
		if got := weighted.Observations[0].MaxLoad.Value; math.Abs(got-(want-1)) > 0.05*want {
			t.Errorf("n=%d: weighted mean maximum %v, want near %v", bins, got, want-1)
		}
	}
}

// law is a probability law over load vectors, written as text.
type law map[string]float64

// exactLaw iterates the process by enumerating, for every load vector, all fates
// of all balls of a round: a slow transcription of the definitions.
func exactLaw(cfg Config, rounds int) law {
	start := make([]int, cfg.Bins)
	copy(start, cfg.Start)
	now := law{encode(start): 1}
	if cfg.Policy == RoundRobin {
		now = law{encode(start) + "0": 1}
	}
	for range rounds {
		after := law{}
		for state, p := range now {
			loads, next := decode(state, cfg.Bins)
			if cfg.Variant == ServeThenArrive {
				serveExact(loads)
			}
			throwExact(cfg, append([]int(nil), loads...), loads, next, 0, p, after)
		}
		if cfg.Variant == ArriveThenServe {
			after = servedExact(after, cfg.Bins)
		}
		now = after
	}
	return now
}

func servedExact(l law, bins int) law {
	served := law{}
	for state, p := range l {
		loads, next := decode(state, bins)
		serveExact(loads)
		key := encode(loads)
		if strings.Count(state, ",") == bins && !strings.HasSuffix(state, ",") {
			key += strconv.Itoa(next)
		}
		served[key] += p
	}
	return served
}

func serveExact(loads []int) {
	for i := range loads {
		loads[i] = max(0, loads[i]-1)
	}
}

// throwExact adds to after all outcomes of throwing balls ball, ball+1, ... of a
// batch whose loads at the start were start.
func throwExact(cfg Config, start, loads []int, next, ball int, p float64, after law) {
	n := cfg.Bins
	if ball == n {
		key := encode(loads)
		if cfg.Policy == RoundRobin {
			key += strconv.Itoa(next)
		}
		after[key] += p
		return
	}
	into := func(bin, next int, q float64) {
		changed := append([]int(nil), loads...)
		changed[bin]++
		throwExact(cfg, start, changed, next, ball+1, p*q*cfg.Lambda, after)
	}
	if cfg.Lambda < 1 {
		throwExact(cfg, start, loads, next, ball+1, p*(1-cfg.Lambda), after)
	}
	switch cfg.Policy {
	case Uniform:
		for bin := range n {
			into(bin, next, 1/float64(n))
		}
	case Static:
		into(ball, next, 1)
	case RoundRobin:
		into(next, (next+1)%n, 1)
	case TwoChoice:
		for a := range n {
			for b := range n {
				q := 1 / float64(n*n)
				switch {
				case start[a] < start[b]:
					into(a, next, q)
				case start[a] > start[b]:
					into(b, next, q)
				default:
					into(a, next, q/2)
					into(b, next, q/2)
				}
			}
		}
	}
}

func encode(loads []int) string {
	var s strings.Builder
	for _, x := range loads {
		fmt.Fprintf(&s, "%d,", x)
	}
	return s.String()
}

func decode(state string, bins int) (loads []int, next int) {
	fields := strings.Split(state, ",")
	for _, f := range fields[:bins] {
		x, _ := strconv.Atoi(f)
		loads = append(loads, x)
	}
	next, _ = strconv.Atoi(fields[bins])
	return loads, next
}

// TestAgainstEnumeration compares the whole joint law after three rounds with
// exhaustive enumeration, for every policy and both orders, by a chi-square test
// (Wilson-Hilferty z <= 6.11, alpha about 1e-9) over states of probability above
// 5/draws, the others pooled. With 50,000 draws it sees an error of 0.02 in the
// probability of a state, with the 200,000 of REPSLAB_LONG=1 one of 0.01.
func TestAgainstEnumeration(t *testing.T) {
	t.Parallel()
	const rounds = 3
	draws := 50_000
	if mctest.Long() {
		draws = 200_000
	}
	for _, policy := range Policies() {
		for _, variant := range []Variant{ServeThenArrive, ArriveThenServe} {
			for _, lambda := range []float64{1, 0.7} {
				for _, bins := range []int{2, 3} {
					cfg := Config{Bins: bins, Lambda: lambda, Variant: variant, Policy: policy}
					name := fmt.Sprintf("policy=%s/variant=%s/lambda=%v/bins=%d", policy, variant, lambda, bins)
					t.Run(name, func(t *testing.T) { compareLaws(t, cfg, rounds, draws) })
				}
			}
		}
	}
}

func compareLaws(t *testing.T, cfg Config, rounds, draws int) {
	want := law{}
	for state, p := range exactLaw(cfg, rounds) {
		loads, _ := decode(state, cfg.Bins)
		want[encode(loads)] += p
	}
	process, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	seed := mctest.Seed(t, 3)
	drawn := map[[3]int]int{} // at most three bins
	for replica := range draws {
		process.Reset(mc.NewStream(seed, mc.Algorithm, uint64(replica)))
		for range rounds {
			process.Step()
		}
		var loads [3]int
		for i := range cfg.Bins {
			loads[i] = int(process.Load(i))
		}
		drawn[loads]++
	}
	counts := map[string]int{}
	for loads, n := range drawn {
		counts[encode(loads[:cfg.Bins])] = n
	}
	var chi2, cells float64
	rareWant, rareGot := 0.0, 0
	for state, n := range counts {
		if want[state] == 0 {
			t.Fatalf("state %s drawn %d times, but it cannot be reached", state, n)
		}
	}
	for state, p := range want {
		expected := p * float64(draws)
		if expected < 5 {
			rareWant += expected
			rareGot += counts[state]
			continue
		}
		d := float64(counts[state]) - expected
		chi2 += d * d / expected
		cells++
	}
	if rareWant >= 5 {
		d := float64(rareGot) - rareWant
		chi2 += d * d / rareWant
		cells++
	}
	if k := cells - 1; k > 0 {
		if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); z > 6.11 {
			t.Errorf("chi-square %.1f with %v degrees of freedom (z = %.1f)", chi2, k, z)
		}
	}
}

// TestWeightedBalls: weight 1 is the unit-ball process, and weight 0.99 follows
// the recurrence max(0, x + 0.99 a - 1) for the same arrivals.
func TestWeightedBalls(t *testing.T) {
	unit, _ := New(Config{Bins: 5, Variant: ArriveThenServe})
	whole, _ := New(Config{Bins: 5, Variant: Weighted})
	light, _ := New(Config{Bins: 5, Variant: Weighted, Lambda: 0.99})
	for _, p := range []*Process{unit, whole, light} {
		p.Reset(mc.NewStream(4, mc.Algorithm, 0))
	}
	want, drawer, bins := make([]float64, 5), draw.New(5), make([]uint16, 5)
	for range 300 {
		rng := light.rng
		draw.Fill(&drawer, &rng, bins)
		for _, bin := range bins {
			want[bin] += 0.99
		}
		unit.Step()
		whole.Step()
		light.Step()
		for i := range want {
			want[i] = max(0, want[i]-1)
			if whole.Load(i) != unit.Load(i) {
				t.Fatalf("round %d, bin %d: weight 1 gives %v, unit balls %v", unit.Round(), i, whole.Load(i), unit.Load(i))
			}
			if math.Abs(light.Load(i)-want[i]) > 1e-9 {
				t.Fatalf("round %d, bin %d: load %v, want %v", light.Round(), i, light.Load(i), want[i])
			}
		}
	}
}

// TestControlsHaveNoQueues: perfect assignments never queue at λ = 1.
func TestControlsHaveNoQueues(t *testing.T) {
	for _, policy := range []Policy{RoundRobin, Static} {
		b, _ := New(Config{Bins: 9, Policy: policy})
		b.Reset(mc.NewStream(1, mc.Algorithm, 0))
		for range 100 {
			b.Step()
			if most, total := b.observe(); most != 1 || total != 9 {
				t.Fatalf("%s: round %d: maximum %d, total %d", policy, b.Round(), most, total)
			}
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, policy := range Policies() {
		for _, variant := range Variants() {
			b, _ := New(Config{Bins: 32, Lambda: 0.9, Policy: policy, Variant: variant})
			stream := mc.NewStream(1, mc.Algorithm, 0)
			if n := testing.AllocsPerRun(10, func() { b.Reset(stream); b.Step() }); n != 0 {
				t.Errorf("%s, %s: %v allocations a round", policy, variant, n)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: -1}, "Bins (-1) must be in [1, 16777216]"},
		{Config{Bins: 1, Lambda: 1.5}, "Lambda (1.5) must be in (0, 1]"},
		{Config{Bins: 1, Lambda: -0.5}, "Lambda (-0.5) must be in (0, 1]"},
		{Config{Bins: 1, Lambda: math.NaN()}, "Lambda (NaN) must be in (0, 1]"},
		{Config{Bins: 1, Lambda: 1e-10, Variant: Weighted}, "Lambda (1e-10) must be at least 1e-09"},
		{Config{Bins: 1, Policy: "three-choice"}, `Policy ("three-choice") must be one of [uniform two-choice round-robin static]`},
		{Config{Bins: 1, Variant: "x"}, `Variant ("x") must be one of`},
	} {
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v): error %v, want %q", c.cfg, err, c.want)
		}
	}
}
