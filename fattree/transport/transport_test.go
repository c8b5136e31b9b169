package transport

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/mc"
)

// TestAckRatioOf: the table of [UEC-htsim] for packets of 4150 bytes, on both sides of its steps. The
// counter of 16 bits holds 4150 p bytes after p packets up to p = 15, then 4150 p - 65,536 k.
func TestAckRatioOf(t *testing.T) {
	for threshold, want := range map[int]int{
		1: 1, 4000: 1, 4150: 1, 4151: 2, 8000: 2, 16384: 4, 32000: 8, 58100: 14, 62250: 15, 62251: 31, 63114: 31, 63115: 47,
		63978: 47, 63979: 63, 64000: 63, 64842: 63, 64843: NoAckRatio, 65535: NoAckRatio, 65536: NoAckRatio, math.MaxInt: NoAckRatio,
	} {
		if got := AckRatioOf(threshold, 4150); got != want {
			t.Errorf("%d bytes: an ACK for %d packets, want %d", threshold, got, want)
		}
	}
}

// learned is a balancer, and noting a congestion control, that record their feedback in a run with one
// worker.
type learned struct {
	uniform
	window   float64 // that ACKs set, if not 0
	acks     []Acknowledgement
	losses   []Loss
	feedback []Feedback // of losses
	inFlight int32      // the most packets in flight when an ACK came
}

func (l *learned) Feedback(f Feedback) {
	if len(l.feedback) < len(l.losses) {
		l.feedback = append(l.feedback, f)
	}
}

type noting struct{ *learned }

func (n noting) Reset(*fattree.Network, mc.Stream) {}

func (n noting) Traits() ControlTraits { return ControlTraits{} }

func (n noting) Acknowledge(w *Window, a Acknowledgement) {
	if n.window > 0 {
		w.Packets = n.window
	}
	n.acks = append(n.acks, a)
	n.inFlight = max(n.inFlight, a.InFlight+a.Packets)
}

func (n noting) Lose(_ *Window, l Loss) { n.losses = append(n.losses, l) }

// learn runs a spec by the rules of UltraEthernet.
func learn(t *testing.T, s fattree.Spec, window float64) (*learned, *fattree.Result) {
	l := &learned{window: window}
	s.Profile = fattree.UltraEthernet
	return l, execute(t, s, l, noting{learned: l})
}

// TestNoAckRatio: ACKs come for the first packet and for packets with which the sender asks: by the rules
// of UltraEthernet the last two of a window, and the last of the flow.
func TestNoAckRatio(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 35*4086)}}, Options: Options{InitialWindow: 10, AckRatio: NoAckRatio}}
	l, _ := learn(t, s, 0)
	var got []int32
	for _, a := range l.acks {
		got = append(got, a.Packets)
	}
	// In a window of 10, packets 8 and 9 ask, 10 when packet 0 lets it go, and 18 to 20 in the next.
	if want := []int32{1, 8, 1, 1, 8, 1, 1, 8, 1, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("ACKs of %v packets, want %v", got, want)
	}
	Change(&s, func(o *Options) { o.CarryEVs = true })
	if err := nettest.Refused(s); err == nil {
		t.Error("NoAckRatio with CarryEVs is not refused")
	}
}

// TestWholePackets: a window of 2.5 packets has room for 2 packets by the rules of UltraEthernet, and for
// 3 by the rules of the artifact. A window of 1 has room for one packet by both.
func TestWholePackets(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 40*4086)}}, Options: Options{InitialWindow: 1}}
	for window, want := range map[float64]int32{1: 1, 2: 2, 2.5: 2, 2.999: 2} {
		if l, r := learn(t, s, window); l.inFlight != want || r.Finished() != 1 {
			t.Errorf("a window of %v: %d packets in flight, want %d", window, l.inFlight, want)
		}
	}
	l := &learned{window: 2.5}
	if execute(t, s, l, noting{learned: l}); l.inFlight != 3 {
		t.Errorf("artifact: %d packets in flight in a window of 2.5, want 3", l.inFlight)
	}
}

// TestWindowsOfTheDiameter: 1.5 bandwidth-delay products across the network bound every window, also the
// initial one.
func TestWindowsOfTheDiameter(t *testing.T) {
	for initial, want := range map[int]float64{40: 40, 151: 1.5 * 8_337_120 / 83_000, 1000: 1.5 * 8_337_120 / 83_000} {
		n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 1, 4086)}}, Options: Options{InitialWindow: initial}, Profile: fattree.UltraEthernet})
		if err != nil {
			t.Fatal(err)
		}
		if got := newFlows(n).initialWindow(0); got.Packets != want || got.Most != 1.5*8_337_120/83_000 {
			t.Errorf("InitialWindow %d: %+v, want %v packets", initial, got, want)
		}
	}
}

// TestTrimsAtTheLastHop: a packet trimmed at the port to its receiver does not count against the path.
// Four hosts of the receiver's ToR overload only that port. Four hosts of another ToR also overload their
// uplinks, where packets are marked, and trimmed, first.
func TestTrimsAtTheLastHop(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources [4]int
		uplinks int
		want    [4]bool // whether losses come with feedback of the kinds Good, Marked, Nacked, TimedOut
	}{
		{"same ToR", [4]int{4, 5, 6, 7}, 4, [4]bool{true, false, false, false}},
		{"another ToR", [4]int{0, 1, 2, 3}, 2, [4]bool{true, true, true, false}},
	} {
		s := fattree.Spec{Topology: Tree{Hosts: 16, HostsPerToR: 8, UplinksPerToR: c.uplinks}, Queue: 20, KMin: 10, KMax: 20}
		for _, source := range c.sources {
			s.Workload.Flows = append(s.Workload.Flows, nettest.Message(source+len(c.sources)*2*(1-c.uplinks/4), 3, 60*4086))
		}
		l, _ := learn(t, s, 0)
		var got [4]bool
		for i, f := range l.feedback {
			got[f.Kind] = true
			if l.losses[i].LastHop != (f.Kind != Nacked) || l.losses[i].RTT == 0 {
				t.Fatalf("%s: loss %+v has feedback %+v", c.name, l.losses[i], f)
			}
		}
		if got != c.want {
			t.Errorf("%s: losses come with feedback of the kinds %v, want %v", c.name, got, c.want)
		}
		a := new(learned)
		execute(t, s, a, noting{learned: a})
		for i, f := range a.feedback {
			if f.Kind != Nacked || a.losses[i].LastHop {
				t.Fatalf("%s, artifact: loss %+v has feedback %+v", c.name, a.losses[i], f)
			}
		}
		s.Options = Options{LastHopGood: true}
		for i := range s.Workload.Flows {
			s.Workload.Flows[i].Bytes = 60 * 4096 // whole packets: headers carry notes for no other reason
		}
		good := new(learned)
		execute(t, s, good, noting{learned: good})
		got = [4]bool{}
		for i, f := range good.feedback {
			if got[f.Kind] = true; good.losses[i].LastHop || good.losses[i].Kind != Nacked {
				t.Fatalf("%s, LastHopGood: loss %+v has feedback %+v", c.name, good.losses[i], f)
			}
		}
		if got != c.want {
			t.Errorf("%s, LastHopGood: losses come with feedback of the kinds %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLastHopGoodIsRefused: where nothing is trimmed, and where the hosts do so anyway.
func TestLastHopGoodIsRefused(t *testing.T) {
	for _, change := range []func(*fattree.Spec){
		func(s *fattree.Spec) { s.DisableTrimming = true },
		func(s *fattree.Spec) { s.Profile = fattree.UltraEthernet },
		func(s *fattree.Spec) { s.Profile = fattree.MRC },
	} {
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: incast(2, 4086), Options: Options{LastHopGood: true}}
		if change(&s); !strings.Contains(fmt.Sprint(nettest.Refused(s)), "LastHopGood (true) must be false but with the transport Artifact and trimming") {
			t.Errorf("%+v: %v", s, nettest.Refused(s))
		}
	}
}

// TestTimeOutsBlameEV0: the feedback of a time-out is about EV 0, not about the EV of the packet.
func TestTimeOutsBlameEV0(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: incast(8, 60*4086), Queue: 5, DisableTrimming: true, Options: Options{RTO: 20_000_000}}
	l, _ := learn(t, s, 0)
	if len(l.feedback) == 0 {
		t.Fatal("nothing timed out")
	}
	for i, f := range l.feedback {
		if f.Kind != TimedOut || f.EV != 0 || l.losses[i].RTT != 0 || l.losses[i].LastHop {
			t.Fatalf("loss %+v has feedback %+v", l.losses[i], f)
		}
	}
}

// incast sends a message from each of the given number of hosts to host 0.
func incast(senders int, bytes int64) (w fattree.Workload) {
	for i := range senders {
		w.Flows = append(w.Flows, nettest.Message(i+1, 0, bytes))
	}
	return w
}

// TestUnclear: the RTT of an ACK is unambiguous for an outstanding packet that was never declared lost.
// If it was declared lost once, the ACK must have the EV of the last transmission and arrive late enough
// to answer it. In a flow alone all RTTs are unambiguous.
func TestUnclear(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 100*4086)}}, Profile: fattree.UltraEthernet})
	if err != nil {
		t.Fatal(err)
	}
	s := n.Spec()
	Change(&s, func(o *Options) { o.AckRatio = 4 })
	if l, _ := learn(t, s, 0); slices.ContainsFunc(l.acks, func(a Acknowledgement) bool { return a.Unclear || a.RTT == 0 }) {
		t.Errorf("alone: %+v", l.acks)
	}
	const ev, sent = 77, 1000
	whole := int32((n.Way(0).RTT - n.Way(0).Rounding) / n.SlotTime())
	for _, c := range []struct {
		name                 string
		psn, ev, after, lost int32
		acked, waits         bool
		want                 bool
	}{
		{"first transmission", 10, ev, whole, 0, false, false, false},
		{"acknowledged", 10, ev, whole, 0, true, false, true},
		{"below the cumulative count", 4, ev, whole, 0, false, false, true},
		{"waiting to be sent again", 10, ev, whole, 1, false, true, true},
		{"sent again", 10, ev, whole, 1, false, false, false},
		{"sent again, too soon", 10, ev, whole - 1, 1, false, false, true},
		{"sent again, another EV", 10, ev + 1, whole, 1, false, false, true},
		{"sent again twice", 10, ev, whole, 2, false, false, true},
	} {
		run := NewRun(n)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		t0 := run.hosts.(*flows).tiles[0]
		f := &t0.senders[0]
		*f = sender{total: 100, next: 50, complete: 5}
		t0.sent[c.psn] = sending{sent, ev}
		for range c.lost {
			t0.putUp(f, c.psn)
			if !c.waits {
				t0.nextLost(f)
			}
		}
		if c.acked {
			t0.groups[0].acked = 1 << uint32(c.psn)
		}
		t0.Slot = sent + c.after
		if got := t0.unclear(f, fattree.NewPacket(0, c.psn, uint16(c.ev))); got != c.want {
			t.Errorf("%s: unclear %v, want %v", c.name, got, c.want)
		}
	}
}

// TestUltraEthernetDefaults: the numbers that [UEC-htsim] prints for its default networks, of 2 tiers
// at 400 Gb/s and of 3 at 100 and 400, and without trimming.
func TestUltraEthernetDefaults(t *testing.T) {
	slow := fattree.Link{Gbps: 100}
	for _, c := range []struct {
		tree                              Tree
		untrimmed                         bool
		queue, kmin, kmax, window, perAck int
		rto                               fattree.Picoseconds
	}{
		{Tree{Hosts: 128}, false, 101, 21, 81, 151, 4, 65_298_000},
		{Tree{Hosts: 128}, true, 505, 21, 81, 151, 4, 266_490_000},
		{Tree{Hosts: 128, Tiers: 3, Access: slow, Fabric: slow, Core: slow}, false, 43, 9, 35, 64, 4, 100_656_000},
		{Tree{Hosts: 128, Tiers: 3}, false, 151, 31, 121, 227, 4, 90_198_000},
	} {
		s := nettest.Plan(fattree.Spec{Topology: c.tree, DisableTrimming: c.untrimmed, Profile: fattree.UltraEthernet}).Spec()
		o := OptionsOf(nettest.Plan(s))
		got, want := []int{s.Queue, s.KMin, s.KMax, o.InitialWindow, o.AckRatio}, []int{c.queue, c.kmin, c.kmax, c.window, c.perAck}
		if !slices.Equal(got, want) || o.RTO != c.rto {
			t.Errorf("%+v: %v, RTO %d; want %v, %d", c.tree, got, o.RTO, want, c.rto)
		}
		s = nettest.Plan(fattree.Spec{Topology: c.tree, Queue: 7, KMin: 1, KMax: 2, Options: Options{InitialWindow: 3, AckRatio: 5, RTO: 6e6}, Profile: fattree.UltraEthernet}).Spec()
		o = OptionsOf(nettest.Plan(s))
		if got := []int{s.Queue, s.KMin, s.KMax, o.InitialWindow, o.AckRatio, int(o.RTO)}; !slices.Equal(got, []int{7, 1, 2, 3, 5, 6e6}) {
			t.Errorf("defaults replace what is set: %v", got)
		}
	}
}

// TestSendsBetweenACKs: by the rules of UltraEthernet a host sends a packet between two ACKs of one slot.
// Otherwise there would seem to be room for two packets, and the first would not ask for an ACK.
func TestSendsBetweenACKs(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<21), Queue: 400, KMin: 400, KMax: 400, Options: Options{InitialWindow: 110, AckRatio: 4}, Profile: fattree.UltraEthernet}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	acks := map[bool]int{}
	for _, between := range []bool{true, false} {
		l, run := new(learned), NewRun(n)
		run.Begin(l, noting{learned: l}, fattree.NewStreams(1, 0))
		if !between {
			run.hosts.(*flows).early = false
		}
		for run.Unfinished() > 0 {
			run.Step()
		}
		acks[between] = len(l.acks)
	}

	if acks[true] < acks[false]*21/20 {
		t.Errorf("%d ACKs, %d if hosts take in all ACKs of a slot before they send", acks[true], acks[false])
	}
}
