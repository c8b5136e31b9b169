package evsimbalance

import (
	"math"
	"sort"

	"repslab/internal/elementary"
)

// negligible is the relative weight of terms that the law leaves out: Poisson masses relative to the
// largest mass, and aliases and points of the sum (4) relative to its value.
const negligible = 1e-19

// class is a set of bins with one probability.
type class struct {
	bins   int
	centre int       // a load near the mean; phases are relative to it
	first  int       // load of mass[0]
	mass   []float64 // P[Poisson(mean) = first + i], unimodal
	mean   float64
	peak   float64 // the largest mass
}

// newClass returns the class of bins that hold mean balls in expectation, mean > 0. Masses follow from
// the largest mass by ratios of neighbours, and are divided by their sum.
func newClass(mean float64, bins int) class {
	c := class{bins: bins, mean: mean, centre: int(math.Round(mean))}
	mode := int(mean)
	var below []float64
	for k, p := mode, 1.0; k > 0; k-- {
		if p *= float64(k) / mean; p < negligible*negligible {
			break
		}
		below = append(below, p)
	}
	c.first = mode - len(below)
	for i := len(below) - 1; i >= 0; i-- {
		c.mass = append(c.mass, below[i])
	}
	for k, p := mode, 1.0; p >= negligible*negligible; p *= mean / float64(k) {
		c.mass = append(c.mass, p)
		k++
	}
	var sum float64
	for _, p := range c.mass {
		sum += p
	}
	for i := range c.mass {
		c.mass[i] /= sum
	}
	c.peak = 1 / sum
	return c
}

// grid is the set of angles 2 pi j / size, j = 0 to points - 1, of the sum (4).
// The angles -j are their mirror images.
type grid struct {
	size, points int
}

// newGrid chooses the angles. Besides m balls, the sum over all angles of a grid also counts m + size, m
// - size, ... balls. size is so large that, by Chernoff's bound, the probability that a Poisson(m) number
// is that far from m is negligible. Angles are left out if their terms are negligible.
func newGrid(balls int, classes []class) grid {
	m := float64(balls)
	// log of negligible P[Poisson(m) = m] / 2, by Stirling's lower bound
	target := math.Log(negligible) - math.Log(2*math.E*math.Sqrt(m))
	size := 1.0
	for far := 0.0; far > target; size += 1 + math.Floor(size/64) {
		u := size / m
		far = -m * (float64((1+u)*elementary.Log1p(u)) - u)
	}
	g := grid{size: int(size) | 1}
	// bound is the log of an upper bound on the term at an angle. The masses up to k are all masses minus
	// a unimodal rest, and the transform of a unimodal sequence is at most peak / sin(angle/2).
	bound := func(j int) float64 {
		_, sine := elementary.RootOfUnity(int64(j), 2*int64(g.size))
		var log float64
		for _, c := range classes {
			log += float64(float64(c.bins) * min(0, math.Log(elementary.Exp(-2*c.mean*sine*sine)+c.peak/sine)))
		}
		return log
	}
	// The terms from j on, in blocks [j, 2j), [2j, 4j), ...; the bound falls.
	rest := func(j int) float64 {
		var sum float64
		for ; 2*j < g.size; j *= 2 {
			sum += float64(2 * float64(j) * elementary.Exp(bound(j)))
		}
		return sum
	}
	// The first angle left out, at least 1.
	g.points = 1 + sort.Search((g.size-1)/2, func(i int) bool { return rest(1+i) <= negligible })
	return g
}

// rootOfUnity returns the cosine and sine of 2 pi j i / size, reduced exactly.
func (g grid) rootOfUnity(i, j int) (cosine, sine float64) {
	size := int64(g.size)
	return elementary.RootOfUnity((int64(i)%size*int64(j)%size+size)%size, size)
}

// point is a point of the unit circle.
type point struct{ cosine, sine float64 }

// turns returns the points 2 pi j i / size of the circle, for all j of the grid.
func (g grid) turns(i int) []point {
	points := make([]point, g.points)
	for j := range points {
		points[j].cosine, points[j].sine = g.rootOfUnity(i, j)
	}
	return points
}

// sum returns the sum (4) over the whole circle, not yet divided by the sum of the certain event. It adds
// the real parts of the products of the transforms of all bins; each product starts with the factor in
// starts for its angle.
func (g grid) sum(walks []*walk, starts []point) float64 {
	var total float64
	for j := g.points - 1; j >= 0; j-- {
		re, im := starts[j].cosine, starts[j].sine
		for _, w := range walks {
			s := w.spokes[j]
			re, im = timesPower(re, im, s.sumRe, s.sumIm, w.bins)
		}
		if j > 0 {
			re *= 2
		}
		total += re
	}
	return total
}

// timesPower returns (re + i im) (xRe + i xIm)^n, n >= 1, by repeated squaring.
func timesPower(re, im, xRe, xIm float64, n int) (float64, float64) {
	for ; ; n >>= 1 {
		if n&1 == 1 {
			re, im = float64(re*xRe)-float64(im*xIm), float64(re*xIm)+float64(im*xRe)
		}
		if n <= 1 {
			return re, im
		}
		xRe, xIm = float64(xRe*xRe)-float64(xIm*xIm), 2*xRe*xIm
	}
}

// walk follows the transforms of the masses up to k, over all angles, as k grows.
type walk struct {
	class
	grid   grid
	next   int     // index of the next mass to add
	spokes []spoke // one for each angle
}

// spoke is the state of a walk at one angle.
type spoke struct {
	sumRe, sumIm   float64 // sum of the masses so far, phases relative to the centre
	cosine, sine   float64 // phase of the next mass
	stepRe, stepIm float64 // from one mass to the next
}

func newWalk(c class, g grid) *walk {
	w := &walk{class: c, grid: g, spokes: make([]spoke, g.points)}
	for j := range w.spokes {
		s := &w.spokes[j]
		s.stepRe, s.stepIm = g.rootOfUnity(1, j)
	}
	return w
}

// resync is the number of steps after which a phase is computed afresh. In between each phase is the
// previous one times a factor, so the error of a phase stays below resync 2^-52.
const resync = 64

// advance adds the masses up to load k.
func (w *walk) advance(k int) {
	for ; w.next < len(w.mass) && w.first+w.next <= k; w.next++ {
		if w.next%resync == 0 {
			for j := range w.spokes {
				s := &w.spokes[j]
				s.cosine, s.sine = w.grid.rootOfUnity(w.first+w.next-w.centre, j)
			}
		}
		mass := w.mass[w.next]
		for j := range w.spokes {
			s := &w.spokes[j]
			s.sumRe += float64(mass * s.cosine)
			s.sumIm += float64(mass * s.sine)
			s.cosine, s.sine = float64(s.cosine*s.stepRe)-float64(s.sine*s.stepIm), float64(s.cosine*s.stepIm)+float64(s.sine*s.stepRe)
		}
	}
}
