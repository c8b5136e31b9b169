package fattree

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEveryPathLeadsHome: whatever the EV, a packet between any two hosts passes
// one port on each link of its way, none twice, and ends at its destination.
func TestEveryPathLeadsHome(t *testing.T) {
	for _, topology := range []Tree{
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 54, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 3},
		{Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 3},
	} {
		var w Workload
		for a := range topology.Hosts {
			for b := range topology.Hosts {
				if a != b {
					w.Flows = append(w.Flows, message(a, b, 1))
				}
			}
		}
		n, err := Build(Spec{Topology: topology, Workload: w})
		if err != nil {
			t.Fatal(err)
		}
		run := n.NewRun(new(burst))
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range run.tiles {
			run.tiles[i].salt = rng.Uint64()
		}
		used := map[int32]bool{}
		for flow := range n.routes {
			for range 4 {
				walk(t, run, int32(flow), uint16(rng.Uint64()), used)
			}
		}
		if ports := len(n.ports) - topology.Hosts; len(used) != ports {
			t.Errorf("%+v: %d of %d ports are on some path", topology, len(used), ports)
		}
	}
}

// walk follows a packet from its source to its destination.
func walk(t *testing.T, r *Run, flow int32, ev uint16, used map[int32]bool) {
	t.Helper()
	ends, want := r.net.ends[flow], int32(r.net.outline.Paths[r.net.routes[flow].path].hops()-1)
	sw, hops := r.net.home[ends.source], int32(0)
	for {
		id := r.net.nodes[sw].firstPort + int32(r.tiles[sw].portTo(ends.destination, ends, NewPacket(flow, 0, ev)))
		used[id] = true
		hops++
		next := r.net.ports[id].peer
		if next < 0 {
			if -1-next != ends.destination || hops != want {
				t.Fatalf("flow %d ended at host %d after %d ports, want host %d after %d", flow, -1-next, hops, ends.destination, want)
			}
			return
		}
		if hops > want {
			t.Fatalf("flow %d is lost", flow)
		}
		sw = next
	}
}

// TestMarkingCurve: no marks up to Kmin, a straight line up to Pmax at Kmax, and every packet above. On a link of
// half the rate the thresholds are half, and Pmax is the same.
func TestMarkingCurve(t *testing.T) {
	for _, c := range []struct {
		pmax float64
		part float64
		left int
		want float64
	}{
		{0, 1, 25, 0}, {0, 1, 26, 1. / 51}, {0, 1, 50, 25. / 51}, {0, 1, 76, 1}, {0, 1, 77, 1},
		{0, 0.5, 12, 0}, {0, 0.5, 13, 0.5 / 25.5}, {0, 0.5, 38, 1}, {0, 0.5, 39, 1},
		{1, 1, 50, 25. / 51}, {1, 1, 76, 1},
		{0.1, 1, 25, 0}, {0.1, 1, 26, 0.1 / 51}, {0.1, 1, 50, 2.5 / 51}, {0.1, 1, 75, 5. / 51}, {0.1, 1, 76, 0.1}, {0.1, 1, 77, 1},
		{0.1, 1, 99, 1}, {0.1, 0.5, 12, 0}, {0.1, 0.5, 13, 0.05 / 25.5}, {0.1, 0.5, 38, 0.1}, {0.1, 0.5, 39, 1},
	} {
		n, err := Build(Spec{Topology: Tree{Hosts: 128}, Queue: 100, PMax: c.pmax, Workload: tornado(128, 1)})
		if err != nil {
			t.Fatal(err)
		}
		class := n.queueClass(c.part, 1, 100)
		got := float64(class.mark[min(c.left, len(class.mark)-1)]) / (1 << 32)
		if c.left <= int(class.kmin) {
			got = 0
		}
		if diff := got - c.want; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("Pmax %v at %v of the rate with %d packets left behind: %.6f, want %.6f", c.pmax, c.part, c.left, got, c.want)
		}
		if got := n.queueClass(0.5, 1, 100).capacity; got != 50 {
			t.Errorf("half the rate has room for %d packets, want 50", got)
		}
	}
}

// TestMarksUpToPMax: packets that leave Kmax behind are marked with probability Pmax, and one more is certain. 2,000
// draws at 0.25 have a standard deviation of 19.4; the bound of 6.2 deviations fails once in 10^9 seeds, and sees a
// probability of 0.38 or 0.12.
func TestMarksUpToPMax(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000), KMin: 5, KMax: 9, PMax: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	r := n.NewRun(new(burst))
	sw := &r.tiles[0]
	sw.random, sw.worker = NewStreams(1, 0).Algorithm.Rand(), &r.workers[0]
	class, marked := n.classOf(1, 1, n.spec.Queue), 0
	for range 2000 {
		if marks(sw, 9, class) {
			marked++
		}
		if !marks(sw, 10, class) || marks(sw, 5, class) {
			t.Fatal("a packet that leaves 10 behind is not marked, or one that leaves 5")
		}
	}
	if marked < 380 || marked > 620 {
		t.Errorf("%d of 2000 packets that leave Kmax behind are marked, want 500 ± 120", marked)
	}
}

// TestDefaults pins the authors' numbers in their units.
func TestDefaults(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 128}, Workload: tornado(128, 8<<20)})
	if err != nil {
		t.Fatal(err)
	}
	s := n.Spec()
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"slot, ps", int64(n.SlotTime()), 83_000},
		{"unloaded RTT, ps", int64(n.BaseRTT(0)), 8_337_120},
		{"packets of 8 MiB", int64(n.routes[0].packets), 2054},
		{"Kmin", int64(s.KMin), 25},
		{"Kmax", int64(s.KMax), 76},
		{"switches", int64(n.Switches()), 16 + 8},
		{"uplinks", int64(len(n.Uplinks(0))), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

// TestImpossibleSetUps: impossible set-ups are refused by name before the run.
func TestImpossibleSetUps(t *testing.T) {
	good := func() Spec { return Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)} }
	for _, c := range []struct {
		name  string
		spoil func(*Spec)
		want  string
	}{
		{"no hosts", func(s *Spec) { s.Topology = Tree{} }, "Hosts (0)"},
		{"four tiers", func(s *Spec) { s.Topology = Tree{Hosts: 16, Tiers: 4} }, "Tiers (4)"},
		{"radix", func(s *Spec) { s.Topology = Tree{Hosts: 16, HostsPerToR: 5} }, "HostsPerToR (5) must divide Hosts (16)"},
		{"not k^3/4", func(s *Spec) { s.Topology = Tree{Hosts: 20, Tiers: 3} }, "Hosts (20) must be k^3/4"},
		{"pods", func(s *Spec) {
			s.Topology = Tree{Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 3, UplinksPerAgg: 2}
		}, "ToRsPerPod (3) must divide the number of ToRs (8)"},
		{"cables", func(s *Spec) { s.Topology = Tree{Hosts: 16, CablesPerPair: 3} }, "CablesPerPair (3) must divide"},
		{"rate", func(s *Spec) { s.Topology = Tree{Hosts: 16, Fabric: Link{Gbps: -1}} }, "Fabric.Gbps (-1)"},
		{"Kmax", func(s *Spec) { s.KMin = 10; s.KMax = 5 }, "KMax (5)"},
		{"Pmax NaN", func(s *Spec) { s.PMax = math.NaN() }, "PMax (NaN) must be in (0, 1]"},
		{"MTU", func(s *Spec) { s.MTU = 10 }, "MTU (10)"},
		{"last hop", func(s *Spec) { s.LastHopQueue = -1 }, "LastHopQueue (-1)"},
		{"class", func(s *Spec) { s.RetransmissionsFirst = true }, "RetransmissionsFirst (true)"},
		{"delay", func(s *Spec) { s.AckDelay = 3 }, "AckDelay (3)"},
		{"destination", func(s *Spec) { s.Workload.Flows[3].Destination = 99 }, "Flows[3].Destination (99)"},
		{"itself", func(s *Spec) { s.Workload.Flows[3].Destination = 3 }, "Flows[3].Destination (3) must differ"},
		{"bytes", func(s *Spec) { s.Workload.Flows[0].Bytes = 0 }, "Flows[0].Bytes (0)"},
		{"too long", func(s *Spec) { s.Workload.Flows[0].Bytes = 1 << 60 }, "Flows[0].Bytes ("},
		{"late", func(s *Spec) { s.Workload.Flows[0].Start = 1 << 60 }, "Flows[0].Start ("},
		{"trigger", func(s *Spec) { s.Workload.Flows[0].Fires = 1 }, "Flows[0].Fires (1)"},
		{"delivery", func(s *Spec) { s.Workload.Flows[0].FiresOnDelivery = true }, "Flows[0].FiresOnDelivery (true) must be false without Fires"},
		{"host's link", func(s *Spec) { s.Faults = []Fault{{Ports: []int{3}}} }, "Faults[0].Ports (3)"},
		{"no topology", func(s *Spec) { s.Topology = nil }, "Topology (<nil>) must be set"},
		{"better than whole", func(s *Spec) { s.Faults = []Fault{{Rate: 1}} }, "Faults[0].Rate (1)"},
		{"backwards", func(s *Spec) { s.Faults = []Fault{{Start: 5, End: 3}} }, "Faults[0].End (3 ps) must be 0 or after Start (5 ps)"},
		{"always down", func(s *Spec) { s.Faults = []Fault{{Period: 5, Down: 5}} }, "Faults[0].Down (5 ps) must be above 0 and below Period (5 ps)"},
		{"no period", func(s *Spec) { s.Faults = []Fault{{Down: 5}} }, "Faults[0].Down (5 ps) must be above 0 and below Period (0 ps)"},
		{"never down", func(s *Spec) { s.Faults = []Fault{{Period: 5}} }, "Faults[0].Down (0 ps) must be above 0 and below Period (5 ps)"},
		{"too seldom", func(s *Spec) { s.Faults = []Fault{{Period: 1 << 62, Down: 5}} }, "which must be at most 1152921504606846976 ps"},
		{"flaps", func(s *Spec) { s.Faults = []Fault{{Ports: uplink(s.Topology, 1, 0), Period: 1000, Down: 5}} }, "Faults (1 faults) must flap less often: links do so more than 2097152 times before the run ends"},
		{"all lost", func(s *Spec) { s.Errors = []Corruption{{PerPacket: 1}} }, "Errors[0].PerPacket (1) must be in [0, 1)"},
		{"cut off", func(s *Spec) {
			for number := range 4 {
				s.Faults = append(s.Faults, Fault{Ports: uplink(s.Topology, 1, number)})
			}
		}, "cut the last path of flow 4 between hosts 4 and 12"},
		{"three faults", func(s *Spec) {
			s.LastHopQueue, s.Workload.Flows[3].Destination, s.Faults = -1, 99, []Fault{{Ports: []int{3}}}
		}, "fattree: LastHopQueue (-1) must be in [0, 65536], in a network of 48 ports\nfattree: Flows[3].Destination (99) must be in [0, 15]\nfattree: Faults[0].Ports (3)"},
		{"no time", func(s *Spec) { s.MTU, s.Faults = -1, []Fault{{Ports: []int{3}}} }, "MTU (-1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := good()
			c.spoil(&s)
			if _, err := Build(s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestQueuesOfSlowLinks: the capacity of a queue shrinks with the rate of its link to the nearest packet,
// and at least to one. Headers may take twice the bytes of a full queue.
func TestQueuesOfSlowLinks(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		part     float64
		queue    int
		capacity int32
	}{{1, 7, 7}, {0.5, 3, 2}, {0.5, 1, 1}, {0.75, 10, 8}, {0.75, 9, 7}, {0.25, 7, 2}, {0.25, 1, 1}, {0.01, 10, 1}} {
		class := n.queueClass(c.part, 1, c.queue)
		if room := math.Round(2 * float64(c.capacity) / c.part * oneSlot); class.capacity != c.capacity || math.Abs(float64(class.headerRoom())-room) > 100*float64(c.capacity) {
			t.Errorf("%v of the rate and a queue of %d: room for %d packets and headers of %d, want %d and %v", c.part, c.queue, class.capacity, class.headerRoom(), c.capacity, room)
		}
	}
}

// TestPlaces: a flow has a place for each packet that its host can send before the horizon, and at most
// 200 more.
func TestPlaces(t *testing.T) {
	for _, slots := range []Picoseconds{1000, 5000} {
		n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: Workload{Flows: []Flow{message(0, 15, 1<<32), message(1, 14, 4086*10)}}, Horizon: slots * 83_000})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Places(0); got < int(slots) || got > int(slots)+200 || n.Places(1) != 64 || n.FirstGroup(1) != int32(got/64) {
			t.Errorf("%d places in %d slots, and %d of a flow of 10 packets, from group %d on", got, slots, n.Places(1), n.FirstGroup(1))
		}
	}
}

// TestBackground: flows 0, N, 2N, ... are background traffic; without N none is.
func TestBackground(t *testing.T) {
	for flow := range 10 {
		if (&Workload{BackgroundEvery: 3}).Background(flow) != (flow%3 == 0) || new(Workload).Background(flow) {
			t.Errorf("flow %d of background traffic", flow)
		}
	}
}
