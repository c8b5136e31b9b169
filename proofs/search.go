package proofs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/mc"
)

// fact is a sentence about the process, given by the rounds that refute it. violated sees a round and the
// state after it.
type fact struct {
	violated func(*system, *round) bool
	fresh    bool // the fact depends on the fresh balls that bins received
	// allowed is the probability of a violation that the claim allows at the theorem's smallest n; 0 if
	// it allows none.
	allowed float64
}

// found is the outcome of an exhaustive search.
type found struct {
	setup  setup
	states int      // distinct states seen
	rounds int      // all runs of up to this many rounds were enumerated
	run    []*round // the shortest run that violates the fact; nil if there is none
	closed bool     // the search reached every state that it may reach
}

// enumerate goes through all runs from empty bins in the order of their length, up to a number of rounds
// and of states, and ends at the first run that violates the fact. It does not follow runs with more than
// n τ + n balls, which are certified.
func enumerate(s setup, f fact, rounds, most int) found {
	type node struct {
		state *system
		run   []*round
	}
	result := found{setup: s}
	level := []node{{state: newSystem(s)}}
	seen := map[string]bool{level[0].state.key(f.fresh): true}
	for result.rounds = 0; result.rounds < rounds && len(level) > 0; result.rounds++ {
		var next []node
		for _, at := range level {
			for state, record := range at.state.successors() {
				run := append(slices.Clip(at.run), record)
				if f.violated(state, record) {
					result.states, result.run = len(seen), run
					return result
				}
				key := state.key(f.fresh)
				if !seen[key] && sum(record.after) <= s.bins*s.threshold+s.bins {
					seen[key] = true
					next = append(next, node{state, run})
				}
			}
			if len(seen) > most {
				result.states = len(seen)
				return result
			}
		}
		level = next
	}
	result.states, result.closed = len(seen), len(level) == 0
	return result
}

// sum adds up.
func sum(list []int) int {
	total := 0
	for _, v := range list {
		total += v
	}
	return total
}

// text prints a run from empty bins: for every round the throws colour→bin, with a
// star if random, and the loads after it.
func (f found) text() string {
	var rounds []string
	for _, r := range f.run {
		var s strings.Builder
		for _, w := range r.thrown {
			if w.color >= 0 {
				fmt.Fprint(&s, w.color)
			}
			fmt.Fprintf(&s, "→%d", w.bin)
			if w.fresh {
				s.WriteByte('*')
			}
			s.WriteByte(' ')
		}
		rounds = append(rounds, s.String()+fmt.Sprint(r.after))
	}
	return fmt.Sprintf("%v: %s", f.setup, strings.Join(rounds, "; "))
}

// share estimates by Monte Carlo the share of runs, each of at most the given rounds, that violate the
// fact. Run r draws from the stream (auditSeed, Algorithm, r).
func share(s setup, f fact, runs, rounds int) mc.Estimate {
	violated := uint64(0)
	for r := range runs {
		rng := mc.NewStream(auditSeed, mc.Algorithm, uint64(r)).Rand()
		y := newSystem(s)
		for range rounds {
			record, draws := y.remove()
			choices := make([]int, draws)
			for i := range choices {
				choices[i] = int(rng.Below(uint64(s.bins)))
			}
			y.throw(record, choices)
			if f.violated(y, record) {
				violated++
				break
			}
		}
	}
	return mc.Proportion(violated, uint64(runs), mc.DefaultConfidence)
}

// refuted reports whether runs refute, with confidence 1 - 1e-9, a claim that a violation has probability
// at most bound: under the bound, as many violations or more have a probability below 1e-9 (Chernoff's
// bound with the relative entropy).
func refuted(e mc.Estimate, bound float64) bool {
	p := e.Value
	if !(p > bound) {
		return false
	}
	if bound == 0 {
		return true
	}
	entropy := float64(p * math.Log(p/bound))
	if p < 1 {
		entropy += float64((1 - p) * math.Log((1-p)/(1-bound)))
	}
	return float64(e.N)*entropy > math.Log(1e9)
}
