package ballsbins

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"repslab/mc"
)

// perBall reports nanoseconds a ball, for balls in one iteration.
func perBall(b *testing.B, balls int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(balls), "ns/ball")
	b.ReportMetric(0, "ns/op")
	b.ReportAllocs()
}

// BenchmarkLimit times what no kernel of one index a ball can do without: a random
// word for every ball, and a counter in the first-level cache for every ball.
func BenchmarkLimit(b *testing.B) {
	const balls = 1 << 12
	b.Run("random-word", func(b *testing.B) {
		rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
		var sum uint64
		for b.Loop() {
			for range balls {
				sum += rng.Uint64()
			}
		}
		perBall(b, balls)
		_ = sum
	})
	b.Run("counter-increment", func(b *testing.B) {
		var counters [128]uint8
		for b.Loop() {
			for i := range balls {
				counters[i*37%128]++
			}
		}
		perBall(b, balls)
	})
}

// BenchmarkNaive is the process as one would first write it: 32-bit loads, IntN of
// math/rand/v2.
func BenchmarkNaive(b *testing.B) {
	for _, bins := range []int{32, 128, 1024, 65536} {
		b.Run(fmt.Sprintf("bins=%d", bins), func(b *testing.B) {
			loads, rng := make([]int32, bins), rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				for i := range loads {
					if loads[i] > 0 {
						loads[i]--
					}
				}
				for range loads {
					loads[rng.IntN(bins)]++
				}
			}
			perBall(b, bins)
		})
	}
}

// BenchmarkBatched times whole runs of 1,000 rounds, resets and observations
// included.
func BenchmarkBatched(b *testing.B) {
	for _, c := range []struct {
		cfg  Config
		bins []int
	}{
		{Config{}, []int{8, 16, 32, 100, 128, 1024, 3000, 65536}},
		{Config{Lambda: 0.99}, []int{32, 128, 1024}},
		{Config{Policy: TwoChoice}, []int{32, 128, 1024}},
		{Config{Variant: Weighted, Lambda: 0.99}, []int{32, 128}},
	} {
		for _, bins := range c.bins {
			cfg := c.cfg
			cfg.Bins = bins
			cfg = cfg.WithDefaults()
			b.Run(fmt.Sprintf("policy=%s/variant=%s/lambda=%v/bins=%d", cfg.Policy, cfg.Variant, cfg.Lambda, bins), func(b *testing.B) {
				const rounds = 1000
				process, err := New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				var replica uint64
				for b.Loop() {
					process.Reset(mc.NewStream(1, mc.Algorithm, replica))
					process.Advance(rounds)
					process.observe()
					replica++
				}
				perBall(b, rounds*bins)
			})
		}
	}
}

// BenchmarkWorkers times the harness with one worker and with two.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			const rounds, bins, replicas = 1000, 128, 256
			for b.Loop() {
				_, err := Simulate(context.Background(), Config{Bins: bins, Rounds: []int{rounds}}, mc.Plan{Replicas: replicas, Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
			}
			perBall(b, rounds*bins*replicas)
		})
	}
}
