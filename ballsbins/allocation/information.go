package allocation

// Information selects the loads that a rule sees.
type Information string

// The kinds of information. The last four say how two samples are compared, by a difference D of
// their current loads, and belong to rules that compare two samples.
const (
	// Current loads, all balls counted. The default.
	Current Information = "current"
	// Batched loads are those at the start of the batch of Batch balls; a run may end within one
	// [Berenbrink12].
	Batched Information = "batched"
	// GBounded: the lighter sample gets the ball if D > Width, else the heavier one [Los22b].
	GBounded Information = "g-bounded"
	// GMyopic: the lighter sample gets the ball if D > Width, else a fair coin decides [Los22b].
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
