package congestion

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// newUltra steers one flow by the rules of Ultra Ethernet. R0 = 8.33712 us, so a = 2.77904, D = 6.25284
// us, fi = 13.68091 packets, alpha = 9.120607e-7 packets per ps, eta = 0.4104273 and fast increase adds
// 0.69476. The first ACK begins the clocks, as in newNSCC.
func newUltra(t *testing.T, window float64) *nsccBench {
	n := tornado(t)
	b := &nsccBench{t: t, control: &NSCC{Rules: fattree.UltraEthernet}, base: n.LongestRTT()}
	b.window = transport.Window{Packets: window, Most: 1.5 * 8_337_120 / 83_000}
	b.control.Reset(n, mc.Stream{})
	b.ack(13*us, 0, 0, true)
	b.window.Packets = window
	return b
}

// lose takes in a NACK.
func (b *nsccBench) lose(now, rtt fattree.Picoseconds, lastHop bool) {
	b.control.Lose(&b.window, transport.Loss{Kind: transport.Nacked, Now: now, RTT: rtt, LastHop: lastHop, InFlight: 40})
}

func TestUltraIncreases(t *testing.T) {
	b := newUltra(t, 100)
	b.ack(14*us, 7*us, 8, false)
	b.want("eight packets are not more than 8", 100)
	b.ack(15*us, 7*us, 1, false)
	b.want("above the target: 9 fi / W", 101.231282)
	b.ack(16*us, 2*us, 9, false)
	// 9 alpha (D - 2 us) = 9 * 3.878848 = 34.90963, over 101.231282
	b.want("below the target: alpha (D - d) without fi", 101.576132)
	b.ack(17*us, 2*us, 9, true)
	b.want("marked below the target", 101.576132)
	b.ack(21*us, 2*us, 9, true)
	b.want("no eta within R0", 101.576132)
	b.ack(13*us+8_337_121, 2*us, 0, true)
	b.want("a step and eta after R0", 101.986559)
	b.ack(22*us, 7*us, 9, false)
	// 9 fi = 123.128190, over 101.986559
	b.want("no eta again", 103.193857)
	b.window.Packets = 2
	b.ack(23*us, 7*us, 9, false)
	b.want("a step has no bound", 2+61.564095)
}

func TestUltraFastIncrease(t *testing.T) {
	b := newUltra(t, 4)
	b.control.flows[0].calm = 3.5
	b.ack(14*us, us/2, 1, false)
	b.want("more than a window without queues", 4.69476)
	b.ack(15*us, us/2, 4, false)
	b.want("fast increase", 7.4738)
}

func TestUltraSamples(t *testing.T) {
	b := newUltra(t, 100)
	s := &b.control.flows[0]
	s.delay = 7e6
	b.control.Acknowledge(&b.window, transport.Acknowledgement{Packets: 9, Now: 14 * us, RTT: us, Unclear: true})
	b.want("d = avg = 7 us if the RTT is not sure", 101.231282)
	if s.delay != 7e6 || s.base != b.base {
		t.Errorf("average %v, base %d: an RTT that is not sure is a sample", s.delay, s.base)
	}
	b.lose(15*us, 9*us, false)
	if want := 7e6 + (8_337_120-7e6)/80; math.Abs(s.delay-want) > 1 {
		t.Errorf("average %v after a NACK, want %v", s.delay, want)
	}
	b.lose(16*us, 8*us, false)
	if most := 1.5 * 8e6 / 83_000; s.base != 8*us || b.window.Most != most {
		t.Errorf("base %d, Most %v after a NACK of 8 us, want %v", s.base, b.window.Most, most)
	}
}

func TestUltraQuickAdapt(t *testing.T) {
	b := newUltra(t, 100) // the period ends 8.337 + 6.253 us after 13 us
	b.ack(20*us, 2*us, 9, true)
	b.lose(27*us, b.base, false)
	b.want("within the period a trimmed packet costs itself", 99)
	b.lose(28*us, b.base, false)
	b.want("after it what arrived is the window", 9)
	b.lose(29*us, b.base, false)
	b.want("trims of packets sent before cost nothing", 9)
	b.control.flows[0].delay = 12e6
	b.ack(30*us, 20*us, 38, true)
	b.want("nor do their marks: 39 of 40", 9)
	b.lose(31*us, b.base, true)
	b.want("the 40th counts", 8)
	b.window.Packets = 2
	b.control.flows[0].tripped, b.control.flows[0].achieved = false, 12
	b.ack(43*us, 25_011_361, 0, false)
	b.want("a delay above 4 D adapts, and may raise the window", 12)
	c := newUltra(t, 100)
	c.ack(20*us, 2*us, 18, true)
	c.ack(28*us, 25_011_360, 0, false)
	c.want("a delay of 4 D does not: eta alone", 100.410427)
	if s := &c.control.flows[0]; s.achieved != 0 || s.periodEnd != 28*us+8_337_120+6_252_840 {
		t.Errorf("achieved %v, end of the period %d: a new period begins in any case", s.achieved, s.periodEnd)
	}
}

// TestUltraCredited: with receiver credit a trim at the last hop costs nothing, others do.
func TestUltraCredited(t *testing.T) {
	b := newUltra(t, 100)
	b.control.Credited = true
	b.lose(14*us, b.base, true)
	b.want("at the last hop", 100)
	b.lose(15*us, b.base, false)
	b.want("before", 99)
}

// TestUltraTarget: without trimming D is R0.
func TestUltraTarget(t *testing.T) {
	spec := tornado(t).Spec()
	spec.DisableTrimming = true
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := &NSCC{Rules: fattree.UltraEthernet}
	if c.Reset(n, mc.Stream{}); c.target != n.LongestRTT() {
		t.Errorf("target %d, want %d", c.target, n.LongestRTT())
	}
}
