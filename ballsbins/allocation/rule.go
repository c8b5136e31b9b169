package allocation

// Rule selects the bin of a ball.
type Rule string

// The rules. x_i is the load of bin i relative to its speed, and W/n (W/S with speeds) the average load,
// both as Config.Information reports them. Samples are independent, with replacement.
const (
	// OneChoice: a sample [RaabSteger98].
	OneChoice Rule = "one-choice"
	// TwoChoice: the less loaded of two samples, the first if they are equal. That is fair, since samples
	// are exchangeable [Azar99]. The default.
	TwoChoice Rule = "two-choice"
	// DChoice: the least loaded of Choices samples, the first of equal ones [Azar99].
	DChoice Rule = "d-choice"
	// AlwaysGoLeft: the bins form Choices groups of nearly equal size, of neighbours. Each group gives one uniform
	// sample. The least loaded gets the ball, of equal ones the left-most [Vocking03].
	AlwaysGoLeft Rule = "always-go-left"
	// OnePlusBeta: two choices with probability Beta, otherwise one choice [Peres15].
	OnePlusBeta Rule = "one-plus-beta"
	// Quantile: bins are ranked by load, the heaviest at position 0. A sample is kept unless
	// its position is below Delta n; then a second sample is taken instead. With Eta below 1 a
	// ball keeps its first sample untested with probability 1 - Eta [Los22].
	Quantile Rule = "quantile"
	// MeanThinning: a sample is kept if x_i < W/n, otherwise a second sample is taken [Los22d].
	MeanThinning Rule = "mean-thinning"
	// RelativeThreshold: a sample is kept if x_i < W/n + Offset, otherwise a second sample is taken. With Offset 0
	// it is MeanThinning. [LosProcesses], from which the name is, also keeps a sample at the limit.
	RelativeThreshold Rule = "relative-threshold"
	// TwoThinning: a sample is kept if x_i < Threshold, otherwise a second sample is taken. It is the simplest of the
	// strategies of [FeldheimGurelGurevich21], Threshold(f) of [LosProcesses] with f = Threshold - 1.
	TwoThinning Rule = "two-thinning"
	// Memory: one bin c is cached. The first sample of a run gets its ball and is cached. A later sample
	// i gets the ball and is cached if x_i < x_c, gets the ball if x_i = x_c, and otherwise c gets the
	// ball [LosSauerwaldSylvester23].
	Memory Rule = "memory"
	// Token: REPS without departures. After a batch, each of its balls in a bin with at most W/n + Offset
	// gives the next batch a token for that bin. Balls use tokens first, in random order, and then go to
	// samples. While there are tokens a ball still goes to a sample with probability 1 - Eta. Tokens
	// expire at the end of the batch.
	Token Rule = "token"
)

// Rules lists the rules.
func Rules() []Rule {
	return []Rule{OneChoice, TwoChoice, DChoice, AlwaysGoLeft, OnePlusBeta, Quantile, MeanThinning, RelativeThreshold,
		TwoThinning, Memory, Token}
}

// rule decides the bins of balls, one after the other.
type rule interface {
	// reset begins a run.
	reset(p *Process)
	// throw decides the bins of len(into) balls, puts balls of weights p.weights into them and, unless
	// the information is current, writes the bins to into. The reported loads stay valid for all of these
	// balls.
	throw(p *Process, into []uint32)
}

// newRule returns the rule of a configuration with defaults applied, and the number of samples per ball,
// 0 if it varies.
func newRule(c Config) (r rule, samples int) {
	switch c.Rule {
	case OneChoice:
		return oneChoice{}, 1
	case DChoice, AlwaysGoLeft:
		if c.Choices == 2 {
			return newTwoChoice(c), 2
		}
		return dChoice{c.Choices}, c.Choices
	case Quantile:
		return newQuantile(c), 2
	case MeanThinning, RelativeThreshold, TwoThinning:
		return newThinning(c), 2
	case Memory:
		return &memory{}, 1
	case Token:
		return newToken(c), 0
	default: // TwoChoice, OnePlusBeta
		return newTwoChoice(c), 2
	}
}

// average tracks the largest integer load that is at most the average plus an offset. It follows changes
// of W without divisions.
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
