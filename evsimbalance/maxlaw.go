package evsimbalance

import (
	"fmt"
	"math"
	"sort"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Limits of the exact law.
const (
	// maxExactBins bounds the bins, so that a law takes less than a second.
	maxExactBins = 1 << 24
	// maxExactBalls bounds the balls for fewBins bins or more.
	maxExactBalls = 1 << 30
	// fewBins is the number of bins below which the bound on balls is lower: the sum (4) of the package
	// then needs more points.
	fewBins = 16
	// maxExactBallsFewBins bounds the balls for 2 to fewBins - 1 bins, so that a law takes at most a
	// second or two.
	maxExactBallsFewBins = 1 << 21
)

// MaxLaw is the exact law of the maximum load of m balls that are thrown independently into n bins. Exact
// means up to floating point. With worst-case rounding every probability has an absolute error below (30
// sqrt(m n) + 130 n) 2^-52, which is 6e-11 for 2^21 balls in 32 bins; in tests it is below 1e-12. The
// terms left out contribute less than 1e-16. Make it with [NewMaxLaw] or [NewWeightedMaxLaw]. A MaxLaw is
// safe for concurrent use.
type MaxLaw struct {
	balls, bins int
	first       int       // the maximum is at least first
	cdf         []float64 // P[maximum <= first + i], ascending, the last is 1
}

// NewMaxLaw returns the law for bins of equal probability, or an error if balls is not in [1,
// 2^30], bins is not in [1, 2^24], or balls exceeds 2^21 for 2 to
// 15 bins. It takes O(sqrt(m/n) log n) time for many bins, two milliseconds for 2^21 balls in 32
// bins; for few bins the time grows towards O(m).
func NewMaxLaw(balls, bins int) (*MaxLaw, error) {
	if err := validateLaw(balls, bins, mostExactBalls(bins)); err != nil {
		return nil, err
	}
	return newMaxLaw(balls, []class{newClass(float64(balls)/float64(bins), bins)}), nil
}

// NewWeightedMaxLaw returns the law for bins with probabilities proportional to weights: with the EVs of
// each uplink as weights, it is the law of the packets on the busiest uplink when senders draw balls EVs
// uniformly. It returns an error if a weight is negative, all weights are 0, their sum exceeds
// math.MaxInt, there are more than 2^24 weights, or balls is not in [1, 2^21]. It
// takes the time of [NewMaxLaw] times the number of distinct weights.
func NewWeightedMaxLaw(balls int, weights []int) (*MaxLaw, error) {
	if len(weights) > maxExactBins {
		return nil, faults.New("evsimbalance", "len(weights)", len(weights), "must be at most %d", maxExactBins)
	}
	multiplicity, bins, total := map[int]int{}, 0, 0
	var distinct []int // in order of appearance, so that sums have a fixed order
	for i, w := range weights {
		if w < 0 {
			return nil, faults.New("evsimbalance", fmt.Sprintf("weights[%d]", i), w, "must be at least 0")
		}
		if w > math.MaxInt-total {
			return nil, faults.New("evsimbalance", fmt.Sprintf("weights[%d]", i), w,
				"must be at most %d, or the sum of the weights exceeds %d", math.MaxInt-total, math.MaxInt)
		}
		if w == 0 {
			continue
		}
		if multiplicity[w] == 0 {
			distinct = append(distinct, w)
		}
		multiplicity[w]++
		bins++
		total += w
	}
	if total == 0 {
		return nil, faults.New("evsimbalance", "weights", weights, "must not all be 0")
	}
	if err := validateLaw(balls, bins, maxExactBallsFewBins); err != nil {
		return nil, err
	}
	var classes []class
	for _, w := range distinct {
		classes = append(classes, newClass(float64(balls)*(float64(w)/float64(total)), multiplicity[w]))
	}
	law := newMaxLaw(balls, classes)
	law.bins = len(weights)
	return law, nil
}

// mostExactBalls returns the bound on the balls of an exact law.
func mostExactBalls(bins int) int {
	if bins > 1 && bins < fewBins {
		return maxExactBallsFewBins
	}
	return maxExactBalls
}

// validateLaw reports the faults of the size of a law.
func validateLaw(balls, bins, most int) error {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("bins", bins, 1, maxExactBins)
	bad.Check(balls >= 1 && balls <= most, "balls", balls, "must be in [1, %d] for %d bins", most, bins)
	return bad.Err()
}

// newMaxLaw evaluates the law, equations (3) and (4) of the package.
func newMaxLaw(balls int, classes []class) *MaxLaw {
	law := &MaxLaw{balls: balls}
	end, offset := 0, balls
	for i := range classes {
		c := &classes[i]
		law.bins += c.bins
		end = max(end, c.first+len(c.mass)-1)
		offset -= c.bins * c.centre
	}
	law.first = (balls + law.bins - 1) / law.bins
	if law.bins == 1 {
		law.cdf = []float64{1}
		return law
	}
	g := newGrid(balls, classes)
	starts := g.turns(-offset)
	var walks []*walk
	for _, c := range classes {
		walks = append(walks, newWalk(c, g))
	}
	// end is at least first, since masses reach beyond the largest mean, which is at least the mean over
	// all bins. No load exceeds the number of balls.
	end = min(end, balls)
	for k := law.first; k <= end; k++ {
		for _, w := range walks {
			w.advance(k)
		}
		law.cdf = append(law.cdf, g.sum(walks, starts))
	}
	law.normalise()
	return law
}

// normalise divides by the last value, which belongs to the certain event. It makes the probabilities
// ascend in spite of rounding and drops loads without probability at both ends.
func (l *MaxLaw) normalise() {
	all, last := l.cdf[len(l.cdf)-1], 0.0
	for i, p := range l.cdf {
		last = max(last, min(1, p/all))
		l.cdf[i] = last
	}
	const none = 1e-18
	for l.cdf[0] < none {
		l.cdf = l.cdf[1:]
		l.first++
	}
	for n := len(l.cdf); n > 1 && l.cdf[n-2] == 1; n-- {
		l.cdf = l.cdf[:n-1]
	}
}

// CDF returns the probability that the maximum load is at most k balls. Exact,
// see [MaxLaw]. O(1).
func (l *MaxLaw) CDF(k int) float64 {
	l.mustBeMade()
	switch i := k - l.first; {
	case i < 0:
		return 0
	case i >= len(l.cdf):
		return 1
	default:
		return l.cdf[i]
	}
}

// mustBeMade panics for the zero value.
func (l *MaxLaw) mustBeMade() {
	must.BeMade(l.cdf != nil, "evsimbalance: MaxLaw", "NewMaxLaw or NewWeightedMaxLaw")
}

// Mean returns the expected maximum load, in balls. Exact, see [MaxLaw]. O(K)
// for K loads that can be the maximum.
func (l *MaxLaw) Mean() float64 {
	l.mustBeMade()
	var above float64 // sum of P[maximum > k], small terms first
	for i := len(l.cdf) - 1; i >= 0; i-- {
		above += 1 - l.cdf[i]
	}
	return float64(l.first) + above
}

// Quantile returns the least load k, in balls, for which the maximum is at most k with probability at
// least p. p must be in (0, 1); otherwise Quantile panics. It is exact unless a probability is within its
// error of p. O(log K).
func (l *MaxLaw) Quantile(p float64) int {
	l.mustBeMade()
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("evsimbalance: Quantile: p (%v) must be in (0, 1)", p))
	}
	return l.first + sort.Search(len(l.cdf)-1, func(i int) bool { return l.cdf[i] >= p })
}

// Imbalance returns the imbalance of a maximum load: load / (m/n) - 1, in [-1, n - 1]. Possible maximum
// loads give at least 0. It panics unless load is finite. O(1).
func (l *MaxLaw) Imbalance(load float64) float64 {
	l.mustBeMade()
	must.BeFinite("evsimbalance: MaxLaw.Imbalance", "load", load)
	return imbalance(load, l.balls, l.bins)
}

// AtMost returns the probability that the imbalance of the maximum load is at
// most x, any number but NaN. Exact, see [MaxLaw], unless (1 + x) m/n is within rounding of
// an integer. O(1).
func (l *MaxLaw) AtMost(x float64) float64 {
	l.mustBeMade()
	must.BeWithin("evsimbalance: MaxLaw.AtMost", "x", x, math.Inf(-1), math.Inf(1))
	load := math.Floor((1 + x) * float64(l.balls) / float64(l.bins))
	return l.CDF(int(max(-1, min(load, float64(l.balls)))))
}

// imbalance returns load / (balls/bins) - 1.
func imbalance(load float64, balls, bins int) float64 {
	return load*float64(bins)/float64(balls) - 1
}

// GonnetMean returns Γ^-1(n) - 3/2, the asymptotic expected maximum load, in balls, of n balls in n bins:
// as n grows the difference to the expectation tends to 0, up to a small oscillation [Gonnet81]; it is
// below 0.25 for n from 16 to 2^24 (test). By Stirling's formula it grows as ln n / ln ln n. It panics if
// bins is below 1. O(1).
func GonnetMean(bins int) float64 {
	must.BeAtLeast("evsimbalance: GonnetMean", "bins", bins, 1)
	// Γ increases from Γ(2) = 1 on; n < 2^63 < Γ(22).
	low, high, target := 2.0, 22.0, math.Log(float64(bins))
	for range 60 {
		middle := (low + high) / 2
		if elementary.LogGamma(middle) < target {
			low = middle
		} else {
			high = middle
		}
	}
	return float64((low+high)/2) - 1.5
}
