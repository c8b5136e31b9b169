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
	h := newHat(trials, p)
	for {
		v, u := r.Float64(), r.Float64()-0.5
		us := 0.5 - math.Abs(u)
		k := h.place(u, us)
		if us >= squeezed && v <= h.squeeze {
			return int(k)
		}
		if !(k >= 0 && k <= trials) {
			continue
		}
		mode := math.Floor((trials + 1) * p)
		if math.Log(h.share(v, us)) <= logMass(trials, p, k)-logMass(trials, p, mode) {
			return int(k)
		}
	}
}

// hat is the density of the numbers that reject proposes, with the constants of algorithm BTRS.
type hat struct{ spread, a, b, centre, squeeze float64 }

const squeezed = 0.07 // distance of u from its ends from which the squeeze is valid

func newHat(trials, p float64) hat {
	h := hat{spread: math.Sqrt(trials * p * (1 - p))}
	h.b = 1.15 + float64(2.53*h.spread)
	h.a = -0.0873 + float64(0.0248*h.b) + float64(0.01*p)
	h.centre = float64(trials*p) + 0.5
	h.squeeze = 0.92 - 4.2/h.b
	return h
}

// place returns the number that is proposed for u in (-1/2, 1/2), at the distance us from the nearer end.
func (h *hat) place(u, us float64) float64 { return math.Floor(float64((2*h.a/us+h.b)*u) + h.centre) }

// share returns the part v of the hat at us, relative to the mass of the mode.
func (h *hat) share(v, us float64) float64 {
	alpha := (2.83 + 5.1/h.b) * h.spread
	return v * alpha / (h.a/(us*us) + h.b)
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
