package allocation

import (
	"math"
	"math/big"
	"slices"
)

// model is the definition of the processes, one ball at a time and without regard to speed, for
// [Exact] and as the oracle of tests. It repeats the words of the constants.
type model struct {
	Config
	shares []*big.Rat // probabilities of bins
	offset *big.Rat
	speeds []int // of all bins
	common int   // multiple of the speeds: loads are compared in units of 1/common
}

func newModel(c Config) *model {
	m := &model{Config: c, offset: new(big.Rat).SetFloat64(c.Offset), common: int(c.multiple())}
	for bin := range c.Bins {
		m.speeds = append(m.speeds, int(c.speed(bin)))
	}
	shares := c.Sampling.shares(c.Bins)
	if shares == nil {
		shares = slices.Repeat([]float64{1}, c.Bins)
	}
	sum := new(big.Rat)
	for _, v := range shares {
		share := new(big.Rat).SetFloat64(v)
		m.shares = append(m.shares, share)
		sum.Add(sum, share)
	}
	for _, share := range m.shares {
		share.Quo(share, sum)
	}
	return m
}

// start returns the state before the first ball.
func (m *model) start() *state {
	s := &state{balls: make([]int, m.Bins), maxGap: new(big.Rat)}
	copy(s.balls, m.Start)
	return s
}

// step throws a ball.
func (m *model) step(s *state, c *chance) {
	if m.Information == Batched && s.thrown%m.Batch == 0 {
		m.beginBatch(s, c)
	}
	bin := m.choose(s, c)
	s.balls[bin] += m.weight(c)
	s.thrown++
	if m.Rule == Token {
		s.last = append(s.last, bin)
	}
	every := m.Bins
	if m.Information == Batched {
		every = m.Batch
	}
	if s.thrown%every == 0 || s.thrown == m.Balls[len(m.Balls)-1] {
		if gap := m.outcome(s).Gap(); gap.Cmp(s.maxGap) > 0 {
			s.maxGap = gap
		}
	}
}

// law returns the law of the loads and the largest gaps of the states at the end.
func (m *model) law(states map[string]weighted) *Law {
	ends := map[string]weighted{}
	for _, key := range sortedKeys(states) {
		w := states[key]
		add(ends, &state{balls: w.state.balls, maxGap: w.state.maxGap}, w.probability)
	}
	l := &Law{}
	for _, key := range sortedKeys(ends) {
		w := ends[key]
		o := m.outcome(w.state)
		o.Probability = w.probability
		l.outcomes = append(l.outcomes, o)
	}
	return l
}

// outcome returns the outcome of a state, without its probability.
func (m *model) outcome(s *state) Outcome {
	return Outcome{Balls: s.balls, MaxGap: s.maxGap, speeds: m.speeds}
}

// aboveAverage returns the load of a bin less the average, if the bins hold some balls.
func (m *model) aboveAverage(balls []int, bin int) *big.Rat {
	return Outcome{Balls: balls, speeds: m.speeds}.above(bin)
}

// weight draws a weight.
func (m *model) weight(c *chance) int {
	switch m.Weights.Law {
	case OneOrTwo:
		return 1 + c.uniform(2)
	case GivenWeights:
		return among(c, m.Weights.Sizes)
	}
	return 1
}

// beginBatch takes the picture of the loads that the batch sees, and hands out tokens.
func (m *model) beginBatch(s *state, c *chance) {
	s.seen = slices.Clone(s.balls)
	if m.Rule == Quantile || m.Ties == RankTies {
		s.position = m.ranked(m.loads(s.seen), c)
	}
	if m.Rule == Token {
		s.tokens = nil
		for _, bin := range s.last {
			if m.aboveAverage(s.balls, bin).Cmp(m.offset) <= 0 {
				s.tokens = append(s.tokens, bin)
			}
		}
		slices.Sort(s.tokens)
		s.last = nil
	}
}

// ranked returns the position of each bin by load, the heaviest at 0, equal ones in random order.
func (m *model) ranked(loads []int, c *chance) []int {
	position := make([]int, len(loads))
	left := make([]int, len(loads))
	for i := range left {
		left[i] = i
	}
	for i := range loads {
		var heaviest []int
		for _, bin := range left {
			if len(heaviest) == 0 || loads[bin] > loads[heaviest[0]] {
				heaviest = []int{bin}
			} else if loads[bin] == loads[heaviest[0]] {
				heaviest = append(heaviest, bin)
			}
		}
		bin := among(c, heaviest)
		position[bin] = i
		left = slices.DeleteFunc(left, func(other int) bool { return other == bin })
	}
	return position
}

// reported returns the balls in the bins that a report counts.
func (m *model) reported(s *state) []int {
	if m.Information == Batched {
		return s.seen
	}
	return s.balls
}

// loads returns loads in units of 1/common, if the bins hold some balls.
func (m *model) loads(balls []int) []int {
	loads := make([]int, len(balls))
	for bin, count := range balls {
		loads[bin] = count * m.common / m.speeds[bin]
	}
	return loads
}

// load returns the reported load of a bin, in units of 1/common.
func (m *model) load(s *state, bin int) int { return m.loads(m.reported(s))[bin] }

// choose returns the bin of a ball.
func (m *model) choose(s *state, c *chance) int {
	sample := func() int { return c.pick(m.shares) }
	switch m.Rule {
	case OneChoice:
		return sample()
	case TwoChoice:
		return m.compare(s, c, []int{sample(), sample()})
	case OnePlusBeta:
		pair := []int{sample(), sample()}
		if c.pick(complement(m.Beta)) == 0 {
			return pair[0]
		}
		return m.compare(s, c, pair)
	case DChoice:
		var list []int
		for range m.Choices {
			list = append(list, sample())
		}
		return m.compare(s, c, list)
	case Quantile:
		first := sample()
		if c.pick(complement(m.Eta)) == 1 && m.isHeavy(s, c, first) {
			return sample()
		}
		return first
	case AlwaysGoLeft:
		return m.leftMost(s, c)
	case MeanThinning, RelativeThreshold:
		limit := new(big.Rat)
		if m.Rule == RelativeThreshold {
			limit = m.offset
		}
		if first := sample(); m.aboveAverage(m.reported(s), first).Cmp(limit) < 0 {
			return first
		}
		return sample()
	case TwoThinning:
		if first := sample(); m.load(s, first) < m.Threshold*m.common {
			return first
		}
		return sample()
	case Memory:
		return m.cached(s, sample())
	default: // Token
		if len(s.tokens) == 0 || c.pick(complement(m.Eta)) == 0 {
			return sample()
		}
		i := c.uniform(len(s.tokens))
		bin := s.tokens[i]
		s.tokens = slices.Delete(s.tokens, i, i+1)
		return bin
	}
}

// leftMost is AlwaysGoLeft.
func (m *model) leftMost(s *state, c *chance) int {
	var list []int
	for k := range m.Choices {
		var group []int
		for bin := range m.Bins {
			if from := k * m.Bins / m.Choices; bin >= from && bin < (k+1)*m.Bins/m.Choices {
				group = append(group, bin)
			}
		}
		list = append(list, group[c.uniform(len(group))])
	}
	return m.least(s, list)[0]
}

// complement returns the probabilities of no and yes.
func complement(yes float64) []*big.Rat {
	p := new(big.Rat).SetFloat64(yes)
	return []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), p), p}
}

// compare returns the sample that gets the ball.
func (m *model) compare(s *state, c *chance, list []int) int {
	if !m.isComparison() {
		best := m.least(s, list)
		if m.Ties != RandomTies {
			return slices.MaxFunc(best, func(a, b int) int { return m.tieRank(s, a) - m.tieRank(s, b) })
		}
		return among(c, best)
	}
	light, heavy, loads := list[0], list[1], m.loads(s.balls)
	if loads[light] > loads[heavy] {
		light, heavy = heavy, light
	}
	difference := loads[heavy] - loads[light]
	switch {
	case difference == 0:
		return among(c, list)
	case difference > m.Width*m.common:
		return light
	case m.Information == GBounded:
		return heavy
	}
	return among(c, []int{light, heavy})
}

// isComparison reports whether the information decides between two samples.
func (m *model) isComparison() bool {
	return m.Information == GBounded || m.Information == GMyopic
}

// tieRank returns a number that is larger for the bin that wins a tie of the batch.
func (m *model) tieRank(s *state, bin int) int {
	if m.Ties == IndexTies {
		return bin
	}
	return s.position[bin]
}

// isHeavy reports whether a bin is at a position below Delta n.
func (m *model) isHeavy(s *state, c *chance, bin int) bool {
	position := s.position
	if m.Information != Batched {
		position = m.ranked(m.loads(m.reported(s)), c)
	}
	return position[bin] < int(math.Ceil(m.Delta*float64(m.Bins)*(1-0x1p-50)))
}

// cached is Memory.
func (m *model) cached(s *state, sample int) int {
	if len(s.memory) == 0 {
		s.memory = []int{sample}
	}
	cache := s.memory[0]
	switch sampled, remembered := m.load(s, sample), m.load(s, cache); {
	case sampled < remembered:
		s.memory = []int{sample}
		return sample
	case sampled == remembered:
		return sample
	}
	return cache
}

// least returns the least loaded bins of a list.
func (m *model) least(s *state, list []int) (best []int) {
	var least int
	for _, bin := range list {
		switch load := m.load(s, bin); {
		case len(best) == 0 || load < least:
			best, least = []int{bin}, load
		case load == least:
			best = append(best, bin)
		}
	}
	return best
}
