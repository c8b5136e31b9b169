package allocation

// Ties selects how equally loaded samples of a batch are told apart. The other ways than
// RandomTies reproduce published programs; they bias the first batch, where all loads are equal.
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

// ties is the rank of each bin among equally loaded ones, a permutation of 0 ... n-1; nil for
// random ties.
type ties struct {
	rank   []int64
	random bool // another permutation for every batch
}

func newTies(c Config) *ties {
	if c.Ties == RandomTies {
		return nil
	}
	return &ties{rank: make([]int64, c.Bins), random: c.Ties == RankTies}
}

// reset ranks the larger index first: a random order is shuffled from there, so that a run does not
// depend on the runs before it.
func (t *ties) reset() {
	for i := range t.rank {
		t.rank[i] = int64(len(t.rank) - 1 - i)
	}
}

// apply reports loads that differ by rank where they are equal. O(n).
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
