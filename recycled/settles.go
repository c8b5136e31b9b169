package recycled

import (
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/elementary"
)

// maxSettlesWork bounds (d+1) τ² for [SettlesBound].
const maxSettlesWork = 1 << 23

// SettlesBound returns an upper bound on the probability that recycling does not settle: that a run of cfg
// has at least within random throws more than the n W that fill the windows, before more than drops entries
// are lost by full rings. Otherwise random throws and marks come to an end.
// If rethrows is 0, within is the number with the smallest bound, otherwise it is rethrows.
//
// With K = n W + rethrows, the bound is the least over θ > 0 of
//
//	exp(-θ (K - n W - drops)) (E exp(θ f))^n,   f = (H - τ)^+ if the port is in A, otherwise 0.    (NB)
//
// H are the hits of a port by K random throws: n in each of the first d+1 rounds, Z of the others. A port is
// in A if Y + Z >= τ or Z >= τ - b, where Y is the longest queue of the first d+1 rounds, minus 1, if the
// port served a ball in every round. Ports outside A never mark, and others mark at most f balls. Hits of
// ports are negatively associated [JoagDev83]. Proof: docs/round-trip.md. It is exact for one port up to
// floating point: A implies H > τ if Z < τ - b, so that
//
//	E exp(θ f) = 1 - P[A'] + exp(-θ τ) a^K P_q[A'],   A' = A and H >= τ,
//
// where a = (n - 1 + e^θ)/n, and P_q is the law if a throw hits the port with probability q = e^θ/(n a).
//
// The clocking is [Ack] or [PerFlow] without EVs, λ = 1, the start empty, n at least 2 and W at least d+1.
// Any ramp is allowed. b is Ring - 1 under PerFlow, and 0 under Ack, where no entry is ever lost. (d+1) τ² is
// at most 2^23, rethrows at most 1024 n, and drops below rethrows, if given. Otherwise it returns
// the joined faults. O((d+1) τ²) for each of 23 values of θ: 0.15 s for d = 200, τ = 56, 2 s at most.
func SettlesBound(cfg Config, rethrows, drops int) (probability float64, within int, err error) {
	if err := cfg.Validate(); err != nil {
		return 0, 0, err
	}
	cfg = cfg.WithDefaults()
	if err := cfg.checkSettles(rethrows, drops); err != nil {
		return 0, 0, err
	}
	p := port{n: cfg.Bins, threshold: cfg.Threshold, rounds: cfg.Delay + 1, window: cfg.Window, drops: drops}
	if cfg.Clocking == PerFlow {
		p.jitter = cfg.Ring - 1
	}
	if p.window > cfg.Delay+p.threshold { // more balls than ports can own without a mark
		return 1, max(1, rethrows), nil
	}
	n, base := float64(p.n), p.tilted(0)
	within = rethrows
	best := func(logTheta float64) (bound float64) {
		law := p.tilted(elementary.Exp(logTheta))
		if rethrows > 0 {
			return law.bound(base, rethrows)
		}
		at := func(x float64) float64 { return law.bound(base, drops+int(math.Ceil(n*x))) }
		x := goldenSection(1/n, float64(8*math.Sqrt(float64(p.rounds)))+8, at)
		within = drops + int(math.Ceil(n*x))
		return at(x)
	}
	bound := best(goldenSection(math.Log(1e-3), math.Log(3), best))
	return min(1, elementary.Exp(min(0, bound))), within, nil
}

// checkSettles reports what is not allowed for [SettlesBound].
func (c Config) checkSettles(rethrows, drops int) error {
	bad := faults.List{Package: "recycled"}
	bad.Check(c.Clocking == PerFlow || c.Clocking == Ack, "Clocking", c.Clocking, "must be %s or %s for the bound on settling", PerFlow, Ack)
	bad.Check(c.EVS == 0, "EVS", c.EVS, "must be 0 for the bound on settling")
	bad.Check(c.Lambda == 1, "Lambda", c.Lambda, "must be 1 for the bound on settling")
	bad.Check(c.Start == Empty, "Start", c.Start, "must be %s for the bound on settling", Empty)
	bad.Check(!c.Oblivious, "Oblivious", c.Oblivious, "must be false for the bound on settling")
	bad.Check(c.Bins > 1, "Bins", c.Bins, "must be at least 2 for the bound on settling")
	bad.Check(c.Window > c.Delay, "Window", c.Window, "must be at least Delay + 1 (%d) for the bound on settling", c.Delay+1)
	work := float64(c.Delay+1) * float64(c.Threshold) * float64(c.Threshold)
	bad.Check(work <= maxSettlesWork, "Threshold", c.Threshold,
		"must be at most %d for the bound on settling with a delay of %d", int(math.Sqrt(maxSettlesWork/float64(c.Delay+1))), c.Delay)
	bad.In("rethrows", rethrows, 0, 1024*c.Bins)
	bad.In("drops", drops, 0, 1024*c.Bins)
	bad.Check(rethrows == 0 || drops < rethrows, "drops", drops, "must be below rethrows (%d)", rethrows)
	return bad.Err()
}

// port has the numbers of [SettlesBound]. rounds are d + 1.
type port struct{ n, threshold, rounds, window, jitter, drops int }

// portLaw is the law of a port that each throw hits with probability q, and what of it is known so far.
type portLaw struct {
	port
	theta, q float64
	hits     []float64 // of a round: P[h hits]
	tail     []float64 // tail[h] is P[h hits or more]
	climbs   []float64 // climbs[y] is P[Y >= y], NaN until it is needed
}

// tilted returns the law under a tilt by θ; 0 is the law itself.
func (p port) tilted(theta float64) *portLaw {
	l := &portLaw{port: p, theta: theta}
	power := elementary.Exp(theta)
	l.q = power / (float64(p.n-1) + power)
	first, mass := binomial(int64(p.n), l.q)
	l.hits = append(make([]float64, first), mass...)
	l.tail = make([]float64, len(l.hits)+1)
	for h := len(l.hits) - 1; h >= 0; h-- {
		l.tail[h] = l.tail[h+1] + l.hits[h]
	}
	for range p.threshold + 1 {
		l.climbs = append(l.climbs, math.NaN())
	}
	return l
}

// bound returns the logarithm of the bound at this tilt. base is the law without a tilt.
func (l *portLaw) bound(base *portLaw, rethrows int) float64 {
	n := float64(l.n)
	throws := float64(n*float64(l.window)) + float64(rethrows) // K
	later := int64(l.n)*int64(l.window-l.rounds) + int64(rethrows)
	_, most := l.marks(later)
	least, _ := base.marks(later)
	grows := float64(throws*elementary.Log1p(elementary.Expm1(l.theta)/n)) - float64(l.theta*float64(l.threshold)) + math.Log(most)
	if grows > 700 {
		return math.Inf(1)
	}
	return float64(n*elementary.Log1p(elementary.Exp(grows)-least)) - float64(l.theta*float64(rethrows-l.drops))
}

// marks returns P[A'] for a number of throws after the first rounds, between two ends that differ by at most
// 1e-12 of it.
func (l *portLaw) marks(later int64) (least, most float64) {
	first, mass := binomial(later, l.q)
	below := make([]float64, len(mass)+1) // below[i] is P[Z < first + i]
	for i, p := range mass {
		below[i+1] = below[i] + p
	}
	for i := len(mass) - 1; i >= 0; i-- {
		reached := l.reaches(l.threshold - first - i)
		least += float64(mass[i] * reached)
		if rest := float64(reached * below[i]); rest <= 1e-12*least { // fewer later hits make A' less likely
			return least, least + rest
		}
	}
	return least, least
}

// reaches returns P[A'] given Z = τ - y.
func (l *portLaw) reaches(y int) (p float64) {
	switch {
	case y <= 0:
		return 1
	case y <= l.jitter: // H >= τ is left to ask
		first, mass := binomial(int64(l.n*l.rounds), l.q)
		for i := max(0, y-first); i < len(mass); i++ {
			p += mass[i]
		}
		return min(1, p)
	}
	if math.IsNaN(l.climbs[y]) {
		l.climbs[y] = l.climb(y)
	}
	return l.climbs[y]
}

// climb returns P[Y >= y] for y >= 1, by the chain of V(u) = max(0, V(u-1)) + hits - 1 over the rounds: Y is
// the largest V. now[v] is the probability of max(0, V) = v while no V has reached y.
func (l *portLaw) climb(y int) (reached float64) {
	now, next := make([]float64, y), make([]float64, y)
	now[0] = 1
	for range l.rounds {
		for v, p := range now {
			reached += float64(p * l.tail[min(y-v+1, len(l.hits))])
		}
		clear(next)
		next[0] = l.hits[0] * now[0]
		for h, p := range l.hits[:min(len(l.hits), y+1)] {
			from, to := now[max(0, 1-h):y-max(0, h-1)], next[max(0, h-1):]
			for i, before := range from {
				to[i] += float64(p * before)
			}
		}
		now, next = next, now
	}
	return reached
}

// binomial returns the law of Binomial(trials, p), 0 < p < 1: P[first + i] = mass[i]. Terms below 1e-25 of
// the largest are left out.
func binomial(trials int64, p float64) (first int, mass []float64) {
	const negligible = 1e-25
	mode := min(trials, int64(float64(trials+1)*p))
	odds := p / (1 - p)
	sum := 0.0
	k := mode
	for term := 1.0; term > negligible && k >= 0; k-- {
		mass = append(mass, term)
		sum += term
		term *= float64(k) / float64(trials-k+1) / odds
	}
	slices.Reverse(mass)
	first = int(k + 1)
	for k, term := mode, 1.0; k < trials; k++ {
		if term = float64(term * float64(trials-k) / float64(k+1) * odds); term < negligible {
			break
		}
		mass = append(mass, term)
		sum += term
	}
	for i := range mass {
		mass[i] /= sum
	}
	return first, mass
}

// goldenSection returns the place of the minimum of a function between two ends, by golden sections. It is
// within 1e-4 of their distance if the function has one minimum.
func goldenSection(from, to float64, f func(float64) float64) float64 {
	const golden = 0.6180339887498949
	left, right := to-float64(golden*(to-from)), from+float64(golden*(to-from))
	atLeft, atRight := f(left), f(right)
	for range 20 {
		if atLeft < atRight {
			to, right, atRight = right, left, atLeft
			left = to - float64(golden*(to-from))
			atLeft = f(left)
		} else {
			from, left, atLeft = left, right, atRight
			right = from + float64(golden*(to-from))
			atRight = f(right)
		}
	}
	return (from + to) / 2
}
