package sweep

import (
	"context"
	"testing"
	"time"

	"repslab/mc"
)

// dicePointOf returns a point that calls a function with each replica.
func dicePointOf(each func(replica uint64)) Point {
	e := mc.EachReplica(func() *dice { return new(dice) },
		func(uint64) (func(context.Context, *dice, uint64) error, error) {
			return func(ctx context.Context, d *dice, replica uint64) error {
				each(replica)
				d.replicas++
				d.faces.Add(int64(1 + replica%6))
				return ctx.Err()
			}, nil
		})
	return Estimated("dice", []any{6}, e, func(context.Context, *dice, uint64) (Results, error) {
		return Results{Rows: [][]any{{1}}}, nil
	})
}

// TestAheadOfStoppingRule: while the first block of a point with a stopping rule runs, two workers begin the next
// three blocks, and no more: the rule may end the point. Without a rule they run all.
func TestAheadOfStoppingRule(t *testing.T) {
	for _, c := range []struct {
		precision float64
		ahead     int
	}{{1e-9, 3}, {0, 11}} {
		others := make(chan uint64, 12)
		point := dicePointOf(func(replica uint64) {
			if replica > 0 {
				others <- replica
				return
			}
			for range c.ahead {
				select {
				case <-others:
				case <-time.After(time.Minute):
					t.Errorf("precision %v: fewer than %d blocks run beside the first", c.precision, c.ahead)
				}
			}
			select {
			case <-others:
				t.Errorf("precision %v: more than %d blocks run beside the first", c.precision, c.ahead)
			case <-time.After(30 * time.Millisecond):
			}
		})
		s, err := New(testProgram, Config{Model: "dice", Replicas: 12, Block: 1, Precision: c.precision}, diceColumns, []Point{point})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, s, inDir(t, "r"), Options{Workers: 2})
	}
}
