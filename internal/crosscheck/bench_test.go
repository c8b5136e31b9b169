package crosscheck

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// BenchmarkLimit measures the machine's limits, to compare with BenchmarkRun in the same
// run: the time of a random word, and of incrementing a word at an independent random
// address. The second bounds large networks.
func BenchmarkLimit(b *testing.B) {
	b.Run("random-word", func(b *testing.B) {
		rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
		sum := uint64(0)
		for b.Loop() {
			sum += rng.Uint64()
		}
		runtime.KeepAlive(sum)
	})
	for _, mib := range []int{1, 16, 128, 1024} {
		b.Run(fmt.Sprintf("random-place/mib=%d", mib), func(b *testing.B) {
			memory := make([]uint64, mib<<17)
			for i := range memory {
				memory[i] = 1 // memory that was never written may not be mapped
			}
			rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
			mask := uint64(len(memory) - 1)
			for b.Loop() {
				memory[rng.Uint64()&mask]++
			}
		})
	}
}

// BenchmarkRun measures one run of a tornado after set-up, by number of hosts and load
// balancer; balancers other than ops and reps have their names in the reference. The
// largest networks need REPSLAB_LONG=1.
func BenchmarkRun(b *testing.B) {
	const mib = 1 << 20
	two := []string{"ops", "reps"}
	every := append(two, "ecmp", "plb", "flowlet", "mprdma", "mp", "bitmap", "nvidia", "switch-ops", "round-robin")
	for _, size := range []struct {
		hosts, tiers int
		bytes        int64
		long         bool
		lbs          []string
	}{
		{128, 2, 8 * mib, false, every},
		{1024, 2, mib, false, two},
		{1024, 2, 8 * mib, true, two},
		{8192, 2, 8 * mib, true, two},
		{128_000, 3, mib, true, two},
	} {
		for _, lb := range size.lbs {
			b.Run(fmt.Sprintf("hosts=%d/mib=%d/lb=%s", size.hosts, size.bytes/mib, lb), func(b *testing.B) {
				if size.long && os.Getenv("REPSLAB_LONG") == "" {
					b.Skip("a long benchmark: set REPSLAB_LONG=1")
				}
				benchmarkRun(b, topology.FatTree{Hosts: size.hosts, Tiers: size.tiers}, size.bytes, lb, congestion.DCTCP{})
			})
		}
	}
}

// BenchmarkGrowth shows how the cost of a tornado in a tree of 3 tiers grows with hosts and
// packets. What takes more than some seconds needs REPSLAB_LONG=1.
func BenchmarkGrowth(b *testing.B) {
	const kib = 1 << 10
	for _, size := range []struct {
		hosts, kib int
		long       bool
	}{
		{16, 1024, false}, {128, 1024, false}, {1024, 1024, false}, {8192, 1024, true}, {65_536, 1024, true}, {128_000, 1024, true},
		{1024, 64, false}, {1024, 256, false}, {1024, 4096, false}, {1024, 16_384, true}, {1024, 65_536, true},
		{128, 256, false},
	} {
		for _, lb := range []string{"ops", "reps"} {
			b.Run(fmt.Sprintf("hosts=%d/kib=%d/lb=%s", size.hosts, size.kib, lb), func(b *testing.B) {
				if size.long && os.Getenv("REPSLAB_LONG") == "" {
					b.Skip("a long benchmark: set REPSLAB_LONG=1")
				}
				tree := topology.FatTree{Hosts: size.hosts, Tiers: 3}
				benchmarkRun(b, tree, int64(size.kib)*kib, lb, congestion.DCTCP{})
			})
		}
	}
}

// BenchmarkControl varies the congestion control. EQDS sends a pull for each packet beside
// the ACK, RCCC for up to four.
func BenchmarkControl(b *testing.B) {
	for _, c := range []struct {
		name    string
		control transport.Control
	}{{"none", congestion.None{}}, {"dctcp", congestion.DCTCP{}}, {"nscc", new(congestion.NSCC)}, {"eqds", new(congestion.EQDS)}, {"rccc", new(congestion.RCCC)}} {
		b.Run("hosts=1024/mib=1/lb=ops/cc="+c.name, func(b *testing.B) {
			benchmarkRun(b, topology.FatTree{Hosts: 1024}, 1<<20, "ops", c.control)
		})
	}
}

func benchmarkRun(b *testing.B, tree topology.FatTree, bytes int64, lb string, control transport.Control) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	workload, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: bytes})
	if err != nil {
		b.Fatal(err)
	}
	network, err := fattree.Build(fattree.Spec{Topology: tree, Workload: workload})
	if err != nil {
		b.Fatal(err)
	}
	var balancer transport.Balancer
	switch lb {
	case "ops":
		balancer, err = balance.NewSpraying(balance.MaxEVS)
	case "reps":
		balancer, err = balance.NewRecycling(balance.Paper, reps.Config{})
	default:
		balancer = balancerOf(b, lb, evSets{})
	}
	if err != nil {
		b.Fatal(err)
	}
	run := transport.NewRun(network)
	execute := func(replica uint64) *fattree.Result {
		result, err := run.Execute(context.Background(), balancer, control, fattree.NewStreams(1, replica))
		if err != nil {
			b.Fatal(err)
		}
		return result
	}
	execute(0) // grows the wheels' buckets
	runtime.ReadMemStats(&after)
	b.ReportAllocs()
	var hops, packets int64
	for b.Loop() {
		result := execute(1)
		hops += result.PacketHops
		packets += result.Sent
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(hops), "ns/packet-hop")
	b.ReportMetric(float64(packets)/b.Elapsed().Seconds(), "packets/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(tree.Hosts), "B/host")
}
