package proofs

import "fmt"

// theoremSteps is the theorem as stated.
func theoremSteps() []Step {
	t1 := Step{
		ID: "T1", Place: "section 5.1, theorem 1", Lines: lines(718, 720), Process: SelfClocked,
		Claim:   "the process converges in O(n log n) steps and every bin has O(log n) elements throughout, with probability 1 - o(1)",
		Formula: `n \ge 16,\ \tau \ge 4 \ln n:\quad P[T \le 2 n \ln n + 2(2 n \ln n + n)/0.45] \ge 1 - 2/n`,
		Domain:  "n >= 16, integer τ >= 4 ln n",
		Reason:  "By the stronger theorem, steps S1 to S9: with probability at least 1 - 2/n it converges within 2 n ln n + 2 (2 n ln n + n)/0.45 rounds. Loads: step B6 for phase one, step E12 for phase two, each with probability at least 1 - 1/n. The colours and b play no part. For a real τ the process sees floor(τ) > 4 ln n - 1, and the same argument holds with 0.39 in place of 0.45.",
		Check:   checkTheoremSelfClocked,
	}
	return []Step{
		t1,
		t1.reading("More balls gather than a converged state can hold: M never decreases, a converged state holds at most n τ, and M > n τ therefore certifies that a run never converges. The share of such runs rises to 1.",
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
	f.Margin = fmt.Sprintf("mean rounds at most %s of the bound 2 n ln n + 2 (2 n ln n + n)/0.45", percent(worst))
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
	phases := Step{ID: "A2", Place: place, Lines: []int{788, 789}, Process: SelfClocked,
		Claim: "the process has two distinct phases: first there are empty bins and the number of balls can grow, then there are none", Domain: "τ >= 1",
		Formula: `\min_i X^i_t > 0 \Rightarrow \min_i X^i_{t+1} > 0`,
		Reason:  "By A3 a bin that is hit once stays non-empty, so that the first round without an empty bin divides the run.",
		Check:   selfClockedFact(staysFilled)}
	nonEmpty := Step{ID: "A3", Place: place, Lines: []int{790}, Process: SelfClocked,
		Claim: "once a bin is non-empty it remains non-empty", Formula: `X^i_t > 0 \Rightarrow X^i_{t+1} > 0`, Domain: "τ >= 1",
		Reason: "A bin with load at most τ gets its own ball back in the same round; one with more than τ >= 1 keeps at least τ.",
		Check:  selfClockedFact(staysFull)}
	constantM := Step{ID: "A4", Place: place, Lines: []int{791}, Process: SelfClocked,
		Claim: "once all bins are non-empty the number of balls is constant, as for every ball removed one is thrown", Formula: `M_{t+1} = M_t`, Domain: "τ >= 1",
		Reason: "n balls are removed and each is thrown again, at home or at random; A2 keeps it so.",
		Check:  selfClockedFact(ballsConstant)}
	stays := Step{ID: "A6", Place: place, Lines: []int{792}, Process: SelfClocked,
		Claim: "once all bins have at most τ balls and every ball has a distinct colour, they keep having at most τ balls", Domain: "phase two: no bin empty",
		Formula: `0 < X^i_t \le \tau\ \forall i \Rightarrow X_{t+1} = X_t`,
		Reason:  "With no bin overfull and none empty nothing is thrown at random: every ball returns to its bin. Colours play no part. (With a bin empty it is false: its fresh ball may find a bin at τ.)",
		Check:   selfClockedFact(settledStays)}
	warmup := Step{ID: "A8", Place: place, Lines: []int{793, 794, 795}, Process: SelfClocked,
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
		{ID: "A7", Place: place, Lines: []int{792}, Process: SelfClocked,
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
			Reason: "That is the coupon collector's time, with one ball a step. But in a step every empty bin throws a ball, so that E[T1] <= (e/(e-1)) (2 - 1/n) n = O(n), step S8: about 1.63 n for large n.",
			Repair: "E[T1] <= (e/(e-1)) (2 - 1/n) n; exact values from 1.49 n at n = 16 to 1.64 n at n = 4096",
			Check:  checkWarmupValue},
		warmup.reading("Memory is then never lost: once all colours remember, a bin remembered by more than b of them grows for ever.", "none for round-robin: it converges only if the first memories are even", checkWarmupRobin),
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
		claimed := integer(n).mul(a.log(n)).add(integer(n))
		if compare(relative(rounds, 1e-9), claimed.mul(constant(0.9))) == atMost {
			f.Verdict = False
			if f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("n = %d: exact E[T1] = %.6g, n ln n + n = %.6g", n, rounds, claimed.Lo)
			}
		}
		return rounds / claimed.Lo
	}
	first, last := share(16), share(1024)
	f.Margin = fmt.Sprintf("exact E[T1] is %s of n ln n + n at n = 16, %s at n = 1024, and falls like 1/ln n", percent(first), percent(last))
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
