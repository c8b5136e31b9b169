package proofs

import (
	"fmt"
	"math/big"
)

// lemmaTwoSteps is the second lemma, on the mean excess for k <= n/2.
func lemmaTwoSteps() []Step {
	const place = "appendix B, lemma 2 (mean excess)"
	return []Step{
		{ID: "M1", Place: place, Lines: lines(865, 872), Process: NoProcess, Rests: []string{"M3", "M4", "M8", "M9"},
			Claim: "(E[B | B >= x] - x) P[B >= x] <= e^-(x - 1/2)/(x - 1) for real x >= 7/2, k <= n/2", Formula: `(E[B \mid B \ge x] - x)\,P[B \ge x] \le \frac{1}{x-1} e^{-(x - \frac12)}`, Domain: "real x >= 7/2, k <= n/2; the left side is 0 where P[B >= x] = 0",
			Reason: "The left side is E max(0, B - x): at most 2^-(x+1)/(x+1)! at integers, linear between, falling. The inequality is true for every real x >= 3 too; the printed derivation covers integers only (M3, M9).",
			Repair: "state it for integer x, all that is used with integer τ, or argue as here",
			Check:  checkLemmaTwo},
		{ID: "M2", Place: place, Lines: []int{873, 874, 875, 876, 877}, Process: NoProcess,
			Claim: "the cited theorem bounds E[B | B >= x], for k trials, with the numerator (n - x)/n (printed; cited: (k - x)/n)", Formula: `E[B \mid B \ge x] \le x + \frac{(k - x)\frac1n}{x - \frac kn + \frac1n} \le x + \frac{(n - x)\frac1n}{x - \frac kn + \frac1n}`, Domain: "integer x, k/n < x <= k <= n",
			Reason: "In the cited theorem n is the number of trials, which is k here: its numerator is (k - x)/n, and (n - x)/n looks like a slip. As k <= n what is printed is the weaker bound, true wherever the cited one is, and enough for M4.",
			Check:  checkPelekis},
		{ID: "M3", Place: place, Lines: []int{876, 877, 878, 879}, Process: NoProcess,
			Claim: "E[B | B >= x] <= x + ((n - x)/n)/(x - k/n + 1/n), so at most x + 1/(x - 1)", Formula: `E[B \mid B \ge x] \le x + \frac{(n-x)\frac1n}{x - \frac kn + \frac1n}`, Domain: "real x >= 7/2, k <= n/2, as the lemma says",
			Reason: "True for integer x: successive probabilities fall by at least the factor r = (k - x) p/((x + 1)(1 - p)), and r/(1 - r) is below the bound. For x between integers B >= x means B >= ceil(x), and ceil(x) - x alone may exceed the bound.",
			Repair: "state the lemma for integer x, all that is used with integer τ",
			Check:  checkConditional},
		{ID: "M4", Place: place, Lines: []int{877}, Process: NoProcess,
			Claim: "((n - x)/n)/(x - k/n + 1/n) <= 1/(x - 1)", Formula: `\frac{(n-x)\frac1n}{x - \frac kn + \frac1n} \le \frac{1}{x-1}`, Domain: "1 < x <= n, k <= n",
			Reason:    "The numerator is at most 1, the denominator at least x - 1 + 1/n.",
			Constants: []string{"Lemma2Pole"},
			Check:     checkFraction},
		{ID: "M5", Place: place, Lines: []int{880, 881, 882}, Process: NoProcess,
			Claim: "additive Chernoff bound, as in lemma 1", Formula: `P[B \ge E[B] + \delta] \le e^{-\frac{\delta^2}{2(E[B] + \delta/3)}}`, Domain: "δ >= 0, k <= n/2",
			Reason: "The same bound of the same kind of sum as in step L2.", Check: checkChernoff},
		{ID: "M6", Place: place, Lines: []int{883}, Process: NoProcess,
			Claim: "that is at most exp(-δ/(1/δ + 2/3)) using E[B] <= 1/2", Formula: `\frac{\delta^2}{2(E[B] + \delta/3)} \ge \frac{\delta}{1/\delta + 2/3}`, Domain: "δ > 0, E[B] <= 1/2",
			Reason:    "Divide by δ; equality at k = n/2.",
			Constants: []string{"Lemma2Mean"},
			Check: func(a *Audit) Finding {
				return checkExponent(big.NewRat(1, 1), rational(a.Constants.Lemma2Mean))(a)
			}},
		{ID: "M7", Place: place, Lines: []int{884, 885}, Process: NoProcess,
			Claim: "that is at most e^-δ using δ >= 3", Formula: `\frac1\delta + \frac23 \le 1 \iff \delta \ge 3`, Domain: "δ >= 3",
			Reason:    "The left side falls in δ and is 1 at δ = 3 exactly.",
			Constants: []string{"Lemma2Delta"},
			Check: func(a *Audit) Finding {
				return checkDelta(big.NewRat(1, 1), rational(a.Constants.Lemma2Delta), big.NewRat(1, 1))
			}},
		{ID: "M8", Place: place, Lines: []int{886, 887}, Process: NoProcess, Rests: []string{"M5", "M6", "M7"},
			Claim: "as E[B] <= 1/2, P[B >= x] <= e^-(x - 1/2)", Formula: `x \ge \tfrac72 \Rightarrow \delta = x - E[B] \ge x - \tfrac12 \ge 3`, Domain: "x >= 7/2",
			Reason:    "δ = x - E[B] is at least x - 1/2 >= 3.",
			Constants: []string{"Lemma2From", "Lemma2Delta", "Lemma2Mean"},
			Check: func(a *Audit) Finding {
				return checkShift(rational(a.Constants.Lemma2From), rational(a.Constants.Lemma2Mean), rational(a.Constants.Lemma2Delta))
			}},
		{ID: "M9", Place: place + " (implicit)", Lines: []int{868, 869, 870, 871, 886, 887}, Process: NoProcess,
			Claim: "the product of the two bounds is the lemma, for every real x >= 7/2", Formula: `(E[B \mid B \ge x] - x) \cdot P[B \ge x]`, Domain: "real x >= 7/2, k <= n/2",
			Reason: "For integer x it is. Between integers the first bound fails (M3), though the product holds (M1).",
			Repair: "state it for integer x, or argue by E max(0, B - x) being linear between integers",
			Check:  checkProductOfBounds},
		{ID: "M10", Place: place + " (implicit)", Lines: []int{868, 869, 870, 876, 877}, Process: NoProcess,
			Claim: "E[B | B >= x] exists", Formula: `P[B \ge x] > 0 \iff x \le k`, Domain: "x >= 7/2, k <= n/2",
			Reason: "For x > k the condition has probability 0. Read the product as E max(0, B - x) = 0, and the lemma holds there.",
			Repair: "x <= k, or the convention",
			Check:  checkCondition},
	}
}

// lemmaTwoBound encloses e^-(x - 1/2)/(x - 1) at x = eighths/8.
func lemmaTwoBound(eighths int) Interval {
	x := ratio(eighths, 8)
	return exp(ratio(1, 2).sub(x)).div(x.sub(integer(1)))
}

// checkLemmaTwo covers every real x >= 7/2 by steps of 1/8, as both sides fall.
func checkLemmaTwo(a *Audit) Finding { return a.once("lemma 2", compareMeanExcess) }

// compareMeanExcess is checkLemmaTwo.
func compareMeanExcess(a *Audit) Finding {
	t, wider := newTally(), newTally()
	from := int(8 * a.Constants.Lemma2From)
	for e := 8 * 3; e < 8*8; e++ {
		bound := lemmaTwoBound(e + 1)
		for _, n := range a.Bins {
			side := excessBetween(n, n/2, e)
			wider.atMost(side, bound, n, e)
			if e >= from {
				t.atMost(side, bound, n, e)
			}
		}
	}
	f := Finding{Verdict: decide(t.holds(), true)}
	f.require(wider.holds(), "lemma 2 from x = 3 on, which repairs C11")
	f.Margin = fmt.Sprintf("the bound is at least %.3g times the exact value; it holds from x = 3 on as well: %v", 1/(1-t.slack), wider.holds())
	f.evidence("k = floor(n/2), the worst, every real x in [7/2, 8) by steps of 1/8, enclosed for %s; beyond, 2^-(i+1)/(i+1)! at i = floor(x) is below the bound at i + 1 and falls faster", a.span())
	return f
}

// conditionalBound is x + ((top - x)/n)/(x - k/n + 1/n), top n (printed) or k
// (cited).
func conditionalBound(n, k, top int, x *big.Rat) *big.Rat {
	over := new(big.Rat).Sub(big.NewRat(int64(top), 1), x)
	over.Quo(over, big.NewRat(int64(n), 1))
	under := new(big.Rat).Sub(x, big.NewRat(int64(k-1), int64(n)))
	return over.Add(over.Quo(over, under), x)
}

// eachConditional calls f with every integer n <= 40, k <= n/2 and 4 <= x <= k.
func eachConditional(f func(n, k, x int, mean *big.Rat)) {
	for n := 8; n <= 40; n++ {
		for k := 4; k <= n/2; k++ {
			for x := 4; x <= k; x++ {
				f(n, k, x, conditionalRat(n, k, x))
			}
		}
	}
}

// checkPelekis compares the cited and the printed bound at integers.
func checkPelekis(*Audit) Finding {
	cited, printed := true, true
	eachConditional(func(n, k, x int, mean *big.Rat) {
		at := big.NewRat(int64(x), 1)
		c, p := conditionalBound(n, k, k, at), conditionalBound(n, k, n, at)
		cited = cited && mean.Cmp(c) <= 0
		printed = printed && mean.Cmp(p) <= 0
	})
	at := big.NewRat(4, 1)
	f := Finding{Verdict: decide(cited && printed, true)}
	f.Margin = fmt.Sprintf("the cited bound is exact at x = k, where E[B | B >= k] = k; the printed one is looser: %s against %s at n = 8, k = x = 4", conditionalBound(8, 4, 8, at).RatString(), conditionalBound(8, 4, 4, at).RatString())
	f.evidence("both hold as fractions for all n <= 40, k <= n/2, integer 4 <= x <= k")
	return f
}

// checkConditional compares the printed bound at integers and between them.
func checkConditional(*Audit) Finding {
	integers := true
	eachConditional(func(n, k, x int, mean *big.Rat) {
		integers = integers && mean.Cmp(conditionalBound(n, k, n, big.NewRat(int64(x), 1))) <= 0
	})
	half := big.NewRat(7, 2)
	mean := conditionalRat(8, 4, 4) // B >= 7/2 is B >= 4
	between := mean.Cmp(conditionalBound(8, 4, 8, half)) <= 0
	f := Finding{Verdict: Holds, Margin: "at every integer x; between integers it fails once ceil(x) - x alone exceeds the bound, as at every half"}
	switch {
	case !integers:
		f.Verdict = False
	case !between:
		f.Verdict = HoldsOnSmallerDomain
	}
	f.Counterexample = fmt.Sprintf("n = 8, k = 4, x = 7/2: E[B | B >= x] = %s, the bound %s, and x + 1/(x - 1) = 39/10", mean.RatString(), conditionalBound(8, 4, 8, half).RatString())
	f.evidence("integers: as fractions for all n <= 40, k <= n/2, 4 <= x <= k, and the argument beyond")
	return f
}

// checkFraction compares the two fractions.
func checkFraction(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	least, pole := big.NewRat(1, 1), rational(a.Constants.Lemma2Pole)
	for n := 4; n <= 64; n++ {
		for k := 1; k <= n; k++ {
			for e := 9; e <= 8*min(n, 12); e++ {
				x := big.NewRat(int64(e), 8)
				left := conditionalBound(n, k, n, x)
				left.Sub(left, x)
				right := new(big.Rat).Inv(new(big.Rat).Sub(x, pole))
				slack := new(big.Rat).Sub(big.NewRat(1, 1), left.Quo(left, right))
				if slack.Sign() < 0 {
					f.Verdict, f.Counterexample = False, fmt.Sprintf("n = %d, k = %d, x = %s", n, k, x.RatString())
				}
				if slack.Cmp(least) < 0 {
					least = slack
				}
			}
		}
	}
	s, _ := least.Float64()
	f.Margin = percent(s) + " at the least among those computed; 0 % in the limit of large n, at k = n"
	f.evidence("as fractions for n <= 64, every k, x by eighths")
	return f
}

// checkProductOfBounds looks at the product between integers.
func checkProductOfBounds(a *Audit) Finding {
	f := Finding{Verdict: decide(checkLemmaTwo(a).Verdict == Holds, checkConditional(a).Verdict == Holds)}
	f.Margin = "the conclusion: see M1"
	f.Counterexample = "the derivation at n = 8, k = 4, x = 7/2: see M3; the product there: " + excessRat(8, 4, big.NewRat(7, 2)).RatString() + " <= " + fmt.Sprintf("%.5f", lemmaTwoBound(28).Lo)
	return f
}

// checkCondition finds the smallest k without the event.
func checkCondition(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact: x <= k"}
	if tailRat(16, 3, 4).Sign() == 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = "k = 3, x = 4, any n: P[B >= 4] = 0"
	}
	return f
}
