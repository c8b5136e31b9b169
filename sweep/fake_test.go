package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"repslab/mc"
)

// dice is a tally of throws.
type dice struct {
	replicas mc.Count
	faces    mc.Sample
}

func (d *dice) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "replicas", Part: &d.replicas}, {Name: "faces", Part: &d.faces}}
}
func (d *dice) StoppingStatistic() mc.Estimate { return d.faces.Mean(mc.DefaultConfidence) }

// errBad is the error of a point with faces = 13; a point with faces = 14 panics.
var errBad = errors.New("thirteen faces")

// diceColumns are the columns of the sweeps of tests.
var diceColumns = Columns{Parameters: []string{"faces"}, Results: []string{"mean"}}

// dicePoint throws a die with some faces.
func dicePoint(faces uint64) Point {
	name, parameters := fmt.Sprintf("faces=%d", faces), []any{faces}
	if faces == 1 {
		return Exact(name, parameters, func(context.Context) (Results, error) { return Results{Rows: [][]any{{1}}}, nil })
	}
	throw := func(ctx context.Context, d *dice, replica, seed uint64) error {
		switch faces {
		case 13:
			return errBad
		case 14:
			panic("fourteen faces")
		}
		rng := mc.NewStream(seed, mc.Algorithm, replica).Rand()
		d.replicas++
		d.faces.Add(int64(1 + rng.Below(faces)))
		return ctx.Err()
	}
	e := mc.EachReplica(
		func() *dice { return new(dice) },
		func(seed uint64) (func(context.Context, *dice, uint64) error, error) {
			return func(ctx context.Context, d *dice, replica uint64) error { return throw(ctx, d, replica, seed) }, nil
		})
	return Estimated(name, parameters, e, func(_ context.Context, d *dice, replicas uint64) (Results, error) {
		if uint64(d.replicas) != replicas {
			return Results{}, fmt.Errorf("%d replicas in the tally of %d", d.replicas, replicas)
		}
		return Results{Rows: [][]any{{d.StoppingStatistic().Value}}}, nil
	})
}

// testProgram is the program that the sweeps of tests name.
var testProgram = Program{Version: "test", Revision: "1234", Streams: 1}

// diceSweep throws dice with the given faces.
func diceSweep(t testing.TB, c Config, shard Shard, faces ...uint64) *Sweep {
	t.Helper()
	var points []Point
	for _, f := range faces {
		points = append(points, dicePoint(f))
	}
	c.Model, c.Parameters = "dice", map[string]string{"faces": fmt.Sprint(faces)}
	s, err := New(testProgram, c, diceColumns, points)
	if err == nil {
		s, err = s.Part(shard)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// usual is the configuration of most tests: 10 blocks per point, the last one short.
var usual = Config{Seed: 1, Replicas: 96, Block: 10}

// mustRun runs a sweep to a new file and returns its bytes.
func mustRun(t testing.TB, s *Sweep, path string, o Options) []byte {
	t.Helper()
	if failed, err := s.Run(context.Background(), path, o); failed != 0 || err != nil {
		t.Fatalf("%d points failed, error %v", failed, err)
	}
	return contents(t, path)
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inDir returns the path of a file in a new directory.
func inDir(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
