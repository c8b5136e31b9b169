package recycled

import (
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
)

// mostRoom is the largest room, in sqrt(d), for which [BoundaryLaw] was compared with runs.
const mostRoom = 2.25

// BoundaryLaw returns the room W - d, in balls of a flow, at which recycling by per-flow senders breaks down
// when a step marks above τ = threshold, in balls, with a round trip of d = delay rounds:
//
//	W - d = τ - sqrt(d ln(d / 2π)).
//
// It is a law that was derived by a heuristic argument and has no fitted parameter; it is neither exact nor
// a bound. Argument: a port that owns more than τ + d tokens loses d + 1 of them, and every lost token is a
// random throw, so the loss of tokens feeds itself when d P[a port owns τ + d] = 1; loads are Normal(W, d).
// The number of ports does not enter. Against 11 simulated boundaries of 512 ports the root mean square
// error is 0.31 balls. It holds for rings that do not overflow (about 1.3 sqrt(d) entries) and many ports.
//
// delay must be finite and at least 2πe (17.1), so that ln(d/2π) >= 1. The threshold must leave a room in (0,
// 2.25 sqrt(d)]: with more room the window does not bind within 20 round trips. Otherwise it returns joined
// [*faults.FieldError] values. O(1).
func BoundaryLaw(threshold, delay float64) (room float64, err error) {
	bad := faults.List{Package: "recycled"}
	bad.Check(delay >= 2*math.Pi*math.E && delay <= math.MaxFloat64, "delay", delay, "must be finite and at least 2πe (17.08)")
	if err := bad.Err(); err != nil {
		return 0, err
	}
	margin := math.Sqrt(delay * math.Log(delay/(2*math.Pi)))
	most := margin + float64(mostRoom*math.Sqrt(delay))
	bad.Check(threshold > margin && threshold <= most, "threshold", threshold,
		"must be above %.4g and at most %.4g for a delay of %v", margin, most, delay)
	if err := bad.Err(); err != nil {
		return 0, err
	}
	return threshold - margin, nil
}

// maxCriticalDelay bounds the delay of [CriticalWindow].
const maxCriticalDelay = 1 << 14

// toppling is the toppling model: balls are thrown into uniform ports, and a port that reaches τ + d + 1
// balls keeps τ and gives d + 1 back to be thrown again. It is ACK-clocked recycling when random throws are
// rare. A port that was hit h times has toppled floor((h - τ)/(d+1)) times, at least 0, in any order of the
// throws. So after s throws a port it holds
//
//	F(s) = s - (d+1) E floor((N - τ)/(d+1))^+,  N ~ Poisson(s),
//
// balls in the mean, as the number of ports grows, and W balls a port come to rest if W < sup F.
type toppling struct{ threshold, period float64 } // period is d + 1

// CriticalWindow returns W_c - d, in balls of a flow, for W_c = sup F of the toppling model of ACK-clocked
// recycling: τ = threshold in [1, MaxThreshold], d = delay in [0, 2^14]; otherwise joined
// [*faults.FieldError] values. As the number of ports grows, the throws of that model end in probability if W <
// W_c, and go on beyond every number of throws a port if W > W_c. Exact for that model, with an error below
// 1e-8 of τ + d; for the clocking [Ack] with its delays it is a conjecture, up to about one ball. It is
// negative if W_c < d. 1 ms for d = 200, 0.5 s for the largest delay.
//
// F(s) <= s, F(s) tends to τ + d/2, and F falls only near s = τ - 1 + k (d+1), where ports are about to
// topple for the k-th time: F'(s) = 1 - (d+1) sum over k of P[N = τ - 1 + k (d+1)].
func CriticalWindow(threshold, delay int) (room float64, err error) {
	bad := faults.List{Package: "recycled"}
	bad.In("threshold", threshold, 1, MaxThreshold)
	bad.In("delay", delay, 0, maxCriticalDelay)
	if err := bad.Err(); err != nil {
		return 0, err
	}
	m := toppling{float64(threshold), float64(delay + 1)}
	limit := m.threshold + float64(float64(delay)/2)
	best := limit
	for s := m.threshold + m.period - 1; limit+m.swing(s-m.period) > best; s += m.period {
		half, falls := float64(m.period/2), s
		if m.slope(s) >= 0 {
			falls = goldenSection(s-half, s+half, m.slope)
		}
		if m.slope(falls) < 0 {
			best = max(best, m.held(m.top(s-half, falls)))
		}
	}
	return best - float64(delay), nil
}

// swing returns an upper bound on F(u) - τ - d/2 for all u >= s, and 0 if it is negligible. The mean of N
// modulo m = d + 1 is a Fourier series. Harmonics k and m - k are damped by exp(-2 s sin(πk/m)²), which is at
// most q^k for q = exp(-2 s sin(π/m)²), and have amplitudes of at most m/(4k). That N can be below τ only
// lowers F.
func (m toppling) swing(s float64) float64 {
	_, sine := elementary.RootOfUnity(1, 2*int64(m.period))
	bound := -m.period / 2 * math.Log(max(1e-300, -elementary.Expm1(-2*s*sine*sine)))
	if m.period == 1 || bound < 1e-9*s {
		return 0
	}
	return bound
}

// top returns the zero of F' between rises, where it is positive, and falls, where it is negative.
func (m toppling) top(rises, falls float64) float64 {
	for range 60 {
		if middle := (rises + falls) / 2; m.slope(middle) > 0 {
			rises = middle
		} else {
			falls = middle
		}
	}
	return rises
}

// slope returns F'(s).
func (m toppling) slope(s float64) float64 {
	spread := float64(10*math.Sqrt(s)) + 40
	k := max(1, math.Ceil((s-spread-m.threshold+1)/m.period))
	sum := 0.0
	for at := m.threshold - 1 + float64(k*m.period); at < s+spread; at += m.period {
		sum += poisson(s, at)
	}
	return 1 - float64(m.period*sum)
}

// held returns F(s), by a sum over the likely N.
func (m toppling) held(s float64) float64 {
	spread := float64(10*math.Sqrt(s)) + 40
	sum, topples, weight := 0.0, 0.0, 1.0
	for n := max(0, math.Ceil(s-spread)); n < s+spread; n++ {
		sum += weight
		topples += float64(weight * max(0, math.Floor((n-m.threshold)/m.period)))
		weight *= s / (n + 1)
	}
	return s - float64(m.period*topples/sum)
}

// poisson returns P[N = n] for N ~ Poisson(mean), mean > 0.
func poisson(mean, n float64) float64 {
	if n < 16 {
		return elementary.Exp(float64(n*math.Log(mean)) - mean - elementary.LogGamma(n+1))
	}
	x := (mean - n) / n
	return elementary.Exp(float64(n*(elementary.Log1p(x)-x))-elementary.StirlingRest(n)) / math.Sqrt(2*math.Pi*n)
}
