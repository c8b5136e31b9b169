package proofs

import (
	"fmt"
	"math/big"
)

// driftSteps is the total drift.
func driftSteps() []Step {
	const place = "appendix B, second phase"
	return []Step{
		{ID: "C12", Place: place, Lines: []int{825, 826}, Process: NoProcess,
			Claim: "a bin with less than τ - ln n balls has z = τ - x >= ln n + 1", Formula: `x < \tau - \ln n \Rightarrow \tau - x \ge \ln n + 1`, Domain: "n >= 16, integer x and τ",
			Reason: "z > ln n is all that follows; z is an integer and ln n is not, so z >= ceil(ln n), which is below ln n + 1 always.",
			Repair: "z >= ceil(ln n), and the bound of C13 from factorial moments",
			Check:  checkFarBins},
		{ID: "C13", Place: place, Lines: []int{826}, Process: SelfClocked, Rests: []string{"C11", "C12"},
			Claim: "the drift contribution of all bins with less than τ - ln n balls is at most 1/ln n", Formula: `n\,E[\max(0, B - \lceil \ln n \rceil)] \le 1/\ln n`, Domain: "n >= 16, k <= n/2",
			Reason: "It does not follow: with z = ceil(ln n) the bound of C11 gives more than 1/ln n, and so does lemma 2. It holds: E max(0, B - z) <= E[C(B, z+1)] <= (k/n)^(z+1)/(z+1)!, and with n <= e^z the sum is at most (e/2)^z / (2 (z+1)!), which is below 1/z <= 1/ln n for every z >= 1.",
			Repair: "use E max(0, B - z) <= (k/n)^(z+1)/(z+1)! for the integer z = ceil(ln n)",
			Check:  checkFarContribution},
		{ID: "C14", Place: place, Lines: []int{826}, Process: SelfClocked,
			Claim: "these bins contribute only if k > ln n", Formula: `E[\max(0, B - z)] > 0 \Rightarrow k > z > \ln n`, Domain: "always",
			Reason: "To exceed τ a bin must receive more than z > ln n of the k fresh balls. Even k >= ceil(ln n) + 1 is needed.",
			Check:  checkFarOnly},
		{ID: "C15", Place: place, Lines: []int{827}, Process: SelfClocked,
			Claim: "of the at most 2 n ln n + n balls (printed: log n) at least k (τ + 1) are in overfull bins", Formula: `\sum_{X^i > \tau} X^i \ge k (\tau + 1)`, Domain: "integer τ; the natural logarithm",
			Reason: "Each of the k overfull bins holds at least τ + 1. A logarithm to another base would give other balls than phase one does: B5.",
			Check:  checkOverfullBalls},
		{ID: "C16", Place: place, Lines: []int{827}, Process: NoProcess,
			Claim: "(2 n ln n + n - k (τ + 1)) / (τ - ln n) <= 3n/4 - k", Formula: `\frac{2 n \ln n + n - k(\tau + 1)}{\tau - \ln n} \le \frac34 n - k`, Domain: "n >= 16, τ >= 4 ln n, 1 <= k <= n/2",
			Reason:    "At τ = 4 ln n it reads n (4 - ln n) <= 4 k (ln n + 1). From n = 55, ln n >= 4, it holds for every k; k = 1 needs n >= 31; k >= 2 is enough from 16 on. The left side falls in τ, so integer τ = ceil(4 ln n) fails less: only at n = 20.",
			Repair:    "count at least one ball in each other bin: (2 n ln n - k τ)/(τ - ln n - 1) <= 3n/4 - k for all n >= 16, k >= 1",
			Constants: []string{"NearBins", "Threshold", "Coupon"},
			Check:     checkNearBins},
		{ID: "C17", Place: place, Lines: []int{827}, Process: SelfClocked, Rests: []string{"C15", "C16"},
			Claim: "there are at most 3n/4 - k bins with at least τ - ln n and at most τ balls", Formula: `\#\{i : \tau - \ln n \le X^i \le \tau\} \le \frac34 n - k`, Domain: "n >= 16, integer τ >= 4 ln n, 1 <= k <= n/2, no bin empty",
			Reason: "c such bins, k overfull ones and a ball in each other bin need k τ + c (ceil(τ - ln n) - 1) + n <= M. That leaves 0 <= n (ln n - 3)/4 + k (ln n + 1) at τ = 4 ln n, which holds for n >= 21 at once and for 16 <= n <= 20 with k >= 1; it improves with τ. The text derives it by C16, which fails at some n.",
			Repair: "that count, with a ball in each other bin",
			Check:  checkNearCount},
		{ID: "C18", Place: place, Lines: []int{827}, Process: NoProcess,
			Claim: "each contributes at most k/n, so their total is at most 3k/4 - k²/n", Formula: `(\frac34 n - k) \frac kn = \frac34 k - \frac{k^2}{n}`, Domain: "given C17",
			Reason: "E max(0, B - z) <= E[B] = k/n, and the product.",
			Check:  checkNearTotal},
		{ID: "C19", Place: place, Lines: []int{828}, Process: SelfClocked, Rests: []string{"C4"},
			Claim: "the overfull bins contribute k²/n - k in total", Formula: `k (\frac kn - 1) = \frac{k^2}{n} - k`, Domain: "integer τ",
			Reason: "C4, k times.",
			Check:  checkOverfullTotal},
		{ID: "C20", Place: place, Lines: lines(829, 837), Process: SelfClocked, Rests: []string{"C13", "C17", "C18", "C19"},
			Claim: "the total expected drift is at most 1/ln n - k/4 if k > ln n", Formula: `E[Y_{t+1} - Y_t \mid K_t = k] \le \frac{1}{\ln n} - \frac k4`, Domain: "n >= 16, integer τ >= 4 ln n, M <= 2 n ln n + n, ln n < k <= n/2",
			Reason: "The sum of C13, C18 and C19, all of which hold as bounds. S4 gives a lower one.",
			Repair: "S4, or C13 and C17 as repaired",
			Check:  checkManyDrift},
		{ID: "C21", Place: place, Lines: []int{832, 833, 834, 835, 837, 838, 839}, Process: SelfClocked, Rests: []string{"C14", "C17", "C18", "C19"},
			Claim: "and at most -1/4 else", Formula: `E[Y_{t+1} - Y_t \mid K_t = k] \le -\frac14`, Domain: "n >= 16, integer τ >= 4 ln n, M <= 2 n ln n + n, 1 <= k <= ln n",
			Reason: "Without the bins of C13 the sum is -k/4.",
			Repair: "S4, or C17 as repaired",
			Check:  checkFewDrift},
		{ID: "C22", Place: place + " (implicit)", Lines: []int{835, 837, 838}, Process: SelfClocked,
			Claim: "the second case includes k = 0", Formula: `k = 0: E[Y_{t+1} - Y_t] = 0`, Domain: "0 <= k <= ln n",
			Reason: "With no bin overfull nothing moves and the drift is 0. The drift theorem asks only while Y > 0, that is k >= 1.",
			Repair: "write 1 <= k",
			Check:  checkZeroOverfull},
	}
}

// checkOverfullBalls enumerates small loads: the fewest balls in k overfull bins.
func checkOverfullBalls(*Audit) Finding {
	const threshold = 3
	f := Finding{Verdict: Holds}
	reached := map[int]bool{}
	eachChoice(7, 4, func(loads []int) {
		k, balls := 0, 0
		for _, load := range loads {
			if load > threshold {
				k, balls = k+1, balls+load
			}
		}
		if balls < k*(threshold+1) {
			f.Verdict, f.Counterexample = False, fmt.Sprint(loads)
		}
		reached[k] = reached[k] || balls == k*(threshold+1)
	})
	f.Margin = fmt.Sprintf("none: it is exact, reached for each of %d k", len(reached))
	f.evidence("all loads up to 6 of four bins, τ = 3")
	return f
}

// checkFarBins looks for z > ln n below ln n + 1.
func checkFarBins(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	failed := 0
	for _, n := range a.Bins {
		z := mustDecide(a.log(n).ceil())
		if compare(a.log(n).add(integer(1)), integer(z)) != atMost {
			failed++
			if f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("n = %d, x = τ - %d: %d > ln n = %.4f, but ln n + 1 = %.4f", n, z, z, a.log(n).Lo, a.log(n).Lo+1)
				f.Verdict = False
			}
		}
	}
	f.Margin = fmt.Sprintf("fails at %d of %d n, by up to one ball", failed, len(a.Bins))
	return f
}

// checkFarContribution encloses the contribution of all far bins, at z =
// ceil(ln n), and what the printed bound gives there.
func checkFarContribution(a *Audit) Finding {
	truth, printed, lemma, repaired := newTally(), newTally(), newTally(), newTally()
	for _, n := range a.Bins {
		z := mustDecide(a.log(n).ceil())
		bound := integer(1).div(a.log(n))
		truth.atMost(integer(n).mul(binomialExcess(n, n/2, z)), bound, n, z)
		repaired.atMost(integer(n).mul(halfExcess(z)), bound, n, z)
		e := integer(z - 1)
		printed.atMost(integer(n).mul(exp(e.neg())).div(e), bound, n, z)
		lemma.atMost(integer(n).mul(exp(ratio(1-2*z, 2))).div(e), bound, n, z)
	}
	f := Finding{Verdict: decide(truth.holds(), printed.holds() || lemma.holds())}
	f.require(repaired.holds(), "n (1/2)^(z+1)/(z+1)! <= 1/ln n at z = ceil(ln n)")
	f.Margin = fmt.Sprintf("the contribution is at most %s of 1/ln n", percent(1-truth.slack))
	n, z := printed.first[0], printed.first[1]
	f.Counterexample = fmt.Sprintf("the derivation at n = %d, z = %d: n e^-(z-1)/(z-1) = %.4f > 1/ln n = %.4f", n, z, printed.firstSides[0].Lo, printed.firstSides[1].Hi)
	f.evidence("n E max(0, B - ceil(ln n)) with k = floor(n/2) enclosed for %s; the bound of C11 there exceeds 1/ln n at %d of them, that of lemma 2 at %d", a.span(), printed.failed, lemma.failed)
	return f
}

// halfExcess encloses (1/2)^(z+1)/(z+1)!, which bounds E max(0, B - z) for k <= n/2.
func halfExcess(z int) Interval {
	bound := integer(1)
	for i := range z + 1 {
		bound = bound.div(integer(2 * (i + 1)))
	}
	return bound
}

// checkFarOnly checks that z or fewer fresh balls leave a bin within τ.
func checkFarOnly(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		z := mustDecide(a.log(n).ceil())
		t.atMost(a.log(n), integer(z), n, z)
		if excessRat(n, z, new(big.Rat).SetInt64(int64(z))).Sign() != 0 {
			t.failed++
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "one ball: k = ceil(ln n) does not contribute yet"}
	f.evidence("E max(0, B - z) = 0 for k <= z, exactly, for %s", a.span())
	return f
}

// nearSides returns both sides of the printed inequality.
func (a *Audit) nearSides(n, k int, threshold Interval) (lhs, rhs Interval) {
	lhs = a.balls(n).sub(integer(k).mul(threshold.add(integer(1)))).div(threshold.sub(a.log(n)))
	return lhs, constant(a.Constants.NearBins).mul(integer(n)).sub(integer(k))
}

// checkNearBins finds where the printed inequality fails, for real and integer τ.
func checkNearBins(a *Audit) Finding {
	whole := newTally()
	var realFrom [3]int // the smallest n from which k = 0, 1, 2 hold at τ = 4 ln n
	for n := 256; n >= MinBins; n-- {
		for k := range realFrom {
			lhs, rhs := a.nearSides(n, k, constant(a.Constants.Threshold).mul(a.log(n)))
			if compare(lhs, rhs) != atMost && realFrom[k] == 0 {
				realFrom[k] = n + 1
			}
		}
	}
	for _, n := range a.Bins {
		threshold := integer(a.threshold(n))
		for k := 1; k <= a.mostOverfull(n); k++ {
			lhs, rhs := a.nearSides(n, k, threshold)
			whole.atMost(lhs, rhs, n, k)
			if compare(integer(4), a.log(n)) == atMost {
				break // by the argument it holds for all k; one is looked at
			}
		}
	}
	for k := range realFrom {
		realFrom[k] = max(realFrom[k], MinBins)
	}
	f := Finding{Verdict: Holds}
	if whole.failed > 0 || realFrom[1] > MinBins {
		f.Verdict = HoldsOnSmallerDomain
	}
	repaired := a.repairedNearBins()
	f.require(repaired.holds(), "(2 n ln n - k τ)/(τ - ln n - 1) <= 3n/4 - k, in %d of %d cases", repaired.cases-repaired.failed-repaired.undecided, repaired.cases)
	f.Margin = fmt.Sprintf("exact: real τ = 4 ln n: k >= 2 from n = %d, k = 1 from n = %d, (k = 0 from n = %d); integer τ: fails in %d cases", realFrom[2], realFrom[1], realFrom[0], whole.failed)
	lhs, rhs := a.nearSides(16, 1, constant(a.Constants.Threshold).mul(a.log(16)))
	f.Counterexample = fmt.Sprintf("τ = 4 ln 16, n = 16, k = 1: %.4f > %.4f", lhs.Lo, rhs.Hi)
	if whole.failed > 0 {
		n, k := whole.first[0], whole.first[1]
		f.Counterexample += fmt.Sprintf("; integer τ: n = %d, τ = %d, k = %d: %.4f > %.4f", n, a.threshold(n), k, whole.firstSides[0].Lo, whole.firstSides[1].Hi)
	}
	f.evidence("integer τ: every possible k while ln n < 4, k = 1 beyond, %d cases, for %s; at τ = 4 ln n it reads n (4 - ln n) <= 4 k (ln n + 1), so nothing fails from n = 55 on", whole.cases, a.span())
	return f
}

// repairedNearBins compares both sides of the repaired inequality for real and
// integer τ, at the smallest and the largest k: both sides are linear in k.
func (a *Audit) repairedNearBins() *tally {
	t := newTally()
	for _, n := range a.Bins {
		for _, threshold := range []Interval{constant(a.Constants.Threshold).mul(a.log(n)), integer(a.threshold(n))} {
			for _, k := range []int{1, a.mostOverfull(n)} {
				lhs := a.balls(n).sub(integer(n)).sub(integer(k).mul(threshold)).div(threshold.sub(a.log(n)).sub(integer(1)))
				t.atMost(lhs, constant(a.Constants.NearBins).mul(integer(n)).sub(integer(k)), n, k)
			}
		}
	}
	return t
}

// checkNearCount counts near bins exactly.
func checkNearCount(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		threshold := a.threshold(n)
		balls := mustDecide(a.balls(n).floor())
		near := mustDecide(integer(threshold).sub(a.log(n)).ceil()) // the fewest balls of a near bin
		for k := 1; k <= a.mostOverfull(n); k = nextOverfull(n, k) {
			count := min(n-k, (balls-n-k*threshold)/(near-1))
			t.atMost(integer(count), constant(a.Constants.NearBins).mul(integer(n)).sub(integer(k)), n, k)
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("largest possible count, %d pairs (n, k), every k up to n = 4,096, for %s", t.cases, a.span())
	return f
}

// checkNearTotal compares both sides as fractions.
func checkNearTotal(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact, and E[B] = k/n is reached at x = τ"}
	for n := int64(16); n <= 64; n++ {
		for k := int64(1); k <= n/2; k++ {
			left := new(big.Rat).Mul(new(big.Rat).Sub(big.NewRat(3*n, 4), big.NewRat(k, 1)), big.NewRat(k, n))
			right := new(big.Rat).Sub(big.NewRat(3*k, 4), big.NewRat(k*k, n))
			if left.Cmp(right) != 0 {
				f.Verdict = False
			}
		}
	}
	f.evidence("equal as fractions for n = 16..64, k <= n/2")
	return f
}

// checkOverfullTotal compares both sides on whole configurations.
func checkOverfullTotal(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact"}
	for k := 1; k <= 6; k++ {
		loads := []int{5, 5, 5, 5, 5, 5}
		const n = 12
		loads = append(loads[:k], make([]int, n-k)...)
		for i := k; i < n; i++ {
			loads[i] = 1
		}
		// At τ = 4, bins with one ball are reached by k <= 3 fresh balls only in
		// vain: the drift is the overfull bins' alone.
		want := new(big.Rat).Sub(big.NewRat(int64(k*k), n), big.NewRat(int64(k), 1))
		rest := new(big.Rat).Mul(big.NewRat(int64(n-k), 1), excessRat(n, k, big.NewRat(3, 1)))
		if DriftRat(4, loads).Cmp(want.Add(want, rest)) != 0 {
			f.Verdict = False
		}
	}
	return f
}

// driftTally compares the worst drift with a bound for a range of k.
func (a *Audit) driftTally(from, to func(n int) int, bound func(n, k int) Interval) *tally {
	t := newTally()
	for _, n := range a.Bins {
		threshold, balls := a.threshold(n), mustDecide(a.balls(n).floor())
		least, most := max(1, from(n)), min(to(n), a.mostOverfull(n))
		for k := least; k <= most; k = nextOverfull(n, k) {
			t.atMost(WorstDrift(n, threshold, balls, k), bound(n, k), n, k)
		}
	}
	return t
}

// nextOverfull steps through the numbers of overfull bins: all of them up to n =
// 4,096, beyond it the first 100 and then one in fifty.
func nextOverfull(n, k int) int {
	if n <= 4096 || k < 100 {
		return k + 1
	}
	return k + k/50
}

// checkManyDrift is the drift for k > ln n.
func checkManyDrift(a *Audit) Finding {
	t := a.driftTally(func(n int) int { return mustDecide(a.log(n).ceil()) }, func(n int) int { return n }, func(n, k int) Interval {
		return integer(1).div(a.log(n)).sub(constant(a.Constants.UniqueDrift).mul(integer(k)))
	})
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("worst drift over all configurations, by convexity, %d pairs (n, k), every k up to n = 4,096, for %s", t.cases, a.span())
	return f
}

// checkFewDrift is the drift for 1 <= k <= ln n.
func checkFewDrift(a *Audit) Finding {
	t := a.driftTally(func(int) int { return 1 }, func(n int) int { return mustDecide(a.log(n).floor()) }, func(n, k int) Interval {
		return constant(a.Constants.UniqueDrift).neg()
	})
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("worst drift over all configurations, by convexity, %d pairs (n, k), every k up to n = 4,096, for %s", t.cases, a.span())
	return f
}

// checkZeroOverfull shows that nothing moves without an overfull bin.
func checkZeroOverfull(*Audit) Finding {
	drift := DriftRat(3, []int{3, 2, 1})
	f := Finding{Verdict: Holds, Margin: "exact: k >= 1"}
	if drift.Cmp(big.NewRat(-1, 4)) > 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = fmt.Sprintf("loads [3 2 1], τ = 3: k = 0, drift %s > -1/4", drift.RatString())
	}
	return f
}
