package proofs

import (
	"fmt"
	"math/big"
)

// lemmaOneSteps is the first lemma, a tail bound for k <= n.
func lemmaOneSteps() []Step {
	const place = "appendix B, lemma 1 (binomial tail)"
	return []Step{
		{ID: "L1", Place: place, Lines: lines(849, 856), Process: NoProcess, Rests: []string{"L2", "L3", "L4", "L5"},
			Claim: "P[B >= x] <= e^(-5/4 (x - 1)) for x >= 16, k <= n", Formula: `P[B \ge x] \le e^{-\frac54(x-1)}`, Domain: "x >= 16, k <= n, n >= 1",
			Reason: "By L2 to L5. The condition on x is not needed: step S10.",
			Check:  checkLemmaOne},
		{ID: "L2", Place: place, Lines: []int{857, 858, 859, 860}, Process: NoProcess,
			Claim: "additive Chernoff bound: P[B >= E[B] + δ] <= exp(-δ²/(2 (E[B] + δ/3)))", Formula: `P[B \ge E[B] + \delta] \le e^{-\frac{\delta^2}{2(E[B] + \delta/3)}}`, Domain: "δ >= 0, k <= n",
			Reason: "The cited theorem (Chung and Lu), Bernstein's inequality for sums of independent 0-1 numbers, whose variance is at most the mean.",
			Check:  checkChernoff},
		{ID: "L3", Place: place, Lines: []int{861}, Process: NoProcess,
			Claim: "that is at most exp(-δ/(2/δ + 2/3))", Formula: `\frac{\delta^2}{2(E[B] + \delta/3)} \ge \frac{\delta}{2/\delta + 2/3}`, Domain: "δ > 0, E[B] = k/n <= 1",
			Reason:    "Divide by δ and use E[B] <= 1, which is not said here; equality at k = n.",
			Constants: []string{"Lemma1Mean"},
			Check: func(a *Audit) Finding {
				return checkExponent(big.NewRat(2, 1), rational(a.Constants.Lemma1Mean))(a)
			}},
		{ID: "L4", Place: place, Lines: []int{862, 863}, Process: NoProcess,
			Claim: "that is at most e^(-5/4 δ) using δ >= 15", Formula: `\frac2\delta + \frac23 \le \frac45 \iff \delta \ge 15`, Domain: "δ >= 15",
			Reason:    "The left side falls in δ and is 4/5 at δ = 15 exactly.",
			Constants: []string{"Lemma1Rate", "Lemma1Delta"},
			Check: func(a *Audit) Finding {
				return checkDelta(big.NewRat(2, 1), rational(a.Constants.Lemma1Delta), rational(a.Constants.Lemma1Rate))
			}},
		{ID: "L5", Place: place + " (implicit)", Lines: []int{853, 854, 855, 862, 863, 864}, Process: NoProcess,
			Claim: "with x = E[B] + δ the lemma follows: δ >= x - 1 >= 15", Formula: `x \ge 16,\ E[B] \le 1 \Rightarrow \delta = x - E[B] \ge x - 1 \ge 15`, Domain: "x >= 16",
			Reason:    "The last line of the proof is missing; this is it.",
			Constants: []string{"Lemma1From", "Lemma1Delta", "Lemma1Mean"},
			Check: func(a *Audit) Finding {
				return checkShift(rational(a.Constants.Lemma1From), rational(a.Constants.Lemma1Mean), rational(a.Constants.Lemma1Delta))
			}},
	}
}

// lemmaOneTally encloses the tail at integers x in [from, 40]: for real x in
// (i-1, i] the left side is that of i and the right one larger.
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

// checkLemmaOne looks at the x of the lemma.
func checkLemmaOne(a *Audit) Finding {
	t := a.lemmaOneTally(mustDecide(constant(a.Constants.Lemma1From).ceil()))
	f := Finding{Verdict: decide(t.holds(), true)}
	f.Margin = fmt.Sprintf("the tail is below %.2g of the bound", 1-t.slack)
	f.evidence("k = n, the worst, x = 16..40, enclosed for %s", a.span())
	return f
}

// checkLemmaOneEverywhere encloses the tail for x = 1..5 at every n up to
// PoissonFrom, the Poisson tail and PoissonDistance/n beyond, and 1/x! from x = 6
// on. The distance in total variation is at most (1 - e^-λ)/λ times the sum of the
// squared probabilities [Barbour84]: (1 - 1/e)/n for n of 1/n each.
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
	f.evidence("k = n, the worst: x = 1..5 enclosed for n = 2..%d; beyond, x = 2..5 by the Poisson tail plus %s/n; x >= 6 by 1/x!, which falls faster than the bound", lemmaOneFrom, decimal(a.Constants.PoissonDistance))
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
func checkChernoff(a *Audit) Finding { return a.once("chernoff", compareTails) }

// compareTails is checkChernoff.
func compareTails(a *Audit) Finding {
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
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("tails at x = 1, 2, 3, 4, 6, 8, 12, 16, k = n/2 and n, enclosed for %s: %d cases", a.span(), t.cases)
	return f
}

// checkExponent checks δ²/(2 (E + δ/3)) >= δ/(c/δ + 2/3) for E <= most, c = 2 most,
// as fractions: equivalent to 2 E <= c.
func checkExponent(c, most *big.Rat) func(*Audit) Finding {
	return func(*Audit) Finding {
		f := Finding{Verdict: Holds, Margin: fmt.Sprintf("0 %% at E[B] = %s", most.RatString())}
		for e := int64(0); e <= 20; e++ {
			mean := new(big.Rat).Mul(most, big.NewRat(e, 20))
			for d := int64(1); d <= 80; d++ {
				delta := big.NewRat(d, 4)
				left := new(big.Rat).Mul(delta, delta)
				left.Quo(left, new(big.Rat).Mul(big.NewRat(2, 1), new(big.Rat).Add(mean, new(big.Rat).Quo(delta, big.NewRat(3, 1)))))
				right := new(big.Rat).Add(new(big.Rat).Quo(c, delta), big.NewRat(2, 3))
				right.Quo(delta, right)
				if left.Cmp(right) < 0 {
					f.Verdict = False
					f.Counterexample = fmt.Sprintf("E[B] = %s, δ = %s", mean.RatString(), delta.RatString())
					return f
				}
			}
		}
		f.evidence("compared as fractions for E[B] = 0..%s by twentieths and δ up to 20; for all others it is 2 E[B] <= %s", most.RatString(), c.RatString())
		return f
	}
}

// checkDelta checks c/δ + 2/3 <= 1/rate at the smallest δ; the left side falls.
func checkDelta(c, delta, rate *big.Rat) Finding {
	left := new(big.Rat).Add(new(big.Rat).Quo(c, delta), big.NewRat(2, 3))
	right := new(big.Rat).Inv(rate)
	slack := new(big.Rat).Quo(new(big.Rat).Sub(right, left), right)
	s, _ := slack.Float64()
	return Finding{
		Verdict:  decide(left.Cmp(right) <= 0, true),
		Margin:   fmt.Sprintf("%s at δ = %s", percent(s), delta.RatString()),
		Evidence: []string{fmt.Sprintf("at δ = %s: %s <= %s, as fractions", delta.RatString(), left.RatString(), right.RatString())},
	}
}

// checkShift checks from - most mean >= delta.
func checkShift(from, mean, delta *big.Rat) Finding {
	left := new(big.Rat).Sub(from, mean)
	return Finding{
		Verdict:  decide(left.Cmp(delta) >= 0, true),
		Margin:   fmt.Sprintf("0 at E[B] = %s: %s >= %s", mean.RatString(), left.RatString(), delta.RatString()),
		Evidence: []string{"as fractions"},
	}
}
