package proofs

import "fmt"

// conclusion is the place of the proof's end.

// manySide returns e^(5/4)/n + 1/ln n - least/4.
func (a *Audit) manySide(n int, least Interval) Interval {
	return exp(constant(a.Constants.Lemma1Rate)).div(integer(n)).add(integer(1).div(a.log(n))).sub(constant(a.Constants.UniqueDrift).mul(least))
}

// misprintedInequality judges a >= that should be <=.
func (a *Audit) misprintedInequality(side func(n int) Interval, bound float64) Finding {
	meant, printed := newTally(), newTally()
	at := constant(bound)
	for _, n := range a.Bins {
		meant.atMost(side(n), at, n, 0)
		printed.atMost(at, side(n), n, 0)
	}
	from := MinBins
	for from > 3 && compare(side(from-1), at) == atMost {
		from--
	}
	f := Finding{Verdict: False}
	switch {
	case printed.holds():
		f.Verdict = Holds
	case meant.holds():
		f.Verdict = Misprinted
	}
	f.Margin = fmt.Sprintf(">= fails at every n computed; <= holds exactly from n = %d on, by %.3g of %.3g at n = 16", from, bound-side(16).Hi, -bound)
	if printed.failed < printed.cases {
		f.Margin = fmt.Sprintf("printed >= fails at %d of %d n", printed.failed, printed.cases)
	}
	f.Counterexample = fmt.Sprintf("printed, n = 16: %.5f < %.5f", side(16).Hi, bound)
	f.evidence("both directions enclosed on %s", a.span())
	return f
}

// checkManyInequality is the first of the two final inequalities.
func checkManyInequality(a *Audit) Finding {
	return a.misprintedInequality(func(n int) Interval { return a.manySide(n, a.log(n).add(integer(1))) }, -a.Constants.ManyDrift)
}

// checkFewInequality is the second of the two final inequalities.
func checkFewInequality(a *Audit) Finding {
	return a.misprintedInequality(func(n int) Interval {
		return exp(constant(a.Constants.Lemma1Rate)).div(integer(n)).sub(constant(a.Constants.UniqueDrift))
	}, -a.Constants.FinalDrift)
}

// checkManyMeansMore checks k = ceil(ln n).
func checkManyMeansMore(a *Audit) Finding {
	t, rescued := a.roundedLogs(), newTally()
	for _, n := range a.Bins {
		k := a.log(n).ceil()
		rescued.atMost(a.manySide(n, integer(k)), constant(-a.Constants.ManyDrift), n, k)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: fmt.Sprintf("E1 with k = ceil(ln n) holds by %s of 1/8", percent(rescued.slack))}
	if t.failed > 0 {
		f.Counterexample = fmt.Sprintf("n = %d, k = %d: k > ln n = %.4f, but 1 + ln n = %.4f", t.first[0], t.first[1], a.log(t.first[0]).Lo, t.firstSides[0].Lo)
	}
	f.require(rescued.holds(), "with k = ceil(ln n) the conclusion of E1 holds")
	return f
}

// checkFinalDrift compares the worst drift with -1/32.
func checkFinalDrift(a *Audit) Finding {
	t, f := a.worstDrifts(one, all, func(int, int) Interval { return constant(-a.Constants.FinalDrift) })
	n := t.at[0]
	f.Margin = fmt.Sprintf("the worst drift is %.4f, at n = %d, k = %d", WorstDrift(n, a.threshold(n), a.balls(n).floor(), t.at[1]).Hi, n, t.at[1])
	return f
}

// checkAdditiveDrift compares the exact expected times of phase two in tiny systems with the bound that
// follows from their drift.
func checkAdditiveDrift(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	largest := 0.0
	const threshold = 4
	f.evidence("exact E[T2] and 32 Y_0 at τ = %d", threshold)
	for _, loads := range [][]int{{5, 1}, {6, 1, 1}, {5, 4, 1}, {7, 1, 1}, {6, 5, 1, 1}} {
		y := excess(loads, threshold)
		mean := newChain(len(loads), threshold, loads).Run().RoundsMean
		bound := float64(y) / a.Constants.FinalDrift
		if mean > bound {
			f.Verdict = False
		}
		largest = max(largest, mean/float64(y))
		f.evidence("loads %v: %.4f, %.0f", loads, mean, bound)
	}
	f.Margin = fmt.Sprintf("exact E[T2] is at most %.3g Y_0 from five load vectors of up to 4 bins", largest)
	return f
}

// checkFirstExcess compares the exact mean of M with n H_n + n.
func checkFirstExcess(a *Audit) Finding {
	t := newTally()
	f := Finding{}
	f.evidence("exact E[M] without a threshold, an upper bound")
	for _, n := range []int{16, 64, 256, 1024} {
		_, balls := a.exactPhaseOne(n).Mean()
		harmonic := integer(0)
		for i := 1; i <= n; i++ {
			harmonic = harmonic.add(ratio(1, i))
		}
		t.atMost(relative(balls, 1e-9), integer(n).mul(harmonic).add(integer(n)), n, 0)
		f.evidence("n = %d: %.4g n = %.3f n ln n", n, balls/float64(n), balls/float64(n)/a.log(n).Lo)
	}
	f.Verdict, f.Margin = decide(t.holds(), true), t.margin()
	return f
}

// checkInfiniteMean finds a certified run and the exact probability of never converging.
func checkInfiniteMean(*Audit) Finding {
	f := Finding{Verdict: Holds}
	s := setup{SelfClocked, 2, 3, 0}
	r := enumerate(s, fitsThreshold, searchRounds, searchStates)
	never := neverExactly(s)
	if r.run != nil && never > 0 {
		f.Verdict = False
		f.Counterexample = r.text() + ": M > n τ"
	}
	f.Margin = "infinite"
	f.evidence("exact P[never] = %.8g at %v, %.8g at n = 4, τ = 6 = ceil(4 ln 4); positive at every n >= 2, as all fresh balls may hit non-empty bins for n τ rounds", never, s, neverExactly(setup{SelfClocked, 4, 6, 0}))
	return f
}

// checkInfiniteRobin finds certified runs of round-robin, in a tiny system and at the theorem's smallest
// parameters.
func checkInfiniteRobin(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "infinite"}
	r := shortestRun(fitsThreshold)
	e := share(theoremRobin, fitsThreshold, auditRuns, 20*auditRounds)
	if r.run != nil && e.Value > 0 {
		f.Verdict, f.Counterexample = False, r.text()+": M > n τ"
	}
	f.evidence("%v: %s of %d runs hold more than n τ balls within %d rounds", theoremRobin, percent(e.Value), auditRuns, 20*auditRounds)
	return f
}

// overfullVaries reports whether the number of overfull bins after a given state is random, so that the
// fresh balls of different rounds depend on each other.
func overfullVaries() bool {
	const threshold = 4
	seen := map[int]bool{}
	for y := range systemAt(threshold, []int{5, 1, 1}).successors() {
		following, _ := y.remove()
		seen[following.overfull] = true
	}
	return len(seen) > 1
}

// checkBatchedLoad checks exp((e^θ - 1)/2 - θ) <= 1 at θ = 5/4, and the binomial
// law behind it.
func checkBatchedLoad(a *Audit) Finding {
	theta := constant(a.Constants.MaxLoadRate)
	rise := exp(theta).sub(integer(1)).div(integer(2))
	t := newTally()
	t.atMost(rise, theta, 0, 0)
	f := Finding{Verdict: decide(t.holds(), !overfullVaries()), Margin: fmt.Sprintf("the exponent 5/4 is within %s of the largest possible", percent(t.slack))}
	f.Counterexample = "the derivation: K changes with the loads, as from [5 1 1] at τ = 4"
	f.evidence("E[e^(θ B)] <= e^((e^θ - 1)/2) at k = floor(n/2): (e^(5/4) - 1)/2 = %.5f <= 1.25", rise.Hi)
	c := a.Constants
	a.requireUnion(&f, union{c.MaxLoadRate, c.UnionPower, c.LoadFactor, c.Absorption})
	s, _, _ := measured(a, 1024, 200)
	f.evidence("n = 1024, τ = %d: largest load in 200 runs %.0f; start at most %s ln n", a.threshold(1024), s.MaxLoadMax, decimal(c.FreshLoad))
	return f
}

// union holds the constants of a union bound over the rounds of phase two: the exponent of a load, the
// power of n that bounds the rounds, the load over ln n, and the absorption from which the rounds follow.
type union struct{ rate, rounds, load, absorption float64 }

// requireUnion adds two requirements of a repair: phase two has at most n^rounds rounds, and the
// probability that a bin exceeds the load in any of these rounds is at most 1/n:
//
//	n n^rounds e^(-rate load ln n) <= 1/n.
//
// Phase two has c n ln n rounds, so the power of n exceeds them for large n.
func (a *Audit) requireUnion(f *Finding, u union) {
	enough := newTally()
	longest := func(n int) Interval {
		return constant(a.Constants.TailRounds).mul(a.balls(n)).div(constant(u.absorption))
	}
	for _, n := range a.Bins {
		enough.atMost(longest(n), exp(constant(u.rounds).mul(a.log(n))), n, 0)
	}
	square := MinBins // the smallest n at which n² rounds are enough
	for compare(longest(square), integer(square).mul(integer(square))) != atMost {
		square++
	}
	f.require(enough.holds(), "phase two lasts at most n^(%s) rounds", fraction(u.rounds))
	left := minus(plus(rational(u.rounds), rat(1, 1)), times(rational(u.rate), rational(u.load)))
	f.require(left.Cmp(rat(-1, 1)) <= 0, "a union over n bins and n^(%s) rounds leaves 1/n at (%s) ln n: it leaves n^(%s)",
		fraction(u.rounds), fraction(u.load), left.RatString())
	f.evidence("n^(%s) rounds cover phase two on %s, by %s at n = %d; n² would not up to n = %d", fraction(u.rounds), a.span(), percent(enough.slack), enough.at[0], square-1)
}

// checkUniqueAtEnd checks the printed sum of e^(5/4)/n² over 32 Y_0 rounds, and the conclusion from the
// number of colours.
func checkUniqueAtEnd(a *Audit) Finding {
	colors, balls := sameAs("A7")(a), sameAs("B5")(a)
	factor := exp(constant(a.Constants.Lemma1Rate))
	total := func(n int) Interval {
		rounds := a.balls(n).div(constant(a.Constants.FinalDrift))
		return rounds.mul(factor).div(integer(n)).div(integer(n))
	}
	order := func(n int) Interval { return total(n).mul(integer(n)).div(a.log(n)) }
	t := newTally()
	for _, n := range a.Bins {
		t.atMost(order(n+1), order(n), n, 0)
	}
	from := MinBins
	for compare(total(from), integer(1)) != atMost {
		from++
	}
	f := Finding{Verdict: decide(colors.Verdict == Holds && balls.Verdict == Holds, t.holds())}
	f.Margin = fmt.Sprintf("the printed sum is below 1 only from n = %d on; colours: %s", from, colors.Margin)
	f.evidence("the sum is %.4g at n = 16, %.6f at n = %d, %.6f at n = %d, and falls; it is %.4g ln n/n at n = 16, and the factor falls", total(MinBins).Hi, total(from-1).Lo, from-1, total(from).Hi, from, order(MinBins).Hi)
	f.Evidence = append(append(f.Evidence, colors.Evidence...), balls.Evidence...)
	return f
}

// checkMarkov builds, in exact fractions, processes that have drift -δ in every round and reach Markov's
// bound: in the first round they jump from Y_0 to c Y_0 with probability q and otherwise to 0, then they
// fall by δ per round.
func checkMarkov(a *Audit) Finding {
	delta, start := rational(a.Constants.FinalDrift), rat(100, 1)
	reached := true
	f := Finding{}
	for _, c := range []int{2, 10, 100} {
		top := times(rat(c, 1), start)
		q := over(minus(start, delta), top) // q c Y_0 - Y_0 = -δ
		fall := over(top, delta)            // rounds from c Y_0: 1 + fall > c Y_0/δ
		mean := plus(rat(1, 1), times(q, fall))
		reached = reached && mean.Cmp(over(start, delta)) == 0 && times(q, rat(c, 1)).Cmp(rat(99, 100)) > 0
		late, _ := q.Float64()
		rounds, _ := fall.Float64()
		f.evidence("P[T > %d E[T]] = P[T > %.0f] = %.6f", c, rounds, late)
		f.Counterexample = fmt.Sprintf("the derivation: a process with drift -1/32 in every round and Y_0 = 100 has E[T] = %s = 32 Y_0 and P[T > %d E[T]] = %.4f", mean.RatString(), c, late)
	}
	f.Verdict = decide(a.verdict("S9") == Holds, !reached)
	f.Margin = "1/c is reached up to a factor 1 - δ/Y_0"
	return f
}

// lastReal is the last n of the range in which real thresholds are checked at every n.
const lastReal = 2999

// checkRealDrift finds the drift of one bin just above τ = 4 ln n.
func checkRealDrift(a *Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "integer τ"}
	failed, at := 0, 0
	smallest := integer(1)
	for n := MinBins; n <= lastReal; n++ {
		real := constant(a.Constants.Threshold).mul(a.log(n))
		x := real.floor() + 1
		// The next load is x - 1 <= τ, unless the one fresh ball returns to this bin.
		fall := integer(x).sub(real).mul(ratio(n-1, n))
		if fall.Hi < smallest.Hi {
			smallest, at = fall, n
		}
		if compare(fall.neg(), constant(-a.Constants.FinalDrift)) != greater {
			continue
		}
		if failed++; failed == 1 {
			f.Verdict = HoldsOnSmallerDomain
			f.Counterexample = fmt.Sprintf("n = %d, τ = 4 ln %d = %.4f, one bin with %d balls, the others with 1: drift %.4f > -1/32", n, n, real.Lo, x, -fall.Lo)
		}
	}
	f.evidence("such loads at τ = 4 ln n: above -1/32 at %d of %d n in %d..%d, and %.2g at n = %d", failed, lastReal-MinBins+1, MinBins, lastReal, -smallest.Lo, at)
	return f
}
