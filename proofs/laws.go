package proofs

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/elementary"
	"repslab/mc"
	"repslab/recycled"
)

// must returns v. It is for calls that cannot fail for the arguments of this package.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// exactPhaseOne returns the exact law of phase one, computed once.
func (a *Audit) exactPhaseOne(n int) *recycled.PhaseOne {
	if a.phaseOne[n] == nil {
		a.phaseOne[n] = must(recycled.NewPhaseOne(n))
	}
	return a.phaseOne[n]
}

// relative encloses a number known up to a relative error.
func relative(x, err float64) Interval {
	return outward(x-float64(math.Abs(x)*err), x+float64(math.Abs(x)*err))
}

// newChain returns the exact law of self-clocked from the given loads; nil is empty.
func newChain(bins, threshold int, loads []int) *recycled.Chain {
	return must(recycled.NewChain(recycled.Config{Bins: bins, Threshold: threshold}, loads))
}

// neverExactly returns P[a self-clocked run never converges], with an error below 1e-12.
func neverExactly(s setup) float64 { return newChain(s.bins, s.threshold, nil).Run().Never }

// beyondThreshold returns P[M > n τ at the end of phase one]. It enumerates the law of the explicit model
// until the remaining probability is below 1e-15.
func beyondThreshold(s setup) float64 {
	type weighted struct {
		state *system
		p     float64
	}
	now := []weighted{{newSystem(s), 1}}
	beyond := 0.0
	for left := 1.0; left > 1e-15; {
		var next []weighted
		index := map[string]int{}
		left = 0
		for _, w := range now {
			for state, record := range w.state.successors() {
				share := w.p / elementary.Pow(float64(s.bins), float64(sum(record.fresh)))
				if sum(record.after) > s.bins*s.threshold {
					beyond += share
					continue
				}
				if state.filled {
					continue
				}
				left += share
				key := state.key(false)
				at, ok := index[key]
				if !ok {
					at = len(next)
					index[key] = at
					next = append(next, weighted{state, 0})
				}
				next[at].p += share
			}
		}
		now = next
	}
	return beyond
}

// simulate runs replicas of a process, once for each configuration and number of runs.
func (a *Audit) simulate(cfg recycled.Config, runs uint64) recycled.Result {
	key := fmt.Sprintf("%+v, %d", cfg, runs)
	result, ok := a.runs[key]
	if !ok {
		plan := mc.Plan{Seed: auditSeed, Replicas: runs, Workers: 1}
		result = must(recycled.Simulate(context.Background(), cfg, plan))
		a.runs[key] = result
	}
	return result
}

// measured runs self-clocked at the theorem's threshold. It also returns the bound of the stronger
// theorem on the rounds, and the probability with which the bound may fail.
func measured(a *Audit, n int, runs uint64) (s recycled.Result, bound, failure float64) {
	bound, failure, err := recycled.RoundsBound(n, a.threshold(n))
	if err != nil {
		panic(err) // n >= 16 and τ >= 4 ln n
	}
	return a.simulate(recycled.Config{Bins: n, Threshold: a.threshold(n)}, runs), bound, failure
}
