package proofs

import (
	"fmt"
	"slices"

	"repslab/mc"
	"repslab/recycled"
)

// Linear time from empty bins. The uniform throws of a run form one sequence. G is the number of throws
// after which every bin was hit, and phase one ends with fewer than G + n throws.

// afterCoupon is the number of throws per bin, beyond ln n, after which the lower bound stops counting
// phase one.
const afterCoupon = 2

// lastLinear is the last n of the range in which every n is enclosed. Beyond it coarser bounds are
// enough.
const lastLinear = 767

// throws returns floor(n (ln n + extra)), the end of a layer of G.
func (a *Audit) throws(n, extra int) int {
	return integer(n).mul(a.log(n).add(integer(extra))).floor()
}

// unhit encloses n (1 - 1/n)^m, which bounds P[G > m].
func unhit(n, m int) Interval { return integer(n).mul(ratio(n-1, n).pow(m)) }

// everyN calls f with each n up to lastLinear and with the larger n of the audit.
func (a *Audit) everyN(f func(n int)) {
	for n := MinBins; n <= lastLinear; n++ {
		f(n)
	}
	for _, n := range a.Bins {
		if n > lastLinear {
			f(n)
		}
	}
}

// everySpan describes the n of everyN.
func (a *Audit) everySpan() string {
	return fmt.Sprintf("n = %d..%d and %s", MinBins, lastLinear, a.span())
}

// overfullChance bounds the probability that some bin exceeds τ before phase one ends.
func (a *Audit) overfullChance(n int) Interval {
	m := a.throws(n, afterCoupon)
	return unhit(n, m).add(integer(n).mul(binomialTail(n, m+n, a.threshold(n)+1)))
}

// checkLowerBound encloses 1 - (1 - 1/n)^n minus the probability of an overfull bin. Beyond lastLinear it
// bounds the tail of the load by Markov's inequality for 3^load.
func checkLowerBound(a *Audit) Finding {
	t := newTally()
	claimed := constant(a.Constants.LowerRounds)
	add := func(n int, overfull Interval) {
		t.atMost(claimed, integer(1).sub(ratio(n-1, n).pow(n)).sub(overfull), n, 0)
	}
	a.everyN(func(n int) { add(n, a.overfullChance(n)) })
	n := lastLinear + 1
	load := a.log(n).add(integer(1 + afterCoupon)).mul(integer(2)) // mean times 3 - 1
	seldom := exp(a.log(n).add(load).sub(constant(a.Constants.Threshold).mul(a.log(n)).mul(a.log(3))))
	add(n, unhit(n, a.throws(n, afterCoupon)).add(seldom))
	f := t.finding("enclosed for %s; at n = %d with P[Bin(m + n, 1/n) > τ] <= 3^-τ e^(2 (ln n + 3))", a.everySpan(), n)
	if f.Verdict != Holds {
		f.Counterexample = fmt.Sprintf("n = %d: the bound is %.4f n", t.first[0], t.firstSides[1].Hi)
	}
	a.measureLinear(&f)
	return f
}

// measureLinear compares the mean rounds with both bounds; runs that do not converge count as 0 rounds.
func (a *Audit) measureLinear(f *Finding) {
	for _, n := range []int{MinBins, 256} {
		const runs = 1000
		s := a.simulate(recycled.Config{Bins: n, Threshold: a.threshold(n)}, runs)
		converged := float64(s.Converged) / runs
		low, high := float64(s.Rounds.Lo*converged)/float64(n), float64(s.Rounds.Hi*converged)/float64(n)
		if high < a.Constants.LowerRounds || low > a.Constants.UpperRounds {
			f.fails("n = %d: mean rounds %.3g to %.3g n", n, low, high)
		}
		f.evidence("n = %d: E[T; convergence] is %.3g to %.3g n in %d runs (95 %%)", n, low, high, runs)
	}
}

// excessLayers bounds E[Y0] and, for runs that converge, E[T2], summed over the layers n (ln n + k - 1) <
// G <= n (ln n + k), k = 0, 1, .... Given that some bin is not hit in the first m throws, the loads of
// the others are at most binomial with probability 1/(n - 1). The rounds of a layer are bounded by S3 as
// long as phase two must have holes, and by S17 beyond.
func (a *Audit) excessLayers(n int) (excess, rounds Interval) {
	key := layersKey{n, a.threshold(n)}
	sums, ok := a.layers[key]
	if !ok {
		sums[0], sums[1] = a.sumLayers(n, key.threshold)
		a.layers[key] = sums
	}
	return sums[0], sums[1]
}

// layersKey holds the arguments of sumLayers.
type layersKey struct{ n, threshold int }

// sumLayers computes excessLayers. It depends on no constant but the threshold.
func (a *Audit) sumLayers(n, threshold int) (excess, rounds Interval) {
	chance, hit, decided := integer(1), n, false
	for k := 0; ; k++ {
		balls := a.throws(n, k) + n
		if balls >= n*threshold && !decided {
			decided = true
			rounds = rounds.add(chance.mul(a.fromAnyStart(n, threshold)))
		}
		if 2*balls >= 3*n*threshold {
			return excess.add(a.lateExcess(n, k-1)), rounds
		}
		layer := chance.mul(integer(n)).mul(binomialExcess(hit, balls, threshold))
		excess = excess.add(layer)
		if !decided {
			rounds = rounds.add(layer.mul(ratio(n*(threshold-1), n*threshold-balls)))
		}
		chance, hit = unhit(n, a.throws(n, k)), n-1
	}
}

// lateExcess bounds E[Y0; G > m] with m = floor(n (ln n + k)). Y0 is below G + n, and each bin that is
// not hit after m throws adds at most n to the mean of G.
func (a *Audit) lateExcess(n, k int) Interval {
	m := a.throws(n, k)
	return integer(m + 2*n).mul(unhit(n, m))
}

// exponentialExcess bounds E[Y0], with max(0, x) <= e^(θ x)/(e θ) at e^θ = 9/5, summed over all layers.
func (a *Audit) exponentialExcess(n int) Interval {
	theta := a.log(9).sub(a.log(5))
	stretch := ratio(n, n-1)
	mean := stretch.mul(ratio(4, 5)) // times the excess of the power
	first := exp(mean.mul(a.log(n).add(integer(1))))
	below := integer(1).sub(exp(mean.sub(integer(1))))
	layers := integer(1).add(stretch.mul(exp(mean)).div(below))
	power := exp(a.log(n).sub(theta.mul(constant(a.Constants.Threshold)).mul(a.log(n))))
	return power.mul(first).mul(layers).div(theta.mul(exp(integer(1))))
}

// checkFirstExcessSmall encloses E[Y0].
func checkFirstExcessSmall(a *Audit) Finding {
	t := newTally()
	claimed := constant(a.Constants.FirstExcess)
	a.everyN(func(n int) {
		excess, _ := a.excessLayers(n)
		t.atMost(excess, claimed, n, 0)
	})
	n := lastLinear + 1
	beyond := a.exponentialExcess(n)
	t.atMost(beyond, claimed, n, 0)
	f := t.finding("enclosed for %s; at n = %d by the exponential bound, %.3g", a.everySpan(), n, beyond.Hi)
	if f.Verdict != Holds {
		f.Counterexample = fmt.Sprintf("n = %d: the bound is %.4f", t.first[0], t.firstSides[0].Lo)
	}
	const bins, runs = 20, 2000
	mean := firstExcess(bins, a.threshold(bins), runs)
	if mean.Lo > a.Constants.FirstExcess {
		f.fails("n = %d: mean Y0 [%.3g, %.3g]", bins, mean.Lo, mean.Hi)
	}
	f.evidence("n = %d: mean Y0 of %d runs %.3g [%.3g, %.3g]", bins, runs, mean.Value, mean.Lo, mean.Hi)
	return f
}

// firstExcess measures Y0.
func firstExcess(bins, threshold, runs int) mc.Estimate {
	process := must(recycled.New(recycled.Config{Bins: bins, Threshold: threshold}))
	var moments mc.Moments
	loads := make([]int, bins)
	for run := range runs {
		process.Reset(mc.NewStream(auditSeed, mc.Algorithm, uint64(run)))
		for loads[0] = 0; slices.Min(loads) == 0; {
			process.Step()
			for bin := range loads {
				loads[bin] = process.Load(bin)
			}
		}
		moments.Add(int64(excess(loads, threshold)))
	}
	return moments.Mean(mc.DefaultConfidence)
}

// fromAnyStart encloses n (τ - 1) (1 + ln n), the rounds of S17.
func (a *Audit) fromAnyStart(n, threshold int) Interval {
	return integer(n * (threshold - 1)).mul(a.log(n).add(integer(1)))
}

// checkLinear adds the bounds on both phases. Beyond lastLinear it uses the absorption of S4 and, with
// probability at most 1/n, the rounds of S17.
func checkLinear(a *Audit) Finding {
	t := newTally()
	add := func(n int, phaseTwo Interval) {
		phaseOne := a.phaseOneBound(n)
		t.atMost(phaseOne.add(phaseTwo).div(integer(n)), constant(a.Constants.UpperRounds), n, 0)
	}
	a.everyN(func(n int) {
		_, rounds := a.excessLayers(n)
		add(n, rounds)
	})
	n := lastLinear + 1
	usual := constant(a.Constants.FirstExcess).div(constant(a.Constants.Absorption))
	add(n, usual.add(a.fromAnyStart(n, a.threshold(n)).div(integer(n))))
	f := t.finding("both phases enclosed for %s, and at n = %d", a.everySpan(), n)
	if f.Verdict != Holds {
		f.Counterexample = fmt.Sprintf("n = %d: the bound is %.4f n", t.first[0], t.firstSides[0].Lo)
	}
	a.measureLinear(&f)
	return f
}

// phaseOneBound encloses (e/(e-1)) (2 n - 1), the rounds of S8.
func (a *Audit) phaseOneBound(n int) Interval {
	e := exp(integer(1))
	return e.div(e.sub(integer(1))).mul(constant(a.Constants.PhaseOneFactor).mul(integer(n)).sub(integer(1)))
}

// tinyStarts calls f with the load vectors of some tiny systems and their exact limits. The vectors are
// in descending order, have at most n τ + n balls, and may have empty bins.
func tinyStarts(f func(threshold int, loads []int, limit recycled.ChainLimit)) {
	for _, c := range []struct{ n, threshold int }{{1, 2}, {2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {4, 2}} {
		for loads := range choices(c.n*(c.threshold+1)+1, c.n) {
			descending := slices.IsSortedFunc(loads, func(a, b int) int { return b - a })
			if descending && sum(loads) <= c.n*(c.threshold+1) {
				f(c.threshold, loads, newChain(c.n, c.threshold, loads).Run())
			}
		}
	}
}

// emptyBins counts the bins without a ball.
func emptyBins(loads []int) int {
	count := 0
	for _, load := range loads {
		if load == 0 {
			count++
		}
	}
	return count
}

// phaseTwoBound encloses the sum over y = 1..Y of n divided by the fewest bins that can have the n τ - M
// + y holes, with at most τ - 1 holes in each.
func phaseTwoBound(n, threshold, balls, excess int) Interval {
	bound := integer(0)
	for y := 1; y <= excess; y++ {
		holes := n*threshold - balls + y
		bound = bound.add(ratio(n, (holes+threshold-2)/(threshold-1)))
	}
	return bound
}

// checkAnyPhaseTwo compares the exact E[T2] of tiny systems with the sum, and the sum with the claim
// where the sum is largest: at M = n τ with as many balls as possible in one bin.
func checkAnyPhaseTwo(a *Audit) Finding {
	f, starts, reached := Finding{Verdict: Holds}, 0, 0
	t, least := newTally(), newTally()
	tinyStarts(func(threshold int, loads []int, limit recycled.ChainLimit) {
		n, balls, y := len(loads), sum(loads), excess(loads, threshold)
		if emptyBins(loads) == 0 && balls <= n*threshold && y > 0 {
			starts++
			exact, bound := relative(limit.RoundsMean, 1e-9), phaseTwoBound(n, threshold, balls, y)
			t.atMost(exact, bound.mul(constant(1+1e-8)), n, threshold) // the chain is in floating point
			if compare(bound, exact.mul(constant(1+1e-8))) == atMost {
				reached++
			}
			if most := (n - 1) * (threshold - 1); y == most {
				least.atMost(integer(most), exact, n, threshold)
			}
			if limit.Never != 0 {
				f.fails("τ = %d, loads %v: P[never] = %g", threshold, loads, limit.Never)
			}
		}
	})
	whole := newTally()
	for _, n := range a.Bins {
		if threshold := a.threshold(n); n <= 1000 {
			most := phaseTwoBound(n, threshold, n*threshold, (n-1)*(threshold-1))
			whole.atMost(most, a.fromAnyStart(n, threshold), n, threshold)
		}
	}
	if f.Verdict == Holds {
		f.Verdict = decide(t.holds() && least.holds(), whole.holds())
	}
	f.Margin = fmt.Sprintf("the exact E[T2] is the sum in %d of %d starts", reached, starts)
	f.evidence("exact chains from %d starts of n <= 4 bins; the sum enclosed at M = n τ for n <= 1000 of %s",
		starts, a.span())
	return f
}

// checkAnyStart compares the exact fate and time of tiny systems from every start with the claim.
func checkAnyStart(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	t, starts, lost := newTally(), 0, 0
	tinyStarts(func(threshold int, loads []int, limit recycled.ChainLimit) {
		n, balls, empty := len(loads), sum(loads), emptyBins(loads)
		starts++
		if hopeless := balls+empty > n*threshold; hopeless != (limit.Never > 1-1e-12) {
			f.fails("τ = %d, loads %v: P[never] = %g", threshold, loads, limit.Never)
		} else if hopeless {
			lost++
			return
		}
		stuck := integer(empty).mul(exp(ratio(balls+empty, n).sub(integer(threshold))))
		t.atMost(relative(limit.Never, 1e-9), stuck.add(constant(1e-12)), n, threshold)
		e := exp(integer(1))
		phaseOne := e.div(e.sub(integer(1))).mul(integer(2 * n))
		rounds := float64(limit.RoundsMean * (1 - limit.Never))
		t.atMost(relative(rounds, 1e-9), phaseOne.add(a.fromAnyStart(n, threshold)), n, threshold)
	})
	if f.Verdict == Holds && !t.holds() {
		f.fails("n = %d, τ = %d: the exact law exceeds a bound", t.first[0], t.first[1])
	}
	f.Margin = "exact fate of every start"
	f.evidence("exact chains from %d starts of n <= 4 bins with at most n τ + n balls, %d of them hopeless; %d bounds",
		starts, lost, t.cases)
	return f
}
