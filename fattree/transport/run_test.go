package transport

import (
	"context"
	"math"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// TestUnloadedFlow: alone in the network, a message of k full packets takes exactly the unloaded round
// trip plus k-1 slots. If its last packet is shorter, it takes that much less on each link of the path.
func TestUnloadedFlow(t *testing.T) {
	const payload = 4150 - 64
	for _, c := range []struct {
		name        string
		topology    Tree
		destination int
		rtt         fattree.Picoseconds
		links       int64
	}{
		// Propagation there and back, a full packet and an ACK on each link:
		// 1000, 83 and 1.28 ns.
		{"same ToR", Tree{Hosts: 128}, 1, 4_000_000 + 2*84_280, 2},
		{"two tiers", Tree{Hosts: 128}, 127, 8_000_000 + 4*84_280, 4},
		{"same pod", Tree{Hosts: 128, Tiers: 3}, 5, 8_000_000 + 4*84_280, 4},
		{"three tiers", Tree{Hosts: 128, Tiers: 3}, 127, 12_000_000 + 6*84_280, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range []int64{1, 2, 100} {
				for _, missing := range []int64{0, 4000} {
					s := fattree.Spec{Topology: c.topology, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, c.destination, k*payload-missing)}}}
					got := execute(t, s, new(uniform), steady{}).Flows[0].FCT()
					want := c.rtt + fattree.Picoseconds((k-1)*83_000-c.links*missing*20)
					if k > 1 && missing > 0 {
						// The previous packet is full, and the message waits for its ACK.
						want = max(want, c.rtt+fattree.Picoseconds((k-2)*83_000))
					}
					// Latencies are whole slots except in the flow's last round trip.
					if diff := got - want; diff < -83_000 || diff > 83_000 || missing == 0 && diff != 0 {
						t.Errorf("%d packets less %d bytes: FCT %d ps, want %d", k, missing, got, want)
					}
				}
			}
		})
	}
}

// bounds notes the upper bound of each flow's window.
type bounds struct {
	steady
	most map[int32]float64
}

func (b bounds) Acknowledge(w *Window, a Acknowledgement) { b.most[a.Flow] = w.Most }

// TestWindowIsBoundedByItsPath: windows are at most 1.5 bandwidth-delay products of the path. A packet
// takes 83,000 ps at 400 Gb/s.
func TestWindowIsBoundedByItsPath(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 1, 4086), nettest.Message(2, 127, 4086)}}}
	b := bounds{most: map[int32]float64{}}
	execute(t, s, new(uniform), b)
	for flow, rtt := range []float64{4_000_000 + 2*84_280, 8_000_000 + 4*84_280} {
		if got, want := b.most[int32(flow)], 1.5*rtt/83_000; math.Abs(got-want) > 1.5 {
			t.Errorf("flow %d: a window of up to %.1f packets, want %.1f", flow, got, want)
		}
	}
}

// TestIncastIsLimitedByTheLastHop: the link to the receiver is the bottleneck: 8 messages of k packets
// take 8k slots on it if their windows fill the path and the queue does not overflow.
func TestIncastIsLimitedByTheLastHop(t *testing.T) {
	const k, senders, window = 200, 8, 20
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Options: Options{InitialWindow: window}, Queue: senders * window, KMin: 1000, KMax: 1000}
	for i := range senders {
		s.Workload.Flows = append(s.Workload.Flows, nettest.Message(64+i, 0, k*(4150-64)))
	}
	result := execute(t, s, new(uniform), steady{})
	fcts := result.FCTs()
	last, least := fcts[len(fcts)-1], fattree.Picoseconds((senders*k-1)*83_000+8_337_120)
	if last < least || last > least+5*83_000 {
		t.Errorf("the last message took %d ps, want %d and less than 5 slots more", last, least)
	}
	// In each of the first 20 slots 8 packets come and one leaves. Later 160 are in flight, and the path
	// holds at most 101 of them.
	if most := int32(senders*window - window); result.MaxQueue < senders*window-101 || result.MaxQueue > most {
		t.Errorf("the longest queue had %d packets, want %d to %d", result.MaxQueue, senders*window-101, most)
	}
}

// TestTimeOutIsExact: a packet sent into a failed link is retransmitted after exactly one RTO, and its
// message takes that much longer.
func TestTimeOutIsExact(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 4000)}}}
	healthy := execute(t, s, new(pinned), steady{})
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), End: 10_000_000})
	}
	late := execute(t, s, new(pinned), steady{})
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	rto := (OptionsOn(n).RTO + 82_999) / 83_000 * 83_000
	if got, want := late.Flows[0].FCT()-healthy.Flows[0].FCT(), rto; got != want {
		t.Errorf("the lost packet cost %d ps, want the RTO of %d", got, want)
	}
	if late.Lost != 1 || late.Retransmitted != 1 || late.Sent != 2 {
		t.Errorf("%d lost, %d retransmitted, %d sent, want 1, 1, 2", late.Lost, late.Retransmitted, late.Sent)
	}
	if want := fattree.Picoseconds(13 * 83_000); late.Reroute != want {
		t.Errorf("rerouted after %d ps, want %d: the way from the host to the ToR", late.Reroute, want)
	}
	// Another fault of a link that has already failed does not count as a second failure.
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), Start: 500_000, End: 5_000_000})
	}
	if again := execute(t, s, new(pinned), steady{}); again.Reroute != late.Reroute {
		t.Errorf("with a second fault at the same time rerouted after %d ps, want %d", again.Reroute, late.Reroute)
	}
}

// TestRerouteCountsData: where only ACKs are lost, no data packet is sent into a failed link.
func TestRerouteCountsData(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 40000)}}}
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 3, number), End: 10_000_000})
	}
	if r := execute(t, s, new(pinned), steady{}); r.Duplicates == 0 || r.Lost != 0 || r.Reroute != 0 {
		t.Errorf("%d duplicates, %d data packets lost, the last one after %d ps; want some, 0, 0", r.Duplicates, r.Lost, r.Reroute)
	}
}

// TestDeadLinkForGood: a flow pinned to a permanently failed link does not finish by the horizon, and a
// flow that draws every EV does.
func TestDeadLinkForGood(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: nettest.Tornado(128, 1<<18), Horizon: 2_000_000_000, DisableTrimming: true}
	for tor := range 16 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, tor, 0)})
	}
	stuck := execute(t, s, new(pinned), shrinking{})
	if finished := stuck.Finished(); finished == 0 || finished == 128 {
		t.Errorf("%d of 128 pinned flows finished, want some but not all", finished)
	}
	if got, want := fattree.Picoseconds(stuck.Slots)*83_000, s.Horizon; got > want || got < want-83_000 {
		t.Errorf("the run ended at %d ps, want the horizon of %d", got, want)
	}
	random := execute(t, s, new(uniform), shrinking{})
	if random.Finished() != 128 {
		t.Errorf("%d of 128 flows that draw finished", random.Finished())
	}
	// 1/8 of the data packets meet the failed link. Their number is about 8,900, so a share within 6.11
	// standard errors is within 0.022.
	if share := float64(random.Lost) / float64(random.Sent); share < 0.125-0.022 || share > 0.125+0.022 {
		t.Errorf("a share of %.4f was lost, want 0.125", share)
	}
}

// TestFullQueues: packets that do not fit are trimmed and reported at once, or dropped and detected by
// the time-out.
func TestFullQueues(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Queue: 10, KMin: 1000, KMax: 1000}
	for i := range 8 {
		s.Workload.Flows = append(s.Workload.Flows, nettest.Message(64+i, 0, 1<<18))
	}
	var told, silent uniform
	trimmed := execute(t, s, &told, shrinking{})
	s.DisableTrimming = true
	dropped := execute(t, s, &silent, shrinking{})
	if trimmed.Trimmed == 0 || trimmed.Dropped != 0 || told.counts[TimedOut] != 0 {
		t.Errorf("trimming: %d trimmed, %d dropped, %d timed out", trimmed.Trimmed, trimmed.Dropped, told.counts[TimedOut])
	}
	if int64(told.counts[Nacked]) != trimmed.Trimmed || trimmed.Retransmitted != trimmed.Trimmed {
		t.Errorf("trimming: %d NACKs and %d retransmissions for %d trimmed packets", told.counts[Nacked], trimmed.Retransmitted, trimmed.Trimmed)
	}
	if dropped.Trimmed != 0 || dropped.Dropped == 0 || int64(silent.counts[TimedOut]) != dropped.Dropped {
		t.Errorf("dropping: %d trimmed, %d dropped, %d timed out", dropped.Trimmed, dropped.Dropped, silent.counts[TimedOut])
	}
	if trimmed.MaxQueue != 10 || dropped.MaxQueue != 10 {
		t.Errorf("longest queues %d and %d, want 10", trimmed.MaxQueue, dropped.MaxQueue)
	}
}

// TestAcknowledgedInGroups: with one ACK per r packets, a flow without marks gets ACKs for the first
// packet, for every r-th packet after it, and for packets whose sender asks. Nothing is sent twice.
func TestAcknowledgedInGroups(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Options: Options{AckRatio: 16, InitialWindow: 1 << 10}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 161*4086)}}}
	var u uniform
	result := execute(t, s, &u, steady{})
	// 161 packets: the first at once, then ten groups of 16. The last group ends with the packet that
	// asks.
	if got := u.counts[Good]; got != 11 {
		t.Errorf("%d ACKs, want 11", got)
	}
	if result.Sent != 161 || result.Retransmitted != 0 {
		t.Errorf("%d packets sent, %d again, want 161 and none", result.Sent, result.Retransmitted)
	}
}

// TestLostAcksHeal: later ACKs make up for ACKs lost on failed links, so that a continuing flow
// retransmits only lost packets.
func TestLostAcksHeal(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 2000*4086)}}}
	// The ACKs' ToR loses one of its four uplinks for the first half of the run.
	s.Faults = []fattree.Fault{{Ports: nettest.Uplink(s.Topology, 3, 1), End: 80_000_000}}
	var u uniform
	result := execute(t, s, &u, steady{})
	if u.counts[Good] > 1900 {
		t.Errorf("%d ACKs came back of 2000 packets although a link was dead", u.counts[Good])
	}
	if result.Retransmitted != 0 || result.Duplicates != 0 {
		t.Errorf("%d packets sent again, %d duplicates, want none", result.Retransmitted, result.Duplicates)
	}
	if result.Finished() != 1 {
		t.Error("the flow did not finish")
	}
}

// TestSlowLink: a link of half the rate carries half as much.
func TestSlowLink(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 1000*4086)}}}
	healthy := execute(t, s, new(uniform), shrinking{}).Flows[0].FCT()
	s.Faults = []fattree.Fault{{Ports: nettest.Uplink(s.Topology, 0, 0), Rate: 0.5}}
	slow := execute(t, s, new(uniform), shrinking{}).Flows[0].FCT()
	if got, want := float64(slow-healthy), 1000*83_000.0; got < 0.97*want || got > 1.03*want {
		t.Errorf("half the rate cost %.0f ps, want %.0f", got, want)
	}
}

// TestSlowHosts: hosts with a quarter of the fabric's rate send every fourth slot.
func TestSlowHosts(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16, Access: fattree.Link{Gbps: 100}}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1001*4086)}}}
	got := execute(t, s, new(uniform), steady{}).Flows[0].FCT()
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := n.BaseRTT(0) + 4*1000*n.SlotTime(); got < want || got > want+want/100 {
		t.Errorf("FCT %d ps, want %d", got, want)
	}
}

// TestAcksTakeBandwidth: if all hosts send and receive, data get the share of each link that ACKs leave:
// 4150/4214.
func TestAcksTakeBandwidth(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: nettest.Tornado(128, 1000*4086)}
	fcts := execute(t, s, new(uniform), shrinking{}).FCTs()
	if got, least := fcts[0], fattree.Picoseconds(1000*83_000*4214/4150+7_500_000); got < least {
		t.Errorf("the first flow took %d ps, want at least %d", got, least)
	}
}

// TestTriggers: flows coupled by triggers run one after the other.
func TestTriggers(t *testing.T) {
	flows := []fattree.Flow{nettest.Message(0, 15, 4086), nettest.Message(15, 0, 4086), nettest.Message(0, 15, 4086)}
	flows[0].Fires, flows[1].StartedBy = 1, 1
	flows[1].Fires, flows[2].StartedBy = 2, 2
	flows[2].Start = 1_000_000
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: flows, Triggers: []fattree.Trigger{{Kind: fattree.OneShot}, {Kind: fattree.MultiShot}}}}
	got := execute(t, s, new(uniform), steady{}).Flows
	if got[1].Start < got[0].End-83_000 || got[1].Start > got[0].End+83_000 {
		t.Errorf("the second flow started at %d ps, want with the end of the first at %d", got[1].Start, got[0].End)
	}
	if after := got[2].Start - got[1].End; after < 1_000_000-83_000 || after > 1_000_000+83_000 {
		t.Errorf("the third flow started %d ps after the second, want 1000000", after)
	}
	flows[1].Fires = fattree.NoTrigger
	if _, err := fattree.Build(s); err == nil {
		t.Error("a flow that no trigger starts was accepted")
	}
}

// TestRunsAreIndependent: a Run that was used before gives the same result as a fresh one, and other
// replicas give other results.
func TestRunsAreIndependent(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 32, Tiers: 2}, Workload: nettest.Tornado(32, 1<<18), Queue: 20, DisableTrimming: true}
	s.Faults = []fattree.Fault{
		{Ports: nettest.Cable(s.Topology, 1, 1), Start: 3_000_000, End: 20_000_000},
		{Ports: s.Topology.(Tree).Ports(topology.Part{Tier: 1, Switch: 2, WholeSwitch: true}), Rate: 0.5},
	}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	used := NewRun(n)
	var last *fattree.Result
	for replica := range uint64(3) {
		a, err := used.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(7, replica))
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewRun(n).Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(7, replica))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("replica %d: a used Run gave another result than a fresh one", replica)
		}
		if last != nil && reflect.DeepEqual(a.Flows, last.Flows) {
			t.Errorf("replicas %d and %d gave the same", replica-1, replica)
		}
		last = a
	}
}

// TestNothingAllocatedPerPacket: after a first run the number of allocations
// does not depend on the number of packets.
func TestNothingAllocatedPerPacket(t *testing.T) {
	allocations := func(s fattree.Spec, bytes int64, messages int) float64 {
		s.Topology = Tree{Hosts: 32}
		for range messages {
			s.Workload.Flows = append(s.Workload.Flows, nettest.Tornado(32, bytes).Flows...)
		}
		for i := range s.Workload.Flows {
			s.Workload.Flows[i].Connection = (1 + i%32) * (messages - 1)
		}
		n, err := fattree.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		run, b := NewRun(n), new(uniform)
		least := math.Inf(1) // least of several, since the runtime allocates now and then
		for range 5 {
			least = min(least, testing.AllocsPerRun(1, func() {
				if _, err := run.Execute(context.Background(), b, shrinking{}, fattree.NewStreams(1, 0)); err != nil {
					t.Fatal(err)
				}
			}))
		}
		return least
	}
	for _, s := range []fattree.Spec{{}, {Profile: fattree.UltraEthernet, Options: Options{AckRatio: 4}}, {Profile: fattree.UltraEthernet, Options: Options{AckRatio: 4, Sleek: true}, DisableTrimming: true}} {
		for messages := range 2 {
			if few, many := allocations(s, 1<<18, 1+messages), allocations(s, 1<<20, 1+messages); few != many || few > 10 {
				t.Errorf("%v allocations for 64 packets a flow and %v for 256, want the same few", few, many)
			}
		}
	}
}

// TestCancelled: a cancelled context ends a run.
func TestCancelled(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 32}, Workload: nettest.Tornado(32, 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewRun(n).Execute(ctx, new(uniform), steady{}, fattree.NewStreams(1, 0)); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestCoalescedEnd: with several packets per ACK no flow waits for its time-out at the end, although the
// packet that asks for an ACK may overtake others: the packet that fills the last gap is acknowledged at
// once.
func TestCoalescedEnd(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 64}, Workload: nettest.Tornado(64, 100*4086), Options: Options{AckRatio: 16, InitialWindow: 150, RTO: 5_000_000_000}}
	result := execute(t, s, new(uniform), steady{})
	if fcts := result.FCTs(); len(fcts) != 64 || fcts[63] > 60_000_000 || result.Retransmitted != 0 {
		t.Errorf("%d flows finished, the last after %d ps with %d retransmissions", len(fcts), fcts[len(fcts)-1], result.Retransmitted)
	}
}

// faulty panics at the first packet.
type faulty struct{ uniform }

func (*faulty) NextEV(int32, fattree.Picoseconds) (uint16, bool) { panic("faulty") }

// TestPanicsReachTheCaller: the caller of Execute can recover from a balancer's panic, for any number of
// goroutines.
func TestPanicsReachTheCaller(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		func() {
			defer func() {
				if v := recover(); v != "faulty" {
					t.Errorf("%d workers: recovered %v", workers, v)
				}
			}()
			r := NewRun(n)
			r.Workers(workers)
			_, err := r.Execute(context.Background(), new(faulty), steady{}, fattree.NewStreams(1, 0))
			t.Errorf("%d workers: no panic, error %v", workers, err)
		}()
	}
}
