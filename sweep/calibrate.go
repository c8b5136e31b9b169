package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"repslab/internal/checks"
	"repslab/internal/frame"
	"repslab/mc"
)

const (
	mostCalibrated = 32 // most points that are measured
	mostNamed      = 3  // most names in Calibration.Slowest
	mostAlike      = 3  // most measured points from which another one is estimated

	measuredFactor, estimatedFactor = 1.5, 2 // half the width of ranges
)

// Calibration estimates the time that a sweep takes, in seconds.
type Calibration struct {
	Seconds float64 // time of one worker for all replicas (with a precision, for the largest number of replicas)
	// Lo and Hi are the range of Seconds: a measured point takes up to 1.5 times as long or short as measured, another one
	// up to twice as long or short as the least and the greatest of its estimates.
	Lo, Hi     float64
	Block      float64  // longest time of a block: the upper end of its range
	Measured   int      // points of which a replica ended
	Unmeasured int      // points of which none ended; exact points count as free, and as neither
	Slowest    []string // the slowest of the unmeasured points, at most three
	// AtLeast reports that no replica ended or told which share of it was done, so that the times are too low.
	AtLeast bool
}

// timing is the time of a replica of a point.
type timing struct {
	point           int
	seconds, lo, hi float64
	ended           bool // a replica ended
	known           bool // seconds is an estimate, not only a lower bound
}

// Calibrate estimates the time of the sweep. It runs replicas of at most 32 points that are spread over it, one after
// the other. It stops slow replicas, so that it ends soon after twice the budget, and extrapolates from the share that
// they tell ([mc.ReportShare]). The time of any other point is its [Point.Work] times the mean rate of the three
// measured points that are most like it: that differ in few parameters and little in work. No file is written. A point
// that fails counts as free. The error is ctx.Err(), or says that ctx is nil. O(points).
func (s *Sweep) Calibrate(ctx context.Context, budget time.Duration) (c Calibration, err error) {
	s.mustBeMade()
	if err := checks.Context("sweep", ctx); err != nil {
		return c, err
	}
	var measured []timing
	chosen, start := s.spread(), time.Now()
	for i, point := range chosen {
		left := 2*budget - time.Since(start)
		if i > 0 && left <= 0 {
			break
		}
		most := min(left, 4*left/time.Duration(len(chosen)-i)) // so that some time is left for all
		t, err := s.timeReplicas(ctx, point, budget/time.Duration(len(chosen)), most)
		if err != nil {
			return c, err
		}
		measured = append(measured, t)
	}
	return s.extrapolate(measured), nil
}

// work returns the expected work of a replica of a point.
func (s *Sweep) work(point int) float64 {
	if w := s.Points[point].Work; w > 0 && !math.IsInf(w, 1) {
		return w
	}
	return 1
}

// spread returns points to measure, in random order: all if there are few. Else it draws one from each of equal parts
// of the grid, where half a part is measured by the number of points and half by work.
func (s *Sweep) spread() (chosen []int) {
	var total float64
	var points []int
	for i, p := range s.Points {
		if !p.Exact {
			points, total = append(points, i), total+s.work(i)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	part, reached := 0, 0.0 // reached counts parts, up to the current point
	next := random.Float64()
	for _, point := range points {
		reached += mostCalibrated / 2 * (1/float64(len(points)) + s.work(point)/total)
		if len(points) <= mostCalibrated || reached > next {
			chosen = append(chosen, point)
		}
		for ; next < reached; next = float64(part) + random.Float64() {
			part++
		}
	}
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen
}

// timeReplicas times replicas of a point for the time own, at least one and no longer than most.
func (s *Sweep) timeReplicas(ctx context.Context, point int, own, most time.Duration) (t timing, err error) {
	start, replicas := time.Now(), uint64(0)
	begun, share := start, 0.0
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	limited = mc.WithShares(limited, func(done float64) {
		if share = done; done == 0 {
			begun = time.Now()
		}
	})
	err = guarded(func() error {
		run := s.Points[point].Experiment.Checked().NewWorker(s.Header.Config.Seed)
		// The first replica runs even if making the worker took all the time.
		for replicas == 0 || time.Since(start) < own && replicas < s.Header.Config.Replicas {
			if _, err := run(limited, mc.Block{First: replicas, End: replicas + 1}); err != nil {
				return err
			}
			replicas++
		}
		return nil
	})
	took := time.Since(start).Seconds()
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case replicas > 0:
		mean := took / float64(replicas)
		return timing{point, mean, mean / measuredFactor, mean * measuredFactor, true, true}, nil
	case !errors.Is(err, context.DeadlineExceeded):
		return timing{point: point, ended: true, known: true}, nil // it failed
	case share == 0:
		return timing{point: point, seconds: took, lo: took, hi: took}, nil
	}
	whole := begun.Sub(start).Seconds() + time.Since(begun).Seconds()/share
	return timing{point, whole, max(took, whole/estimatedFactor), whole * estimatedFactor, false, true}, nil
}

// extrapolate returns the time of all points from some times.
func (s *Sweep) extrapolate(measured []timing) (c Calibration) {
	own := map[int]timing{}
	for _, t := range measured {
		own[t.point] = t
		c.AtLeast = c.AtLeast || t.known
	}
	c.AtLeast = len(measured) > 0 && !c.AtLeast
	samples := slices.DeleteFunc(measured, func(t timing) bool { return t.seconds == 0 || !t.known && !c.AtLeast })
	varying := s.varying()
	var slow []timing // the slowest unmeasured points
	for i, p := range s.Points {
		t, timed := own[i]
		if p.Exact {
			continue
		}
		if !t.known && len(samples) > 0 {
			t = s.estimate(i, samples, varying).atLeast(t)
		}
		replicas := float64(s.Header.Config.Replicas)
		c.Seconds, c.Lo, c.Hi = c.Seconds+replicas*t.seconds, c.Lo+replicas*t.lo, c.Hi+replicas*t.hi
		c.Block = max(c.Block, float64(s.Header.Config.Block)*t.hi)
		if timed && t.ended {
			c.Measured++
			continue
		}
		c.Unmeasured++
		slow = append(slow, t)
		slices.SortStableFunc(slow, func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
		slow = slow[:min(len(slow), mostNamed)]
	}
	for _, t := range slow {
		c.Slowest = append(c.Slowest, s.nameByVarying(t.point, varying))
	}
	return c
}

// estimate returns the time of a point from the samples that are most like it. A parameter that differs counts as much
// as four times the work.
func (s *Sweep) estimate(point int, samples []timing, varying []int) timing {
	type neighbour struct {
		timing
		distance float64
	}
	all := make([]neighbour, len(samples))
	for i, t := range samples {
		all[i] = neighbour{t, math.Abs(math.Log2(s.work(point)/s.work(t.point))) / 2}
		for _, k := range varying {
			if s.Points[point].Parameters[k] != s.Points[t.point].Parameters[k] {
				all[i].distance++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b neighbour) int { return cmp.Compare(a.distance, b.distance) })
	all = all[:min(len(all), mostAlike)]
	sum, t := 0.0, timing{point: point, lo: math.Inf(1)}
	for _, a := range all {
		ratio := s.work(point) / s.work(a.point)
		sum += math.Log(a.seconds * ratio)
		t.lo, t.hi = min(t.lo, a.seconds*ratio/estimatedFactor), max(t.hi, a.seconds*ratio*estimatedFactor)
	}
	t.seconds = math.Exp(sum / float64(len(all)))
	return t
}

// atLeast returns t, with no time below the time after which the replica was stopped.
func (t timing) atLeast(stopped timing) timing {
	t.seconds, t.lo, t.hi = max(t.seconds, stopped.seconds), max(t.lo, stopped.seconds), max(t.hi, stopped.seconds)
	return t
}

// varying returns the parameters in which points differ.
func (s *Sweep) varying() (list []int) {
	for k := range s.columns.Parameters {
		differs := func(p Point) bool { return p.Parameters[k] != s.Points[0].Parameters[k] }
		if slices.ContainsFunc(s.Points, differs) {
			list = append(list, k)
		}
	}
	return list
}

// nameByVarying names a point by the parameters in which points differ.
func (s *Sweep) nameByVarying(point int, varying []int) string {
	var words []string
	for _, k := range varying {
		words = append(words, fmt.Sprintf("%s=%s", s.columns.Parameters[k], frame.Exact(s.Points[point].Parameters[k])))
	}
	return cmp.Or(strings.Join(words, " "), s.Points[point].Name)
}
