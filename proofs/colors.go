package proofs

import (
	"fmt"
	"math/big"
)

// checkTwinsMeaning enumerates all runs of the tiny round-robin system: twins appear exactly when a
// colour is thrown while an older ball of it is in a bin.
func checkTwinsMeaning(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	late := fact{violated: func(y *system, r *round) bool {
		if !y.twins() {
			return false
		}
		counts := map[uint16]int{}
		for _, q := range y.queues {
			for _, c := range q {
				counts[c]++
			}
		}
		for _, t := range r.thrown {
			if counts[uint16(t.color)] > 1 {
				return false // an older ball of the colour was in a bin when it was thrown
			}
		}
		return !y.repeated
	}}
	r := enumerate(tinyRobin, late, 8, searchStates)
	if r.run != nil {
		f.fails("%s", r.text())
	}
	f.evidence("%v: all runs of %d rounds, %d states", r.setup, r.rounds, r.states)
	return f
}

// checkCubes compares exponents exactly: 5/4 b >= 3 ln n at b = 12/5 ln n.
func checkCubes(a *Audit) Finding {
	rate := times(rational(a.Constants.Lemma1Rate), rational(a.Constants.Colors))
	return Finding{
		Verdict: decide(rate.Cmp(rat(3, 1)) >= 0, true),
		Margin:  fmt.Sprintf("0 %% at b = 12/5 ln n: the exponent is %s ln n", rate.RatString()),
	}
}

// checkColorTail compares the tail at b with the bound, and finds the n from which the lemma applies.
func checkColorTail(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		bound := exp(constant(a.Constants.Lemma1Rate)).div(integer(n).pow(3))
		t.atMost(binomialTail(n, n, a.colors(n)), bound, n, a.colors(n))
	}
	whole, plain := 0, 0
	for n := 2; plain == 0; n++ {
		b := constant(a.Constants.Colors).mul(a.log(n))
		if whole == 0 && b.ceil() >= 16 {
			whole = n
		}
		if compare(constant(a.Constants.Lemma1From), b) == atMost {
			plain = n
		}
	}
	f := Finding{Verdict: decide(t.holds(), plain <= MinBins)}
	f.Margin = fmt.Sprintf("the exact tail is at most %s of the bound (n = %d); lemma 1 applies from n = %d with b = 2.4 ln n, from %d with b rounded up", percent(1-t.slack), t.at[0], plain, whole)
	f.Counterexample = fmt.Sprintf("the derivation at n = 16: x = b = %d < 16; the inequality there: %.3g <= %.3g", a.colors(16), binomialTail(16, 16, a.colors(16)).Hi, exp(constant(1.25)).div(integer(16).pow(3)).Lo)
	f.evidence("P[B >= ceil(2.4 ln n)] enclosed on %s", a.span())
	return f
}

// checkProduct checks n n^-from = n^-to.
func checkProduct(from, to int) func(*Audit) Finding {
	return func(*Audit) Finding {
		f := Finding{Verdict: Holds, Margin: "exact"}
		for n := 16; n <= 4096; n *= 2 {
			left := new(big.Rat).SetFrac(power(n, 1), power(n, from))
			if left.Cmp(new(big.Rat).SetFrac(power(n, 0), power(n, to))) != 0 {
				f.Verdict = False
			}
		}
		return f
	}
}

// checkAveraging finds a state of round-robin with a drift above the averaged bound, and shows that
// self-clocked has none.
func checkAveraging(a *Audit) Finding {
	bad := fact{violated: func(y *system, r *round) bool {
		return excess(r.after, y.threshold) > 0 && y.twins() && y.drift().Lo > 0
	}}
	r := shortestRun(bad)
	self := selfClockedFact(excessNeverRises)(a)
	f := Finding{Verdict: decide(self.Verdict == Holds, r.run == nil), Margin: "self-clocked: Y never rises in phase two"}
	if r.run != nil {
		f.Counterexample = "the derivation, a state with two balls of a colour and drift above 0: " + r.text()
	}
	f.Evidence = self.Evidence
	return f
}
