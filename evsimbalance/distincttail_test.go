package evsimbalance

import (
	"math"

	"repslab/internal/elementary"
)

// distinctTail returns bounds of P[max_j c_j > load] where each flow's EVs are different uniform uplinks and
// flows draw theirs independently, as under [Distinct]: with B_j the event that c_j > load, S1 = n P[B_1] and
// S2 = n (n-1)/2 P[B_1 and B_2], the best bounds that S1 and S2 give [DawsonSankoff67, SobelUppuluri72],
//
//	2/(r+1) S1 - 2/(r (r+1)) S2 <= P <= S1 - 2/n S2,  r = 1 + floor(2 S2/S1).
//
// c_1 is binomial with parameters F and E/n; given c_1 = x, c_2 is the sum of two binomials, with parameters x and
// (E-1)/(n-1), and F - x and E/(n-1). The bounds are exact up to rounding, 1e-9 of S1, and nearly meet
// where P is below a tenth; a probability below 1e-18 can be given as 0. It returns the errors of
// [Config.Validate] with these numbers. O(F).
func distinctTail(flows, evs, uplinks, load int) (least, most float64, err error) {
	cfg := Config{Flows: flows, EVS: evs, Uplinks: uplinks, Method: Distinct}
	if err := cfg.Validate(); err != nil {
		return 0, 0, err
	}
	cfg = cfg.WithDefaults()
	n, e := float64(cfg.Uplinks), float64(cfg.EVS)
	first := newMasses(cfg.Flows, e/n)
	one := first.above(load)
	if one == 0 || cfg.Uplinks == 1 {
		return one, one, nil
	}
	both := 0.0
	for x := max(load+1, first.least); x < first.least+len(first.mass); x++ {
		both += float64(first.mass[x-first.least] * sumAbove(newMasses(x, (e-1)/(n-1)), newMasses(cfg.Flows-x, e/(n-1)), load))
	}
	s1, s2 := float64(n*one), float64(n*(n-1)/2*both)
	r := 1 + math.Floor(2*s2/s1)
	least = (float64(r*s1) - s2) * 2 / (r * (r + 1))
	return min(1, max(one, least)), min(1, s1-float64(2/n*s2)), nil
}

// masses holds the probabilities of a binomial law, but for those that are less than 1e-20 of the largest.
type masses struct {
	least int // the number of successes of mass[0]
	mass  []float64
}

// newMasses returns the binomial masses of a number of trials with a probability of success in [0, 1].
func newMasses(trials int, p float64) masses {
	if trials == 0 || p <= 0 {
		return masses{0, []float64{1}}
	}
	if p >= 1 {
		return masses{trials, []float64{1}}
	}
	count := float64(trials)
	mode := min(trials, int((count+1)*p))
	top := logMass(count, p, float64(mode))
	const negligible = -46 // ln 1e-20
	m := masses{least: mode}
	for m.least > 0 && logMass(count, p, float64(m.least-1))-top > negligible {
		m.least--
	}
	sum := 0.0
	for k := m.least; k <= trials; k++ {
		d := logMass(count, p, float64(k)) - top
		if d < negligible && k > mode {
			break
		}
		m.mass = append(m.mass, elementary.Exp(d))
		sum += m.mass[len(m.mass)-1]
	}
	for i := range m.mass {
		m.mass[i] /= sum
	}
	return m
}

// above returns the probability of more than k successes.
func (m masses) above(k int) (sum float64) {
	for i := len(m.mass) - 1; i >= max(0, k+1-m.least); i-- {
		sum += m.mass[i]
	}
	return sum
}

// sumAbove returns the probability that two independent numbers of successes have a sum above k.
func sumAbove(a, b masses, k int) (sum float64) {
	above, y := 0.0, b.least+len(b.mass) // P[b >= y]
	for i, mass := range a.mass {
		for y > max(b.least, k+1-(a.least+i)) {
			y--
			above += b.mass[y-b.least]
		}
		sum += float64(mass * above)
	}
	return sum
}
