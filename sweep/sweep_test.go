package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"repslab/faults"
	"repslab/mc"
)

// TestSameFileWhateverTheSplit: the file is the same for any number of workers, any order of shards, and
// after merging again. The rows equal the rows of mc.Run.
func TestSameFileWhateverTheSplit(t *testing.T) {
	faces := []uint64{6, 1, 20, 2}
	want := mustRun(t, diceSweep(t, usual, Shard{}, faces...), inDir(t, "one"), Options{Workers: 1})
	if got := mustRun(t, diceSweep(t, usual, Shard{}, faces...), inDir(t, "four"), Options{Workers: 4}); !bytes.Equal(got, want) {
		t.Errorf("four workers wrote\n%s\none\n%s", got, want)
	}
	dir := t.TempDir()
	var paths []string
	for _, i := range []int{3, 1, 2} {
		path := filepath.Join(dir, fmt.Sprint(i))
		mustRun(t, diceSweep(t, usual, Shard{i, 3}, faces...), path, Options{Workers: 2})
		paths = append(paths, path)
	}
	whole := diceSweep(t, usual, Shard{}, faces...)
	for range 2 { // the second time with the merged file itself
		out := filepath.Join(dir, "merged")
		m, err := whole.Merge(context.Background(), paths, out, MergeOptions{})
		if err != nil || m.Points != 4 || m.Blocks != 30 {
			t.Fatalf("%+v, error %v", m, err)
		}
		if got := contents(t, out); !bytes.Equal(got, want) {
			t.Errorf("merged\n%s\nat once\n%s", got, want)
		}
		paths = append(paths, out)
	}
	_, tally, _ := rowOf(t, 6, usual.plan())
	if !bytes.Contains(want, fmt.Appendf(nil, `{"faces":6,"mean":%v,"seed":1,"replicas":96}`, tally.StoppingStatistic().Value)) {
		t.Errorf("no row with the mean %v that mc.Run gives in\n%s", tally.StoppingStatistic().Value, want)
	}
}

// rowOf runs a die without a sweep.
func rowOf(t *testing.T, faces uint64, plan mc.Plan) (uint64, mc.Tally, error) {
	t.Helper()
	tally, replicas, err := dicePoint(faces).Experiment.Run(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return replicas, tally, nil
}

// TestGoroutines: if a sweep has fewer blocks than workers, the replicas share the workers. Replicas of
// Alone points have all workers and do not overlap.
func TestGoroutines(t *testing.T) {
	for _, c := range []struct {
		points, workers, want int
		alone                 bool
	}{{1, 1, 1, false}, {1, 8, 8, false}, {4, 8, 2, false}, {5, 8, 1, false}, {20, 4, 1, false}, {20, 4, 4, true}} {
		var first atomic.Int64 // goroutines of the first replica
		var running atomic.Int32
		var points []Point
		for i := range c.points {
			e := mc.EachReplica(func() *dice { return new(dice) },
				func(uint64) (func(context.Context, *dice, uint64) error, error) {
					return func(ctx context.Context, d *dice, _ uint64) error {
						first.CompareAndSwap(0, int64(mc.Goroutines(ctx)))
						if now := running.Add(1); c.alone && now != 1 {
							t.Errorf("%d replicas run at a time, want 1", now)
						}
						time.Sleep(time.Millisecond)
						running.Add(-1)
						return ctx.Err()
					}, nil
				})
			e.Alone = c.alone
			points = append(points, Estimated(fmt.Sprint(i), []any{i}, e, func(context.Context, *dice, uint64) (Results, error) {
				return Results{Rows: [][]any{{1}}}, nil
			}))
		}
		s, err := New(testProgram, Config{Model: "dice", Replicas: 1, Block: 1}, diceColumns, points)
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, s, inDir(t, "r"), Options{Workers: c.workers})
		if first.Load() != int64(c.want) {
			t.Errorf("%d points on %d workers: the first replica may use %d goroutines, want %d", c.points, c.workers, first.Load(), c.want)
		}
	}
}

// TestPrecisionEndsAsOneRun: a stopping rule ends a point of a sweep after the same replica as mc.Run,
// for any number of workers, and blocks that ran beyond that end leave no trace.
func TestPrecisionEndsAsOneRun(t *testing.T) {
	c := Config{Seed: 5, Replicas: 100_000, Precision: 0.02, Block: 64}
	var want []byte
	for _, workers := range []int{1, 3, 8} {
		got := mustRun(t, diceSweep(t, c, Shard{}, 6, 100, 2), inDir(t, "r"), Options{Workers: workers})
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers wrote another file", workers)
		}
	}
	for _, faces := range []uint64{6, 100, 2} {
		replicas, tally, _ := rowOf(t, faces, c.plan())
		row := fmt.Sprintf(`{"faces":%d,"mean":%v,"seed":5,"replicas":%d}`, faces, tally.StoppingStatistic().Value, replicas)
		if replicas == c.Replicas || !strings.Contains(string(want), row) {
			t.Errorf("no row %s", row)
		}
	}
}

// TestNewRefuses: every fault of a sweep is an error that names the field, its value and
// what is allowed.
func TestNewRefuses(t *testing.T) {
	points := []Point{dicePoint(6)}
	faces := func(parameters ...any) []Point {
		return []Point{Exact("p", parameters, func(context.Context) (Results, error) { return Results{}, nil })}
	}
	columns := func(parameters string, results ...string) Columns {
		return Columns{Parameters: []string{parameters}, Results: results}
	}
	for _, c := range []struct {
		config  Config
		shard   Shard
		columns Columns
		points  []Point
		field   string // field of the [faults.FieldError], if it is one
		want    string
	}{
		{Config{Model: "dice"}, Shard{}, diceColumns, points, "Replicas", "Replicas (0) must be in [1, "},
		{Config{Replicas: 5}, Shard{}, diceColumns, points, "Model", `Model ("") must name the model`},
		{Config{}, Shard{}, Columns{}, points, "Replicas", "\nsweep: Model (\"\") must name the model\nsweep: Columns "}, // all faults
		{Config{Model: "dice", Replicas: 5, Block: 6}, Shard{}, diceColumns, points, "Block", "Block (6) must be in [1, Replicas=5]"},
		{Config{Model: "dice", Replicas: 5}, Shard{2, 1}, diceColumns, points, "Shard", "Shard (2/1) must be i/N"},
		{Config{Model: "dice", Replicas: 5, Precision: 0.1}, Shard{1, 2}, diceColumns, points, "Precision", "Precision (0.1) must be 0 where there are shards"},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, nil, "Points", "Points (0) must be in [1, 1000000]"},
		{Config{Model: "dice", Replicas: 5}, Shard{}, Columns{}, points, "Columns", "must have parameters and results"},
		{Config{Model: "dice", Replicas: 5}, Shard{}, columns("faces", "faces"), points, "Columns", `Columns ("faces") must be distinct`},
		{Config{Model: "dice", Replicas: 5}, Shard{}, columns("faces", "replicas"), points, "Columns", `Columns ("replicas") must be distinct, not empty, and neither seed nor replicas`},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, faces(6, 7), "", "2 cells must be 1, one for each of the columns [faces], in the parameters of the point p"},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, faces(uint8(6)), "", `column "faces": cell type uint8 must be`},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, faces(math.NaN()), "Points[0].Parameters", `Points[0].Parameters (NaN) must be finite in the column faces of the point "p"`},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, faces(math.Inf(-1)), "Points[0].Parameters", "(-Inf) must be finite"},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, []Point{dicePoint(6), dicePoint(2), faces(6.0)[0]}, "Points[2].Parameters", `Points[2].Parameters ([6]) must differ from those of Points[0]; the points are named "faces=6" and "p"`},
		{Config{Model: "dice", Replicas: 5}, Shard{}, diceColumns, slices.Concat(faces(nil), faces(nil)), "Points[1].Parameters", "must differ from those of Points[0]"},
	} {
		s, err := New(testProgram, c.config, c.columns, c.points)
		if err == nil {
			_, err = s.Part(c.shard)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %+v: error %v, want %s", c.config, c.shard, err, c.want)
		}
		var field *faults.FieldError
		if errors.As(err, &field); c.field != "" && (field == nil || field.Field != c.field) {
			t.Errorf("%+v: the error %v is %+v, want one of the field %s", c.config, err, field, c.field)
		}
	}
}

// TestNewDefaults: the blocks and the parameters that New fills in. A number, its text and
// nil are different parameters, and a slice that the caller uses again changes nothing.
func TestNewDefaults(t *testing.T) {
	nothing := func(context.Context) (Results, error) { return Results{}, nil }
	points := []Point{dicePoint(6), Exact("text", []any{"6"}, nothing), Exact("nil", []any{nil}, nothing), dicePoint(2)}
	columns := Columns{Parameters: []string{"faces"}, Results: []string{"mean"}}
	s, err := New(testProgram, Config{Model: "dice", Seed: 1, Replicas: 1280}, columns, points)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Header.Config; len(s.Points) != 4 || c.Block != 20 || c.Parameters["faces"] != "6,,2" || s.Blocks() != 128 {
		t.Errorf("%d points, defaults %+v, %d blocks; want 4 points, blocks of 20 replicas, as in an mc.Plan, and the faces 6, none and 2", len(s.Points), c, s.Blocks())
	}
	points[0], columns.Parameters[0], columns.Results[0] = dicePoint(3), "other", "other"
	if s.Points[0].Name != "faces=6" || s.columns.Parameters[0] != "faces" || s.columns.Results[0] != "mean" || s.Header.Results[0] != "mean" {
		t.Errorf("the caller's slices are those of the sweep %+v", s)
	}
}

// TestRunRefuses: a wrong number of workers is an error, and no file is written.
func TestRunRefuses(t *testing.T) {
	path := inDir(t, "r")
	for _, workers := range []int{-1, mc.MaxWorkers + 1} {
		_, err := diceSweep(t, usual, Shard{}, 6).Run(context.Background(), path, Options{Workers: workers})
		var field *faults.FieldError
		if !errors.As(err, &field) || field.Field != "Workers" || field.Value != workers {
			t.Errorf("%d workers: error %v", workers, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d workers: %v, want no file", workers, err)
		}
	}
}

// TestReadTorn: an incomplete last line is left out, with or without a function for warnings.
func TestReadTorn(t *testing.T) {
	path := inDir(t, "r")
	data := mustRun(t, diceSweep(t, usual, Shard{}, 6, 2), path, Options{})
	write(t, path, data[:len(data)-1])
	told := 0
	for _, warn := range []func(string){nil, func(string) { told++ }} {
		if c, err := Read(path, warn); err != nil || len(c.Rows) != 1 || c.Missing != 1 {
			t.Errorf("%+v, error %v", c, err)
		}
	}
	if told != 1 {
		t.Errorf("%d warnings, want 1", told)
	}
}

// TestBadRows: a row of other columns, or with a cell of no allowed type, is a failure of
// its point; NaN and infinities are null.
func TestBadRows(t *testing.T) {
	point := func(name string, cells ...any) Point {
		return Exact(name, []any{name}, func(context.Context) (Results, error) { return Results{Rows: [][]any{cells}}, nil })
	}
	s, err := New(testProgram, Config{Model: "dice", Seed: 1, Replicas: 1}, diceColumns,
		[]Point{point("short"), point("type", []int{1}), point("nan", math.NaN()), point("infinite", math.Inf(1)), point("text", "<a>")})
	if err != nil {
		t.Fatal(err)
	}
	path := inDir(t, "r")
	if failed, err := s.Run(context.Background(), path, Options{}); failed != 2 || err != nil {
		t.Errorf("%d points failed, want 2; error %v", failed, err)
	}
	data := string(contents(t, path))
	for _, want := range []string{
		`0 cells must be 1`, `column \"mean\": cell type []int must be`, `{"faces":"nan","mean":null,"seed":1,"replicas":0}`,
		`{"faces":"infinite","mean":null,`, `{"faces":"text","mean":"<a>",`,
	} {
		if !strings.Contains(data, want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}

// TestEveryBlockIsInOneShard: every block of every point, except exact points, is in exactly one shard. The blocks of
// all points go to the shards in turn.
func TestEveryBlockIsInOneShard(t *testing.T) {
	var found [3][10]int
	for i := range 7 {
		s := diceSweep(t, usual, Shard{i + 1, 7}, 6, 1, 20)
		for point := range s.Points {
			for k := range s.blocksOf(point) {
				if s.mine(point, k) {
					found[point][k]++
					if number := point/2*10 + int(k); number%7 != i {
						t.Errorf("block %d is in shard %d of 7", number, i+1)
					}
				}
			}
		}
	}
	for point, blocks := range found {
		for k, n := range blocks {
			if want := 1; point == 1 && n != 0 || point != 1 && n != want {
				t.Errorf("point %d block %d is in %d shards", point, k, n)
			}
		}
	}
}

// TestMemoryDoesNotGrowWithReplicas: ten times the replicas, and blocks, take no more than
// the index's 24 bytes a block, with as much again for what grows by doubling and 256 KiB for
// the runtime. The memory is that at the last blocks of the last point.
func TestMemoryDoesNotGrowWithReplicas(t *testing.T) {
	const size = 64
	live := func(replicas uint64) int64 {
		s := diceSweep(t, Config{Seed: 1, Replicas: replicas, Block: size}, Shard{}, 6, 20)
		var least int64 = 1 << 62
		experiment := &s.Points[1].Experiment
		newWorker := experiment.NewWorker
		experiment.NewWorker = func(seed uint64) mc.Worker[mc.Tally] {
			run := newWorker(seed)
			return func(ctx context.Context, block mc.Block) (mc.Tally, error) {
				if block.First+8*size >= replicas {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					least = min(least, int64(m.HeapAlloc))
				}
				return run(ctx, block)
			}
		}
		mustRun(t, s, inDir(t, "r"), Options{Workers: 1})
		return least
	}
	const few, many = 1 << 16, 10 << 16
	before := live(few)
	if growth, most := live(many)-before, int64(2*24*2*(many-few)/size+1<<18); growth > most {
		t.Errorf("%d bytes more for ten times the replicas, want at most %d", growth, most)
	}
}

// TestCalibrate: all points count, but none is run to its end: 2^28 replicas of four points would take
// minutes.
func TestCalibrate(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 1 << 28, Block: 1024}, Shard{}, 6, 1, 13, 20)
	c, err := s.Calibrate(context.Background(), 400e6)
	if err != nil || c.Measured != 3 || c.AtLeast || c.Seconds < 1 {
		t.Errorf("%+v, error %v", c, err)
	}
}

// TestCalibrateFewReplicas: a point runs no more replicas than the sweep has. The estimate is then at most the time
// that they took.
func TestCalibrateFewReplicas(t *testing.T) {
	var run []uint64
	point := dicePointOf(func(replica uint64) {
		run = append(run, replica)
		time.Sleep(2 * time.Millisecond)
	})
	s, err := New(testProgram, Config{Model: "dice", Replicas: 3, Block: 1}, diceColumns, []Point{point})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c, err := s.Calibrate(context.Background(), time.Minute)
	if most := time.Since(start).Seconds(); err != nil || c.Measured != 1 || c.Seconds < 0.006 || c.Seconds > most || !slices.Equal(run, []uint64{0, 1, 2}) {
		t.Errorf("replicas %v, want 0 to 2; %+v, want at most %v s; error %v", run, c, most, err)
	}
}

// TestCalibrateSlowReplicas: if no replica ends within its share of the budget, fewer points are
// measured, so that the time stays near the budget. Of 32 points, each stopped after 20 ms, at most 7 fit
// within twice 64 ms. A worker that takes longer to make than the 2 ms of its point still runs a replica.
func TestCalibrateSlowReplicas(t *testing.T) {
	var faces []uint64
	for f := range uint64(64) {
		faces = append(faces, 20+f)
	}
	s := diceSweep(t, Config{Seed: 1, Replicas: 10, Block: 1}, Shard{}, faces...)
	for i := range s.Points {
		s.Points[i].Experiment.NewWorker = func(uint64) mc.Worker[mc.Tally] {
			time.Sleep(3 * time.Millisecond)
			return func(ctx context.Context, _ mc.Block) (mc.Tally, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}
	}
	c, err := s.Calibrate(context.Background(), 64*time.Millisecond)
	if err != nil || c.Measured != 0 || c.Unmeasured != 64 || len(c.Slowest) != 3 || !c.AtLeast || c.Seconds < 64*10*0.003 {
		t.Errorf("%+v, error %v", c, err)
	}
}

// TestInspect: the inventory of a sweep or a shard after each line of its file.
func TestInspect(t *testing.T) {
	for _, shard := range []Shard{{}, {2, 3}} {
		s := diceSweep(t, usual, shard, 6, 13, 20)
		path := inDir(t, "r")
		if v, err := s.Inspect(path); err != nil || v != (Inventory{}) {
			t.Errorf("%v: without a file %+v, error %v", shard, v, err)
		}
		if _, err := s.Run(context.Background(), path, Options{}); err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(contents(t, path), []byte("\n"))
		lines = lines[:len(lines)-1]
		for n := range len(lines) + 1 {
			write(t, path, bytes.Join(lines[:n], nil))
			blocks := 0
			for _, line := range lines[:n] {
				blocks += bytes.Count(line, []byte(`"tally"`))
			}
			v, err := s.Inspect(path)
			if err != nil || v.Blocks != uint64(blocks) || v.Finished != (n == len(lines)) {
				t.Errorf("%v: %d of %d lines: %+v, error %v", shard, n, len(lines), v, err)
			}
			if n == len(lines) && v.Failed != 1 {
				t.Errorf("%v: %d points failed, want 1", shard, v.Failed)
			}
		}
		other := diceSweep(t, usual, Shard{3, 3}, 6, 13, 20)
		if _, err := other.Inspect(path); err == nil {
			t.Errorf("%v: taken for shard 3/3", shard)
		}
	}
}

// TestPrecisionResumesWithGaps: under a stopping rule, a resumed file may have blocks that wait for an
// earlier missing block. They are folded only after it.
func TestPrecisionResumesWithGaps(t *testing.T) {
	s := diceSweep(t, Config{Seed: 5, Replicas: 100_000, Precision: 0.02, Block: 64}, Shard{}, 6, 100)
	path := inDir(t, "r")
	want := mustRun(t, s, path, Options{Workers: 1})
	lines := bytes.SplitAfter(want, []byte("\n"))
	gap := slices.Concat(lines[:1], lines[2:6])
	write(t, path, bytes.Join(gap, nil))
	if got := mustRun(t, s, path, Options{Workers: 2, Resume: true}); !bytes.Equal(got, want) {
		t.Errorf("resumed without the first block the file is\n%s\nwant\n%s", got, want)
	}
}
