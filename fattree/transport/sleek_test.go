package transport

import (
	"fmt"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// lossy is a message on a path that corrupts packets, which only a time-out of 5 ms or SLEEK detects.
func lossy(packets int64, spoilt float64) fattree.Spec {
	return fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, packets*4086)}}, Options: Options{AckRatio: 4, RTO: 5_000_000_000},
		Errors: []fattree.Corruption{{PerCable: spoilt}}, Profile: fattree.UltraEthernet, DisableTrimming: true,
	}
}

// TestSleekRecovers: with SLEEK no flow waits for its time-out, whether packets are lost in the middle of
// the flow or at its end, where only probes detect it. SLEEK needs a first ACK.
func TestSleekRecovers(t *testing.T) {
	for _, packets := range []int64{40, 400} {
		s, probes, late := lossy(packets, 0.02), int64(0), 0
		for seed := range uint64(40) {
			Change(&s, func(o *Options) { o.Sleek = true })
			with := executeSeed(t, s, seed)
			Change(&s, func(o *Options) { o.Sleek = false })
			without := executeSeed(t, s, seed)
			probes += with.Probes
			if without.Probes != 0 || without.Retransmitted > 0 && without.Flows[0].FCT() < OptionsOf(nettest.Plan(s)).RTO {
				t.Fatalf("seed %d: %d packets, FCT %d ps without SLEEK", seed, packets, without.Flows[0].FCT())
			}
			if with.Flows[0].FCT() > OptionsOf(nettest.Plan(s)).RTO {
				late++
			}
		}
		if late > 0 || probes == 0 {
			t.Errorf("%d packets: %d of 40 flows waited for a time-out, with %d probes", packets, late, probes)
		}
	}
}

// executeSeed runs a spec with a seed.
func executeSeed(t *testing.T, s fattree.Spec, seed uint64) *fattree.Result {
	t.Helper()
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := NewRun(n).Execute(t.Context(), new(uniform), steady{}, fattree.NewStreams(seed, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestSleekSteps: the threshold, the packets declared lost and the end of a recovery, by hand. The flow
// has sent 60 of 100 packets, of which 10 have arrived without a gap, in a window of 20 packets or
// 20 x 4150/4086 = 20.31 segments. 1.5 times as much is 30.47.
func TestSleekSteps(t *testing.T) {
	s := lossy(100, 0)
	Change(&s, func(o *Options) { o.Sleek = true })
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	type state struct {
		recovering  bool
		until, mark int32
		lost        int32
	}
	for _, c := range []struct {
		name   string
		before state
		ahead  int32
		probed bool
		want   state
	}{
		{"29 ahead", state{}, 29, false, state{}},
		{"30 ahead", state{}, 30, false, state{true, 60, 30, 19}},
		{"a probe", state{mark: 40}, 0, true, state{true, 60, 30, 19}},
		{"a packet waits", state{lost: 1}, 40, false, state{lost: 1}},
		{"in a recovery", state{true, 55, 25, 1}, 0, false, state{true, 55, 30, 6}},
		{"to its end", state{true, 27, 25, 0}, 0, false, state{true, 27, 27, 2}},
		{"ended", state{true, 10, 25, 0}, 0, false, state{false, 10, 25, 0}},
		{"ended, and another", state{true, 10, 25, 0}, 30, false, state{true, 60, 30, 5}},
	} {
		run := NewRun(n)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		t0 := run.hosts.(*flows).tiles[0]
		f, r := &t0.senders[0], &t0.sleek.flows[0]
		*f = sender{window: Window{Packets: 20, Most: 150}, total: 100, next: 60, complete: 10, recovering: c.before.recovering, lost: c.before.lost}
		t0.groups[0].acked = 1 << 11
		r.until, r.mark = c.before.until, c.before.mark
		t0.recover(0, f, 0, c.ahead, c.probed)
		if got := (state{f.recovering, r.until, r.mark, f.lost}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSleekLeavesANumber: probes carry the highest number that a packet can have, so that a flow with
// SLEEK has one packet fewer at most.
func TestSleekLeavesANumber(t *testing.T) {
	for packets, refused := range map[int64]bool{fattree.MaxPacketsPerFlow - 1: false, fattree.MaxPacketsPerFlow: true} {
		s := lossy(packets, 0)
		if err := nettest.Refused(s); err != nil {
			t.Fatal(err)
		}
		Change(&s, func(o *Options) { o.Sleek = true })
		if err := nettest.Refused(s); (err != nil) != refused {
			t.Errorf("%d packets: error %v", packets, err)
		}
	}
}

// TestSleekNeedsItsTransport: SLEEK without UltraEthernet, or with trimming, is refused.
func TestSleekNeedsItsTransport(t *testing.T) {
	for i, spoil := range []func(*fattree.Spec){func(s *fattree.Spec) { s.Profile = fattree.Artifact }, func(s *fattree.Spec) { s.DisableTrimming = false }} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := lossy(10, 0)
			Change(&s, func(o *Options) { o.Sleek = true })
			if err := nettest.Refused(s); err != nil {
				t.Fatal(err)
			}
			if spoil(&s); nettest.Refused(s) == nil {
				t.Error("not refused")
			}
		})
	}
}

// TestLateProbe: the answer to the last probe begins a recovery if it comes less than D after the least RTT R. An
// answer to an earlier probe, or on a way that is too short for its RTT, begins none.
func TestLateProbe(t *testing.T) {
	s := lossy(100, 0)
	Change(&s, func(o *Options) { o.Sleek = true })
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		late fattree.Picoseconds // the RTT less R and D
		ev   uint16              // of the answer; the last probe has 7
		want bool
	}{{"in time", -1, 7, true}, {"late", 0, 7, false}, {"of an earlier probe", -1, 8, false}} {
		run := NewRun(n)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		h := run.hosts.(*flows).tiles[0]
		f, r := &h.senders[0], &h.sleek.flows[0]
		*f = sender{window: Window{Packets: 20, Most: 150}, total: 100, next: 60}
		h.Slot = 1000
		rtt := 600 * h.slotTime
		r.sent, r.ev, r.base = 400, 7, rtt-h.sleek.target-c.late
		h.receiveProbed(fattree.Crossing{Packet: fattree.NewPacket(0, probePSN, c.ev), Note: fattree.NewNote(0, 0)})
		if f.recovering != c.want {
			t.Errorf("%s: in a recovery: %v", c.name, f.recovering)
		}
	}
}

// TestSleekCountsConnections: the packets of a connection count together, and flows without one each by itself.
func TestSleekCountsConnections(t *testing.T) {
	const half = int64(fattree.MaxPacketsPerFlow / 2)
	for _, c := range []struct {
		connections [3]int
		refused     bool
	}{{[3]int{}, false}, {[3]int{1, 2, 3}, false}, {[3]int{1, 0, 0}, false}, {[3]int{1, 1, 0}, true}, {[3]int{1, 0, 1}, true}, {[3]int{2, 0, 0}, false}} {
		s := lossy(half, 0)
		Change(&s, func(o *Options) { o.Sleek = true })
		s.Workload.Flows = nil
		for _, connection := range c.connections {
			f := nettest.Message(0, 15, half*4086)
			f.Connection = connection
			s.Workload.Flows = append(s.Workload.Flows, f)
		}
		if err := nettest.Refused(s); (err != nil) != c.refused {
			t.Errorf("connections %v: error %v", c.connections, err)
		}
	}
}
