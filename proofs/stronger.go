package proofs

import (
	"fmt"
	"math"
	"slices"

	"repslab/recycled"
)

// stronger is the place of the stronger theorem.

// checkAbsorption compares h with the exact fraction of bins below τ, in every
// state of phase two of tiny systems.
func checkAbsorption(a *Audit) Finding {
	f := Finding{Verdict: Holds}
	least := math.Inf(1)
	for _, c := range []struct{ n, threshold int }{{2, 2}, {3, 3}, {4, 3}} {
		most := c.threshold * c.n
		for less := range choices(most, c.n) {
			balls, below := 0, 0
			for _, load := range less {
				balls += load + 1
				if load+1 < c.threshold {
					below++
				}
			}
			if balls > most {
				continue
			}
			h := float64(must(recycled.AbsorptionBound(c.n, c.threshold, balls)) * a.Constants.HoleShare)
			exact := float64(below) / float64(c.n)
			if exact < h-1e-12 {
				f.fails("loads less one %v, τ = %d", less, c.threshold)
			}
			if exact > 0 {
				least = min(least, (exact-h)/exact)
			}
		}
	}
	f.Margin = percent(max(0, least)) + " at least: equality where each bin below τ has one ball"
	f.evidence("every load vector of (n, τ) = (2, 2), (3, 3), (4, 3) without an empty bin")
	return f
}

// tinyPhaseTwo calls f with every load vector of phase two, in some tiny systems, that may converge and
// has an excess.
func tinyPhaseTwo(f func(threshold int, loads []int, chain *recycled.Chain)) {
	for _, c := range []struct{ n, threshold int }{{2, 2}, {2, 4}, {3, 3}, {4, 2}} {
		for less := range choices(c.n*c.threshold, c.n) {
			loads := make([]int, c.n)
			for i, load := range less {
				loads[i] = load + 1
			}
			descending := slices.IsSortedFunc(loads, func(a, b int) int { return b - a })
			if descending && sum(loads) < c.n*c.threshold && excess(loads, c.threshold) > 0 {
				f(c.threshold, loads, newChain(c.n, c.threshold, loads))
			}
		}
	}
}

// checkPhaseTwoMean compares exact means with Y0/h.
func checkPhaseTwoMean(*Audit) Finding {
	t := newTally()
	tinyPhaseTwo(func(threshold int, loads []int, chain *recycled.Chain) {
		bound := must(recycled.PhaseTwoRoundsBound(len(loads), threshold, sum(loads), excess(loads, threshold)))
		t.atMost(relative(chain.Run().RoundsMean, 1e-9), relative(bound, 1e-12), len(loads), threshold)
	})
	return t.finding("exact E[T2] from each of %d load vectors, n <= 4", t.cases)
}

// checkPhaseTwoTail compares exact tails with the bound, the bound with Chernoff's bound, and the bound
// of package recycled with the claim.
func checkPhaseTwoTail(a *Audit) Finding {
	t, same := newTally(), newTally()
	tinyPhaseTwo(func(threshold int, loads []int, chain *recycled.Chain) {
		limit := chain.Run()
		y0 := excess(loads, threshold)
		for y := y0; y <= y0+3; y++ {
			round, probability, err := recycled.PhaseTwoTailBound(len(loads), threshold, sum(loads), float64(y))
			if err != nil {
				panic(err) // cannot happen in the domain of this package
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
	f.Margin = fmt.Sprintf("0 %% in the limit of large y: %s at y = %d", percent(chernoff.slack), chernoff.at[1])
	f.evidence("exact P[T2 > 2y/h] from those load vectors, %d cases: at least %s below the bound", t.cases, percent(t.slack))
	f.evidence("Chernoff's exponent for c y/h rounds, (c y - h - (y - 1))²/(2 (c y - h)), at c = %s: %d pairs of h = 1/64..1 and y = 1..2^20", decimal(a.Constants.TailRounds), chernoff.cases)
	if !chernoff.holds() {
		f.Counterexample = fmt.Sprintf("y = %d, h = %d/64: Chernoff's exponent is below the claimed one", chernoff.first[1], chernoff.first[0])
	}
	return f
}

// chernoffTail compares the claimed exponent of phase two's tail with Chernoff's bound: the mean number
// of balls absorbed in floor(c y/h) rounds is above m = c y - h, and the probability of at most y - 1
// absorbed balls is at most exp(-(m - y + 1)²/(2 m)), which falls in m.
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
		real := constant(a.Constants.Threshold).mul(a.log(n)) // the smallest real τ, the worst case
		t.atMost(at, real.sub(a.balls(n).div(integer(n))).div(real.sub(integer(1))), n, 0)
	}
	return t.finding("enclosed on %s; rises to 1/2", a.span())
}

// checkNever compares the exact probability with n exp(1 - τ).
func checkNever(a *Audit) Finding {
	t := newTally()
	for _, c := range []setup{tinySystems[0], {SelfClocked, 2, 5, 0}, {SelfClocked, 3, 4, 0}, {SelfClocked, 4, 6, 0}} {
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
	f.evidence("n (1 - 1/n)^(n (τ - 1)) at τ = ceil(4 ln n) enclosed on %s", a.span())
	f.evidence("exact P[never] for (n, τ) = (2, 2), (2, 5), (3, 4), (4, 6), exact P[M > n τ] for n = 16, 64, 256, 1024")
	return f
}

// checkEventual compares n exp(1 - τ) with n^-ε at the smallest integer τ.
func checkEventual(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		for _, eps := range []int{1, 2, 3} { // ε = 1/2, 1, 3/2
			e := ratio(eps, 2)
			threshold := integer(1).add(e).mul(a.log(n)).add(constant(a.Constants.EventualSlack)).ceil()
			// n e^(1-τ) <= n^-ε, as exponents.
			t.atMost(a.log(n).add(integer(1)).sub(integer(threshold)), e.mul(a.log(n)).neg(), n, eps)
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: "0 % at real τ = (1 + ε) ln n + 1"}
	f.evidence("exponents at τ = ceil((1 + ε) ln n + 1), ε = 1/2, 1, 3/2, on %s", a.span())
	return f
}

// checkPhaseOneMean compares the exact mean with the bound, and the bound with the bound of the drift
// theorem: 1/h(1) = n c plus the integral, (1 - 1/n) n c, with c = e/(e-1).
func checkPhaseOneMean(a *Audit) Finding {
	t, hit, same := newTally(), newTally(), newTally()
	drift := rational(a.Constants.PhaseOneFactor).Cmp(rat(2, 1)) >= 0 // the claim is 2 n - 1 or more
	e := exp(integer(1))
	scale := e.div(e.sub(integer(1)))
	claimed := func(n int) Interval { return constant(a.Constants.PhaseOneFactor).mul(integer(n)).sub(integer(1)) }
	for _, n := range []int{16, 64, 256, 1024} {
		rounds, _ := a.exactPhaseOne(n).Mean()
		t.atMost(relative(rounds, 1e-9), scale.mul(claimed(n)), n, 0)
	}
	for _, n := range a.Bins {
		// Both sides are 0 at j = 0 and the left side is concave in j, so checking j = n is enough.
		hit.atMost(integer(1).sub(exp(integer(-1))), integer(1).sub(ratio(n-1, n).pow(n)), n, n)
		same.equal(recycled.PhaseOneRoundsBound(n), scale.mul(claimed(n)), n)
	}
	f := Finding{Verdict: decide(t.holds(), drift && hit.holds()), Margin: t.margin()}
	f.require(same.holds(), "recycled.PhaseOneRoundsBound returns what S8 claims")
	if !drift {
		f.Counterexample = "n = 16: 1/h(1) and the integral are 31 e/(e-1), above the bound"
	}
	f.evidence("exact E[T1] without a threshold, an upper bound, for n = 16, 64, 256, 1024")
	f.evidence("1/h(1) plus the integral is (2 n - 1) e/(e-1); 1 - (1 - 1/n)^n >= 1 - 1/e enclosed on %s", a.span())
	return f
}

// late encloses the bound of S9 on the probability that a run exceeds its rounds: the coupon collector's
// n (1 - 1/n)^m at m = floor(2 n ln n), plus phase two's tail at y = 2 n ln n + n.
func (a *Audit) late(n int) Interval {
	key := lateKey{n, a.Constants.Coupon, a.Constants.TailRate}
	chance, ok := a.tails[key]
	if !ok {
		chance = a.lateChance(n)
		a.tails[key] = chance
	}
	return chance
}

// lateKey holds the numbers on which lateChance depends.
type lateKey struct {
	n                int
	coupon, tailRate float64
}

// lateChance computes late.
func (a *Audit) lateChance(n int) Interval {
	m := constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).floor()
	exponent := constant(a.Constants.TailRate).mul(a.balls(n))
	tail := Interval{0, exp(integer(-mostExp)).Hi}
	if exponent.Hi < mostExp {
		tail = exp(exponent.neg())
	}
	return integer(n).mul(ratio(n-1, n).pow(m)).add(tail)
}

// failure encloses the probability with which S9 may fail.
func (a *Audit) failure(n int) Interval {
	return constant(a.Constants.Failure).mul(exp(constant(a.Constants.FailurePower).mul(a.log(n)).neg()))
}

// rounds encloses the bound on the rounds of a whole run with the given absorption.
func (a *Audit) rounds(n int, absorption float64) Interval {
	return a.balls(n).sub(integer(n)).add(constant(a.Constants.TailRounds).mul(a.balls(n)).div(constant(absorption)))
}

// checkWhole adds up the failure probabilities, compares the bound of package recycled with the claim,
// and compares measured runs with the bound.
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
	f.evidence("the failures add up to at most %s of the claim on %s", percent(1-t.slack), a.span())
	for _, n := range []int{16, 256} {
		s, bound, failure := measured(a, n, 1000)
		late := s.Replicas - s.Converged
		if s.RoundsMax > bound || refuted(wilson(late, s.Replicas), failure) {
			f.Verdict = False
		}
		f.evidence("n = %d: %d of 1000 runs did not converge (allowed %.0f); the longest took %.0f of %.0f rounds", n, late, 1000*failure, s.RoundsMax, bound)
		f.Margin = fmt.Sprintf("the longest of 1000 runs took %s of the bound at n = %d", percent(s.RoundsMax/bound), n)
	}
	return f
}

// checkWholeLoads adds up the failure probabilities of S9, B6 and E12, with 1/n each for B6 and E12, and
// checks that the repair of E12 gives 1/n.
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
		f.evidence("n = %d: largest load of 1000 runs %.0f, bound %.1f", n, s.MaxLoadMax, most)
		f.Margin = fmt.Sprintf("the largest load is %s of the bound at n = %d", percent(s.MaxLoadMax/most), n)
	}
	return f
}

// seen returns floor(4 ln n), the effective threshold of a process with the theorem's smallest real τ.
func (a *Audit) seen(n int) int {
	return constant(a.Constants.Threshold).mul(a.log(n)).floor()
}

// checkRealThreshold repeats S4, E12 and S11 with floor(4 ln n), the smallest effective threshold, for
// each n up to lastReal and for the n of the audit.
func checkRealThreshold(a *Audit) Finding {
	c := a.Constants
	f := Finding{}
	absorbed, rise, added := newTally(), newTally(), newTally()
	theta, beyondHalf, count := constant(c.RealRate), 0, 0
	growth := exp(theta).sub(integer(1))
	least, most := 1.0, 0.0 // absorption and rate
	add := func(n int) {
		threshold := a.seen(n)
		absorption := integer(threshold).sub(a.balls(n).div(integer(n))).div(integer(threshold - 1))
		absorbed.atMost(constant(c.RealAbsorption), absorption, n, threshold)
		rate := a.balls(n).sub(integer(n)).div(integer(threshold)) // most overfull bins
		least, most = min(least, absorption.Lo), max(most, rate.div(integer(n)).Hi)
		rise.atMost(rate.div(integer(n)).mul(growth), theta, n, threshold)
		added.atMost(a.late(n).add(ratio(2, n)), constant(c.LoadFailure).div(integer(n)), n, 0)
		if count++; 2*rate.floor() > n {
			beyondHalf++
		}
	}
	for n := MinBins; n <= lastReal; n++ {
		add(n)
	}
	f.evidence("K <= n/2 is not given at %d of %d n in %d..%d with τ = floor(4 ln n)", beyondHalf, count, MinBins, lastReal)
	for _, n := range a.Bins {
		if n > lastReal {
			add(n)
		}
	}
	a.requireUnion(&f, union{c.RealRate, c.RealUnion, c.RealLoadFactor, c.RealAbsorption})
	f.Verdict = decide(absorbed.holds() && rise.holds(), added.holds() && len(f.Refuted) == 0)
	f.Margin = fmt.Sprintf("h is above %s by %s at n = %d, the exponent within %s of the largest at n = %d", decimal(c.RealAbsorption), percent(absorbed.slack), absorbed.at[0], percent(rise.slack), rise.at[0])
	if f.Verdict != Holds {
		f.Counterexample = fmt.Sprintf("n = %d, τ = floor(4 ln n) = %d", absorbed.first[0], absorbed.first[1])
	}
	f.evidence("h >= %.4f and K/n <= %.4f, enclosed for n = %d..%d and %s", least, most, MinBins, lastReal, a.span())
	a.measureReal(&f)
	return f
}

// measureReal runs the process at n = 20 with the threshold floor(4 ln 20) = 11. At this n nearly a whole
// ball is cut off: 4 ln 20 = 11.98.
func (a *Audit) measureReal(f *Finding) {
	const n, runs = 20, 1000
	threshold := a.seen(n)
	s := a.simulate(recycled.Config{Bins: n, Threshold: threshold}, runs)
	bound := a.rounds(n, a.Constants.RealAbsorption).Lo
	if s.RoundsMax > bound || refuted(wilson(s.Replicas-s.Converged, s.Replicas), a.failure(n).Hi) {
		f.fails("n = %d, τ = %d: measured runs exceed the bound", n, threshold)
	}
	f.evidence("n = %d, τ = %d: %d of %d runs did not converge; the longest took %.0f of %.0f rounds, the largest load is %.0f of %.1f",
		n, threshold, s.Replicas-s.Converged, runs, s.RoundsMax, bound, s.MaxLoadMax, 1+float64((a.Constants.FreshLoad+a.Constants.RealLoadFactor)*a.log(n).Lo))
}

// checkSharp compares the bounds on P[never] that follow from S21 and S22 with exact chains. It requires
// that some bounds are neither 0 nor 1.
func checkSharp(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	useful := 0
	for _, c := range []setup{{SelfClocked, 3, 2, 0}, {SelfClocked, 6, 1, 0}, {SelfClocked, 8, 1, 0}, {SelfClocked, 6, 6, 0}} {
		lower, upper, err := recycled.NeverBounds(c.bins, c.threshold)
		never := must(neverExactly(c), err)
		if never < lower-1e-9 || never > upper+1e-9 {
			f.fails("n = %d, τ = %d: P[never] = %v is not in [%v, %v]", c.bins, c.threshold, never, lower, upper)
		}
		if lower > 0 || upper < 1 {
			useful++
		}
	}
	f.require(useful > 1, "some bounds are neither 0 nor 1")
	f.evidence("exact P[never] for (n, τ) = (3, 2), (6, 1), (8, 1), (6, 6) is between recycled.NeverBounds")
	return f
}
