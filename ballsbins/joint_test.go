package ballsbins

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
)

// TestJointLawAgainstReference compares every row of an independent computation
// to the ten digits it is given to, and to what that computation lost: of two bins up to round
// 500, of three up to round 50; with REPSLAB_LONG=1 all rows.
func TestJointLawAgainstReference(t *testing.T) {
	type key struct {
		bins   int
		lambda float64
	}
	cases := map[key][]mctest.Row{}
	last := map[int]float64{2: 500, 3: 50}
	for _, row := range mctest.Reference(t, "testdata/exact_small_n.csv") {
		if row.Number(t, "round") > last[int(row.Number(t, "n"))] && !mctest.Long() {
			continue
		}
		k := key{int(row.Number(t, "n")), row.Number(t, "lambda")}
		cases[k] = append(cases[k], row)
	}
	if len(cases) != 8 {
		t.Fatalf("%d cases in the reference, want 8", len(cases))
	}
	for k, rows := range cases {
		t.Run(fmt.Sprintf("bins=%d/lambda=%v", k.bins, k.lambda), func(t *testing.T) {
			t.Parallel()
			law, err := NewJointLaw(Config{Bins: k.bins, Lambda: k.lambda})
			if err != nil {
				t.Fatal(err)
			}
			round := 0
			for _, row := range rows {
				for ; round < int(row.Number(t, "round")); round++ {
					law.Step()
				}
				want, lost := row.Number(t, "exact_mean_max_after_throw"), math.Abs(row.Number(t, "truncation_mass_lost"))
				got, bound := law.MeanMax()
				// The lost mass of the reference had loads of some 60 balls.
				if math.Abs(got-want) > 6e-10*want+bound+200*lost {
					t.Errorf("round %d: mean maximum %.10g (bound %.1g), want %.10g", round, got, bound, want)
				}
				if bound > 1e-10 || law.LostMass() > 1e-14 {
					t.Errorf("round %d: lost %v, bound %v", round, law.LostMass(), bound)
				}
			}
			t.Logf("largest load %d, lost %.1g", law.largest, law.LostMass())
		})
	}
}

// rationalMeanMax returns the expected maximum after some rounds by following
// every ball of every ordered load vector with rational probabilities.
func rationalMeanMax(bins int, lambda *big.Rat, variant Variant, rounds int) *big.Rat {
	type loads [MaxJointBins]int
	now := map[loads]*big.Rat{{}: big.NewRat(1, 1)}
	add := func(law map[loads]*big.Rat, x loads, p *big.Rat) {
		if law[x] == nil {
			law[x] = new(big.Rat)
		}
		law[x].Add(law[x], p)
	}
	serve := func() {
		after := map[loads]*big.Rat{}
		for x, p := range now {
			for i := range bins {
				x[i] = max(0, x[i]-1)
			}
			add(after, x, p)
		}
		now = after
	}
	throw := func() {
		after := map[loads]*big.Rat{}
		miss := new(big.Rat).Sub(big.NewRat(1, 1), lambda)
		hit := new(big.Rat).Mul(lambda, big.NewRat(1, int64(bins)))
		for x, p := range now {
			add(after, x, new(big.Rat).Mul(p, miss))
			for i := range bins {
				y := x
				y[i]++
				add(after, y, new(big.Rat).Mul(p, hit))
			}
		}
		now = after
	}
	for range rounds {
		if variant != ArriveThenServe {
			serve()
		}
		for range bins {
			throw()
		}
		if variant == ArriveThenServe {
			serve()
		}
	}
	mean := new(big.Rat)
	for x, p := range now {
		mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(int64(slices.Max(x[:])), 1)))
	}
	return mean
}

func TestJointLawAgainstEnumeration(t *testing.T) {
	for _, c := range []struct {
		bins, rounds int
		variant      Variant
	}{{1, 4, ServeThenArrive}, {2, 6, ServeThenArrive}, {2, 5, ArriveThenServe}, {3, 4, ServeThenArrive}, {4, 3, ServeThenArrive}, {4, 2, ArriveThenServe}, {5, 2, ServeThenArrive}} {
		for _, lambda := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 1)} {
			value, _ := lambda.Float64()
			law, err := NewJointLaw(Config{Bins: c.bins, Lambda: value, Variant: c.variant})
			if err != nil {
				t.Fatal(err)
			}
			for range c.rounds {
				law.Step()
			}
			want, _ := rationalMeanMax(c.bins, lambda, c.variant, c.rounds).Float64()
			if got, bound := law.MeanMax(); math.Abs(got-want) > 1e-13*want || bound > 1e-13 {
				t.Errorf("n=%d lambda=%v %s round %d: mean maximum %v, want %v", c.bins, value, c.variant, c.rounds, got, want)
			}
		}
	}
}

// TestJointLawSaysWhatItLost forces a cut that matters and holds the true mean
// against the stated bound.
func TestJointLawSaysWhatItLost(t *testing.T) {
	cut, err := NewJointLaw(Config{Bins: 3})
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := NewJointLaw(Config{Bins: 3})
	for range 20 {
		cut.Step()
		whole.Step()
		for cut.largest > 6 { // drop by hand what cut would keep
			start := cut.below[3][cut.largest]
			for _, p := range cut.law[start:] {
				cut.lost += p
				cut.deficit += p * float64(cut.largest)
			}
			cut.law = cut.law[:start]
			cut.largest--
		}
	}
	got, bound := cut.MeanMax()
	want, _ := whole.MeanMax()
	if cut.LostMass() < 0.1 || got > want || got+bound < want {
		t.Errorf("mean maximum in [%v, %v] with %v lost, want it to hold %v", got, got+bound, cut.LostMass(), want)
	}
	var sum float64
	for _, p := range cut.MaxLaw() {
		sum += p
	}
	if math.Abs(sum+cut.LostMass()-1) > 1e-14 {
		t.Errorf("kept %v and lost %v", sum, cut.LostMass())
	}
}

// TestJointLawBoundsTheMeanField: the mean field is a lower bound at every round,
// and for one bin equal.
func TestJointLawBoundsTheMeanField(t *testing.T) {
	for _, cfg := range []Config{{Bins: 1, Lambda: 0.7}, {Bins: 2}, {Bins: 3, Lambda: 0.9}, {Bins: 4, Lambda: 0.95, Variant: ArriveThenServe}} {
		joint, err := NewJointLaw(cfg)
		if err != nil {
			t.Fatal(err)
		}
		one, err := NewOneBinLaw(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 25 {
			joint.Step()
			one.Step()
			exact, _ := joint.MeanMax()
			field := one.MeanMax()
			if field > exact*(1+1e-12) || field < 0.75*exact || cfg.Bins == 1 && math.Abs(field-exact) > 1e-13 {
				t.Errorf("%+v round %d: mean field %v, exact %v", cfg, round+1, field, exact)
			}
		}
	}
}

func TestNoJointLaw(t *testing.T) {
	for _, cfg := range []Config{{Bins: 2, Policy: TwoChoice}, {Bins: 2, Variant: Weighted}} {
		if _, err := NewJointLaw(cfg); !errors.Is(err, ErrNoJointLaw) {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
	if _, err := NewJointLaw(Config{Bins: 7}); err == nil || !strings.Contains(err.Error(), "Bins (7) must be in [1, 6]") {
		t.Errorf("error %v", err)
	}
	if _, err := NewJointLaw(Config{}); err == nil {
		t.Error("a configuration without bins has a law")
	}
}
