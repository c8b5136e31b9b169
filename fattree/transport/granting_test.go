package transport

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/mc"
)

// clerk is a Granter that lets a flow send a packet for each pull, grants a pull for each packet that
// asked, and records everything. No two packets have the same demand.
type clerk struct {
	steady
	first   float64 // packets that a flow may send before it needs pulls
	credit  map[int32]float64
	spent   []Transmission // by demand
	asked   map[int32]int  // how often, by demand
	headers int            // number that headers of trimmed packets asked
	due     map[fattree.Host][]Pull
	to      []fattree.Host  // by flow: its destination
	pulls   map[int32]int32 // pulls sent, by flow
	pulled  map[Pull]int
	opened  []int32
}

func (c *clerk) Traits() ControlTraits { return ControlTraits{Granter: c} }

func (c *clerk) Reset(n *fattree.Network, _ mc.Stream) {
	*c = clerk{first: c.first, due: map[fattree.Host][]Pull{}, credit: map[int32]float64{}, asked: map[int32]int{}, pulls: map[int32]int32{}, pulled: map[Pull]int{}}
	for flow := range int32(n.Flows()) {
		_, to := n.Pair(flow)
		c.to = append(c.to, to)
	}
}
func (c *clerk) gate(w *Window, flow int32) {
	w.Packets = 0
	if c.credit[flow] > 0 {
		w.Packets = 1 << 20
	}
}
func (c *clerk) Open(w *Window, flow int32) {
	c.opened = append(c.opened, flow)
	c.credit[flow] = c.first
	c.gate(w, flow)
}
func (c *clerk) Spend(w *Window, t Transmission) int32 {
	c.spent = append(c.spent, t)
	c.credit[t.Flow]--
	c.gate(w, t.Flow)
	return int32(len(c.spent) - 1)
}
func (c *clerk) Ask(flow, demand int32, headerOnly bool, _ fattree.Picoseconds) {
	if c.spent[demand].Flow != flow {
		panic("another flow's demand")
	}
	c.asked[demand]++
	if headerOnly {
		c.headers++
	}
	c.pulls[flow]++
	to := c.to[flow]
	c.due[to] = append(c.due[to], Pull{Flow: flow, Number: c.pulls[flow], EV: uint16(7 * c.pulls[flow])})
}
func (c *clerk) Grant(host fattree.Host, _ fattree.Picoseconds) (p Pull, due bool) {
	list := c.due[host]
	if len(list) == 0 {
		return p, false
	}
	c.due[host] = list[1:]
	return list[0], true
}
func (c *clerk) Granting(host fattree.Host) bool { return len(c.due[host]) > 0 }
func (c *clerk) Pulled(w *Window, p Pull) {
	c.pulled[p]++
	c.credit[p.Flow]++
	c.gate(w, p.Flow)
}

// TestGranterAlone: in a flow alone, every packet asks once with its demand and with the right number of
// packets left. Each pull arrives once, as it was sent. Sending stops while there is no credit: with n
// packets of credit a round trip carries n packets.
func TestGranterAlone(t *testing.T) {
	const packets = 40
	for _, first := range []float64{1, 4} {
		c := &clerk{first: first}
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, packets*4086)}}}
		r := execute(t, s, new(uniform), c)
		if r.Finished() != 1 || r.Sent != packets || len(c.spent) != packets || len(c.opened) != 1 || c.headers != 0 {
			t.Fatalf("%d flows finished, %d packets sent, %d spent, %d opened, %d headers", r.Finished(), r.Sent, len(c.spent), len(c.opened), c.headers)
		}
		for demand, sent := range c.spent {
			if want := (Transmission{Flow: 0, Left: int32(packets - 1 - demand), Sharing: 1}); sent != want {
				t.Errorf("packet %d: %+v, want %+v", demand, sent, want)
			}
			if c.asked[int32(demand)] != 1 {
				t.Errorf("packet %d asked %d times", demand, c.asked[int32(demand)])
			}
		}
		for p, times := range c.pulled {
			if times != 1 || p.EV != uint16(7*p.Number) || p.Number < 1 || p.Number > packets {
				t.Errorf("pull %+v came %d times", p, times)
			}
		}
		// The pulls of the last packets come after the flow's end.
		if got := len(c.pulled); got < packets-int(first)-1 || got > packets {
			t.Errorf("%d pulls came, want one a packet up to the end", got)
		}
		rounds := fattree.Picoseconds(packets / int(first))
		if fct, least := r.Flows[0].FCT(), rounds*8_337_120; fct < least-rounds*2*83_000 || fct > least+rounds*5*83_000 {
			t.Errorf("%v packets of credit: the flow took %d ps, want %d round trips", first, fct, rounds)
		}
	}
}

// TestGranterSharing: each packet is told how many flows wait for its host's
// link.
func TestGranterSharing(t *testing.T) {
	const packets, k = 5, 3
	for _, doubles := range []bool{false, true} {
		c := &clerk{first: packets}
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Options: Options{Slips: Slips{DoubleTurns: doubles}}}
		for i := range k {
			s.Workload.Flows = append(s.Workload.Flows, nettest.Message(0, 4+4*i, packets*4086))
		}
		execute(t, s, new(uniform), c)
		for demand, sent := range c.spent {
			// In the last turn the flow itself has no more packets, and neither have the flows before it.
			want := int32(k)
			if turn := demand / k; turn == packets-1 {
				want = int32(k - demand%k)
			}
			if sent.Sharing != want || sent.Flow != int32(demand%k) {
				t.Errorf("packet %d, double turns %v: %+v, want flow %d and %d that share", demand, doubles, sent, demand%k, want)
			}
		}
	}
}

// TestGranterLosses: the header of a trimmed packet asks in its place, ports to hosts set no marks, and
// every retransmitted packet asks again. If all packets of a flow without credit are lost, requests start
// it again.
func TestGranterLosses(t *testing.T) {
	c := &clerk{first: 60}
	s := fattree.Spec{Topology: Tree{Hosts: 64}, Queue: 20, KMin: 15, KMax: 16}
	for i := range 6 {
		s.Workload.Flows = append(s.Workload.Flows, nettest.Message(8+8*i, 0, 100*4086))
	}
	r := execute(t, s, new(uniform), c)
	if r.Finished() != 6 || r.Trimmed == 0 || int64(c.headers) != r.Trimmed {
		t.Errorf("%d flows finished, %d packets trimmed, %d headers asked", r.Finished(), r.Trimmed, c.headers)
	}
	if asked := len(c.asked); asked != len(c.spent) || r.Sent != int64(asked) {
		t.Errorf("%d packets sent, %d spent, %d asked", r.Sent, len(c.spent), asked)
	}
	if r.Marked != 0 {
		t.Errorf("%d marks", r.Marked)
	}
	left := map[int32]int32{}
	for demand, sent := range c.spent {
		if before, ok := left[sent.Flow]; ok && sent.Left < before-1 {
			t.Errorf("packet %d: %d left after %d", demand, sent.Left, before)
		}
		left[sent.Flow] = sent.Left
	}
	for flow, last := range left {
		if last != 0 {
			t.Errorf("flow %d: %d packets left after the last", flow, last)
		}
	}

	dead := &clerk{first: 10}
	s = fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 30*4086)}}}
	for number := range 4 {
		s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), End: 100_000_000})
	}
	r = execute(t, s, new(uniform), dead)
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	// Ten packets and the requests at each time-out are lost until the cables are repaired.
	rto := OptionsOn(n).RTO
	if f := r.Flows[0]; f.End < 100_000_000 || f.End > 100_000_000+2*rto+30*n.BaseRTT(0) || r.Lost != 10 || dead.headers == 0 {
		t.Errorf("ended at %d ps, %d packets lost, %d requests arrived", f.End, r.Lost, dead.headers)
	}
	if dead.asked[9] == 0 {
		t.Error("the first request does not have the demand of the packet sent last")
	}
}

// losing is a clerk that loses its first pull.
type losing struct{ clerk }

func (l *losing) Traits() ControlTraits { return ControlTraits{Granter: l} }

func (c *losing) Ask(flow, demand int32, headerOnly bool, now fattree.Picoseconds) {
	c.clerk.Ask(flow, demand, headerOnly, now)
	if c.headers == 1 {
		clear(c.due)
	}
}

// TestAnsweredRequests: by the rules of Ultra Ethernet a request that arrived is repeated only after 32
// RTOs, which then recovers a lost pull. By the artifact's rules it is repeated after one RTO.
func TestAnsweredRequests(t *testing.T) {
	for transport, rtos := range map[fattree.Profile]fattree.Picoseconds{fattree.Artifact: 1, fattree.UltraEthernet: 32} {
		c := &losing{clerk{first: 10}}
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 10*4086)}}, Profile: transport, Options: Options{RTO: 60_000_000}}
		for number := range 4 {
			s.Faults = append(s.Faults, fattree.Fault{Ports: nettest.Uplink(s.Topology, 0, number), End: 30_000_000})
		}
		r := execute(t, s, new(uniform), c)
		// The request is sent when the packets have timed out, and the next request after the request's
		// own time.
		if begin, end := (1+rtos)*OptionsOf(nettest.Plan(s)).RTO, r.Flows[0].End; end < begin || end > begin+2*OptionsOf(nettest.Plan(s)).RTO {
			t.Errorf("transport %d: the flow ends at %d ps, want %d to %d", transport, end, begin, begin+2*OptionsOf(nettest.Plan(s)).RTO)
		}
	}
}

// speculator is a clerk that counts the packets sent before the first ACK.
type speculator struct {
	clerk
	sent int
}

func (s *speculator) Traits() ControlTraits { return ControlTraits{Granter: s} }

func (s *speculator) Acknowledge(*Window, Acknowledgement) {
	if s.sent == 0 {
		s.sent = len(s.spent)
	}
}

// TestGranterBeforeTheFirstACK: a round trip of 8.337 us begins with 101 packets of 83 ns; the last one
// leaves 37 ns before the ACK arrives. In whole slots there is one packet less.
func TestGranterBeforeTheFirstACK(t *testing.T) {
	for transport, want := range map[fattree.Profile]int{fattree.Artifact: 100, fattree.UltraEthernet: 101} {
		c := &speculator{clerk: clerk{first: 1000}}
		execute(t, fattree.Spec{Topology: Tree{Hosts: 16}, Profile: transport, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}}}, new(uniform), c)
		if c.sent != want {
			t.Errorf("transport %d: %d packets before the first ACK, want %d", transport, c.sent, want)
		}
	}
}

// cramped is a clerk with a congestion control that sets the window to a fixed size.
type cramped struct {
	clerk
	size float64
}

func (c *cramped) Traits() ControlTraits { return ControlTraits{Granter: c} }

func (c *cramped) Acknowledge(w *Window, _ Acknowledgement) { w.Packets = c.size }

// TestGranterIsHeldToItsWindow: a Granter's window may be 0 or at least 1; other values panic.
func TestGranterIsHeldToItsWindow(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 3*4086)}}}
	for _, size := range []float64{0, 1, 1e9, 0.5, -1, math.NaN()} {
		got := panicOf(func() { execute(t, s, new(uniform), &cramped{clerk{first: 3}, size}) })
		want := ""
		if size != 0 && !(size >= 1) {
			want = fmt.Sprintf("transport: *transport.cramped sets the window of flow 0 to %v packets, must be 0 or at least 1", size)
		}
		if got != want {
			t.Errorf("window %v: panics %q, want %q", size, got, want)
		}
	}
}

// wishful is a clerk with demands beyond all bounds.
type wishful struct {
	clerk
	demand int32
}

func (w *wishful) Traits() ControlTraits { return ControlTraits{Granter: w} }

func (w *wishful) Spend(window *Window, t Transmission) int32 {
	w.clerk.Spend(window, t)
	return w.demand
}

// TestDemandsAreBounded: a demand that does not fit into a packet panics.
func TestDemandsAreBounded(t *testing.T) {
	for _, demand := range []int32{-1, 1 << 29} {
		func() {
			defer func() {
				if wrong := fmt.Sprint(recover()); !strings.Contains(wrong, fmt.Sprintf("returns demand %d of flow 0", demand)) {
					t.Errorf("demand %d: %s", demand, wrong)
				}
			}()
			execute(t, fattree.Spec{Topology: Tree{Hosts: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 1000)}}}, new(uniform), &wishful{clerk{first: 1}, demand})
		}()
	}
}

// TestRequestsForPulls: a flow requests a pull if it has no credit and a lost packet waits, once at a time.
func TestRequestsForPulls(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 10*4086)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		window    float64
		lost      int32
		requested bool
		want      int // requests
	}{{0, 1, false, 1}, {0, 0, false, 0}, {1, 1, false, 0}, {math.Inf(1), 1, false, 0}, {0, 1, true, 0}} {
		run := NewRun(n)
		run.Begin(new(uniform), &clerk{first: 10}, fattree.NewStreams(1, 0))
		h := run.hosts.(*flows).tiles[0]
		f := &h.senders[0]
		f.window.Packets, f.lost, h.grants.requested[0] = c.window, c.lost, c.requested
		timers := len(h.agenda.Heap)
		h.requestPull(0, f)
		if got := len(h.agenda.Heap) - timers; got != c.want || h.grants.requested[0] != (c.requested || c.want == 1) {
			t.Errorf("%+v: %d requests", c, got)
		}
	}
}
