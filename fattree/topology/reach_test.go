package topology

import (
	"math/rand/v2"
	"testing"

	"repslab/mc"
)

// TestConnected: after each of many random faults (faults that disconnect ToRs are skipped) the fast
// check agrees with the definition: paths between all ToRs.
func TestConnected(t *testing.T) {
	topologies := []FatTree{
		{Hosts: 16},
		{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 16, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 3},
		{Hosts: 24, Tiers: 3, HostsPerToR: 2, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 4, UplinksPerAgg: 2},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 3},
	}
	cut, passed := 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		tree := topologies[int(seed)%len(topologies)].WithDefaults()
		p := newPlacer(tree, tree.Wire())
		kinds := []Failure{{Kind: Cables}, {Kind: Cables, Direction: Both}, {Kind: Cables, Direction: Down}, {Kind: Switches}}
		if p.t.Tiers == 3 {
			kinds = append(kinds, Failure{Kind: Cables, Direction: Down, Core: true})
		}
		for range 40 {
			f := kinds[rng.IntN(len(kinds))]
			candidates := p.candidates(f)
			part := candidates[rng.IntN(len(candidates))]
			killed := p.kill(part)
			got, want := p.connected(part), p.reachAll(0, p.t.ToRs(), 0, p.t.ToRs())
			if got != want {
				t.Fatalf("seed %d: %+v: connected is %v, want %v", seed, part, got, want)
			}
			if want {
				passed++
				continue
			}
			cut++
			p.revive(killed)
		}
	}
	if cut < 500 || passed < 500 {
		t.Errorf("%d faults cut and %d do not: too few to tell", cut, passed)
	}
}

// BenchmarkPlace places failures of 5 % of all cables in the largest networks of the paper's kind.
func BenchmarkPlace(b *testing.B) {
	for b.Loop() {
		if _, _, err := Place(FatTree{Hosts: 128_000, Tiers: 3}, []Failure{{Kind: Cables, Percent: 5, Place: Random}}, mc.NewStream(1, mc.Workload, 0).Source()); err != nil {
			b.Fatal(err)
		}
	}
}
