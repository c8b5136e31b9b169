package proofs

import (
	"fmt"
	"math/big"
)

// lemmaOneTally compares the tail with the bound at integers x in [from, 40]. That covers real x: for x
// in (i-1, i] the left side equals the left side at i, and the right side is larger.
func (a *Audit) lemmaOneTally(from int) *tally {
	t := newTally()
	rate := constant(a.Constants.Lemma1Rate)
	for x := from; x <= 40; x++ {
		bound := exp(rate.mul(integer(x - 1)).neg())
		for _, n := range a.Bins {
			t.atMost(binomialTail(n, n, x), bound, n, x)
		}
	}
	return t
}

// checkLemmaOne checks the lemma in its domain of x.
func checkLemmaOne(a *Audit) Finding {
	t := a.lemmaOneTally(constant(a.Constants.Lemma1From).ceil())
	f := t.finding("k = n, the worst, x = 16..40, enclosed on %s", a.span())
	f.Margin = fmt.Sprintf("the tail is below %.2g of the bound", 1-t.slack)
	return f
}

// checkLemmaOneEverywhere encloses the tail for x = 1..5 at every n up to PoissonFrom, uses the Poisson
// tail plus PoissonDistance/n beyond, and 1/x! from x = 6 on. The distance in total variation is at most
// (1 - e^-λ)/λ times the sum of the squared probabilities [Barbour84]: (1 - 1/e)/n for n probabilities
// 1/n.
func checkLemmaOneEverywhere(a *Audit) Finding {
	t, beyond, distance := newTally(), newTally(), newTally()
	far, lemmaOneFrom := constant(a.Constants.PoissonDistance), int(a.Constants.PoissonFrom)
	distance.atMost(integer(1).sub(exp(integer(-1))), far, 0, 0)
	rate := constant(a.Constants.Lemma1Rate)
	factorial := integer(1)
	for x := 1; x <= 6; x++ {
		bound := exp(rate.mul(integer(x - 1)).neg())
		if factorial = factorial.mul(integer(x)); x == 6 {
			beyond.atMost(integer(1).div(factorial), bound, lemmaOneFrom, x)
			break
		}
		for n := 2; n <= lemmaOneFrom; n++ {
			t.atMost(binomialTail(n, n, x), bound, n, x)
		}
		if x > 1 {
			beyond.atMost(poissonTail(x).add(far.div(integer(lemmaOneFrom))), bound, lemmaOneFrom, x)
		}
	}
	f := Finding{Verdict: decide(t.holds() && beyond.holds(), distance.holds())}
	if !distance.holds() {
		f.Counterexample = fmt.Sprintf("the distance to the Poisson law is at most (1 - 1/e)/n, above %s/n", decimal(a.Constants.PoissonDistance))
	}
	f.Margin = fmt.Sprintf("%s of the bound at x = %d, n = %d; at least %s beyond", percent(t.slack), t.at[1], t.at[0], percent(beyond.slack))
	f.evidence("k = n, the worst: x = 1..5 enclosed for n = 2..%d, then x = 2..5 by the Poisson tail plus %s/n; x >= 6 by 1/x!, which falls faster than the bound", lemmaOneFrom, decimal(a.Constants.PoissonDistance))
	return f
}

// poissonTail encloses P[Poisson(1) >= x].
func poissonTail(x int) Interval {
	e, term, below := exp(integer(-1)), integer(1), integer(0)
	for j := range x {
		below = below.add(term)
		term = term.div(integer(j + 1))
	}
	return integer(1).sub(e.mul(below))
}

// checkChernoff compares exact tails with the bound at every integer above the
// mean.
func checkChernoff(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		for _, k := range []int{n / 2, n} {
			mean := ratio(k, n)
			for _, x := range []int{1, 2, 3, 4, 6, 8, 12, 16} {
				delta := integer(x).sub(mean)
				if delta.Lo < 0 {
					continue
				}
				exponent := delta.mul(delta).div(integer(2).mul(mean.add(delta.div(integer(3)))))
				t.atMost(binomialTail(n, k, x), exp(exponent.neg()), n, k)
			}
		}
	}
	return t.finding("tails at x = 1, 2, 3, 4, 6, 8, 12, 16, k = n/2 and n, %d cases on %s", t.cases, a.span())
}

// checkExponent checks δ²/(2 (E + δ/3)) >= δ/(c/δ + 2/3) for E <= mean, in fractions. It is equivalent to
// 2 E <= c.
func checkExponent(c int, mean float64) Finding {
	most := rational(mean)
	f := Finding{Verdict: Holds, Margin: fmt.Sprintf("0 %% at E[B] = %s", most.RatString())}
	f.evidence("fractions, E[B] = 0..%s by twentieths, δ up to 20; for all others it is 2 E[B] <= %d", most.RatString(), c)
	for e := range 21 {
		mean := times(most, rat(e, 20))
		for d := 1; d <= 80; d++ {
			delta := rat(d, 4)
			left := over(times(delta, delta), times(rat(2, 1), plus(mean, over(delta, rat(3, 1)))))
			if left.Cmp(over(delta, exponentBound(c, delta))) < 0 {
				f.fails("E[B] = %s, δ = %s", mean.RatString(), delta.RatString())
				return f
			}
		}
	}
	return f
}

// exponentBound returns c/δ + 2/3.
func exponentBound(c int, delta *big.Rat) *big.Rat { return plus(over(rat(c, 1), delta), rat(2, 3)) }

// checkDelta checks c/δ + 2/3 <= 1/rate at the smallest δ, which is enough since the left side falls in
// δ.
func checkDelta(c int, least, rate float64) Finding {
	delta := rational(least)
	left, right := exponentBound(c, delta), over(rat(1, 1), rational(rate))
	slack, _ := over(minus(right, left), right).Float64()
	return Finding{
		Verdict:  decide(left.Cmp(right) <= 0, true),
		Margin:   fmt.Sprintf("%s at δ = %s", percent(slack), delta.RatString()),
		Evidence: []string{fmt.Sprintf("%s <= %s", left.RatString(), right.RatString())},
	}
}

// checkShift checks x - E[B] >= δ for the smallest x, the largest mean and the
// smallest δ.
func checkShift(x, most, least float64) Finding {
	mean, delta := rational(most), rational(least)
	left := minus(rational(x), mean)
	return Finding{
		Verdict: decide(left.Cmp(delta) >= 0, true),
		Margin:  fmt.Sprintf("0 at E[B] = %s: %s >= %s", mean.RatString(), left.RatString(), delta.RatString()),
	}
}
