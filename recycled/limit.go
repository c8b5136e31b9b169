package recycled

import (
	"math"

	"repslab/internal/elementary"
	"repslab/mc"
)

// CriticalThreshold is a*, the root below 1 of a (1 - ln a) = 1/2, to ten digits. Theorem
// (docs/threshold.md): the probability that a run of self-clocked from empty bins converges tends
// to 0 for τ <= (a* - ε) ln n and to 1 for τ >= (a* + ε) ln n as n grows.
const CriticalThreshold = 0.1866823089

// ConvergenceExponent returns a (1 - ln a) for a = ratio in (0, 1), and 1 from 1 on; NaN for
// others. Asymptotic: P[Poisson(ln n) < a ln n] = n^(a (1 - ln a) - 1 + o(1)). Conjecture:
// converged runs with τ = a ln n take n to this power, up to n^o(1), rounds if a > a*. O(1).
func ConvergenceExponent(ratio float64) float64 {
	switch {
	case ratio >= 1:
		return 1
	case ratio > 0:
		return float64(ratio * (1 - math.Log(ratio)))
	}
	return math.NaN()
}

// Limit is the conjectured law of convergence of self-clocked from empty bins at λ = 1, see
// docs/threshold.md. With L = ln n and N Poisson (L),
//
//	h = P[N < τ],  R = sqrt(n) h,  α = 1 - P[N = τ-1]/h,
//	V' = E/V - R e^(-(1-α) x),  V ~ e^(-α x)/R as x -> -∞,
//	F = P[V(x1) <= R e^(-(1-α) x1)/(1-α)].
//
// At time x the runs have thrown L + x random balls a bin. E counts the points beyond x of a
// Poisson process with intensity e^-x, which are the empty bins, and x1 is the last point. V
// stands for the excess over sqrt(n) and the right-hand side for the holes over sqrt(n).
type Limit struct {
	Bins, Threshold int
	R, Alpha        float64

	// Share is F. The condition at -∞ has a solution for α < 1/2 only; from 1/2 on τ is about
	// (ln n)/2 or more, R grows without bound, and F is 1.
	Share mc.Estimate

	// NextOrder keeps terms that vanish as n grows: with N Poisson (L + x)
	//
	//	V' = E/(c V + E/sqrt(n)) - sqrt(n) P[1 <= N < τ] - E/sqrt(n),  c = 1 - V/(2 sqrt(n)),
	//
	// and holes sqrt(n) E[max(0, τ - N); N >= 1], from n empty bins. The law of N has a relative
	// effect of 1/ln n; the balls of empty bins among those thrown, the empty bins among those
	// with holes, and second balls in overfull bins, have one of a power of n.
	NextOrder mc.Estimate
}

// Numbers of the integration.
const (
	limitPoints = 64   // the last points, which are random; for those before stands their mean
	limitRuns   = 4000 // trajectories
	limitStep   = 1.0 / 32
	limitFrom   = -14 // x where the trajectory of F begins at α = 0
	limitBranch = -5  // x where random trajectories leave the mean one
	limitTo     = 40
	limitSure   = 1e-6 // where [NeverConvergesBound] is below, shares are 1
)

// ConvergenceLimit returns the limit law for n = bins in [2, MaxBins] and τ = threshold in [1,
// MaxThreshold]; otherwise an error. Monte Carlo estimates from 4,000 trajectories with a fixed
// seed; of the last point, the mean is exact. Their standard error is at most 0.008, the error
// of the integration 0.002 (a test uses half the step, more points and an earlier beginning).
// O(4,000) trajectories of 250 steps: 30 ms a share; at once where [NeverConvergesBound] is
// below 1e-6.
func ConvergenceLimit(bins, threshold int) (Limit, error) {
	faults := mc.Faults{Package: "recycled"}
	faults.In("bins", bins, 2, MaxBins)
	faults.In("threshold", threshold, 1, MaxThreshold)
	if err := faults.Err(); err != nil {
		return Limit{}, err
	}
	n := float64(bins)
	law := belowThreshold(math.Log(n), threshold)
	sure := mc.Estimate{Value: 1, Lo: 1 - limitSure, Hi: 1, Confidence: mc.DefaultConfidence}
	l := Limit{Bins: bins, Threshold: threshold, R: math.Sqrt(n) * law.share, Alpha: 1 - law.last/law.share,
		Share: sure, NextOrder: sure}
	if NeverConvergesBound(bins, threshold) < limitSure {
		return l, nil
	}
	grid := limitGrid{limitStep, limitPoints, limitFrom, limitBranch}
	if l.Alpha < half {
		l.Share = l.flow(grid).share()
	}
	l.NextOrder = l.nextOrder(grid).share()
	return l, nil
}

// half is the α from which F is 1.
const half = 0.5

// lowLoads is the part of a Poisson law below the threshold.
type lowLoads struct {
	share, last, holes float64 // P[N < τ], P[N = τ-1] and E max(0, τ - N)
	empty              float64 // P[N = 0]
}

// belowThreshold returns it for a mean of at most 100; terms from 1,000 on are below 1e-300.
func belowThreshold(mean float64, threshold int) (l lowLoads) {
	l.empty = elementary.Exp(-mean)
	l.last = l.empty
	for j := range min(threshold, 1000) {
		if j > 0 {
			l.last *= mean / float64(j)
		}
		l.share += l.last
		l.holes += l.share
	}
	return l
}

// limitGrid has the numbers of an integration that a test varies.
type limitGrid struct {
	step         float64
	points       int
	from, branch float64
}

// limitFlow is the equation of V on a grid of x.
type limitFlow struct {
	limitGrid
	single float64     // 1/sqrt(n) with the terms of next order, else 0
	drain  []float64   // in the middle of each step
	holes  []float64   // at its end
	gone   []limitGone // of a trajectory
	first  int         // the step from which trajectories are random
	excess float64     // V there
}

// limitGone has the points in a step, and the sum of the parts of the step before them.
type limitGone struct{ points, parts float64 }

// flow returns the equation of F.
func (l Limit) flow(grid limitGrid) *limitFlow {
	grid.from = max(20*limitFrom, grid.from/(1-2*l.Alpha)) // V forgets how it began with e^((1-2α) x)
	slope := 1 - l.Alpha
	drain := func(x float64) float64 { return l.R * elementary.Exp(float64(-slope*x)) }
	f := newLimitFlow(grid, drain, func(x float64) float64 { return drain(x) / slope })
	f.start(elementary.Exp(float64(-l.Alpha*grid.from)) / l.R)
	return f
}

// nextOrder returns the equation of NextOrder.
func (l Limit) nextOrder(grid limitGrid) *limitFlow {
	root, logN := math.Sqrt(float64(l.Bins)), math.Log(float64(l.Bins))
	grid.from = -logN
	at := func(x float64) lowLoads { return belowThreshold(max(0, logN+x), l.Threshold) }
	f := newLimitFlow(grid, func(x float64) float64 {
		low := at(x)
		return root * (low.share - low.empty)
	}, func(x float64) float64 {
		low := at(x)
		return root * (low.holes - float64(float64(l.Threshold)*low.empty))
	})
	f.single = 1 / root
	f.start(0)
	return f
}

// newLimitFlow lays drain and holes on the grid.
func newLimitFlow(grid limitGrid, drain, holes func(x float64) float64) *limitFlow {
	f := &limitFlow{limitGrid: grid}
	steps := int((limitTo - grid.from) / grid.step)
	f.gone = make([]limitGone, steps)
	for i := range steps {
		x := f.middle(i)
		f.drain, f.holes = append(f.drain, drain(x)), append(f.holes, holes(x+float64(grid.step/2)))
	}
	return f
}

// middle returns x in the middle of a step.
func (f *limitFlow) middle(step int) float64 {
	return f.from + float64((float64(step)+half)*f.step)
}

// start follows V with E = e^-x from the first step to the random ones.
func (f *limitFlow) start(excess float64) {
	f.excess = excess
	for ; f.middle(f.first) < f.branch; f.first++ {
		f.excess = f.next(f.excess, elementary.Exp(-f.middle(f.first)), f.first)
	}
}

// next returns V after a step with E = empty by the trapezoidal rule. For u = V + E/(c sqrt(n)),
// which has u' = E/(c u) - drain, it is a quadratic equation, so it is stable however fast V
// relaxes. The first step, from V = 0 and u = 0, is implicit.
func (f *limitFlow) next(excess, empty float64, step int) float64 {
	c := 1 - float64(excess*f.single/2)
	own := float64(f.single * empty)
	u, weight := excess+own/c, f.step/2
	b := u - float64(f.step*(f.drain[step]+own))
	if u > 0 {
		b += weight * empty / c / u
	} else {
		weight = f.step
	}
	root := math.Sqrt(float64(b*b) + float64(4*weight*empty/c))
	return float64((b+root)/2) - own/c
}

// share returns the mean over trajectories, each with a stream of its own.
func (f *limitFlow) share() mc.Estimate {
	var sum mc.Moments
	for run := range uint64(limitRuns) {
		rng := mc.NewStream(1, mc.Algorithm, run).Rand()
		sum.Add(int64(math.Round(f.trajectory(&rng) * partsOfFraction)))
	}
	e := sum.Mean(mc.DefaultConfidence).Per(partsOfFraction)
	e.Lo, e.Hi = max(0, e.Lo), min(1, e.Hi)
	return e
}

// trajectory draws all points but the last one and returns the probability that at the last
// point V is at most the holes. V less the holes rises, and the last point is
// exponential, with mean 1, after the last but one.
func (f *limitFlow) trajectory(rng *mc.Rand) float64 {
	second, earliest, gamma := f.draw(rng)
	empty := float64(f.points)
	for _, g := range f.gone[:f.first] {
		empty -= g.points
	}
	excess, room := f.excess, math.Inf(1)
	for i := f.first; i < len(f.drain); i++ {
		x, g := f.middle(i), f.gone[i]
		empty -= g.points
		now := empty + g.parts
		if x < earliest {
			now += max(0, elementary.Exp(-x)-gamma)
		}
		excess = f.next(excess, now, i)
		before := max(0, room)
		room = f.holes[i] - excess
		if end := x + float64(f.step/2); room < 0 && end >= second {
			crossed := end - f.step
			if !math.IsInf(before, 1) {
				crossed += f.step * before / (before - room)
			}
			return max(0, -elementary.Expm1(second-crossed))
		}
	}
	return 1
}

// draw draws the points and returns the last but one, the earliest, and e^-x at the earliest.
// The k-th point from the end is -ln of the k-th arrival of a Poisson process of rate 1.
func (f *limitFlow) draw(rng *mc.Rand) (second, earliest, gamma float64) {
	clear(f.gone)
	exponential := func() float64 { return -math.Log(1 - rng.Float64()) }
	gamma = exponential()
	for k := 2; k <= f.points; k++ {
		gamma += exponential()
		earliest = -math.Log(gamma)
		if k == 2 {
			second = earliest
		}
		at := min(max(0, (earliest-f.from)/f.step), float64(len(f.gone)-1))
		g := &f.gone[int(at)]
		g.points++
		g.parts += at - math.Floor(at)
	}
	return second, earliest, gamma
}
