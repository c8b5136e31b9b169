package congestion

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestRCCCSender follows the credit of a flow by hand: 1.5 bandwidth-delay products are 625,284
// bytes, and a quantum has 256.
func TestRCCCSender(t *testing.T) {
	c := new(RCCC)
	c.Reset(tornado(t), mc.Stream{})
	var w transport.Window
	c.Open(&w, 0)
	for i, want := range []int32{17, 33, 49, 65, 82} { // 4150, 8300, ... 20,750 bytes spent
		if got := c.Spend(&w, transport.Transmission{Left: 1000, Sharing: 1}); got != want {
			t.Errorf("packet %d carries demand %d, want %d", i, got, want)
		}
	}
	// The credit exceeds 100 packets, so the demand is one packet, half a packet if two flows share, or
	// none after the flow's last packet.
	for _, c2 := range []struct {
		t    transport.Transmission
		want int32
	}{{transport.Transmission{Left: 100, Sharing: 1}, 17}, {transport.Transmission{Left: 100, Sharing: 2}, 9}, {transport.Transmission{Sharing: 1}, 0}} {
		if got := c.Spend(&w, c2.t); got != c2.want {
			t.Errorf("%+v: demand %d, want %d", c2.t, got, c2.want)
		}
	}
	c.Acknowledge(&w, transport.Acknowledgement{Packets: 1})
	if w.Packets != 0 {
		t.Error("open after an ACK ended speculation")
	}
	c.Pulled(&w, transport.Pull{Number: 17}) // 4352 bytes: two packets, as credit may go negative
	c.Pulled(&w, transport.Pull{Number: 5})
	// 10 packets of which the last one is 1000 bytes short, less 202 of credit: 40,298 bytes.
	if got := c.Spend(&w, transport.Transmission{Left: 10, ShortLeft: 1000, Sharing: 1}); got != 17+158 || w.Packets == 0 {
		t.Errorf("demand %d, window %v after a pull of 17 quanta, want 175 and open", got, w.Packets)
	}
	// Then the short one itself, and 9 packets less -2948.
	if got := c.Spend(&w, transport.Transmission{Left: 9, Short: 1000, Sharing: 1}); got != 17+158 || w.Packets != 0 {
		t.Errorf("demand %d, window %v after the credit is spent, want 175 and closed", got, w.Packets)
	}
}

// rcccIncast returns RCCC in a network in which two flows go to a host.
func rcccIncast(t *testing.T) (c *RCCC, host fattree.Host) {
	t.Helper()
	w, err := traffic.Incast(128, 2, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	c = new(RCCC)
	c.Reset(n, mc.Stream{})
	_, host = n.Pair(0)
	return c, host
}

// TestRCCCPacer: a pull grants up to 64 quanta but no more than the demand. The next pull follows 5171 ps
// later for each granted quantum, in the slot in which it is due; a pull that grants nothing takes the
// time of four quanta. All pulls of the host take the EVs in turn.
func TestRCCCPacer(t *testing.T) {
	c, host := rcccIncast(t)
	const slot, quantum = 83_000, 5171
	c.Ask(0, 100, false, us)
	c.Ask(1, 10, false, us)
	next := us
	grant := func(flow, number, quanta int32, ev uint16) {
		t.Helper()
		if _, due := c.Grant(host, next-slot); due {
			t.Fatalf("EV %d: a pull came a slot early", ev)
		}
		p, due := c.Grant(host, next-slot+1)
		if want := (transport.Pull{Flow: flow, Number: number, EV: ev}); !due || p != want {
			t.Fatalf("%+v, due %v, want %+v", p, due, want)
		}
		next += fattree.Picoseconds(quanta) * quantum
	}
	grant(0, 64, 64, 1)
	grant(1, 10, 10, 2)
	grant(0, 100, 36, 3)
	// Nobody has unmet demand: flows come in the order in which their demand was met.
	grant(1, 74, 64, 4)
	grant(0, 164, 64, 5)
	c.Ask(0, 100, false, next) // the demand stays
	grant(1, 138, 64, 6)
	c.Ask(1, 9, true, next) // a trimmed packet asks, but nothing is missing
	grant(1, 138, 4, 7)
	c.Ask(1, 150, false, next)
	grant(1, 150, 12, 8)
	grant(0, 228, 64, 9)
	for ev := uint16(10); ev <= 200; ev++ {
		p, due := c.Grant(host, next)
		if !due || p.EV != ev%128 {
			t.Fatalf("%+v, due %v, want EV %d", p, due, ev%128)
		}
		if next += 64 * quantum; !c.Granting(host) {
			// 2442 quanta ahead: 39 pulls each; flow 1 met its demand three times, for which it gets two more.
			want := []int32{100 + 39*64, 150 + (39+2)*64}
			if got := []int32{c.receivers[0].granted, c.receivers[1].granted}; !slices.Equal(got, want) {
				t.Errorf("granted %v, want %v", got, want)
			}
			return
		}
	}
	t.Error("grants without end")
}

// TestRCCCKeepsTheDiameter: flows within a ToR also have the bandwidth-delay product of the whole
// network.
func TestRCCCKeepsTheDiameter(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{
		fattree.NewFlow(0, 1, 1000, 0), fattree.NewFlow(0, 15, 1000, 0),
	}}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	rccc, eqds := new(RCCC), new(EQDS)
	rccc.Reset(n, mc.Stream{})
	eqds.Reset(n, mc.Stream{})
	if near, far := rccc.senders[0].most, rccc.senders[1].most; near != far || eqds.senders[0].most >= far || eqds.senders[1].most != far {
		t.Errorf("at most %d and %d bytes under RCCC, %d and %d under EQDS", near, far, eqds.senders[0].most, eqds.senders[1].most)
	}
}

// halving is a window control that takes half of every window.
type halving struct{ None }

func (halving) Acknowledge(w *transport.Window, _ transport.Acknowledgement) { w.Packets /= 2 }

// TestWindowedRCCC: a packet needs credit and room in the window, which moves whether or not there
// is credit, and bounds the demand.
func TestWindowedRCCC(t *testing.T) {
	c := &WindowedRCCC{Sender: halving{}}
	c.Reset(tornado(t), mc.Stream{})
	w := transport.Window{Packets: 64, Most: 150}
	want := func(what string, packets float64) {
		t.Helper()
		if w.Packets != packets {
			t.Errorf("%s: window %v, want %v", what, w.Packets, packets)
		}
	}
	c.Open(&w, 0)
	want("speculating", 64)
	c.Acknowledge(&w, transport.Acknowledgement{})
	want("no credit", 0)
	c.Acknowledge(&w, transport.Acknowledgement{})
	c.Pulled(&w, transport.Pull{Number: 17})
	want("credit", 16)
	// 17 packets less 202 bytes of credit, beyond 17 quanta.
	if got := c.Spend(&w, transport.Transmission{Left: 1000, Sharing: 1}); got != 17+275 {
		t.Errorf("demand %d, want 292", got)
	}
	want("202 bytes of credit", 16)
	c.Spend(&w, transport.Transmission{Left: 1000, Sharing: 1})
	want("credit spent", 0)
	c.Lose(&w, transport.Loss{Kind: transport.TimedOut})
	want("a time-out gives no credit", 0)
	if (&WindowedRCCC{Sender: new(NSCC)}).Traits().IgnoresRTTs || !(&WindowedRCCC{Sender: DCTCP{}}).Traits().IgnoresRTTs || !new(RCCC).Traits().IgnoresRTTs {
		t.Error("RTTs are measured for others than the control of windows")
	}
}

// ultra returns the network of [tornado] by the rules of Ultra Ethernet.
func ultra(t *testing.T) fattree.Spec {
	spec := tornado(t).Spec()
	spec.Profile, spec.Options = fattree.UltraEthernet, transport.Options{AckRatio: 4}
	return spec
}

// TestWindowsDoNotBindOnPermutations: if nothing is lost, flows end at the same picosecond with RCCC
// alone and with windows of NSCC in addition.
func TestWindowsDoNotBindOnPermutations(t *testing.T) {
	credit, both := executeControl(t, ultra(t), new(RCCC)), executeControl(t, ultra(t), new(WindowedRCCC))
	if !slices.Equal(credit.FCTs(), both.FCTs()) || credit.Trimmed != 0 {
		t.Errorf("the last of %d flows ends after %d ps and %d ps, %d packets trimmed", len(both.Flows), credit.FCTs()[127], both.FCTs()[127], credit.Trimmed)
	}
}

// TestRCCCIncast: 4 MiB from each of 4 hosts keep the receiver's links busy at 0.99 of their rate,
// and only packets of the first windows are trimmed. The senders' ToRs are apart, so that queues are at
// the receiver, whose links set no marks, with and without windows.
func TestRCCCIncast(t *testing.T) {
	spec := ultra(t)
	spec.Workload = fattree.Workload{}
	const degree, bytes = 4, 4 << 20
	for i := range degree {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(8*(i+1)), 0, bytes, 0))
	}
	tree := spec.Topology.(topology.FatTree)
	for planes, top := range []fattree.Topology{tree, topology.Planes{Tree: tree, Planes: 2}} {
		spec.Topology = top
		for _, c := range []transport.Control{new(RCCC), new(WindowedRCCC)} {
			result := executeControl(t, spec, c)
			wire := float64(degree*1027) * 83_000 / float64(1+planes)
			if last := float64(result.FCTs()[degree-1]); last < wire/0.995 || last > wire/0.99*1.01+float64(20*us) {
				t.Errorf("%T, %T: the last flow ended after %.1f us; the wire takes %.1f us", c, top, last/1e6, wire/1e6)
			}
			if most := int64(degree*151 - 200); result.Trimmed > most || result.Trimmed < most/2 && planes == 0 {
				t.Errorf("%T, %T: %d packets were trimmed, want about the speculative ones that do not fit (%d)", c, top, result.Trimmed, most)
			}
			if result.Marked > 0 {
				t.Errorf("%T, %T: %d packets were marked on links without queues", c, top, result.Marked)
			}
		}
	}
}

// TestRCCCOversubscribed: with four hosts per uplink, receivers that watch the network have at most
// half as many packets trimmed; without oversubscription they change nothing.
func TestRCCCOversubscribed(t *testing.T) {
	spec := ultra(t)
	full := executeControl(t, spec, &RCCC{Adaptive: true})
	if plain := executeControl(t, spec, new(RCCC)); !slices.Equal(full.FCTs(), plain.FCTs()) {
		t.Error("receivers adapt to a network without oversubscription")
	}
	tree := topology.FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2}
	spec.Topology = tree
	without, with := executeControl(t, spec, new(RCCC)), executeControl(t, spec, &RCCC{Adaptive: true})
	if with.Trimmed > without.Trimmed/2 {
		t.Errorf("%d packets trimmed, %d without", with.Trimmed, without.Trimmed)
	}
	for _, c := range []struct {
		control RCCC
		want    float64
	}{{RCCC{}, 0}, {RCCC{LeastRate: 0.01}, 0}, {RCCC{Adaptive: true}, 0.225}, {RCCC{Adaptive: true, LeastRate: 0.01}, 0.01}} {
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.control.leastRate(n); got != c.want {
			t.Errorf("%+v: rates of %v at least, want %v", c.control, got, c.want)
		}
	}
}
