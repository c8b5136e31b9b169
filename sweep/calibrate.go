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

// Calibration is an estimate of the time that a sweep takes.
type Calibration struct {
	Seconds  float64 // of one worker for all replicas, those of a stopping rule's cap included
	Measured int     // points; the others are taken to cost as much as one near them
	// AtLeast says that a replica took longer than the budget, so Seconds is too low.
	AtLeast bool
}

// Calibrate runs a few replicas of points spread over the sweep, one after the
// other, for about the given time in all. Replicas that outlast their share of it leave
// fewer points to measure: after twice the time no other is begun. They leave no trace
// in any file. A point that fails counts as free.
func (s *Sweep) Calibrate(ctx context.Context, budget time.Duration) (Calibration, error) {
	n := len(s.Points)
	sections := min(n, mostCalibrated)
	var c Calibration
	share := budget / time.Duration(sections)
	cost := make([]time.Duration, sections) // of a replica of the section's points
	known := make([]bool, sections)
	start := time.Now()
	for _, i := range spread(sections) {
		if c.Measured > 0 && time.Since(start) > 2*budget {
			break
		}
		first, end := i*n/sections, (i+1)*n/sections
		var whole bool
		var err error
		if cost[i], whole, err = s.timeReplicas(ctx, (first+end-1)/2, share); err != nil {
			return c, err
		}
		known[i] = true
		c.Measured++
		c.AtLeast = c.AtLeast || !whole
	}
	for point, p := range s.Points {
		if !p.Exact {
			c.Seconds += cost[nearest(known, point*sections/n)].Seconds() * float64(s.Header.Config.Replicas)
		}
	}
	return c, nil
}

// spread returns the numbers below n, so ordered that the first few of them, however
// many, lie far apart.
func spread(n int) []int {
	var order []int
	for k := range uint8(mostCalibrated) {
		if i := int(bits.Reverse8(k) >> (8 - mostBits)); i < n {
			order = append(order, i)
		}
	}
	return order
}

// nearest returns the place of the true value that is nearest to a place.
func nearest(known []bool, place int) int {
	for distance := range known {
		if i := place - distance; i >= 0 && known[i] {
			return i
		}
		if i := place + distance; i < len(known) && known[i] {
			return i
		}
	}
	return place
}

// timeReplicas returns the mean time of a replica of a point, and false if not even
// one ended in ten times the given time.
func (s *Sweep) timeReplicas(ctx context.Context, point int, budget time.Duration) (mean time.Duration, whole bool, err error) {
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
