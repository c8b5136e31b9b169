package cases

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"repslab/ballsbins"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/recycled"
	"repslab/sweep"
)

// exceedsParameter is the flag --exceeds: a queue length, to estimate the probability of a longer queue. where
// names the set-ups that can estimate it.
func exceedsParameter(where string, most int, field *int) param.Parameter {
	help := "also estimate the probability that a bin holds more balls than this"
	return param.Integer("exceeds", help, 1, most, field).NullIf(func() bool { return *field == 0 }).NoPreset("").More("the stationary probability; with " + where)
}

// rareExperiment estimates the probability of a long queue.
type rareExperiment = mc.Experiment[*mc.SplitTally]

// besideExceeds returns a point that estimates loads and, unless exceeds is 0, the probability of a longer queue
// as well. If exceeds is 0, results gets a nil tally for it.
func besideExceeds[T mc.Tally](
	name string, loads mc.Experiment[T], exceeds int, open func() (rareExperiment, error),
	results func(context.Context, T, *mc.SplitTally, uint64) (sweep.Results, error),
) sweep.Point {
	if exceeds == 0 {
		return sweep.Estimated(name, nil, loads, func(
			ctx context.Context, t T, replicas uint64,
		) (sweep.Results, error) {
			return results(ctx, t, nil, replicas)
		})
	}
	rare, _ := open() // no error: the point's complete has checked it
	return sweep.Estimated(name, nil, mc.Paired(rare, loads), func(
		ctx context.Context, t *mc.Pair[*mc.SplitTally, T], replicas uint64,
	) (sweep.Results, error) {
		return results(ctx, t.Second, t.First, replicas)
	})
}

// once is a value that is computed once, unless the context is done before: a law of a point may take longer than many
// of its replicas, and each block of a result file is folded alone.
type once[T any] struct {
	mutex sync.Mutex
	known bool
	value T
	err   error
}

// get returns the value.
func (o *once[T]) get(ctx context.Context, compute func(context.Context) (T, error)) (T, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.known {
		o.value, o.err = compute(ctx)
		o.known = ctx.Err() == nil
	}
	return o.value, o.err
}

// exceedsFault returns the error of a queue length that is not rare as a usage error, other errors as they are.
func exceedsFault(exceeds int, err error) error {
	if errors.Is(err, ballsbins.ErrNotRare) || errors.Is(err, recycled.ErrNotRare) {
		return param.Usagef("--exceeds: %d: %w", exceeds, err)
	}
	return err
}

// exceedsCell returns the result of a splitting estimate, without a value if rare is nil.
func exceedsCell(rare *mc.SplitTally) frame.Cell {
	e := noEstimate()
	if rare != nil {
		e = rare.StoppingStatistic()
	}
	return frame.Cell{"exceeds_probability", frame.WithErrorAndEnds(e)}
}

// exceedsWarnings returns the caveats of a splitting estimate at a point.
func exceedsWarnings(point fmt.Stringer, rare *mc.SplitTally) []string {
	return lists.Map(rare.StoppingStatistic().Warnings, func(warning string) string {
		return fmt.Sprintf("%s: exceeds_probability: %s", point, warning)
	})
}
