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
	s.reported = map[int]int{}
	bin := m.choose(s, c)
	weight := m.weight(c)
	s.balls[bin] += weight
	s.thrown++
	if m.Rule == MPS {
		m.remember(s, c)
	}
	if m.delayed() || m.Rule == Token {
		s.last, s.weights = append(s.last, bin), append(s.weights, weight)
	}
	if kept := m.Delay - 1; m.delayed() && len(s.last) > kept {
		s.last, s.weights = s.last[1:], s.weights[1:]
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
		s.last, s.weights = nil, nil
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
func (m *model) reported(s *state, c *chance) []int {
	if m.Information == Batched {
		return s.seen
	}
	balls, leftOut := slices.Clone(s.balls), len(s.last)
	if m.Information == DelayedRandom {
		leftOut = min(c.uniform(m.Delay), leftOut)
	}
	for i := len(s.last) - leftOut; i < len(s.last); i++ {
		balls[s.last[i]] -= s.weights[i]
	}
	return balls
}

// report returns the reported load of a bin less the reported average.
func (m *model) report(s *state, c *chance, bin int) *big.Rat {
	return m.aboveAverage(m.reported(s, c), bin)
}

// loads returns loads in units of 1/common, if the bins hold some balls.
func (m *model) loads(balls []int) []int {
	loads := make([]int, len(balls))
	for bin, count := range balls {
		loads[bin] = count * m.common / m.speeds[bin]
	}
	return loads
}

// load returns the reported load of a bin, in units of 1/common. While a ball is thrown, it stays the
// same unless the information is current.
func (m *model) load(s *state, c *chance, bin int) int {
	load, known := s.reported[bin]
	if !known {
		load = m.loads(m.reported(s, c))[bin]
	}
	if m.delayed() {
		s.reported[bin] = load
	}
	return load
}

// choose returns the bin of a ball.
func (m *model) choose(s *state, c *chance) int {
	sample := func() int { return c.pick(m.shares) }
	switch m.Rule {
	case OneChoice:
		return sample()
	case TwoChoice:
		return m.compare(s, c, m.pair(c))
	case OnePlusBeta:
		pair := m.pair(c)
		if c.pick(complement(m.Beta)) == 0 {
			return pair[0]
		}
		return m.compare(s, c, pair)
	case DChoice, Left, Distinct:
		return m.compare(s, c, m.several(c))
	case Quantile:
		first := sample()
		if c.pick(complement(m.Eta)) == 1 && m.isHeavy(s, c, first) {
			return sample()
		}
		return first
	case MeanThinning, TwoThinning:
		first := sample()
		above := m.report(s, c, first)
		if m.Rule == MeanThinning && above.Sign() < 0 || m.Rule == TwoThinning && above.Cmp(m.offset) <= 0 {
			return first
		}
		return sample()
	case Twinning, Packing:
		return m.fill(s, c)
	case Memory, MemoryCache:
		return m.cached(s, c, sample())
	case MPS:
		return m.fromMemory(s, c)
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

// complement returns the probabilities of no and yes.
func complement(yes float64) []*big.Rat {
	p := new(big.Rat).SetFloat64(yes)
	return []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), p), p}
}

// pair returns two samples.
func (m *model) pair(c *chance) []int {
	switch m.Sampling.Law {
	case Cycle:
		bin := c.uniform(m.Bins)
		return []int{bin, (bin + m.Bins + 2*c.uniform(2) - 1) % m.Bins}
	case Hypercube:
		bin, edges := c.uniform(m.Bins), 0
		for 1<<edges < m.Bins {
			edges++
		}
		return []int{bin, bin ^ 1<<c.uniform(edges)}
	}
	return []int{c.pick(m.shares), c.pick(m.shares)}
}

// several returns the samples of the rules with Choices.
func (m *model) several(c *chance) (list []int) {
	if m.Sampling.graph() {
		return m.pair(c)
	}
	for i := range m.Choices {
		switch m.Rule {
		case Left:
			size := m.Bins / m.Choices
			list = append(list, i*size+c.uniform(size))
		case Distinct:
			list = append(list, m.another(c, list))
		default:
			list = append(list, c.pick(m.shares))
		}
	}
	return list
}

// another returns a sample that is not in a list.
func (m *model) another(c *chance, list []int) int {
	rest := new(big.Rat)
	shares := make([]*big.Rat, m.Bins)
	for bin := range shares {
		shares[bin] = new(big.Rat)
		if !slices.Contains(list, bin) {
			shares[bin].Set(m.shares[bin])
			rest.Add(rest, shares[bin])
		}
	}
	for _, share := range shares {
		share.Quo(share, rest)
	}
	return c.pick(shares)
}

// compare returns the sample that gets the ball.
func (m *model) compare(s *state, c *chance, list []int) int {
	if !m.isComparison() {
		best := m.least(s, c, list)
		switch {
		case m.Rule == Left:
			return best[0]
		case m.Ties != RandomTies:
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
	case m.Information == DelayedAdversary:
		if m.load(s, c, heavy) <= loads[light] {
			return heavy
		}
		return light
	case difference > m.Width*m.common:
		return light
	case m.Information == GBounded:
		return heavy
	}
	return among(c, []int{light, heavy})
}

// isComparison reports whether the information decides between two samples.
func (m *model) isComparison() bool {
	return m.Information == DelayedAdversary || m.Information == GBounded || m.Information == GMyopic
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
		position = m.ranked(m.loads(m.reported(s, c)), c)
	}
	return position[bin] < int(math.Ceil(m.Delta*float64(m.Bins)*(1-0x1p-50)))
}

// fill is Twinning and Packing.
func (m *model) fill(s *state, c *chance) int {
	if len(s.pending) == 0 {
		bin := c.pick(m.shares)
		balls := 1
		if above := m.report(s, c, bin); above.Sign() < 0 {
			balls = 2
			if m.Rule == Packing { // ceil(s (W/S - x)) + 1
				missing := above.Mul(above, big.NewRat(int64(-m.speeds[bin]), 1))
				up := new(big.Int).Add(missing.Num(), new(big.Int).Sub(missing.Denom(), big.NewInt(1)))
				balls = int(up.Div(up, missing.Denom()).Int64()) + 1
			}
		}
		s.pending = []int{bin, balls}
	}
	bin := s.pending[0]
	if s.pending[1]--; s.pending[1] == 0 {
		s.pending = nil
	}
	return bin
}

// cached is Memory and MemoryCache.
func (m *model) cached(s *state, c *chance, sample int) int {
	if len(s.memory) == 0 {
		s.memory = []int{sample}
	}
	cache := s.memory[0]
	if sample == cache {
		return sample
	}
	sampled, remembered := m.load(s, c, sample), m.load(s, c, cache)
	switch {
	case sampled < remembered:
		s.memory = []int{sample}
		return sample
	case sampled == remembered && m.Rule == Memory:
		return sample
	}
	return cache
}

// fromMemory returns the bin of a ball of MPS, and leaves all candidates in memory.
func (m *model) fromMemory(s *state, c *chance) int {
	for range m.Choices {
		if bin := c.pick(m.shares); !slices.Contains(s.memory, bin) {
			s.memory = append(s.memory, bin)
		}
	}
	return among(c, m.least(s, c, s.memory))
}

// least returns the least loaded bins of a list.
func (m *model) least(s *state, c *chance, list []int) (best []int) {
	var least int
	for _, bin := range list {
		switch load := m.load(s, c, bin); {
		case len(best) == 0 || load < least:
			best, least = []int{bin}, load
		case load == least:
			best = append(best, bin)
		}
	}
	return best
}

// remember keeps the least loaded candidates.
func (m *model) remember(s *state, c *chance) {
	var kept []int
	for len(kept) < m.Remembered && len(s.memory) > 0 {
		bin := among(c, m.least(s, c, s.memory))
		kept = append(kept, bin)
		s.memory = slices.DeleteFunc(s.memory, func(other int) bool { return other == bin })
	}
	slices.Sort(kept)
	s.memory = kept
}
