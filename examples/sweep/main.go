// Sweep runs a grid of a model that it defines itself, and writes a result file that repslab show, plot,
// export and compare read.
//
// The model: n balls are thrown into n bins one after the other, each into the least loaded of d random
// bins. But a ball sees the loads as they were after the last whole batch of balls. A batch models
// delayed feedback in a network. How much of the benefit of two choices remains?
//
// Every block of replicas is written to the file as soon as it is finished: after a crash, a kill or
// Ctrl-C, -resume continues the file. The finished file has the same bytes for any number of workers and
// interruptions. The package adds the columns seed and replicas, and max_load_se gives max_load_mean its
// interval in the plot:
//
//	$ go run ./sweep stale.jsonl
//	finished stale.jsonl
//	$ repslab show stale.jsonl
//	repslab: warning: stale.jsonl was written by another program (version 1, revision unknown, streams 0): its model is "stale-choices"
//	 choices  batch  max_load_mean  max_load_se  seed  replicas
//	------------------------------------------------------------
//	       2      1         2.9045     0.006724     1      2000
//	       2      4         2.9325    0.0060407     1      2000
//	       2     16         2.9915    0.0054524     1      2000
//	       2     64         3.3645     0.011849     1      2000
//	       2    256         4.7805     0.016742     1      2000
//	       3      1          2.118    0.0072155     1      2000
//	       3      4          2.247    0.0096458     1      2000
//	       3     16          2.651     0.011387     1      2000
//	       3     64         3.3725     0.012608     1      2000
//	       3    256          4.763     0.016494     1      2000
//	$ repslab plot stale.jsonl --x batch --y max_load_mean --by choices --log-x -o stale.pdf
//	repslab: warning: stale.jsonl was written by another program (version 1, revision unknown, streams 0): its model is "stale-choices"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"

	"repslab/mc"
	"repslab/sweep"
)

const bins = 256

// tally accumulates the maximum loads of replicas.
type tally struct{ max mc.Moments }

// Parts lists the accumulators that the result file stores.
func (t *tally) Parts() []mc.NamedPart { return []mc.NamedPart{{Name: "max", Part: &t.max}} }

// StoppingStatistic returns the mean, whose interval decides when enough replicas have run.
func (t *tally) StoppingStatistic() mc.Estimate { return t.max.Mean(mc.DefaultConfidence) }

// throw throws the balls of one replica and returns the maximum load.
func throw(choices, batch int, random mc.Rand) int64 {
	var loads, seen [bins]int64
	for ball := range bins {
		if ball%batch == 0 {
			seen = loads
		}
		best := random.Below(bins)
		for range choices - 1 {
			if other := random.Below(bins); seen[other] < seen[best] {
				best = other
			}
		}
		loads[best]++
	}
	return slices.Max(loads[:])
}

// point returns a point of the grid.
func point(choices, batch int) sweep.Point {
	experiment := mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
		t.max.Add(throw(choices, batch, mc.NewStream(seed, mc.Algorithm, replica).Rand()))
	})
	name := fmt.Sprintf("choices=%d batch=%d", choices, batch)
	return sweep.Estimated(name, []any{choices, batch}, experiment, func(_ context.Context, t *tally, _ uint64) (sweep.Results, error) {
		e := t.StoppingStatistic()
		return sweep.Results{Rows: [][]any{{e.Value, e.StdErr}}}, nil
	})
}

// run runs the missing part of the sweep and writes the file.
func run(ctx context.Context, path string, o sweep.Options) error {
	var points []sweep.Point
	for _, choices := range []int{2, 3} {
		for batch := 1; batch <= bins; batch *= 4 {
			points = append(points, point(choices, batch))
		}
	}
	s, err := sweep.New(
		sweep.Program{Version: "1"}, // raise it with every change of the model's numbers
		sweep.Config{Model: "stale-choices", Seed: 1, Replicas: 2000},
		sweep.Columns{Parameters: []string{"choices", "batch"}, Results: []string{"max_load_mean", "max_load_se"}},
		points)
	if err != nil {
		return err
	}
	failed, err := s.Run(ctx, path, o)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d points failed; %s says why", failed, path)
	}
	return err
}

func main() {
	log.SetFlags(0)
	resume := flag.Bool("resume", false, "continue an unfinished file")
	workers := flag.Int("workers", 0, "blocks at the same time; 0 means one per core")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: sweep [-resume] [-workers N] FILE.jsonl")
	}
	path := flag.Arg(0)
	warn := func(text string) { log.Print("warning: ", text) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := run(ctx, path, sweep.Options{Resume: *resume, Workers: *workers, Warn: warn})
	if errors.Is(err, context.Canceled) {
		log.Fatalf("interrupted; -resume continues %s", path)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("finished", path)
}
