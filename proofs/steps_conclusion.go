package proofs

import (
	"fmt"
	"math/big"
	"slices"

	"repslab/recycled"
)

// conclusion is the place of the proof's end.
const conclusion = "appendix B, conclusion"

// conclusionSteps is the end of the proof.
func conclusionSteps() []Step {
	return slices.Concat(finalDriftSteps(), absorptionSteps(), finalLoadSteps())
}

// finalDriftSteps: the drift of the excess while it is positive.
func finalDriftSteps() []Step {
	drift := Step{ID: "E4", Place: conclusion, Lines: []int{843}, Process: SelfClocked, Rests: []string{"C20", "C21", "D8", "D9", "E1", "E2", "E3"},
		Claim: "hence the expected drift is at most -1/32 while Y > 0", Formula: `E[Y_{t+1} - Y_t \mid K_t \ge 1] \le -\frac1{32}`, Domain: "n >= 16, integer τ >= 4 ln n, M <= 2 n ln n + n",
		Reason: "From C20, C21 and, with them, E1 and E2 in the sense that was meant. S4 gives a drift more than ten times as large, already for K = 1.",
		Repair: "S4",
		Check:  checkFinalDrift}
	return []Step{
		{ID: "E1", Place: conclusion, Lines: []int{843}, Process: NoProcess,
			Claim: "e^(5/4)/n + 1/ln n - (1 + ln n)/4 >= -1/8 (printed) for n >= 16", Formula: `\frac{e^{5/4}}{n} + \frac1{\ln n} - \frac{1 + \ln n}{4} \le -\frac18`, Domain: "n >= 16",
			Reason: "An upper bound on the drift is wanted. The printed >= fails for every n >= 16; with <= it holds from n = 12 on, and the left side falls in n.",
			Repair: "<= in place of >=",
			Check:  checkManyInequality},
		{ID: "E2", Place: conclusion, Lines: []int{843}, Process: NoProcess,
			Claim: "e^(5/4)/n - 1/4 >= -1/32 (printed) for n >= 16", Formula: `\frac{e^{5/4}}{n} - \frac14 \le -\frac1{32}`, Domain: "n >= 16",
			Reason:    "The printed >= fails for every n >= 16; with <= it holds from n = 16 on exactly: e^(5/4) <= 7 n/32 is n >= 15.96.",
			Repair:    "<= in place of >=",
			Constants: []string{"FinalDrift", "UniqueDrift", "Lemma1Rate"},
			Check:     checkFewInequality},
		{ID: "E3", Place: conclusion + " (implicit)", Lines: []int{843}, Process: NoProcess,
			Claim: "k > ln n means k >= 1 + ln n", Formula: `k > \ln n \Rightarrow k \ge 1 + \ln n`, Domain: "integer k, n >= 16",
			Reason: "k may be ceil(ln n), which is below 1 + ln n always. With ceil(ln n) in place of 1 + ln n, which is what k > ln n gives, E1 still holds for n >= 16.",
			Repair: "k >= ceil(ln n); e^(5/4)/n + 1/ln n - ceil(ln n)/4 <= -1/8 for n >= 16",
			Check:  checkManyMeansMore},
		drift,
		drift.reading("Fresh balls are not those of the bins overfull now, and remembered ones keep coming: there are states with no bin empty and Y > 0 in which Y does not fall in expectation. (A bin above τ and every other one non-empty with distinct colours do not occur at b = 2, n = 2: there are too few colours.)", "none for round-robin", robinFact(driftsDown)),
	}
}

// absorptionSteps: from the drift to the time of convergence.
func absorptionSteps() []Step {
	absorbed := Step{ID: "E7", Place: conclusion, Lines: []int{844}, Process: SelfClocked, Rests: []string{"A6"},
		Claim: "if all balls have unique colours at the end, the process converges then", Formula: `Y_t = 0 \Rightarrow X_{t+1} = X_t`, Domain: "phase two",
		Reason: "Nothing is thrown at random any more (A6); colours play no part.",
		Check:  selfClockedFact(settledConverged)}
	infiniteRobin := Step{ID: "E9", Place: conclusion, Lines: []int{844},
		Claim: "the overall expectation is O(n ln n)", Formula: `E[T] = \infty`}.reading(
		"A run with more than n τ balls never converges, and such runs have a positive probability: the expectation is infinite.", "none for round-robin", checkInfiniteRobin)
	return []Step{
		{ID: "E5", Place: conclusion, Lines: []int{844}, Process: SelfClocked, Rests: []string{"E4"},
			Claim: "by an additive drift theorem the expected time until all bins are below (at or below) the threshold is at most E[32 Y_0]", Formula: `E[T_2 \mid Y_0] \le 32\, Y_0`, Domain: "given M <= 2 n ln n + n",
			Reason: "Y >= 0 is integer, 0 is the target and E4 holds in every state before it [He01]. S3 and S4 give less than a tenth of that. \"Below the threshold\" should read \"at most\".",
			Repair: "S3 with S4",
			Check:  checkAdditiveDrift},
		{ID: "E6", Place: conclusion, Lines: []int{844}, Process: SelfClocked, Rests: []string{"B3"},
			Claim: "E[32 Y_0] = O(n ln n)", Formula: `E[Y_0] \le E[M] \le n H_n + n`, Domain: "n >= 2",
			Reason: "Y_0 <= M, and M is at most the coupon collector's time plus n (B5), n H_n + n in expectation. (Y_0 is O(n) by measurement.)",
			Check:  checkFirstExcess},
		absorbed,
		absorbed.reading("Balls in the bins need not be remembered, and those remembered need not be spread evenly: more is thrown at random, and forgotten.", "demand that every bin is remembered by exactly b colours, for a full cycle", robinFact(settledConverged)),
		{ID: "E8", Place: conclusion, Lines: []int{844}, Process: SelfClocked, Rests: []string{"D5", "D6", "D9", "E5", "E7"},
			Claim: "all colours are unique at the end with probability 1 - O(ln n/n), so a single Y = 0 event suffices", Formula: `1 - P \le E[T_2]\, e^{5/4} n^{-2} \le 32 (2 n \ln n + n)\, e^{5/4} n^{-2} = O(\ln n/n)`, Domain: "n >= 16, b >= 2.4 ln n",
			Reason:    "Printed: the e^(5/4)/n² of D6, summed over the at most 32 Y_0 expected rounds of E5. The sum is O(ln n/n), but it needs D6's bound given the past, which D5 and D9 do not give. The conclusion holds without it: by B5 the balls are at most 2 n ln n + n with probability at least 1 - 1/n, no more than there are colours, and by E7 the first Y = 0 suffices.",
			Repair:    "1 - 1/n, by B5 and A7",
			Constants: []string{"Coupon", "Colors"},
			Check:     checkUniqueAtEnd},
		{ID: "E8r", Place: conclusion, Lines: []int{844}, Process: RoundRobin,
			Claim: "that all colours are unique at the end happens with probability 1 - O(ln n/n); so a single Y = 0 event suffices", Formula: `P \ge 1 - O(\ln n/n)`, Domain: "n >= 16, b >= 2.4 ln n",
			Reason: "It is D6r summed over the rounds.",
			Repair: "self-clocked needs no colours: a single Y = 0 event suffices there",
			Check:  robinRepeats},
		{ID: "E9", Place: conclusion, Lines: []int{844}, Process: SelfClocked,
			Claim: "the overall expectation is O(n ln n)", Formula: `E[T] = \infty`, Domain: "n >= 2, every τ",
			Reason: "With positive probability the balls of phase one are more than n τ, and the run never converges: the unconditional expectation is infinite. In round-robin it is infinite too.",
			Repair: "an expectation given M <= n τ, or a bound that holds with probability 1 - " + failureText() + " (S9)",
			Check:  checkInfiniteMean},
		infiniteRobin,
		{ID: "E13", Place: conclusion + " (implicit)", Lines: []int{844}, Process: SelfClocked,
			Claim: "an expected time of O(n ln n) by the drift theorem is convergence in O(n ln n) rounds with probability 1 - o(1)", Formula: `E[T_2] \le 32\, Y_0 \Rightarrow P[T_2 > 32\, c\, Y_0] \le 1/c`, Domain: "n >= 16, integer τ >= 4 ln n",
			Reason: "A drift bound gives an expectation only, and that Markov's inequality only: to fail with probability o(1) it needs more than O(n ln n) rounds, to fail with 1/n it needs n times as many. No more follows, as there are processes with this very drift that reach Markov's bound. Here Y never rises (S1), and S5 gives the probability.",
			Repair: "S5: P[T2 > 2y/h] falls exponentially",
			Check:  checkMarkov},
		{ID: "E14", Place: conclusion + " (implicit)", Lines: []int{719, 843}, Process: SelfClocked,
			Claim: "the drift is at most -1/32 for every real τ >= 4 ln n", Formula: `E[Y_{t+1} - Y_t \mid K_t \ge 1] \le -\frac1{32}`, Domain: "n >= 16, real τ >= 4 ln n, M <= 2 n ln n + n",
			Reason: "A bin that is above τ by a small fraction loses that fraction only (C7): with x = floor(τ) + 1 and all other bins far below τ the drift is -(x - τ)(1 - 1/n). No constant bounds it over all real τ.",
			Repair: "let τ be an integer, or measure Y by floor(τ), S12",
			Check:  checkRealDrift},
	}
}

// finalLoadSteps: the loads until then.
func finalLoadSteps() []Step {
	c := PaperConstants()
	rounds, load := fraction(c.UnionPower), fraction(c.LoadFactor)
	union := "Phase two lasts at most n^(" + rounds + ") rounds for n >= 16 (S9; n² are too few for n <= 36), and a union over them and n bins leaves 1/n at z = 1 + (" + load + ") ln n."
	batched := Step{ID: "E10", Place: conclusion, Lines: []int{845, 846}, Process: SelfClocked,
		Claim: "the number of balls in a queue is bounded by τ plus the load of a batched process with the same fresh balls", Formula: `Y^i_{t+1} \le \max(0, Y^i_t - 1) + \text{fresh}^i_{t+1}`, Domain: "phase two",
		Reason: "An overfull bin loses one ball, as a batched bin does; one at or below τ gains at most its fresh balls. By induction Y^i is at most the batched load if it is so at the beginning of phase two.",
		Check:  selfClockedFact(belowBatched)}
	return []Step{
		batched,
		batched.reading("Balls that are remembered come to overfull bins too.", "none for round-robin", robinFact(belowBatched)),
		{ID: "E11", Place: conclusion, Lines: []int{846}, Process: SelfClocked, Rests: []string{"C24"},
			Claim: "its injection rate k/n is at most 1/2", Formula: `k/n \le 2 \ln n/\tau \le 1/2`, Domain: "M <= 2 n ln n + n, τ >= 4 ln n",
			Reason:    "C24: it needs the balls of the other bins, and fails without them.",
			Constants: []string{"Threshold", "Coupon"},
			Check:     checkHalf},
		{ID: "E12", Place: conclusion, Lines: []int{846, 847, 848}, Process: SelfClocked,
			Claim: "hence the number of balls in a bin is O(log n) throughout with high probability", Formula: `P[Z_t \ge z] \le e^{-\frac54 (z-1)}`, Domain: "phase two, O(n ln n) rounds",
			Reason:    "The cited result is for a constant rate and arrivals that do not depend on the loads, at one time; K changes with the loads, phase two does not begin with empty excess, and \"throughout\" needs a union over rounds. It holds: K <= n/2, so at most floor(n/2) balls a round dominate; then a batched bin has z balls or more with probability at most e^(-5/4 (z-1)), as exp((e^(5/4) - 1)/2 - 5/4) <= 1. " + union,
			Repair:    "P[load of any bin above max(start, τ) + 1 + (" + load + ") ln n within n^(" + rounds + ") rounds of phase two] <= 1/n, for integer τ; for real τ see S12",
			Constants: []string{"MaxLoadRate"},
			Check:     checkBatchedLoad},
		{ID: "E12r", Place: conclusion, Lines: []int{846, 847, 848}, Process: RoundRobin,
			Claim: "the number of balls in a bin is O(log n) throughout with high probability", Formula: `\max_t \max_i X^i_t = O(\log n)`, Domain: "n >= 16, τ >= 4 ln n, b >= 2.4 ln n",
			Reason: "Runs that do not converge keep gathering balls: M never decreases and grows whenever a bin is empty.",
			Repair: "none for round-robin",
			Check:  robinGrowth},
	}
}

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
	f.Margin = fmt.Sprintf("printed >=: fails at every n computed; meant <=: %.3g of %.3g to spare at n = %d, holds exactly from n = %d on", bound-side(16).Hi, -bound, 16, from)
	if printed.failed < printed.cases {
		f.Margin = fmt.Sprintf("printed >= fails at %d of %d n", printed.failed, printed.cases)
	}
	f.Counterexample = fmt.Sprintf("printed, n = 16: %.5f < %.5f", side(16).Hi, bound)
	f.evidence("both directions enclosed for %s", a.span())
	return f
}

// checkManyInequality is the first of the two final inequalities.
func checkManyInequality(a *Audit) Finding {
	return a.misprintedInequality(func(n int) Interval { return a.manySide(n, a.log(n).add(integer(1))) }, -a.Constants.ManyDrift)
}

// checkFewInequality is the second.
func checkFewInequality(a *Audit) Finding {
	return a.misprintedInequality(func(n int) Interval {
		return exp(constant(a.Constants.Lemma1Rate)).div(integer(n)).sub(constant(a.Constants.UniqueDrift))
	}, -a.Constants.FinalDrift)
}

// checkManyMeansMore looks at k = ceil(ln n).
func checkManyMeansMore(a *Audit) Finding {
	t, rescued := newTally(), newTally()
	for _, n := range a.Bins {
		k := mustDecide(a.log(n).ceil())
		t.atMost(a.log(n).add(integer(1)), integer(k), n, k)
		rescued.atMost(a.manySide(n, integer(k)), constant(-a.Constants.ManyDrift), n, k)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: fmt.Sprintf("with k = ceil(ln n) the conclusion holds by %s of 1/8", percent(rescued.slack))}
	if t.failed > 0 {
		f.Counterexample = fmt.Sprintf("n = %d, k = %d: k > ln n = %.4f, but 1 + ln n = %.4f", t.first[0], t.first[1], a.log(t.first[0]).Lo, t.firstSides[0].Lo)
	}
	f.require(rescued.holds(), "with k = ceil(ln n) the conclusion of E1 holds")
	return f
}

// checkFinalDrift compares the worst drift with -1/32.
func checkFinalDrift(a *Audit) Finding {
	t := a.driftTally(func(int) int { return 1 }, func(n int) int { return n }, func(int, int) Interval {
		return constant(-a.Constants.FinalDrift)
	})
	n := t.at[0]
	f := Finding{Verdict: decide(t.holds(), true)}
	f.Margin = fmt.Sprintf("the worst drift is %.4f, at n = %d, k = %d", WorstDrift(n, a.threshold(n), mustDecide(a.balls(n).floor()), t.at[1]).Hi, n, t.at[1])
	f.evidence("worst drift over all configurations, by convexity, %d pairs (n, k), every k up to n = 4,096, for %s", t.cases, a.span())
	return f
}

// checkAdditiveDrift compares exact expected times of tiny phases two with the
// bound of their own drift.
func checkAdditiveDrift(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	largest := 0.0
	for _, loads := range [][]int{{5, 1}, {6, 1, 1}, {5, 4, 1}, {7, 1, 1}, {6, 5, 1, 1}} {
		const threshold = 4
		chain, err := recycled.NewChain(recycled.Config{Bins: len(loads), Threshold: threshold}, loads)
		if err != nil {
			panic(err) // the loads are this package's
		}
		y := excess(loads, threshold)
		mean := chain.Run().RoundsMean
		bound := float64(y) / a.Constants.FinalDrift
		if mean > bound {
			f.Verdict = False
		}
		largest = max(largest, mean/float64(y))
		f.evidence("from loads %v, τ = %d: exact E[T2] = %.4f, 32 Y_0 = %.0f", loads, threshold, mean, bound)
	}
	f.Margin = fmt.Sprintf("exact E[T2] is at most %.3g Y_0 there", largest)
	return f
}

// checkFirstExcess compares the exact mean of M with n H_n + n.
func checkFirstExcess(a *Audit) Finding {
	t := newTally()
	f := Finding{}
	for _, n := range []int{16, 64, 256, 1024} {
		_, balls := a.exactPhaseOne(n).Mean()
		harmonic := integer(0)
		for i := 1; i <= n; i++ {
			harmonic = harmonic.add(ratio(1, i))
		}
		t.atMost(relative(balls, 1e-9), integer(n).mul(harmonic).add(integer(n)), n, 0)
		f.evidence("n = %d: exact E[M] without a threshold, an upper bound, is %.4g n = %.3f n ln n", n, balls/float64(n), balls/float64(n)/a.log(n).Lo)
	}
	f.Verdict, f.Margin = decide(t.holds(), true), t.margin()
	return f
}

// checkInfiniteMean finds a run that is certified and the exact probability.
func checkInfiniteMean(*Audit) Finding {
	f := Finding{Verdict: Holds}
	s := setup{SelfClocked, 2, 3, 0}
	r := enumerate(s, fitsThreshold, searchRounds, searchStates)
	never := neverExactly(s)
	if r.run != nil && never > 0 {
		f.Verdict = False
		f.Counterexample = r.text() + ": M > n τ for ever"
	}
	f.Margin = "infinite"
	f.evidence("exact P[never] = %.8g at %v, %.8g at n = 4, τ = 6 = ceil(4 ln 4); positive at every n >= 2, as all fresh balls may find non-empty bins for n τ rounds", never, s, neverExactly(setup{SelfClocked, 4, 6, 0}))
	return f
}

// checkInfiniteRobin finds a run of round-robin that is certified, tiny and at the
// theorem's smallest parameters.
func checkInfiniteRobin(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "infinite"}
	r := enumerate(tinyRobin(), fitsThreshold, searchRounds, searchStates)
	e := share(theoremRobin(), fitsThreshold, auditSeed, auditRuns, 20*auditRounds)
	if r.run != nil && e.Value > 0 {
		f.Verdict, f.Counterexample = False, r.text()+": M > n τ for ever"
	}
	f.evidence("%v: %s of %d runs hold more than n τ balls within %d rounds, and for ever", theoremRobin(), percent(e.Value), auditRuns, 20*auditRounds)
	return f
}

// overfullVaries says whether one state may be followed by different numbers of
// overfull bins, so that the fresh balls of different rounds depend on each other.
func overfullVaries() bool {
	const threshold = 4
	y := newSystem(setup{SelfClocked, 3, threshold, 0})
	for i, load := range []int{5, 1, 1} {
		y.queues[i] = make([]uint16, load)
	}
	r, draws := y.remove()
	seen := map[int]bool{}
	eachChoice(3, draws, func(choice []int) {
		z, record := y.clone(), r.fork()
		z.throw(record, choice)
		following, _ := z.remove()
		seen[following.overfull] = true
	})
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
	f.Counterexample = "the derivation: K changes from round to round with the loads, as from loads [5 1 1] at τ = 4"
	f.evidence("E[e^(θ B)] <= e^((e^θ - 1)/2) for B binomial (floor(n/2), 1/n): (e^(5/4) - 1)/2 = %.5f <= 1.25", rise.Hi)
	c := a.Constants
	a.requireUnion(&f, union{c.MaxLoadRate, c.UnionPower, c.LoadFactor, c.Absorption})
	s, _, _ := measured(a, 1024, 200)
	f.evidence("n = 1024, τ = %d: largest load in 200 runs %.0f, bound max(start, τ) + 1 + (%s) ln n with start at most %s ln n", a.threshold(1024), s.MaxLoadMax, fraction(c.LoadFactor), decimal(c.FreshLoad))
	return f
}

// union are the constants of a union bound over the rounds of phase two: the
// exponent of a load, the power of n that bounds the rounds, the load over ln n,
// and the absorption that the rounds come from.
type union struct{ rate, rounds, load, absorption float64 }

// requireUnion requires of a repair that phase two has at most n^rounds rounds,
// and that n bins in so many rounds exceed the load with probability at most 1/n:
//
//	n n^rounds e^(-rate load ln n) <= 1/n.
//
// The rounds are c n ln n, so that the power outgrows them.
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
	left := new(big.Rat).Add(rational(u.rounds), big.NewRat(1, 1))
	left.Sub(left, new(big.Rat).Mul(rational(u.rate), rational(u.load)))
	f.require(left.Cmp(big.NewRat(-1, 1)) <= 0, "a union over n bins and n^(%s) rounds leaves 1/n at (%s) ln n: it leaves n^(%s)",
		fraction(u.rounds), fraction(u.load), left.RatString())
	f.evidence("n^(%s) rounds cover phase two for %s, by %s at n = %d; n² would not up to n = %d", fraction(u.rounds), a.span(), percent(enough.slack), enough.at[0], square-1)
}

// checkUniqueAtEnd checks the printed sum, e^(5/4)/n² over 32 Y_0 rounds, and the
// conclusion by the number of colours.
func checkUniqueAtEnd(a *Audit) Finding {
	colors, balls := checkEnoughColors(a), checkFreshOfPhaseOne(a)
	total := func(n int) Interval {
		rounds := a.balls(n).div(constant(a.Constants.FinalDrift))
		return rounds.mul(exp(constant(a.Constants.Lemma1Rate))).div(integer(n)).div(integer(n))
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
	f.Margin = fmt.Sprintf("the printed sum is below 1, so that it says anything, only from n = %d on; the colours: %s", from, colors.Margin)
	f.evidence("32 (2 n ln n + n) e^(5/4)/n² = %.4g at n = 16, %.6f at n = %d, %.6f at n = %d, and falls; it is %.4g ln n/n at n = 16, and the factor falls", total(MinBins).Hi, total(from-1).Lo, from-1, total(from).Hi, from, order(MinBins).Hi)
	f.Evidence = append(append(f.Evidence, colors.Evidence...), balls.Evidence...)
	return f
}

// checkMarkov builds, as exact fractions, processes with drift -δ in every round
// that reach Markov's bound: in the first round they jump from Y_0 to c Y_0 with
// probability q and to 0 else, and then fall by δ a round.
func checkMarkov(a *Audit) Finding {
	delta, start := rational(a.Constants.FinalDrift), big.NewRat(100, 1)
	reached := true
	f := Finding{}
	for _, c := range []int64{2, 10, 100} {
		top := new(big.Rat).Mul(big.NewRat(c, 1), start)
		q := new(big.Rat).Quo(new(big.Rat).Sub(start, delta), top) // q c Y_0 - Y_0 = -δ
		fall := new(big.Rat).Quo(top, delta)                       // rounds from c Y_0: 1 + fall > c Y_0/δ
		mean := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(q, fall))
		share := new(big.Rat).Mul(q, big.NewRat(c, 1))
		reached = reached && mean.Cmp(new(big.Rat).Quo(start, delta)) == 0 && share.Cmp(big.NewRat(99, 100)) > 0
		late, _ := q.Float64()
		rounds, _ := fall.Float64()
		f.evidence("drift -1/32 in every round, Y_0 = 100: E[T] = %s = 32 Y_0, and P[T > %d E[T]] = P[T > %.0f] = %.6f", mean.RatString(), c, rounds, late)
		f.Counterexample = fmt.Sprintf("the derivation: a process with drift -1/32 and Y_0 = 100 is later than %d times its mean with probability %.4f", c, late)
	}
	f.Verdict = decide(a.verdict("S9") == Holds, !reached)
	f.Margin = "Markov's 1/c is reached up to a factor 1 - δ/Y_0"
	return f
}

// lastReal is the largest of the n at which real thresholds are looked at, each.
const lastReal = 2999

// checkRealDrift finds the drift of one bin just above τ = 4 ln n.
func checkRealDrift(a *Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact: integer τ"}
	failed, at := 0, 0
	smallest := integer(1)
	for n := MinBins; n <= lastReal; n++ {
		real := constant(a.Constants.Threshold).mul(a.log(n))
		x := mustDecide(real.floor()) + 1
		// The next load is x - 1 <= τ, unless the one fresh ball comes back to it.
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
	f.evidence("τ = 4 ln n, one bin with floor(τ) + 1 balls, the others with 1: above -1/32 at %d of %d n in %d..%d, and %.2g at n = %d", failed, lastReal-MinBins+1, MinBins, lastReal, -smallest.Lo, at)
	return f
}
