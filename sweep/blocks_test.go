package sweep

import (
	"context"
	"errors"
	"math"
	"testing"

	"repslab/mc"
)

// TestReadBlocks: a file gives the results of each of its blocks alone: their mean over replicas is the row, and each
// is the row of a sweep of the block's replicas. Exact points, and points without rows, have none.
func TestReadBlocks(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 1, 20)
	path := inDir(t, "r.jsonl")
	mustRun(t, s, path, Options{})
	points, err := s.ReadBlocks(context.Background(), path)
	if err != nil || len(points) != 3 || points[1] != nil {
		t.Fatalf("%v, error %v", points, err)
	}
	for point, faces := range map[int]uint64{0: 6, 2: 20} {
		whole, sum, replicas := new(dice), 0.0, uint64(0)
		for k, b := range points[point] {
			part := new(dice)
			for r := replicas; r < replicas+b.Replicas; r++ {
				rng := mc.NewStream(1, mc.Algorithm, r).Rand()
				face := int64(1 + rng.Below(faces))
				part.faces.Add(face)
				whole.faces.Add(face)
			}
			replicas += b.Replicas
			if got := b.Rows[0][0].(float64); got != part.StoppingStatistic().Value || k < 9 && b.Replicas != 10 {
				t.Errorf("%d faces, block %d of %d replicas: %v, want %v", faces, k, b.Replicas, got, part.StoppingStatistic().Value)
			}
			sum += float64(b.Replicas) * b.Rows[0][0].(float64)
		}
		if want := whole.StoppingStatistic().Value; replicas != 96 || len(points[point]) != 10 || math.Abs(sum/96-want) > 1e-9 {
			t.Errorf("%d faces: mean of blocks %v of %d replicas, want %v of 96", faces, sum/96, replicas, want)
		}
	}
	if _, err := diceSweep(t, Config{Seed: 2, Replicas: 96, Block: 10}, Shard{}, 6, 1, 20).ReadBlocks(context.Background(), path); !errors.Is(err, ErrOther) {
		t.Errorf("by a sweep with another seed: %v", err)
	}
}

// TestReadBlocksOfPrecision: blocks beyond the end of a stopping rule do not count, and neither does a point that
// failed.
func TestReadBlocksOfPrecision(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 1000, Block: 10, Precision: 0.2}, Shard{}, 6, 13)
	path := inDir(t, "r.jsonl")
	if failed, err := s.Run(context.Background(), path, Options{}); failed != 1 || err != nil {
		t.Fatal(failed, err)
	}
	points, err := s.ReadBlocks(context.Background(), path)
	if err != nil || points[1] != nil || len(points[0]) == 0 || len(points[0]) >= 100 {
		t.Errorf("%d and %d blocks, error %v", len(points[0]), len(points[1]), err)
	}
}
