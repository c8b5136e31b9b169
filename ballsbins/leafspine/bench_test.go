package leafspine

import (
	"testing"

	"repslab/mc"
)

// BenchmarkAdvance measures the time of a packet through its three queues, beside the time of the three queues alone:
// what a rule adds. The network has 512 hosts.
func BenchmarkAdvance(b *testing.B) {
	for _, rule := range []Rule{Random, SourceRotation, SwitchDestination, Shortest} {
		b.Run(string(rule), func(b *testing.B) {
			p, err := New(Config{Ports: 32, Rule: rule, Traffic: Alternating})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				p.Reset(mc.NewStream(1, mc.Algorithm, 0))
				b.StartTimer()
				p.Advance(256)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(256*p.hosts), "ns/packet")
		})
	}
	b.Run("queues alone", func(b *testing.B) {
		var queues [3][512]queue
		for b.Loop() {
			for range 256 {
				for i := range 512 {
					for stage := range queues {
						queues[stage][i].push(int32(i))
						queues[stage][i].pop()
					}
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*512), "ns/packet")
	})
}

// TestAdvanceAllocatesNothing: slots of a run whose queues have grown allocate nothing.
func TestAdvanceAllocatesNothing(t *testing.T) {
	for _, rule := range ruleNames() {
		p := begin(t, Config{Ports: 8, Rule: rule}, 1)
		p.Advance(300)
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		if n := testing.AllocsPerRun(1, func() { p.Advance(100) }); n > 0 {
			t.Errorf("%s: %v allocations", rule, n)
		}
	}
}
