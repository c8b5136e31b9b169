package proofs

import (
	"fmt"
	"math/big"
)

// colorSteps is the paragraph about balls of one colour. Self-clocked has no
// colours, so its process steps are about round-robin.
func colorSteps() []Step {
	const place = "appendix B, more than one ball per colour"
	at := []int{840, 841}
	return []Step{
		{ID: "D1r", Place: place, Lines: at, Process: RoundRobin,
			Claim: "two balls have one colour only if a ball is not removed before the next ball of its colour is thrown", Domain: "always",
			Formula: `\text{two of colour } c \Rightarrow \text{the older is still in its bin}`,
			Reason:  "What it means for two balls to be in the bins together.",
			Check:   checkTwinsMeaning},
		{ID: "D2r", Place: place, Lines: at, Process: RoundRobin,
			Claim: "this happens if (and only if, as used) more than b balls arrive in the same bin in the same step as the ball", Domain: "n >= 16, b >= 2.4 ln n",
			Formula: `\text{waiting time} = \text{place in the queue}`,
			Reason:  "A ball waits for all that are ahead of it, whenever they came. A long queue delays a ball that arrives alone; and the first of many arrivals need not wait at all.",
			Repair:  "it happens if and only if the ball is at place more than b of its queue: bound the load, not the arrivals",
			Check:   robinFact(twinsNeedCrowd)},
		{ID: "D3r", Place: place + " (implicit)", Lines: at, Process: RoundRobin,
			Claim: "the arrivals of a step in a bin are binomial with parameters n and 1/n", Domain: "every step",
			Formula: `\text{arrivals} \sim \mathrm{Bin}(n, 1/n)`,
			Reason:  "Colours that remember do not throw at random; many may remember one bin.",
			Repair:  "binomial for the fresh balls alone",
			Check:   robinFact(binomialArrivals)},
		{ID: "D4", Place: place, Lines: at, Process: NoProcess,
			Claim: "e^(-5/4 (b - 1)) <= e^(5/4)/n³ as b >= 12/5 ln n", Formula: `e^{-\frac54(b-1)} \le e^{5/4} n^{-3}`, Domain: "b >= 12/5 ln n, n >= 1",
			Reason:    "5/4 times 12/5 is 3.",
			Constants: []string{"Colors", "Lemma1Rate"},
			Check:     checkCubes},
		{ID: "D5", Place: place, Lines: at, Process: NoProcess,
			Claim: "a binomial (n, 1/n) number is b or more with probability at most e^(5/4)/n³, by lemma 1", Formula: `P[B \ge b] \le e^{5/4} n^{-3}`, Domain: "n >= 16, b >= 12/5 ln n",
			Reason: "Lemma 1 is stated for x >= 16, and b = 2.4 ln n is that only from n = 786 on (b = ceil(2.4 ln n) from 519 on). The inequality holds for every n >= 16: P[B >= x] <= C(n, x)/n^x <= 1/x! <= e^(-5/4 (x-1)) for every integer x >= 6.",
			Repair: "lemma 1 holds for every x: drop its condition",
			Check:  checkColorTail},
		{ID: "D6", Place: place, Lines: at, Process: NoProcess,
			Claim: "by a union bound over a batch the probability is at most e^(5/4)/n²", Formula: `n \cdot e^{5/4} n^{-3} = e^{5/4} n^{-2}`, Domain: "given the bound for each ball",
			Reason: "n balls in a batch. (The bound is then of the batch thrown, not of all b n colours, and summed over O(n ln n) rounds it is O(ln n/n), as E8 says.)",
			Check:  checkProduct(3, 2)},
		{ID: "D6r", Place: place, Lines: at, Process: RoundRobin,
			Claim: "the probability that any colour in a batch has more than one ball is at most e^(5/4)/n²", Formula: `P[\text{two of a colour}] \le e^{5/4} n^{-2}`, Domain: "n >= 16, b >= 2.4 ln n",
			Reason: "It rests on D2r and D3r.",
			Repair: "none for round-robin: within 4 b rounds it happened in every run computed",
			Check:  robinRepeats},
		{ID: "D7", Place: place, Lines: at, Process: SelfClocked,
			Claim: "the drift is bounded by n", Formula: `Y_{t+1} - Y_t \le n`, Domain: "always",
			Reason: "At most n balls are thrown and each adds at most one; so it is in round-robin. In phase two it is at most 0 (S1).",
			Check:  selfClockedFact(excessRisesByN)},
		{ID: "D8", Place: place, Lines: at, Process: NoProcess,
			Claim: "so the contribution of this case to the expected drift is at most e^(5/4)/n", Formula: `n \cdot e^{5/4} n^{-2} = e^{5/4} n^{-1}`, Domain: "given D6, D7",
			Reason: "The product.",
			Check:  checkProduct(2, 1)},
		{ID: "D9", Place: place + " (implicit)", Lines: []int{841, 842, 843}, Process: SelfClocked,
			Claim: "an average over both cases is a drift that the drift theorem may use", Formula: `E[Y_{t+1} - Y_t \mid \mathcal F_t] \le -\delta \text{ in every state with } Y_t > 0`, Domain: "phase two",
			Reason: "The theorem needs the bound in every state, given the past. Whether two balls have one colour is part of the state, and lasts: it cannot be averaged away. In self-clocked there are no colours and the bound of C20 and C21 alone stands in every state, so that the conclusion holds.",
			Repair: "drop the case: in self-clocked it does not arise",
			Check:  checkAveraging},
	}
}

// checkTwinsMeaning looks at all runs of tiny round-robin: twins appear exactly
// when a colour is thrown whose ball is in a bin.
func checkTwinsMeaning(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "none: it is exact"}
	late := fact{name: "twins only if the older is still there", violated: func(y *system, r *round) bool {
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
				return false // its older ball was there when it was thrown
			}
		}
		return !y.repeated
	}}
	r := enumerate(tinyRobin(), late, 8, searchStates)
	if r.run != nil {
		f.Verdict, f.Counterexample = False, r.text()
	}
	f.evidence("%v: all runs of %d rounds, %d states", r.setup, r.rounds, r.states)
	return f
}

// checkCubes compares exponents exactly: 5/4 b >= 3 ln n at b = 12/5 ln n.
func checkCubes(a *Audit) Finding {
	rate := new(big.Rat).Mul(rational(a.Constants.Lemma1Rate), rational(a.Constants.Colors))
	return Finding{
		Verdict: decide(rate.Cmp(big.NewRat(3, 1)) >= 0, true),
		Margin:  fmt.Sprintf("0 %% at b = 12/5 ln n: the exponent is %s ln n", rate.RatString()),
	}
}

// checkColorTail compares the tail at b with the bound, and finds from which n
// the lemma applies.
func checkColorTail(a *Audit) Finding {
	t := newTally()
	for _, n := range a.Bins {
		bound := exp(constant(a.Constants.Lemma1Rate)).div(integer(n).pow(3))
		t.atMost(binomialTail(n, n, a.colors(n)), bound, n, a.colors(n))
	}
	whole, plain := 0, 0
	for n := 2; plain == 0; n++ {
		b := constant(a.Constants.Colors).mul(a.log(n))
		if whole == 0 && mustDecide(b.ceil()) >= 16 {
			whole = n
		}
		if compare(constant(a.Constants.Lemma1From), b) == atMost {
			plain = n
		}
	}
	f := Finding{Verdict: decide(t.holds(), plain <= MinBins)}
	f.Margin = fmt.Sprintf("the exact tail is at most %s of the bound (n = %d); lemma 1 applies exactly from n = %d on with b = 2.4 ln n, from %d with b rounded up", percent(1-t.slack), t.at[0], plain, whole)
	f.Counterexample = fmt.Sprintf("the derivation at n = 16: x = b = %d < 16; the inequality there: %.3g <= %.3g", a.colors(16), binomialTail(16, 16, a.colors(16)).Hi, exp(constant(1.25)).div(integer(16).pow(3)).Lo)
	f.evidence("P[B >= ceil(2.4 ln n)] enclosed for %s", a.span())
	return f
}

// checkProduct checks n n^-from = n^-to.
func checkProduct(from, to int) func(*Audit) Finding {
	return func(*Audit) Finding {
		f := Finding{Verdict: Holds, Margin: "none: it is exact"}
		for n := 16; n <= 4096; n *= 2 {
			left := new(big.Rat).Mul(big.NewRat(int64(n), 1), new(big.Rat).SetFrac(big.NewInt(1), power(n, from)))
			if left.Cmp(new(big.Rat).SetFrac(big.NewInt(1), power(n, to))) != 0 {
				f.Verdict = False
			}
		}
		return f
	}
}

// checkAveraging shows a state whose drift is above the averaged bound in
// round-robin, and that self-clocked has none.
func checkAveraging(a *Audit) Finding {
	bad := fact{name: "drift at most 0 where colours repeat", violated: func(y *system, r *round) bool {
		return excess(r.after, y.threshold) > 0 && y.twins() && y.drift().Lo > 0
	}}
	r := enumerate(tinyRobin(), bad, searchRounds, searchStates)
	self := selfClockedFact(excessNeverRises)(a)
	f := Finding{Verdict: decide(self.Verdict == Holds, r.run == nil), Margin: "self-clocked: Y never rises in phase two"}
	if r.run != nil {
		f.Counterexample = "the derivation, a state with two balls of a colour whose expected drift is above 0: " + r.text()
	}
	f.Evidence = self.Evidence
	return f
}
