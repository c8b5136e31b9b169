package balance

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// part is a balancer with fixed answers.
type part struct {
	transport.Balancer
	looks, probes bool
	asked         int
}

func (p *part) Reset(*fattree.Network, mc.Stream) {}
func (p *part) Traits() transport.Traits {
	t := transport.Traits{IgnoresRTTs: !p.looks}
	if p.probes {
		t.Probe = p.Probe
	}
	return t
}
func (p *part) Probe(int32, fattree.Picoseconds) (uint16, bool) {
	p.asked++
	return 9, true
}

// silent is a balancer without traits.
type silent struct{ transport.Balancer }

func (silent) Reset(*fattree.Network, mc.Stream) {}
func (silent) Traits() transport.Traits          { return transport.Traits{} }

// mixedOf returns the Mixed of two balancers that are not routers.
func mixedOf(t *testing.T, main, background transport.Balancer) *mixed {
	t.Helper()
	m, ok := NewMixed(main, background).(*mixed)
	if !ok {
		t.Fatal("a Mixed of balancers that are no routers is a router")
	}
	return m
}

// TestMixedAnswers: a Mixed looks at RTTs and probes if either balancer does. It asks each balancer only
// about its own flows, and only questions that the balancer can answer.
func TestMixedAnswers(t *testing.T) {
	w := fattree.Workload{BackgroundEvery: 2}
	for range 4 {
		w.Flows = append(w.Flows, fattree.Flow{Source: 0, Destination: 7, Bytes: 1})
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	for bits := range 4 {
		a, b := bits&1 == 1, bits>>1 == 1
		main, background := &part{looks: a, probes: b}, &part{looks: b, probes: a}
		m := mixedOf(t, main, background)
		m.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
		if got := !m.Traits().IgnoresRTTs; got != (a || b) {
			t.Errorf("main %v, background %v: measures %v", a, b, got)
		}
		if got := m.Traits().Probe != nil; got != (a || b) {
			t.Errorf("main %v, background %v: probes %v", b, a, got)
		}
		for flow := range int32(4) {
			_, wanted := m.probe(flow, 0)
			if want := flow%2 == 0 && a || flow%2 == 1 && b; wanted != want {
				t.Errorf("main %v, background %v: flow %d wants a probe: %v", b, a, flow, wanted)
			}
		}
		if !b && main.asked > 0 || !a && background.asked > 0 {
			t.Error("one that does not probe was asked for a probe")
		}
	}
	m := mixedOf(t, silent{}, &part{})
	m.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	_, wanted := m.probe(1, 0)
	if m.Traits().IgnoresRTTs || m.Traits().Probe != nil || wanted || m.frozen(1) || m.Traits().Splitter != nil {
		t.Error("a balancer that says nothing is taken to look at RTTs, and for nothing else")
	}
	m.inherit(3, 1)
	router := NewMixed(silent{}, NewRoundRobin()).(balancingRouter)
	router.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	if _, chosen := router.Route(fattree.Passing{Flow: 1}, fattree.Ports{}); chosen {
		t.Error("a balancer that is no router chose a port")
	}
}

// dropping returns pair's network with switches that drop.
func dropping(t *testing.T) *fattree.Network {
	t.Helper()
	s := pair(t).Spec()
	s.DisableTrimming = true
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSuspicion: if switches drop packets, a time-out counts as a failure unless, in the 80 us before, an
// RTT of 1.65 times the unloaded RTT was seen. After 80 us a new window begins.
func TestSuspicion(t *testing.T) {
	const long = rtt * 165 / 100
	for _, c := range []struct {
		name   string
		rtts   map[fattree.Picoseconds]fattree.Picoseconds // by time
		frozen bool
	}{
		{"none", nil, true},
		{"shorter", map[fattree.Picoseconds]fattree.Picoseconds{50 * us: long - 1}, true},
		{"long", map[fattree.Picoseconds]fattree.Picoseconds{50 * us: long}, false},
		{"long, then in the window's last moment", map[fattree.Picoseconds]fattree.Picoseconds{50 * us: long, 80 * us: rtt}, false},
		{"long, then in the next window", map[fattree.Picoseconds]fattree.Picoseconds{50 * us: long, 80*us + 1: rtt}, true},
		{"long in the next window", map[fattree.Picoseconds]fattree.Picoseconds{50 * us: rtt, 80*us + 1: long}, false},
	} {
		made, err := NewRecycling(Paper, reps.Config{})
		if err != nil {
			t.Fatal(err)
		}
		made.Reset(dropping(t), mc.NewStream(1, mc.Algorithm, 0))
		for now := fattree.Picoseconds(50) * us; now <= 81*us; now += us / 2 {
			for _, at := range []fattree.Picoseconds{now, now + 1} {
				if length, ok := c.rtts[at]; ok {
					made.Feedback(transport.Feedback{EV: 1, Kind: transport.Marked, Now: at, RTT: length})
				}
			}
		}
		made.Feedback(transport.Feedback{EV: 1, Kind: transport.TimedOut, Now: 90 * us})
		if got := made.Traits().Frozen(0); got != c.frozen {
			t.Errorf("%s: frozen is %v", c.name, got)
		}
	}
}

// TestFreezesAtTheGivenTime: the first packet or feedback of a flow at the given time, not only after it,
// forces the flow into freezing mode.
func TestFreezesAtTheGivenTime(t *testing.T) {
	for _, rules := range []Rules{Paper, Artifact} {
		for name, event := range map[string]func(b transport.Balancer, now fattree.Picoseconds){
			"packet": func(b transport.Balancer, now fattree.Picoseconds) { b.NextEV(0, now) },
			"ACK":    func(b transport.Balancer, now fattree.Picoseconds) { back(b, now, good) },
			"mark":   func(b transport.Balancer, now fattree.Picoseconds) { back(b, now, marked) },
			"NACK":   func(b transport.Balancer, now fattree.Picoseconds) { back(b, now, nacked) },
		} {
			for delay, want := range map[fattree.Picoseconds]bool{-1: false, 0: true, 1: true} {
				made, err := RecyclingConfig{Rules: rules, FreezeAt: 10 * us}.New()
				b := prepared(t, made, err)
				event(b, 10*us+delay)
				if got := b.Traits().Frozen(0); got != want {
					t.Errorf("%s, %s %d ps after: frozen is %v", rules, name, delay, got)
				}
			}
		}
	}
}

// TestLongRoundTrips: REPS explores for the packets of a round trip, and can count as many as there can
// be.
func TestLongRoundTrips(t *testing.T) {
	flow := fattree.Flow{Source: 0, Destination: 7, Bytes: 1 << 20}
	for latency, want := range map[float64]int{1000: 2000, 32_700: 65_400} {
		n, err := fattree.Build(fattree.Spec{
			Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4, Access: fattree.Link{LatencyNs: latency}, Fabric: fattree.Link{LatencyNs: latency}},
			MTU:      200, Workload: fattree.Workload{Flows: []fattree.Flow{flow}}, Options: transport.Options{RTO: 200 * us},
		})
		if err != nil {
			t.Fatal(err)
		}
		made, err := NewRecycling(Artifact, reps.Config{})
		if err != nil {
			t.Fatal(err)
		}
		made.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
		got := made.(*recycling[reps.Artifact, *reps.Artifact]).flows[0].state.Config().PacketsPerWindow
		if got < want || got > want+want/100 || got > 1<<16-1 {
			t.Errorf("latency %v ns: %d packets, want %d", latency, got, want)
		}
	}
}

// TestTimeLimits: rules with a time limit hold up to the limit and not beyond.
func TestTimeLimits(t *testing.T) {
	plb, err := NewPLB(MaxEVS, 0)
	play(t, prepared(t, plb, err), []step{
		{1 * us, []transport.Kind{marked}, false},      // round 1 ends: congested
		{1*us + rtt, []transport.Kind{marked}, false},  // the last moment of round 2
		{1*us + rtt + 1, []transport.Kind{good}, true}, // its end: congested, the second
		{20 * us, []transport.Kind{late}, true},        // ignores time-outs up to 60 us
		{60 * us, []transport.Kind{late}, false},       // still ignored
		{60*us + 1, []transport.Kind{late}, true},      // no longer ignored
	})
	flowlet, err := NewFlowlet(MaxEVS)
	play(t, prepared(t, flowlet, err), []step{
		{1 * us, []transport.Kind{good}, false},
		{1*us + rtt/2, nil, false},
		{1*us + rtt/2 + 1, nil, true}, // no further move up to 40 us later
		{41*us + rtt/2 + 1, nil, false},
		{41*us + rtt/2 + 2, nil, true},
	})
}
