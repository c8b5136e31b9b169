package transport

import (
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestFlapsLoseWhileDown: a cable that flaps loses packets in the slots in which it is down, each time, and in no
// other.
func TestFlapsLoseWhileDown(t *testing.T) {
	tree := Tree{Hosts: 16}
	s := nettest.Plan(fattree.Spec{Topology: tree, Workload: nettest.Tornado(16, 4<<20)}).Spec()
	slot := nettest.Plan(s).SlotTime()
	s.Faults = []fattree.Fault{{Ports: nettest.Cable(tree, 1, 2), Start: 100 * slot, End: 1000 * slot, Period: 200 * slot, Down: 50 * slot}}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(n)
	r.Trace(fattree.TraceConfig{Every: s.Horizon})
	r.Begin(new(uniform), shrinking{}, fattree.NewStreams(1, 0))
	var flaps [5]int64
	for r.Unfinished() > 0 && r.Slot() < 1200 {
		now := r.Slot()
		r.Step()
		lost := r.Sample().Lost
		if lost == 0 {
			continue
		}
		// A port spends a slot at the beginning of the next one.
		since := now - 100
		if flap := since / 200; since < 0 || since >= 900 || since%200 > 50 {
			t.Errorf("slot %d: %d packets are lost", now, lost)
		} else {
			flaps[flap] += lost
		}
	}
	for i, lost := range flaps {
		if lost == 0 {
			t.Errorf("the cable loses nothing when it is down for time %d", i)
		}
	}
}
