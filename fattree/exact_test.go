package fattree

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// TestUnloadedByBottleneck: a flow alone takes its bytes over the narrowest stage
// of its way: its link, all uplinks of a ToR, or all of a pod's.
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
		gbps float64   // of the narrowest stage
		hops []float64 // ns of propagation in all, then Gb/s of each link one way
	}{
		{800, []float64{4000, 800, 800}},
		{400, []float64{8000, 800, 200, 200, 800}},
		{200, []float64{12000, 800, 200, 50, 50, 200, 800}},
	} {
		// All bytes through the narrowest stage, the last packet's way but for its
		// slowest link, of the stage, and its ACK's back.
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

// TestLatencyInSlots: latencies are rounded to the nearest slot, but not to 0, and a slow link
// adds what it takes longer than a slot.
func TestLatencyInSlots(t *testing.T) {
	for _, c := range []struct {
		topology Tree
		want     []int32
	}{
		{Tree{Hosts: 16}, []int32{12, 12}},
		{Tree{Hosts: 16, Access: Link{LatencyNs: 83_000}, Fabric: Link{LatencyNs: 83 * 10.49}}, []int32{1000, 10}},
		{Tree{Hosts: 16, Fabric: Link{LatencyNs: 83 * 10.51}, SwitchLatencyNs: 830}, []int32{22, 21}},
		{Tree{Hosts: 16, Access: Link{Gbps: 100}, Fabric: Link{LatencyNs: 1}}, []int32{15, 1}},
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
			if got, want := slots*float64(n.slotTime), float64(n.ways[kind].rtt); math.Abs(got-want) > float64(path.hops())*float64(n.slotTime)/float64(aSlot) {
				t.Errorf("%+v, paths of %v links: round trips take %.0f ps, want %.0f", topology, path.Links, got, want)
			}
		}
	}
}

// TestTriggerOnASlot: a flow whose delay after its trigger ends with a slot begins
// in that slot, and takes as long as the one that fired.
func TestTriggerOnASlot(t *testing.T) {
	flows := []Flow{message(0, 15, 4086), message(0, 15, 4086)}
	flows[0].Fires, flows[1].StartedBy = 0, 0
	for _, delay := range []Picoseconds{83_000, 100 * 83_000} {
		flows[1].Start = delay
		s := Spec{Topology: Tree{Hosts: 16}, Workload: Workload{Flows: flows, Triggers: []Trigger{{Kind: OneShot}}}}
		got := execute(t, s, new(uniform), steady{}).Flows
		if got[0].FCT() != got[1].FCT() || got[1].Start%83_000 != 0 {
			t.Errorf("delay %d ps: the flows took %d and %d ps, want the same; the second began at %d", delay, got[0].FCT(), got[1].FCT(), got[1].Start)
		}
	}
}

// TestReorderDepth: depths by nearest rank; beyond 4095 they are not told apart.
func TestReorderDepth(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 4}, Workload: tornado(4, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	r := n.NewRun()
	w := &r.workers[0]
	f := receiver{}
	for _, psn := range []int32{0, 1, 10_000, 9_997, 5_906, 5_905, 5_904, 10_001, 10_002, 10_003} {
		w.noteOrder(&f, psn)
	}
	// Behind the highest so far: 0, 0, 0, 3, 4094, 4095, 4096, 0, 0, 0.
	for p, want := range map[float64]int{0.1: 0, 0.6: 0, 0.601: 3, 0.7: 3, 0.8: 4094, 0.9: 4095, 1: 4095} {
		if got := w.ReorderDepth(p); got != want {
			t.Errorf("the %v-quantile is %d, want %d", p, got, want)
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

// some cuts only the flows with odd numbers.
type some struct{ cutting }

func (s *some) Subflows(flow int32) int32 { return s.parts * (flow & 1) }
func (s *some) NextEV(flow int32, now Picoseconds) (uint16, bool) {
	if flow&1 == 1 {
		panic("a flow that is cut was asked")
	}
	return s.pinned.NextEV(flow, now)
}

// TestSomeSubflows: cut into one piece or not, flows fare the same, also where
// only some of them are cut.
func TestSomeSubflows(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1<<18), Queue: 20}
	want := execute(t, s, new(pinned), shrinking{})
	if got := execute(t, s, &some{cutting{parts: 1}}, forgetful{}); !reflect.DeepEqual(got, want) {
		t.Errorf("every second flow cut into one piece: another result than with none cut")
	}
}

// TestSubflowsKnowWhatSendersKnow: no packet that is acknowledged as far as its
// sender knows is in flight by a subflow; one subflow loses its packets, another
// its ACKs, whose packets are known by what others report.
func TestSubflowsKnowWhatSendersKnow(t *testing.T) {
	n, err := Build(Spec{
		Topology: Tree{Hosts: 16}, Workload: Workload{Flows: []Flow{message(0, 15, 1<<20)}}, AckRatio: 8,
		Faults: []Fault{{Ports: uplink(Tree{Hosts: 16}, 0, 0), End: 60_000_000}, {Ports: uplink(Tree{Hosts: 16}, 3, 1)}}, DisableTrimming: true,
		Choose: func(_ int32, ev uint16, ports int) int { return int(ev) % ports },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := n.NewRun()
	r.Begin(&cutting{parts: 4}, forgetful{}, NewStreams(1, 0))
	for r.left > 0 {
		r.Step()
		for i, g := range r.groups {
			if both := g.acked & r.split.out[i]; both != 0 {
				t.Fatalf("slot %d: packets %x of group %d are acknowledged and in flight", r.slot, both, i)
			}
		}
	}
}

// TestErrorsToCome: bit errors that begin when all is over change nothing, not
// even what is drawn for marks and victims.
func TestErrorsToCome(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1<<18), Queue: 10}
	want := execute(t, s, new(uniform), shrinking{})
	s.Errors = []Corruption{{PerCable: 0.5, Start: 50_000_000_000}}
	if got := execute(t, s, new(uniform), shrinking{}); !reflect.DeepEqual(got, want) || want.Marked == 0 || want.Trimmed == 0 {
		t.Errorf("%d marked and %d trimmed, without the errors to come %d and %d", got.Marked, got.Trimmed, want.Marked, want.Trimmed)
	}
}

// TestMarksBeyondTheCurve: with Kmin = Kmax every packet that leaves more behind
// is marked and no other is, as far as queues go beyond; and so on a link of
// half the rate, whose thresholds are not whole.
func TestMarksBeyondTheCurve(t *testing.T) {
	for _, kmin := range []int{5, 4} {
		n, err := Build(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000), KMin: kmin, KMax: 5, Faults: []Fault{{Ports: uplink(Tree{Hosts: 16}, 0, 0), Rate: 0.5}}})
		if err != nil {
			t.Fatal(err)
		}
		r := n.NewRun()
		sw := &r.tiles[0]
		sw.random, sw.worker = NewStreams(1, 0).Algorithm.Rand(), &r.workers[0]
		for _, part := range []float64{1, 0.5} {
			for left := range int32(30) {
				// For all but those above Kmax either the curve is at 0 or it is not asked.
				above := float64(left) > 5*part
				if !above && float64(left) > float64(kmin)*part {
					continue
				}
				for range 50 {
					if got := sw.marks(&port{count: left, class: n.classOf(part, 1)}); got != above {
						t.Fatalf("Kmin %d at %v of the rate: with %d packets left behind a mark is %v", kmin, part, left, got)
					}
				}
			}
		}
	}
}

// TestUnloadedOfShortMessages: a message whose last packet is short ends with that
// packet behind the narrowest stage, and where that is the sender's own link with
// the full one before it, if there is one, which takes longer on all others.
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
		{1, 3*4086 + 100, 4000 + 3*full/400 + full/400 + 2*ack/400},
		{1, 4 * 4086, 4000 + 4*full/400 + full/400 + 2*ack/400},
		// Between ToRs: 200 Gb/s for all, then the last packet's other links.
		{15, 100, 8000 + short/200 + 2*short/400 + short/200 + 2*ack/400 + 2*ack/200},
		{15, 3*4086 + 100, 8000 + (3*full+short)/200 + 2*short/400 + short/200 + 2*ack/400 + 2*ack/200},
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
