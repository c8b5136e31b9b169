package recycled

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"repslab/faults"
	"repslab/internal/must"
)

// maxClosedStates bounds the load vectors of a [ClosedLaw].
const maxClosedStates = 128

// ErrNeverDecided reports that a run from the start of a [ClosedLaw] may never converge.
var ErrNeverDecided = errors.New("recycled: a run from this start may never converge")

// ClosedLaw is the exact law, in fractions, of a closed process with a few bins: repeated
// balls into bins, with or without recycling. Bins are exchangeable, so states are load
// vectors in descending order. Make it with [NewClosedLaw].
type ClosedLaw struct {
	cfg    Config
	states []chainState // states that can be reached from the start, which is the first
	next   [][]*big.Rat // next[s][t] is P[state t after state s]
}

// NewClosedLaw returns the law of cfg from its start, which must be AllInOne or [Given]. The error names
// the field that is not allowed, or says that there are more than 128 load vectors. It holds O(S²)
// fractions for S load vectors.
func NewClosedLaw(cfg Config) (*ClosedLaw, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	bad := faults.List{Package: "recycled"}
	bad.Check(cfg.Closed, "Closed", cfg.Closed, "must be true for an exact law in fractions")
	bad.Check(cfg.IsStep(), "Ramp", cfg.Ramp, "must be 0 for an exact law")
	bad.Check(cfg.Choices == 1, "Choices", cfg.Choices, "must be 1 for an exact law")
	fixed := cfg.Start != Empty && cfg.Start != Random
	bad.Check(fixed, "Start", cfg.Start, "must be %s or given for an exact law", AllInOne)
	bad.In("Bins", cfg.Bins, 1, maxChainBins)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	loads := make([]int, cfg.Bins)
	cfg.start(nil, func(bin, _ uint32) { loads[bin]++ })
	if most := slices.Max(loads); most > 1<<15 {
		return nil, faults.New("recycled", "Start", most, "balls in a bin must be at most %d", 1<<15)
	}
	l := &ClosedLaw{cfg: cfg, states: []chainState{newChainState(loads)}}
	return l, l.explore()
}

// explore finds all states that can be reached, and their transitions.
func (l *ClosedLaw) explore() error {
	n := l.cfg.Bins
	index := map[chainState]int{l.states[0]: 0}
	var reached []distribution[chainState]
	for s := 0; s < len(l.states); s++ {
		state, throws := l.states[s], 0
		for i, load := range state[:n] {
			if int(load) > l.cfg.Threshold {
				state[i]--
				throws++
			}
		}
		ways := spread(state, n, throws, 1)
		for _, to := range ways.states {
			if _, known := index[to]; !known {
				index[to] = len(l.states)
				l.states = append(l.states, to)
			}
		}
		if len(l.states) > maxClosedStates {
			return fmt.Errorf("recycled: %d balls in %d bins reach more than %d load vectors", l.cfg.Balls, n, maxClosedStates)
		}
		reached = append(reached, ways)
	}
	for _, ways := range reached {
		row, all := newRats(len(l.states)), new(big.Rat)
		for i, to := range ways.states {
			row[index[to]].SetFloat64(ways.law[i])
			all.Add(all, row[index[to]])
		}
		for _, p := range row {
			p.Quo(p, all)
		}
		l.next = append(l.next, row)
	}
	return nil
}

// newRats returns zeros.
func newRats(n int) []*big.Rat {
	list := make([]*big.Rat, n)
	for i := range list {
		list[i] = new(big.Rat)
	}
	return list
}

// Stationary returns, exactly, the expected share of empty bins and the expected largest load, in balls,
// of repeated balls into bins in stationarity, after the throws. The chain is aperiodic and reaches the
// state with all balls in one bin from everywhere, so the law is unique. It returns an error unless the
// threshold is 0, since otherwise the late loads depend on the start. O(S³) operations on fractions: 0.01
// s for S = 19 (n = 3, m = 13).
func (l *ClosedLaw) Stationary() (emptyShare, maxLoad *big.Rat, err error) {
	must.BeMade(l.states != nil, "recycled: ClosedLaw", "NewClosedLaw")
	if !l.cfg.Oblivious {
		return nil, nil, faults.New("recycled", "Threshold", l.cfg.Threshold, "must be 0 for a stationary law")
	}
	size := len(l.states)
	rows := make([][]*big.Rat, size)
	for t := range rows { // the balance of state t; the first row has the sum of the law instead
		rows[t] = newRats(size + 1)
		for s := range size {
			switch {
			case t == 0:
				rows[t][s].SetInt64(1)
			case t == s:
				rows[t][s].Sub(l.next[s][t], big.NewRat(1, 1))
			default:
				rows[t][s].Set(l.next[s][t])
			}
		}
	}
	rows[0][size].SetInt64(1)
	law, err := solve(rows)
	if err != nil {
		return nil, nil, err
	}
	emptyShare, maxLoad = new(big.Rat), new(big.Rat)
	for s, p := range law {
		empty := 0
		for _, load := range l.states[s][:l.cfg.Bins] {
			if load == 0 {
				empty++
			}
		}
		emptyShare.Add(emptyShare, new(big.Rat).Mul(p, big.NewRat(int64(empty), int64(l.cfg.Bins))))
		maxLoad.Add(maxLoad, new(big.Rat).Mul(p, big.NewRat(int64(l.states[s][0]), 1)))
	}
	return emptyShare, maxLoad, nil
}

// Rounds returns, exactly, the expected rounds from the start until the run converges: until no bin
// exceeds the threshold or, if the threshold is 0, Config.Level. It returns ErrNeverDecided if a run may
// never converge. O(S³) operations on fractions.
func (l *ClosedLaw) Rounds() (*big.Rat, error) {
	must.BeMade(l.states != nil, "recycled: ClosedLaw", "NewClosedLaw")
	level := l.cfg.Threshold
	if l.cfg.Oblivious {
		level = l.cfg.Level
	}
	var open []int // undecided states
	for s, state := range l.states {
		if int(state[0]) > level {
			open = append(open, s)
		}
	}
	if len(open) == 0 || open[0] != 0 {
		return new(big.Rat), nil
	}
	rows := make([][]*big.Rat, len(open)) // rounds(s) - sum over t of P[s to t] rounds(t) = 1
	for i, s := range open {
		rows[i] = newRats(len(open) + 1)
		for j, t := range open {
			rows[i][j].Neg(l.next[s][t])
		}
		rows[i][i].Add(rows[i][i], big.NewRat(1, 1))
		rows[i][len(open)].SetInt64(1)
	}
	rounds, err := solve(rows)
	if err != nil {
		return nil, ErrNeverDecided
	}
	return rounds[0], nil
}

// solve solves linear equations, each row with its right-hand side at the end, by
// elimination in place. The error says that they have no unique solution.
func solve(rows [][]*big.Rat) ([]*big.Rat, error) {
	size := len(rows)
	term := new(big.Rat)
	for i := range size {
		pivot := slices.IndexFunc(rows[i:], func(row []*big.Rat) bool { return row[i].Sign() != 0 })
		if pivot < 0 {
			return nil, errors.New("recycled: the equations have no unique solution")
		}
		rows[i], rows[i+pivot] = rows[i+pivot], rows[i]
		for k := size; k >= i; k-- {
			rows[i][k].Quo(rows[i][k], rows[i][i])
		}
		for j, row := range rows {
			if j == i || row[i].Sign() == 0 {
				continue
			}
			for k := size; k >= i; k-- {
				row[k].Sub(row[k], term.Mul(row[i], rows[i][k]))
			}
		}
	}
	solution := make([]*big.Rat, size)
	for i, row := range rows {
		solution[i] = row[size]
	}
	return solution, nil
}

// ClosedRoundsBound returns an upper bound on the expected rounds of a closed process with
// recycling (τ >= 1) until no bin is overfull, from any loads with m = balls and Y = excess:
//
//	E[T] <= sum over y = 1, ..., Y of n τ / (n τ - m + y).
//
// As in phase two of the package there are n τ - m + y holes, but here an empty bin has τ of them. So a
// throw is absorbed with a probability of at least the inverse of the term, whatever happened before, and
// a round with an overfull bin has at least one throw. With Y <= m - τ the bound is at most n τ ln((n τ -
// τ)/(n τ - m)) for m < n τ: from any start it is linear in n for fixed τ and fixed m/n below τ. At τ = 1
// and m = n, from one bin, it is n H(n-1), which is exact for n = 2 and 3, since every round then has one
// throw. bins >= 1, threshold >= 1, balls in [0, bins·threshold], excess in [0, balls]
// and at most MaxBalls, bins at most MaxBins and threshold at most MaxThreshold; otherwise it returns an error.
// O(excess).
func ClosedRoundsBound(bins, threshold, balls, excess int) (float64, error) {
	bad := faults.List{Package: "recycled"}
	bad.In("bins", bins, 1, MaxBins)
	bad.In("threshold", threshold, 1, MaxThreshold)
	if err := bad.Err(); err != nil {
		return 0, err
	}
	room := int64(bins) * int64(threshold)
	bad.Check(balls >= 0 && int64(balls) <= room, "balls", balls, "must be in [0, bins·threshold] = [0, %d]", room)
	bad.In("excess", excess, 0, min(max(0, balls), MaxBalls))
	if err := bad.Err(); err != nil {
		return 0, err
	}
	var rounds float64
	for y := 1; y <= excess; y++ {
		rounds += float64(room) / float64(room-int64(balls)+int64(y))
	}
	return rounds, nil
}

// ClosedEmptyShare returns the asymptotic share of empty bins under repeated balls into bins, in
// stationarity, after the throws, as n grows with ballsPerBin = m/n = a fixed:
//
//	1 - r = sqrt(1 + a²) - a,
//
// which is 0.414 at a = 1 and nearly 1/(2a) for large a. By propagation of chaos [Cancrini19] a bin is a
// queue with Poisson(r) arrivals per round, where r is the share of non-empty bins. The mean load of this
// queue must be a = r + r²/(2(1-r)). At finite n the share is smaller: 0.41175 at n = m = 100.
// It panics unless ballsPerBin is at least 0. O(1).
func ClosedEmptyShare(ballsPerBin float64) float64 {
	must.BeWithin("recycled: ClosedEmptyShare", "ballsPerBin", ballsPerBin, 0, math.Inf(1))
	return 1 / (math.Sqrt(1+float64(ballsPerBin*ballsPerBin)) + ballsPerBin) // without cancellation
}
