package fattree

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
)

// RandomSpec returns a small experiment. It need not be possible.
func RandomSpec(rng *rand.Rand) Spec {
	one := func(list ...int) int { return list[rng.IntN(len(list))] }
	topologies := []Tree{
		{Hosts: 2, HostsPerToR: 1, UplinksPerToR: 1},
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 16, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 3},
		{Hosts: 8, Access: Link{Gbps: 100}},
		{Hosts: 8, Fabric: Link{Gbps: 150, LatencyNs: 10}, SwitchLatencyNs: 200},
		{Hosts: 5, Tiers: 1},
	}
	s := Spec{
		Topology: topologies[rng.IntN(len(topologies))],
		MTU:      one(4150, 1500, 200), Queue: one(1, 3, 20, 100),
		InitialWindow: one(1, 10, 151), AckRatio: one(1, 2, 16, 64),
		DisableTrimming: rng.IntN(2) == 0,
	}
	// Few slots: at most 300 packets a flow, and a horizon of 250,000 slots at 400 Gb/s.
	mostBytes := min(200_000, 300*s.MTU)
	s.Horizon = min(3_000_000_000, Picoseconds(s.MTU)*20*250_000)
	s.KMin = rng.IntN(s.Queue + 1)
	s.KMax = s.KMin + rng.IntN(s.Queue+1)
	tree := s.Topology.(Tree)
	hosts := tree.Hosts
	triggers := one(0, 0, 2)
	for range triggers {
		s.Workload.Triggers = append(s.Workload.Triggers, Trigger{Kind: TriggerKind(rng.IntN(3)), Count: 1})
	}
	for i := range 1 + rng.IntN(20) {
		f := message(rng.IntN(hosts), 0, int64(1+rng.IntN(mostBytes)))
		f.Destination = Host((int(f.Source) + 1 + rng.IntN(hosts-1)) % hosts)
		f.Start = Picoseconds(rng.IntN(2) * rng.IntN(50_000_000))
		if triggers > 0 && i > 0 {
			f.StartedBy, f.Fires = one(NoTrigger, 0), one(NoTrigger, 0, 1)
		}
		s.Workload.Flows = append(s.Workload.Flows, f)
	}
	if rng.IntN(4) == 0 {
		s.Errors = append(s.Errors, Corruption{PerCable: 0.02 * rng.Float64(), PerSwitch: 0.02 * rng.Float64(), Start: Picoseconds(rng.IntN(20_000_000))})
	}
	for range one(0, 0, 1, 3) {
		s.Faults = append(s.Faults, Fault{
			Ports: RealPorts(tree, Part{
				Tier: rng.IntN(2), Switch: rng.IntN(4), Uplink: rng.IntN(2), WholeSwitch: rng.IntN(4) == 0, Direction: uint8(rng.IntN(3)),
			}),
			Start: Picoseconds(rng.IntN(20_000_000)), Rate: 0.25 * float64(rng.IntN(4)),
		})
		if last := &s.Faults[len(s.Faults)-1]; rng.IntN(2) == 0 {
			last.End = last.Start + 1 + Picoseconds(rng.IntN(60_000_000))
		}
	}
	if rng.IntN(4) == 0 {
		s.RequestsForRetransmission, s.DoubleTurns = rng.IntN(2) == 0, rng.IntN(2) == 0
	}
	if rng.IntN(2) == 0 {
		s.Transport, s.Sleek = UltraEthernet, s.DisableTrimming && rng.IntN(2) == 0
	}
	if rng.IntN(4) == 0 {
		first := pairOf(0, s.Workload.Flows[0])
		for i := range s.Workload.Flows {
			if f := &s.Workload.Flows[i]; rng.IntN(2) == 0 {
				f.Source, f.Destination, f.Connection = first[0], first[1], 1
			}
		}
	}
	return s
}

// TestRandomNetworks: whatever is built runs to its end without a panic and
// balances its books (an error otherwise), gives the same again, finishes its
// flows or reaches the horizon, and no flow is faster than light.
func TestRandomNetworks(t *testing.T) {
	built, finished := 0, 0
	for seed := range uint64(400) {
		possible, ended := checkRandomNetwork(t, seed)
		if possible {
			built++
		}
		if ended {
			finished++
		}
	}
	// Most are possible, and most of these end in time.
	if built < 200 || finished < built*3/4 {
		t.Errorf("%d of 400 networks were built and %d of them finished", built, finished)
	}
}

// checkRandomNetwork runs a random network twice and reports whether it was
// possible and whether all flows finished.
func checkRandomNetwork(t *testing.T, seed uint64) (possible, finished bool) {
	t.Helper()
	n, err := Build(RandomSpec(rand.New(rand.NewPCG(seed, 1))))
	if err != nil {
		return false, false
	}
	run := n.NewRun()
	first, err := run.Execute(context.Background(), new(uniform), shrinking{}, NewStreams(seed, 0))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	again, err := run.Execute(context.Background(), new(uniform), shrinking{}, NewStreams(seed, 0))
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Fatalf("seed %d: a second run differs (error %v)", seed, err)
	}
	CheckResult(t, seed, n, first)
	return true, first.Finished() == n.Flows()
}

// CheckResult checks what must hold of every run.
func CheckResult(t *testing.T, seed uint64, n *Network, r *Result) {
	t.Helper()
	if r.Finished() < n.Flows() && r.Slots < int64(n.horizon) {
		t.Errorf("seed %d: the run ended at slot %d with %d of %d flows", seed, r.Slots, r.Finished(), n.Flows())
	}
	var packets int64
	for flow, f := range r.Flows {
		if f.End == Unfinished {
			continue
		}
		packets += n.spec.packets(n.spec.Workload.Flows[flow].Bytes)
		// Latencies are whole slots, on each of at most six links there and back.
		if least := n.Unloaded(int32(flow)) - 12*n.slotTime; !n.outline.Sink && f.FCT() < least {
			t.Errorf("seed %d: flow %d took %d ps, alone it needs %d", seed, flow, f.FCT(), least)
		}
	}
	if distinct := r.Delivered - r.Duplicates; distinct < packets || distinct > n.packets {
		t.Errorf("seed %d: %d distinct packets delivered, want %d to %d", seed, distinct, packets, n.packets)
	}
	if r.Sent-r.Retransmitted > n.packets {
		t.Errorf("seed %d: %d packets sent for the first time, but there are only %d", seed, r.Sent-r.Retransmitted, n.packets)
	}
}

// FuzzNetworks is TestRandomNetworks for any seed.
func FuzzNetworks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomNetwork(t, seed) })
}
