package recycled

import (
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
)

// NeverBounds returns a lower and an upper bound on P[a run of self-clocked from empty bins never
// converges] at λ = 1, for any n = bins in [2, MaxBins] and τ = threshold in [1, MaxThreshold]; otherwise
// an error. They are proved (docs/threshold.md), and computed in floating point with an error below 1e-9.
//
// Let e(k) be the number of bins that the first k random throws miss, and g(k) the number of holes that
// they leave. A run never converges if for some k0 < k1
//
//	2 e(k1) (k1 - k0) >= g(k0) (2 e(k0) + g(k0)),  e(k1) > 0
//
// (step S21 of docs/proof.md). It converges with probability one if for each k in phase one, with a z(k) >= 1
// such that the first k throws hit no bin more than τ + z(k) times,
//
//	g(k) >= 4 e(k) + 4 z(k+1) e(k+1)/g(k+1) + 4 z(k+2) e(k+2)/g(k+2) + ...
//
// (step S22). The number of bins with fewer than j hits is a sum of negatively associated indicators, so
// Chernoff's bounds hold for it [Doerr20]; e is this number for j = 1, and g is the sum of these numbers
// over j <= τ. The lower bound tends to 1 for τ below a* ln n, and is 0 for τ > 2 ln n + 2. The upper
// bound is at most [NeverConvergesBound] and tends to 0 for τ above a* ln n: at n = 2^20, where ln n is
// 13.9, it is below 0.05 from τ = 9 on. O(τ (ln n)²): 0.2 s for n = 2^20.
func NeverBounds(bins, threshold int) (lower, upper float64, err error) {
	bad := faults.List{Package: "recycled"}
	bad.In("bins", bins, 2, MaxBins)
	bad.In("threshold", threshold, 1, MaxThreshold)
	if err := bad.Err(); err != nil {
		return 0, 0, err
	}
	o := occupancy{float64(bins), math.Log(float64(bins)), threshold}
	upper = NeverConvergesBound(bins, threshold)
	for failure := 1e-12; failure < min(0.1, upper); failure *= 100 {
		upper = min(upper, o.fails(failure))
	}
	if float64(threshold) <= 2*o.logBins+2 {
		lower = o.certain()
	}
	return lower, upper, nil
}

// occupancy computes laws of the numbers of bins with few hits.
type occupancy struct {
	n, logBins float64
	threshold  int
}

// missed returns the mean number of bins that the given number of throws miss.
func (o occupancy) missed(throws float64) float64 {
	return float64(o.n * elementary.Exp(throws*elementary.Log1p(-1/o.n)))
}

// means returns the mean numbers of bins that the throws hit fewer than j times, j = 1, ..., τ.
func (o occupancy) means(throws float64) []float64 {
	means := make([]float64, o.threshold)
	term, mean := o.missed(throws), 0.0
	for j := range means {
		mean += term
		means[j] = min(mean, float64(o.n*(1-1e-15)))
		term *= max(0, throws-float64(j)) / float64(j+1) / (o.n - 1)
	}
	return means
}

// holes returns a bound on g: the sum over j of the bounds on the number of bins with fewer than j hits.
// Each of these fails with at most the given probability. end is 0 for a lower bound and n for an upper
// bound.
func (o occupancy) holes(means []float64, failure, end float64) (sum float64) {
	for _, mean := range means {
		sum += o.passed(mean, failure, end)
	}
	return sum
}

// passed returns a bound, between mean and end, that a number of bins reaches or passes with a
// probability of at most failure. The number has the given mean, and end is 0 or n. Without such a bound
// it returns end.
func (o occupancy) passed(mean, failure, end float64) float64 {
	inside := mean
	for range 30 {
		if middle := (inside + end) / 2; chernoff(o.n, mean, middle) > failure {
			inside = middle
		} else {
			end = middle
		}
	}
	if end > mean {
		return math.Floor(end)
	}
	return math.Ceil(end)
}

// chernoff returns an upper bound on the probability that a sum of n indicators, independent or negatively
// associated, reaches or passes x from its mean: exp(-n D(x/n, mean/n)), D the relative entropy.
func chernoff(n, mean, x float64) float64 {
	rate := 0.0
	if x > 0 {
		rate += float64(x * math.Log(x/mean))
	}
	if x < n {
		rate += float64((n - x) * elementary.Log1p((mean-x)/(n-mean)))
	}
	return elementary.Exp(-rate)
}

// certain returns the lower bound: the best over k0 and k1, on a grid of k/n - ln n, and over failure
// probabilities of the bounds on e(k0) and g(k0).
func (o occupancy) certain() (best float64) {
	const step, last = 0.25, 4
	for x := -o.logBins; x < last; x += step {
		from := math.Ceil(o.n * (o.logBins + x))
		means := o.means(from)
		for failure := 0.1; failure > 1e-7; failure /= 10 {
			empty, holes := o.passed(means[0], failure, o.n), o.holes(means, failure, o.n)
			for y := x + step; y < last; y += step {
				to := math.Ceil(o.n * (o.logBins + y))
				fewest := fewestEmpty(empty, holes, to-from)
				if mean := o.missed(to); fewest-1 < mean {
					best = max(best, 1-float64(float64(o.threshold)*failure)-chernoff(o.n, mean, fewest-1))
				}
			}
		}
	}
	return best
}

// fewestEmpty returns the least e(k1) with which a run never converges, given e(k0), g(k0) and k1 - k0.
func fewestEmpty(empty, holes, throws float64) float64 {
	return max(1, math.Ceil(holes*(float64(2*empty)+holes)/2/throws))
}

// fails returns the upper bound if the bound on each number, at each k of a grid, fails with a
// probability of at most failure. It is the best over k, where a bin that is still empty after k throws
// counts as a failure.
func (o occupancy) fails(failure float64) float64 {
	const step, last = 0.125, 30
	width := math.Ceil(o.n * step)
	var empty, holes, most []float64
	least := 1.0
	for j := 0; width*float64(j) < o.n*(o.logBins+last); j++ {
		k := float64(width * float64(j))
		means := o.means(k)
		mostEmpty, fewestHoles := o.ends(means, k, failure)
		empty, holes = append(empty, mostEmpty), append(holes, fewestHoles)
		most = append(most, o.excess(k+width, failure))
		if bound := float64(float64((o.threshold+2)*(j+1))*failure) + o.missed(k); bound < least {
			if !o.converges(empty[:j], holes, most, width) {
				return least
			}
			least = bound
		}
	}
	return least
}

// ends returns the most empty bins and the fewest holes after k throws, from the means for k. Each of the
// τ bounds behind them fails with a probability of at most failure. There are never fewer holes than n τ
// - k.
func (o occupancy) ends(means []float64, k, failure float64) (mostEmpty, fewestHoles float64) {
	return o.passed(means[0], failure, o.n), max(o.holes(means, failure, 0), float64(o.n*float64(o.threshold))-k)
}

// excess returns z of the condition: the throws hit some bin more than τ + z times with a probability of
// at most failure. While τ + z + 1 is below the mean, chernoff bounds the other tail, and z may come out too
// small. That is harmless: n times this bound is more than e^(τ+2) times the mean number of empty bins, so the
// most empty bins are below 1 if it is at most failure, and [occupancy.converges] skips these throws.
func (o occupancy) excess(throws, failure float64) float64 {
	z := 1.0
	for chernoff(throws, throws/o.n, float64(o.threshold)+z+1)*o.n > failure {
		z++
	}
	return z
}

// converges reports whether the condition holds at every k of a grid but the last. empty has the most
// empty bins at each k, holes the fewest holes (also at the last k), most the largest excess of a bin up
// to the next k. Each empty bin has τ holes.
func (o occupancy) converges(empty, holes, most []float64, width float64) bool {
	rest := 0.0
	for j := len(empty) - 1; j >= 0; j-- {
		if empty[j] < 1 {
			continue
		}
		rest += float64(4 * most[j] * width * min(empty[j]/holes[j+1], 1/float64(o.threshold)))
		if float64(4*empty[j])+rest > holes[j+1] {
			return false
		}
	}
	return true
}
