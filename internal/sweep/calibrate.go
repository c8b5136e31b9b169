package sweep

import (
	"context"
	"errors"
	"time"

	"repslab/internal/mc"
)

// mostCalibrated bounds the points that are measured.
const mostCalibrated = 32

// Calibration is an estimate of the time that a sweep takes.
type Calibration struct {
	Seconds  float64 // of one worker for all replicas, those of a stopping rule's cap included
	Measured int     // points; the others are taken to cost as much as the nearest of them
	// AtLeast says that a replica took longer than the budget, so Seconds is too low.
	AtLeast bool
}

// Calibrate runs a few replicas of points spread over the sweep, one after the
// other, for about the given time in all. They leave no trace in any file. A point
// that fails counts as free.
func (s *Sweep) Calibrate(ctx context.Context, budget time.Duration) (Calibration, error) {
	n := len(s.Points)
	measured := min(n, mostCalibrated)
	c := Calibration{Measured: measured}
	share := budget / time.Duration(measured)
	for i := range measured {
		first, end := i*n/measured, (i+1)*n/measured
		perReplica, whole, err := s.timeReplicas(ctx, (first+end-1)/2, share)
		if err != nil {
			return c, err
		}
		c.AtLeast = c.AtLeast || !whole
		for point := first; point < end; point++ {
			if !s.Points[point].Exact {
				c.Seconds += perReplica.Seconds() * float64(s.Header.Config.Replicas)
			}
		}
	}
	return c, nil
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
