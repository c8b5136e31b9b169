package proofs

import (
	"fmt"
	"math"
)

// checkTheoremSelfClocked compares the bound with exact phase one and measured
// runs.
func checkTheoremSelfClocked(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	worst := 0.0
	f.evidence("mean, longest and S9's bound of rounds/n, its probability; largest load/ln n of 500 runs")
	for _, n := range []int{16, 64, 256, 1024} {
		s, bound, failure := measured(a, n, 500)
		if s.RoundsMax > bound || refuted(wilson(s.Replicas-s.Converged, s.Replicas), failure) {
			f.Verdict = False
		}
		worst = max(worst, s.Rounds.Value/bound)
		f.evidence("n = %d, τ = %d: %d converged, %.4g, %.4g, %.4g, %s; %.3g",
			n, a.threshold(n), s.Converged, s.Rounds.Value/float64(n), s.RoundsMax/float64(n), bound/float64(n), percent(1-failure), s.MaxLoadMax/a.log(n).Hi)
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

// checkWarmup compares the exact mean of phase one with n ln n + n.
func checkWarmup(a *Audit) Finding {
	t := newTally()
	f := Finding{}
	f.evidence("exact E[T1], and n ln n + n")
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		rounds, _ := a.exactPhaseOne(n).Mean()
		exact := relative(rounds, 1e-9)
		t.atMost(exact, integer(n).mul(a.log(n)).add(integer(n)), n, 0)
		f.evidence("n = %d: %.6g = %.4f n, %.6g", n, rounds, rounds/float64(n), float64(n)*(a.log(n).Lo+1))
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
	first, middle, last := share(16), share(1024), share(4096)
	rounds, _ := a.exactPhaseOne(4096).Mean()
	f.evidence("n = 4096: exact E[T1] = %.4f n; smaller n: A8", rounds/4096)
	f.Margin = fmt.Sprintf("E[T1] is %s of n ln n + n at n = 16, %s at n = 1024, %s at n = 4096, and falls like 1/ln n", percent(first), percent(middle), percent(last))
	return f
}

// checkWarmupRobin lets round-robin run without a threshold.
func checkWarmupRobin(*Audit) Finding {
	f := Finding{Verdict: Holds}
	s := setup{RoundRobin, 16, 1 << 20, 7}
	e := share(s, unevenForever, auditRuns, auditRounds)
	if e.Lo > 0.5 {
		f.Verdict = False
	}
	f.Margin = fmt.Sprintf("%s of %d runs never converge at n = 16, b = 7", percent(e.Value), auditRuns)
	f.evidence("in those runs all colours remember after %d rounds, more than b of them some bin", auditRounds)
	f.Counterexample = enumerate(setup{RoundRobin, 2, 100, 2}, unevenForever, searchRounds, searchStates).text()
	return f
}

// checkConvergesIff compares the exact probability of never converging with the probability of M > n τ.
func checkConvergesIff(*Audit) Finding {
	f := Finding{Verdict: HoldsOnSmallerDomain, Margin: "M <= n τ"}
	for _, c := range []setup{tinySystems[0], {SelfClocked, 3, 2, 0}, {SelfClocked, 4, 4, 0}} {
		never, beyond := neverExactly(c), beyondThreshold(c)
		if never <= 0 || math.Abs(never-beyond) > 1e-12 {
			f.Verdict = Holds
		}
		f.evidence("%v: P[never] = %.10g = P[M > n τ]", c, never)
	}
	f.Counterexample = enumerate(tinySystems[0], fitsThreshold, searchRounds, searchStates).text() + ": M > n τ"
	return f
}

// checkStart checks starts that are not empty: B8 in the first round, an exact probability of never
// converging, and an exact time.
func checkStart(a *Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "empty bins"}
	y := systemAt(3, []int{6, 1})
	r, draws := y.remove()
	y.throw(r, make([]int, draws))
	const n, threshold, over = 2, 20, 19
	never, late := newChain(n, 3, []int{6, 1}).Run(), newChain(n, threshold, []int{threshold + over, 1}).Run()
	if facts["loadAtMostFresh"].violated(y, r) && never.Never == 1 && late.RoundsMean >= over {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = "n = 2, τ = 3, loads [6 1]: M = 7 > n τ = 6, never converges"
	}
	f.evidence("from these loads exact P[never] = %g, and B8 fails in the first round", never.Never)
	f.evidence("exact E[T] = %.4f >= %d from loads [%d 1], τ = %d", late.RoundsMean, over, threshold+over, threshold)
	return f
}

// checkMoment compares both readings on a bin with τ + 1 balls: loads are above τ
// after removal exactly if they are above τ + 1 before.
func checkMoment(*Audit) Finding {
	const threshold = 4
	loads := []int{threshold + 1, 1, 1}
	before, after := DriftRat(threshold, loads), DriftRat(threshold+1, loads)
	y := systemAt(threshold+1, loads)
	r, draws := y.remove()
	y.throw(r, make([]int, draws))
	f := Finding{Verdict: Holds, Margin: "one ball"}
	if draws == 0 && excess(r.after, threshold) == 1 && before.Sign() < 0 && after.Sign() == 0 {
		f.Verdict = HoldsOnSmallerDomain
		f.Counterexample = fmt.Sprintf("loads %v, τ = %d: drift of Y %s if compared before removal, 0 after it, and the loads stay so", loads, threshold, before.RatString())
	}
	return f
}
