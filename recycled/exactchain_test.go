package recycled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// mustRun returns the limit of a chain from empty bins.
func mustRun(t *testing.T, bins, threshold int) ChainLimit {
	t.Helper()
	c, err := NewChain(Config{Bins: bins, Threshold: threshold}, nil)
	if err != nil {
		t.Fatal(err)
	}
	limit := c.Run()
	if limit.Undecided > 1e-15 || math.Abs(limit.Never+sum(limit.Converged)-1) > 1e-12 {
		t.Errorf("n=%d threshold %d: never %v, converged %v, undecided %v", bins, threshold, limit.Never, sum(limit.Converged), limit.Undecided)
	}
	return limit
}

func sum(xs []float64) float64 {
	var total float64
	for _, x := range xs {
		total += x
	}
	return total
}

// TestChainAgainstReference compares P[never] with an independent computation, to
// the digits it is given to.
func TestChainAgainstReference(t *testing.T) {
	for _, c := range []struct {
		bins, threshold int
		never, digit    float64
	}{{2, 2, 1.0 / 16, 1e-15}, {2, 3, 1.0 / 128, 1e-15}, {3, 2, 0.139460, 5e-7}, {4, 2, 0.207296, 5e-7}, {4, 4, 0.00511633, 5e-9}} {
		if got := mustRun(t, c.bins, c.threshold).Never; math.Abs(got-c.never) > c.digit {
			t.Errorf("n=%d threshold %d: P[never] = %v, want %v", c.bins, c.threshold, got, c.never)
		}
	}
}

// rationalChain is the chain over ordered load vectors, thrown by enumerating
// all fates of all balls, in rational numbers.
type rationalChain struct {
	bins, threshold int
	index           map[string]int
	next            []map[int]*big.Rat // of the undecided states
	converged       []*big.Rat         // P[the next state is converged]
}

func (r *rationalChain) add(loads []int) int {
	key := fmt.Sprint(loads)
	if at, ok := r.index[key]; ok {
		return at
	}
	at := len(r.next)
	r.index[key] = at
	r.next = append(r.next, map[int]*big.Rat{})
	r.converged = append(r.converged, new(big.Rat))
	served, throws := slices.Clone(loads), 0
	for i, load := range loads {
		if load == 0 {
			throws++
		} else if load > r.threshold {
			served[i]--
			throws++
		}
	}
	share := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(int64(r.bins)), big.NewInt(int64(throws)), nil))
	var throw func(left int)
	throw = func(left int) {
		if left > 0 {
			for i := range served {
				served[i]++
				throw(left - 1)
				served[i]--
			}
			return
		}
		balls := 0
		for _, load := range served {
			balls += load
		}
		switch {
		case slices.Min(served) > 0 && slices.Max(served) <= r.threshold:
			r.converged[at].Add(r.converged[at], share)
		case balls <= r.bins*r.threshold:
			to := r.add(slices.Clone(served))
			if r.next[at][to] == nil {
				r.next[at][to] = new(big.Rat)
			}
			r.next[at][to].Add(r.next[at][to], share)
		}
	}
	throw(throws)
	return at
}

// solve returns x with x_s = right_s + sum over s' of P(s, s') x_s', by Gaussian
// elimination.
func (r *rationalChain) solve(right []*big.Rat) []*big.Rat {
	n := len(right)
	rows := make([][]*big.Rat, n)
	for s := range rows {
		rows[s] = make([]*big.Rat, n+1)
		for to := range n {
			rows[s][to] = new(big.Rat)
			if p := r.next[s][to]; p != nil {
				rows[s][to].Neg(p)
			}
		}
		rows[s][s].Add(rows[s][s], big.NewRat(1, 1))
		rows[s][n] = new(big.Rat).Set(right[s])
	}
	for pivot := range n {
		scale := new(big.Rat).Inv(rows[pivot][pivot])
		for to := pivot; to <= n; to++ {
			rows[pivot][to].Mul(rows[pivot][to], scale)
		}
		for s := range n {
			if s == pivot || rows[s][pivot].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Set(rows[s][pivot])
			for to := pivot; to <= n; to++ {
				if rows[pivot][to].Sign() != 0 {
					rows[s][to].Sub(rows[s][to], new(big.Rat).Mul(factor, rows[pivot][to]))
				}
			}
		}
	}
	x := make([]*big.Rat, n)
	for s := range x {
		x[s] = rows[s][n]
	}
	return x
}

// TestChainAgainstRationals: both limits for the smallest chains, solved exactly.
func TestChainAgainstRationals(t *testing.T) {
	for _, c := range []struct{ bins, threshold int }{{1, 1}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 1}, {3, 2}} {
		r := &rationalChain{bins: c.bins, threshold: c.threshold, index: map[string]int{}}
		r.add(make([]int, c.bins))
		converges := r.solve(r.converged)
		// E[rounds; converges] from s = P[converges from s] + sum of P(s, s') E[...].
		rounds := r.solve(converges)
		never, _ := new(big.Rat).Sub(big.NewRat(1, 1), converges[0]).Float64()
		mean, _ := new(big.Rat).Quo(rounds[0], converges[0]).Float64()
		got := mustRun(t, c.bins, c.threshold)
		t.Logf("n=%d threshold %d: %d ordered states, P[never] = %v = %.12g, E[rounds | converges] = %.12g", c.bins, c.threshold, len(r.next), new(big.Rat).Sub(big.NewRat(1, 1), converges[0]), never, mean)
		if math.Abs(got.Never-never) > 1e-14 || math.Abs(got.RoundsMean-mean) > 1e-12*mean {
			t.Errorf("n=%d threshold %d: never %v, rounds %v, want %v and %v", c.bins, c.threshold, got.Never, got.RoundsMean, never, mean)
		}
	}
}

// TestChainAgainstSimulation: both limits, with 40,000 replicas.
func TestChainAgainstSimulation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ bins, threshold int }{{4, 2}, {4, 4}, {5, 5}, {6, 3}, {8, 3}} {
		want := mustRun(t, c.bins, c.threshold)
		const replicas = 40_000
		got, err := Simulate(context.Background(), Config{Bins: c.bins, Threshold: c.threshold, MaxRounds: 100_000}, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("n=%d threshold %d: ", c.bins, c.threshold)
		t.Logf("%sP[never] = %.9g, E[rounds | converges] = %.9g", name, want.Never, want.RoundsMean)
		share := mc.Estimate{Value: float64(got.Certified) / replicas, StdErr: math.Sqrt(want.Never * (1 - want.Never) / replicas), N: replicas}
		mctest.Agree(t, name+"share that never converges", share, want.Never, 0, 0)
		mctest.Agree(t, name+"rounds", got.Rounds, want.RoundsMean, 0, 0)
	}
}

// TestChainBeginsAnywhere: from given loads in any order, decided ones included.
func TestChainBeginsAnywhere(t *testing.T) {
	cfg := Config{Bins: 2, Threshold: 2}
	for _, c := range []struct {
		loads  []int
		never  float64
		rounds float64
	}{
		{[]int{1, 2}, 0, 0},          // converged
		{[]int{5, 0}, 1, math.NaN()}, // too many balls
		{[]int{1, 3}, 0, 2},          // one ball, absorbed with probability 1/2
		{[]int{3, 1}, 0, 2},          // the same
		// A hit converges at once. A miss gives (0, 3), and then with 1/4, 1/2, 1/4
		// (2, 2), converged; (1, 3), two more rounds; (0, 4), certified a round later.
		{[]int{0, 2}, 1.0 / 8, 2},
	} {
		chain, err := NewChain(cfg, c.loads)
		if err != nil {
			t.Fatal(err)
		}
		limit := chain.Run()
		if math.Abs(limit.Never-c.never) > 1e-14 || !(math.Abs(limit.RoundsMean-c.rounds) < 1e-12 || math.IsNaN(c.rounds) && math.IsNaN(limit.RoundsMean)) {
			t.Errorf("from %v: never %v, rounds %v, want %v, %v", c.loads, limit.Never, limit.RoundsMean, c.never, c.rounds)
		}
	}
}

// TestChainRunsOn: after some rounds a chain has the limits of a fresh one.
func TestChainRunsOn(t *testing.T) {
	want := mustRun(t, 3, 3)
	for _, rounds := range []int{1, 4, 1000} {
		chain, err := NewChain(Config{Bins: 3, Threshold: 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range rounds {
			chain.Step()
		}
		got := chain.Run()
		if math.Abs(got.RoundsMean-want.RoundsMean) > 1e-12 || got.Never != want.Never || len(got.Converged) < len(want.Converged) ||
			!slices.Equal(got.Converged[:len(want.Converged)], want.Converged) {
			t.Errorf("after %d rounds: mean %v, never %v, want %v, %v", rounds, got.RoundsMean, got.Never, want.RoundsMean, want.Never)
		}
	}
}

func TestNoChain(t *testing.T) {
	for _, cfg := range []Config{{Bins: 2, Lambda: 0.5}, {Bins: 2, Clocking: RoundRobin}} {
		if _, err := NewChain(cfg, nil); !errors.Is(err, ErrNoChain) {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
	for _, c := range []struct {
		cfg   Config
		loads []int
		want  string
	}{
		{Config{Bins: 9}, nil, "Bins (9) must be in [1, 8]"},
		{Config{Bins: -1}, nil, "Bins (-1) must be in"},
		{Config{Bins: 2}, []int{1}, "loads ([1]) must be one number in [0, 32768] for each of 2 bins"},
		{Config{Bins: 2}, []int{1, -1}, "loads ([1 -1])"},
		{Config{Bins: 3, Threshold: 200}, nil, "more than 131072 states"},
	} {
		if _, err := NewChain(c.cfg, c.loads); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.cfg, err, c.want)
		}
	}
}
