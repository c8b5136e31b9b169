package fluid

import (
	"math"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// Numbers of the default network: 400 Gb/s are 0.02 ns a byte.
const (
	nsPerByte = 0.02
	eightMiB  = 8 << 20
	// 2054 packets, the last of 50 + 64 bytes.
	wire8MiB, last8MiB = eightMiB + 2054*64, 114
)

// flow returns a flow that starts at 0 and is not coupled to others.
func flow(source, destination int, bytes int64) fattree.Flow {
	return fattree.Flow{
		Source: fattree.Host(source), Destination: fattree.Host(destination), Bytes: bytes,
	}
}

// tornado returns a flow from each of the first senders hosts to the host half-way round.
func tornado(hosts, senders int, bytes int64) fattree.Workload {
	var w fattree.Workload
	for i := range senders {
		w.Flows = append(w.Flows, flow(i, (i+hosts/2)%hosts, bytes))
	}
	return w
}

// permutation returns a flow from each host to the next host in a random cycle.
func permutation(hosts int, bytes int64) fattree.Workload {
	order := rand.New(rand.NewPCG(3, 4)).Perm(hosts)
	var w fattree.Workload
	for i, source := range order {
		w.Flows = append(w.Flows, flow(source, order[(i+1)%hosts], bytes))
	}
	return w
}

// ideal returns the result for c, which must succeed.
func ideal(t testing.TB, c Config) Result {
	t.Helper()
	r, err := Ideal(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unloaded returns the completion times of the flows of c, each alone in the
// healthy network.
func unloaded(t testing.TB, c Config) []fattree.Picoseconds {
	t.Helper()
	n, err := fattree.Build(fattree.Spec{Topology: c.Topology, Workload: c.Workload, MTU: c.MTU, HeaderBytes: c.HeaderBytes})
	if err != nil {
		t.Fatal(err)
	}
	times := make([]fattree.Picoseconds, n.Flows())
	for i := range times {
		times[i] = n.Unloaded(int32(i))
	}
	return times
}

// wantFCT fails unless a flow's completion time is want nanoseconds, up to a
// picosecond and 1e-9 of it.
func wantFCT(t *testing.T, r Result, flow int, want float64) {
	t.Helper()
	got, ok := r.FCT(flow)
	if !ok || math.Abs(float64(got)/1000-want) > 0.001+1e-9*want {
		t.Errorf("FCT of flow %d = %d ps (%v), want %v ns", flow, got, ok, want)
	}
}

// randomConfig returns a network with at most 64 hosts, random flows, and slow
// links that are not dead.
func randomConfig(r *rand.Rand) Config {
	t := topology.FatTree{
		Tiers: 2 + r.IntN(2), HostsPerToR: 1 + r.IntN(4), CablesPerPair: 1 + r.IntN(2),
		ToRsPerPod: 1 + r.IntN(3), UplinksPerAgg: 1 + r.IntN(3),
		Access: fattree.Link{Gbps: 100 * float64(1+r.IntN(4))}, Fabric: fattree.Link{Gbps: 100 * float64(1+r.IntN(4))},
		Core: fattree.Link{Gbps: 100 * float64(1+r.IntN(4))},
	}
	t.UplinksPerToR = t.CablesPerPair * (1 + r.IntN(3))
	t.Hosts = t.HostsPerToR * t.ToRsPerPod * (2 + r.IntN(3))
	c := Config{Topology: t}
	for range 1 + r.IntN(40) {
		source := r.IntN(t.Hosts)
		c.Workload.Flows = append(c.Workload.Flows, flow(source, (source+1+r.IntN(t.Hosts-1))%t.Hosts, 1+r.Int64N(1<<20)))
	}
	taken := map[SlowLink]bool{}
	for range r.IntN(6) {
		s := SlowLink{Tier: r.IntN(t.Tiers - 1), Down: r.IntN(2) == 0}
		if s.Tier == 0 {
			s.Switch, s.Uplink = r.IntN(t.ToRs()), r.IntN(t.UplinksPerToR)
		} else {
			s.Switch, s.Uplink = r.IntN(t.Pods()*t.AggsPerPod()), r.IntN(t.UplinksPerAgg)
		}
		if taken[s] {
			continue
		}
		taken[s] = true
		s.Rate = 0.1 + 0.9*r.Float64()
		c.SlowLinks = append(c.SlowLinks, s)
	}
	if t.Tiers == 3 && r.IntN(2) == 0 { // one core above each aggregation switch
		t.CoreCablesPerPair = t.UplinksPerAgg
		c.Topology = t
	}
	return c
}

// everyFlow returns the numbers of all flows.
func everyFlow(count int) []int32 {
	all := make([]int32, count)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
