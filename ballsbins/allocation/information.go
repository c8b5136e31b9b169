package allocation

// Information selects the loads that a rule sees.
type Information string

// The kinds of information. The last four are for rules that compare two samples: they say how the
// samples are compared if their current loads differ by D.
const (
	// Current loads, all balls counted. The default.
	Current Information = "current"
	// Batched reports the loads at the start of the current batch of Batch balls; a run may end within a
	// batch [Berenbrink12].
	Batched Information = "batched"
	// GBounded: the lighter sample gets the ball if D > Width, otherwise the heavier one [Los22b].
	GBounded Information = "g-bounded"
	// GMyopic: the lighter sample gets the ball if D > Width, otherwise a fair coin decides [Los22b].
	GMyopic Information = "g-myopic"
	// SigmaFormal: the lighter sample gets the ball with probability 1 - exp(-(D/σ)²)/2 [Los22b].
	SigmaFormal Information = "sigma-formal"
	// SigmaGaussian adds independent normal noise of standard deviation σ to both loads, so the
	// lighter sample gets the ball with probability Φ(D/(σ sqrt 2)).
	SigmaGaussian Information = "sigma-gaussian"
)

// Informations lists the kinds of information, the default first.
func Informations() []Information {
	return []Information{Current, Batched, GBounded, GMyopic, SigmaFormal, SigmaGaussian}
}
