package transport

import (
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestSilentDuplicates: with the slip, a duplicate packet gets no ACK while an earlier packet is missing.
// Otherwise it gets one at once, although an ACK covers 8 packets.
func TestSilentDuplicates(t *testing.T) {
	for _, silent := range []bool{false, true} {
		later := nettest.Message(0, 15, 1<<20)
		later.Start = 50_000_000 // after this test, which plays the flow by hand
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{later}}, Options: Options{AckRatio: 8, Slips: Slips{SilentDuplicates: silent}},
		})
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun(n)
		state := run.hosts.(*flows)
		run.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
		run.Step()
		if silent && state.plain {
			t.Fatal("a plain run, whose loop knows no slips")
		}
		host, f := state.tiles[3], &state.Receivers[0]
		for i, c := range []struct {
			psn      int32
			answered bool
		}{{0, true}, {2, false}, {2, !silent}, {0, true}} {
			if host.receive(fattree.Crossing{Packet: fattree.NewPacket(0, c.psn, 7)}); (f.Pending == 0) != c.answered {
				t.Errorf("silent %v: packet %d, the %dth to come: %d packets wait for an ACK", silent, c.psn, i, f.Pending)
			}
		}
	}
}

// TestConnectionTimerNeedsMRC: other transports refuse the option.
func TestConnectionTimerNeedsMRC(t *testing.T) {
	spec := fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1000)}},
		Options: Options{ConnectionTimer: true},
	}
	for profile, refused := range map[fattree.Profile]bool{fattree.Artifact: true, fattree.UltraEthernet: true, fattree.MRC: false} {
		spec.Profile = profile
		if err := nettest.Refused(spec); (err != nil) != refused {
			t.Errorf("%v: %v, refused must be %v", profile, err, refused)
		}
	}
}
