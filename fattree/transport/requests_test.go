package transport

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// sighted is a congestion control that keeps the windows that it sees, and adds 2 on an ACK and takes 1 on a loss.
type sighted struct {
	steady
	seen []float64
}

func (s *sighted) Acknowledge(w *Window, _ Acknowledgement) {
	s.seen = append(s.seen, w.Packets)
	w.Packets += 2
}

func (s *sighted) Lose(w *Window, _ Loss) {
	s.seen = append(s.seen, w.Packets)
	w.Packets--
}

// TestLeak: congestion control sees the window without the room that requests have added, which the flow keeps.
func TestLeak(t *testing.T) {
	control := new(sighted)
	q := &requests{Control: control, flows: make([]requestState, 2)}
	f := &sender{window: Window{Packets: 10}}
	q.leak(1, f, 3)
	q.Acknowledge(&f.window, Acknowledgement{Flow: 1})
	q.Lose(&f.window, Loss{Flow: 1})
	if want := []float64{10, 12}; !slices.Equal(control.seen, want) || f.window.Packets != 14 || q.flows[1].leaked != 3 {
		t.Errorf("the control sees %v, want %v; the window is %v with a leak of %v, want 14 and 3", control.seen, want, f.window.Packets, q.flows[1].leaked)
	}
	q.leak(1, f, -3)
	if q.Acknowledge(&f.window, Acknowledgement{Flow: 1}); control.seen[2] != 11 || f.window.Packets != 13 || q.flows[1].leaked != 0 {
		t.Errorf("without a leak the control sees %v; the window is %v", control.seen[2], f.window.Packets)
	}
}

// TestLeakIsNotInherited: a flow inherits the window of the flow before it without the room that requests have added.
func TestLeakIsNotInherited(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1), nettest.Message(0, 15, 1), nettest.Message(0, 14, 1)}},
		Options: Options{InheritConnections: true, Slips: Slips{RequestsForRetransmission: true}, InitialWindow: 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(n)
	run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
	h := run.hosts.(*flows).tiles[0]
	h.senders[0].window.Packets, h.requests.flows[0].leaked = 10, 3
	h.heirs.End(n, 0)
	for flow, want := range map[int32]float64{1: 7, 2: 20} {
		if h.open(flow, &h.senders[flow]); h.senders[flow].window.Packets != want {
			t.Errorf("flow %d begins with a window of %v packets, want %v", flow, h.senders[flow].window.Packets, want)
		}
	}
}
