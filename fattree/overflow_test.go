package fattree

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

// TestOverflow: products that would overflow, or ask for gigabytes, are errors that
// cost next to nothing.
func TestOverflow(t *testing.T) {
	many := func(hosts int, bytes int64) Workload {
		var w Workload
		for h := range hosts {
			w.Flows = append(w.Flows, message(h, (h+1)%hosts, bytes))
		}
		return w
	}
	two := many(2, 1)
	slow := func(rate float64, whole bool) []Fault {
		return []Fault{{Ports: RealPorts(Tree{Hosts: 4}, Part{Tier: map[bool]int{true: 1}[whole], WholeSwitch: whole}), Rate: rate}}
	}
	degraded := func(rates int) (list []Fault) {
		for i := range rates {
			list = append(list, Fault{Ports: uplink(Tree{Hosts: 4}, 0, 0), Rate: 0.5 + float64(i)/float64(4*rates)})
		}
		return list
	}
	for name, c := range map[string]struct {
		spec Spec
		want string // empty if there is no error
	}{
		"groups of packets": {Spec{Topology: Tree{Hosts: 65536}, Workload: many(65536, 15<<30)}, "Flows (258331377664 packets) must be at most 2147483648 packets in all, those of each flow rounded up to 64"},
		"places of packets": {Spec{Topology: Tree{Hosts: 1024}, Workload: many(1024, 9e9)}, "Flows (2255552512 packets) must be at most"},
		"places of queues":  {Spec{Topology: Tree{Hosts: 128_000, Tiers: 3}, Workload: two, Queue: 2049}, "Queue (2049) must be in [1, 2048]"},
		"rates of links":    {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: degraded(MaxRates)}, "Faults (4096) must give at most 4096 distinct rates of links, not 4097: they have 4096 distinct rates, on links of 1 speeds"},
		"rates of 2 links":  {Spec{Topology: Tree{Hosts: 4, Access: Link{Gbps: 100}}, Workload: two, Faults: degraded(MaxRates / 2)}, "they have 2048 distinct rates, on links of 2 speeds"},
		"all rates":         {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: degraded(MaxRates - 1)}, ""},
		"ports of 2 tiers":  {Spec{Topology: Tree{Hosts: MaxHosts, HostsPerToR: 1, UplinksPerToR: 1 << 10}, Workload: two}, "must be fewer, or uplinks: the switches need 4297064448 ports, of at most 67108864"},
		"ports of 3 tiers":  {Spec{Topology: Tree{Hosts: MaxHosts, Tiers: 3, HostsPerToR: 2, UplinksPerToR: 2, ToRsPerPod: 1, UplinksPerAgg: 1 << 10}, Workload: two}, "need 4301258752 ports"},
		"ports of a switch": {Spec{Topology: Tree{Hosts: MaxHosts, HostsPerToR: 1, UplinksPerToR: 4, CablesPerPair: 4}, Workload: two}, "a switch needs 8388608 ports, of at most 4194304"},
		"latency in slots":  {Spec{Topology: Tree{Hosts: 4, Access: Link{LatencyNs: 1e6}, Fabric: Link{LatencyNs: 1e6}}, Workload: two}, "LatencyNs (1e+06) must be lower, or rates lower: the unloaded RTT of 8000337120 ps must be at most 5439405000 ps"},
		"a slow packet":     {Spec{Topology: Tree{Hosts: 4, Fabric: Link{Gbps: 1}, Access: Link{Gbps: 2000}}, Workload: two}, "Fabric.Gbps (1) must be at least 1/1024 of the fastest link's (2000)"},
		"a slow cable":      {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: slow(1e-9, false)}, "Rate (1e-09) must be 0 or at least 0.0009766"},
		"no rate at all":    {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: slow(1e-300, true)}, "Rate (1e-300) must be 0 or at least"},
		"slow and degraded": {Spec{Topology: Tree{Hosts: 4, Fabric: Link{Gbps: 1}}, Workload: two, Faults: slow(0.25, false)}, "Rate (0.25) must be 0 or at least 0.3906"},
		"slow enough":       {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: slow(1.0/1024, true)}, ""},
		"marking far away":  {Spec{Topology: Tree{Hosts: 4}, Workload: two, KMin: 1 << 30, KMax: 1 << 30}, ""},
		"late faults":       {Spec{Topology: Tree{Hosts: 4}, Workload: two, Faults: []Fault{{Ports: uplink(Tree{Hosts: 4}, 0, 0), Start: math.MaxInt64 - 1, End: math.MaxInt64}}}, ""},
		"a long run":        {Spec{Topology: Tree{Hosts: 4}, Workload: two, Horizon: math.MaxInt64}, "Horizon (9223372036854775807 ps) must be in"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := Build(c.spec)
		runtime.ReadMemStats(&after)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if err == nil {
			execute(t, n.spec)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 20<<20 {
			t.Errorf("%s: building it asks for %d MiB", name, got>>20)
		}
	}
}

// TestDebtOfSlowLink: on a link with 1/500 of the rate each ACK takes 8 slots. The debt of the port must
// not overflow, which would make the link faster: it falls by one slot per slot.
func TestDebtOfSlowLink(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 64}, Faults: []Fault{{Ports: cable(Tree{Hosts: 64}, 0, 0), Rate: 0.002}}, Horizon: 1_000_000_000}
	for h := range 64 {
		s.Workload.Flows = append(s.Workload.Flows, message(h, (h+32)%64, 4<<20))
	}
	n, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r := n.NewRun(new(burst))
	r.Begin(NewStreams(1, 0))
	port := int32(n.Uplinks(0)[0])
	most := uint32(0)
	for before := uint32(0); r.left > 0 && r.slot < n.horizon; before = r.ports[port].debt {
		r.Step()
		if now := r.ports[port].debt; now+oneSlot < before {
			t.Fatalf("slot %d: the debt falls from %d to %d", r.slot, before, now)
		}
		most = max(most, r.ports[port].debt)
	}
	if most < mostDebt {
		t.Errorf("the debt reached only %d, of at least %d", most, uint32(mostDebt))
	}
}

// TestManyHeadersOnALink: more headers than 16 bits count cross a link in one slot; none is lost.
func TestManyHeadersOnALink(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Workload: tornado(4, 1)})
	if err != nil {
		t.Fatal(err)
	}
	const headers = 1<<16 + 20
	if arrived := crossUplink(n, 0, headers); arrived != headers {
		t.Errorf("%d of %d headers arrive", arrived, headers)
	}
}

// crossUplink sends headers over the first uplink of the first ToR in one slot, while data wait there,
// and returns the number that reach the other switch.
func crossUplink(n *Network, data int32, headers int) (arrived int) {
	r := n.NewRun(new(burst))
	r.Begin(NewStreams(1, 0))
	sw, up := &r.tiles[0], n.nodes[0].first
	sw.worker = &r.workers[0]
	sw.land(0)
	sw.ports[up].count = data
	lands := &sw.landing[header][sw.ports[up].side]
	for range headers {
		sw.passHeaders([]Crossing{{Packet: NewPacket(0, 0, 0), where: uint32(up) << portShift}})
	}
	spine := &r.tiles[n.ports[up].peer]
	spine.worker = &r.workers[0]
	spine.collect(lands.epoch%n.buffers, lands.epoch*spine.epoch, true)
	for _, list := range spine.arrivals.headers {
		arrived += len(list)
	}
	return arrived
}
