package transport

import (
	"context"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestReportsHaveNumbers: reports of ACKs that a header cannot number are refused, where there are any.
func TestReportsHaveNumbers(t *testing.T) {
	near, far := fattree.Link{LatencyNs: 100_000}, fattree.Link{LatencyNs: 1_000_000} // the host links are most of the memory
	for ratio, refused := range map[int]bool{1: false, 2: true} {
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 1 << 15, HostsPerToR: 1 << 8, UplinksPerToR: 1, Access: near, Fabric: far},
			Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 1, 1)}}, Options: Options{AckRatio: ratio},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewRun(n).Execute(context.Background(), new(uniform), steady{}, fattree.NewStreams(1, 0))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "Hosts (32768) must be fewer, or latencies lower") {
			t.Errorf("%d packets per ACK: error %v", ratio, err)
		}
	}
}

// TestLimitsOfOptions: options at their limits are accepted, and refused by name beyond them.
func TestLimitsOfOptions(t *testing.T) {
	const slot = 83_000
	for _, c := range []struct {
		name                   string
		set                    func(o *Options, value int64)
		below, least, most, up int64
	}{
		{"InitialWindow", func(o *Options, v int64) { o.InitialWindow = int(v) }, -1, 1, 1 << 20, 1<<20 + 1},
		{"AckRatio", func(o *Options, v int64) { o.AckRatio = int(v) }, -1, 1, 64, 65},
		{"AckRatio", func(o *Options, v int64) { o.AckRatio = int(v) }, NoAckRatio - 1, NoAckRatio, NoAckRatio, NoAckRatio + 1},
		{"RTO", func(o *Options, v int64) { o.RTO = fattree.Picoseconds(v) }, slot - 1, slot, slot << 22, slot<<22 + 1},
	} {
		validate := func(value int64) error {
			var o Options
			c.set(&o, value)
			return nettest.Refused(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1000), Options: o})
		}
		for _, good := range []int64{c.least, c.most} {
			if err := validate(good); err != nil {
				t.Errorf("%s %d: %v", c.name, good, err)
			}
		}
		for _, bad := range []int64{c.below, c.up} {
			if err := validate(bad); err == nil || !strings.Contains(err.Error(), "transport: "+c.name) {
				t.Errorf("%s %d: error %v, want one that names it", c.name, bad, err)
			}
		}
	}
}

// TestDefaultsAreChecked: a default time-out that is too long is refused by a run, although no option is given.
func TestDefaultsAreChecked(t *testing.T) {
	slow := fattree.Link{Gbps: 4}
	n, err := fattree.Build(fattree.Spec{
		Topology: Tree{Hosts: 4, Fabric: slow}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 1)}},
		Queue: 1 << 16, Horizon: 1_000_000_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewRun(n).Execute(context.Background(), new(uniform), steady{}, fattree.NewStreams(1, 0))
	if err == nil || !strings.Contains(err.Error(), "transport: RTO (") {
		t.Errorf("error %v, want one that names the RTO", err)
	}
}

// TestArtifactDefaults pins the authors' time-out, and the window of the longest path.
func TestArtifactDefaults(t *testing.T) {
	s := nettest.Plan(fattree.Spec{Topology: Tree{Hosts: 128}}).Spec()
	o := OptionsOf(nettest.Plan(s))
	if o.RTO != 41_537_120 || o.InitialWindow != 0 || o.AckRatio != 1 || LongestWindow(nettest.Plan(s)) != 151 {
		t.Errorf("%+v, window %d", o, LongestWindow(nettest.Plan(s)))
	}
}

// TestUltraDefaults pins the defaults under UltraEthernet: 16,384 bytes for each ACK, six queues and 15
// us, and the largest ratio of a receiver where packets are so short that it takes more of them. A round
// trip of 200-byte packets is 8,021 ns or 2,005.3 packets.
func TestUltraDefaults(t *testing.T) {
	for mtu, want := range map[int]Options{
		4150: {InitialWindow: 151, AckRatio: 4, RTO: 15_000_000 + 6*101*83_000},
		9216: {InitialWindow: 72, AckRatio: 2, RTO: 15_000_000 + 6*48*184_320},
		4096: {InitialWindow: 153, AckRatio: 4, RTO: 15_000_000 + 6*102*81_920}, // four packets are 16,384 bytes
		256:  {InitialWindow: 2352, AckRatio: 64, RTO: 15_000_000 + 6*1568*5_120},
		200:  {InitialWindow: 3008, AckRatio: 64, RTO: 15_000_000 + 6*2006*4_000},
	} {
		s := nettest.Plan(fattree.Spec{Topology: Tree{Hosts: 128}, Profile: fattree.UltraEthernet, MTU: mtu, Workload: nettest.Tornado(128, 1)}).Spec()
		if o := OptionsOf(nettest.Plan(s)); o != want {
			t.Errorf("MTU %d: %+v, want %+v", mtu, o, want)
		}
		if s.Options = want; nettest.Refused(s) != nil {
			t.Errorf("MTU %d: the defaults are refused: %v", mtu, nettest.Refused(s))
		}
	}
}

// TestMRCDefaults: a time-out is 131.072 us times the least power of 2 that is enough for the longest
// round trip and four full queues.
func TestMRCDefaults(t *testing.T) {
	for queue, want := range map[int]fattree.Picoseconds{25: 131_072_000, 369: 131_072_000, 370: 262_144_000, 1000: 524_288_000} {
		s := nettest.Plan(fattree.Spec{Topology: Tree{Hosts: 128}, Profile: fattree.MRC, Queue: queue, Workload: nettest.Tornado(128, 1)}).Spec()
		if o := OptionsOf(nettest.Plan(s)); o.RTO != want || o.AckRatio != 1 || o.InitialWindow != 151 {
			t.Errorf("queues of %d: %+v, want a time-out of %d ps", queue, o, want)
		}
	}
}

// TestPauses: senders pause from BurstOn after the beginning of a burst on, and no longer when the next
// one begins.
func TestPauses(t *testing.T) {
	o := Options{BurstOn: 20, BurstOff: 30}
	for now := range fattree.Picoseconds(200) {
		if want := now%50 >= 20; o.Pauses(now) != want || new(Options).Pauses(now) {
			t.Errorf("at %d ps: pauses %v, want %v", now, !want, want)
		}
	}
}

// TestLimitsOfBursts: a burst lasts a slot to 2^50 ps, and a pause up to 100 bursts.
func TestLimitsOfBursts(t *testing.T) {
	for _, c := range []struct {
		on, off fattree.Picoseconds
		taken   bool
	}{{83_000, 1, true}, {82_999, 1, false}, {83_000, 0, false}, {0, 1, false}, {83_000, 100 * 83_000, true}, {83_000, 101 * 83_000, false}, {1 << 50, 1, true}, {1<<50 + 1, 1, false}} {
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1), Options: Options{BurstOn: c.on, BurstOff: c.off}}
		if err := nettest.Refused(s); (err == nil) != c.taken {
			t.Errorf("bursts of %d ps and pauses of %d: error %v", c.on, c.off, err)
		}
	}
}

// TestSteadyAckRatio: within a ToR 51 packets fill a round trip, and the other 24 of a window of 75 may
// wait for an ACK; a smaller window leaves fewer.
func TestSteadyAckRatio(t *testing.T) {
	for window, want := range map[int]int{0: 24, 1000: 24, 70: -31, 110: 9, 125: 24} { // 101 packets fill the longest path
		s := nettest.Plan(fattree.Spec{Topology: Tree{Hosts: 128}, Workload: nettest.Tornado(128, 1), Options: Options{InitialWindow: window}}).Spec()
		if got := SteadyAckRatio(nettest.Plan(s)); got != want {
			t.Errorf("window %d: %d packets for an ACK, want %d", window, got, want)
		}
	}
}
