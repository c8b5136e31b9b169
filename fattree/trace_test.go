package fattree

import (
	"context"
	"testing"
)

// TestSamples: a sample ends each bucket of whole slots, up to as many as asked for. Their
// counts add up to those of the run so far.
func TestSamples(t *testing.T) {
	const slot = 83_000
	n, err := Build(Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, 20*4086), message(1, 2, 1)}}})
	if err != nil {
		t.Fatal(err)
	}
	run := n.NewRun(new(burst))
	uplink := uplink(n.spec.Topology, 0, 0)[0]
	for _, most := range []int{0, 3} {
		run.Trace(TraceConfig{Every: 7*slot + slot/2, Most: most, Ports: []int{uplink}})
		result, err := run.Execute(context.Background(), NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		want := int(result.Slots / 7)
		if most > 0 {
			want = most
		}
		samples := run.Samples()
		if len(samples) < want || len(samples) > want+1 || most > 0 && len(samples) != most {
			t.Errorf("at most %d: %d samples of %d slots", most, len(samples), result.Slots)
		}
		var sent, uplinked int64
		for i, s := range samples {
			sent += s.Sent
			uplinked += s.Packets[0]
			if s.Time != Picoseconds(7*slot*i) && s.Time != Picoseconds(7*slot*(i+1)) {
				t.Errorf("sample %d at %d ps", i, s.Time)
			}
		}
		if most == 0 && (sent != 21 || uplinked == 0) {
			t.Errorf("the samples have %d packets sent by hosts, want 21, and %d by the uplink", sent, uplinked)
		}
	}
}
