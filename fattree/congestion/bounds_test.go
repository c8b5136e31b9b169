package congestion

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestDCTCP: the three rules of the window by hand, and its bounds.
func TestDCTCP(t *testing.T) {
	for _, c := range []struct {
		name    string
		window  float64
		event   func(w *transport.Window)
		packets float64
	}{
		{name: "unmarked", window: 8, event: func(w *transport.Window) { DCTCP{}.Acknowledge(w, transport.Acknowledgement{Packets: 4}) }, packets: 8.5},
		{name: "unmarked at most", window: 9.9, event: func(w *transport.Window) { DCTCP{}.Acknowledge(w, transport.Acknowledgement{Packets: 4}) }, packets: 10},
		{name: "marked", window: 8, event: func(w *transport.Window) { DCTCP{}.Acknowledge(w, transport.Acknowledgement{Packets: 4, Marked: true}) }, packets: 7},
		{name: "marked at least", window: 1.5, event: func(w *transport.Window) { DCTCP{}.Acknowledge(w, transport.Acknowledgement{Packets: 4, Marked: true}) }, packets: 1},
		{name: "lost", window: 8, event: func(w *transport.Window) { DCTCP{}.Lose(w, transport.Loss{}) }, packets: 7},
		{name: "lost at least", window: 1.5, event: func(w *transport.Window) { DCTCP{}.Lose(w, transport.Loss{}) }, packets: 1},
		{name: "none", window: 8, event: func(w *transport.Window) {
			None{}.Acknowledge(w, transport.Acknowledgement{Packets: 4, Marked: true})
			None{}.Lose(w, transport.Loss{})
		}, packets: 8},
	} {
		w := transport.Window{Packets: c.window, Most: 10}
		if c.event(&w); w.Packets != c.packets || w.Most != 10 {
			t.Errorf("%s: from %v to %+v, want %v", c.name, c.window, w, c.packets)
		}
	}
}

// TestEQDSDemandIsRoundedUp: to whole quanta of 512 bytes.
func TestEQDSDemandIsRoundedUp(t *testing.T) {
	for _, c := range []struct {
		credit int64 // before the packet of 4150 bytes
		left   int32
		want   int32
	}{
		{4150 + 27, 10, 82}, {4150 + 28, 10, 81}, {4150 + 29, 10, 81}, // 41,500 bytes less the credit; 81 quanta are 41,472
		{4150 + 41_500 - 1, 10, 1}, {4150 + 41_500, 10, 0}, {4150, 0, 0}, {4149, 0, 1},
	} {
		e := new(EQDS)
		e.Reset(tornado(t), mc.Stream{})
		e.senders[0] = creditSender{credit: c.credit, most: 1 << 20}
		var w transport.Window
		if got := e.Spend(&w, transport.Transmission{Left: c.left, Sharing: 1}); got != c.want {
			t.Errorf("credit %d, %d packets left: a demand of %d quanta, want %d", c.credit, c.left, got, c.want)
		}
		if open := w.Packets > 0; open != (c.credit > 4150) {
			t.Errorf("credit %d: open after the packet is %v", c.credit, open)
		}
	}
	// During speculation a flow with packets left asks for at least one packet.
	for left, want := range map[int32]int32{0: 0, 1: 9} {
		e := new(EQDS)
		e.Reset(tornado(t), mc.Stream{})
		e.senders[0].credit = 41_500
		e.senders[0].most = 41_500
		var w transport.Window
		if got := e.Spend(&w, transport.Transmission{Left: left, Sharing: 1}); got != want && left > 0 || left == 0 && got > 0 {
			t.Errorf("%d packets left: a demand of %d quanta, want %d", left, got, want)
		}
	}
}

// TestEQDSCreditIsBounded: pulls let a flow send as long as it has credit. The credit is at most 1.5
// bandwidth-delay products, and each pull counts once.
func TestEQDSCreditIsBounded(t *testing.T) {
	e := new(EQDS)
	e.Reset(tornado(t), mc.Stream{})
	var w transport.Window
	e.Open(&w, 0)
	e.Lose(&w, transport.Loss{Kind: transport.TimedOut})
	if w.Packets == 0 || e.senders[0].credit == 0 {
		t.Error("a time-out ended speculation")
	}
	e.Pulled(&w, transport.Pull{Number: 0})
	if w.Packets != 0 {
		t.Error("open although speculation ended and nothing was granted")
	}
	e.Pulled(&w, transport.Pull{Number: 8})
	e.Pulled(&w, transport.Pull{Number: 8})
	if got := e.senders[0].credit; got != 4096 {
		t.Errorf("credit %d after one pull that came twice, want 4096", got)
	}
	e.Pulled(&w, transport.Pull{Number: 8000})
	if got, want := e.senders[0].credit, e.senders[0].most; got != want || w.Packets == 0 {
		t.Errorf("credit %d after many pulls, want %d", got, want)
	}
}

// TestEQDSPullsGoRound: pulls take 128 EVs in turn, two pulls of a receiver are one interval apart, and a
// pull is sent exactly when it is due.
func TestEQDSPullsGoRound(t *testing.T) {
	e := new(EQDS)
	e.Reset(tornado(t), mc.Stream{})
	e.Ask(0, 8*300, false, us)
	host := e.host[0]
	if _, due := e.Grant(host, us-1); due {
		t.Fatal("a pull before anything was asked for")
	}
	for i := range 300 {
		p, due := e.Grant(host, us+fattree.Picoseconds(i)*e.time)
		if !due || p.Number != 8*int32(i+1) || int(p.EV) != (i+1)%128 {
			t.Fatalf("pull %d: %+v", i+1, p)
		}
		if _, early := e.Grant(host, us+fattree.Picoseconds(i+1)*e.time-1); early {
			t.Fatalf("pull %d came early", i+2)
		}
	}
}

// TestNSCCMoments: periods include their last moment, and thresholds include their value.
func TestNSCCMoments(t *testing.T) {
	b := newNSCC(t, 100) // its clocks begin at 13 us
	b.ack(25*us, 6*us, 1, false)
	b.want("12 us are not over: no step, no eta", 100)
	b.ack(25*us+1, 6*us, 1, false)
	b.want("over: 2 fi / W and eta", 100+2*13.8952/100+0.411429)
	b.control.flows[0].delay = 6e6
	before := b.window.Packets
	b.ack(26*us, 6*us, 0, true)
	b.want("an average delay of the target", before)
	// A delay of 1 us does not count as small.
	c := newNSCC(t, 100)
	c.control.flows[0].calm = 200
	c.ack(14*us, us, 1, false)
	c.want("1 us", 100)
	c.control.flows[0].calm = 99
	c.ack(14*us, us-1, 1, false)
	if c.control.flows[0].rising {
		t.Error("rises after no more than a window")
	}
	c.ack(14*us, us-1, 1, false)
	if !c.control.flows[0].rising {
		t.Error("does not rise after more than a window")
	}
}

// TestNSCCCutsOncePerRTT: a second cut comes only after a full unloaded RTT, not at its last moment.
func TestNSCCCutsOncePerRTT(t *testing.T) {
	b := newNSCC(t, 100)
	f := &b.control.flows[0]
	f.periodEnd = 1000 * us // no quick adapt
	f.delay = 12e6
	b.ack(14*us, 12*us, 0, true)
	b.want("a cut by 0.8 of a half", 60)
	b.ack(14*us+b.base, 12*us, 0, true)
	b.want("the last moment", 60)
	b.ack(14*us+b.base+1, 12*us, 0, true)
	b.want("after it", 36)
}

// TestNSCCAdaptsToDelay: quick adapt also takes an average delay above 24 us as congestion, if less than
// an eighth of the largest window arrived and the window is larger than that.
func TestNSCCAdaptsToDelay(t *testing.T) {
	for _, c := range []struct {
		name     string
		delay    float64 // average, ps
		achieved float64
		window   float64
		now      fattree.Picoseconds
		adapts   bool
	}{
		{"above 24 us", 24e6 + 1e3, 5, 100, 30 * us, true},
		{"24 us", 24e6, 5, 100, 30 * us, false},
		{"within the period", 30e6, 5, 100, 13*us + 8_337_120 + 6*us, false},
		{"after the period", 30e6, 5, 100, 13*us + 8_337_120 + 6*us + 1, true},
		{"enough", 30e6, 150. / 8, 100, 30 * us, false},
		{"just too little", 30e6, 150./8 - 1e-6, 100, 30 * us, true},
		{"a small window", 30e6, 5, 4.9, 30 * us, false},
		{"a window of what came", 30e6, 5, 5, 30 * us, true},
		{"next to nothing", 30e6, 0.1, 100, 30 * us, true},
	} {
		b := newNSCC(t, c.window)
		f := &b.control.flows[0]
		f.delay, f.achieved = c.delay, c.achieved
		if got := b.control.quickAdapt(&b.window, f, c.now, 40, 0, false); got != c.adapts {
			t.Errorf("%s: adapts %v", c.name, got)
		} else if want := math.Max(1, c.achieved); got && b.window.Packets != want {
			t.Errorf("%s: window %v, want %v", c.name, b.window.Packets, want)
		} else if got && (f.toIgnore != 40 || f.ignored != 0) {
			t.Errorf("%s: %v of %v ignored, want 0 of 40", c.name, f.ignored, f.toIgnore)
		}
	}
}

// TestNSCCObserves: a sample enters the moving average with weight 1/80. For an unmarked packet above the
// target the sample is a quarter of the unloaded RTT, which is the least RTT that was seen.
func TestNSCCObserves(t *testing.T) {
	const base = 8 * us
	for _, c := range []struct {
		rtt    fattree.Picoseconds
		marked bool
		want   float64 // of the average, from 10 us on
		delay  fattree.Picoseconds
		base   fattree.Picoseconds
	}{
		{base + 14*us, true, 10e6 + 4e6/80, 14 * us, base},
		{base + 6*us, false, 10e6 - 4e6/80, 6 * us, base},
		{base + 6*us + 1, false, 10e6 - 8e6/80, 6*us + 1, base},
		{base - us, false, 10e6 - 10e6/80, 0, base - us},
	} {
		f, w, control := nsccFlow{base: base, delay: 10e6}, transport.Window{}, NSCC{target: 6 * us}
		control.note(&w, &f, c.rtt)
		if got := control.observe(&f, c.rtt, c.marked); got != c.delay || f.base != c.base || math.Abs(f.delay-c.want) > 1e-3 {
			t.Errorf("RTT %d, marked %v: delay %d, average %.1f, base %d, want %d, %.1f, %d", c.rtt, c.marked, got, f.delay, f.base, c.delay, c.want, c.base)
		}
	}
}

// TestNSCCBegins: before its first period of quick adapt a flow's window shrinks only by trimmed packets,
// however little has arrived.
func TestNSCCBegins(t *testing.T) {
	c := new(NSCC)
	c.Reset(tornado(t), mc.Stream{})
	w := transport.Window{Packets: 100, Most: 150}
	c.Lose(&w, transport.Loss{Kind: transport.Nacked, Now: 10 * us})
	if w.Packets != 99 {
		t.Errorf("window %v after the first packet was trimmed, want 99", w.Packets)
	}
}
