package coalescing

import (
	"fmt"
	"testing"

	"repslab/mc"
)

// BenchmarkCoalescing reports the cost of a thrown ball at 8:1.
func BenchmarkCoalescing(b *testing.B) {
	for _, bins := range []int{32, 1024} {
		for _, c := range kinds() {
			b.Run(fmt.Sprintf("variant=%s/clocking=%s/bins=%d", c.Variant, c.Clocking, bins), func(b *testing.B) {
				c.Bins, c.Ratio = bins, 8
				p, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				run := func(replica uint64) {
					p.Reset(mc.NewStream(1, mc.Algorithm, replica%4))
					for range 200 {
						p.Step()
					}
				}
				for replica := range uint64(4) {
					run(replica) // queues grow to their size
				}
				var replica uint64
				b.ReportAllocs()
				for b.Loop() {
					run(replica)
					replica++
				}
				balls := float64(replica) * 200 * float64(bins)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/balls, "ns/ball")
			})
		}
	}
}

// kinds returns a configuration for every variant in every clocking that it has.
func kinds() []Config {
	var list []Config
	for _, variant := range Variants() {
		for _, clocking := range variant.clockings() {
			list = append(list, Config{Variant: variant, Clocking: clocking})
		}
	}
	return list
}
