package sweep

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"repslab/mc"
)

// BenchmarkOverhead measures the cost of a block without its replicas: dealing, encoding,
// writing, syncing and, at the end, sorting. 30,000 us/block would be 3 % of blocks
// of a second.
func BenchmarkOverhead(b *testing.B) {
	const blocks = 20_000
	s := diceSweep(b, Config{Seed: 1, Replicas: blocks, Block: 1}, Shard{}, 6)
	for b.Loop() {
		mustRun(b, s, inDir(b, "r"), Options{Workers: 1})
	}
	perBlock := float64(b.Elapsed().Microseconds()) / float64(b.N) / blocks
	b.ReportMetric(perBlock, "us/block")
	b.ReportMetric(100*perBlock/1e6, "%-of-1s-blocks")
}

// BenchmarkWorkers runs blocks of some milliseconds by one worker and by two. The blocks draw without
// allocating, as models do; otherwise the garbage collector would keep the second core busy even with one
// worker. busy-% is the share of the time of all workers that is spent in blocks. The rest is overhead of
// the sweep.
func BenchmarkWorkers(b *testing.B) {
	const replicas = 1 << 28
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			s := diceSweep(b, Config{Seed: 1, Replicas: replicas, Block: 1 << 22}, Shard{}, 6)
			var busy atomic.Int64
			s.Points[0].Experiment.NewWorker = func(seed uint64) mc.Worker[mc.Tally] {
				run := spin(seed)
				return func(ctx context.Context, block mc.Block) (mc.Tally, error) {
					start := time.Now()
					defer func() { busy.Add(int64(time.Since(start))) }()
					return run(ctx, block)
				}
			}
			for b.Loop() {
				mustRun(b, s, inDir(b, "r"), Options{Workers: workers})
			}
			b.ReportMetric(replicas*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdraws/s")
			b.ReportMetric(100*float64(busy.Load())/float64(workers)/float64(b.Elapsed()), "busy-%")
		})
	}
}

// spin draws a number for each replica and keeps the largest.
func spin(seed uint64) mc.Worker[mc.Tally] {
	return func(ctx context.Context, block mc.Block) (mc.Tally, error) {
		rng, largest := mc.NewStream(seed, mc.Algorithm, block.First).Rand(), uint64(0)
		for range block.End - block.First {
			largest = max(largest, rng.Below(1<<20))
		}
		d := new(dice)
		d.replicas = mc.Count(block.End - block.First)
		d.faces.Add(int64(largest))
		return d, ctx.Err()
	}
}

// record writes the records of all blocks of a sweep's shard, without the last one if unfinished is set.
// It does not run the blocks. It returns the size of the file.
func record(b *testing.B, s *Sweep, path string, unfinished bool) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	out.Write(s.Header.line())
	for point := range s.Points {
		run := s.Points[point].Experiment.NewWorker(s.Header.Config.Seed)
		for k := range s.blocksOf(point) {
			if !s.mine(point, k) || unfinished && point == len(s.Points)-1 && k == s.blocksOf(point)-1 {
				continue
			}
			tally, err := run(context.Background(), s.block(k))
			if err != nil {
				b.Fatal(err)
			}
			out.Write(blockRecord(s.ids[point], s.block(k), tally))
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkResume opens an unfinished file of a million blocks, runs the missing block, makes the rows of
// all points, and writes the sorted file.
func BenchmarkResume(b *testing.B) {
	for _, c := range []struct{ points, blocks uint64 }{{10, 100_000}, {100_000, 10}} {
		b.Run(fmt.Sprintf("points=%d/blocks=1000000", c.points), func(b *testing.B) {
			faces := make([]uint64, c.points)
			for i := range faces {
				faces[i] = uint64(i + 20)
			}
			s := diceSweep(b, Config{Seed: 1, Replicas: c.blocks, Block: 1}, Shard{}, faces...)
			whole, path := inDir(b, "whole"), inDir(b, "r")
			record(b, s, whole, true)
			data := contents(b, whole)
			for b.Loop() {
				b.StopTimer()
				write(b, path, data)
				b.StartTimer()
				mustRun(b, s, path, Options{Resume: true})
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/resume")
		})
	}
}

// BenchmarkMerge merges four shards of a fifth of a million blocks and makes the rows.
func BenchmarkMerge(b *testing.B) {
	c := Config{Seed: 1, Replicas: 1 << 18, Block: 64}
	const points, shards = 50, 4
	var faces []uint64
	for i := range uint64(points) {
		faces = append(faces, 20+i)
	}
	dir := b.TempDir()
	var paths []string
	var size int64
	for i := range shards {
		path := filepath.Join(dir, fmt.Sprint(i))
		size += record(b, diceSweep(b, c, Shard{i + 1, shards}, faces...), path, false)
		paths = append(paths, path)
	}
	s := diceSweep(b, c, Shard{}, faces...)
	b.SetBytes(size)
	for b.Loop() {
		if _, err := s.Merge(context.Background(), paths, filepath.Join(dir, "merged"), MergeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecord encodes and reads a block's record.
func BenchmarkRecord(b *testing.B) {
	s := diceSweep(b, Config{Seed: 1, Replicas: 64, Block: 64}, Shard{}, 100)
	tally, err := s.Points[0].Experiment.NewWorker(1)(context.Background(), mc.Block{End: 64})
	if err != nil {
		b.Fatal(err)
	}
	line := blockRecord(s.ids[0], s.block(0), tally)
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			if err := readBlock(line[:len(line)-1], new(dice)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			blockRecord(s.ids[0], s.block(0), tally)
		}
	})
}
