package recycled

import (
	"math"

	"repslab/faults"
	"repslab/internal/must"
)

// maxPhaseOneBins bounds the bins of a [PhaseOne].
const maxPhaseOneBins = 1 << 14

// phaseOneCut is the probability below which a state of phase one is dropped.
const phaseOneCut = 1e-25

// PhaseOne is the exact law of phase one of the self-clocked process at λ = 1,
// from empty bins until no bin is empty, without a threshold (τ infinite, or no
// bin overfull before the end). Make it with [NewPhaseOne].
//
// The number j of empty bins is then a Markov chain: j balls are thrown, and the empty bins that they hit
// become non-empty. Throwing ball by ball gives the law of the number of hits,
//
//	P[h hits of b+1 balls] = P[h of b] (n-j+h)/n + P[h-1 of b] (j-h+1)/n   (2)
//
// where no term is negative, and the chain only descends, so no equations need solving.
// Exact up to floating point: relative errors are below 6 n² 2^-53, and dropped states
// add less than 1e-25 n³.
//
// With a threshold τ >= 1 the law is an upper bound. Let e(k) be the number of bins that the first k
// uniform throws leave empty. It falls by at most one per throw, so k + e(k) never falls. Without a
// threshold a round takes the number of throws from k to k + e(k); with a threshold it takes it further,
// since overfull bins throw as well. So on the same throws the process with a threshold is never behind:
// its phase one lasts no longer, and M at the end, the sum of e(k) over the rounds, is no larger.
type PhaseOne struct {
	bins int
	hits []hitLaw // hits[j] is the law from j empty bins; zero if j never occurs
	// visited[j] is the probability that at some time j bins are empty.
	visited []float64
}

// hitLaw is the law of the number of empty bins that are hit in a round:
// P[least + i hits] = law[i].
type hitLaw struct {
	least int
	law   []float64
}

// NewPhaseOne computes the chain for bins in [1, 2^14]; otherwise it returns a
// [*faults.FieldError]. About O(n^2.5) time and O(n^1.5) memory: 0.03 s for n = 1,024, 0.6 s for 4,096, 12 s
// for 16,384.
func NewPhaseOne(bins int) (*PhaseOne, error) {
	if bins < 1 || bins > maxPhaseOneBins {
		return nil, faults.New("recycled", "bins", bins, "must be in [1, %d] for the law of phase one", maxPhaseOneBins)
	}
	p := &PhaseOne{bins: bins, hits: make([]hitLaw, bins+1), visited: make([]float64, bins+1)}
	p.visited[bins] = 1
	shares := binShares(bins)
	for j := bins; j > 0; j-- {
		if p.visited[j] < phaseOneCut {
			continue
		}
		p.hits[j] = newHitLaw(shares, j)
		leave := p.hits[j].leave()
		p.hits[j].each(func(hits int, probability float64) {
			if hits > 0 {
				p.visited[j-hits] += p.visited[j] * probability / leave
			}
		})
	}
	return p, nil
}

// binShares returns k/n for k = 0, ..., n.
func binShares(bins int) []float64 {
	shares := make([]float64, bins+1)
	for k := range shares {
		shares[k] = float64(k) / float64(bins)
	}
	return shares
}

// newHitLaw returns the law of the hits when j balls are thrown into n bins and j bins are empty, by
// equation (2). shares are k/n.
func newHitLaw(shares []float64, empty int) hitLaw {
	bins := len(shares) - 1
	n := float64(bins)
	least := 0
	law := make([]float64, 1, 64)
	law[0] = 1
	for range empty {
		law = append(law, 0)
		missed := shares[bins-empty+least:] // missed[i] is the probability of no hit after least + i hits
		for i := len(law) - 1; i > 0; i-- {
			law[i] = float64(law[i]*missed[i]) + float64(law[i-1]*float64(empty-least-i+1)/n)
		}
		law[0] *= missed[0]
		for law[len(law)-1] < phaseOneCut {
			law = law[:len(law)-1]
		}
		for law[0] < phaseOneCut {
			law = law[1:]
			least++
		}
	}
	return hitLaw{least, law}
}

// each calls f with every number of hits and its probability.
func (h hitLaw) each(f func(hits int, probability float64)) {
	for i, p := range h.law {
		f(h.least+i, p)
	}
}

// leave returns the probability of at least one hit.
func (h hitLaw) leave() float64 {
	var sum float64
	h.each(func(hits int, probability float64) {
		if hits > 0 {
			sum += probability
		}
	})
	return sum
}

// Mean returns the exact expected rounds of phase one, and the exact expected number of balls in the bins
// at its end. Both are upper bounds for the process with a threshold. O(n^1.5).
func (p *PhaseOne) Mean() (rounds, balls float64) {
	must.BeMade(p.bins > 0, "recycled: PhaseOne", "NewPhaseOne")
	for j := 1; j <= p.bins; j++ {
		if p.visited[j] < phaseOneCut {
			continue
		}
		stay := p.visited[j] / p.hits[j].leave() // expected rounds with j empty bins
		rounds += stay
		balls += float64(stay * float64(j))
	}
	return rounds, balls
}

// BallsTail returns the exact probability that M exceeds balls at the end of phase one, with a relative
// error below 6 n balls 2^-53 down to 1e-20. For balls = n τ it is an upper bound on the probability that
// the process with threshold τ never converges. It panics if balls is negative. For each number of balls it follows
// the few likely numbers of empty bins: 0.04 s for n = 1,024 and balls = 28 n.
func (p *PhaseOne) BallsTail(balls int) float64 {
	must.BeMade(p.bins > 0, "recycled: PhaseOne", "NewPhaseOne")
	must.BeAtLeast("recycled: PhaseOne.BallsTail", "balls", balls, 0)
	if n := float64(p.bins); float64(balls) > n*(math.Log(n)+75) {
		return 0 // by NeverConvergesBound all states with so many balls are less likely than phaseOneCut
	}
	// ring[m mod (n+1)][j]: m balls and j empty bins at the end of some round; a
	// round adds at most n balls.
	size := p.bins + 1
	ring := make([][]float64, size)
	for i := range ring {
		ring[i] = make([]float64, size)
	}
	most := make([]int, size) // the largest j of each row of the ring
	ring[0][p.bins], most[0] = 1, p.bins
	var tail float64
	for m := 0; m <= balls; m++ {
		row := ring[m%size]
		for j := 1; j <= most[m%size]; j++ {
			switch {
			case row[j] < phaseOneCut:
			case m+j > balls:
				tail += row[j]
			default:
				target := ring[(m+j)%size]
				p.hits[j].each(func(hits int, probability float64) {
					target[j-hits] += float64(row[j] * probability)
				})
				most[(m+j)%size] = max(most[(m+j)%size], j)
			}
		}
		clear(row[:most[m%size]+1])
		most[m%size] = 0
	}
	return tail
}
