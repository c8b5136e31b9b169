package congestion

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// two tiers of 128 hosts: base RTT 8.33712 us, so a = 416,856/150,000 = 2.77904,
// fi = 13.8952 packets, alpha = 9.142847e-7 packets per ps and eta = 0.411429.
func tornado(t *testing.T) *fattree.Network {
	t.Helper()
	w, err := traffic.Tornado(128, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const us fattree.Picoseconds = 1_000_000

// nsccBench steers one flow.
type nsccBench struct {
	t       *testing.T
	control *NSCC
	window  transport.Window
	base    fattree.Picoseconds
}

func newNSCC(t *testing.T, window float64) *nsccBench {
	n := tornado(t)
	b := &nsccBench{t: t, control: new(NSCC), window: transport.Window{Packets: window, Most: 150}, base: n.BaseRTT(0)}
	b.control.Reset(n, mc.Stream{})
	// The clocks of steps, eta and quick adapt begin with an ACK that has no other effect: marked and
	// without delay.
	b.ack(13*us, 0, 0, true)
	b.window.Packets = window
	return b
}

// ack takes in an ACK of x packets after a queueing delay.
func (b *nsccBench) ack(now, delay fattree.Picoseconds, x int32, marked bool) {
	b.control.Acknowledge(&b.window, transport.Acknowledgement{Packets: x, Marked: marked, Now: now, RTT: b.base + delay, InFlight: 40})
}

// want fails unless the window equals the hand calculation.
func (b *nsccBench) want(what string, packets float64) {
	b.t.Helper()
	if math.Abs(b.window.Packets-packets) > 1e-4 {
		b.t.Fatalf("%s: window %.6f packets, want %.6f", what, b.window.Packets, packets)
	}
}

func TestNSCCIncreases(t *testing.T) {
	b := newNSCC(t, 100)
	b.ack(14*us, 7*us, 1, false)
	b.want("one packet is less than 8000 bytes", 100)
	b.ack(15*us, 7*us, 1, false)
	b.want("above the target: 2 fi / W", 100.277904)
	b.ack(16*us, 2*us, 2, false)
	// 2 (alpha 4 us + fi) = 2 (3.657139 + 13.8952) = 35.104678, over 100.277904
	b.want("below the target: 2 (alpha (D - d) + fi) / W", 100.627978)
	b.ack(17*us, 2*us, 2, true)
	b.want("marked below the target", 100.627978)
	b.ack(26*us, 2*us, 0, true)
	b.want("eta after 12 us", 101.039407)
	b.window.Packets = 2
	b.ack(27*us, 2*us, 2, false)
	b.want("a step is at most 8000 bytes", 2+8000.0/4150)
}

func TestNSCCFastIncrease(t *testing.T) {
	b := newNSCC(t, 4)
	for i := range 2 {
		b.ack((14+fattree.Picoseconds(i))*us, us/2, 1, false)
	}
	// One step of both: 2 (alpha 5.5 us + fi) / 4 is above the largest.
	b.want("the first packets without queues", 4+8000.0/4150)
	b.window.Packets = 4
	b.control.flows[0].calm = 3.5
	b.ack(17*us, us/2, 1, false)
	b.want("more than a window without queues", 4.5)
	b.ack(18*us, us/2, 4, false)
	b.want("half of what is acknowledged", 6.5)
	b.ack(19*us, us, 1, false)
	b.ack(20*us, us/2, 1, false)
	if b.control.flows[0].rising {
		t.Error("a queue did not end the fast increase")
	}
}

func TestNSCCDecrease(t *testing.T) {
	b := newNSCC(t, 100)
	// avg = 20 us (1 - 0.9875^k): 5.937 us for k = 28 and 6.113 us for k = 29
	// ACKs, besides the one of no delay at the beginning.
	for range 28 {
		b.ack(14*us, 20*us, 0, true)
	}
	b.want("average below the target", 100)
	b.ack(14*us, 20*us, 0, true)
	avg := 20 * (1 - math.Pow(0.9875, 29))
	cut := 100 * (1 - 0.8*(avg-6)/avg)
	if math.Abs(cut-98.5202) > 1e-4 {
		t.Fatalf("the calculation gives %v", cut)
	}
	b.want("average above the target", cut)
	b.ack(15*us, 20*us, 0, true)
	b.want("not twice in an RTT", cut)
	for range 1000 {
		b.ack(15*us, 200*us, 0, true) // avg about 200 us
	}
	b.window.Packets = 100
	b.control.flows[0].periodEnd = 100 * us // no quick adapt
	b.ack(23*us, 200*us, 0, true)
	b.want("not by more than a half", 50)
}

func TestNSCCQuickAdapt(t *testing.T) {
	b := newNSCC(t, 100) // the period ends 8.337 + 6 us after 13 us
	lose := func(now fattree.Picoseconds) {
		b.control.Lose(&b.window, transport.Loss{Kind: transport.Nacked, Now: now, InFlight: 40})
	}
	b.ack(20*us, 2*us, 9, true)
	lose(27 * us)
	b.want("within the period a trimmed packet costs itself", 99)
	lose(28 * us)
	b.want("after it what arrived is the window", 9)
	// All 40 packets in flight may come back marked without effect.
	b.control.flows[0].delay = 12e6
	b.ack(29*us, 20*us, 39, true)
	b.want("marks of packets sent before", 9)
	c := newNSCC(t, 100)
	c.ack(20*us, 2*us, 19, true) // 18.75 is an eighth of the most
	c.control.Lose(&c.window, transport.Loss{Kind: transport.Nacked, Now: 28 * us})
	c.want("enough arrived", 99)
	c.control.Lose(&c.window, transport.Loss{Kind: transport.TimedOut, Now: 60 * us})
	c.want("a time-out costs a packet", 98)
}

// TestNSCCTarget: a given target replaces the target of both rule sets, and alpha follows from it by the
// authors' rules.
func TestNSCCTarget(t *testing.T) {
	n := tornado(t)
	for rules, want := range map[fattree.Profile][2]fattree.Picoseconds{
		fattree.Artifact: {6 * us, 3 * us}, fattree.UltraEthernet: {3 * n.LongestRTT() / 4, 3 * us},
	} {
		for i, given := range []fattree.Picoseconds{0, 3 * us} {
			c := NSCC{Rules: rules, Target: given}
			c.Reset(n, mc.Stream{})
			if c.target != want[i] {
				t.Errorf("rules %v, target %d ps given: %d ps, want %d", rules, given, c.target, want[i])
			}
			if alpha := 9.142847e-7 * float64(i+1); rules == fattree.Artifact && math.Abs(c.proportional/alpha-1) > 1e-4 {
				t.Errorf("target %d ps given: alpha %v packets per ps, want %v", given, c.proportional, alpha)
			}
		}
	}
}
