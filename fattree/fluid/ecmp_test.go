package fluid

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestCollisions: k flows of one ToR with k uplinks, to hosts of the other. All k^k assignments are
// equally likely; enumerating them gives the exact means of the longest and of the mean completion time.
// The sampled means must agree. With 4,000 replicas an error of 2 % in a collision probability is
// detected.
func TestCollisions(t *testing.T) {
	seed := mctest.Seed(t, 1)
	for _, k := range []int{2, 3, 4} {
		tree := topology.FatTree{Hosts: 2 * k, HostsPerToR: k}
		w := tornado(2*k, k, eightMiB)
		s, err := ECMP(context.Background(), Config{Topology: tree, Workload: w}, mc.Plan{Seed: seed, Replicas: 4000})
		if err != nil {
			t.Fatal(err)
		}
		longest, mean, all := 0.0, 0.0, math.Pow(float64(k), float64(k))
		for code := range int(all) {
			load, choice := make([]int, k), make([]int, k)
			for f := range choice {
				choice[f] = code / int(math.Pow(float64(k), float64(f))) % k
				load[choice[f]]++
			}
			most := 0.0
			for _, port := range choice {
				fct := fctShared(load[port])
				mean += fct / float64(k) / all
				most = max(most, fct)
			}
			longest += most / all
		}
		mctest.Agree(t, fmt.Sprintf("k = %d: MaxFCT", k), s.MaxFCT.Per(1000), longest, 0, 0.01)
		mctest.Agree(t, fmt.Sprintf("k = %d: LastEnd", k), s.LastEnd.Per(1000), longest, 0, 0.01)
		mctest.Agree(t, fmt.Sprintf("k = %d: MeanFCT", k), s.MeanFCT.Per(1000), mean, 0, 0.01)
		if s.Replicas != 4000 || s.Cut.Value != 0 {
			t.Errorf("k = %d: %d replicas, %v cut", k, s.Replicas, s.Cut.Value)
		}
	}
}

// fctShared returns the completion time in ns of an 8 MiB flow if load flows of this size share an
// uplink.
func fctShared(load int) float64 {
	if load == 1 {
		return 8000 + (wire8MiB-last8MiB+3*4150)*nsPerByte + 4*64*nsPerByte
	}
	return float64(load)*wire8MiB*nsPerByte + afterLast
}

// TestDeadLinkUnderECMP: if one of two uplinks has failed, a flow is cut with probability 1/2, and one of
// two flows with 3/4.
func TestDeadLinkUnderECMP(t *testing.T) {
	seed := mctest.Seed(t, 2)
	c := Config{
		Topology:  topology.FatTree{Hosts: 4, HostsPerToR: 2},
		Workload:  tornado(4, 2, eightMiB),
		SlowLinks: []SlowLink{{Switch: 0, Uplink: 1}},
	}
	s, err := ECMP(context.Background(), c, mc.Plan{Seed: seed, Replicas: 4000})
	if err != nil {
		t.Fatal(err)
	}
	mctest.Agree(t, "Cut", s.Cut, 0.75, 0, 0)
	// Otherwise both flows share the other uplink.
	mctest.Agree(t, "MaxFCT", s.MaxFCT.Per(1000), fctShared(2), 0, 0.01)
	if s.MaxFCT.N+uint64(math.Round(4000*s.Cut.Value)) != 4000 {
		t.Errorf("%d replicas finished, %v cut", s.MaxFCT.N, s.Cut.Value)
	}
}

// TestRoutes: the links of a path connect the source to the destination. Nodes are named independently of
// the arithmetic of link numbers.
func TestRoutes(t *testing.T) {
	for seed := range uint64(200) {
		c := randomConfig(rand.New(rand.NewPCG(seed, 3))).withDefaults()
		h := newHashed(c)
		r := rand.New(rand.NewPCG(seed, 4))
		for i := range h.salts {
			h.salts[i] = r.Uint64()
		}
		ends := map[int32][2]string{}
		top := c.Topology
		for host := range top.Hosts {
			name, tor := fmt.Sprint("host ", host), fmt.Sprint("tor ", host/top.HostsPerToR)
			ends[int32(host)] = [2]string{name, tor}
			ends[int32(top.Hosts+host)] = [2]string{tor, name}
		}
		cable := func(tier, number int, lower, upper string) {
			ends[int32(h.layout.base[tier][0]+number)] = [2]string{lower, upper}
			ends[int32(h.layout.base[tier][1]+number)] = [2]string{upper, lower}
		}
		number, torOfPod := 0, top.ToRs()/top.Pods()
		for tor := range top.ToRs() {
			for agg := range top.AggsPerPod() {
				for range top.CablesPerPair {
					cable(0, number, fmt.Sprint("tor ", tor), fmt.Sprint("agg ", tor/torOfPod, agg))
					number++
				}
			}
		}
		number = 0
		for pod := range top.Pods() {
			for agg := range top.AggsPerPod() {
				for up := range top.UplinksPerAgg {
					if top.Tiers == 3 {
						cable(1, number, fmt.Sprint("agg ", pod, agg), fmt.Sprint("core ", agg, up/top.CoreCablesPerPair))
					}
					number++
				}
			}
		}
		for i, f := range c.Workload.Flows {
			at, p := fmt.Sprint("host ", f.Source), h.route(i)
			for _, link := range p.over() {
				if ends[link][0] != at {
					t.Fatalf("seed %d: flow %d at %q takes the link %v", seed, i, at, ends[link])
				}
				at = ends[link][1]
			}
			if want := fmt.Sprint("host ", f.Destination); at != want {
				t.Errorf("seed %d: flow %d ends at %q, want %q", seed, i, at, want)
			}
		}
	}
}

// TestNoFasterThanIdeal: the slowest of equal flows is not faster on single paths than with ideal
// spraying, and no flow is faster than alone.
func TestNoFasterThanIdeal(t *testing.T) {
	c := Config{Topology: topology.FatTree{Hosts: 128, Tiers: 3}, Workload: permutation(128, 1<<20)}
	best, _ := ideal(t, c).MaxFCT()
	alone := unloaded(t, c)
	for replica := range uint64(20) {
		r, err := ECMPReplica(c, mc.NewStream(1, mc.Salts, replica).Source())
		if err != nil {
			t.Fatal(err)
		}
		if longest, ok := r.MaxFCT(); !ok || longest <= best {
			t.Errorf("replica %d: longest %d ps, ideal %d", replica, longest, best)
		}
		for f := range alone {
			if fct, _ := r.FCT(f); fct < alone[f] {
				t.Errorf("replica %d: flow %d takes %d ps, alone %d", replica, f, fct, alone[f])
			}
		}
	}
}

func TestECMPSameForAnyWorkers(t *testing.T) {
	c := Config{Topology: topology.FatTree{Hosts: 32}, Workload: permutation(32, 1<<20), EVS: 16}
	mctest.SameForAnyWorkers(t, "ECMP", func(workers int) (any, error) {
		return ECMP(context.Background(), c, mc.Plan{Seed: 1, Replicas: 40, Workers: workers})
	})
}

func TestECMPErrors(t *testing.T) {
	good := Config{Topology: topology.FatTree{Hosts: 32}, Workload: permutation(32, 1)}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	bad, late := good, good
	bad.EVS = -1
	late.Workload = permutation(32, math.MaxInt64)
	_, badReplica := ECMPReplica(bad, mc.NewStream(1, mc.Salts, 0).Source())
	_, badConfig := ECMP(context.Background(), bad, mc.Plan{Replicas: 1})
	_, badPlan := ECMP(context.Background(), good, mc.Plan{})
	_, stopped := ECMP(cancelled, good, mc.Plan{Replicas: 1})
	_, tooLong := ECMP(context.Background(), late, mc.Plan{Replicas: 1})
	for _, c := range []struct {
		err  error
		want string
	}{
		{badReplica, "fluid: EVS (-1)"}, {badConfig, "fluid: EVS (-1)"}, {badPlan, "mc: Replicas (0)"},
		{stopped, "context canceled"}, {tooLong, "32 flows are not finished"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// TestNoSaltsAreRefused: a replica needs a source of salts.
func TestNoSaltsAreRefused(t *testing.T) {
	c := Config{Topology: topology.FatTree{Hosts: 8}, Workload: tornado(8, 8, 1000)}
	if _, err := ECMPReplica(c, nil); err == nil || err.Error() != "fluid: salts (<nil>) must be set: the hashes of switches are drawn" {
		t.Errorf("error %v", err)
	}
}

// TestEVsOfFlows: flow f has the EV f modulo EVS. So flows of one pair of hosts whose numbers differ by EVS take one
// path, and others take another one in some of 50 draws of the hashes.
func TestEVsOfFlows(t *testing.T) {
	c := Config{Topology: topology.FatTree{Hosts: 128}, EVS: 3, Workload: fattree.Workload{Flows: slices.Repeat([]fattree.Flow{flow(0, 127, 1)}, 7)}}
	h := newHashed(c.withDefaults())
	random, differ := rand.NewPCG(1, 2), map[int]bool{}
	for range 50 {
		for i := range h.salts {
			h.salts[i] = random.Uint64()
		}
		for f := range 7 {
			if same := h.route(f) == h.route(f%3); !same {
				t.Fatalf("flows %d and %d have one EV and two paths", f, f%3)
			}
			differ[f] = differ[f] || h.route(f) != h.route((f+1)%3)
		}
	}
	for f, found := range differ {
		if !found {
			t.Errorf("flows %d and %d always take the same path", f, (f+1)%3)
		}
	}
}
