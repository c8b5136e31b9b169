// Package nettest makes small networks and workloads for tests of the simulator.
package nettest

import (
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// Message returns a flow that starts at 0.
func Message(source, destination int, bytes int64) fattree.Flow {
	return fattree.NewFlow(fattree.Host(source), fattree.Host(destination), bytes, 0)
}

// Tornado returns a message from every host to the host half-way round.
func Tornado(hosts int, bytes int64) fattree.Workload {
	var w fattree.Workload
	for i := range hosts {
		w.Flows = append(w.Flows, Message(i, (i+hosts/2)%hosts, bytes))
	}
	return w
}

// Uplink returns the port of an uplink of a ToR of a fat tree. It panics if there is none.
func Uplink(t fattree.Topology, tor, number int) []int {
	return t.(topology.FatTree).Ports(topology.Part{Switch: tor, Uplink: number})
}

// Cable returns both ports of an uplink of a ToR of a fat tree. It panics if there is none.
func Cable(t fattree.Topology, tor, number int) []int {
	return t.(topology.FatTree).Ports(topology.Part{Switch: tor, Uplink: number, Direction: topology.Both})
}

// portsOf returns the ports of a part, without the -1 of a missing port.
func portsOf(t topology.FatTree, p topology.Part) (ports []int) {
	defer func() {
		if recover() != nil {
			ports = []int{-1}
		}
	}()
	return t.Ports(p)
}

// Options holds fields of transport.Options. This package cannot import transport, since tests within
// transport import this package.
type Options struct {
	InitialWindow, AckRatio      int
	Requests, DoubleTurns, Sleek bool
}

// RandomSpec returns a small random experiment, which may be invalid.
func RandomSpec(rng *rand.Rand) (s fattree.Spec, o Options) {
	one := func(list ...int) int { return list[rng.IntN(len(list))] }
	topologies := []topology.FatTree{
		{Hosts: 2, HostsPerToR: 1, UplinksPerToR: 1},
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 16, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 3},
		{Hosts: 8, Access: fattree.Link{Gbps: 100}},
		{Hosts: 8, Fabric: fattree.Link{Gbps: 150, LatencyNs: 10}, SwitchLatencyNs: 200},
		{Hosts: 5, Tiers: 1},
	}
	s = fattree.Spec{
		Topology: topologies[rng.IntN(len(topologies))],
		MTU:      one(4150, 1500, 200), Queue: one(1, 3, 20, 100),
	}
	o.InitialWindow, o.AckRatio = one(1, 10, 151), one(1, 2, 16, 64)
	s.DisableTrimming = rng.IntN(2) == 0
	// Few slots: at most 300 packets a flow, and a horizon of 250,000 slots at 400 Gb/s.
	mostBytes := min(200_000, 300*s.MTU)
	s.Horizon = min(3_000_000_000, fattree.Picoseconds(s.MTU)*20*250_000)
	s.KMin = rng.IntN(s.Queue + 1)
	s.KMax = s.KMin + rng.IntN(s.Queue+1)
	tree := s.Topology.(topology.FatTree)
	hosts := tree.Hosts
	triggers := one(0, 0, 2)
	for range triggers {
		s.Workload.Triggers = append(s.Workload.Triggers, fattree.Trigger{Kind: fattree.TriggerKind(rng.IntN(3)), Count: 1})
	}
	for i := range 1 + rng.IntN(20) {
		f := Message(rng.IntN(hosts), 0, int64(1+rng.IntN(mostBytes)))
		f.Destination = fattree.Host((int(f.Source) + 1 + rng.IntN(hosts-1)) % hosts)
		f.Start = fattree.Picoseconds(rng.IntN(2) * rng.IntN(50_000_000))
		if triggers > 0 && i > 0 {
			f.StartedBy, f.Fires = one(fattree.NoTrigger, 1), one(fattree.NoTrigger, 1, 2)
		}
		s.Workload.Flows = append(s.Workload.Flows, f)
	}
	if rng.IntN(4) == 0 {
		s.Errors = append(s.Errors, fattree.Corruption{PerCable: 0.02 * rng.Float64(), PerSwitch: 0.02 * rng.Float64(), Start: fattree.Picoseconds(rng.IntN(20_000_000))})
	}
	for range one(0, 0, 1, 3) {
		s.Faults = append(s.Faults, fattree.Fault{
			Ports: portsOf(tree, topology.Part{
				Tier: rng.IntN(2), Switch: rng.IntN(4), Uplink: rng.IntN(2), WholeSwitch: rng.IntN(4) == 0, Direction: topology.Direction(rng.IntN(3)),
			}),
			Start: fattree.Picoseconds(rng.IntN(20_000_000)), Rate: 0.25 * float64(rng.IntN(4)),
		})
		if last := &s.Faults[len(s.Faults)-1]; rng.IntN(2) == 0 {
			last.End = last.Start + 1 + fattree.Picoseconds(rng.IntN(60_000_000))
		}
	}
	if rng.IntN(4) == 0 {
		o.Requests, o.DoubleTurns = rng.IntN(2) == 0, rng.IntN(2) == 0
	}
	if rng.IntN(2) == 0 {
		s.Profile, o.DoubleTurns, o.Sleek = fattree.UltraEthernet, false, s.DisableTrimming && rng.IntN(2) == 0
	}
	if rng.IntN(4) == 0 {
		first := s.Workload.Flows[0]
		for i := range s.Workload.Flows {
			if f := &s.Workload.Flows[i]; rng.IntN(2) == 0 {
				f.Source, f.Destination, f.Connection = first.Source, first.Destination, 1
			}
		}
	}
	return s, o
}

// CheckResult checks properties that every run must have.
func CheckResult(t *testing.T, seed uint64, n *fattree.Network, r *fattree.Result) {
	t.Helper()
	if r.Finished() < n.Flows() && r.Slots < int64(n.Spec().Horizon/n.SlotTime()) {
		t.Errorf("seed %d: the run ended at slot %d with %d of %d flows", seed, r.Slots, r.Finished(), n.Flows())
	}
	var packets, all int64
	for flow, f := range r.Flows {
		all += n.Spec().Packets(n.Spec().Workload.Flows[flow].Bytes)
		if f.End == fattree.Unfinished {
			continue
		}
		packets += n.Spec().Packets(n.Spec().Workload.Flows[flow].Bytes)
		// Latencies are rounded to whole slots, on each of at most six links there and back.
		if least := n.Unloaded(int32(flow)) - 12*n.SlotTime(); !n.HasSink() && f.FCT() < least {
			t.Errorf("seed %d: flow %d took %d ps, alone it needs %d", seed, flow, f.FCT(), least)
		}
	}
	if distinct := r.Delivered - r.Duplicates; distinct < packets || distinct > all {
		t.Errorf("seed %d: %d distinct packets delivered, want %d to %d", seed, distinct, packets, all)
	}
	if first := r.Sent - r.Retransmitted; first < packets || first > all {
		t.Errorf("seed %d: %d packets sent for the first time, want %d to %d", seed, first, packets, all)
	}
	if byFlow, gone := LostByFlows(r); byFlow != gone {
		t.Errorf("seed %d: flows lose %d packets, all together %d", seed, byFlow, gone)
	}
}

// LostByFlows returns the sum of the packets that flows lost, and the same from the counts of the run.
func LostByFlows(r *fattree.Result) (byFlow, gone int64) {
	for _, f := range r.Flows {
		byFlow += int64(f.Lost)
	}
	return byFlow, r.Dropped + r.Trimmed + r.Lost + r.Corrupted
}

// Plan returns the plan of a spec. It panics if the spec is not valid.
func Plan(s fattree.Spec) *fattree.Plan {
	p, err := s.Resolve()
	if err != nil {
		panic(err)
	}
	return p
}

// Refused returns the faults of a spec, nil if it is valid.
func Refused(s fattree.Spec) error {
	_, err := s.Resolve()
	return err
}
