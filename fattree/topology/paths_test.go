package topology_test

import (
	"context"
	"fmt"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// TestExactPath: with as many EVs as uplinks, each used once per round, a tornado of whole rounds puts
// the same number of packets on every uplink of a ToR. With hashed paths it does not.
func TestExactPath(t *testing.T) {
	const hosts, uplinks, rounds = 32, 4, 50
	tree := topology.FatTree{Hosts: hosts, HostsPerToR: 4, UplinksPerToR: uplinks}
	spec := fattree.Spec{Topology: tree, Choose: topology.ExactPath}
	for i := range hosts {
		bytes := int64(uplinks * rounds * (4150 - 64))
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(i), fattree.Host((i+hosts/2)%hosts), bytes, 0))
	}
	for _, exact := range []bool{true, false} {
		if !exact {
			spec.Choose = nil
		}
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		evs, err := balance.NewMultipath(1<<16, uplinks)
		if exact {
			evs, err = balance.NewMultipath(uplinks, uplinks)
		}
		if err != nil {
			t.Fatal(err)
		}
		run := transport.NewRun(n)
		run.Trace(fattree.TraceConfig{Every: n.Spec().Horizon, Ports: n.Uplinks(0)})
		if _, err := run.Execute(context.Background(), evs, congestion.None{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		sent := run.Sample().Packets
		even := true
		for _, packets := range sent {
			even = even && packets == sent[0]
		}
		if even != exact {
			t.Errorf("exact %v: packets of the uplinks %v", exact, sent)
		}
	}
}

// TestExactPathsDiffer: between hosts with E paths, any E consecutive EVs take different paths: in two
// and three tiers, with fewer and more uplinks above than below, with parallel cables, and in planes.
// Within a pod the same holds for as many EVs as a ToR has uplinks.
func TestExactPathsDiffer(t *testing.T) {
	three := topology.FatTree{Tiers: 3, Hosts: 48, HostsPerToR: 2, UplinksPerToR: 4, ToRsPerPod: 3, UplinksPerAgg: 6}
	cables := topology.FatTree{Tiers: 3, Hosts: 96, HostsPerToR: 4, UplinksPerToR: 6, ToRsPerPod: 3, UplinksPerAgg: 4, CablesPerPair: 3, CoreCablesPerPair: 2}
	for name, c := range map[string]struct {
		topology fattree.Topology
		near     fattree.Host // first host of the second ToR
		far, pod int          // number of paths to the last host, and to near
	}{
		"two tiers":   {topology.FatTree{Hosts: 32, HostsPerToR: 4, UplinksPerToR: 3}, 4, 3, 3},
		"1,024 hosts": {topology.FatTree{Tiers: 3, Hosts: 1024}, 8, 64, 8},
		"unequal":     {three, 2, 24, 4},
		"cables":      {cables, 4, 24, 6},
		"planes":      {topology.Planes{Tree: three, Planes: 3}, 2, 24, 4},
	} {
		last := fattree.Host(c.topology.Outline().Hosts - 1)
		flows := []fattree.Flow{fattree.NewFlow(0, last, 1, 0), fattree.NewFlow(0, c.near, 1, 0)}
		n, err := fattree.Build(fattree.Spec{Topology: c.topology, Workload: fattree.Workload{Flows: flows}, ChooseByTier: true, Choose: topology.ExactPath})
		if err != nil {
			t.Fatal(name, err)
		}
		run := transport.NewRun(n)
		for flow, paths := range []int{c.far, c.pod} {
			for _, first := range []int{0, 5, 1000} {
				taken := map[string]bool{}
				for ev := range paths {
					taken[fmt.Sprint(run.AppendPath(nil, int32(flow), uint16(first+ev), 0))] = true
				}
				again := fmt.Sprint(run.AppendPath(nil, int32(flow), uint16(first+paths), 0))
				if len(taken) != paths || !taken[again] {
					t.Errorf("%s, flow %d: %d EVs from %d on take %d paths, the next one a new one: %v", name, flow, paths, first, len(taken), !taken[again])
				}
			}
		}
	}
}
