package view

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/internal/cases"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
	"repslab/sweep"
)

// drawnPairs draws two means in blocks of one run.
func drawnPairs(t *rapid.T) (p pairs, diff mc.Moments, both mc.PairedMoments) {
	n := rapid.IntRange(3, 12).Draw(t, "blocks")
	for range n {
		x, y := rapid.Int64Range(1, 1000).Draw(t, "a"), rapid.Int64Range(1, 1000).Draw(t, "b")
		diff.Add(x - y)
		both.Add(x, y)
		p.blocksA, p.blocksB, p.runs = append(p.blocksA, float64(x)), append(p.blocksB, float64(y)), append(p.runs, 1)
		p.a, p.b = p.a+float64(x)/float64(n), p.b+float64(y)/float64(n)
	}
	return p, diff, both
}

// TestPairs: in blocks of one run, a difference has Student's interval of the differences, and a ratio the interval of
// paired means. Blocks that are all alike have none.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, diff, both := drawnPairs(t)
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*max(1, math.Abs(y)) }
		want, got := diff.Mean(mc.DefaultConfidence), p.difference()
		if want.StdErr > 0 && (!near(got.Lo, want.Lo) || !near(got.Hi, want.Hi) || !near(got.Degrees, float64(diff.N()-1))) {
			t.Errorf("difference %+v, want %v", got, want)
		}
		lo, hi, scatters := p.ratio()
		if ratio := both.Ratio(mc.DefaultConfidence); scatters != (ratio.StdErr > 1e-9) || scatters && (!near(lo, ratio.Lo) || !near(hi, ratio.Hi)) {
			t.Errorf("ratio [%v, %v], scatters %v, want %v", lo, hi, scatters, ratio)
		}
	})
	unequal := pairs{runs: []float64{1, 1, 2}}
	if blocks := []float64{1, 2, 3}; !unequal.isMean(blocks, 2.25) || unequal.isMean(blocks, 2.26) || unequal.isMean(blocks, 3) {
		t.Error("the mean of blocks is wrong")
	}
	same := pairs{3, 3, []float64{3, 2, 4}, []float64{3, 2, 4}, []float64{1, 1, 1}}
	if d := same.difference(); d.P != 1 || !math.IsInf(d.Hi, 1) {
		t.Errorf("of a mean with itself: %+v", d)
	}
	if _, _, scatters := same.ratio(); scatters {
		t.Error("the ratio of a mean to itself has an interval")
	}
	if d := (pairs{4, 3, []float64{4, 3, 5}, []float64{3, 2, 4}, []float64{1, 1, 1}}).difference(); d.P != 0.25 || !math.IsInf(d.Hi, 1) {
		t.Errorf("1 more in all of three blocks: %+v", d)
	}
}

// TestPairsOfUnequalBlocks: the squared standard error of a mean over blocks of unequal sizes has the variance of the
// mean as its expectation. Here it is the mean over 100,000 draws, which scatters by 0.5 %: 6 standard errors are 3 %,
// and the false-alarm rate is below 1e-8.
func TestPairsOfUnequalBlocks(t *testing.T) {
	sizes := []int{1, 2, 4, 13}
	random := mc.NewStream(1, mc.Algorithm, 0).Rand()
	sum := 0.0
	const draws = 100_000
	for range draws {
		p := pairs{blocksA: make([]float64, 4), blocksB: make([]float64, 4)}
		for k, size := range sizes {
			p.runs = append(p.runs, float64(size))
			for range size {
				p.blocksA[k] += (float64(random.Below(1000)) + 100) / float64(size)
			}
			p.a += p.blocksA[k] * float64(size) / 20
		}
		se := p.stdErr(1)
		sum += se * se / draws
	}
	if want := 1000.0 * 1000 / 12 / 20; math.Abs(sum/want-1) > 0.03 {
		t.Errorf("mean squared standard error %v, variance %v", sum, want)
	}
}

// sweptFile returns a table of a sweep of two balancers on a small network.
func sweptFile(t *testing.T, seed string, texts param.Texts, block param.ListText) *rows.Table {
	t.Helper()
	parameters := param.Texts{"hosts": "16", "message_bytes": "64KiB", "groups": "low: source=0..7"}
	for key, text := range texts {
		parameters[key] = text
	}
	r := param.Request{Model: "fattree", Selection: param.Selection{Parameters: parameters}, SweepNumbers: param.SweepNumbers{Seed: param.ListText(seed), Replicas: "7", Block: block}}
	s, err := r.BuildSweep(cases.All(), sweep.Shard{})
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/r.jsonl"
	if _, err := s.Run(t.Context(), path, sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	table, err := rows.Read(t.Context(), cases.All(), path, new(strings.Builder))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestComparePairs: rows of two files are paired by blocks if the seeds and the blocks agree. Then the interval of the
// difference is narrower than Welch's, each block's values give the row's, and rows of groups have their own. A
// largest value is no mean.
func TestComparePairs(t *testing.T) {
	a := sweptFile(t, "1", param.Texts{"lb": "ops"}, "2")
	b := sweptFile(t, "1", param.Texts{"lb": "ecmp"}, "2")
	other := sweptFile(t, "2", param.Texts{"lb": "ops"}, "2")
	blocks := sweptFile(t, "1", param.Texts{"lb": "ops"}, "1")
	welch, err := Compare(a, b, "max_fct_us", "lb")
	if err != nil || welch.Unpaired != 2 {
		t.Fatalf("%d unpaired, error %v", welch.Unpaired, err)
	}
	if err := Pair(t.Context(), cases.All(), []*rows.Table{a, b, other, blocks}, func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(a, b, "max_fct_us", "lb")
	if err != nil || c.Unpaired != 0 || len(c.differences) != 2 {
		t.Fatalf("%+v, error %v", c, err)
	}
	for i, d := range c.differences {
		if w := welch.differences[i]; d.pairs != 4 || w.pairs != 0 || math.Round(d.test.Degrees) != 3 || d.test == w.test || d.a.Value != w.a.Value ||
			math.Abs((d.test.Lo+d.test.Hi)/2-(d.b.Value-d.a.Value)) > 1e-6 {
			t.Errorf("row %d: %+v, without pairs %+v", i, d, w)
		}
	}
	if _, ok := pairsOf(a.Rows[0], other.Rows[0], "max_fct_us"); ok {
		t.Error("rows of two seeds are paired")
	}
	if _, ok := pairsOf(a.Rows[0], blocks.Rows[0], "max_fct_us"); ok {
		t.Error("rows of blocks of two and of one are paired")
	}
	if _, ok := pairsOf(a.Rows[0], b.Rows[0], "max_fct_us_spread"); ok {
		t.Error("spreads are paired")
	}
	for block, want := range map[param.ListText]bool{"3": true, "4": false} { // three and two blocks of 7 runs
		few := sweptFile(t, "1", param.Texts{"lb": "ops"}, block)
		if err := Pair(t.Context(), cases.All(), []*rows.Table{few}, nil); err != nil {
			t.Fatal(err)
		}
		if _, ok := pairsOf(few.Rows[0], few.Rows[0], "max_fct_us"); ok != want {
			t.Errorf("blocks of %s runs are pairs: %v, want %v", block, ok, want)
		}
	}
	if _, err := Compare(a, b, "max_fct_us", "evs"); err == nil || !strings.Contains(err.Error(), "no point in common: lb is ops and ecmp; --except evs,lb compares them") {
		t.Errorf("without a common point: %v", err)
	}
	twice := *b
	twice.Rows = append(slices.Clone(b.Rows), b.Rows[0])
	if _, err := Compare(a, &twice, "max_fct_us", "lb"); err == nil || !strings.Contains(err.Error(), " hosts=16 ") || strings.Contains(err.Error(), "nil") {
		t.Errorf("with a point twice: %v", err)
	}
	p, _ := pairsOf(a.Rows[0], b.Rows[0], "max_fct_us")
	lo, hi, _ := p.ratio()
	ratio := noValue()
	if ratio.pairUp(a.Rows[0], b.Rows[0], "max_fct_us"); !(lo < p.a/p.b && p.a/p.b < hi) || ratio.Lo != lo || ratio.Hi != hi {
		t.Errorf("ratio %v in [%v, %v], drawn as %+v", p.a/p.b, lo, hi, ratio)
	}
	d := &Drawing{Plot: &Plot{Y: "p99_fct_us"}}
	m, err := d.mean(a.Rows[1])
	if p, ok := pairsOf(a.Rows[1], b.Rows[1], "p99_fct_us"); !ok || err != nil || math.Abs(p.a-m.Value) > 1e-9 {
		t.Errorf("p99 of a group: %+v, error %v", p, err)
	}
}
