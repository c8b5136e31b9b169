package sweep

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"repslab/mc"
)

// TestExtended: a finished or unfinished file of a sweep with fewer replicas or points, or a wider interval, is
// continued, twice, to the bytes of the sweep that was asked for at once. 40 random sweeps.
func TestExtended(t *testing.T) {
	path := inDir(t, "r")
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 66))
		all := []uint64{2, 1, 6, 100, 7}
		rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		config := Config{Seed: 3, Block: 1 + rng.Uint64N(20), Precision: []float64{0, 0.4}[rng.IntN(2)]}
		os.Remove(path)
		known := 1
		for turn := range 3 {
			config.Replicas = max(config.Block, config.Replicas+rng.Uint64N(60))
			if config.Precision > 0 {
				config.Precision *= []float64{0, 0.5, 1}[rng.IntN(3)]
			}
			known += rng.IntN(len(all) - known + 1)
			s := diceSweep(t, config, Shard{}, all[:known]...)
			want := mustRun(t, s, inDir(t, "whole"), Options{Workers: 1})
			if got := mustRun(t, s, path, Options{Workers: 2, Resume: true}); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, turn %d: continued:\n%s\nat once:\n%s", seed, turn, got, want)
			}
			header := len(s.Header.line())
			write(t, path, want[:header+rng.IntN(len(want)-header+1)])
		}
	}
}

// TestExtendedRunsTheRest: a sweep that is continued with more replicas and points runs no block again, but the last
// one if it was short.
func TestExtendedRunsTheRest(t *testing.T) {
	var ran atomic.Int64
	run := func(replicas uint64, points int, path string) int64 {
		ran.Store(0)
		var list []Point
		for faces := range points {
			p := dicePointOf(func(uint64) { ran.Add(1) })
			p.Parameters = []any{faces}
			list = append(list, p)
		}
		s, err := New(testProgram, Config{Model: "dice", Replicas: replicas, Block: 10}, diceColumns, list)
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, s, path, Options{Workers: 2, Resume: true})
		return ran.Load()
	}
	path := inDir(t, "r")
	for _, c := range []struct {
		replicas uint64
		points   int
		want     int64
	}{
		{40, 1, 40}, {80, 1, 40}, {80, 1, 0}, {85, 1, 5},
		{100, 1, 20}, // the short block, 80 to 85, is run again
		{105, 2, 110}, {105, 3, 105},
	} {
		if got := run(c.replicas, c.points, path); got != c.want {
			t.Errorf("to %d replicas of %d points: %d runs, want %d", c.replicas, c.points, got, c.want)
		}
	}
}

// TestExtendedRefuses: a file that would lose records, or that is of another sweep, stays as it is.
func TestExtendedRefuses(t *testing.T) {
	c := Config{Seed: 1, Replicas: 40, Block: 10, Precision: 0.01}
	path := inDir(t, "r")
	want := mustRun(t, diceSweep(t, c, Shard{}, 6, 7), path, Options{})
	faces := []uint64{6, 7}
	for name, change := range map[string]func(c *Config, s *Shard){
		"replicas is 40 there and 39 here":     func(c *Config, _ *Shard) { c.Replicas = 39 },
		"precision is 0.01 there and 0.02":     func(c *Config, _ *Shard) { c.Precision = 0.02 },
		"block is 10 there and 5 here":         func(c *Config, _ *Shard) { c.Block, c.Replicas = 5, 80 },
		"seed is 1 there and 2 here":           func(c *Config, _ *Shard) { c.Seed, c.Replicas = 2, 80 },
		"shard is none there and 1/1 here":     func(c *Config, s *Shard) { c.Precision, *s = 0, Shard{1, 1} },
		"with a point that is missing here: f": func(c *Config, _ *Shard) { c.Replicas, faces = 80, faces[:1] },
	} {
		narrow, shard := c, Shard{}
		change(&narrow, &shard)
		_, err := diceSweep(t, narrow, shard, faces...).Run(t.Context(), path, Options{Resume: true})
		if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), name) || !bytes.Equal(contents(t, path), want) {
			t.Errorf("%v, want %q and the file as it was", err, name)
		}
		faces = []uint64{6, 7}
	}
	s := diceSweep(t, c, Shard{}, 6, 7)
	other, err := valueRecord(s.ids[0], "other", Rows{})
	if err != nil {
		t.Fatal(err)
	}
	c.Replicas = 80
	for _, record := range [][]byte{other, blockRecord(s.ids[0], mc.Block{First: 3, End: 9}, new(dice))} {
		foreign := slices.Concat(s.Header.line(), record)
		write(t, path, foreign)
		if _, err := diceSweep(t, c, Shard{}, 6, 7).Run(t.Context(), path, Options{Resume: true}); !errors.Is(err, ErrOther) || !bytes.Equal(contents(t, path), foreign) {
			t.Errorf("a record of no sweep: %v", err)
		}
	}
	c.Replicas = 40
	plain := Config{Seed: 1, Replicas: 40, Block: 10}
	want = mustRun(t, diceSweep(t, plain, Shard{}, 6), inDir(t, "plain"), Options{})
	write(t, path, want)
	if _, err := diceSweep(t, c, Shard{}, 6).Run(t.Context(), path, Options{Resume: true}); !errors.Is(err, ErrOther) {
		t.Errorf("a precision after none: %v", err)
	}
	shards := Shard{1, 2}
	part := mustRun(t, diceSweep(t, plain, shards, 6), inDir(t, "part"), Options{})
	write(t, path, part)
	plain.Replicas = 80
	if _, err := diceSweep(t, plain, shards, 6).Run(t.Context(), path, Options{Resume: true}); !errors.Is(err, ErrOther) || !slices.Equal(part, contents(t, path)) {
		t.Errorf("a shard: %v", err)
	}
}
