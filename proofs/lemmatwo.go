package proofs

import (
	"fmt"
	"math/big"
)

// lemmaTwoBound encloses e^-(x - 1/2)/(x - 1) at x = eighths/8.
func lemmaTwoBound(eighths int) Interval {
	x := ratio(eighths, 8)
	return exp(ratio(1, 2).sub(x)).div(x.sub(integer(1)))
}

// checkLemmaTwo covers every real x >= 7/2 by steps of 1/8, since both sides fall.
func checkLemmaTwo(a *Audit) Finding {
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
	f.Margin = fmt.Sprintf("the bound is at least %.3g times the exact value", 1/(1-t.slack))
	f.evidence("k = floor(n/2), the worst, every real x in [3, 8) by steps of 1/8, enclosed on %s; beyond, 2^-(i+1)/(i+1)! at i = floor(x) is below the bound at i + 1 and falls faster", a.span())
	return f
}

// conditionalBound is x + ((top - x)/n)/(x - k/n + 1/n), with top = n (as printed) or k (as cited).
func conditionalBound(n, k, top int, x *big.Rat) *big.Rat {
	fraction := over(over(minus(rat(top, 1), x), rat(n, 1)), minus(x, rat(k-1, n)))
	return plus(fraction, x)
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
		at := rat(x, 1)
		c, p := conditionalBound(n, k, k, at), conditionalBound(n, k, n, at)
		cited = cited && mean.Cmp(c) <= 0
		printed = printed && mean.Cmp(p) <= 0
	})
	at := rat(4, 1)
	f := Finding{Verdict: decide(cited && printed, true)}
	f.Margin = fmt.Sprintf("the cited bound is exact at x = k; the printed one is looser: %s against %s at n = 8, k = x = 4", conditionalBound(8, 4, 8, at).RatString(), conditionalBound(8, 4, 4, at).RatString())
	f.evidence("both as fractions for n <= 40, k <= n/2, integer 4 <= x <= k")
	return f
}

// checkConditional compares the printed bound at integers and between them.
func checkConditional(*Audit) Finding {
	integers := true
	eachConditional(func(n, k, x int, mean *big.Rat) {
		integers = integers && mean.Cmp(conditionalBound(n, k, n, rat(x, 1))) <= 0
	})
	half := rat(7, 2)
	mean := conditionalRat(8, 4, 4) // B >= 7/2 is B >= 4
	between := mean.Cmp(conditionalBound(8, 4, 8, half)) <= 0
	f := Finding{Verdict: Holds, Margin: "holds at every integer x, fails at every half"}
	switch {
	case !integers:
		f.Verdict = False
	case !between:
		f.Verdict = HoldsOnSmallerDomain
	}
	f.Counterexample = fmt.Sprintf("n = 8, k = 4, x = 7/2: E[B | B >= x] = %s, the bound %s, and x + 1/(x - 1) = 39/10", mean.RatString(), conditionalBound(8, 4, 8, half).RatString())
	f.evidence("integers: fractions for n <= 40, k <= n/2, 4 <= x <= k; beyond, the argument")
	return f
}

// checkFraction compares the two fractions.
func checkFraction(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	least, pole := rat(1, 1), rational(a.Constants.Lemma2Pole)
	for n := 4; n <= 64; n++ {
		for k := 1; k <= n; k++ {
			for e := 9; e <= 8*min(n, 12); e++ {
				x := rat(e, 8)
				left := minus(conditionalBound(n, k, n, x), x)
				slack := minus(rat(1, 1), times(left, minus(x, pole))) // the right side is 1/(x - pole)
				if slack.Sign() < 0 {
					f.fails("n = %d, k = %d, x = %s", n, k, x.RatString())
				}
				if slack.Cmp(least) < 0 {
					least = slack
				}
			}
		}
	}
	s, _ := least.Float64()
	f.Margin = percent(s) + " at least; 0 % in the limit of large n, at k = n"
	f.evidence("fractions for n <= 64, every k, x by eighths")
	return f
}

// checkProductOfBounds checks the product between integers.
func checkProductOfBounds(a *Audit) Finding {
	f := Finding{Verdict: decide(sameAs("M1")(a).Verdict == Holds, sameAs("M3")(a).Verdict == Holds)}
	f.Margin = "see M1"
	f.Counterexample = "the derivation, as M3; the product there: " + excessRat(8, 4, rat(7, 2)).RatString() + " <= " + fmt.Sprintf("%.5f", lemmaTwoBound(28).Lo)
	return f
}

// checkCondition finds the smallest k for which the condition has probability 0.
func checkCondition(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "x <= k"}
	if tailRat(16, 3, 4).Sign() == 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = "k = 3, x = 4, any n: P[B >= 4] = 0"
	}
	return f
}
