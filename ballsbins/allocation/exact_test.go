package allocation

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"repslab/faults"
)

// Limits of [Exact].
const (
	MaxExactBins   = 16      // a ball has n^d outcomes in each state
	MaxExactStates = 1 << 16 // that are followed at a time
)

// Law is the exact joint distribution of the loads of all bins.
type Law struct {
	outcomes []Outcome
}

// Outcome is a possible result of a run.
type Outcome struct {
	Balls       []int    // weight of the balls in each bin
	MaxGap      *big.Rat // the largest gap at the end of any batch, of any n balls, or of the run
	Probability *big.Rat // above 0
	speeds      []int    // of the bins
}

// Outcomes returns the outcomes, in a fixed order. The slice and what it holds must not be changed.
func (l *Law) Outcomes() []Outcome { return l.outcomes }

// Mean returns the exact expectation of an observable of the outcomes.
func (l *Law) Mean(of func(Outcome) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, o := range l.outcomes {
		sum.Add(sum, new(big.Rat).Mul(o.Probability, of(o)))
	}
	return sum
}

// Load returns the load of bin i: the weight of its balls over its speed.
func (o Outcome) Load(i int) *big.Rat { return big.NewRat(int64(o.Balls[i]), int64(o.speeds[i])) }

// Gap returns the largest load less the average.
func (o Outcome) Gap() *big.Rat { return o.above(o.extreme(1)) }

// Under returns the average less the smallest load.
func (o Outcome) Under() *big.Rat { return new(big.Rat).Neg(o.above(o.extreme(-1))) }

// extreme returns a bin with the largest load, with the sign -1 the smallest.
func (o Outcome) extreme(sign int) (bin int) {
	for i, balls := range o.Balls {
		if sign*(balls*o.speeds[bin]-o.Balls[bin]*o.speeds[i]) > 0 {
			bin = i
		}
	}
	return bin
}

// above returns the load of a bin less the average.
func (o Outcome) above(bin int) *big.Rat {
	var total, capacity int64
	for i, balls := range o.Balls {
		total += int64(balls)
		capacity += int64(o.speeds[i])
	}
	load := o.Load(bin)
	return load.Sub(load, big.NewRat(total, capacity))
}

// Exact returns the exact law of the loads after the last of cfg.Balls, by enumeration in
// fractions of all that can happen to a ball in every state: loads, what is reported of them, and
// what the rule remembers. It is for tiny numbers of bins and balls: each ball costs time
// proportional to the number of states times its random outcomes (n^d for d samples) times n.
// Three bins, ten balls and two choices take a millisecond; in batches of 4, 10 ms. Probabilities given as float64 are
// taken as the fractions that they are.
//
// Exact shares no code with [Process] but the configuration. It returns the errors of cfg, and an
// error if the law is not rational (SigmaFormal, SigmaGaussian, ExponentialWeights), or
// if there are more than MaxExactBins bins or MaxExactStates states.
func Exact(cfg Config) (*Law, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if cfg.noisy() {
		return nil, faults.New("allocation", "Information", cfg.Information, "has no rational law")
	}
	if cfg.Weights.Law == ExponentialWeights {
		return nil, faults.New("allocation", "Weights", cfg.Weights, "have no rational law")
	}
	if cfg.Bins > MaxExactBins {
		return nil, faults.New("allocation", "Bins", cfg.Bins, "must be in [1, %d] for an exact law", MaxExactBins)
	}
	m := newModel(cfg)
	states := map[string]weighted{}
	add(states, m.start(), big.NewRat(1, 1))
	for range cfg.Balls[len(cfg.Balls)-1] {
		next := map[string]weighted{}
		for _, key := range sortedKeys(states) {
			w := states[key]
			for c := new(chance); c.again(); {
				after := w.state.clone()
				c.probability.Set(w.probability)
				m.step(after, c)
				add(next, after, &c.probability)
			}
			if len(next) > MaxExactStates {
				return nil, faults.New("allocation", "Bins", cfg.Bins, "and Balls have more than %d states: use fewer",
					MaxExactStates)
			}
		}
		states = next
	}
	return m.law(states), nil
}

// weighted is a state with its probability.
type weighted struct {
	state       *state
	probability *big.Rat
}

// add adds to the probability of a state.
func add(states map[string]weighted, s *state, probability *big.Rat) {
	key := s.key()
	w, known := states[key]
	if !known {
		w = weighted{s, new(big.Rat)}
		states[key] = w
	}
	w.probability.Add(w.probability, probability)
}

func sortedKeys(states map[string]weighted) []string {
	keys := make([]string, 0, len(states))
	for key := range states {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// chance enumerates the random outcomes of a step: each time that again returns true, the step runs
// with other outcomes.
type chance struct {
	outcomes    []int // of the picks so far
	options     []int // of each pick
	at          int   // the next pick
	started     bool
	probability big.Rat
}

// again prepares the next run of the step, and reports whether there is one.
func (c *chance) again() bool {
	c.at = 0
	if !c.started {
		c.started = true
		return true
	}
	for last := len(c.outcomes) - 1; last >= 0; last-- {
		if c.outcomes[last]++; c.outcomes[last] < c.options[last] {
			c.outcomes, c.options = c.outcomes[:last+1], c.options[:last+1]
			return true
		}
	}
	return false
}

// pick returns one of the options 0, 1, ... with the given probabilities.
func (c *chance) pick(probabilities []*big.Rat) int {
	if c.at == len(c.outcomes) {
		c.outcomes, c.options = append(c.outcomes, 0), append(c.options, len(probabilities))
	}
	outcome := c.outcomes[c.at]
	c.at++
	c.probability.Mul(&c.probability, probabilities[outcome])
	return outcome
}

// uniform returns one of the options 0 ... count-1, all equally likely.
func (c *chance) uniform(count int) int {
	if count == 1 {
		return 0
	}
	return c.pick(slices.Repeat([]*big.Rat{big.NewRat(1, int64(count))}, count))
}

// among returns one of some entries, all equally likely.
func among(c *chance, list []int) int {
	if slices.Min(list) == slices.Max(list) {
		return list[0]
	}
	return list[c.uniform(len(list))]
}

// state is all that decides about the future of a run.
type state struct {
	thrown   int
	balls    []int // weight of the balls in each bin
	maxGap   *big.Rat
	seen     []int // balls at the start of the batch
	position []int // of each bin in the order of the batch, for Quantile and RankTies
	last     []int // bins of the balls of the batch, the newest last, under Token
	memory   []int // the cached bin
	tokens   []int // bins, sorted
}

func (s *state) clone() *state {
	c := *s
	for _, list := range c.lists() {
		*list = slices.Clone(*list)
	}
	return &c
}

func (s *state) lists() []*[]int {
	return []*[]int{&s.balls, &s.seen, &s.position, &s.last, &s.memory, &s.tokens}
}

// key returns a text that differs between states.
func (s *state) key() string {
	var b strings.Builder
	for _, list := range s.lists() {
		fmt.Fprint(&b, *list)
	}
	fmt.Fprint(&b, s.maxGap)
	return b.String()
}
