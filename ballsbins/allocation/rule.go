package allocation

// Rule selects the bin of a ball.
type Rule string

// The rules. x_i is the load of bin i, relative to its speed, and W/n the average load (W/S with
// speeds), both as the information of the configuration reports them; samples are independent, with
// replacement.
const (
	// OneChoice: a sample [RaabSteger98].
	OneChoice Rule = "one-choice"
	// TwoChoice: the less loaded of two samples, of equal ones the first; fair, since samples
	// are exchangeable [Azar99]. The default.
	TwoChoice Rule = "two-choice"
	// DChoice: the least loaded of Choices samples, of equal ones the first [Azar99].
	DChoice Rule = "d-choice"
	// OnePlusBeta: with probability Beta two choices, else one [Peres15].
	OnePlusBeta Rule = "one-plus-beta"
	// Quantile: bins are ranked by load, the heaviest at position 0. A sample is kept unless
	// its position is below Delta n; then a second sample is taken instead. With Eta below 1 a
	// ball keeps its first sample untested with probability 1 - Eta [Los22].
	Quantile Rule = "quantile"
	// MeanThinning: a sample is kept if x_i < W/n, else a second sample is taken [Los22d].
	MeanThinning Rule = "mean-thinning"
	// Memory: one bin c is cached, at first the first sample, which gets its ball. A sample i
	// with x_i < x_c gets the ball and is cached; with x_i = x_c it gets the ball; else c gets
	// the ball [LosSauerwaldSylvester23].
	Memory Rule = "memory"
	// Token: after a batch every ball whose bin then holds at most W/n + Offset gives one ball of
	// the next batch a token for that bin. Tokens are used first, in random order, and expire at the
	// end of the batch; the other balls go to samples, and so does any ball, with probability 1 - Eta,
	// although there are tokens. The rule of REPS without departures.
	Token Rule = "token"
)

// Rules lists the rules.
func Rules() []Rule {
	return []Rule{OneChoice, TwoChoice, DChoice, OnePlusBeta, Quantile, MeanThinning, Memory, Token}
}

// rule decides the bins of balls, one after the other.
type rule interface {
	// reset begins a run.
	reset(p *Process)
	// throw decides the bins of len(into) balls, puts balls of weights p.weights into them and, unless
	// the information is current, writes the bins to into. All reported loads are valid for all of these
	// balls.
	throw(p *Process, into []uint32)
}

// newRule returns the rule of a configuration with defaults applied, and the number of samples
// that it takes for every ball; 0 if that varies.
func newRule(c Config) (r rule, samples int) {
	switch c.Rule {
	case OneChoice:
		return oneChoice{}, 1
	case DChoice:
		if c.Choices == 2 {
			return newTwoChoice(c), 2
		}
		return dChoice{c.Choices}, c.Choices
	case Quantile:
		return newQuantile(c), 2
	case MeanThinning:
		return &thinning{-1}, 2 // x S < W, that is x S <= W - 1
	case Memory:
		return &memory{}, 1
	case Token:
		return newToken(c), 0
	default: // TwoChoice, OnePlusBeta
		return newTwoChoice(c), 2
	}
}

// average is the largest integer load that a bin at most some offset above the average can have. It follows W
// without divisions.
type average struct {
	limit    int64 // floor((W L + offset) / S)
	rest     int64 // W L + offset - S limit
	capacity int64 // S
	multiple int64 // L
}

// average returns the average as reported, with an offset in units of W L.
func (p *Process) average(offset int64) average {
	total := p.seenTotal
	if p.live != 0 {
		total = p.total
	}
	a := average{0, total*p.multiple + offset, p.capacity, p.multiple}
	a.limit = a.rest / a.capacity
	a.rest -= a.limit * a.capacity
	if a.rest < 0 {
		a.limit--
		a.rest += a.capacity
	}
	return a
}

// add adds a weight to W.
func (a *average) add(weight int64) {
	a.rest += weight * a.multiple
	if a.rest >= a.capacity {
		more := a.rest / a.capacity
		a.limit += more
		a.rest -= more * a.capacity
	}
}
