package fluid

import (
	"fmt"
	"testing"

	"repslab/fattree/topology"
	"repslab/mc"
)

// BenchmarkIdeal reports what the ideal of a permutation costs, per flow.
func BenchmarkIdeal(b *testing.B) {
	for _, tree := range []topology.FatTree{{Hosts: 128}, {Hosts: 1024}, {Hosts: 8192}, {Hosts: 128_000, Tiers: 3}} {
		b.Run(fmt.Sprintf("hosts=%d", tree.Hosts), func(b *testing.B) {
			c := Config{Topology: tree, Workload: permutation(tree.Hosts, eightMiB)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Ideal(c); err != nil {
					b.Fatal(err)
				}
			}
			perFlow(b, tree.Hosts)
		})
	}
}

// BenchmarkECMP reports what a replica of a permutation costs, per flow: flows
// end at many different times.
func BenchmarkECMP(b *testing.B) {
	for _, hosts := range []int{128, 1024, 8192} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			h := newHashed(Config{Topology: topology.FatTree{Hosts: hosts}, Workload: permutation(hosts, eightMiB)}.withDefaults())
			b.ReportAllocs()
			replica := uint64(0)
			for b.Loop() {
				if _, err := h.run(mc.NewStream(1, mc.Salts, replica).Source()); err != nil {
					b.Fatal(err)
				}
				replica++
			}
			perFlow(b, hosts)
		})
	}
}

// perFlow reports the time of a run by the number of flows.
func perFlow(b *testing.B, flows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(flows), "ns/flow")
}
