package proofs

import (
	"math"
)

// checkFreshUniform enumerates one round of a tiny system: each choice of the fresh balls occurs once.
func checkFreshUniform(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	f.evidence("share of the fresh balls of all first rounds that hit each bin")
	for _, s := range []setup{{SelfClocked, 3, 3, 0}, {RoundRobin, 3, 3, 2}} {
		hits := make([]int, s.bins)
		for _, r := range newSystem(s).successors() {
			for i, fresh := range r.fresh {
				hits[i] += fresh
			}
		}
		balls := sum(hits)
		for _, h := range hits {
			if h*s.bins != balls {
				f.Verdict = False
			}
		}
		f.evidence("%v, %v: 1/%d of %d", s.process, s, s.bins, balls)
	}
	return f
}

// checkCoupon compares n (1 - 1/n)^m with 1/n, m = c n ln n rounded up and down.
func checkCoupon(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		m := constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).ceil()
		for _, whole := range []int{m, m - 1} {
			t.atMost(integer(n).mul(ratio(n-1, n).pow(whole)), ratio(1, n), n, 0)
		}
	}
	return t.finding("union bound enclosed, m rounded up and down, on %s", a.span())
}

// checkFreshOfPhaseOne compares the exact tail of the balls of phase one with 1/n.
func checkFreshOfPhaseOne(a *Audit) Finding {
	t := newTally()
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		most := a.balls(n).floor()
		t.atMost(relative(a.exactPhaseOne(n).BallsTail(most), 1e-6), ratio(1, n), n, 0)
	}
	return t.finding("exact P[balls of phase one > 2 n ln n + n] without a threshold, an upper bound, for n = 16..1024")
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
	f := t.finding("the exponent is at least 2 ln n on %s, and rises with n", a.span())
	// How large loads get, by the exact binomial tail.
	const n = 1024
	balls := a.balls(n).floor()
	x := 0
	for integer(n).mul(binomialTail(n, balls, x)).Hi > 1/float64(n) {
		x++
	}
	f.evidence("exactly, a bin gets %d = %.2f ln n fresh balls or more with probability below 1/n at n = %d", x, float64(x)/math.Log(n), n)
	return f
}

// checkEnoughColors compares 2 n ln n + n with b n.
func checkEnoughColors(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		t.atMost(a.balls(n), constant(a.Constants.Colors).mul(integer(n)).mul(a.log(n)), n, 0)
	}
	return t.finding("2 n ln n + n <= 2.4 n ln n on %s, and beyond, as 1/ln n falls", a.span())
}
