package recycled

import (
	"errors"
	"fmt"
	"slices"

	"repslab/faults"
	"repslab/internal/must"
)

// Limits of an exact chain.
const (
	maxChainBins   = 8       // bins
	maxChainStates = 1 << 17 // load vectors that are neither converged nor certified
	// chainCut is the probability below which a state of a chain is dropped.
	chainCut = 1e-25
)

// ErrNoChain reports that this package has no exact chain for a configuration: it is not self-clocked, it
// is closed, it is Oblivious, balls are lost, throws have choices, or the threshold is a ramp.
var ErrNoChain = errors.New("recycled: the exact chain is defined for the open self-clocked process " +
	"with a threshold that is no ramp, one choice and no lost balls")

// Chain is the exact law of the self-clocked process at λ = 1 for a few bins: the probability that a run
// never converges and the law of its rounds. Bins are exchangeable, so states are load vectors in
// descending order. M never decreases, and a run with M > n τ is certified, so there are finitely many
// states. Make it with [NewChain].
//
// Phase one, where M grows, decides whether a run converges. From phase two with M <= n τ a run converges
// with probability 1, since in some round every ball of an overfull bin finds a bin below the threshold
// ([AbsorptionBound]).
//
// Exact means up to floating point. No term is negative, so after T rounds with s states a probability
// has a relative error below T (s + 4 n²) 2^-53. The dropped probabilities are below 1e-25 per state and
// round.
type Chain struct {
	cfg    Config
	start  []int32 // successors of state s: entries start[s] to start[s+1]-1
	target []int32
	weight []float64
	now    []float64 // the law of the undecided states
	next   []float64
	round  int
	// The probabilities of having converged and of having been certified.
	converged, never float64
	rounds           []float64 // rounds[t] is the probability of having converged in round t
}

// chainState is a load vector in descending order. Entries beyond the number of bins are 0.
type chainState [maxChainBins]uint16

// Successors that are not states.
const (
	chainConverged = -1 - iota
	chainCertified
)

// NewChain returns the chain of cfg from the given loads, or from empty bins if loads is
// nil; loads are not kept. It returns an error for the faults of cfg, for more than
// 8 bins or 2^17 states, for loads that are not one number in
// [0, 2^15] per bin, and ErrNoChain. cfg.MaxRounds and cfg.Start have no effect.
//
// It takes O(n²) time for each state and each of its up to C(2n-1, n) successors: milliseconds for n τ <=
// 20, 0.2 s for (n, τ) = (5, 10), 0.8 s for (8, 4), 3 s for (8, 5).
func NewChain(cfg Config, loads []int) (*Chain, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if cfg.Clocking != SelfClocked || cfg.Lambda < 1 || cfg.Closed || cfg.Oblivious || cfg.Choices > 1 || !cfg.IsStep() {
		return nil, ErrNoChain
	}
	if cfg.Bins > maxChainBins {
		return nil, faults.New("recycled", "Bins", cfg.Bins, "must be in [1, %d] for an exact chain", maxChainBins)
	}
	if loads == nil {
		loads = make([]int, cfg.Bins)
	}
	if len(loads) != cfg.Bins || slices.Min(loads) < 0 || slices.Max(loads) > 1<<15 {
		return nil, faults.New("recycled", "loads", loads, "must be one number in [0, %d] for each of %d bins", 1<<15, cfg.Bins)
	}
	c := &Chain{cfg: cfg}
	if err := c.explore(newChainState(loads)); err != nil {
		return nil, err
	}
	c.rounds = []float64{c.converged}
	return c, nil
}

// newChainState returns the state of loads in any order.
func newChainState(loads []int) (s chainState) {
	for i, load := range loads {
		s[i] = uint16(load)
	}
	slices.Sort(s[:])
	slices.Reverse(s[:])
	return s
}

// explore finds all undecided states that can be reached, and their successors.
func (c *Chain) explore(first chainState) error {
	switch c.decide(first) {
	case chainConverged:
		c.converged = 1
		return nil
	case chainCertified:
		c.never = 1
		return nil
	}
	index := map[chainState]int32{first: 0}
	states := []chainState{first}
	for s := 0; s < len(states); s++ {
		c.start = append(c.start, int32(len(c.target)))
		next := c.successors(states[s])
		for _, successor := range next.states {
			to := c.decide(successor)
			if to == 0 {
				known, ok := index[successor]
				if !ok {
					known = int32(len(states))
					index[successor] = known
					states = append(states, successor)
				}
				to = known
			}
			c.target = append(c.target, to)
		}
		c.weight = append(c.weight, next.law...)
		if len(states) > maxChainStates {
			return fmt.Errorf("recycled: the exact chain of n=%d, threshold %d has more than %d states", c.cfg.Bins, c.cfg.Threshold, maxChainStates)
		}
	}
	c.start = append(c.start, int32(len(c.target)))
	c.now, c.next = make([]float64, len(states)), make([]float64, len(states))
	c.now[0] = 1
	return nil
}

// decide returns chainConverged, chainCertified, or 0 for an undecided state.
func (c *Chain) decide(s chainState) int32 {
	balls := 0
	for _, load := range s[:c.cfg.Bins] {
		balls += int(load)
	}
	switch {
	case s[c.cfg.Bins-1] > 0 && int(s[0]) <= c.cfg.Threshold:
		return chainConverged
	case int64(balls) > c.cfg.mostBalls():
		return chainCertified
	default:
		return 0
	}
}

// distribution is a law of states, in the order of their discovery.
type distribution[S comparable] struct {
	index  map[S]int
	states []S
	law    []float64
}

// add adds to the probability of a state.
func (d *distribution[S]) add(state S, p float64) {
	at, ok := d.index[state]
	if !ok {
		at = len(d.states)
		d.index[state] = at
		d.states = append(d.states, state)
		d.law = append(d.law, 0)
	}
	d.law[at] += p
}

// successors returns the law of the next state: every overfull bin loses a ball,
// and as many balls as there are empty and overfull bins are thrown.
func (c *Chain) successors(s chainState) distribution[chainState] {
	bins := c.cfg.Bins
	throws := 0
	for i, load := range s[:bins] {
		switch {
		case load == 0:
			throws++
		case int(load) > c.cfg.Threshold:
			throws++
			s[i]--
		}
	}
	return spread(s, bins, throws, float64(bins))
}

// spread returns the law of a load vector after some uniform throws. s is in descending order except for
// overfull bins that lost a ball. With divisor 1 instead of the number of bins it returns numbers of
// ways, which are exact integers up to 2^53.
func spread(s chainState, bins, throws int, divisor float64) distribution[chainState] {
	// Overfull bins come first and stay at least as full as the others: s is
	// still in descending order.
	now := distribution[chainState]{states: []chainState{s}, law: []float64{1}}
	for range throws {
		next := distribution[chainState]{index: make(map[chainState]int, 2*len(now.states))}
		for s, state := range now.states {
			for i := 0; i < bins; {
				// A ball into any of several equal loads raises the first of them.
				first := i
				for i < bins && state[i] == state[first] {
					i++
				}
				raised := state
				raised[first]++
				next.add(raised, now.law[s]*float64(i-first)/divisor)
			}
		}
		now = next
	}
	return now
}

// Step advances the law by one round. It takes O(1) per successor of the states with a probability above
// the cut.
func (c *Chain) Step() {
	c.mustBeMade()
	c.round++
	latest := 0.0
	for s, p := range c.now {
		if p < chainCut {
			continue
		}
		for e := c.start[s]; e < c.start[s+1]; e++ {
			q := float64(p * c.weight[e])
			switch to := c.target[e]; to {
			case chainConverged:
				latest += q
			case chainCertified:
				c.never += q
			default:
				c.next[to] += q
			}
		}
	}
	c.converged += latest
	c.rounds = append(c.rounds, latest)
	clear(c.now)
	c.now, c.next = c.next, c.now
}

// Round returns the number of rounds stepped. O(1).
func (c *Chain) Round() int { return c.round }

// Decided returns the exact probabilities that a run has converged, and that it is certified never to
// converge, up to the current round. O(1).
func (c *Chain) Decided() (converged, never float64) {
	c.mustBeMade()
	return c.converged, c.never
}

// mustBeMade panics for the zero value.
func (c *Chain) mustBeMade() { must.BeMade(c.rounds != nil, "recycled: Chain", "NewChain") }

// undecided returns the probability of the undecided states.
func (c *Chain) undecided() float64 {
	var sum float64
	for _, p := range c.now {
		sum += p
	}
	return sum
}

// ChainLimit holds the exact limits of a chain, see [Chain.Run].
type ChainLimit struct {
	Never      float64   // P[the run never converges]
	RoundsMean float64   // E[rounds | the run converges]; NaN if it cannot
	Converged  []float64 // Converged[t] is P[the run converges in round t]
	Undecided  float64   // probability of states that were undecided when the chain stopped
}

// Run steps until all but 1e-15 of the probability is decided, and returns the exact limits. They cover
// the whole run, also rounds stepped before. The mean and Never leave out the probability that is still
// Undecided. In phase two a round absorbs a ball with a probability of at least 1/(n (τ-1)), so Run takes
// O(n τ) rounds.
func (c *Chain) Run() ChainLimit {
	c.mustBeMade()
	for c.undecided() > 1e-15 {
		c.Step()
	}
	var sum float64
	for t, p := range c.rounds {
		sum += float64(float64(t) * p)
	}
	return ChainLimit{Never: c.never, RoundsMean: sum / c.converged, Converged: slices.Clone(c.rounds), Undecided: c.undecided()}
}
