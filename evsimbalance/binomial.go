package evsimbalance

import (
	"math"
	"math/bits"

	"repslab/internal/elementary"
	"repslab/mc"
)

// Limits between the methods of drawing a binomial number.
const (
	mostCoins     = 1 << 11 // coins that are tossed one bit each
	leastRejected = 10      // expected successes from which rejection is valid
)

// binomial returns an exact draw of the number of successes in n trials of probability p, 0 < p <= 1/2, n
// >= 0. Exact means up to the 53 bits of a uniform number and the rounding of an acceptance probability,
// 1e-10 for n = 2^30. O(n/64) for p = 1/2 and few trials, otherwise O(1). No allocation.
func binomial(r *mc.Rand, n int, p float64) int {
	switch {
	case p == 0.5 && n <= mostCoins:
		return heads(r, n)
	case float64(n)*p < leastRejected:
		return invert(r, n, p)
	default:
		return reject(r, n, p)
	}
}

// heads returns the number of heads of n fair coins, with 64 coins per word.
func heads(r *mc.Rand, n int) int {
	rng, count := *r, 0
	for ; n >= 64; n -= 64 {
		count += bits.OnesCount64(rng.Uint64())
	}
	if n > 0 {
		count += bits.OnesCount64(rng.Uint64() >> (64 - n))
	}
	*r = rng
	return count
}

// invert walks up the distribution function until it passes a uniform number
// [Kachitvichyanukul88], O(n p). For n p < 10 the first probability is at least
// 2^-20.
func invert(r *mc.Rand, n int, p float64) int {
	odds := p / (1 - p)
	mass := elementary.Exp(float64(n) * elementary.Log1p(-p))
	u := r.Float64()
	for k := 0; k < n; k++ {
		if u < mass {
			return k
		}
		u -= mass
		mass *= float64(n-k) / float64(k+1) * odds
	}
	return n
}

// reject draws by transformed rejection with a squeeze [Hormann93, algorithm
// BTRS], valid for n p >= 10: most draws need two uniform numbers and no
// logarithm.
func reject(r *mc.Rand, n int, p float64) int {
	trials := float64(n)
	spread := math.Sqrt(trials * p * (1 - p))
	b := 1.15 + float64(2.53*spread)
	a := -0.0873 + float64(0.0248*b) + float64(0.01*p)
	centre := float64(trials*p) + 0.5
	squeeze := 0.92 - 4.2/b
	for {
		v, u := r.Float64(), r.Float64()-0.5
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*a/us+b)*u) + centre)
		if us >= 0.07 && v <= squeeze {
			return int(k)
		}
		if !(k >= 0 && k <= trials) {
			continue
		}
		alpha := (2.83 + 5.1/b) * spread
		mode := math.Floor((trials + 1) * p)
		if math.Log(v*alpha/(a/(us*us)+b)) <= logMass(trials, p, k)-logMass(trials, p, mode) {
			return int(k)
		}
	}
}

// logMass returns ln P[Binomial(n, p) = k] plus a term that depends on n alone. It uses the deviance form
// [Loader00], in which terms do not cancel: near the mean the absolute error is about 1e-15 sqrt(n).
func logMass(n, p, k float64) float64 {
	switch k {
	case 0:
		return float64(n*elementary.Log1p(-p)) - stirlingRest(n) + float64(0.5*math.Log(2*math.Pi))
	case n:
		return float64(n*math.Log(p)) - stirlingRest(n) + float64(0.5*math.Log(2*math.Pi))
	}
	return float64(0.5*math.Log(n/(k*(n-k)))) - stirlingRest(k) - stirlingRest(n-k) - deviance(k, float64(n*p)) - deviance(n-k, float64(n*(1-p)))
}

// deviance returns x ln(x/mean) + mean - x, at least 0, for x > 0.
func deviance(x, mean float64) float64 {
	e := (x - mean) / mean
	return float64(mean * (float64((1+e)*elementary.Log1p(e)) - e))
}

// stirlingRest returns ln x! minus Stirling's x ln x - x + ln(2 pi x)/2, for x >= 1, with an absolute
// error below 1e-13.
func stirlingRest(x float64) float64 {
	if x < 16 {
		return elementary.LogGamma(x+1) - (float64(x*math.Log(x)) - x + float64(0.5*math.Log(2*math.Pi*x)))
	}
	return elementary.StirlingRest(x)
}
