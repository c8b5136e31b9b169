package proofs

import (
	"fmt"

	"repslab/recycled"
)

// theoremSteps is the theorem as stated.
func theoremSteps() []Step {
	const place = "section 5.1, theorem 1"
	c := PaperConstants()
	t1 := Step{
		ID: "T1", Place: place, Lines: lines(718, 720), Process: SelfClocked,
		Claim:   "the process converges in O(n log n) steps and every bin has O(log n) elements throughout, with probability 1 - o(1)",
		Formula: fmt.Sprintf(`n \ge 16,\ \tau \ge 4 \ln n:\quad P[T \le 2 n \ln n + %s(2 n \ln n + n)/%s] \ge 1 - %s/n`, decimal(c.TailRounds), decimal(c.RealAbsorption), decimal(c.Failure)),
		Domain:  "n >= 16, real τ >= 4 ln n",
		Rests:   []string{"B6", "C7", "E5", "E8", "E9", "E12", "E13", "E14"},
		Reason:  "The conclusion holds by S9 (rounds) and S11 (loads) for integer τ, and by S12 for every real τ. The printed derivation does not give it: it rests on a drift that is not justified, on an expectation that is infinite, on Markov's inequality where a probability is asked for, and on a result for batched bins with another law. The colours and b play no part.",
		Repair:  "S9 and S11 in place of the second phase, S12 for real τ",
		Check:   checkTheoremSelfClocked,
	}
	return []Step{
		t1,
		t1.reading("More balls gather than a converged state can hold: M never decreases, a converged state holds at most n τ, and M > n τ therefore certifies that a run never converges. That is most runs at the n computed, and a claim that at most half may fail is refuted there. It is measured, not proved for every n: see S13.",
			"state it for the self-clocked process, in which a ball of a bin at or below τ returns to that bin in the same round", robinFates),
		{
			ID: "T2", Place: "section 5.1, theorem 1 (implicit)", Lines: []int{719}, Process: NoProcess,
			Claim:     "b may be a constant, as the model says, and be at least 2.4 ln n, as the theorem says",
			Formula:   `b \ge 2.4 \ln n,\ b = \text{const}`,
			Domain:    "all n >= 16 with one b",
			Reason:    "A constant b serves n up to e^(b/2.4) only: 8, the ring of REPS, for n <= 28. As a parameter that may depend on n there is no contradiction.",
			Repair:    "let b depend on n, as in b = ceil(2.4 ln n)",
			Constants: []string{"Colors"},
			Check:     checkConstantColors,
		},
	}
}

// checkTheoremSelfClocked compares the bound with exact phase one and measured
// runs.
func checkTheoremSelfClocked(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	worst := 0.0
	for _, n := range []int{16, 64, 256, 1024} {
		s, bound, failure := measured(a, n, 500)
		if s.RoundsMax > bound || refuted(wilson(s.Replicas-s.Converged, s.Replicas), failure) {
			f.Verdict = False
		}
		worst = max(worst, s.Rounds.Value/bound)
		f.evidence("n = %d, τ = %d: %d of %d runs converged, mean %.4g n rounds, at most %.4g n; bound %.4g n with probability at least %s; largest load %.3g ln n",
			n, a.threshold(n), s.Converged, s.Replicas, s.Rounds.Value/float64(n), s.RoundsMax/float64(n), bound/float64(n), percent(1-failure), s.MaxLoadMax/a.log(n).Hi)
	}
	f.Margin = fmt.Sprintf("mean rounds at most %s of the bound of S9", percent(worst))
	for _, id := range []string{"S9", "S11", "S12"} {
		f.require(a.verdict(id) == Holds, "%s, which gives the conclusion", id)
	}
	return f
}

// checkConstantColors finds where b = 8 stops being enough.
func checkConstantColors(a *Audit) Finding {
	n := 1
	for constant(a.Constants.Colors).mul(a.log(n+1)).Hi <= 8 {
		n++
	}
	return Finding{
		Verdict:        HoldsOnSmallerDomain,
		Margin:         fmt.Sprintf("b = 8 is enough exactly for n <= %d", n),
		Counterexample: fmt.Sprintf("b = 8, n = %d: 2.4 ln n = %.4f > 8", n+1, constant(a.Constants.Colors).mul(a.log(n+1)).Lo),
	}
}

// preambleSteps are the sentences before the proof.
func preambleSteps() []Step {
	const place = "appendix B, before the proof"
	phases := Step{ID: "A2", Place: place, Lines: []int{788, 789}, Process: SelfClocked, Rests: []string{"A3"},
		Claim: "the process has two distinct phases: first there are empty bins and the number of balls can grow, then there are none", Domain: "τ >= 1",
		Formula: `\min_i X^i_t > 0 \Rightarrow \min_i X^i_{t+1} > 0`,
		Reason:  "By A3 a bin that is hit once stays non-empty, so that the first round without an empty bin divides the run.",
		Check:   selfClockedFact(staysFilled)}
	nonEmpty := Step{ID: "A3", Place: place, Lines: []int{790}, Process: SelfClocked,
		Claim: "once a bin is non-empty it remains non-empty", Formula: `X^i_t > 0 \Rightarrow X^i_{t+1} > 0`, Domain: "τ >= 1",
		Reason: "A bin with load at most τ gets its own ball back in the same round; one with more than τ >= 1 keeps at least τ.",
		Check:  selfClockedFact(staysFull)}
	constantM := Step{ID: "A4", Place: place, Lines: []int{791}, Process: SelfClocked, Rests: []string{"A2"},
		Claim: "once all bins are non-empty the number of balls is constant, as for every ball removed one is thrown", Formula: `M_{t+1} = M_t`, Domain: "τ >= 1",
		Reason: "n balls are removed and each is thrown again, at home or at random; A2 keeps it so.",
		Check:  selfClockedFact(ballsConstant)}
	stays := Step{ID: "A6", Place: place, Lines: []int{792}, Process: SelfClocked,
		Claim: "once all bins have at most τ balls and every ball has a distinct colour, they keep having at most τ balls", Domain: "phase two: no bin empty",
		Formula: `0 < X^i_t \le \tau\ \forall i \Rightarrow X_{t+1} = X_t`,
		Reason:  "With no bin overfull and none empty nothing is thrown at random: every ball returns to its bin. Colours play no part. (With a bin empty it is false: its fresh ball may find a bin at τ.)",
		Check:   selfClockedFact(settledStays)}
	warmup := Step{ID: "A8", Place: place, Lines: []int{793, 794, 795}, Process: SelfClocked, Rests: []string{"B3"},
		Claim: "with a threshold that is never reached the process converges in expected n ln n + n steps at most", Formula: `E[T_1] \le n \ln n + n`, Domain: "read as an upper bound, n >= 1",
		Reason: "Every round before the end throws at least one fresh ball, so T1 is at most the coupon collector's time, n H_n <= n ln n + n in expectation. It is loose, see A9.",
		Check:  checkWarmup}
	return []Step{
		{ID: "A1", Place: place, Lines: []int{786, 787}, Process: RoundRobin,
			Claim: "the process that the proof analyses is the process of the theorem", Domain: "all runs",
			Reason: "The model section throws b n colours in cyclic order; the proof lets a removed ball be thrown in the same round. Already in round 2 the readings part: in the one a bin can become empty, in the other it cannot.",
			Repair: "define the process as the proof uses it (self-clocked); then steps without an r apply",
			Check:  robinFact(staysFull)},
		phases,
		phases.reading("A colour whose turn it is not leaves its bin empty; phases come and go.", "none for round-robin", robinFact(staysFilled)),
		nonEmpty,
		nonEmpty.reading("The ball removed is not thrown in the same round: its colour waits for its turn.", "none for round-robin", robinFact(staysFull)),
		constantM,
		constantM.reading("n balls are thrown in every round, and fewer removed whenever a bin is empty: M never decreases and grows.", "M never decreases", robinFact(ballsConstant)),
		{ID: "A5", Place: place, Lines: []int{791, 792}, Process: SelfClocked,
			Claim: "in phase two the system converges to a state in which all bins have at most τ balls", Domain: "every phase two",
			Formula: `M \le n\tau \iff P[T_2 < \infty] = 1`,
			Reason:  "M is constant and a converged state holds at most n τ: with M > n τ it never converges. With M <= n τ it does with probability 1: while Y > 0 there are n τ - M + Y > 0 holes, each fresh ball finds a bin below τ with probability at least 1/n, and Y then falls (S1; S3 has the time). The text does not say so; its own M <= 2 n ln n + n < n τ makes it true with probability at least 1 - 1/n.",
			Repair:  "add: given M <= n τ, as 2 n ln n + n is",
			Check:   checkConvergesIff},
		stays,
		stays.reading("Balls that are where they are need not be remembered, and a bin may be remembered by more than b colours: loads rise again.",
			"demand too that every bin is remembered by exactly b colours", robinFact(settledStays)),
		{ID: "A7", Place: place, Lines: []int{792}, Process: SelfClocked, Rests: []string{"B5"},
			Claim: "throughout, as long as there are b n >= 2.4 n ln n colours, there is at most one ball of any colour, with high probability", Domain: "n >= 16, with probability at least 1 - 1/n; colours of the proof's process: a fresh ball of an empty bin takes an unused one, any other ball keeps its own",
			Formula:   `M \le 2 n \ln n + n \le 2.4\, n \ln n \le b n`,
			Reason:    "The process moves balls whatever their colours, so that all that is asked is that there are enough: new balls are made in phase one alone, at most 2 n ln n + n of them with probability at least 1 - 1/n (B5), no more than there are colours from n = 13 on.",
			Constants: []string{"Coupon", "Colors"},
			Check:     checkEnoughColors},
		{ID: "A7r", Place: place, Lines: []int{792}, Process: RoundRobin,
			Claim: "throughout there is at most one ball of any colour, with high probability", Domain: "b n >= 2.4 n ln n colours",
			Reason: "A ball waits as many rounds as there are balls ahead of it, whenever they came; loads exceed b, and a colour's turn comes every b rounds.",
			Repair: "the self-clocked process needs no colours",
			Check:  robinRepeats},
		warmup,
		{ID: "A9", Place: place, Lines: []int{793, 794, 795}, Process: SelfClocked,
			Claim: "the expected steps of that are n ln n + n, not only at most", Formula: `E[T_1] \sim n \ln n + n`, Domain: "read as a value, to within 10 %, or as an order; n >= 16",
			Reason: "That is the coupon collector's time, with one ball a step. But in a step every empty bin throws a ball, so that E[T1] <= (e/(e-1)) (2 - 1/n) n = O(n), step S8.",
			Repair: "E[T1] <= (e/(e-1)) (2 - 1/n) n; the exact values are under what was computed",
			Check:  checkWarmupValue},
		warmup.reading("Memory is then never lost: once all colours remember, a bin remembered by more than b of them grows for ever.", "none for round-robin: it converges only if the first memories are even", checkWarmupRobin),
	}
}

// assumptionSteps are what the theorem assumes without saying so.
func assumptionSteps() []Step {
	const place = "appendix B, before the proof (implicit)"
	return []Step{
		{ID: "A10", Place: place, Lines: []int{787, 788, 800}, Process: SelfClocked,
			Claim: "the bins may hold balls at the beginning: neither the model nor the theorem names a start", Domain: "every start, τ >= 1",
			Formula: `X_0 = 0`,
			Reason:  "B8 and with it the bounds on M and on the loads count the fresh balls of the run alone: they need empty bins at the beginning. From more than n τ balls a run never converges, and from a bin with τ + y balls it takes at least y rounds, as a bin loses at most one a round: no bound in n alone holds.",
			Repair:  "let all bins be empty at the beginning",
			Check:   checkStart},
		{ID: "A11", Place: place, Lines: []int{792, 812}, Process: SelfClocked,
			Claim: "it is the same whether a load is compared with τ before or after its ball is removed: the model names no moment", Domain: "integer τ >= 1",
			Formula: `x > \tau \text{ before} \iff x - 1 > \tau - 1 \text{ after}`,
			Reason:  "After removal a bin with τ + 1 balls counts as one with τ: its ball returns, its drift is k/n and not k/n - 1 (C4), and it keeps τ + 1 balls for ever. All else is the process with τ + 1 in place of τ, so that the theorem holds with loads up to τ + 1.",
			Repair:  "compare before removal, as C4 does; or write τ + 1 for τ in what converged loads are at most",
			Check:   checkMoment},
	}
}

// checkWarmup compares the exact mean of phase one with n ln n + n.
func checkWarmup(a *Audit) Finding {
	t := newTally()
	f := Finding{}
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		rounds, _ := a.exactPhaseOne(n).Mean()
		exact := relative(rounds, 1e-9)
		t.atMost(exact, integer(n).mul(a.log(n)).add(integer(n)), n, 0)
		f.evidence("n = %d: exact E[T1] = %.6g = %.4f n; n ln n + n = %.6g", n, rounds, rounds/float64(n), float64(n)*(a.log(n).Lo+1))
	}
	f.Verdict, f.Margin = decide(t.holds(), true), t.margin()
	return f
}

// checkWarmupValue compares the exact mean of phase one with n ln n + n from below.
func checkWarmupValue(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	share := func(n int) float64 {
		rounds, _ := a.exactPhaseOne(n).Mean()
		f.evidence("n = %d: exact E[T1] = %.4f n", n, rounds/float64(n))
		claimed := integer(n).mul(a.log(n)).add(integer(n))
		if compare(relative(rounds, 1e-9), claimed.mul(constant(0.9))) == atMost {
			f.Verdict = False
			if f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("n = %d: exact E[T1] = %.6g, n ln n + n = %.6g", n, rounds, claimed.Lo)
			}
		}
		return rounds / claimed.Lo
	}
	first, middle, last := share(16), share(1024), share(4096)
	f.Margin = fmt.Sprintf("exact E[T1] is %s of n ln n + n at n = 16, %s at n = 1024, %s at n = 4096, and falls like 1/ln n", percent(first), percent(middle), percent(last))
	return f
}

// checkWarmupRobin lets round-robin run without a threshold.
func checkWarmupRobin(*Audit) Finding {
	f := Finding{Verdict: Holds}
	s := setup{RoundRobin, 16, 1 << 20, 7}
	e := share(s, unevenForever, auditSeed, auditRuns, auditRounds)
	if e.Lo > 0.5 {
		f.Verdict = False
	}
	f.Margin = fmt.Sprintf("%s of %d runs never converge at n = 16, b = 7", percent(e.Value), auditRuns)
	f.evidence("n = 16, b = 7, no threshold: after %d rounds all colours remember, some bin more than b of them, in %s of %d runs", auditRounds, percent(e.Value), auditRuns)
	f.Counterexample = enumerate(setup{RoundRobin, 2, 100, 2}, unevenForever, searchRounds, searchStates).text()
	return f
}

// checkConvergesIff compares the exact probability of never converging with that
// of M > n τ.
func checkConvergesIff(*Audit) Finding {
	f := Finding{Verdict: HoldsOnSmallerDomain, Margin: "exact: M <= n τ"}
	for _, c := range []setup{{SelfClocked, 2, 2, 0}, {SelfClocked, 3, 2, 0}, {SelfClocked, 4, 4, 0}} {
		never, beyond := neverExactly(c), beyondThreshold(c)
		if never <= 0 || abs(never-beyond) > 1e-12 {
			f.Verdict = Holds
		}
		f.evidence("%v: P[never] = %.10g = P[M > n τ]", c, never)
	}
	f.Counterexample = enumerate(setup{SelfClocked, 2, 2, 0}, fitsThreshold, searchRounds, searchStates).text() + ": M > n τ for ever"
	return f
}

// checkStart looks at starts that are not empty: B8 in the first round, an exact
// probability of never converging, and an exact time.
func checkStart(a *Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact: empty bins"}
	y := newSystem(setup{SelfClocked, 2, 3, 0})
	y.queues[0], y.queues[1] = make([]uint16, 6), make([]uint16, 1)
	r, draws := y.remove()
	y.throw(r, make([]int, draws))
	chain := func(threshold int, loads ...int) recycled.ChainLimit {
		c, err := recycled.NewChain(recycled.Config{Bins: len(loads), Threshold: threshold}, loads)
		if err != nil {
			panic(err) // the loads are this package's
		}
		return c.Run()
	}
	const n, threshold, over = 2, 20, 19
	never, late := chain(3, 6, 1), chain(threshold, threshold+over, 1)
	if loadAtMostFresh.violated(y, r) && never.Never == 1 && late.RoundsMean >= over {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = "n = 2, τ = 3, loads [6 1]: M = 7 > n τ = 6, so that it never converges"
	}
	f.evidence("exact P[never] = %g from loads [6 1] at n = 2, τ = 3", never.Never)
	f.evidence("exact E[T] = %.4f >= %d from loads [%d 1] at n = %d, τ = %d", late.RoundsMean, over, threshold+over, n, threshold)
	f.evidence("B8 fails in the first round from loads [6 1]: a load above the fresh balls received")
	return f
}

// checkMoment compares both readings on a bin with τ + 1 balls: loads are above τ
// after removal exactly if they are above τ + 1 before.
func checkMoment(*Audit) Finding {
	const threshold = 4
	loads := []int{threshold + 1, 1, 1}
	before, after := DriftRat(threshold, loads), DriftRat(threshold+1, loads)
	y := newSystem(setup{SelfClocked, len(loads), threshold + 1, 0})
	for i, load := range loads {
		y.queues[i] = make([]uint16, load)
	}
	r, draws := y.remove()
	y.throw(r, make([]int, draws))
	f := Finding{Verdict: Holds, Margin: "exact: one ball"}
	if draws == 0 && excess(r.after, threshold) == 1 && before.Sign() < 0 && after.Sign() == 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = fmt.Sprintf("loads %v, τ = %d: drift of Y %s if compared before removal, 0 after it, and the loads stay so", loads, threshold, before.RatString())
	}
	return f
}
