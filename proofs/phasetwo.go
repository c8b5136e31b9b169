package proofs

import (
	"fmt"
	"math/big"
	"slices"
)

// checkPotential enumerates small loads.
func checkPotential(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	for loads := range choices(6, 3) {
		if (excess(loads, 2) == 0) != (slices.Max(loads) <= 2) {
			f.fails("%v", loads)
		}
	}
	return f
}

// checkAbove, checkAt, checkFarBelow and checkBinomialDrift compare the exact drift of
// a bin with load x with C4, C5, C6 and C9.
func checkAbove(*Audit) Finding {
	loads := func(threshold, _ int) (low, high int) { return threshold + 1, threshold + 3 }
	return checkCase(loads, func(n, k, _, _ int) *big.Rat { return rat(k-n, n) })
}

func checkAt(*Audit) Finding {
	loads := func(threshold, _ int) (low, high int) { return threshold, threshold }
	return checkCase(loads, func(n, k, _, _ int) *big.Rat { return rat(k, n) })
}

func checkFarBelow(*Audit) Finding {
	loads := func(threshold, k int) (low, high int) { return 1, threshold - k }
	return checkCase(loads, func(_, _, _, _ int) *big.Rat { return new(big.Rat) })
}

func checkBinomialDrift(*Audit) Finding {
	loads := func(threshold, _ int) (low, high int) { return 1, threshold }
	return checkCase(loads, func(n, k, threshold, x int) *big.Rat { return excessRat(n, k, rat(threshold-x, 1)) })
}

// checkCase compares the exact drift of a bin with load x with a formula, for x in a range. It enumerates
// all throws in tiny systems.
func checkCase(between func(threshold, k int) (low, high int), want func(n, k, threshold, x int) *big.Rat) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	cases := 0
	for n := 2; n <= 5; n++ {
		for k := 1; k < n; k++ {
			for threshold := 1; threshold <= 6; threshold++ {
				low, high := between(threshold, k)
				for x := max(1, low); x <= high; x++ {
					overfull := k
					if x > threshold {
						overfull-- // the bin itself is one of the k
					}
					got := binDrift(n, threshold, overfull, x)
					cases++
					if got.Cmp(want(n, k, threshold, x)) != 0 {
						f.fails("n = %d, τ = %d, k = %d, x = %d: %v", n, threshold, k, x, got)
					}
				}
			}
		}
	}
	f.evidence("fractions in %d enumerated cases, n <= 5, τ <= 6", cases)
	return f
}

// binDrift returns the exact expected change of the excess of bin 0, by enumeration. Bin 0 has load x,
// and others of the other bins are overfull.
func binDrift(n, threshold, others, x int) *big.Rat {
	loads := slices.Repeat([]int{1}, n)
	loads[0] = x
	for i := range others {
		loads[1+i] = threshold + 1
	}
	sum, runs := 0, 0
	for _, r := range systemAt(threshold, loads).successors() {
		sum += max(0, r.after[0]-threshold) - max(0, x-threshold)
		runs++
	}
	return rat(sum, runs)
}

// checkIntegerThreshold computes the drift of a bin that exceeds τ = 4 ln 16 by less than one.
func checkIntegerThreshold(a *Audit) Finding {
	const n, k, x = 16, 1, 12
	over := integer(x).sub(constant(a.Constants.Threshold).mul(a.log(n))) // x - τ, in (0, 1)
	// X' = x - 1 + B, so Y' = 0 if B = 0 and x - 1 + B - τ otherwise.
	zero := binomialTail(n, k, 0).sub(binomialTail(n, k, 1))
	drift := ratio(k, n).sub(integer(1)).add(zero.mul(integer(1).sub(over)))
	f := Finding{Verdict: Holds, Margin: "integer τ"}
	if compare(drift, ratio(k, n).sub(integer(1))) == greater && over.Lo > 0 && over.Hi < 1 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = fmt.Sprintf("n = 16, τ = 4 ln 16 = %.4f, x = 12, k = 1: drift %.4f, not k/n - 1 = %.4f", x-over.Hi, drift.Lo, float64(k)/n-1)
	}
	return f
}

// checkSwapped compares the drift with k/n and n/k.
func checkSwapped(*Audit) Finding {
	meant, useful := true, false
	for n := 2; n <= 24; n++ {
		for k := 1; k <= n; k++ {
			for z := 0; z <= 4; z++ {
				e := excessRat(n, k, rat(z, 1))
				meant = meant && e.Cmp(rat(k, n)) <= 0
			}
			useful = useful || n < k
		}
	}
	f := Finding{Verdict: False, Margin: "k/n is exact at x = τ; n/k says nothing of a drift below 1"}
	if meant && !useful {
		f.Verdict = Misprinted
	}
	f.Counterexample = "n = 16, k = 1: n/k = 16, while the drift is at most k/n = 1/16"
	f.evidence("E max(0, B - z) <= k/n as fractions, n <= 24, k <= n, z <= 4")
	return f
}

// checkTotalExpectation compares both sides as fractions.
func checkTotalExpectation(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	for n := 2; n <= 12; n++ {
		for k := 1; k <= n; k++ {
			for z := 0; z <= k; z++ {
				at := rat(z, 1)
				right := times(minus(conditionalRat(n, k, z), at), tailRat(n, k, z))
				if right.Cmp(excessRat(n, k, at)) != 0 {
					f.fails("n = %d, k = %d, z = %d", n, k, z)
				}
			}
		}
	}
	f.evidence("fractions for n <= 12, k <= n, z <= k")
	return f
}

// excessBetween returns an upper bound on E max(0, B - z) for z = eighths/8: it is
// linear in z between integers, where the enclosures are exact.
func excessBetween(n, k, eighths int) Interval {
	at, part := eighths/8, eighths%8
	low, high := binomialExcess(n, k, at), binomialExcess(n, k, at+1)
	return low.mul(ratio(8-part, 8)).add(high.mul(ratio(part, 8)))
}

// checkTailFromThree checks the inequality for every real z >= 3 by steps of 1/8. Both sides fall in z,
// so it compares the left side at the beginning of a step with the right side at the end.
func checkTailFromThree(a *Audit) Finding {
	t := newTally()
	from := 3
	covered := a.Constants.Lemma2From
	for e := 8 * from; e < 8*8; e++ {
		z := ratio(e+1, 8).sub(integer(1))
		bound := exp(z.neg()).div(z)
		for _, n := range a.Bins {
			t.atMost(excessBetween(n, n, e), bound, n, e)
		}
	}
	f := Finding{Verdict: decide(t.holds(), covered <= float64(from)), Margin: fmt.Sprintf("the bound is at least %.3g times the exact value; lemma 2 covers z >= %g", 1/(1-t.slack), covered)}
	f.Counterexample = "z = 3, n = 16, k = 8: lemma 2 does not apply, the inequality holds"
	f.evidence("enclosed at k = n, the worst, on %s, z in [3, 8); beyond, 1/(z+1)! is below the bound at z+1 and falls faster", a.span())
	return f
}

// checkHalf compares the largest k with n/2.
func checkHalf(a *Audit) Finding {
	t, plain := newTally(), 0
	for _, n := range a.Bins {
		k := a.balls(n).sub(integer(n)).div(constant(a.Constants.Threshold).mul(a.log(n)))
		// 2 n ln n / (4 ln n) is n/2 exactly, so compare the constants instead.
		rate := over(rational(a.Constants.Coupon), rational(a.Constants.Threshold))
		if rate.Cmp(rat(1, 2)) > 0 {
			t.atMost(k, ratio(n, 2), n, 0)
			continue
		}
		t.atMost(integer(a.mostOverfull(n)), ratio(n, 2), n, 0)
		if 2*a.balls(n).div(integer(a.threshold(n)+1)).floor() > n {
			plain++
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "0 % at real τ = 4 ln n, where 2 n ln n/τ = n/2"}
	f.evidence("largest k at most n/2 on %s; without the others' balls it exceeds n/2 at %d of %d n", a.span(), plain, len(a.Bins))
	return f
}
