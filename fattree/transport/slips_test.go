package transport

import (
	"math"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestRequestsLeak: two packets of a window meet a failed link again and again. Without requests one
// packet is sent per RTO, since the window is 1. The first lost request enlarges the window, so that
// there is room for both.
func TestRequestsLeak(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 2}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 2, 1<<20)}}, Options: Options{InitialWindow: 2, RTO: 20_000_000}}
	s.Faults = []fattree.Fault{{Ports: nettest.Uplink(s.Topology, 0, 0)}} // uplink 0, which all packets take
	s.Choose = func(int32, uint16, int) int { return 0 }
	s.Horizon = 2_010_000_000
	const rtos = 100
	patient := execute(t, s, new(uniform), shrinking{})
	Change(&s, func(o *Options) { o.RequestsForRetransmission = true })
	asking := execute(t, s, new(uniform), shrinking{})
	if patient.Sent < rtos || patient.Sent > rtos+2 {
		t.Errorf("%d packets sent in %d RTOs without requests, want one in each", patient.Sent, rtos)
	}
	if asking.Sent < 2*rtos-6 || asking.Sent > 2*rtos+2 {
		t.Errorf("%d packets sent in %d RTOs with requests, want two in each", asking.Sent, rtos)
	}
}

// TestRequestsOnAHealthyNetwork: nothing times out, so nothing changes.
func TestRequestsOnAHealthyNetwork(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18)}
	want := execute(t, s, new(uniform), shrinking{})
	s.Options = Options{Slips: Slips{RequestsForRetransmission: true, DoubleTurns: true}}
	if got := execute(t, s, new(uniform), shrinking{}); got.Slots != want.Slots || got.Sent != want.Sent {
		t.Errorf("%d slots and %d packets, without requests %d and %d", got.Slots, got.Sent, want.Slots, want.Sent)
	}
}

// TestRequestsPause: a flow without room sends one request per RTO. By the rules of UltraEthernet it
// sends one per RTT across the network, and none while another lost packet waits.
func TestRequestsPause(t *testing.T) {
	const now, rtt = 10_000, 100 // slots: 8.337 us
	for _, c := range []struct {
		transport fattree.Profile
		lost      int32
		ago       int32 // slots since the last request, or 0
		asks      bool
	}{
		{fattree.Artifact, 0, 0, false}, {fattree.Artifact, 1, 0, true}, {fattree.Artifact, 2, 0, true}, {fattree.Artifact, 1, rtt, false}, {fattree.Artifact, 1, 1000, true}, {fattree.Artifact, 1, 999, false},
		{fattree.UltraEthernet, 0, 0, false}, {fattree.UltraEthernet, 1, 0, true}, {fattree.UltraEthernet, 2, 0, false}, {fattree.UltraEthernet, 1, rtt, true}, {fattree.UltraEthernet, 1, rtt - 1, false},
	} {
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}},
			Profile: c.transport, Options: Options{RTO: 1000 * 83_000, Slips: Slips{RequestsForRetransmission: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun(n)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		host := run.hosts.(*flows).tiles[0]
		host.Counts, host.Slot = new(fattree.Counts), now
		f, q := &run.hosts.(*flows).senders[0], &run.hosts.(*flows).requests.flows[0]
		*f = sender{window: Window{Packets: 1, Most: 150}, inFlight: 1, total: 257, next: 9, lost: c.lost}
		if c.ago > 0 {
			q.sent = now - c.ago
		}
		if host.askToResend(0, f); (q.open == 1) != c.asks {
			t.Errorf("%+v: %d requests", c, q.open)
		}
	}
}

// TestAnswerOvertaken: all packets of a flow have arrived, and the flow awaits the answer to a request. A
// duplicate's ACK that reports the request ends it, since the answer can be late or lost.
func TestAnswerOvertaken(t *testing.T) {
	later := nettest.Message(0, 15, 1<<20)
	later.Start = 50_000_000 // after this test, which plays the flow by hand
	n, err := fattree.Build(fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{later}}, Options: Options{AckRatio: 4, Slips: Slips{RequestsForRetransmission: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(n)
	run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
	run.Step()
	host := run.hosts.(*flows).tiles[0]
	run.hosts.(*flows).senders[0] = sender{window: Window{Packets: 1, Most: 150}, received: 257, total: 257, next: 257}
	q := &run.hosts.(*flows).requests.flows[0]
	q.open, q.all = 1, []sentRequest{{sent: 9000, next: 257}}
	ack := fattree.Crossing{Packet: fattree.NewPacket(0, 256, 7)}
	run.hosts.(*flows).reports[0] = report{received: 257, complete: 257}
	ended := func() int {
		host.receiveAck(ack)
		run.Step()
		return 1 - run.Unfinished()
	}
	if ended() != 0 {
		t.Error("the flow has ended without its request")
	}
	run.hosts.(*flows).requests.reported[0] = heardRequests{all: 1}
	if count := ended(); count != 1 {
		t.Errorf("%d flows ended", count)
	}
	if ended() != 1 {
		t.Error("the flow has ended twice")
	}
}

// TestRequestTimesOut: the time-out of a request is feedback about its EV, by the rules of UltraEthernet
// about EV 0.
func TestRequestTimesOut(t *testing.T) {
	for transport, want := range map[fattree.Profile]uint16{fattree.Artifact: 7, fattree.UltraEthernet: 0} {
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}},
			Profile: transport, DisableTrimming: true, Options: Options{Slips: Slips{RequestsForRetransmission: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		run, told := NewRun(n), new(listener)
		run.Begin(told, steady{}, fattree.NewStreams(1, 0))
		host := run.hosts.(*flows).tiles[0]
		host.Counts, host.Slot = new(fattree.Counts), 10_000
		run.hosts.(*flows).senders[0] = sender{window: Window{Packets: 1, Most: 150}, inFlight: 1, total: 257, next: 9}
		q := &run.hosts.(*flows).requests.flows[0]
		q.open, q.all = 1, []sentRequest{{sent: 9000, ev: 7, next: 9}}
		if host.expireRequest(0, 0, &run.hosts.(*flows).senders[0]); len(told.heard) != 1 || told.heard[0].Kind != TimedOut || told.heard[0].EV != want {
			t.Errorf("transport %d: feedback %+v, want a time-out of EV %d", transport, told.heard, want)
		}
	}
}

// askingHost returns the host and the flow of a run with requests, in a window of 10 packets with 5 in
// flight. The flow has one request, of a size of 64/4150 packets.
func askingHost(t *testing.T, request sentRequest) (h *hosts, f *sender, q *requestState) {
	t.Helper()
	n, err := fattree.Build(fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}}, Options: Options{Slips: Slips{RequestsForRetransmission: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(n)
	run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
	all := run.hosts.(*flows)
	h, f, q = all.tiles[0], &all.senders[0], &all.requests.flows[0]
	h.Counts, h.Slot = new(fattree.Counts), 10_000
	*f = sender{window: Window{Packets: 10, Most: 150}, inFlight: 5, total: 257, next: 9}
	q.open, q.all = 1, []sentRequest{request}
	return h, f, q
}

// TestSizeOfTheLeak: a request that is lost takes its size from the window, at most down to one packet,
// and leaks its size into it. Sent again it takes the size back, and once that transmission has arrived
// it leaks again.
func TestSizeOfTheLeak(t *testing.T) {
	const size = 64. / 4150
	for _, c := range []struct {
		name            string
		do              func(h *hosts, f *sender)
		request         sentRequest
		window, leaked  float64 // before
		wants, leakedBy float64
	}{
		{"lost", func(h *hosts, f *sender) { h.expireRequest(0, 0, f) }, sentRequest{sent: 9000, next: 9}, 10, 0, 10, size},
		{"lost with a leak", func(h *hosts, f *sender) { h.expireRequest(0, 0, f) }, sentRequest{sent: 9000, next: 9}, 10, 0.5, 10, size},
		{"lost in the least window", func(h *hosts, f *sender) { h.expireRequest(0, 0, f) }, sentRequest{sent: 9000, next: 9}, 1.5, 0.5, 1.5 + size, size},
		{"sent again", func(h *hosts, f *sender) { h.resendRequest(0, f) }, sentRequest{sent: 9000, next: 9, lost: true}, 10, 0.5, 10 - size, -size},
		{"arrived at once", func(h *hosts, f *sender) { h.requests.confirm(0, f, 0) }, sentRequest{sent: 9000, next: 9}, 10, 0.5, 10, 0},
		{"arrived after all", func(h *hosts, f *sender) { h.requests.confirm(0, f, 0) }, sentRequest{sent: 9000, next: 9, lost: true}, 10, 0.5, 10, 0},
		{"arrived again", func(h *hosts, f *sender) { h.requests.confirm(0, f, 0) }, sentRequest{sent: 9000, next: 9, again: true}, 10, 0.5, 10 + size, size},
		{"arrived twice", func(h *hosts, f *sender) { h.requests.confirm(0, f, 0) }, sentRequest{sent: 9000, next: 9, again: true, confirmed: true}, 10, 0.5, 10, 0},
	} {
		h, f, q := askingHost(t, c.request)
		f.window.Packets, q.leaked = c.window, c.leaked
		if c.request.lost {
			q.lost, f.lost = 1, 1
		}
		c.do(h, f)
		if math.Abs(f.window.Packets-c.wants) > 1e-12 || math.Abs(q.leaked-c.leaked-c.leakedBy) > 1e-12 {
			t.Errorf("%s: the window is %v with a leak of %v, want %v and %v", c.name, f.window.Packets, q.leaked, c.wants, c.leaked+c.leakedBy)
		}
	}
}

// TestTurnOfARequest: a lost request goes ahead of lost packets from the next new one of its time on, and
// behind those below.
func TestTurnOfARequest(t *testing.T) {
	for psn, first := range map[int32]bool{7: false, 8: false, 9: true, 10: true} {
		h, f, q := askingHost(t, sentRequest{sent: 9000, next: 9, lost: true})
		f.next, q.lost, f.lost = 20, 1, 2
		h.groups[f.first].lost = 1 << uint32(psn)
		if h.resendRequest(0, f) != first {
			t.Errorf("packet %d is lost too: the request goes first: %v", psn, !first)
		}
	}
}

// listener is a balancer that keeps its feedback.
type listener struct {
	uniform
	heard []Feedback
}

func (l *listener) Feedback(f Feedback) { l.heard = append(l.heard, f) }

// TestHeard: heard requests with numbers in any order, and a number that is too far ahead.
func TestHeard(t *testing.T) {
	var h heardRequests
	for _, number := range []int32{0, 2, 64, 65, 1, 3, 66} {
		h.add(number)
	}
	arrived := map[int32]bool{0: true, 3: true, 4: false, 63: false, 64: true, 65: false, 66: true, 200: false}
	for number, want := range arrived {
		if h.has(number) != want {
			t.Errorf("request %d: heard is %v, want %v", number, !want, want)
		}
	}
}

// TestDoubleTurns: two flows of a host may always send. The flow that loses packets ends last, since the
// other has half of the link. With double turns it has more than half and ends first.
func TestDoubleTurns(t *testing.T) {
	s := fattree.Spec{
		Topology: Tree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 2}, DisableTrimming: true, Options: Options{InitialWindow: 1000},
		Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 4, 8<<20), nettest.Message(0, 5, 8<<20)}},
		Choose:   func(flow int32, _ uint16, ports int) int { return int(flow) % ports },
		Faults:   []fattree.Fault{{Ports: nettest.Uplink(Tree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 2}, 0, 0), End: 10_000_000}}, // the uplink of flow 0
	}
	fair := execute(t, s, new(pinned), steady{})
	Change(&s, func(o *Options) { o.DoubleTurns = true })
	unfair := execute(t, s, new(pinned), steady{})
	if a, b := fair.Flows[0].FCT(), fair.Flows[1].FCT(); a <= b {
		t.Errorf("flow 0 ends after %d ps, before flow 1, %d ps, that loses nothing", a, b)
	}
	if a, b := unfair.Flows[0].FCT(), unfair.Flows[1].FCT(); a >= b {
		t.Errorf("with double turns flow 0 ends after %d ps, not before flow 1, %d ps", a, b)
	}
	if s.Profile = fattree.UltraEthernet; nettest.Refused(s) == nil {
		t.Error("double turns with UltraEthernet are not refused")
	}
}

// TestErrorsCountACKs: 2rh/(1+rh) of the packets that pass 3 switches are corrupted, and a third of that
// for packets that pass one switch. About 34,000 and 11,000 packets are sent, so 6.11 standard errors of
// the shares are 0.0078 and 0.0082 (false alarms: 2 in 10^9).
func TestErrorsCountACKs(t *testing.T) {
	const rate = 0.01
	for _, c := range []struct {
		destination func(i int) int
		switches    float64
		most        float64
	}{
		{func(i int) int { return (i + 64) % 128 }, 3, 0.0078},
		{func(i int) int { return i ^ 1 }, 1, 0.0082},
	} {
		for _, errors := range []fattree.Corruption{{PerCable: rate, CountACKs: true}, {PerSwitch: rate, CountACKs: true}} {
			s := fattree.Spec{Topology: Tree{Hosts: 128}, Errors: []fattree.Corruption{errors}}
			hosts := 128
			if c.switches == 1 {
				hosts = 42
			}
			for i := range hosts {
				s.Workload.Flows = append(s.Workload.Flows, nettest.Message(i, c.destination(i), 1<<20))
			}
			r := execute(t, s, new(uniform), shrinking{})
			want := 2 * rate * c.switches / (1 + rate*c.switches)
			if share := float64(r.Corrupted) / float64(r.Sent); math.Abs(share-want) > c.most {
				t.Errorf("%+v, %v switches: a share of %.4f was corrupted, want %.4f", errors, c.switches, share, want)
			}
		}
	}
	one := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: nettest.Tornado(128, 1000), Errors: []fattree.Corruption{{PerSwitch: 0.34, CountACKs: true}}}
	if nettest.Refused(one) == nil {
		t.Error("a rate at which no packet arrives was not refused")
	}
}

// TestRequestsAreNoRetransmissions: requests that are lost are sent again in the turns of packets, but only data
// packets count as sent and retransmitted: the difference is the flow's packets.
func TestRequestsAreNoRetransmissions(t *testing.T) {
	s := fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}},
		DisableTrimming: true, Options: Options{InitialWindow: 20, Slips: Slips{RequestsForRetransmission: true}},
	}
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), Start: 1_000_000, End: 200_000_000})
	}
	r := execute(t, s, new(uniform), shrinking{})
	if packets := nettest.Plan(s).Spec().Packets(1 << 20); r.Finished() != 1 || r.Requests < 2 || r.Sent-r.Retransmitted != packets {
		t.Errorf("%d flows finished, %d requests, %d packets sent of which %d again; want 1, several, and %d packets sent first", r.Finished(), r.Requests, r.Sent, r.Retransmitted, packets)
	}
}

// TestSubflowsSendNoRequests: a flow with subflows has no EV for requests, so the option changes nothing.
func TestSubflowsSendNoRequests(t *testing.T) {
	s := fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}}, Options: Options{InitialWindow: 20},
		Choose: func(_ int32, ev uint16, ports int) int { return int(ev) % ports },
	}
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), End: 10_000_000})
	}
	want := execute(t, s, &cutting{parts: 2}, forgetful{})
	Change(&s, func(o *Options) { o.RequestsForRetransmission = true })
	if got := execute(t, s, &cutting{parts: 2}, forgetful{}); !reflect.DeepEqual(got, want) || want.Lost == 0 {
		t.Errorf("%d sent in %d slots, without requests %d in %d", got.Sent, got.Slots, want.Sent, want.Slots)
	}
}
