package fattree

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// TestUnloadedByBottleneck: a flow alone takes the time of its bytes over the narrowest stage of its
// path: its link, all uplinks of a ToR, or all uplinks of a pod.
func TestUnloadedByBottleneck(t *testing.T) {
	topology := Tree{
		Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 2, UplinksPerAgg: 2,
		Access: Link{Gbps: 800}, Fabric: Link{Gbps: 200}, Core: Link{Gbps: 50},
	}
	const packets = 10
	w := Workload{Flows: []Flow{message(0, 1, packets*4086), message(0, 4, packets*4086), message(0, 31, packets*4086)}}
	n, err := Build(Spec{Topology: topology, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	data, ack := 4150.*8, 64.*8
	for flow, c := range []struct {
		gbps float64   // rate of the narrowest stage
		hops []float64 // ns of propagation in all, then Gb/s of each link one way
	}{
		{800, []float64{4000, 800, 800}},
		{400, []float64{8000, 800, 200, 200, 800}},
		{200, []float64{12000, 800, 200, 50, 50, 200, 800}},
	} {
		// All bytes through the narrowest stage, the path of the last packet without its slowest link,
		// and the path of its ACK.
		want := c.hops[0] + packets*data/c.gbps - data/slices.Min(c.hops)
		for _, gbps := range c.hops[1:] {
			want += data/gbps + ack/gbps
		}
		if got := float64(n.Unloaded(int32(flow))) / 1000; math.Abs(got-want) > 0.001 {
			t.Errorf("flow %d: %.3f ns, want %.3f", flow, got, want)
		}
	}
}

// TestOneSwitchRTT: on one switch a packet and its ACK take a slot.
func TestOneSwitchRTT(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 4, Tiers: 1}, Workload: tornado(4, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	if n.BaseRTT(3) != 83_000 || n.LongestRTT() != 83_000 {
		t.Errorf("RTTs %d and %d ps, want a slot of 83000", n.BaseRTT(3), n.LongestRTT())
	}
}

// TestLatencyInSlots: latencies are rounded to the nearest slot, but not to 0. A slow link adds the time
// by which it exceeds a slot, and the links of a path share the latencies of its switches. If slots of a
// whole packet's time would lengthen a round trip by more than 1 %, slots are fractions of it.
func TestLatencyInSlots(t *testing.T) {
	for _, c := range []struct {
		topology Tree
		want     []int32
	}{
		{Tree{Hosts: 16}, []int32{12, 12}},
		{Tree{Hosts: 16, Access: Link{LatencyNs: 83_000}, Fabric: Link{LatencyNs: 83 * 10.49}}, []int32{1000, 10}},
		{Tree{Hosts: 16, Fabric: Link{LatencyNs: 83 * 10.51}, SwitchLatencyNs: 830}, []int32{17, 21}},
		{Tree{Hosts: 16, Access: Link{Gbps: 100}, Fabric: Link{LatencyNs: 100}}, []int32{15, 1}},
		{Tree{Hosts: 16, Access: Link{Gbps: 100}, Fabric: Link{LatencyNs: 1}}, []int32{63, 3}}, // quarters of a packet
		{Tree{Hosts: 16, Access: Link{Gbps: 10}, Fabric: Link{Gbps: 10}}, []int32{4, 4}},       // the same: 830 ns
		{Tree{Hosts: 16, Tiers: 3, Core: Link{Gbps: 40, LatencyNs: 8300}}, []int32{12, 12, 109}},
	} {
		n, err := Build(Spec{Topology: c.topology, Workload: tornado(16, 1000)})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(n.latency, c.want) {
			t.Errorf("%+v: %v slots, want %v", c.topology, n.latency, c.want)
		}
	}
}

// TestRoundTripsHaveTheirLength: whole slots and the lags of headers add up to the unloaded RTT, up to
// 1/1024 of a slot a link.
func TestRoundTripsHaveTheirLength(t *testing.T) {
	for _, topology := range []Tree{
		{Hosts: 16},
		{Hosts: 16, Access: Link{Gbps: 800}, Fabric: Link{Gbps: 800}},
		{Hosts: 16, Access: Link{LatencyNs: 83_000}, Fabric: Link{LatencyNs: 83 * 10.49}},
		{Hosts: 16, Tiers: 3, Access: Link{Gbps: 100}, Core: Link{Gbps: 40, LatencyNs: 8300}},
		{Hosts: 16, Tiers: 3, SwitchLatencyNs: 83},
		{Hosts: 16, SwitchLatencyNs: 830},
		{Hosts: 16, Access: Link{Gbps: 10}, Fabric: Link{Gbps: 10}},
		{Hosts: 16, Access: Link{Gbps: 25, LatencyNs: 700}, Fabric: Link{Gbps: 100, LatencyNs: 500}},
	} {
		n, err := Build(Spec{Topology: topology, Workload: tornado(16, 1000)})
		if err != nil {
			t.Fatal(err)
		}
		for kind, path := range n.outline.Paths {
			slots := 0.0
			for class, count := range path.Links {
				slots += float64(count) * (float64(1+n.latency[class]+n.headers[class]) + float64(n.lags[class])/float64(aSlot))
			}
			if got, want := slots*float64(n.slotTime), float64(n.ways[kind].RTT); math.Abs(got-want) > float64(path.hops())*float64(n.slotTime)/float64(aSlot) {
				t.Errorf("%+v, paths of %v links: round trips take %.0f ps, want %.0f", topology, path.Links, got, want)
			}
		}
	}
}

// TestNearestRank: the p-quantile is the smallest value that p of all do not exceed.
func TestNearestRank(t *testing.T) {
	values := []Picoseconds{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for p, want := range map[float64]Picoseconds{1e-9: 1, 0.1: 1, 0.1001: 2, 0.5: 5, 0.99: 10, 1: 10} {
		if got := NearestRank(values, p); got != want {
			t.Errorf("the %v-quantile is %d, want %d", p, got, want)
		}
	}
	if got := Mean(values); got != 5 {
		t.Errorf("the mean is %d, want 5", got)
	}
}

// TestMarksBeyondTheCurve: with Kmin = Kmax exactly the packets that leave more than that behind are
// marked, for all queue lengths. The same holds on a link of half the rate, where the thresholds are not
// whole numbers.
func TestMarksBeyondTheCurve(t *testing.T) {
	for _, kmin := range []int{5, 4} {
		n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000), KMin: kmin, KMax: 5, Faults: []Fault{{Ports: uplink(Tree{Hosts: 16}, 0, 0), Rate: 0.5}}})
		if err != nil {
			t.Fatal(err)
		}
		r := n.NewRun(new(burst))
		sw := &r.tiles[0]
		sw.random, sw.worker = NewStreams(1, 0).Algorithm.Rand(), &r.workers[0]
		for _, part := range []float64{1, 0.5} {
			for left := range int32(30) {
				// For all queue lengths up to Kmax the curve is 0 or not used.
				above := float64(left) > 5*part
				if !above && float64(left) > float64(kmin)*part {
					continue
				}
				for range 50 {
					if got := marks(sw, left, n.classOf(part, 1, n.spec.Queue)); got != above {
						t.Fatalf("Kmin %d at %v of the rate: with %d packets left behind a mark is %v", kmin, part, left, got)
					}
				}
			}
		}
	}
}

// marks lets the first port of a switch that leads to another one send a packet and leave some behind, and
// reports whether the packet is marked.
func marks(sw *tile, left int32, class uint16) bool {
	id, before := sw.sw.nics, sw.worker.Marked
	sw.ports[id] = port{count: left + 1, class: class, kmin: sw.run.services[class].kmin, side: failed}
	sw.run.result = newResult(sw.net) // counts the packet as lost
	sw.serveSome(0, 1<<uint32(id))
	return sw.worker.Marked > before
}

// TestUnloadedOfShortMessages: a message with a short last packet ends when this packet has crossed the last link
// behind the full packet before it. That packet is slower on every link, so the short one waits for it on each.
func TestUnloadedOfShortMessages(t *testing.T) {
	topology := Tree{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 1, Fabric: Link{Gbps: 200}}
	short, full, ack := 164.*8, 4150.*8, 64.*8 // bits on the wire of 100 bytes, of a whole packet and of an ACK
	for _, c := range []struct {
		destination int
		bytes       int64
		want        float64 // ns
	}{
		// One ToR: two links of 400 Gb/s.
		{1, 100, 4000 + 2*short/400 + 2*ack/400},
		{1, 3*4086 + 100, 4000 + 3*full/400 + full/400 + short/400 + 2*ack/400},
		{1, 4 * 4086, 4000 + 4*full/400 + full/400 + 2*ack/400},
		// Between ToRs: 200 Gb/s for all, then the last packet's other links.
		{15, 100, 8000 + short/200 + 2*short/400 + short/200 + 2*ack/400 + 2*ack/200},
		{15, 3*4086 + 100, 8000 + 3*full/200 + full/200 + 2*full/400 + short/400 + 2*ack/400 + 2*ack/200},
	} {
		n, err := Build(Spec{Topology: topology, Workload: Workload{Flows: []Flow{message(0, c.destination, c.bytes)}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(n.Unloaded(0)) / 1000; math.Abs(got-c.want) > 0.001 {
			t.Errorf("%d bytes to host %d: %.3f ns, want %.3f", c.bytes, c.destination, got, c.want)
		}
	}
}

// TestLoneFlowOverSeveralLinks: the packets of a flow alone are shared by the links of its host. It takes
// the longest of three times: of all bytes over all links and the last packet's other hops; of the full
// packets and a full packet's other hops; and of the packets of the busiest link with the last one's
// other hops.
func TestLoneFlowOverSeveralLinks(t *testing.T) {
	s := planOf(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1)}).Spec()
	outline := s.Topology.Outline()
	path := outline.Paths[s.Topology.Path(0, 15)]
	full, back := 4150.*8/400, 8000+4*64.*8/400 // ns
	for _, c := range []struct {
		links, packets int
		turns          float64 // packets of the busiest link
	}{{1, 5, 5}, {2, 1, 1}, {2, 2, 1}, {2, 3, 2}, {2, 4, 2}, {2, 5, 3}, {3, 3, 1}, {3, 4, 2}, {4, 9, 3}} {
		outline.HostLinks = c.links
		for _, missing := range []int64{0, 86, 4085} {
			last, others, links := (4150-float64(missing))*8/400, float64(c.packets-1), float64(c.links)
			want := max((others*full+last)/links+3*last, (c.turns-1)*full+4*last)
			switch {
			case c.links == 1: // the last packet waits for the one before it on every link
				want = others*full + 3*full + last
			case c.packets > 1:
				want = max(want, others*full/links+3*full)
			}
			if got := s.Alone(outline, path, int64(c.packets)*4086-missing, 400*links).FCT / 1000; math.Abs(got-want-back) > 1e-6 {
				t.Errorf("%d packets, %d bytes short, over %d links: %.3f ns, want %.3f", c.packets, missing, c.links, got, want+back)
			}
		}
	}
}

// TestShortage: what a last packet of 2000 bytes saves on four links of 400 Gb/s, 20 ps for each of 2086
// bytes, unless it waits for the packet before it on its own link, which takes at least the time of a
// packet on all links.
func TestShortage(t *testing.T) {
	const short, own = 4 * 2086 * 20, 2064 * 20
	for _, c := range []struct {
		links, psn int32
		profile    Profile
		packets    int64
		since      map[int32]Picoseconds
		want       Picoseconds
	}{
		{1, 0, Artifact, 1, nil, short},
		{1, 4, Artifact, 5, map[int32]Picoseconds{3: 83_000}, 83_000 - own}, {1, 4, Artifact, 5, map[int32]Picoseconds{3: 0}, 83_000 - own},
		{1, 4, Artifact, 5, map[int32]Picoseconds{3: 150_000}, 150_000 - own}, {1, 4, Artifact, 5, map[int32]Picoseconds{3: 300_000}, short},
		{2, 1, Artifact, 5, map[int32]Picoseconds{0: 0}, 0}, {2, 1, Artifact, 5, map[int32]Picoseconds{0: 50_000}, short},
		{2, 3, Artifact, 5, map[int32]Picoseconds{2: 0, 1: 300_000}, 0},
		{2, 3, Artifact, 5, map[int32]Picoseconds{2: 40_000, 1: 120_000}, 2*83_000 - own}, {2, 3, Artifact, 5, map[int32]Picoseconds{2: 40_000, 1: 200_000}, 200_000 - own},
		{1, 4, UltraEthernet, 5, map[int32]Picoseconds{3: 10_000}, 83_000 - own}, {1, 4, UltraEthernet, 1, map[int32]Picoseconds{3: 60_000}, 60_000 - own},
		{1, 4, UltraEthernet, 1, map[int32]Picoseconds{3: 10_000}, 0},
	} {
		n, err := Build(Spec{Topology: Tree{Hosts: 16}, Profile: c.profile, Workload: Workload{Flows: []Flow{message(0, 15, 4086*c.packets-2086)}}})
		if err != nil {
			t.Fatal(err)
		}
		n.hostLinks = c.links
		if got := n.Shortage(0, c.psn, func(before int32) Picoseconds { return c.since[before] }); got != c.want {
			t.Errorf("%+v: %d ps", c, got)
		}
	}
}

// TestRoundedRoundTrips: where whole slots add more than 1 % to a round trip, windows and time-outs
// follow from the longer one.
func TestRoundedRoundTrips(t *testing.T) {
	for _, c := range []struct {
		mtu     int
		rounded bool
	}{{4150, false}, {9000, true}} { // 0.9 % and 1.3 %
		link := Link{LatencyNs: 0.001}
		n, err := Build(Spec{Topology: Tree{Hosts: 16, Access: link, Fabric: link}, MTU: c.mtu, Workload: tornado(16, 1000)})
		if err != nil {
			t.Fatal(err)
		}
		if way := n.Way(0); (n.BaseRTT(0) > way.RTT) != c.rounded || !c.rounded && n.BaseRTT(0) != way.RTT {
			t.Errorf("MTU %d: a round trip of %d ps counts as %d", c.mtu, way.RTT, n.BaseRTT(0))
		}
	}
}

// TestDebts: a link of a k-th of the rate takes k slots for a packet, exactly, whatever the rounding of
// the division.
func TestDebts(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for k := uint32(1); k <= 1000; k++ {
		packet, ack := n.debts(1 / float64(k))
		if packet != (k-1)*oneSlot || ack != uint32(math.Round(oneSlot*64*float64(k)/4150)) {
			t.Errorf("a %dth of the rate: a packet owes %d, an ACK %d", k, packet, ack)
		}
	}
}

// TestMostParts: slots are parts of a packet where latencies are short, as few as make round trips 1 %
// longer or less, and at most 50.
func TestMostParts(t *testing.T) {
	for _, c := range []struct {
		latency float64 // ns
		mtu     int
		want    Picoseconds
	}{{1000, 4150, 83_000}, {50, 4150, 41_500}, {0.001, 4150, 83_000 / 40}, {0.001, 9000, 180_000 / 50}} {
		link := Link{LatencyNs: c.latency}
		s := planOf(Spec{Topology: Tree{Hosts: 16, Access: link, Fabric: link}, MTU: c.mtu, Workload: tornado(16, 1000)}).Spec()
		if got := planOf(s).SlotTime(); got != c.want {
			t.Errorf("latencies of %v ns, MTU %d: slots of %d ps, want %d", c.latency, c.mtu, got, c.want)
		}
	}
}

// TestMostRounding: networks are refused where whole slots make a round trip more than half as long again.
func TestMostRounding(t *testing.T) {
	for _, c := range []struct {
		gbps, latency float64
		mtu           int
		taken         bool
	}{{400, 0.001, 9000, true}, {1000, 0.5, 200, false}} { // 49 % and 54 %
		s := Spec{Topology: Tree{Hosts: 16, Access: Link{Gbps: c.gbps, LatencyNs: c.latency}, Fabric: Link{Gbps: 1, LatencyNs: c.latency}}, MTU: c.mtu, Workload: tornado(16, 1)}
		if err := refused(s); (err == nil) != c.taken {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}
