package proofs

import (
	"fmt"
	"math"
)

// phaseOneSteps is the proof's first phase.
func phaseOneSteps() []Step {
	const place = "appendix B, first phase"
	most := decimal(PaperConstants().FreshLoad)
	dichotomy := Step{ID: "B3", Place: place, Lines: []int{800}, Process: SelfClocked, Rests: []string{"A3", "B2"},
		Claim: "either all bins are non-empty before m steps, or at least m fresh balls have been thrown by then", Domain: "m >= 1",
		Formula: `\min_i X^i_t = 0 \Rightarrow \text{round } t+1 \text{ throws a fresh ball}`,
		Reason:  "Every empty bin throws a fresh ball in every round, so m rounds with an empty bin have m fresh balls, after which no bin is empty with probability at least 1 - 1/n (B2, A3).",
		Check:   selfClockedFact(freshWhileEmpty)}
	rises := Step{ID: "B7", Place: place, Lines: []int{800}, Process: SelfClocked,
		Claim: "the number of balls in a bin only increases if it receives a fresh ball", Formula: `X^i_{t+1} \le X^i_t + \text{fresh}^i_{t+1}`, Domain: "always",
		Reason: "A ball that returns was removed from the same bin in the same round.",
		Check:  selfClockedFact(growsByFresh)}
	bounds := Step{ID: "B8", Place: place, Lines: []int{800}, Process: SelfClocked, Rests: []string{"B7"},
		Claim: "hence the number of received fresh balls bounds the number of balls in a bin", Formula: `X^i_t \le \sum_{s \le t} \text{fresh}^i_s`, Domain: "from empty bins",
		Reason: "Sum B7 over the rounds, from empty bins.",
		Check:  selfClockedFact(loadAtMostFresh)}
	unique := Step{ID: "B9", Place: place, Lines: []int{801, 802}, Process: SelfClocked, Rests: []string{"B5"},
		Claim: "as b > 2.4 ln n there is at most one ball per colour when the first phase ends", Formula: `2 n \ln n + n \le 2.4\, n \ln n \le b n`, Domain: "n >= 16, with probability at least 1 - 1/n",
		Reason:    "By B5 phase one throws at most 2 n ln n + n fresh balls, and that is at most 2.4 n ln n from n = 13 on: there is an unused colour for every fresh ball. (A ball that returns brings none.)",
		Constants: []string{"Coupon", "Colors"},
		Check:     checkEnoughColors}
	return []Step{
		{ID: "B1", Place: place, Lines: []int{796, 797, 798}, Process: SelfClocked,
			Claim: "a ball is fresh if it was thrown randomly; fresh balls go to independent uniform bins whatever happened before (implicit)", Domain: "always",
			Formula: `P[\text{fresh ball} \to i \mid \text{past}] = 1/n`,
			Reason:  "By definition of the process: a draw uses no earlier draw. How many there are in a round depends on the past, where they go does not. The same holds in round-robin.",
			Check:   checkFreshUniform},
		{ID: "B2", Place: place, Lines: []int{799}, Process: SelfClocked,
			Claim: "after m = 2 n ln n fresh balls every bin received one with probability 1 - 1/n (at least)", Formula: `n (1 - 1/n)^{m} \le 1/n`, Domain: "n >= 2, m rounded up",
			Reason:    "A union bound over the bins and (1 - 1/n)^m <= exp(-m/n) = n^-2: the exact probability of a miss is below 1/n, and as good as that for large n. m rounded down will do too, as (1 - 1/n)^m < exp(-m/n - m/(2 n²)) gains more than a ball.",
			Constants: []string{"Coupon"},
			Check:     checkCoupon},
		dichotomy,
		dichotomy.reading("A batch of colours that all remember throws nothing at random, whatever bins are empty.", "none for round-robin", robinFact(freshWhileEmpty)),
		{ID: "B5", Place: place, Lines: []int{800}, Process: SelfClocked, Rests: []string{"B2", "B3"},
			Claim: "phase one throws at most m + n fresh balls, with probability at least 1 - 1/n", Formula: `P[F > m + n] \le 1/n`, Domain: "n >= 2",
			Reason: "Count balls, not steps: a phase that ends before step m could still have thrown n balls a step. But before its last round some bin was not hit, so fewer than the coupon collector's G balls were thrown, and the last round throws at most n: F < G + n, with G <= m by B2.",
			Check:  checkFreshOfPhaseOne},
		{ID: "B6", Place: place, Lines: []int{800}, Process: SelfClocked,
			Claim: "a bin receives at most O(log n) fresh balls, by balls into bins with m + n balls", Formula: fmt.Sprintf(`n\,P[\mathrm{Bin}(\lfloor m+n \rfloor, 1/n) \ge %s \ln n] \le 1/n`, most), Domain: "n >= 16; " + most + " for the constant", Rests: []string{"B2", "B5"},
			Reason: "Chernoff: with u = 2 + 1/ln n and c = " + most + ", P <= exp(-ln n (c ln(c/u) - c + u)); the bracket rises as u falls and must be at least 2. [RaabSteger98] gives about 4.3 ln n with probability 1 - o(1): above the smallest τ, so bins do overflow.",
			Check:  checkMaxFresh},
		rises,
		rises.reading("Colours that remember one bin may have their turn in one round.", "none for round-robin", robinFact(growsByFresh)),
		bounds,
		bounds.reading("Remembered balls raise a load too.", "none for round-robin", robinFact(loadAtMostFresh)),
		unique,
		unique.reading("The first b n throws are of different colours, all at random, and leave no bin unhit; but a bin that was hit is soon empty again, so that a state without an empty bin, the text's end of phase one, comes after more rounds than b. By then balls at a place above b of their queue wait longer than their colour's turn. (If phase one ended when every bin had been hit once, the sentence would be true.)", "none for round-robin", robinFact(uniqueAfterPhaseOne)),
	}
}

// checkFreshUniform enumerates one round of a tiny system: all choices of the
// fresh balls occur, each once.
func checkFreshUniform(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact"}
	for _, s := range []setup{{SelfClocked, 3, 3, 0}, {RoundRobin, 3, 3, 2}} {
		y := newSystem(s)
		r, draws := y.remove()
		hits := make([]int, s.bins)
		runs := 0
		eachChoice(s.bins, draws, func(choice []int) {
			z, record := y.clone(), r.fork()
			z.throw(record, choice)
			for i, fresh := range record.fresh {
				hits[i] += fresh
			}
			runs++
		})
		for _, h := range hits {
			if h*s.bins != runs*draws {
				f.Verdict = False
			}
		}
		f.evidence("%v, %v: each bin is hit by 1/%d of the %d fresh balls of all first rounds", s.process, s, s.bins, runs*draws)
	}
	return f
}

// checkCoupon compares n (1 - 1/n)^m with 1/n, m = c n ln n rounded up and down.
func checkCoupon(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		m := mustDecide(constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).ceil())
		for _, whole := range []int{m, m - 1} {
			t.atMost(integer(n).mul(ratio(n-1, n).pow(whole)), ratio(1, n), n, 0)
		}
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("union bound enclosed, m rounded up and down, for %s: smallest slack %s at n = %d", a.span(), percent(t.slack), t.at[0])
	return f
}

// checkFreshOfPhaseOne compares the exact tail of the balls of phase one.
func checkFreshOfPhaseOne(a *Audit) Finding { return a.once("phase one", compareBalls) }

// compareBalls is checkFreshOfPhaseOne.
func compareBalls(a *Audit) Finding {
	t := newTally()
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		most := mustDecide(a.balls(n).floor())
		t.atMost(relative(a.exactPhaseOne(n).BallsTail(most), 1e-6), ratio(1, n), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("exact P[balls of phase one > 2 n ln n + n] (no threshold, an upper bound with one) for n = 16..1024: at most %s below 1/n", percent(t.slack))
	return f
}

// checkMaxFresh compares the union of binomial tails with 1/n.
func checkMaxFresh(a *Audit) Finding {
	t := newTally()
	factor := constant(a.Constants.FreshLoad)
	for _, n := range a.Bins {
		u := a.balls(n).div(integer(n)).div(a.log(n))
		// c ln(c/u) - c + u >= 2, by ln x = 2 artanh((x-1)/(x+1)) >= 2(x-1)/(x+1).
		x := factor.div(u)
		lower := integer(2).mul(x.sub(integer(1))).div(x.add(integer(1)))
		t.atMost(integer(2), factor.mul(lower).sub(factor).add(u), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("the exponent is at least 2 ln n for %s, and rises with n", a.span())
	f.evidence("%s", checkCollectorLoads(a))
	return f
}

// checkCollectorLoads says how large loads get, by the exact binomial tail.
func checkCollectorLoads(a *Audit) string {
	n := 1024
	balls := mustDecide(a.balls(n).floor())
	x := 0
	for integer(n).mul(binomialTail(n, balls, x)).Hi > 1/float64(n) {
		x++
	}
	return fmt.Sprintf("n = 1024: exactly, a bin gets %d = %.2f ln n fresh balls or more with probability below 1/n", x, float64(x)/math.Log(float64(n)))
}

// checkEnoughColors compares 2 n ln n + n with b n.
func checkEnoughColors(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		t.atMost(a.balls(n), constant(a.Constants.Colors).mul(integer(n)).mul(a.log(n)), n, 0)
	}
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence("2 n ln n + n <= 2.4 n ln n for %s, and for all n beyond, as 1/ln n falls", a.span())
	return f
}
