package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"repslab/internal/checks"
	"repslab/mc"
)

// mostCalibrated bounds the points that are measured.
const mostCalibrated = 32

// Calibration estimates the time that a sweep takes.
type Calibration struct {
	Seconds  float64 // time of one worker for all replicas (with a precision, for the largest number of replicas)
	Measured int     // measured points; the others are assumed to cost as much on average
	// AtLeast reports that a replica took longer than the budget, so Seconds is too low.
	AtLeast bool
}

// Calibrate estimates the time of the sweep: it runs a few replicas of points spread over
// it, one after the other, within about the budget. If replicas take longer than planned,
// fewer points are measured; no point starts after twice the budget. No file is written. A
// point that fails counts as free. The error is ctx.Err(), or says that ctx is nil.
func (s *Sweep) Calibrate(ctx context.Context, budget time.Duration) (c Calibration, err error) {
	s.mustBeMade()
	if err := checks.Context("sweep", ctx); err != nil {
		return c, err
	}
	n := len(s.Points)
	sections := min(n, mostCalibrated)
	var sum time.Duration // time of one replica, summed over the measured points
	start := time.Now()
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(sections) { // however few are measured, they lie far apart
		if c.Measured > 0 && time.Since(start) > 2*budget {
			break
		}
		cost, whole, err := s.timeReplicas(ctx, (2*i+1)*n/(2*sections), budget/time.Duration(sections))
		if err != nil {
			return c, err
		}
		sum += cost
		c.Measured++
		c.AtLeast = c.AtLeast || !whole
	}
	c.Seconds = sum.Seconds() / float64(c.Measured) * float64(n) * float64(s.Header.Config.Replicas)
	return c, nil
}

// timeReplicas returns the mean time of a replica of a point, and false if no replica ended in ten times
// the given time.
func (s *Sweep) timeReplicas(
	ctx context.Context, point int, budget time.Duration,
) (mean time.Duration, whole bool, err error) {
	p := s.Points[point]
	if p.Exact {
		return 0, true, nil
	}
	start, replicas := time.Now(), uint64(0)
	limited, cancel := context.WithTimeout(ctx, 10*budget)
	defer cancel()
	err = guarded(func() error {
		run := p.Experiment.Checked().NewWorker(s.Header.Config.Seed)
		// The first replica runs even if making the worker took all the time.
		for replicas == 0 || time.Since(start) < budget && replicas < s.Header.Config.Replicas {
			if _, err := run(limited, mc.Block{First: replicas, End: replicas + 1}); err != nil {
				return err
			}
			replicas++
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return 0, false, ctx.Err()
	case replicas > 0:
		return time.Since(start) / time.Duration(replicas), true, nil
	case errors.Is(err, context.DeadlineExceeded):
		return time.Since(start), false, nil
	default:
		return 0, true, nil
	}
}
