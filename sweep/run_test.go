package sweep

import (
	"context"
	"math"
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

// TestReportedInterval: progress tells half the interval of the current point, relative to its mean: three faces with
// mean 4 and variance 4. A point that has ended, has no replicas or no interval is not told.
func TestReportedInterval(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	tally, alike := &dice{replicas: 3}, &dice{replicas: 3}
	for _, face := range []int64{2, 4, 6} {
		tally.faces.Add(face)
		alike.faces.Add(4)
	}
	e := tally.StoppingStatistic()
	half := (e.Hi - e.Value) / 4
	for _, c := range []struct {
		a    *activePoint
		want Progress
	}{
		{&activePoint{tally: tally, replicas: 3}, Progress{Blocks: 10, Point: "faces=6", RelativeHalf: half}},
		{&activePoint{tally: tally, replicas: 3, ended: true}, Progress{Blocks: 10}},
		{&activePoint{tally: tally, replicas: 3, unknown: true}, Progress{Blocks: 10}},
		{&activePoint{tally: tally}, Progress{Blocks: 10}},
		{&activePoint{tally: alike, replicas: 3}, Progress{Blocks: 10}},
		{&activePoint{tally: new(dice), replicas: 3}, Progress{Blocks: 10}},
		{nil, Progress{Blocks: 10}},
	} {
		var got []Progress
		r := &runner{sweep: s, current: c.a, progress: Progress{Blocks: 10}, options: Options{Progress: func(p Progress) { got = append(got, p) }}}
		r.report()
		r.report() // too early
		if len(got) != 1 || got[0].Point != c.want.Point || !(math.Abs(got[0].RelativeHalf-c.want.RelativeHalf) < 1e-12) {
			t.Errorf("%+v: reports %+v, want %+v", c.a, got, c.want)
		}
	}
}

// TestProgress: progress counts the points and blocks that are done. Blocks that a stopping rule made unnecessary do
// not count. The last point is so slow that its end is reported.
func TestProgress(t *testing.T) {
	slow := Exact("slow", []any{1}, func(context.Context) (Results, error) {
		time.Sleep(progressEvery + 20*time.Millisecond)
		return Results{Rows: [][]any{{1}}}, nil
	})
	c := Config{Model: "dice", Seed: 1, Replicas: 1000, Block: 10, Precision: 0.1}
	s, err := New(testProgram, c, diceColumns, []Point{dicePoint(6), slow})
	if err != nil {
		t.Fatal(err)
	}
	var last Progress
	path := inDir(t, "r")
	mustRun(t, s, path, Options{Workers: 1, Progress: func(p Progress) { last = p }})
	v, err := s.Inspect(path)
	if err != nil || v.Blocks < 2 || v.Blocks >= 100 {
		t.Fatalf("%+v, error %v", v, err)
	}
	if want := (Progress{Points: 2, PointsDone: 2, Blocks: v.Blocks, BlocksDone: v.Blocks, BlocksRun: v.Blocks}); last != want {
		t.Errorf("last report %+v, want %+v", last, want)
	}
}

// TestGoroutinesLeft: the workers are shared by the blocks that are left.
func TestGoroutinesLeft(t *testing.T) {
	for _, c := range []struct {
		progress Progress
		want     int
	}{
		{Progress{Blocks: 10}, 1}, {Progress{Blocks: 10, BlocksDone: 2}, 1}, {Progress{Blocks: 10, BlocksDone: 6}, 2},
		{Progress{Blocks: 10, BlocksDone: 9}, 8}, {Progress{Blocks: 10, BlocksDone: 10}, 8},
	} {
		r := &runner{sweep: diceSweep(t, usual, Shard{}, 6), progress: c.progress, options: Options{Workers: 8}}
		if got := r.goroutines(0); got != c.want {
			t.Errorf("%+v: %d goroutines, want %d", c.progress, got, c.want)
		}
	}
}
