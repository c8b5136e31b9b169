package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"repslab/mc"
	"repslab/sweep"
)

// tally accumulates the maximum loads of replicas.
type tally struct{ max mc.Moments }

func (t *tally) Parts() []mc.NamedPart { return []mc.NamedPart{{Name: "max", Part: &t.max}} }

func (t *tally) StoppingStatistic() mc.Estimate { return t.max.Mean(mc.DefaultConfidence) }

// maxLoad throws as many balls as there are bins into random bins.
func maxLoad(bins int, random mc.Rand) int64 {
	loads := make([]int64, bins)
	for range bins {
		loads[random.Below(uint64(bins))]++
	}
	return slices.Max(loads)
}

// run runs the sweep of the package comment.
func run(ctx context.Context, path string) error {
	columns := sweep.Columns{Parameters: []string{"bins"}, Results: []string{"max_load_mean", "max_load_se"}}
	var points []sweep.Point
	for _, bins := range []int{16, 32, 64} {
		throw := mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
			t.max.Add(maxLoad(bins, mc.NewStream(seed, mc.Algorithm, replica).Rand()))
		})
		points = append(points, sweep.Estimated(fmt.Sprint("bins=", bins), []any{bins}, throw,
			func(_ context.Context, t *tally, _ uint64) (sweep.Results, error) {
				e := t.StoppingStatistic()
				return sweep.Results{Rows: [][]any{{e.Value, e.StdErr}}}, nil
			}))
	}
	config := sweep.Config{Model: "balls", Seed: 1, Replicas: 1000}
	s, err := sweep.New(sweep.Program{Version: "1"}, config, columns, points)
	if err != nil {
		return err
	}
	failed, err := s.Run(ctx, path, sweep.Options{Resume: true})
	if failed > 0 {
		fmt.Println(failed, "points failed")
	}
	return err
}

// A grid of three points: the mean maximum load of n balls in n bins.
func Example() {
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "balls.jsonl")
	if err := run(context.Background(), path); err != nil {
		fmt.Println(err)
		return
	}
	contents, err := sweep.Read(path, func(warning string) { fmt.Println(warning) })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, point := range contents.Rows {
		for _, row := range point.Rows {
			fmt.Println(string(row))
		}
	}
	// Output:
	// {"bins":16,"max_load_mean":3.084,"max_load_se":0.024526425453896567,"seed":1,"replicas":1000}
	// {"bins":32,"max_load_mean":3.549,"max_load_se":0.023326875983361833,"seed":1,"replicas":1000}
	// {"bins":64,"max_load_mean":3.936,"max_load_se":0.02384266076746621,"seed":1,"replicas":1000}
}
