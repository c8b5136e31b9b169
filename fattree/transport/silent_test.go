package transport

import (
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestSilentDuplicates: with the slip a packet that has come before gets no ACK while an earlier one is missing, and
// else one at once, although ACKs are for 8 packets.
func TestSilentDuplicates(t *testing.T) {
	for _, silent := range []bool{false, true} {
		later := nettest.Message(0, 15, 1<<20)
		later.Start = 50_000_000 // after this test, which plays the flow by hand
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{later}}, AckRatio: 8, SilentDuplicates: silent,
		})
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun(n)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		run.Step()
		if silent && run.flows.plain {
			t.Fatal("a plain run, whose loop knows no slips")
		}
		host, f := run.flows.tiles[3], &run.flows.receivers[0]
		for i, c := range []struct {
			psn      int32
			answered bool
		}{{0, true}, {2, false}, {2, !silent}, {0, true}} {
			if host.receive(fattree.Crossing{Packet: fattree.NewPacket(0, c.psn, 7)}); (f.pending == 0) != c.answered {
				t.Errorf("silent %v: packet %d, the %dth to come: %d packets wait for an ACK", silent, c.psn, i, f.pending)
			}
		}
	}
}
