package allocation

// Information selects the loads that a rule sees.
type Information string

// The kinds of information. The last five say how two samples are compared, by a difference D of
// their current loads, and belong to rules that compare two samples.
const (
	// Current loads, all balls counted. The default.
	Current Information = "current"
	// Batched loads are those at the start of the batch of Batch balls; a run may end within one
	// [Berenbrink12].
	Batched Information = "batched"
	// DelayedFixed loads leave out the last Delay - 1 balls [Los22b].
	DelayedFixed Information = "delayed-fixed"
	// DelayedRandom loads leave out the last U balls, U uniform in 0 ... Delay-1 and
	// independent for every bin and ball. An average is of the same moment as the load.
	DelayedRandom Information = "delayed-random"
	// DelayedAdversary: the heavier sample gets the ball if its load less its balls among the last
	// Delay - 1 is at most the load of the lighter one [Los22b].
	DelayedAdversary Information = "delayed-adversary"
	// GBounded: the lighter sample gets the ball if D > Width, else the heavier one [Los22b].
	GBounded Information = "g-bounded"
	// GMyopic: the lighter sample gets the ball if D > Width, else a fair coin decides [Los22b].
	GMyopic Information = "g-myopic"
	// SigmaFormal: the lighter sample gets the ball with probability 1 - exp(-(D/σ)²)/2 [Los22b].
	SigmaFormal Information = "sigma-formal"
	// SigmaGaussian adds independent normal noise of standard deviation σ to both loads, so the
	// lighter sample gets the ball with probability Φ(D/(σ sqrt 2)).
	SigmaGaussian Information = "sigma-gaussian"
	// SigmaTruncated rounds the loads of SigmaGaussian down to integers; of equal ones a fair
	// coin decides.
	SigmaTruncated Information = "sigma-truncated"
)

// Informations lists the kinds of information, the default first.
func Informations() []Information {
	return []Information{Current, Batched, DelayedFixed, DelayedRandom, DelayedAdversary, GBounded, GMyopic,
		SigmaFormal, SigmaGaussian, SigmaTruncated}
}

// information maintains the reported loads of a process.
type information interface {
	// live returns all ones if the reported loads are the current ones, else 0.
	live() int64
	// reset begins a run; its initial loads are already in place.
	reset(p *Process)
	// ready brings the reports up to date, and returns the most balls that may be thrown in one call.
	ready(p *Process) int
	// throw throws len(into) balls of weights p.weights by the rule, which may write their bins to into.
	throw(p *Process, into []uint32)
}

// newInformation returns the information of a configuration with defaults applied.
func newInformation(c Config) information {
	switch {
	case c.Information == Batched:
		return newBatched(c)
	case c.Information == DelayedRandom:
		return newDelayedRandom(c)
	case c.delayed() && c.Delay > 1:
		return newDelayedFixed(c)
	}
	return current{}
}

// current is the information that reports current loads.
type current struct{}

func (current) live() int64                     { return -1 }
func (current) reset(*Process)                  {}
func (current) ready(*Process) int              { return block }
func (current) throw(p *Process, into []uint32) { p.rule.throw(p, into) }
