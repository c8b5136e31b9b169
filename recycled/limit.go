package recycled

import (
	"math"
	"sync"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/mc"
)

// CriticalThreshold is a*, the root below 1 of a (1 - ln a) = 1/2, to ten digits. Theorem
// (docs/threshold.md): the probability that a run of self-clocked from empty bins converges tends
// to 0 for τ <= (a* - ε) ln n and to 1 for τ >= (a* + ε) ln n as n grows.
const CriticalThreshold = 0.1866823089

// Limit is the conjectured law of the convergence of self-clocked from empty bins at λ = 1; see
// docs/threshold.md. With L = ln n and N Poisson(L),
//
//	h = P[N < τ],  R = sqrt(n) h,  α = 1 - P[N = τ-1]/h,
//	V' = E/V - R e^(-(1-α) x),  V ~ e^(-α x)/R as x -> -∞,
//	F = P[V(x1) <= R e^(-(1-α) x1)/(1-α)].
//
// At time x a run has thrown L + x random balls per bin. The points of a Poisson process with intensity
// e^-x are the times at which empty bins are hit: E counts the points beyond x, and x1 is the last point.
// V is the excess divided by sqrt(n); the right-hand side in F is the number of holes divided by sqrt(n).
type Limit struct {
	Bins, Threshold int
	R, Alpha        float64

	// Share is F. The condition at -∞ has a solution only for α < 1/2. For α >= 1/2, τ is about (ln n)/2
	// or more, R grows without bound, and F is 1.
	Share mc.Estimate

	// NextOrder keeps terms that vanish as n grows. With N Poisson(L + x) it uses
	//
	//	V' = E/(c V + E/sqrt(n)) - sqrt(n) P[1 <= N < τ] - E/sqrt(n),  c = 1 - V/(2 sqrt(n)),
	//
	// and sqrt(n) E[max(0, τ - N); N >= 1] for the holes, and begins with n empty bins. The law of N has
	// a relative effect of 1/ln n. Three terms have a relative effect of a negative power of n: the balls
	// thrown for empty bins, the holes in empty bins, and second balls in overfull bins.
	NextOrder mc.Estimate
}

// Numbers of the integration.
const (
	limitPoints = 64   // last points that are random; earlier ones count by their mean
	limitRuns   = 4000 // trajectories
	limitStep   = 1.0 / 32
	limitFrom   = -14 // x where the trajectory of F begins at α = 0
	limitBranch = -5  // x where random trajectories leave the mean trajectory
	limitTo     = 40
	limitSure   = 1e-6 // shares are 1 if [NeverConvergesBound] is below this
)

// ConvergenceLimit returns the limit law for n = bins in [2, MaxBins] and τ = threshold in [1,
// MaxThreshold]; otherwise an error. Shares are Monte Carlo estimates from 4,000 trajectories with a
// fixed seed; the mean over the last point of a trajectory is exact. The standard error is at most 0.008,
// the error of the integration 0.002 (a test compares with half the step, more points and an earlier
// start). A share takes 15 ms, for 4,000 trajectories of 250 steps. If [NeverConvergesBound] is below
// 1e-6, shares are 1 without computation.
func ConvergenceLimit(bins, threshold int) (Limit, error) {
	bad := faults.List{Package: "recycled"}
	bad.In("bins", bins, 2, MaxBins)
	bad.In("threshold", threshold, 1, MaxThreshold)
	if err := bad.Err(); err != nil {
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

// half is the least α at which F is 1.
const half = 0.5

// lowLoads describes a Poisson variable N below the threshold.
type lowLoads struct {
	share, last, holes float64 // P[N < τ], P[N = τ-1] and E max(0, τ - N)
	empty              float64 // P[N = 0]
}

// belowThreshold returns the lowLoads for a mean of at most 100. Terms from 1,000 on are below 1e-300.
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

// limitGrid has the parameters of the integration that a test varies.
type limitGrid struct {
	step         float64
	points       int
	from, branch float64
}

// limitFlow is the equation for V on a grid of x.
type limitFlow struct {
	limitGrid
	single float64     // 1/sqrt(n) for NextOrder, 0 for Share
	drain  []float64   // drain in the middle of each step
	mean   []float64   // e^-x in the middle of each step, the mean number of points beyond x
	holes  []float64   // holes at the end of each step
	gone   []limitGone // points of a trajectory in each step
	first  int         // first step in which trajectories are random
	excess float64     // V at the beginning of this step
}

// limitGone has the number of points in a step, and the sum over these points of the part of the step
// before the point.
type limitGone struct{ points, parts float64 }

// flow returns the equation for F.
func (l Limit) flow(grid limitGrid) *limitFlow {
	grid.from = max(20*limitFrom, grid.from/(1-2*l.Alpha)) // the error of the start decays as e^((1-2α) x)
	slope := 1 - l.Alpha
	drain := func(x float64) float64 { return l.R * elementary.Exp(float64(-slope*x)) }
	f := newLimitFlow(grid, drain, func(x float64) float64 { return drain(x) / slope })
	f.start(elementary.Exp(float64(-l.Alpha*grid.from)) / l.R)
	return f
}

// nextOrder returns the equation for NextOrder.
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

// newLimitFlow evaluates drain and holes on the grid.
func newLimitFlow(grid limitGrid, drain, holes func(x float64) float64) *limitFlow {
	f := &limitFlow{limitGrid: grid}
	steps := int((limitTo - grid.from) / grid.step)
	f.gone = make([]limitGone, steps)
	for i := range steps {
		x := f.middle(i)
		f.drain, f.holes = append(f.drain, drain(x)), append(f.holes, holes(x+float64(grid.step/2)))
		f.mean = append(f.mean, elementary.Exp(-x))
	}
	return f
}

// middle returns x in the middle of a step.
func (f *limitFlow) middle(step int) float64 {
	return f.from + float64((float64(step)+half)*f.step)
}

// start computes V with E = e^-x from the first step up to the first random step.
func (f *limitFlow) start(excess float64) {
	f.excess = excess
	for ; f.middle(f.first) < f.branch; f.first++ {
		f.excess = f.next(f.excess, f.mean[f.first], f.first)
	}
}

// next returns V after a step with E = empty, by the trapezoidal rule. For u = V + E/(c sqrt(n)) the
// equation is u' = E/(c u) - drain, and a step solves a quadratic equation, so it is stable however fast
// V relaxes. The first step, from V = 0 and u = 0, is implicit.
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

// share returns the mean over trajectories.
func (f *limitFlow) share() mc.Estimate {
	runs := drawnPoints()
	if f.points != limitPoints {
		runs = drawPoints(f.points)
	}
	var sum mc.Moments
	for _, last := range runs {
		sum.Add(int64(math.Round(f.trajectory(last) * partsOfFraction)))
	}
	e := sum.Mean(mc.DefaultConfidence).Per(partsOfFraction)
	e.Lo, e.Hi = max(0, e.Lo), min(1, e.Hi)
	return e
}

// lastPoints has the last points of a trajectory except the very last, the latest first, and e^-x at the
// earliest of them.
type lastPoints struct {
	at    []float64
	gamma float64
}

// drawnPoints are the points that all limit laws use: 2 MB, drawn once.
var drawnPoints = sync.OnceValue(func() []lastPoints { return drawPoints(limitPoints) })

// drawPoints draws the last points of all trajectories, each with a stream of its own. The k-th point
// from the end is -ln of the k-th arrival of a Poisson process of rate 1. The last point is not kept.
func drawPoints(points int) []lastPoints {
	runs := make([]lastPoints, limitRuns)
	for run := range runs {
		rng := mc.NewStream(1, mc.Algorithm, uint64(run)).Rand()
		last := &runs[run]
		for k := range points {
			last.gamma -= math.Log(1 - rng.Float64())
			if k > 0 {
				last.at = append(last.at, -math.Log(last.gamma))
			}
		}
	}
	return runs
}

// trajectory returns the probability that at the last point V is at most the holes, given the other
// points. V minus the holes rises, and the last point comes an exponential time, with mean 1, after the
// last but one.
func (f *limitFlow) trajectory(last lastPoints) float64 {
	empty := f.place(last.at)
	second, earliest := last.at[0], last.at[len(last.at)-1]
	excess, room := f.excess, math.Inf(1)
	for i := f.first; i < len(f.drain); i++ {
		x, g := f.middle(i), f.gone[i]
		empty -= g.points
		now := empty + g.parts
		if x < earliest {
			now += max(0, f.mean[i]-last.gamma)
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

// place counts the points in each random step. It returns the number of points left when the random steps
// begin, including the last point, which is not in points.
func (f *limitFlow) place(points []float64) (left float64) {
	random := f.gone[f.first:]
	clear(random)
	left = 1
	for _, x := range points {
		at := min(max(0, (x-f.from)/f.step), float64(len(f.gone)-1))
		if step := int(at) - f.first; step >= 0 {
			left++
			random[step].points++
			random[step].parts += at - math.Floor(at)
		}
	}
	return left
}
