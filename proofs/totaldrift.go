package proofs

import (
	"fmt"
	"slices"
)

// checkOverfullBalls enumerates small loads: the fewest balls in k overfull bins.
func checkOverfullBalls(*Audit) Finding {
	const threshold = 3
	f := Finding{Verdict: Holds}
	reached := map[int]bool{}
	for loads := range choices(7, 4) {
		k, balls := 0, 0
		for _, load := range loads {
			if load > threshold {
				k, balls = k+1, balls+load
			}
		}
		if balls < k*(threshold+1) {
			f.fails("%v", loads)
		}
		reached[k] = reached[k] || balls == k*(threshold+1)
	}
	f.Margin = fmt.Sprintf("exact, reached for each of %d k", len(reached))
	f.evidence("all loads up to 6 of four bins, τ = 3")
	return f
}

// checkFarBins searches z > ln n below ln n + 1.
func checkFarBins(a *Audit) Finding {
	t := a.roundedLogs()
	f := Finding{Verdict: decide(t.holds(), true), Margin: fmt.Sprintf("fails at %d of %d n, by up to one ball", t.failed, t.cases)}
	if t.failed > 0 {
		n, z, logN := t.first[0], t.first[1], a.log(t.first[0]).Lo
		f.Counterexample = fmt.Sprintf("n = %d, x = τ - %d: %d > ln n = %.4f, but ln n + 1 = %.4f", n, z, z, logN, logN+1)
	}
	return f
}

// roundedLogs compares ln n + 1 with the smallest integer not below ln n.
func (a *Audit) roundedLogs() *tally {
	t := newTally()
	for _, n := range a.Bins {
		t.atMost(a.log(n).add(integer(1)), integer(a.log(n).ceil()), n, a.log(n).ceil())
	}
	return t
}

// checkFarContribution encloses the contribution of all far bins at z = ceil(ln n), and the value of the
// printed bound there.
func checkFarContribution(a *Audit) Finding {
	truth, printed, lemma, repaired := newTally(), newTally(), newTally(), newTally()
	for _, n := range a.Bins {
		z := a.log(n).ceil()
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
	f.evidence("enclosed at k = floor(n/2) on %s; C11's bound exceeds 1/ln n at %d of %d n, lemma 2's at %d", a.span(), printed.failed, printed.cases, lemma.failed)
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
		z := a.log(n).ceil()
		t.atMost(a.log(n), integer(z), n, z)
		if excessRat(n, z, rat(z, 1)).Sign() != 0 {
			t.failed++
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "one ball"}
	f.evidence("E max(0, B - z) = 0 exactly for k <= z, on %s", a.span())
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
				break // by the argument it holds for all k, so one k is enough
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
	f.Margin = fmt.Sprintf("real τ = 4 ln n: k >= 2 from n = %d, k = 1 from n = %d, k = 0 from n = %d; integer τ: fails in %d cases", realFrom[2], realFrom[1], realFrom[0], whole.failed)
	lhs, rhs := a.nearSides(16, 1, constant(a.Constants.Threshold).mul(a.log(16)))
	f.Counterexample = fmt.Sprintf("τ = 4 ln 16, n = 16, k = 1: %.4f > %.4f", lhs.Lo, rhs.Hi)
	if whole.failed > 0 {
		n, k := whole.first[0], whole.first[1]
		f.Counterexample += fmt.Sprintf("; integer τ: n = %d, τ = %d, k = %d: %.4f > %.4f", n, a.threshold(n), k, whole.firstSides[0].Lo, whole.firstSides[1].Hi)
	}
	f.evidence("integer τ: every possible k while ln n < 4, k = 1 beyond, %d cases on %s", whole.cases, a.span())
	return f
}

// repairedNearBins compares both sides of the repaired inequality for real and integer τ at the smallest
// and the largest k, which is enough since both sides are linear in k.
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
		balls := a.balls(n).floor()
		near := integer(threshold).sub(a.log(n)).ceil() // the fewest balls of a near bin
		for k := 1; k <= a.mostOverfull(n); k = nextOverfull(n, k) {
			count := min(n-k, (balls-n-k*threshold)/(near-1))
			t.atMost(integer(count), constant(a.Constants.NearBins).mul(integer(n)).sub(integer(k)), n, k)
		}
	}
	return t.finding("largest possible count for %d pairs (n, k) on %s, every k up to n = 4,096", t.cases, a.span())
}

// checkNearTotal compares both sides as fractions.
func checkNearTotal(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact at x = τ"}
	for n := 16; n <= 64; n++ {
		for k := 1; k <= n/2; k++ {
			left := times(minus(rat(3*n, 4), rat(k, 1)), rat(k, n))
			if left.Cmp(minus(rat(3*k, 4), rat(k*k, n))) != 0 {
				f.Verdict = False
			}
		}
	}
	f.evidence("fractions for n = 16..64, k <= n/2")
	return f
}

// checkOverfullTotal compares both sides on whole configurations.
func checkOverfullTotal(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	for k := 1; k <= 6; k++ {
		const n = 12
		loads := append(slices.Repeat([]int{5}, k), slices.Repeat([]int{1}, n-k)...)
		// At τ = 4, up to k <= 3 fresh balls cannot make a bin with one ball overfull, so the drift comes
		// from the overfull bins alone.
		rest := times(rat(n-k, 1), excessRat(n, k, rat(3, 1)))
		if DriftRat(4, loads).Cmp(plus(minus(rat(k*k, n), rat(k, 1)), rest)) != 0 {
			f.Verdict = False
		}
	}
	return f
}

// worstDrifts compares the worst drift over all configurations, by convexity, with a
// bound, for k in a range.
func (a *Audit) worstDrifts(from, to func(n int) int, bound func(n, k int) Interval) (*tally, Finding) {
	t := newTally()
	for _, n := range a.Bins {
		threshold, balls := a.threshold(n), a.balls(n).floor()
		for k := max(1, from(n)); k <= min(to(n), a.mostOverfull(n)); k = nextOverfull(n, k) {
			t.atMost(WorstDrift(n, threshold, balls, k), bound(n, k), n, k)
		}
	}
	return t, t.finding("worst drift by convexity for %d pairs (n, k) on %s, every k up to n = 4,096", t.cases, a.span())
}

// one and all are ends of ranges of overfull bins.
func one(int) int   { return 1 }
func all(n int) int { return n }

// nextOverfull steps through the numbers of overfull bins: all of them up to n = 4,096; for larger n the
// first 100, and then every fiftieth.
func nextOverfull(n, k int) int {
	if n <= 4096 || k < 100 {
		return k + 1
	}
	return k + k/50
}

// checkManyDrift bounds the drift for k > ln n.
func checkManyDrift(a *Audit) Finding {
	from := func(n int) int { return a.log(n).ceil() }
	_, f := a.worstDrifts(from, all, func(n, k int) Interval {
		return integer(1).div(a.log(n)).sub(constant(a.Constants.UniqueDrift).mul(integer(k)))
	})
	return f
}

// checkFewDrift bounds the drift for 1 <= k <= ln n.
func checkFewDrift(a *Audit) Finding {
	to := func(n int) int { return a.log(n).floor() }
	_, f := a.worstDrifts(one, to, func(int, int) Interval { return constant(a.Constants.UniqueDrift).neg() })
	return f
}

// checkZeroOverfull shows that nothing moves without an overfull bin.
func checkZeroOverfull(*Audit) Finding {
	drift := DriftRat(3, []int{3, 2, 1})
	f := Finding{Verdict: Holds, Margin: "k >= 1"}
	if drift.Cmp(rat(-1, 4)) > 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = fmt.Sprintf("loads [3 2 1], τ = 3: k = 0, drift %s > -1/4", drift.RatString())
	}
	return f
}
