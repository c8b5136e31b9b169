package proofs

import (
	"fmt"
	"math/big"
)

// phaseTwoSteps is the set-up of the second phase and the drift of one bin.
func phaseTwoSteps() []Step {
	const place = "appendix B, second phase"
	fresh := Step{ID: "C3", Place: place, Lines: []int{808}, Process: SelfClocked,
		Claim: "the drift depends on K, the bins with more than τ balls: with no bin empty exactly K balls are thrown at random (implicit)", Formula: `\#\text{fresh}_{t+1} = K_t`, Domain: "phase two; colours unique",
		Reason: "Only the balls of overfull bins do not return. The drift is no function of K alone, but bounded by one.",
		Check:  selfClockedFact(freshAreOverfull)}
	atStart := Step{ID: "C1", Place: place, Lines: []int{804, 805}, Process: SelfClocked, Rests: []string{"A2", "B5"},
		Claim: "at its beginning there are at most 2 n ln n + n balls in total and all bins are non-empty", Formula: `M \le 2 n \ln n + n`, Domain: "n >= 2, with probability at least 1 - 1/n",
		Reason: "M is at most the fresh balls of phase one, step B5. The sentence leaves out the probability: M is larger in a run of positive probability.",
		Check:  checkFreshOfPhaseOne}
	return []Step{
		atStart,
		atStart.reading("A state without an empty bin comes late, or never; meanwhile every round throws n balls and removes fewer.", "none for round-robin", robinFilled),
		{ID: "C2", Place: place, Lines: []int{806}, Process: SelfClocked,
			Claim: "when the potential Y = sum of max(0, X - τ) is 0 all bins have at most τ elements", Formula: `Y_t = 0 \iff \max_i X^i_t \le \tau`, Domain: "always",
			Reason: "A sum of terms that are not negative is 0 if and only if all are.",
			Check:  checkPotential},
		fresh,
		fresh.reading("The balls thrown at random are those of colours that forgot and whose turn it is, not those of the bins overfull now.", "none for round-robin", robinFact(freshAreOverfull)),
		{ID: "C4", Place: place, Lines: []int{809, 810, 811, 812}, Process: SelfClocked, Rests: []string{"C3"},
			Claim: "the expected drift of a bin with x > τ is k/n - 1", Formula: `E[Y^i_{t+1} - Y^i_t \mid x > \tau, k] = k/n - 1`, Domain: "integer τ; no bin empty",
			Reason: "x - 1 >= τ, so Y falls by one and rises by the fresh balls B, E[B] = k/n.",
			Check:  checkCase(func(threshold, k int) (low, high int) { return threshold + 1, threshold + 3 }, func(n, k, _, _ int) *big.Rat { return big.NewRat(int64(k-n), int64(n)) })},
		{ID: "C5", Place: place, Lines: []int{810, 811, 813}, Process: SelfClocked, Rests: []string{"C3"},
			Claim: "the expected drift of a bin with x = τ is k/n", Formula: `E[Y^i_{t+1} - Y^i_t \mid x = \tau, k] = k/n`, Domain: "integer τ; no bin empty",
			Reason: "Its ball returns, so X' = τ + B and Y' = B.",
			Check:  checkCase(func(threshold, k int) (low, high int) { return threshold, threshold }, func(n, k, _, _ int) *big.Rat { return big.NewRat(int64(k), int64(n)) })},
		{ID: "C6", Place: place, Lines: []int{810, 811, 814, 815, 816}, Process: SelfClocked, Rests: []string{"C3"},
			Claim: "the expected drift of a bin with x <= τ - k is 0", Formula: `E[Y^i_{t+1} - Y^i_t \mid x \le \tau - k, k] = 0`, Domain: "k >= 1; no bin empty",
			Reason: "X' = x + B <= x + k <= τ.",
			Check:  checkCase(func(threshold, k int) (low, high int) { return 1, threshold - k }, func(_, _, _, _ int) *big.Rat { return new(big.Rat) })},
		{ID: "C7", Place: place + " (implicit)", Lines: []int{719, 806, 812}, Process: SelfClocked,
			Claim: "τ may be any real number, as 4 ln n is", Formula: `x > \tau \Rightarrow x - 1 \ge \tau`, Domain: "real τ >= 4 ln n",
			Reason: "With a fraction in τ a bin can be above τ by less than one; its drift is then above k/n - 1, and no bin is at τ. The process itself sees floor(τ) only.",
			Repair: "let τ be an integer, or replace it by floor(τ) everywhere, which must then be at least 4 ln n",
			Check:  checkIntegerThreshold},
		{ID: "C8", Place: place, Lines: []int{817}, Process: SelfClocked,
			Claim: "for x between τ - k and τ the expected drift is still bounded by n/k, which is not enough", Formula: `E[\max(0, B - z)] \le k/n \quad (\text{printed } n/k)`, Domain: "1 <= k <= n, z >= 0",
			Reason: "k/n = E[B] is meant, and used later. The printed n/k is at least 1, as k <= n, so it holds and says nothing. With k/n for every bin the total is n k/n - k = 0: not enough indeed. What the sentence then announces for all such bins is shown below, and needed, only for those under τ - ln n.",
			Repair: "k/n",
			Check:  checkSwapped},
		{ID: "C9", Place: place, Lines: []int{818}, Process: SelfClocked, Rests: []string{"B1", "C3"},
			Claim: "the expected drift of a bin with x <= τ is E[max(0, B - (τ - x))] with B binomial (k, 1/n)", Formula: `E[Y^i_{t+1} - Y^i_t \mid x \le \tau, k] = E[\max(0, B - (\tau - x))]`, Domain: "phase two",
			Reason: "Its own ball returns, and each of the k fresh balls hits it with probability 1/n independently (B1, C3).",
			Check:  checkBinomialDrift},
		{ID: "C10", Place: place, Lines: []int{818, 819, 820}, Process: NoProcess,
			Claim: "E[max(0, B - z)] = (E[B | B >= z] - z) P[B >= z]", Formula: `E[\max(0, B - z)] = (E[B \mid B \ge z] - z)\,P[B \ge z]`, Domain: "P[B >= z] > 0, that is z <= k; beyond, both sides are read as 0",
			Reason: "Total expectation over B >= z and B < z.",
			Check:  checkTotalExpectation},
		{ID: "C11", Place: place, Lines: []int{818, 821, 822, 823, 824}, Process: NoProcess, Rests: []string{"C24", "M1"},
			Claim: "for z >= 3 that is at most e^-(z-1) / (z - 1), by lemma 2", Formula: `E[\max(0, B - z)] \le \frac{1}{z-1} e^{-(z-1)}`, Domain: "real z >= 3, k <= n",
			Reason: "Lemma 2 is stated from z >= 7/2 and for k <= n/2 only, and neither is said here; z = 3 is used for 16 <= n <= 20, where bins under τ - ln n begin with z = 3. The inequality itself holds for every z >= 3 and every k <= n: E max(0, B - z) <= 1/(z+1)! for integer z, and between integers it is linear.",
			Repair: "state lemma 2 for z >= 3, where its own inequality holds too",
			Check:  checkTailFromThree},
		{ID: "C24", Place: place + " (implicit)", Lines: []int{823}, Process: SelfClocked, Rests: []string{"C1", "C15"},
			Claim: "lemma 2 may be used: k <= n/2", Formula: `k \tau + n \le M \le 2 n \ln n + n \Rightarrow k \le 2 n \ln n/\tau \le n/2`, Domain: "M <= 2 n ln n + n, τ >= 4 ln n",
			Reason:    "The k overfull bins hold at least k (τ + 1) balls and the other n - k at least one each, which leaves k τ <= 2 n ln n. Without the others' balls, as the text counts, one gets k <= n (2 ln n + 1)/(4 ln n + 1), more than n/2.",
			Constants: []string{"Threshold", "Coupon"},
			Check:     checkHalf},
	}
}

// checkPotential enumerates small loads.
func checkPotential(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact"}
	eachChoice(6, 3, func(loads []int) {
		within := true
		for _, load := range loads {
			within = within && load <= 2
		}
		if (excess(loads, 2) == 0) != within {
			f.Verdict, f.Counterexample = False, fmt.Sprint(loads)
		}
	})
	return f
}

// checkCase compares the exact drift of a bin, by enumeration of all throws in
// tiny systems, with a formula, for loads x in a range.
func checkCase(between func(threshold, k int) (low, high int), want func(n, k, threshold, x int) *big.Rat) func(*Audit) Finding {
	return func(*Audit) Finding {
		f := Finding{Verdict: Holds, Margin: "none: it is exact"}
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
							f.Verdict, f.Counterexample = False, fmt.Sprintf("n = %d, τ = %d, k = %d, x = %d: %v", n, threshold, k, x, got)
						}
					}
				}
			}
		}
		f.evidence("equal as fractions in all %d cases of n <= 5, τ <= 6, by enumeration of the throws", cases)
		return f
	}
}

// binDrift returns the exact expected change of the excess of bin 0 with load x,
// others of the other bins being overfull, by enumeration.
func binDrift(n, threshold, others, x int) *big.Rat {
	y := newSystem(setup{SelfClocked, n, threshold, 0})
	for i := range y.queues {
		load := 1
		switch {
		case i == 0:
			load = x
		case i <= others:
			load = threshold + 1
		}
		y.queues[i] = make([]uint16, load)
	}
	r, draws := y.remove()
	sum, choices := 0, 0
	eachChoice(n, draws, func(choice []int) {
		z, record := y.clone(), r.fork()
		z.throw(record, choice)
		sum += max(0, record.after[0]-threshold) - max(0, x-threshold)
		choices++
	})
	return big.NewRat(int64(sum), int64(choices))
}

// checkBinomialDrift compares the enumerated drift of a bin below τ with the
// binomial expression.
func checkBinomialDrift(a *Audit) Finding {
	return checkCase(func(threshold, k int) (low, high int) { return 1, threshold }, func(n, k, threshold, x int) *big.Rat {
		return excessRat(n, k, new(big.Rat).SetInt64(int64(threshold-x)))
	})(a)
}

// checkIntegerThreshold shows the drift of a bin less than one above τ = 4 ln 16.
func checkIntegerThreshold(a *Audit) Finding {
	const n, k, x = 16, 1, 12
	over := integer(x).sub(constant(a.Constants.Threshold).mul(a.log(n))) // x - τ, in (0, 1)
	// X' = x - 1 + B: Y' = 0 if B = 0, else x - 1 + B - τ.
	zero := binomialTail(n, k, 0).sub(binomialTail(n, k, 1))
	drift := ratio(k, n).sub(integer(1)).add(zero.mul(integer(1).sub(over)))
	f := Finding{Verdict: Holds, Margin: "exact: integer τ"}
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
				e := excessRat(n, k, new(big.Rat).SetInt64(int64(z)))
				meant = meant && e.Cmp(big.NewRat(int64(k), int64(n))) <= 0
			}
			useful = useful || n < k
		}
	}
	f := Finding{Verdict: False, Margin: "printed n/k >= 1 is no bound on an expected drift below 1; k/n is exact at x = τ"}
	if meant && !useful {
		f.Verdict = Misprinted
	}
	f.Counterexample = "n = 16, k = 1: n/k = 16, while the drift is at most k/n = 1/16"
	f.evidence("E max(0, B - z) <= k/n as fractions for all n <= 24, k <= n, z <= 4")
	return f
}

// checkTotalExpectation compares both sides as fractions.
func checkTotalExpectation(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact"}
	for n := 2; n <= 12; n++ {
		for k := 1; k <= n; k++ {
			for z := 0; z <= k; z++ {
				at := new(big.Rat).SetInt64(int64(z))
				right := new(big.Rat).Sub(conditionalRat(n, k, z), at)
				right.Mul(right, tailRat(n, k, z))
				if right.Cmp(excessRat(n, k, at)) != 0 {
					f.Verdict, f.Counterexample = False, fmt.Sprintf("n = %d, k = %d, z = %d", n, k, z)
				}
			}
		}
	}
	f.evidence("equal as fractions for all n <= 12, k <= n, z <= k")
	return f
}

// excessBetween returns an upper bound on E max(0, B - z) for z = eighths/8: it is
// linear in z between integers, where the enclosures are exact.
func excessBetween(n, k, eighths int) Interval {
	at, part := eighths/8, eighths%8
	low, high := binomialExcess(n, k, at), binomialExcess(n, k, at+1)
	return low.mul(ratio(8-part, 8)).add(high.mul(ratio(part, 8)))
}

// checkTailFromThree checks the inequality for every real z >= 3 by steps of 1/8:
// both sides fall in z, so the left one at the beginning of a step against the
// right one at its end covers the step.
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
	f.Counterexample = "z = 3, n = 16, k = 8: lemma 2 does not apply (its x is at least 7/2); the inequality holds"
	f.evidence("enclosed with k = n, the worst, for %s and z in [3, 8); beyond, 1/(z+1)! is below the bound at z+1 and falls faster", a.span())
	return f
}

// checkHalf compares the largest k with n/2.
func checkHalf(a *Audit) Finding {
	t, plain := newTally(), 0
	for _, n := range a.Bins {
		k := a.balls(n).sub(integer(n)).div(constant(a.Constants.Threshold).mul(a.log(n)))
		// 2 n ln n / (4 ln n) is n/2 exactly, so compare the constants instead.
		rate := new(big.Rat).Quo(rational(a.Constants.Coupon), rational(a.Constants.Threshold))
		if rate.Cmp(big.NewRat(1, 2)) > 0 {
			t.atMost(k, ratio(n, 2), n, 0)
			continue
		}
		t.atMost(integer(a.mostOverfull(n)), ratio(n, 2), n, 0)
		if 2*mustDecide(a.balls(n).div(integer(a.threshold(n)+1)).floor()) > n {
			plain++
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "0 % at real τ = 4 ln n, where 2 n ln n/τ = n/2"}
	f.evidence("largest k with every other bin non-empty at most n/2 for %s; without their balls the count exceeds n/2 at %d of them", a.span(), plain)
	return f
}
