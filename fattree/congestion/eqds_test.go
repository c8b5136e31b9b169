package congestion

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestEQDSSender follows the credit of a flow by hand: 1.5 bandwidth-delay
// products are 625,284 bytes, 150 packets of 4150 and 2784 bytes.
func TestEQDSSender(t *testing.T) {
	c := new(EQDS)
	c.Reset(tornado(t), mc.Stream{})
	var w transport.Window
	c.Open(&w, 0)
	for sent := range 151 {
		if w.Packets == 0 {
			t.Fatalf("closed after %d packets", sent)
		}
		demand := c.Spend(&w, transport.Transmission{Left: 1000, Sharing: 1})
		// The demand is min(1000 packets, most) - credit, which is the bytes spent, in quanta of 512
		// bytes.
		if want := int32((4150*(sent+1) + 511) / 512); demand != want {
			t.Fatalf("packet %d carries demand %d, want %d", sent, demand, want)
		}
	}
	if w.Packets != 0 {
		t.Fatal("open without credit")
	}
	// -1366 bytes of credit, and pulls of 4096 each.
	c.Pulled(&w, transport.Pull{Number: 16})
	if got := c.senders[0].credit; got != -1366+2*4096 || w.Packets == 0 {
		t.Fatalf("credit %d after two pulls, window %g", got, w.Packets)
	}
	c.Pulled(&w, transport.Pull{Number: 8})
	if got := c.senders[0].credit; got != -1366+2*4096 {
		t.Fatalf("credit %d after a pull that was overtaken", got)
	}
	// Four flows share the link: a quarter of (10 packets - credit), from pull 2 on.
	if got, want := c.Spend(&w, transport.Transmission{Left: 10, Sharing: 4}), int32(16+((41500-2676)/4+511)/512); got != want {
		t.Fatalf("demand %d, want %d", got, want)
	}
}

// TestEQDSSpeculationEnds: the first feedback voids the remaining speculative credit.
func TestEQDSSpeculationEnds(t *testing.T) {
	for name, event := range map[string]func(*EQDS, *transport.Window){
		"ACK":  func(c *EQDS, w *transport.Window) { c.Acknowledge(w, transport.Acknowledgement{Packets: 1}) },
		"NACK": func(c *EQDS, w *transport.Window) { c.Lose(w, transport.Loss{Kind: transport.Nacked}) },
	} {
		c := new(EQDS)
		c.Reset(tornado(t), mc.Stream{})
		var w transport.Window
		c.Open(&w, 0)
		event(c, &w)
		if w.Packets != 0 || c.senders[0].credit != 0 {
			t.Errorf("after an %s: window %g, credit %d", name, w.Packets, c.senders[0].credit)
		}
	}
}

// TestEQDSShortFlow: a flow that ends within its speculative credit asks for no more than its bytes,
// also with its last packet, after which it has credit left.
func TestEQDSShortFlow(t *testing.T) {
	spec := fattree.Spec{
		Topology: topology.FatTree{Hosts: 16},
		Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, 20*4086, 0), fattree.NewFlow(1, 14, 1<<20, 0)}},
	}
	c := new(EQDS)
	executeControl(t, spec, c)
	if got, most := c.receivers[0].demand, int32((20*4150+511)/512); got < 1 || got > most {
		t.Errorf("the highest demand is %d quanta, want at most %d", got, most)
	}
}

// TestEQDSPacer: two flows to one host get its pulls in turn, 82.747 ns apart. After that, idle flows get
// up to 1.5 bandwidth-delay products ahead of their demand.
func TestEQDSPacer(t *testing.T) {
	w, err := traffic.Incast(128, 2, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	c := new(EQDS)
	c.Reset(n, mc.Stream{})
	c.Ask(0, 20, false, us) // 2.5 pulls
	c.Ask(1, 8, false, us)
	c.Ask(1, 8, false, us) // the demand stays
	var flows []int32
	var times []fattree.Picoseconds
	now := us
	for ; c.Granting(c.host[0]); now += 1000 {
		if p, due := c.Grant(c.host[0], now); due {
			flows, times = append(flows, p.Flow), append(times, now)
		}
	}
	if got := flows[:4]; got[0] != 0 || got[1] != 1 || got[2] != 0 || got[3] != 0 {
		t.Errorf("pulls of flows %v, want 0 1 0 0", got)
	}
	// 1221 quanta ahead: 153 pulls beyond the demand, of 8 quanta; flow 0 was 4
	// ahead already, and the one that passes the mark is the last.
	counts := [2]int{}
	for _, flow := range flows {
		counts[flow]++
	}
	if counts[0] != 3+153 || counts[1] != 1+153 {
		t.Errorf("%v pulls, want [156 154]", counts)
	}
	const pulls = 310
	if span := times[pulls-1] - times[0]; span < 309*82_747 || span > 309*82_748+1000 {
		t.Errorf("%d pulls took %d ps, want %d", pulls, span, 309*82_747)
	}
	if c.Ask(1, 8, false, now); c.Granting(c.host[0]) {
		t.Error("a demand that does not rise makes the receiver pull again")
	}
}

// TestEQDSIncast: receivers keep their link busy without queues. After the speculative windows nothing is
// trimmed, and the flows end at 0.99 of the rate. Senders are under different ToRs, so queues are only at
// the receiver, and its link sets no marks.
func TestEQDSIncast(t *testing.T) {
	const degree, bytes = 4, 4 << 20
	var w fattree.Workload
	for i := range degree {
		w.Flows = append(w.Flows, fattree.Flow{Source: fattree.Host(8 * (i + 1)), Bytes: bytes})
	}
	result := executeEQDS(t, fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	wire := float64(degree*1027) * 4150 * 8000 / 400
	last := float64(result.FCTs()[degree-1])
	if last < wire/0.995 || last > wire/0.99*1.01+float64(20*us) {
		t.Errorf("the last flow ended after %.1f us; the wire takes %.1f us", last/1e6, wire/1e6)
	}
	// Of four speculative windows, one round trip of packets and a queue fit.
	if most := int64(degree*151 - 200); result.Trimmed > most || result.Trimmed < most/2 {
		t.Errorf("%d packets were trimmed, want about the speculative ones that do not fit (%d)", result.Trimmed, most)
	}
	if result.Marked > 0 {
		t.Errorf("%d packets were marked on links without queues", result.Marked)
	}
}

// TestEQDSFindsItsReceiver: if the whole first window of a flow is lost, the flow has no credit and its
// receiver does not know of it. Its requests start it again.
func TestEQDSFindsItsReceiver(t *testing.T) {
	w := fattree.Workload{Flows: []fattree.Flow{{Source: 0, Destination: 64, Bytes: 8 << 20}}}
	tree := topology.FatTree{Hosts: 128}
	spec := fattree.Spec{Topology: tree, Workload: w}
	for uplink := range 8 {
		spec.Faults = append(spec.Faults, fattree.Fault{Ports: tree.Ports(topology.Part{Uplink: uplink}), End: 30 * us})
	}
	result := executeEQDS(t, spec)
	if result.Finished() != 1 || result.Lost == 0 {
		t.Errorf("%d flows finished, %d packets lost", result.Finished(), result.Lost)
	}
}

func executeEQDS(t *testing.T, spec fattree.Spec) *fattree.Result {
	t.Helper()
	return executeControl(t, spec, new(EQDS))
}

// executeControl does the same under any control.
func executeControl(t *testing.T, spec fattree.Spec, control transport.Control) *fattree.Result {
	t.Helper()
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := balance.NewSpraying(balance.MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	result, err := transport.NewRun(n).Execute(context.Background(), ops, control, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}
