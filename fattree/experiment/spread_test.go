package experiment

import (
	"math"
	"math/rand/v2"
	"testing"

	"repslab/mc"
)

// sampleOf returns a sample of values.
func sampleOf(values ...int64) *mc.Sample {
	s := new(mc.Sample)
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// TestSpreadOf: the ratio is the largest value over the smallest, and a gap divides the values if it takes most of
// their range on the logarithmic scale: 97 % of three, 78 % of five. Its scale does not matter.
func TestSpreadOf(t *testing.T) {
	for _, c := range []struct {
		values       []int64
		ratio        float64
		below, above uint64
	}{
		{nil, 0, 0, 0},
		{[]int64{5}, 0, 0, 0},
		{[]int64{5, 50}, 10, 0, 0},
		{[]int64{5, 5, 5}, 1, 0, 0},
		{[]int64{2000, 2010, 18000}, 9, 2, 1},
		{[]int64{2000, 17990, 18000}, 9, 1, 2},
		{[]int64{2000, 2130, 18000}, 9, 2, 1}, // 97.1 %
		{[]int64{2000, 2150, 18000}, 9, 0, 0}, // 96.7 %
		{[]int64{100, 100, 100, 100, 1000}, 10, 4, 1},
		{[]int64{100, 165, 165, 165, 1000}, 10, 4, 1}, // 78.3 %
		{[]int64{100, 167, 167, 167, 1000}, 10, 0, 0}, // 77.7 %
		{[]int64{100, 110, 120, 900, 950, 1000}, 10, 3, 3},
	} {
		for _, unit := range []int64{1, 1000} {
			var scaled []int64
			for i := len(c.values) - 1; i >= 0; i-- {
				scaled = append(scaled, unit*c.values[i])
			}
			s := spreadOf(sampleOf(scaled...))
			if s.Replicas != uint64(len(c.values)) || math.Abs(s.Ratio-c.ratio) > 1e-9 || s.Below != c.below || s.Above != c.above {
				t.Errorf("%v: %+v, want %v, %d and %d", scaled, s, c.ratio, c.below, c.above)
			}
		}
	}
}

// TestSpreadByChance: of lognormal values 1 to 5 % fall into two groups by chance, as [Spread] says. The share of
// 4,000 samples has a standard error of at most 0.35 %, so that 6.1 of them allow 3 to 7 %, and 0 to 3 %: a false
// alarm in 1e9.
func TestSpreadByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(66, 5))
	const samples = 4000
	for n, want := range map[int]float64{3: 0.05, 4: 0.01, 6: 0.04, 10: 0.045, 20: 0.05} {
		divided := 0
		for range samples {
			s := new(mc.Sample)
			for range n {
				s.Add(int64(1e9 * math.Exp(0.5*random.NormFloat64())))
			}
			if spreadOf(s).Below > 0 {
				divided++
			}
		}
		share := float64(divided) / samples
		if most := 6.1 * math.Sqrt(want*(1-want)/samples); math.Abs(share-want) > most+0.005 {
			t.Errorf("%d replicas: %.4f fall into two groups, want %v +- %.4f", n, share, want, most)
		}
	}
}

// TestSpreadOfTally: each time has the spread of the runs, also in a tally that is merged of parts. Other statistics
// have none.
func TestSpreadOfTally(t *testing.T) {
	e := mixed().NewExperiment()
	all, merged := e.NewTally(), e.NewTally()
	run := e.NewWorker(3)
	values := map[string][]float64{}
	runner, err := mixed().NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	for replica := range uint64(3) {
		part, err := run(t.Context(), mc.Block{First: 2 - replica, End: 3 - replica})
		if err != nil {
			t.Fatal(err)
		}
		mc.MergeTally(merged, part)
		r, err := runner.Run(t.Context(), 3, replica)
		if err != nil {
			t.Fatal(err)
		}
		all.add(r)
		for key, value := range statistics(r) {
			values[key] = append(values[key], value)
		}
	}
	for _, s := range Statistics() {
		got := merged.Summary().Spread(s.Key)
		if got != all.Summary().Spread(s.Key) {
			t.Errorf("%s: %+v merged, %+v in order", s.Key, got, all.Summary().Spread(s.Key))
		}
		if !s.HasSpread() {
			if got != (Spread{}) {
				t.Errorf("%s: %+v", s.Key, got)
			}
			continue
		}
		if list := values[s.Key]; len(list) == 3 {
			want := max(list[0], list[1], list[2]) / min(list[0], list[1], list[2])
			if got.Replicas != 3 || math.Abs(got.Ratio-want) > 1e-6*want {
				t.Errorf("%s: %+v, want %v", s.Key, got, want)
			}
		}
	}
	all.unfinished = 1
	if s := all.Summary().Spread("max_fct_us"); s.Replicas != 0 {
		t.Errorf("with bounds: %+v", s)
	}
}
