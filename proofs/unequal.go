package proofs

import (
	"fmt"
	"math/big"
	"slices"
)

// unequalLaw is the exact law of the loads of a self-clocked process from empty bins in which
// port i serves in rounds divisible by every[i].
type unequalLaw struct {
	threshold int
	every     []int
	round     int
	states    map[string]unequalState
}

// unequalState is a load vector with its probability.
type unequalState struct {
	loads       []int
	probability *big.Rat
}

// newUnequalLaw returns the law before the first round.
func newUnequalLaw(threshold int, every []int) *unequalLaw {
	l := &unequalLaw{threshold: threshold, every: every}
	l.put(make([]int, len(every)), rat(1, 1))
	return l
}

// put adds probability to a state.
func (l *unequalLaw) put(loads []int, p *big.Rat) {
	key := fmt.Sprint(loads)
	if l.states == nil {
		l.states = map[string]unequalState{}
	}
	s, known := l.states[key]
	if !known {
		s = unequalState{slices.Clone(loads), new(big.Rat)}
		l.states[key] = s
	}
	s.probability.Add(s.probability, p)
}

// step runs a round. States with more than n τ balls never converge, so they are merged.
func (l *unequalLaw) step() {
	before := l.states
	l.round++
	l.states = nil
	for _, s := range before {
		loads, draws := slices.Clone(s.loads), 0
		for i, load := range s.loads {
			if l.round%l.every[i] != 0 || load > 0 && load <= l.threshold {
				continue
			}
			if draws++; load > 0 {
				loads[i]--
			}
		}
		if sum(loads)+draws > len(loads)*l.threshold {
			l.put(slices.Repeat([]int{l.threshold + 1}, len(loads)), s.probability)
			continue
		}
		p := new(big.Rat).Set(s.probability)
		for range draws {
			p.Mul(p, rat(1, len(loads)))
		}
		for choice := range choices(len(loads), draws) {
			after := slices.Clone(loads)
			for _, bin := range choice {
				after[bin]++
			}
			l.put(after, p)
		}
	}
}

// open returns the probability that the run has not converged.
func (l *unequalLaw) open() *big.Rat {
	p := new(big.Rat)
	for _, s := range l.states {
		if slices.Min(s.loads) == 0 || slices.Max(s.loads) > l.threshold {
			p.Add(p, s.probability)
		}
	}
	return p
}

// unequalBound returns n (1 - 1/n)^m + 2^(m+n) (1 - h/2)^t.
func unequalBound(n, threshold, m, t int) *big.Rat {
	late := minus(rat(1, 1), rat(n*threshold-m-n, 2*n*(threshold-1)))
	bound, second := rat(n, 1), rat(1, 1)
	for range m {
		bound.Mul(bound, rat(n-1, n))
	}
	for range m + n {
		second.Mul(second, rat(2, 1))
	}
	for range t {
		second.Mul(second, late)
	}
	return bound.Add(bound, second)
}

// checkUnequal compares the exact law of small systems with the bound, in fractions, for every m and a
// few t. It requires that the bound is below 1 in some cases.
func checkUnequal(*Audit) Finding {
	f := Finding{Verdict: Holds}
	cases, useful := 0, 0
	for _, c := range []struct {
		threshold int
		every     []int
	}{{4, []int{1, 2}}, {6, []int{3, 1}}, {6, []int{2, 2}}, {3, []int{1, 2, 2}}} {
		n, s := len(c.every), slices.Max(c.every)
		law := newUnequalLaw(c.threshold, c.every)
		most := n*c.threshold - n - 1
		for blocks := 1; blocks <= 60; blocks++ {
			for range s {
				law.step()
			}
			open := law.open()
			for m := 1; m <= min(most, blocks); m++ {
				bound := unequalBound(n, c.threshold, m, blocks-m)
				if cases++; open.Cmp(bound) > 0 {
					f.fails("τ = %d, ports %v, m = %d, t = %d", c.threshold, c.every, m, blocks-m)
				}
				if bound.Cmp(rat(1, 1)) < 0 {
					useful++
				}
			}
		}
	}
	if f.Verdict == Holds && useful == 0 {
		f.fails("no bound is below 1")
	}
	f.Margin = "exact"
	f.evidence("fractions: %d bounds of four schedules of 2 or 3 ports, %d of them below 1", cases, useful)
	return f
}
