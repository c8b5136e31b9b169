package evsimbalance

import (
	"context"
	"fmt"
	"testing"

	"repslab/mc"
)

// BenchmarkReplica reports what a replica costs by method, in all and for each
// ball.
func BenchmarkReplica(b *testing.B) {
	for _, cfg := range []Config{
		{Flows: 1, EVS: 1 << 9, Method: Multinomial},
		{Flows: 1, EVS: 1 << 10, Method: Multinomial},
		{Flows: 1, EVS: 1 << 16, Method: Multinomial},
		{Flows: 32, EVS: 1 << 16, Method: Multinomial},
		{Flows: 32, EVS: 1 << 16, Uplinks: 33, Method: Multinomial},
		{Flows: 32, EVS: 1 << 16, Uplinks: 1000, Method: Multinomial},
		{Flows: 1, EVS: 16, Uplinks: 4096, Method: Multinomial},
		{Flows: 32, EVS: 1 << 10, Method: Hash},
		{Flows: 32, EVS: 1 << 10, Method: CRC32},
	} {
		cfg = cfg.WithDefaults()
		b.Run(fmt.Sprintf("method=%s/uplinks=%d/balls=%d", cfg.Method, cfg.Uplinks, cfg.Balls()), func(b *testing.B) {
			b.ReportAllocs()
			s, ctx, replica := sampler(b, cfg), context.Background(), uint64(0)
			for b.Loop() {
				if _, err := s.Draw(ctx, 1, replica); err != nil {
					b.Fatal(err)
				}
				replica++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cfg.Balls()), "ns/ball")
		})
	}
}

// BenchmarkHeadsAndReject shows where tossing coins one by one and rejection
// cost the same.
func BenchmarkHeadsAndReject(b *testing.B) {
	for _, trials := range []int{1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13} {
		for name, draw := range map[string]func(*mc.Rand, int) int{
			"heads":  heads,
			"reject": func(r *mc.Rand, n int) int { return reject(r, n, 0.5) },
		} {
			b.Run(fmt.Sprintf("%s/trials=%d", name, trials), func(b *testing.B) {
				r, sum := mc.NewStream(1, mc.Algorithm, 0).Rand(), 0
				for b.Loop() {
					sum += draw(&r, trials)
				}
				if sum == 0 {
					b.Error("no success at all")
				}
			})
		}
	}
}

// BenchmarkExactLaw reports what a law costs.
func BenchmarkExactLaw(b *testing.B) {
	for _, c := range []struct{ balls, bins int }{
		{1 << 16, 32}, {1 << 21, 32}, {1 << 21, 128}, {1 << 21, 4096}, {1 << 21, 15}, {1 << 21, 2}, {1 << 30, 32}, {1 << 30, 16},
	} {
		b.Run(fmt.Sprintf("bins=%d/balls=%d", c.bins, c.balls), func(b *testing.B) {
			for b.Loop() {
				if _, err := NewMaxLaw(c.balls, c.bins); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
