package allocation

// Ties selects how ties between equally loaded samples of a batch are broken. All ways but RandomTies
// reproduce published programs; they bias the first batch, where all loads are equal.
type Ties string

// The ways to break ties.
const (
	// RandomTies breaks every tie on its own: the first sample wins, which is fair. The default.
	RandomTies Ties = "random"
	// RankTies ranks the bins in a random order for the whole batch.
	RankTies Ties = "rank"
	// IndexTies prefers the bin with the larger index.
	IndexTies Ties = "index"
)

// TieRules lists the ways to break ties, the default first.
func TieRules() []Ties { return []Ties{RandomTies, RankTies, IndexTies} }

// ties ranks bins with equal loads, by a permutation of 0 ... n-1. It is nil under RandomTies.
type ties struct {
	rank   []int64
	random bool // a new permutation for every batch
}

func newTies(c Config) *ties {
	if c.Ties == RandomTies {
		return nil
	}
	return &ties{rank: make([]int64, c.Bins), random: c.Ties == RankTies}
}

// reset ranks the larger index first. Random permutations are shuffled from this one, so that a run does
// not depend on the runs before it.
func (t *ties) reset() {
	for i := range t.rank {
		t.rank[i] = int64(len(t.rank) - 1 - i)
	}
}

// apply reports loads with the rank as tie-breaker, n times the load plus the rank. O(n).
func (t *ties) apply(p *Process) {
	n := int64(len(t.rank))
	for i := n - 1; t.random && i > 0; i-- {
		j := p.coins.Below(uint64(i + 1))
		t.rank[i], t.rank[j] = t.rank[j], t.rank[i]
	}
	for i, load := range p.loads {
		p.seen[i] = n*load + t.rank[i]
	}
}
