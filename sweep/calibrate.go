package sweep

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"repslab/mc"
)

// mostCalibrated bounds the points that are measured.
const mostCalibrated = 1 << mostBits

// mostBits is the number of bits that mostCalibrated numbers have.
const mostBits = 5

// Calibration estimates the time that a sweep takes.
type Calibration struct {
	Seconds  float64 // of one worker for all replicas; with a precision, for the largest number
	Measured int     // points; the cost of the others is taken from a neighbouring point
	// AtLeast reports that a replica took longer than the budget, so Seconds is too low.
	AtLeast bool
}

// Calibrate estimates the time of the sweep: it runs a few replicas of points spread over
// it, one after the other, within about the budget. If replicas take longer than planned,
// fewer points are measured; no point starts after twice the budget. No file is written. A
// point that fails counts as free.
func (s *Sweep) Calibrate(ctx context.Context, budget time.Duration) (Calibration, error) {
	n := len(s.Points)
	sections := min(n, mostCalibrated)
	var c Calibration
	share := budget / time.Duration(sections)
	costs := map[int]time.Duration{} // of a replica, by section
	start := time.Now()
	for k := range uint8(mostCalibrated) {
		i := int(bits.Reverse8(k) >> (8 - mostBits)) // the first few, however many, lie far apart
		if i >= sections {
			continue
		}
		if c.Measured > 0 && time.Since(start) > 2*budget {
			break
		}
		first, end := i*n/sections, (i+1)*n/sections
		cost, whole, err := s.timeReplicas(ctx, (first+end-1)/2, share)
		if err != nil {
			return c, err
		}
		costs[i] = cost
		c.Measured++
		c.AtLeast = c.AtLeast || !whole
	}
	for point, p := range s.Points {
		if !p.Exact {
			c.Seconds += nearest(costs, point*sections/n).Seconds() * float64(s.Header.Config.Replicas)
		}
	}
	return c, nil
}

// nearest returns the cost of the measured section that is nearest to a section.
func nearest(costs map[int]time.Duration, section int) time.Duration {
	for distance := 0; ; distance++ {
		for _, i := range []int{section - distance, section + distance} {
			if cost, ok := costs[i]; ok {
				return cost
			}
		}
	}
}

// timeReplicas returns the mean time of a replica of a point, and false if none ended in
// ten times the given time.
func (s *Sweep) timeReplicas(
	ctx context.Context, point int, budget time.Duration,
) (mean time.Duration, whole bool, err error) {
	p := s.Points[point]
	if p.Exact {
		return 0, true, nil
	}
	limited, cancel := context.WithTimeout(ctx, 10*budget)
	defer cancel()
	start, replicas := time.Now(), uint64(0)
	err = guarded(func() error {
		run := p.Experiment.NewWorker(s.Header.Config.Seed)
		for time.Since(start) < budget && replicas < s.Header.Config.Replicas {
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
