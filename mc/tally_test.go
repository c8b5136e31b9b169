package mc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// everything is a tally with a part of each kind.
type everything struct {
	count   Count
	moments Moments
	sample  Sample
	pairs   PairedMoments
}

func (e *everything) Parts() []NamedPart {
	return []NamedPart{{"count", &e.count}, {"moments", &e.moments}, {"sample", &e.sample}, {"pairs", &e.pairs}}
}
func (e *everything) StoppingStatistic() Estimate { return e.sample.Mean(DefaultConfidence) }

func (e *everything) add(x, y int64) {
	e.count++
	e.moments.Add(x)
	e.sample.Add(y)
	e.pairs.Add(max(x, -x), max(y, -y))
}

// extremes are observations at the ends of the ranges of sums and squares.
var extremes = []int64{0, 1, -1, 7, 7, -7, 1 << 49, -1 << 49, 1 << 61, -1 << 61}

// TestTallySurvivesEncoding: a tally that was written and read is the same, the text is valid JSON, and
// merging tallies gives the same before and after writing and reading.
func TestTallySurvivesEncoding(t *testing.T) {
	for n := range len(extremes) {
		var all, first, second everything
		for i, x := range extremes[:n] {
			y := extremes[len(extremes)-1-i]
			all.add(x, y)
			if i%2 == 0 {
				first.add(x, y)
			} else {
				second.add(x, y)
			}
		}
		text := AppendTally(nil, &all)
		if !json.Valid(text) {
			t.Errorf("%s is no JSON", text)
		}
		var merged, read everything
		for _, part := range []*everything{&second, &first} {
			if err := ReadTally(AppendTally(nil, part), &read); err != nil {
				t.Fatal(err)
			}
			MergeTally(&merged, &read)
		}
		if got := AppendTally(nil, &merged); string(got) != string(text) {
			t.Errorf("%d observations: merged %s, at once %s", n, got, text)
		}
		if merged.moments != all.moments || merged.pairs != all.pairs || merged.sample.settled() != all.sample.settled() || merged.sample.N() != uint64(n) {
			t.Errorf("%d observations: the moments differ", n)
		}
	}
}

func TestReadTallyRefusesOtherText(t *testing.T) {
	var good everything
	good.add(3, 4)
	good.add(5, 6)
	text := string(AppendTally(nil, &good))
	if want := `{"count":2,"moments":[2,8,34],"sample":[[4,1],[6,1]],"pairs":[[2,8,34],[2,10,52],[2,18,170]]}`; text != want {
		t.Fatalf("tally %s, want %s", text, want)
	}
	for cut := range len(text) {
		if err := ReadTally([]byte(text[:cut]), new(everything)); err == nil {
			t.Errorf("the first %d bytes of a tally were taken for one", cut)
		}
	}
	for _, bad := range []string{
		text + " ", `{"count":02` + text[10:], `{"count":-2` + text[10:], `{"count":18446744073709551616` + text[10:],
		`{"moments":2` + text[10:],
		`{"count":2,"moments":[2,8,-34],"sample":[],"pairs":[[0,0,0],[0,0,0],[0,0,0]]}`,
		`{"count":2,"moments":[2,8,34],"sample":[[6,1],[4,1]],"pairs":[[0,0,0],[0,0,0],[0,0,0]]}`,
		`{"count":2,"moments":[2,8,34],"sample":[[6,0]],"pairs":[[0,0,0],[0,0,0],[0,0,0]]}`,
		`{"count":2,"moments":[2,8,34],"sample":[[9223372036854775807,4294967296]],"pairs":[[0,0,0],[0,0,0],[0,0,0]]}`,
		`{"count":2,"moments":[2,170141183460469231731687303715884105728,34],"sample":[],"pairs":[[0,0,0],[0,0,0],[0,0,0]]}`,
		`{"count":2,"moments":[2,` + strings.Repeat("9", 16<<20) + text[26:], // parsing it would take half an hour
	} {
		if err := ReadTally([]byte(bad), new(everything)); err == nil {
			t.Errorf("%.200s was taken for a tally", bad)
		}
	}
}

// TestReadTallyRefusesImpossibleSums: each refused tally breaks a single condition, by one unit if
// possible.
func TestReadTallyRefusesImpossibleSums(t *testing.T) {
	const none, pairs = "[0,0,0]", "[[2,8,34],[2,10,52],[2,18,170]]" // the pairs (3, 4), (5, 6)
	for _, c := range []struct {
		name, moments, pairs string
		allowed              bool
	}{
		{"observations", "[2,8,34]", pairs, true},
		{"no scatter", "[2,8,32]", pairs, true},
		{"squares below", "[2,8,31]", pairs, false},
		{"squares below, far", "[2,10,1]", pairs, false},
		{"no scatter below 0", "[2,-8,32]", pairs, true},
		{"squares below, below 0", "[2,-8,31]", pairs, false},
		{"no scatter, wide", "[2,18446744073709551616,170141183460469231731687303715884105728]", pairs, true},
		{"squares below, wide", "[2,18446744073709551616,170141183460469231731687303715884105727]", pairs, false},
		{"a sum of nothing", "[0,1,1]", pairs, false},
		{"squares of nothing", "[0,0,1]", pairs, false},
		{"no pairs", none, "[[0,0,0],[0,0,0],[0,0,0]]", true},
		{"numbers differ", none, "[[2,8,34],[3,10,36],[2,18,170]]", false},
		{"sums differ", none, "[[2,8,34],[2,12,74],[2,18,170]]", false},
		{"numbers below 0", none, "[[2,-8,64],[2,10,100],[2,2,164]]", false},
		{"products in halves", none, "[[2,10,100],[2,10,100],[2,20,301]]", false},
		{"products below 0", none, "[[4,10,100],[4,10,100],[4,20,198]]", false},
		{"more than full correlation", none, "[[2,8,34],[2,10,52],[2,18,172]]", false},
	} {
		err := ReadTally(fmt.Appendf(nil, `{"count":0,"moments":%s,"sample":[],"pairs":%s}`, c.moments, c.pairs), new(everything))
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, errImpossible) {
			t.Errorf("%s: error %v, want none: %t", c.name, err, c.allowed)
		}
	}
}

// parts is a tally of any parts.
type parts []NamedPart

func (p parts) Parts() []NamedPart        { return p }
func (parts) StoppingStatistic() Estimate { return Estimate{} }

// mustPanic checks the message of a panic.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

// TestPartsMustBeNamed: a tally that could not be read again is not written.
func TestPartsMustBeNamed(t *testing.T) {
	for _, c := range []struct {
		tally parts
		want  string
	}{
		{parts{{`a" b`, new(Count)}}, `the name of part "a\" b" must consist of ASCII letters, digits and underscores`},
		{parts{{"x", new(Count)}, {"", new(Count)}}, `the name of part "" must consist of ASCII letters, digits and underscores`},
		{parts{{"é", new(Count)}}, `the name of part "é" must consist of ASCII letters, digits and underscores`},
		{parts{{"x-y", new(Count)}}, `the name of part "x-y" must consist of ASCII letters, digits and underscores`},
		{parts{{"x", nil}}, `part "x" must be a *Count, *Moments, *Sample or *PairedMoments that is not nil`},
		{parts{{"x", (*Sample)(nil)}}, `part "x" must be a *Count, *Moments, *Sample or *PairedMoments that is not nil`},
		{parts{{"x", struct{ Part }{new(Count)}}}, `part "x" must be a *Count, *Moments, *Sample or *PairedMoments that is not nil`},
		{parts{{"x", new(Count)}, {"y", new(Count)}, {"x", new(Moments)}}, `two parts of the tally have the name "x"`},
	} {
		mustPanic(t, "mc: AppendTally: "+c.want, func() { AppendTally(nil, c.tally) })
		experiment := Repeat(func() parts { return c.tally }, func(parts, uint64, uint64) {})
		mustPanic(t, "mc: Experiment: "+c.want, func() { experiment.Run(context.Background(), Plan{Replicas: 1}) })
		if c.tally[0].Name != "x" || len(c.tally) == 1 { // one fault, in the first part
			mustPanic(t, "mc: ReadTally: "+c.want, func() { ReadTally([]byte("{"), c.tally) })
			mustPanic(t, "mc: MergeTally: "+c.want, func() { MergeTally(c.tally, c.tally) })
		}
	}
	if got := string(AppendTally(nil, parts{{"aZ_09", new(Count)}})); got != `{"aZ_09":0}` {
		t.Errorf("tally %s", got)
	}
}

// TestMergeTallyOfDifferentExperiments: nothing is merged if a part differs.
func TestMergeTallyOfDifferentExperiments(t *testing.T) {
	one := Count(1)
	into := func() parts { return parts{{"n", &one}, {"x", new(Moments)}} }
	for _, c := range []struct {
		from Tally
		want string
	}{
		{parts{{"n", &one}}, "tallies of 2 and 1 parts are of different experiments"},
		{parts{{"n", &one}, {"y", new(Moments)}}, `part "x" (*mc.Moments) and part "y" (*mc.Moments) are of different experiments`},
		{parts{{"n", &one}, {"x", new(Sample)}}, `part "x" (*mc.Moments) and part "x" (*mc.Sample) are of different experiments`},
		{nil, "a tally is nil"},
		{(*sums)(nil), "a tally is nil"},
	} {
		mustPanic(t, "mc: MergeTally: "+c.want, func() { MergeTally(into(), c.from) })
	}
	mustPanic(t, "mc: MergeTally: a tally is nil", func() { MergeTally(nil, into()) })
	if one != 1 {
		t.Errorf("the first part became %d", one)
	}
}

// TestExperimentsWithoutFunctions: a nil function panics in the goroutine of the caller. A missing
// function that only a worker notices is an error of its block.
func TestExperimentsWithoutFunctions(t *testing.T) {
	type prepare = func(uint64) (func(context.Context, *sums, uint64) error, error)
	ctx, plan := context.Background(), Plan{Replicas: 10}
	newTally, add := func() *sums { return new(sums) }, func(*sums, uint64, uint64) {}
	whole := Repeat(newTally, add)
	mustPanic(t, "mc: Repeat: newTally must not be nil", func() { Repeat(nil, add) })
	mustPanic(t, "mc: Repeat: add must not be nil", func() { Repeat(newTally, nil) })
	mustPanic(t, "mc: EachReplica: newTally must not be nil", func() { EachReplica(nil, prepare(nil)) })
	mustPanic(t, "mc: EachReplica: prepare must not be nil", func() { EachReplica(newTally, nil) })
	open := func() (resettable, error) { return nil, nil }
	mustPanic(t, "mc: EachRun: open must not be nil",
		func() { EachRun(newTally, nil, func(context.Context, *sums, resettable) error { return nil }) })
	mustPanic(t, "mc: EachRun: run must not be nil", func() { EachRun(newTally, open, nil) })
	mustPanic(t, "mc: Experiment: Experiment.NewTally must not be nil", func() { Experiment[*sums]{}.Run(ctx, plan) })
	mustPanic(t, "mc: Experiment: Experiment.NewWorker must not be nil", func() { Experiment[*sums]{NewTally: newTally}.Run(ctx, plan) })
	mustPanic(t, "mc: Paired: Experiment.NewTally must not be nil", func() { Paired(whole, Experiment[*sums]{}) })
	noTally := Repeat(func() *sums { return nil }, add)
	mustPanic(t, "mc: Experiment: the tally that NewTally returns must not be nil", func() { noTally.Run(ctx, plan) })
	mustPanic(t, "mc: Experiment: the tally that NewTally returns must not be nil", func() { Paired(whole, noTally).Run(ctx, plan) })

	noFunction := EachReplica(newTally, func(uint64) (func(context.Context, *sums, uint64) error, error) { return nil, nil })
	noWorker := Experiment[*sums]{NewTally: newTally, NewWorker: func(uint64) Worker[*sums] { return nil }}
	for want, run := range map[string]func() error{
		"mc: EachReplica: prepare returned no function": func() error { _, _, err := noFunction.Run(ctx, plan); return err },
		"mc: EachReplica: newTally returned no tally":   func() error { _, err := noTally.NewWorker(1)(ctx, Block{0, 1}); return err },
		"mc: Run: newWorker returned no worker":         func() error { _, _, err := Paired(whole, noWorker).Run(ctx, plan); return err },
	} {
		if err := run(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func FuzzReadTally(f *testing.F) {
	var e everything
	for _, x := range extremes {
		f.Add(AppendTally(nil, &e))
		e.add(x, -x)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var e everything
		if ReadTally(data, &e) == nil && string(AppendTally(nil, &e)) != string(data) {
			t.Errorf("%s was read, but is written as %s", data, AppendTally(nil, &e))
		}
	})
}

// TestWelch compares with an example worked out by hand: se 3 and 4 with 10 and 20
// observations give 625/(81/9 + 256/19) = 27.8103 degrees of freedom.
func TestWelch(t *testing.T) {
	w := NewWelch(10, 3, 10, 4, 20)
	if math.Abs(w.Degrees-27.8103) > 1e-4 {
		t.Errorf("%v degrees of freedom, want 27.8103", w.Degrees)
	}
	// t = 2 with 27.8103 degrees: numerical integration gives p = 0.05530.
	if math.Abs(w.P-0.05530) > 2e-4 || w.Lo > 0 || w.Hi < 20 || math.Abs((w.Lo+w.Hi)/2-10) > 1e-12 {
		t.Errorf("%+v", w)
	}
	if w := NewWelch(1, 0, 5, 0, 5); w.P != 0 || w.Lo != 1 || w.Hi != 1 {
		t.Errorf("without scatter: %+v", w)
	}
	if w := NewWelch(0, 0, 5, 0, 5); w.P != 1 {
		t.Errorf("without scatter and difference: %+v", w)
	}
	for _, n := range [][2]float64{{1, 9}, {9, 1}, {1, 1}} {
		if w := NewWelch(5, 1, n[0], 1, n[1]); w.P != 1 || !math.IsInf(w.Lo, -1) || !math.IsInf(w.Hi, 1) {
			t.Errorf("%v observations: %+v", n, w)
		}
	}
	// Two beside nine: 4/(1 + 1/8) = 3.5556 degrees of freedom.
	if w := NewWelch(5, 1, 2, 1, 9); math.Abs(w.Degrees-3.5556) > 1e-4 || !(w.Lo > -10 && w.Hi < 20 && w.P < 1) {
		t.Errorf("two observations: %+v", w)
	}
}

// TestWelchRatio compares with an example worked out by hand: two relative standard errors of 0.1
// with 10 observations each give 18 degrees of freedom and exp(2.100922 * 0.1414214) = 1.345970. Of the
// intervals of 5,000 pairs of samples, 5 normal observations each with relative deviations of 20 and 10 %,
// 95 % contain the ratio, within 6.11 standard errors of 0.31 % (false-alarm rate 1e-9) and 0.5 % for
// the approximation.
func TestWelchRatio(t *testing.T) {
	if lo, hi := WelchRatio(20, 2, 10, 10, 1, 10); math.Abs(lo-2/1.345970) > 1e-5 || math.Abs(hi-2*1.345970) > 2e-5 {
		t.Errorf("[%v, %v], want [1.485917, 2.691940]", lo, hi)
	}
	for _, exact := range []float64{10, math.Inf(1)} {
		lo, hi := WelchRatio(20, 2, 10, 10, 0, exact)
		if mean, end := StudentInterval(math.Log(2), 0.1, 10, 0.95); math.Abs(math.Log(lo)-mean) > 1e-9 || math.Abs(math.Log(hi)-end) > 1e-9 {
			t.Errorf("over an exact mean [%v, %v]", lo, hi)
		}
	}
	if lo, hi := WelchRatio(1, 1, 1, 1, 1, 5); lo != 0 || !math.IsInf(hi, 1) {
		t.Errorf("one observation: [%v, %v]", lo, hi)
	}
	mustPanic(t, "mc: WelchRatio: a (0) and b (1) must be positive and finite", func() { WelchRatio(0, 1, 5, 1, 1, 5) })
	random := rand.New(rand.NewPCG(1, 2))
	const samples, n = 5_000, 5
	sample := func(mean, deviation float64) (Estimate, float64) {
		var m Moments
		for range n {
			m.Add(int64(mean * (1 + deviation*random.NormFloat64())))
		}
		return m.Mean(0.95), n
	}
	inside := 0
	for range samples {
		a, nA := sample(3e6, 0.2)
		b, nB := sample(1e6, 0.1)
		if lo, hi := WelchRatio(a.Value, a.StdErr, nA, b.Value, b.StdErr, nB); lo <= 3 && 3 <= hi {
			inside++
		}
	}
	if share := float64(inside) / samples; math.Abs(share-0.95) > 0.0239 {
		t.Errorf("%.4f of the intervals contain the ratio, want 0.95", share)
	}
}

// TestEstimateWelch: times, ratios and their excesses in per cent are compared on the logarithmic scale,
// with the interval of WelchRatio. Means, and estimates with different origins, are compared on the
// linear scale, as NewWelch does. An estimate without scatter is compared on the scale of the other.
func TestEstimateWelch(t *testing.T) {
	moments := func(observations ...int64) (m Moments) {
		for _, x := range observations {
			m.Add(x)
		}
		return m
	}
	long, short, exact := moments(300, 380, 290), moments(100, 110, 95), moments(50, 50, 50)
	a, b, c := long.PositiveMean(0.95), short.PositiveMean(0.95), exact.PositiveMean(0.95)
	lo, hi := WelchRatio(a.Value, a.StdErr, 3, b.Value, b.StdErr, 3)
	logarithmic := a.Welch(b)
	if math.Abs(logarithmic.Lo-math.Log(lo)) > 1e-12 || math.Abs(logarithmic.Hi-math.Log(hi)) > 1e-12 {
		t.Errorf("logarithmic [%v, %v], want those of [%v, %v]", logarithmic.Lo, logarithmic.Hi, lo, hi)
	}
	linear := NewWelch(a.Value-b.Value, a.StdErr, 3, b.StdErr, 3)
	zero := moments(0, 0, 0).PositiveMean(0.95)
	for name, is := range map[string]bool{
		"per cent":            math.Abs(a.Percent().Welch(b.Percent()).P-logarithmic.P) < 1e-12,
		"other way":           math.Abs(b.Welch(a).P-logarithmic.P) < 1e-12 && math.Abs(b.Welch(a).Lo+logarithmic.Hi) < 1e-12,
		"linear":              long.Mean(0.95).Welch(short.Mean(0.95)) == linear,
		"one of either scale": a.Welch(short.Mean(0.95)) == linear,
		"other origin":        a.Welch(b.Percent()) == NewWelch(a.Value-b.Percent().Value, a.StdErr, 3, b.Percent().StdErr, 3),
		"beside no scatter":   b.Welch(c) == NewWelch(math.Log(b.Value/50), b.StdErr/b.Value, 3, 0, 3),
		"no scatter beside":   math.Abs(c.Welch(b).P-b.Welch(c).P) < 1e-12,
		"no scatter, percent": math.Abs(c.Percent().Welch(b.Percent()).P-c.Welch(b).P) < 1e-12,
		"no scatter at all":   c.Welch(c).P == 1 && c.Welch(c.Per(2)) == NewWelch(25, 0, 3, 0, 3),
		"beside zero":         b.Welch(zero) == NewWelch(b.Value, b.StdErr, 3, 0, 3),
		"one run":             a.Welch(moments(5).PositiveMean(0.95)).P == 1,
		"no estimate":         a.Bound(true, false).Welch(b).P == 1,
	} {
		if !is {
			t.Error(name)
		}
	}
}

// TestWelchRefusesNegativeErrors: a negative standard error panics, but NaN, an unknown one, does not.
func TestWelchRefusesNegativeErrors(t *testing.T) {
	mustPanic(t, "mc: NewWelch: seA (-1) and seB (2) must be at least 0", func() { NewWelch(1, -1, 5, 2, 5) })
	mustPanic(t, "mc: NewWelch: seA (1) and seB (-2) must be at least 0", func() { NewWelch(1, 1, 5, -2, 5) })
	if w := NewWelch(1, math.NaN(), 5, 1, 5); !math.IsNaN(w.P) {
		t.Errorf("an unknown standard error: %+v", w)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.04, 0.01, 0.03, 0.5})
	want := []float64{0.09, 0.04, 0.09, 0.5}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Errorf("Holm gives %v, want %v", got, want)
			break
		}
	}
	unknown := []float64{0.01, math.NaN(), 0.02}
	if got := Holm(unknown); !slices.Equal(got, []float64{0.03, 1, 0.04}) || !math.IsNaN(unknown[1]) {
		t.Errorf("Holm with a NaN gives %v and leaves %v", got, unknown)
	}
	if len(Holm(nil)) != 0 || !slices.Equal(Holm([]float64{0.9, 0.8}), []float64{1, 1}) {
		t.Error("Holm at its ends")
	}
}

// resettable is a process of [EachRun].
type resettable interface{ Reset(Stream) }

// TestEachReplica: every replica of a plan is added once, whoever runs it, and an
// error of setting up or of a replica ends the run.
func TestEachReplica(t *testing.T) {
	broken := errors.New("broken")
	experiment := func(refused error, bad uint64) Experiment[*sums] {
		return EachReplica(func() *sums { return new(sums) }, func(seed uint64) (func(context.Context, *sums, uint64) error, error) {
			return func(_ context.Context, s *sums, replica uint64) error {
				if replica == bad {
					return broken
				}
				s.of.Add(int64(seed * replica))
				return nil
			}, refused
		})
	}
	all, replicas, err := experiment(nil, math.MaxUint64).Run(context.Background(), Plan{Seed: 3, Replicas: 1000, Workers: 3})
	if mean := all.of.Mean(DefaultConfidence); err != nil || replicas != 1000 || mean.N != 1000 || mean.Value != 3*999/2. {
		t.Errorf("%d replicas, mean %+v, error %v, want 1000, 1498.5", replicas, mean, err)
	}
	if all, replicas, err := experiment(nil, 500).Run(context.Background(), Plan{Replicas: 1000}); !errors.Is(err, broken) || replicas > 500 || all.of.N() != replicas {
		t.Errorf("a replica that fails: %d replicas, %d added, error %v", replicas, all.of.N(), err)
	}
	if _, replicas, err := experiment(broken, 0).Run(context.Background(), Plan{Replicas: 10}); !errors.Is(err, broken) || replicas != 0 {
		t.Errorf("nothing to run: %d replicas, error %v", replicas, err)
	}
}

// TestRepeat: every replica is added once with the plan's seed, and a cancelled context
// ends the run.
func TestRepeat(t *testing.T) {
	experiment := Repeat(func() *sums { return new(sums) }, func(s *sums, seed, replica uint64) { s.of.Add(int64(seed * replica)) })
	all, replicas, err := experiment.Run(context.Background(), Plan{Seed: 3, Replicas: 1000, Workers: 3})
	if mean := all.of.Mean(DefaultConfidence); err != nil || replicas != 1000 || mean.N != 1000 || mean.Value != 3*999/2. {
		t.Errorf("%d replicas, mean %+v, error %v, want 1000, 1498.5", replicas, mean, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if t1, err := experiment.NewWorker(1)(cancelled, Block{First: 0, End: 10}); !errors.Is(err, context.Canceled) || t1.of.N() != 1 {
		t.Errorf("cancelled: error %v after %d replicas", err, t1.of.N())
	}
}

// sums adds up observations.
type sums struct{ of Moments }

func (s *sums) Parts() []NamedPart          { return []NamedPart{{"of", &s.of}} }
func (s *sums) StoppingStatistic() Estimate { return s.of.Mean(DefaultConfidence) }

// TestPaired: both experiments see the same seed and replicas, the parts of the second are
// called beside, and the first error of either ends the run.
func TestPaired(t *testing.T) {
	single := Repeat(func() *sums { return new(sums) }, func(s *sums, seed, replica uint64) { s.of.Add(int64(seed * replica)) })
	broken := EachReplica(func() *sums { return new(sums) }, func(uint64) (func(context.Context, *sums, uint64) error, error) { return nil, errBroken })
	plan := Plan{Seed: 3, Replicas: 100, Workers: 2}
	pair, replicas, err := Paired(single, single).Run(context.Background(), plan)
	if err != nil || replicas != 100 || pair.First.of != pair.Second.of || pair.StoppingStatistic().Value != 3*99/2. {
		t.Errorf("%d replicas, %+v, %+v, error %v", replicas, pair.First, pair.Second, err)
	}
	if parts := pair.Parts(); len(parts) != 2 || parts[0].Name != "of" || parts[1].Name != "beside_of" {
		t.Errorf("parts %v, want of and beside_of", parts)
	}
	for _, e := range []Experiment[*Pair[*sums, *sums]]{Paired(single, broken), Paired(broken, single)} {
		if _, replicas, err := e.Run(context.Background(), plan); !errors.Is(err, errBroken) || replicas != 0 {
			t.Errorf("an experiment that fails: %d replicas, error %v", replicas, err)
		}
	}
}

// TestLargestOf: ends by hand. Of two rivals the upper end is the larger one, and the lower end of each at 97.5 % is
// 1.259 times as far away with 4 degrees of freedom (3.495 over 2.776); a third below both does not
// count, nor does one without a value or an interval. Alone, an estimate keeps its interval.
func TestLargestOf(t *testing.T) {
	of := func(value, half float64) Estimate {
		return Estimate{Value: value, Lo: value - half, Hi: value + half, Confidence: 0.95, N: 5}
	}
	first, second, below := of(10, 1), of(9.5, 3), of(5, 1)
	unknown, alike := of(math.NaN(), 1), of(9, math.Inf(1))
	wider := studentQuantile(0.975, 4) / studentQuantile(0.95, 4)
	if got := LargestOf([]Estimate{below, second, first, unknown, alike}); got.Value != 10 || got.Hi != 12.5 || math.Abs(got.Lo-(10-wider)) > 1e-12 ||
		math.Abs(wider-1.259) > 0.001 {
		t.Errorf("largest %v [%v, %v], want 10 [%v, 12.5]", got.Value, got.Lo, got.Hi, 10-wider)
	}
	if p := LargestOf([]Estimate{second, first}).PAtMost(10 - wider); math.Abs(p-0.025) > 1e-9 {
		t.Errorf("p-value %v at the lower end, want 0.025", p)
	}
	for _, list := range [][]Estimate{{first}, {first, below}, {below, first, unknown}} {
		if got := LargestOf(list); math.Abs(got.Lo-9) > 1e-12 || got.Hi != 11 {
			t.Errorf("alone: %v, want 10 [9, 11]", got)
		}
	}
	if got := LargestOf([]Estimate{of(20, math.Inf(1)), first}); got.Value != 20 || !math.IsInf(got.Hi, 1) {
		t.Errorf("without an interval: %v", got)
	}
	single, zero := of(20, 1), of(20, 1) // fewer than two runs, and no confidence, give no interval
	single.N, zero.Confidence = 1, 0
	for _, e := range []Estimate{single, zero, {}} {
		if got := LargestOf([]Estimate{e, of(-5, 1)}); got.Value != e.Value || got.Lo != e.Lo || got.Hi != e.Hi {
			t.Errorf("%+v becomes %+v", e, got)
		}
		if got := LargestOf([]Estimate{first, {Value: 9.9, Lo: e.Lo, Hi: e.Hi, N: e.N, Confidence: e.Confidence}}); got.Lo != 9 || got.Hi != 11 {
			t.Errorf("beside %+v: %v", e, got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("the largest of nothing")
		}
	}()
	LargestOf(nil)
}
