package proofs

import (
	"fmt"
	"math"

	"repslab/recycled"
)

// strongerSteps is the stronger theorem for self-clocked and its proof.
func strongerSteps() []Step {
	const place = "stronger theorem"
	return []Step{
		{ID: "S1", Place: place + ", (a)", Process: SelfClocked,
			Claim: "in phase two Y never rises: it falls by the fresh balls that find a bin below τ", Formula: `Y_{t+1} = Y_t - \#\text{absorbed}_{t+1}`, Domain: "τ >= 1",
			Reason: "The K overfull bins lose K balls, so Y falls by K; K fresh balls are thrown, and each adds one to Y unless it finds a bin below τ.",
			Check:  selfClockedFact(absorbs)},
		{ID: "S2", Place: place + ", (b)", Process: SelfClocked,
			Claim: "a fresh ball is absorbed with probability at least h = (n τ - M)/(n (τ - 1)), whatever happened before", Formula: `h = \frac{n\tau - M}{n(\tau - 1)}`, Domain: "τ >= 2, M <= n τ, no bin empty",
			Reason:    "The holes are n τ - M + Y >= n τ - M at every moment of the round, counting Y less what was absorbed, and no bin has more than τ - 1 of them.",
			Constants: []string{"HoleShare"},
			Check:     checkAbsorption},
		{ID: "S3", Place: place + ", (b)", Process: SelfClocked,
			Claim: "E[T2] <= Y0/h", Formula: `E[T_2] \le Y_0/h`, Domain: "τ >= 2, M < n τ",
			Reason: "While Y > 0 a round throws at least one fresh ball: additive drift with S1, S2.",
			Check:  checkPhaseTwoMean},
		{ID: "S4", Place: place + ", (b)", Process: SelfClocked,
			Claim: "h >= 0.45 for M <= 2 n ln n + n, so that the drift is at most -0.45 K", Formula: `h \ge \frac{2 \ln n - 1}{4 \ln n - 1} \ge 0.45`, Domain: "n >= 16, integer τ >= 4 ln n",
			Reason:    "h = (τ - 2 ln n - 1)/(τ - 1) rises in τ; at τ = 4 ln n it rises in n and passes 0.45 at ln n = 2.75, n = 15.64.",
			Constants: []string{"Absorption", "Threshold", "Coupon"},
			Check:     checkAbsorptionConstant},
		{ID: "S5", Place: place + ", (b)", Process: SelfClocked,
			Claim: "P[T2 > 2y/h] <= exp(-y/4) for y >= Y0", Formula: `P[T_2 > 2y/h] \le e^{-y/4}`, Domain: "τ >= 2, M < n τ",
			Reason: "After t = floor(2y/h) rounds with Y > 0 throughout, at least t fresh balls, each absorbed with probability at least h: fewer than Y0 <= y absorbed has at most the probability of Bin(t, h) <= y - 1, and Chernoff's lower tail gives exp(-(y + 1 - h)²/(2 (2y - h))) <= exp(-y/4).",
			Check:  checkPhaseTwoTail},
		{ID: "S6", Place: place + ", (c)", Process: SelfClocked,
			Claim: "P[a run never converges] <= n exp(1 - τ)", Formula: `P[M > n\tau] \le n e^{1-\tau}`, Domain: "n >= 1, τ >= 1",
			Reason: "M < G + n with G the coupon collector's time, and P[G > m] <= n (1 - 1/n)^m.",
			Check:  checkNever},
		{ID: "S7", Place: place + ", (c)", Process: SelfClocked,
			Claim: "τ >= (1 + ε) ln n + 1 suffices for convergence with probability at least 1 - n^-ε", Formula: `n e^{1 - (1+\varepsilon) \ln n - 1} = n^{-\varepsilon}`, Domain: "n >= 2, ε > 0",
			Reason:    "S6 at that τ: a quarter of the theorem's 4 ln n is enough for eventual convergence.",
			Constants: []string{"EventualSlack"},
			Check:     checkEventual},
		{ID: "S8", Place: place + ", (d)", Process: SelfClocked,
			Claim: "E[T1] <= (e/(e-1)) (2 - 1/n) n", Formula: `E[T_1] \le \frac{e}{e-1}\left(2 - \frac1n\right) n`, Domain: "n >= 1, τ >= 1",
			Reason: "Of j empty bins at least j (1 - (1 - 1/n)^j) >= (1 - 1/e) j²/n are hit in expectation; variable drift [Johannsen10].",
			Check:  checkPhaseOneMean},
		{ID: "S9", Place: place + ", (e)", Process: SelfClocked,
			Claim: "with probability at least 1 - 2/n a run converges within 2 n ln n + 2 (2 n ln n + n)/0.45 rounds", Formula: `P[T \le 2 n \ln n + 2(2 n \ln n + n)/0.45] \ge 1 - 2/n`, Domain: "n >= 16, integer τ >= 4 ln n",
			Reason: "B2 and B5 fail with probability at most 1/n; else T1 <= 2 n ln n and M <= 2 n ln n + n. S5 with y = 2 n ln n + n >= Y0 and S4 fails with exp(-y/4) <= 1/n.",
			Check:  checkWhole},
		{ID: "S10", Place: "repair of lemma 1", Process: NoProcess,
			Claim: "lemma 1 holds for every real x", Formula: `P[B \ge x] \le e^{-\frac54(x-1)}`, Domain: "real x, k <= n, n >= 1",
			Reason:    "For x <= 1 the right side is at least 1; for x > 5, P <= 1/ceil(x)! is below it; between, P is largest for k = n and, within 0.64/n of the Poisson (1) tail [Barbour84], below the bound at every n.",
			Constants: []string{"Lemma1Rate"},
			Check:     checkLemmaOneEverywhere},
	}
}

// checkAbsorption compares h with the exact fraction of bins below τ, in every
// state of phase two of tiny systems.
func checkAbsorption(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	least := math.Inf(1)
	for _, c := range []struct{ n, threshold int }{{2, 2}, {3, 3}, {4, 3}} {
		most := c.threshold * c.n
		eachChoice(most, c.n, func(less []int) {
			balls, below := 0, 0
			for _, load := range less {
				balls += load + 1
				if load+1 < c.threshold {
					below++
				}
			}
			if balls > most {
				return
			}
			h, err := recycled.AbsorptionBound(c.n, c.threshold, balls)
			if err != nil {
				panic(err) // the domain is this package's
			}
			h = float64(h * a.Constants.HoleShare)
			exact := float64(below) / float64(c.n)
			if exact < h-1e-12 {
				f.Verdict = False
				f.Counterexample = fmt.Sprintf("loads less one %v, τ = %d", less, c.threshold)
			}
			if exact > 0 {
				least = min(least, (exact-h)/exact)
			}
		})
	}
	f.Margin = percent(max(0, least)) + " at the least: equality where each bin below τ has one ball"
	f.evidence("share of bins below τ against h in every load vector of (n, τ) = (2, 2), (3, 3), (4, 3) without an empty bin")
	return f
}

// tinyPhaseTwo calls f with every load vector of phase two of some tiny systems
// that may converge and has an excess.
func tinyPhaseTwo(f func(threshold int, loads []int, chain *recycled.Chain)) {
	for _, c := range []struct{ n, threshold int }{{2, 2}, {2, 4}, {3, 3}, {4, 2}} {
		eachChoice(c.n*c.threshold, c.n, func(less []int) {
			loads := make([]int, c.n)
			for i, load := range less {
				loads[i] = load + 1
				if i > 0 && loads[i] > loads[i-1] {
					return
				}
			}
			if sum(loads) >= c.n*c.threshold || excess(loads, c.threshold) == 0 {
				return
			}
			chain, err := recycled.NewChain(recycled.Config{Bins: c.n, Threshold: c.threshold}, loads)
			if err != nil {
				panic(err) // the loads are this package's
			}
			f(c.threshold, loads, chain)
		})
	}
}

// checkPhaseTwoMean compares exact means with Y0/h.
func checkPhaseTwoMean(*Audit) Finding {
	t := newTally()
	tinyPhaseTwo(func(threshold int, loads []int, chain *recycled.Chain) {
		bound, err := recycled.PhaseTwoRoundsBound(len(loads), threshold, sum(loads), excess(loads, threshold))
		if err != nil {
			panic(err) // the domain is this package's
		}
		t.atMost(relative(chain.Run().RoundsMean, 1e-9), relative(bound, 1e-12), len(loads), threshold)
	})
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("exact E[T2] from each of %d load vectors of tiny systems", t.cases)
	return f
}

// checkPhaseTwoTail compares exact tails with exp(-y/4).
func checkPhaseTwoTail(*Audit) Finding {
	t := newTally()
	tinyPhaseTwo(func(threshold int, loads []int, chain *recycled.Chain) {
		limit := chain.Run()
		y0 := excess(loads, threshold)
		for y := y0; y <= y0+3; y++ {
			round, probability, err := recycled.PhaseTwoTailBound(len(loads), threshold, sum(loads), float64(y))
			if err != nil {
				panic(err) // the domain is this package's
			}
			var tail float64
			for r := int(round) + 1; r < len(limit.Converged); r++ {
				tail += limit.Converged[r]
			}
			t.atMost(relative(tail, 1e-9), relative(probability, 1e-12), len(loads), threshold)
		}
	})
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("exact P[T2 > 2y/h] in %d cases of tiny systems", t.cases)
	return f
}

// checkAbsorptionConstant encloses h at M = 2 n ln n + n.
func checkAbsorptionConstant(a *Audit) Finding {
	t := newTally()
	at := constant(a.Constants.Absorption)
	for _, n := range a.Bins {
		real := constant(a.Constants.Threshold).mul(a.log(n)) // the worst
		t.atMost(at, real.sub(a.balls(n).div(integer(n))).div(real.sub(integer(1))), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("(2 ln n - 1)/(4 ln n - 1) enclosed for %s; it rises with n, to 1/2", a.span())
	return f
}

// checkNever compares the exact probability with n exp(1 - τ).
func checkNever(a *Audit) Finding {
	t := newTally()
	for _, c := range []setup{{SelfClocked, 2, 2, 0}, {SelfClocked, 2, 5, 0}, {SelfClocked, 3, 4, 0}, {SelfClocked, 4, 6, 0}} {
		t.atMost(relative(neverExactly(c), 1e-9), integer(c.bins).mul(exp(integer(1-c.threshold))), c.bins, c.threshold)
	}
	for _, n := range []int{16, 64, 256, 1024} {
		threshold := a.threshold(n)
		t.atMost(relative(a.exactPhaseOne(n).BallsTail(n*threshold), 1e-6), integer(n).mul(exp(integer(1-threshold))), n, threshold)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("exact P[never] for four tiny systems, exact P[M > n τ] for n = 16, 64, 256, 1024 at the theorem's τ")
	return f
}

// checkEventual compares n exp(1 - τ) with n^-ε at the smallest integer τ.
func checkEventual(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		for _, eps := range []int{1, 2, 3} { // ε = 1/2, 1, 3/2
			e := ratio(eps, 2)
			threshold := mustDecide(integer(1).add(e).mul(a.log(n)).add(constant(a.Constants.EventualSlack)).ceil())
			// n e^(1-τ) <= n^-ε, as exponents.
			t.atMost(a.log(n).add(integer(1)).sub(integer(threshold)), e.mul(a.log(n)).neg(), n, eps)
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "0 % at real τ = (1 + ε) ln n + 1"}
	f.evidence("exponents compared at τ = ceil((1 + ε) ln n + 1), ε = 1/2, 1, 3/2, for %s", a.span())
	return f
}

// checkPhaseOneMean compares the exact mean with the bound.
func checkPhaseOneMean(a *Audit) Finding {
	t := newTally()
	for _, n := range []int{16, 64, 256, 1024} {
		rounds, _ := a.exactPhaseOne(n).Mean()
		e := exp(integer(1))
		t.atMost(relative(rounds, 1e-9), e.div(e.sub(integer(1))).mul(integer(2*n-1)), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("exact E[T1] without a threshold, an upper bound with one, for n = 16, 64, 256, 1024")
	return f
}

// checkWhole compares failures and measured runs with the bound.
func checkWhole(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		// exp(-y/4) <= 1/n with y = 2 n ln n + n, as exponents.
		t.atMost(a.log(n), a.balls(n).div(integer(4)), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true)}
	for _, n := range []int{16, 256} {
		s, bound, failure := measured(a, n, 1000)
		late := s.Replicas - s.Converged
		if s.RoundsMax > bound || refuted(wilson(late, s.Replicas), failure) {
			f.Verdict = False
		}
		f.evidence("n = %d: of 1000 runs %d did not converge (allowed %.0f), the longest took %.0f of %.0f rounds", n, late, 1000*failure, s.RoundsMax, bound)
		f.Margin = fmt.Sprintf("the longest of 1000 runs took %s of the bound at n = %d", percent(s.RoundsMax/bound), n)
	}
	return f
}
