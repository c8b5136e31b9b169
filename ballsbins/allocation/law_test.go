package allocation

import (
	"fmt"
	"math"
	"os"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// smallConfigs returns the valid combinations of rule, information and ties that have a rational
// law, for few bins and balls and a start that is not level; each with unit weights and uniform
// samples, with each other law of weights or samples, and with both.
func smallConfigs() (list []Config) {
	weights := []Weights{{}, {Law: OneOrTwo}, {Law: GivenWeights, Sizes: []int{1, 3}}}
	for _, rule := range Rules() {
		for _, information := range Informations() {
			for _, ties := range TieRules() {
				for i, law := range append(SamplingLaws(), Uniform, Uniform, Linear) {
					c := Config{
						Bins: 3, Rule: rule, Information: information, Ties: ties,
						Weights:  weights[max(0, i-len(SamplingLaws())+1)%len(weights)],
						Sampling: Sampling{Law: law, Parameter: 0.5}, Beta: 0.25, Delta: 0.4, Eta: 0.75, Offset: 0.5,
						Width: 1, Batch: 2, Delay: 3, Remembered: 2, Start: []int{1, 0, 2}, Balls: []int{4},
					}
					if law == Given {
						c.Sampling.Shares = []float64{2, 0, 1}
					}
					if law == Hypercube || rule == Left {
						c.Bins = 4
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
	return fmt.Sprintf("%s/%s/%s/%v/%v", c.Rule, c.Information, c.Ties, c.Weights, c.Sampling)
}

// TestProcessHasTheExactLaw is a chi-square test of the joint law of the loads and the largest gap,
// for valid combinations with a rational law, with REPSLAB_LONG=1 also of weights and samples:
// alpha about 1e-9 each. With 10,000 runs it sees an outcome of probability 1/10 that is 12 % off.
func TestProcessHasTheExactLaw(t *testing.T) {
	const runs = 10_000
	long := os.Getenv("REPSLAB_LONG") != ""
	tested := 0
	for number, c := range smallConfigs() {
		if plain := c.Weights.Law == "" && c.Sampling.Law == Uniform; !plain && !long {
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
		counts := map[string]float64{}
		for run := range runs {
			p.Reset(mc.NewStream(mctest.Seed(t, 3), mc.Algorithm, uint64(number*runs+run)))
			p.Advance(c.Balls[0])
			counts[fmt.Sprint(p.loads, math.Round(p.MaxGap()*60))]++
		}
		expected := map[string]float64{}
		for _, o := range law.Outcomes() {
			gap, _ := o.MaxGap.Float64()
			probability, _ := o.Probability.Float64()
			expected[fmt.Sprint(o.Balls, math.Round(gap*60))] += probability * runs
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
			t.Errorf("%s: outcome %s is impossible", nameOf(c), key)
		}
		if k--; k >= 1 {
			if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); z > 6.11 {
				t.Errorf("%s: chi2 = %.1f for %.0f degrees of freedom (z = %.1f)", nameOf(c), chi2, k, z)
			}
		}
	}
	if tested < 60 {
		t.Errorf("%d combinations", tested)
	}
	t.Logf("%d combinations", tested)
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
