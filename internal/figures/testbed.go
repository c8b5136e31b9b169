package figures

import (
	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// A model of the testbed in the paper's section 4.6.
const (
	testbedNIC     = 100.0 // Gb/s
	testbedFabric  = 400.0 // Gb/s
	testbedMessage = 4_000_000
	testbedSlow    = 200.0 // Gb/s, slow cable
	testbedNear    = 10.0  // us, unloaded RTT within a ToR
	testbedFar     = 15.0  // us, unloaded RTT across the testbed
)

// testbed returns the network: two ToRs, NICs of 100 Gb/s, packets of 8 KiB, no trimming, and connections that
// continue from message to message. hosts counts both ToRs. The paper gives neither queues nor windows nor an RTO.
// Here queues hold a bandwidth-delay product of the fabric, windows begin with 1.5 bandwidth-delay products of a
// NIC, and the RTO follows the authors' simulator.
func testbed(hosts, spines, cables int) fattree.Spec {
	const mtu, header = 8192, 64
	// The parts of the RTTs that are left for the propagation over four links each.
	near := 1000*testbedNear - 2*(mtu+header)*8/testbedNIC
	far := 1000*(testbedFar-testbedNear) - 2*(mtu+header)*8/testbedFabric
	return fattree.Spec{
		Topology: topology.FatTree{
			Hosts: hosts, HostsPerToR: hosts / 2, UplinksPerToR: spines * cables, CablesPerPair: cables,
			Access: fattree.Link{Gbps: testbedNIC, LatencyNs: near / 4},
			Fabric: fattree.Link{Gbps: testbedFabric, LatencyNs: far / 4},
		},
		MTU: mtu, HeaderBytes: header, Queue: 92, DisableTrimming: true,
		Options: transport.Options{InitialWindow: 34, InheritConnections: true},
	}
}

// ringTraffic gives a testbed its collective: a ring through the first active hosts of each ToR, in which every
// hop goes to the other ToR. Every endpoint sends messages to the next endpoint; each message starts as soon as
// the one before has ended.
func ringTraffic(spec fattree.Spec, active, messages int, bytes int64) fattree.Spec {
	var ring []fattree.Host
	for i := range active {
		ring = append(ring, fattree.Host(i), fattree.Host(treeOf(spec).HostsPerToR+i))
	}
	var w fattree.Workload
	for place, host := range ring {
		for i := range messages {
			f := fattree.Flow{Source: host, Destination: ring[(place+1)%len(ring)], Bytes: bytes}
			if i > 0 {
				f.StartedBy = len(w.Triggers)
			}
			if i < messages-1 {
				w.Triggers = append(w.Triggers, fattree.Trigger{Kind: fattree.OneShot})
				f.Fires = len(w.Triggers)
			}
			w.Flows = append(w.Flows, f)
		}
	}
	spec.Workload = w
	return spec
}

// rtoOf returns the time-out of a network's hosts, in microseconds.
func rtoOf(spec fattree.Spec) float64 {
	return float64(transport.OptionsOf(planOf(spec)).RTO) / microseconds
}

// symmetricTestbed returns the testbed with 128 endpoints and two cables from each ToR to each of 8 spines.
func symmetricTestbed() fattree.Spec { return testbed(128, 8, 2) }

// asymmetricTestbed returns the testbed with 16 endpoints and one cable from each ToR to each of 2 spines. One of
// the cables is slow.
func asymmetricTestbed() fattree.Spec {
	spec := testbed(16, 2, 1)
	spec.Faults = []fattree.Fault{{Ports: bothWays(spec), Rate: testbedSlow / testbedFabric}}
	return spec
}

// bothWays returns the ports of the first cable of ToR 0.
func bothWays(spec fattree.Spec) []int {
	return treeOf(spec).Ports(topology.Part{Direction: topology.Both})
}
