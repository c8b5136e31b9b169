package sweep

import (
	"cmp"
	"context"
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

	leastShare = 0.02 // of a replica, from which its time follows: it begins slower or faster than it goes on

	knownFactor, hintedFactor = 2, 4 // half the width of ranges
)

// Calibration estimates the time that a sweep takes, in seconds.
type Calibration struct {
	Seconds float64 // time of one worker for all replicas (with a precision, for the largest number of replicas)
	// Lo and Hi are the range of Seconds: a point takes up to twice as long or short as measured, or as the least and
	// the greatest of its estimates; up to 4 times if only a small share of a replica is known of any point.
	Lo, Hi     float64
	Block      float64  // longest time of a block: the upper end of its range
	Measured   int      // points of which a replica ended
	Unmeasured int      // points of which none ended; exact points count as free, and as neither
	Slowest    []string // the slowest of the unmeasured points, at most three
	// AtLeast reports that no replica ended or told which share of it was done, so that the times are too low.
	AtLeast bool
}

// timing is the time of a replica of a point, in seconds.
type timing struct {
	point           int
	seconds, lo, hi float64
	known           knowledge
	ran             float64 // time after which the replica was stopped; 0 if it ended
	once            float64 // time of a point in which its worker and its rows are made, if it ended
}

// knowledge says how a time is known.
type knowledge uint8

const (
	bounded  knowledge = iota // as a lower bound: a replica was stopped
	hinted                    // by a share below leastShare of a replica that was stopped
	told                      // by a larger share
	measured                  // a replica ended
)

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
	var times []timing
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
		times = append(times, t)
	}
	return s.extrapolate(times), nil
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

// report is what a replica tells while it runs: the shares that are done.
type report struct {
	at     time.Time
	shares []float64
}

// remaining returns the seconds that a replica needs after the last of some reports, by its progress since the last
// report in the first half of the time: until any share is 1. It is infinite without progress.
func remaining(reports []report) float64 {
	first, last := reports[0], reports[len(reports)-1]
	from := first
	for _, r := range reports {
		if r.at.Sub(first.at) <= last.at.Sub(first.at)/2 {
			from = r
		}
	}
	left := math.Inf(1)
	for i, share := range last.shares {
		before := 0.0
		if i < len(from.shares) {
			before = from.shares[i]
		}
		if share > before {
			left = min(left, (1-share)*last.at.Sub(from.at).Seconds()/(share-before))
		}
	}
	return left
}

// timeReplicas times replicas of a point for the time own, at least one and no longer than most.
func (s *Sweep) timeReplicas(ctx context.Context, point int, own, most time.Duration) (t timing, err error) {
	start, replicas := time.Now(), uint64(0)
	reports := []report{{at: start}}
	limited, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(most, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	limited = mc.WithShares(limited, func(done ...float64) {
		r := report{time.Now(), done}
		if len(done) == 1 && done[0] == 0 { // the set-up has ended
			reports = nil
			timer.Reset(most)
		}
		reports = append(reports, r)
	})
	var tally mc.Tally
	var making float64
	err = guarded(func() (err error) {
		run := s.Points[point].Experiment.Checked().NewWorker(s.Header.Config.Seed)
		making = time.Since(start).Seconds()
		// The first replica runs even if making the worker took all the time.
		for replicas == 0 || time.Since(start) < own && replicas < s.Header.Config.Replicas {
			if tally, err = run(limited, mc.Block{First: replicas, End: replicas + 1}); err != nil {
				return err
			}
			replicas++
		}
		return nil
	})
	took := time.Since(start).Seconds()
	left := remaining(reports)
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case replicas > 0:
		mean, before := (took-making)/float64(replicas), time.Now()
		_ = guarded(func() error { _, err := s.Points[point].Fold(ctx, tally, 1); return err }) // a sweep reports the error
		return timing{point, mean, mean / knownFactor, mean * knownFactor, measured, 0, making + time.Since(before).Seconds()}, nil
	case limited.Err() == nil:
		return timing{point: point, known: measured}, nil // it failed
	case math.IsInf(left, 1):
		return timing{point, took, took, took, bounded, took, 0}, nil
	}
	whole, known, factor := took+left, told, float64(knownFactor)
	if took < leastShare*whole {
		known, factor = hinted, hintedFactor
	}
	return timing{point, whole, max(took, whole/factor), whole * factor, known, took, 0}, nil
}

// extrapolate returns the time of all points from some times. Those that are not known as well as others do not count,
// but their points take no less time than they ran.
func (s *Sweep) extrapolate(times []timing) (c Calibration) {
	own, best := map[int]timing{}, bounded
	once, ended := 0.0, 0.0
	for _, t := range times {
		own[t.point], best = t, max(best, min(t.known, told))
		if t.known == measured {
			once, ended = once+t.once, ended+1
		}
	}
	c.AtLeast = len(times) > 0 && best == bounded
	samples := slices.DeleteFunc(slices.Clone(times), func(t timing) bool { return t.known < best || t.seconds == 0 })
	varying := s.varying()
	var slow []timing // the slowest unmeasured points
	for i, p := range s.Points {
		t, timed := own[i]
		if p.Exact {
			continue
		}
		if (!timed || t.known < best) && len(samples) > 0 {
			ran := t.ran
			t = s.estimate(i, samples, varying)
			t.seconds, t.lo, t.hi = max(t.seconds, ran), max(t.lo, ran), max(t.hi, ran)
		}
		c.add(t, once/max(1, ended), s.Header.Config)
		if timed && t.known == measured {
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

// add adds the replicas of a point, and what is made once.
func (c *Calibration) add(t timing, once float64, config Config) {
	replicas := float64(config.Replicas)
	c.Seconds += replicas*t.seconds + once
	c.Lo += replicas*t.lo + once/knownFactor
	c.Hi += replicas*t.hi + once*knownFactor
	c.Block = max(c.Block, float64(config.Block)*t.hi+once)
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
	sum, t := 0.0, timing{point: point, lo: math.Inf(1), known: told}
	for _, a := range all {
		ratio := s.work(point) / s.work(a.point)
		sum += math.Log(a.seconds * ratio)
		t.lo, t.hi = min(t.lo, a.seconds*ratio/knownFactor), max(t.hi, a.seconds*ratio*knownFactor)
	}
	t.seconds = math.Exp(sum / float64(len(all)))
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

// nameByVarying names a point by the parameters of the configuration in which points differ.
func (s *Sweep) nameByVarying(point int, varying []int) string {
	var words []string
	for _, k := range varying {
		key, v := s.columns.Parameters[k], s.Points[point].Parameters[k]
		if _, given := s.Header.Config.Parameters[key]; given && v != nil {
			words = append(words, fmt.Sprintf("%s=%s", key, frame.Exact(v)))
		}
	}
	return cmp.Or(strings.Join(words, " "), s.Points[point].Name)
}
