package topology_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// TestExactPath: with as many EVs as uplinks, each of them once, a tornado of whole rounds puts the same number of
// packets on every uplink of a ToR; hashed, it does not.
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
