package balance_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// recorder notes the first EV of each flow and lets another balancer decide.
type recorder struct {
	transport.Balancer
	first    map[int32]uint16
	recycled map[int32]bool
}

func (r *recorder) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	ev, recycled := r.Balancer.NextEV(flow, now)
	if _, known := r.first[flow]; !known {
		r.first[flow], r.recycled[flow] = ev, recycled
	}
	return ev, recycled
}

// windows notes the window of each flow at its first ACK.
type windows struct {
	congestion.DCTCP
	first map[int32]float64
	last  map[int32]float64
}

func (w *windows) Acknowledge(window *transport.Window, ack transport.Acknowledgement) {
	if _, known := w.first[ack.Flow]; !known {
		w.first[ack.Flow] = window.Packets
	}
	w.DCTCP.Acknowledge(window, ack)
	w.last[ack.Flow] = window.Packets
}

// sequels returns two flows of one pair of hosts, one after the other, and a flow of another pair.
func sequels() fattree.Workload {
	flow := func(from, to fattree.Host, start fattree.Picoseconds) fattree.Flow {
		return fattree.Flow{Source: from, Destination: to, Bytes: 300_000, Start: start}
	}
	return fattree.Workload{Flows: []fattree.Flow{flow(0, 64, 0), flow(0, 65, 100_000_000), flow(0, 64, 200_000_000)}}
}

// TestInheritance: with inheritance, the second flow of a pair begins with the window and the balancer
// state with which the first flow ended. The flow of another pair, and all flows without inheritance,
// begin afresh.
func TestInheritance(t *testing.T) {
	ecmp, _ := balance.NewECMP(65536)
	paper, _ := balance.NewRecycling(balance.Paper, reps.Config{})
	fifo, _ := balance.NewRecycling(balance.FIFO, reps.Config{})
	for _, c := range []struct {
		name              string
		balancer          transport.Balancer
		inherits, ev, old bool
	}{
		{"ecmp", ecmp, true, true, false},
		{"ecmp, fresh", ecmp, false, false, false},
		{"reps", paper, true, false, true},
		{"reps, fresh", paper, false, false, false},
		{"fifo", fifo, true, true, false}, // always begins with EV 1
		{"mixed", balance.NewMixed(paper, ecmp), true, false, true},
	} {
		n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: sequels(), Options: transport.Options{InheritConnections: c.inherits}})
		if err != nil {
			t.Fatal(err)
		}
		evs := &recorder{c.balancer, map[int32]uint16{}, map[int32]bool{}}
		control := &windows{first: map[int32]float64{}, last: map[int32]float64{}}
		run := transport.NewRun(n)
		for range 2 { // the second run must not depend on the first
			clear(evs.first)
			clear(control.first)
			if _, err := run.Execute(context.Background(), evs, control, fattree.NewStreams(1, 0)); err != nil {
				t.Fatal(err)
			}
			if same := evs.first[2] == evs.first[0]; same != c.ev {
				t.Errorf("%s: first EVs %v", c.name, evs.first)
			}
			if evs.recycled[2] != c.old || evs.recycled[0] || evs.recycled[1] {
				t.Errorf("%s: recycled at first: %v", c.name, evs.recycled)
			}
			if got := control.first[2] == control.last[0]; got != c.inherits || control.first[0] != 151 || control.first[1] != 151 {
				t.Errorf("%s: windows at the first ACK %v, at the last %v", c.name, control.first, control.last)
			}
		}
	}
}

// TestMixed: every second flow has the balancer of background traffic.
func TestMixed(t *testing.T) {
	w := sequels()
	w.BackgroundEvery = 2
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	ops, _ := balance.NewSpraying(65536)
	ecmp, _ := balance.NewECMP(65536)
	m := balance.NewMixed(ops, ecmp)
	m.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	for flow := range int32(3) {
		same := true
		first, _ := m.NextEV(flow, 0)
		for range 10 {
			ev, _ := m.NextEV(flow, 0)
			same = same && ev == first
		}
		if background := flow%2 == 0; same != background {
			t.Errorf("flow %d: its EV stays: %v", flow, same)
		}
	}
}
