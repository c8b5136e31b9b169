package proofs

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"repslab/internal/elementary"
	"repslab/mc"
	"repslab/recycled"
)

// strongerSteps is the stronger theorem for self-clocked and its proof, with the
// repair of lemma 1, and what is open.
func strongerSteps() []Step {
	return slices.Concat(strongerPhaseTwo(), strongerPhaseOne(), strongerRounds(), []Step{
		{ID: "S10", Place: "repair of lemma 1", Process: NoProcess,
			Claim: "lemma 1 holds for every real x", Formula: `P[B \ge x] \le e^{-\frac54(x-1)}`, Domain: "real x, k <= n, n >= 1",
			Reason:    "For x <= 1 the right side is at least 1; for x > 5, P <= 1/ceil(x)! is below it; between, P is largest for k = n and, within " + decimal(PaperConstants().PoissonDistance) + "/n of the Poisson (1) tail [Barbour84], below the bound at every n.",
			Constants: []string{"Lemma1Rate"},
			Check:     checkLemmaOneEverywhere},
	}, strongerLoads(), []Step{
		{ID: "S13", Place: "round-robin", Process: RoundRobin,
			Claim: "the share of runs that never converge rises to 1 with n", Domain: "large n, τ = ceil(4 ln n), b = ceil(2.4 ln n)",
			Formula: `P[T = \infty] \to 1`,
			Reason:  "Neither proved nor refuted. A run with more than n τ balls never converges, but that nearly all runs get there is measured at a few n only, within a horizon, and some runs converge at n = 16.",
			Check:   robinLimit},
	})
}

// stronger is the place of the stronger theorem.
const stronger = "stronger theorem"

// wholeRounds writes the rounds of a whole run at an absorption.
func wholeRounds(absorption float64) string {
	return fmt.Sprintf("2 n ln n + %s (2 n ln n + n)/%s", decimal(PaperConstants().TailRounds), decimal(absorption))
}

// strongerPhaseTwo is the drift of the excess, and the tail of its time.
func strongerPhaseTwo() []Step {
	c := PaperConstants()
	rounds, rate, absorption := decimal(c.TailRounds), fraction(c.TailRate), decimal(c.Absorption)
	from := (1 - c.Absorption) / (2 - float64(4*c.Absorption)) // ln n at which h is the constant
	return []Step{
		{ID: "S1", Place: stronger + ", (a)", Process: SelfClocked,
			Claim: "in phase two Y never rises: it falls by the fresh balls that find a bin below τ", Formula: `Y_{t+1} = Y_t - \#\text{absorbed}_{t+1}`, Domain: "τ >= 1",
			Reason: "The K overfull bins lose K balls, so Y falls by K; K fresh balls are thrown, and each adds one to Y unless it finds a bin below τ.",
			Check:  selfClockedFact(absorbs)},
		{ID: "S2", Place: stronger + ", (b)", Process: SelfClocked,
			Claim: "a fresh ball is absorbed with probability at least h = (n τ - M)/(n (τ - 1)), whatever happened before", Formula: `h = \frac{n\tau - M}{n(\tau - 1)}`, Domain: "τ >= 2, M <= n τ, no bin empty",
			Reason:    "The holes are n τ - M + Y >= n τ - M at every moment of the round, counting Y less what was absorbed, and no bin has more than τ - 1 of them.",
			Constants: []string{"HoleShare"},
			Check:     checkAbsorption},
		{ID: "S3", Place: stronger + ", (b)", Process: SelfClocked, Rests: []string{"S1", "S2"},
			Claim: "E[T2] <= Y0/h", Formula: `E[T_2] \le Y_0/h`, Domain: "τ >= 2, M < n τ",
			Reason: "While Y > 0 a round throws at least one fresh ball: additive drift with S1, S2.",
			Check:  checkPhaseTwoMean},
		{ID: "S4", Place: stronger + ", (b)", Process: SelfClocked, Rests: []string{"S2"},
			Claim: "h >= " + absorption + " for M <= 2 n ln n + n, so that the drift is at most -" + absorption + " K", Formula: `h \ge \frac{2 \ln n - 1}{4 \ln n - 1} \ge ` + absorption, Domain: "n >= 16, integer τ >= 4 ln n",
			Reason:    fmt.Sprintf("h = (τ - 2 ln n - 1)/(τ - 1) rises in τ; at τ = 4 ln n it rises in n and passes %s at ln n = %.4g, n = %.4g.", absorption, from, elementary.Exp(from)),
			Constants: []string{"Absorption", "Threshold", "Coupon"},
			Check:     checkAbsorptionConstant},
		{ID: "S5", Place: stronger + ", (b)", Process: SelfClocked, Rests: []string{"S1", "S2"},
			Claim: "P[T2 > " + rounds + " y/h] <= exp(-(" + rate + ") y) for y >= Y0", Formula: `P[T_2 > ` + rounds + `y/h] \le e^{-(` + rate + `)y}`, Domain: "τ >= 2, M < n τ, real y >= 1",
			Reason:    "After t = floor(2y/h) rounds with Y > 0 throughout, at least t fresh balls, each absorbed with probability at least h: fewer than Y0 <= y absorbed has at most the probability of Bin(t, h) <= y - 1, and Chernoff's lower tail gives exp(-(y + 1 - h)²/(2 (2y - h))) <= exp(-y/4), as 2 (y + 1 - h)² - y (2y - h) = 4 y (1 - h) + 2 (1 - h)² + y h >= 0.",
			Constants: []string{"TailRate", "TailRounds"},
			Check:     checkPhaseTwoTail},
	}
}

// strongerPhaseOne is what concerns phase one alone.
func strongerPhaseOne() []Step {
	c := PaperConstants()
	shift, factor := decimal(c.NeverShift), decimal(c.PhaseOneFactor)
	return []Step{
		{ID: "S6", Place: stronger + ", (c)", Process: SelfClocked, Rests: []string{"B3"},
			Claim: "P[a run never converges] <= n exp(" + shift + " - τ)", Formula: `P[M > n\tau] \le n e^{` + shift + `-\tau}`, Domain: "n >= 1, τ >= 1",
			Reason:    "M < G + n with G the coupon collector's time, and P[G > m] <= n (1 - 1/n)^m <= n e^(-m/n) at m = n (τ - 1).",
			Constants: []string{"NeverShift"},
			Check:     checkNever},
		{ID: "S7", Place: stronger + ", (c)", Process: SelfClocked, Rests: []string{"S6"},
			Claim: "τ >= (1 + ε) ln n + 1 suffices for convergence with probability at least 1 - n^-ε", Formula: `n e^{1 - (1+\varepsilon) \ln n - 1} = n^{-\varepsilon}`, Domain: "n >= 2, ε > 0",
			Reason:    "S6 at that τ: a quarter of the theorem's 4 ln n is enough for eventual convergence.",
			Constants: []string{"EventualSlack"},
			Check:     checkEventual},
		{ID: "S8", Place: stronger + ", (d)", Process: SelfClocked,
			Claim: "E[T1] <= (e/(e-1)) (" + factor + " - 1/n) n", Formula: `E[T_1] \le \frac{e}{e-1}\left(` + factor + ` - \frac1n\right) n`, Domain: "n >= 1, τ >= 1",
			Reason: "Of j empty bins at least j (1 - (1 - 1/n)^j) >= h(j) = (1 - 1/e) j²/n are hit in expectation; variable drift [Johannsen10] gives 1/h(1) and the integral of 1/h from 1 to n.",
			Check:  checkPhaseOneMean},
	}
}

// failureText writes the probability that S9 leaves.
func failureText() string {
	c := PaperConstants()
	if c.FailurePower == 1 {
		return decimal(c.Failure) + "/n"
	}
	return decimal(c.Failure) + "/n^(" + fraction(c.FailurePower) + ")"
}

// strongerRounds is the time of a whole run, with high probability.
func strongerRounds() []Step {
	c := PaperConstants()
	return []Step{
		{ID: "S9", Place: stronger + ", (e)", Process: SelfClocked, Rests: []string{"B2", "B5", "S4", "S5"},
			Claim: "with probability at least 1 - " + failureText() + " a run converges within " + wholeRounds(c.Absorption) + " rounds", Formula: fmt.Sprintf(`P[T \le 2 n \ln n + %s(2 n \ln n + n)/%s] \ge 1 - %s`, decimal(c.TailRounds), decimal(c.Absorption), failureText()), Domain: "n >= 16, integer τ >= 4 ln n",
			Reason: "B2 and B5 fail together with probability at most 1/n, with the coupon collector; else T1 <= 2 n ln n and M <= 2 n ln n + n. S5 with y = 2 n ln n + n >= Y0 and S4 fails with exp(-y/4) <= 1/n.",
			Check:  checkWhole},
	}
}

// strongerLoads is the loads of a whole run, with high probability, and all of it
// for real thresholds.
func strongerLoads() []Step {
	c := PaperConstants()
	late, most := decimal(c.LoadFailure)+"/n", decimal(c.FreshLoad)
	return []Step{
		{ID: "S11", Place: stronger + ", (f)", Process: SelfClocked, Rests: []string{"B6", "E10", "E11", "S9"},
			Claim: "with probability at least 1 - " + late + " it converges within the rounds of S9 and no bin ever holds more than 1 + (" + most + " + " + fraction(c.LoadFactor) + ") ln n balls", Formula: fmt.Sprintf(`P[\max_{t,i} X^i_t \le 1 + (%s + %s) \ln n] \ge 1 - %s`, most, fraction(c.LoadFactor), late), Domain: "n >= 16, integer τ >= 4 ln n",
			Reason: "B6: in phase one no bin holds more than c = " + most + " ln n. If τ >= c nothing is overfull then, and nothing changes any more. Else phase two begins with Y^i <= c - τ, E10 bounds Y^i by that and a batched load from empty bins, and the repair of E12 bounds the batched load over all rounds of phase two. It fails with what S9 fails with, 1/n for B6 and 1/n for E12.",
			Check:  checkWholeLoads},
		{ID: "S12", Place: stronger + ", (g)", Process: SelfClocked, Rests: []string{"B2", "B5", "B6", "E10", "S2", "S5"},
			Claim: "for real τ a run converges within " + wholeRounds(c.RealAbsorption) + " rounds with probability at least 1 - " + failureText() + ", and with at least 1 - " + late + " no bin ever holds more than 1 + (" + most + " + " + fraction(c.RealLoadFactor) + ") ln n balls either", Domain: "n >= 16, real τ >= 4 ln n",
			Formula: `h \ge \frac{2 \ln n - 2}{4 \ln n - 2},\quad K \le \frac{2 n \ln n}{\lfloor\tau\rfloor}`,
			Reason:  "The process sees floor(τ) > 4 ln n - 1 only. Then h > (2 ln n - 2)/(4 ln n - 2), which rises in n and is above " + decimal(c.RealAbsorption) + " from n = 17 on; n = 16 is computed. S9 is as before. K may exceed n/2, so that E11 and E12's exponent fail; but K/n <= 2 ln n/floor(τ) < 2 ln n/(4 ln n - 1), which falls in n, allows the exponent " + decimal(c.RealRate) + ".",
			Check:   checkRealThreshold},
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

// checkPhaseTwoTail compares exact tails with the bound, the bound with Chernoff's,
// and the bound of package recycled with what is claimed.
func checkPhaseTwoTail(a *Audit) Finding {
	t, same := newTally(), newTally()
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
			h := ratio(len(loads)*threshold-sum(loads), len(loads)*(threshold-1))
			same.equal(round, constant(a.Constants.TailRounds).mul(integer(y)).div(h), len(loads))
			same.equal(probability, exp(constant(a.Constants.TailRate).mul(integer(y)).neg()), len(loads))
		}
	})
	chernoff := a.chernoffTail()
	f := Finding{Verdict: decide(t.holds(), chernoff.holds())}
	f.require(same.holds(), "recycled.PhaseTwoTailBound returns what S5 claims")
	f.Margin = fmt.Sprintf("0 %% in the limit of large y: Chernoff's exponent is above the claimed one by %s at y = %d", percent(chernoff.slack), chernoff.at[1])
	f.evidence("exact P[T2 > 2y/h] in %d cases of tiny systems: at least %s below the bound", t.cases, percent(t.slack))
	f.evidence("Chernoff's exponent, with c y/h rounds (c y - h - (y - 1))²/(2 (c y - h)), against the claimed one at c = %s: %d pairs of h = 1/64..1 and y = 1..2^20", decimal(a.Constants.TailRounds), chernoff.cases)
	if !chernoff.holds() {
		f.Counterexample = fmt.Sprintf("y = %d, h = %d/64: Chernoff's exponent is below the claimed one", chernoff.first[1], chernoff.first[0])
	}
	return f
}

// chernoffTail compares the claimed exponent of phase two's tail with Chernoff's:
// the mean of absorbed balls in floor(c y/h) rounds is above m = c y - h, and y - 1
// or fewer of them have probability at most exp(-(m - y + 1)²/(2 m)), which falls
// in m.
func (a *Audit) chernoffTail() *tally {
	t := newTally()
	for y := 1; y <= 1<<20; y *= 2 {
		claimed := constant(a.Constants.TailRate).mul(integer(y))
		for part := 1; part <= 64; part++ {
			mean := constant(a.Constants.TailRounds).mul(integer(y)).sub(ratio(part, 64))
			short := mean.sub(integer(y - 1))
			t.atMost(claimed, short.mul(short).div(integer(2).mul(mean)), part, y)
		}
	}
	return t
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
	collector, same := newTally(), newTally()
	for _, n := range a.Bins {
		threshold := a.threshold(n)
		claimed := integer(n).mul(exp(constant(a.Constants.NeverShift).sub(integer(threshold))))
		collector.atMost(integer(n).mul(ratio(n-1, n).pow(n*(threshold-1))), claimed, n, threshold)
		same.equal(recycled.NeverConvergesBound(n, threshold), claimed, n)
	}
	f := Finding{Verdict: decide(t.holds(), collector.holds()), Margin: "0 % in the limit of large n: " + collector.margin()}
	f.require(same.holds(), "recycled.NeverConvergesBound returns what S6 claims")
	if !collector.holds() {
		f.Counterexample = fmt.Sprintf("n = %d, τ = %d: n (1 - 1/n)^(n (τ - 1)) is above the bound", collector.first[0], collector.first[1])
	}
	f.evidence("n (1 - 1/n)^(n (τ - 1)) enclosed at the theorem's τ for %s", a.span())
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

// checkPhaseOneMean compares the exact mean with the bound, and the bound with the
// drift theorem's: 1/h(1) = n c and the integral, (1 - 1/n) n c, c = e/(e-1).
func checkPhaseOneMean(a *Audit) Finding {
	t, hit, same := newTally(), newTally(), newTally()
	drift := rational(a.Constants.PhaseOneFactor).Cmp(big.NewRat(2, 1)) >= 0 // 2 n - 1 is claimed or more
	e := exp(integer(1))
	scale := e.div(e.sub(integer(1)))
	claimed := func(n int) Interval { return constant(a.Constants.PhaseOneFactor).mul(integer(n)).sub(integer(1)) }
	for _, n := range []int{16, 64, 256, 1024} {
		rounds, _ := a.exactPhaseOne(n).Mean()
		t.atMost(relative(rounds, 1e-9), scale.mul(claimed(n)), n, 0)
	}
	for _, n := range a.Bins {
		// Both sides are 0 at j = 0 and the left one is concave in j: j = n is enough.
		hit.atMost(integer(1).sub(exp(integer(-1))), integer(1).sub(ratio(n-1, n).pow(n)), n, n)
		same.equal(recycled.PhaseOneRoundsBound(n), scale.mul(claimed(n)), n)
	}
	f := Finding{Verdict: decide(t.holds(), drift && hit.holds()), Margin: t.margin()}
	f.require(same.holds(), "recycled.PhaseOneRoundsBound returns what S8 claims")
	if !drift {
		f.Counterexample = "n = 16: 1/h(1) and the integral are 31 e/(e-1), above the bound"
	}
	f.evidence("exact E[T1] without a threshold, an upper bound with one, for n = 16, 64, 256, 1024")
	f.evidence("1/h(1) plus the integral of 1/h is (2 n - 1) e/(e-1), and 1 - (1 - 1/n)^n >= 1 - 1/e enclosed for %s", a.span())
	return f
}

// late encloses the probability that a run exceeds its rounds, as S9 bounds it: the
// coupon collector's n (1 - 1/n)^m at m = floor(2 n ln n), and phase two's tail at y
// = 2 n ln n + n.
func (a *Audit) late(n int) Interval {
	m := mustDecide(constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).floor())
	exponent := constant(a.Constants.TailRate).mul(a.balls(n))
	tail := Interval{0, exp(integer(-mostExp)).Hi}
	if exponent.Hi < mostExp {
		tail = exp(exponent.neg())
	}
	return integer(n).mul(ratio(n-1, n).pow(m)).add(tail)
}

// failure encloses the probability that S9 leaves.
func (a *Audit) failure(n int) Interval {
	return constant(a.Constants.Failure).mul(exp(constant(a.Constants.FailurePower).mul(a.log(n)).neg()))
}

// rounds encloses the rounds of a whole run, at an absorption.
func (a *Audit) rounds(n int, absorption float64) Interval {
	return a.balls(n).sub(integer(n)).add(constant(a.Constants.TailRounds).mul(a.balls(n)).div(constant(absorption)))
}

// checkWhole adds up the failures, compares the bound of package recycled with what
// is claimed, and measured runs with the bound.
func checkWhole(a *Audit) Finding {
	t, same := newTally(), newTally()
	for _, n := range a.Bins {
		t.atMost(a.late(n), a.failure(n), n, 0)
		rounds, failure, err := recycled.RoundsBound(n, a.threshold(n))
		if err != nil {
			panic(err) // n >= 16 and τ >= 4 ln n
		}
		same.equal(rounds, a.rounds(n, a.Constants.Absorption), n)
		same.equal(failure, a.failure(n), n)
	}
	f := Finding{Verdict: decide(true, t.holds())}
	f.require(same.holds(), "recycled.RoundsBound returns what S9 claims")
	if !t.holds() {
		f.Counterexample = fmt.Sprintf("n = %d: the failures add up to %.4g, above %.4g", t.first[0], t.firstSides[0].Lo, t.firstSides[1].Hi)
	}
	f.evidence("the coupon collector's failure and phase two's add up to at most %s of what is claimed for %s", percent(1-t.slack), a.span())
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

// checkWholeLoads adds up the failures of S9, B6 and E12, given that those of B6
// and E12 are 1/n, and checks that E12's repair gives that.
func checkWholeLoads(a *Audit) Finding {
	c := a.Constants
	f := Finding{}
	t := newTally()
	for _, n := range a.Bins {
		t.atMost(a.late(n).add(ratio(2, n)), constant(c.LoadFailure).div(integer(n)), n, 0)
	}
	a.requireUnion(&f, union{c.MaxLoadRate, c.UnionPower, c.LoadFactor, c.Absorption})
	f.Verdict = decide(true, t.holds() && len(f.Refuted) == 0)
	if f.Verdict != Holds {
		f.Counterexample = "the failures add up to more than is claimed"
	}
	for _, n := range []int{16, 256} {
		s, _, _ := measured(a, n, 1000)
		most := 1 + float64((c.FreshLoad+c.LoadFactor)*a.log(n).Lo)
		f.evidence("n = %d: the largest load of 1000 runs is %.0f, the bound %.1f", n, s.MaxLoadMax, most)
		f.Margin = fmt.Sprintf("the largest load of 1000 runs is %s of the bound at n = %d", percent(s.MaxLoadMax/most), n)
	}
	return f
}

// seen returns floor(4 ln n), which the process sees of the theorem's smallest τ.
func (a *Audit) seen(n int) int {
	return mustDecide(constant(a.Constants.Threshold).mul(a.log(n)).floor())
}

// checkRealThreshold repeats S4, E12 and S11 with floor(4 ln n), the smallest
// threshold that the process sees, for each n up to lastReal and those of the audit.
func checkRealThreshold(a *Audit) Finding {
	c := a.Constants
	f := Finding{}
	absorbed, rise, added := newTally(), newTally(), newTally()
	theta, beyondHalf, count := constant(c.RealRate), 0, 0
	least, most := 1.0, 0.0 // absorption and rate
	one := func(n int) {
		threshold := a.seen(n)
		absorption := integer(threshold).sub(a.balls(n).div(integer(n))).div(integer(threshold - 1))
		absorbed.atMost(constant(c.RealAbsorption), absorption, n, threshold)
		rate := a.balls(n).sub(integer(n)).div(integer(threshold)) // overfull bins at most
		least, most = min(least, absorption.Lo), max(most, rate.div(integer(n)).Hi)
		rise.atMost(rate.div(integer(n)).mul(exp(theta).sub(integer(1))), theta, n, threshold)
		added.atMost(a.late(n).add(ratio(2, n)), constant(c.LoadFailure).div(integer(n)), n, 0)
		if count++; 2*mustDecide(rate.floor()) > n {
			beyondHalf++
		}
	}
	for n := MinBins; n <= lastReal; n++ {
		one(n)
	}
	f.evidence("K <= n/2 is not given at %d of %d n in %d..%d with τ = floor(4 ln n)", beyondHalf, count, MinBins, lastReal)
	for _, n := range a.Bins {
		if n > lastReal {
			one(n)
		}
	}
	a.requireUnion(&f, union{c.RealRate, c.RealUnion, c.RealLoadFactor, c.RealAbsorption})
	f.Verdict = decide(absorbed.holds() && rise.holds(), added.holds() && len(f.Refuted) == 0)
	f.Margin = fmt.Sprintf("h is above %s by %s at n = %d, the exponent within %s of the largest possible at n = %d", decimal(c.RealAbsorption), percent(absorbed.slack), absorbed.at[0], percent(rise.slack), rise.at[0])
	if f.Verdict != Holds {
		f.Counterexample = fmt.Sprintf("n = %d, τ = floor(4 ln n) = %d", absorbed.first[0], absorbed.first[1])
	}
	f.evidence("h is at least %.4f and K/n at most %.4f, enclosed for each n in %d..%d and %s", least, most, MinBins, lastReal, a.span())
	a.measureReal(&f)
	return f
}

// measureReal runs the process at floor(4 ln 20) = 11, the n at which the fraction
// cut off is largest for its size.
func (a *Audit) measureReal(f *Finding) {
	const n, runs = 20, 1000
	threshold := a.seen(n)
	s, err := recycled.Simulate(context.Background(), recycled.Config{Bins: n, Threshold: threshold}, mc.Plan{Seed: auditSeed, Replicas: runs, Workers: 1})
	if err != nil {
		panic(err) // the configuration is this package's
	}
	bound := a.rounds(n, a.Constants.RealAbsorption).Lo
	if s.RoundsMax > bound || refuted(wilson(s.Replicas-s.Converged, s.Replicas), a.failure(n).Hi) {
		f.Verdict, f.Counterexample = False, fmt.Sprintf("n = %d, τ = %d: measured runs exceed the bound", n, threshold)
	}
	f.evidence("n = %d, τ = %d: of %d runs %d did not converge, the longest took %.0f of %.0f rounds, the largest load is %.0f of %.1f",
		n, threshold, runs, s.Replicas-s.Converged, s.RoundsMax, bound, s.MaxLoadMax, 1+float64((a.Constants.FreshLoad+a.Constants.RealLoadFactor)*a.log(n).Lo))
}
