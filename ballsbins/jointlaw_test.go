package ballsbins

import (
	"errors"

	"repslab/faults"
)

// Limits of a joint law.
const (
	MaxJointBins   = 6       // bins
	maxJointStates = 1 << 24 // load vectors that are kept, 128 MiB
	// jointCut is the probability that a round may lose at the top.
	jointCut = 1e-17
)

// ErrNoJointLaw reports that this package has no joint law for a configuration: its policy
// is not uniform, or its balls do not weigh 1.
var ErrNoJointLaw = errors.New("ballsbins: the joint law is defined for the uniform policy and balls of weight 1")

// JointLaw is the exact law of all loads of the batched process together, round
// by round, for a few bins under the uniform policy with balls of weight 1. Bins
// are exchangeable, so states are load vectors in descending order. Make it with
// [NewJointLaw].
//
// Load vectors above a largest load are dropped, at most 1e-17 of probability per round
// as long as 2^24 vectors suffice; [JointLaw.MeanMax] bounds their effect. Exact otherwise
// up to floating point: no term is negative, so after T rounds of n bins a probability has
// a relative error below 8 T n² 2^-53, to which sums over load vectors add at most their
// number times 2^-53.
//
// With loads up to K a round costs O(n² C(K+n, n)). K grows as the square root
// of the rounds at λ = 1: 1,000 rounds of n = 2 take 0.1 s, 200 rounds of n = 3
// one second, 100 rounds of n = 4 a few; 1,000 rounds of n = 3 take a minute.
type JointLaw struct {
	bins    int
	lambda  float64
	variant Variant
	// law[rank(x)] is the probability of the vector x_1 >= ... >= x_n. In the
	// order of ranks the largest load comes first, so that vectors of loads up to
	// K have the ranks below C(K+n, n).
	law     []float64
	largest int     // K: no vector of law has a larger load
	below   [][]int // below[r][x] = C(x+r-1, r), the number of descending vectors of r loads below x
	loads   []int   // scratch: a load vector
	lost    float64
	deficit float64 // bound on the contribution of the lost mass to the mean maximum
}

// NewJointLaw returns the law before round 1: all bins empty. The error lists the faults
// of cfg, reports more than MaxJointBins bins, or is ErrNoJointLaw.
func NewJointLaw(cfg Config) (*JointLaw, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if cfg.Policy != Uniform || cfg.Variant == Weighted {
		return nil, ErrNoJointLaw
	}
	if cfg.Bins > MaxJointBins {
		return nil, faults.New("ballsbins", "Bins", cfg.Bins, "must be in [1, %d] for a joint law", MaxJointBins)
	}
	l := &JointLaw{
		bins:    cfg.Bins,
		lambda:  cfg.Lambda,
		variant: cfg.Variant,
		law:     []float64{1},
		below:   make([][]int, cfg.Bins+1),
		loads:   make([]int, cfg.Bins),
	}
	l.tabulate(1)
	return l, nil
}

// tabulate fills the table of ranks for loads up to x.
func (l *JointLaw) tabulate(x int) {
	for r := range l.below {
		for y := len(l.below[r]); y <= x; y++ {
			value := 1
			for i := range r {
				// Every partial product is a binomial coefficient, so an integer.
				value = value * (y + i) / (i + 1)
			}
			l.below[r] = append(l.below[r], value)
		}
	}
}

// Step advances the law by one round.
func (l *JointLaw) Step() {
	// The loads of the lost vectors may grow by n balls per round.
	l.deficit += float64(l.lost * float64(l.bins))
	if l.variant == ServeThenArrive {
		l.serve()
		l.arrive()
	} else {
		l.arrive()
		l.serve()
	}
	l.cut()
}

// serve takes a ball out of every non-empty bin. Ranks fall, so an ascending
// pass finds every vector before it is overwritten.
func (l *JointLaw) serve() {
	x := l.loads
	clear(x)
	for rank, p := range l.law {
		if p > 0 {
			target := 0
			for i, load := range x {
				target += l.below[l.bins-i][max(0, load-1)]
			}
			l.law[rank] = 0
			l.law[target] += p
		}
		// The next vector: raise the last load that is below its predecessor.
		i := l.bins - 1
		for i > 0 && x[i] == x[i-1] {
			x[i] = 0
			i--
		}
		x[i]++
	}
}

// arrive throws n balls, each lost with probability 1 - λ.
func (l *JointLaw) arrive() {
	n := l.bins
	l.largest += n
	l.tabulate(l.largest + 1)
	grown := l.below[n][l.largest+1]
	l.law = append(l.law, make([]float64, grown-len(l.law))...)
	for ball := range n {
		l.throw(l.largest - n + ball)
	}
}

// throw throws one ball at vectors of loads up to highest. Ranks rise, so a
// descending pass finds every vector before it gets mass of this throw.
func (l *JointLaw) throw(highest int) {
	n := l.bins
	x := l.loads
	for i := range x {
		x[i] = highest
	}
	for rank := l.below[n][highest+1] - 1; rank >= 0; rank-- {
		if p := l.law[rank]; p > 0 {
			l.law[rank] = p * (1 - l.lambda)
			share := p * l.lambda / float64(n)
			for i := 0; i < n; {
				// A ball for any of some equal loads raises the first of them.
				first := i
				for i < n && x[i] == x[first] {
					i++
				}
				// C(x+r, r) - C(x+r-1, r) = C(x+r-1, r-1)
				target := rank + l.below[n-first-1][x[first]+1]
				l.law[target] += float64(share * float64(i-first))
			}
		}
		// The previous vector: lower the last load that is not zero.
		i := n - 1
		for i > 0 && x[i] == 0 {
			i--
		}
		x[i]--
		for j := i + 1; j < n; j++ {
			x[j] = x[i]
		}
	}
}

// cut drops the vectors of the largest loads, as many loads as lose at most
// jointCut together, and more if there are too many vectors.
func (l *JointLaw) cut() {
	var cut float64
	for l.largest > 0 {
		start := l.below[l.bins][l.largest]
		var shell float64
		for _, p := range l.law[start:] {
			shell += p
		}
		if cut+shell > jointCut && len(l.law) <= maxJointStates {
			return
		}
		cut += shell
		l.lost += shell
		l.deficit += float64(shell * float64(l.largest))
		l.law = l.law[:start]
		l.largest--
	}
}

// MaxLaw returns P[maximum load = k] for k = 0, 1, ..., without the lost mass.
// O(C(K+n, n)).
func (l *JointLaw) MaxLaw() []float64 {
	law := make([]float64, l.largest+1)
	for k := range law {
		for _, p := range l.law[l.below[l.bins][k]:min(len(l.law), l.below[l.bins][k+1])] {
			law[k] += p
		}
	}
	return law
}

// MeanMax returns the exact expected maximum load, in balls, without the
// contribution of the lost mass, which lies in [0, bound]: lost mass is counted
// with its load when it was lost and n more balls for every round since.
// O(C(K+n, n)).
func (l *JointLaw) MeanMax() (mean, bound float64) {
	law := l.MaxLaw()
	for k := len(law) - 1; k > 0; k-- {
		mean += float64(float64(k) * law[k])
	}
	return mean, l.deficit
}

// LostMass returns the probability dropped so far. O(1).
func (l *JointLaw) LostMass() float64 { return l.lost }
