package transport

import (
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// inTurn sends EVs 0 to 7 in turn, and counts the packets of each EV by flow.
type inTurn struct {
	uniform
	sent [][8]int64
}

func (b *inTurn) NextEV(flow int32, _ fattree.Picoseconds) (uint16, bool) {
	of, least := &b.sent[flow], 0
	for ev, count := range of {
		if count < of[least] {
			least = ev
		}
	}
	of[least]++
	return uint16(least), false
}

// TestFlowPaths: flows lose exactly the packets that they send over the paths of a fault, with exact
// routing and with hashing, in two and three tiers. Other flows, and flows within a ToR, lose none. Any
// number of workers gives the same result.
func TestFlowPaths(t *testing.T) {
	for _, c := range []struct {
		tree   Tree
		choose fattree.Chooser
	}{{Tree{Hosts: 16}, topology.ExactPath}, {Tree{Hosts: 16}, nil}, {Tree{Hosts: 16, Tiers: 3}, topology.ExactPath}} {
		s := fattree.Spec{Topology: c.tree, Workload: nettest.Tornado(16, 1<<20), Choose: c.choose, ChooseByTier: true, DisableTrimming: true}
		s.Workload.Flows[1].Destination = 0 // of the same ToR
		up := c.tree.WithDefaults().UplinksPerToR
		s.Faults = []fattree.Fault{{Flows: [2]int{0, 2}, Paths: [2]int{up - 1, up}}}
		n, err := fattree.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		var first *fattree.Result
		for workers := 1; workers <= 2; workers++ {
			r, b, want := NewRun(n), &inTurn{sent: make([][8]int64, n.Flows())}, int64(0)
			r.Workers(workers)
			got, err := r.Execute(t.Context(), b, shrinking{}, fattree.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			for ev, count := range b.sent[0] {
				if path := r.AppendPath(nil, 0, uint16(ev), 0); int(path[0]) == up-1 {
					want += count
				}
			}
			if got.Lost != want || want == 0 || got.Finished() != n.Flows() {
				t.Errorf("%+v: %d packets lost, want %d; %d flows finished", c.tree, got.Lost, want, got.Finished())
			}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("%+v: another result with %d workers", c.tree, workers)
			}
		}
	}
}

// TestFlowPathsInTime: nothing is lost before a fault of flows begins or after it has ended, and less if it flaps.
func TestFlowPathsInTime(t *testing.T) {
	lost := func(f fattree.Fault) int64 {
		f.Flows, f.Paths = [2]int{0, 16}, [2]int{1, 2}
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<20), Choose: topology.ExactPath, Faults: []fattree.Fault{f}}
		return execute(t, s, &inTurn{sent: make([][8]int64, 16)}, shrinking{}).Lost
	}
	const us = fattree.Microsecond
	all, half, flapping := lost(fattree.Fault{End: 20 * us}), lost(fattree.Fault{Start: 10 * us, End: 20 * us}), lost(fattree.Fault{End: 20 * us, Period: 4 * us, Down: us})
	if before, never := lost(fattree.Fault{End: us / 2}), lost(fattree.Fault{Start: 90_000 * us}); before+never > 0 || half == 0 || half >= all || flapping == 0 || flapping >= all {
		t.Errorf("%d packets lost before the first one arrives, %d after all, %d in 20 us, %d in 10 of them, %d flapping", before, never, all, half, flapping)
	}
}

// TestFlowPathsRefused: flows and uplinks that do not exist, permanent faults of all uplinks, and network
// cards are refused.
func TestFlowPathsRefused(t *testing.T) {
	tree := Tree{Hosts: 16}
	for _, c := range []struct {
		topology fattree.Topology
		fault    fattree.Fault
		want     string
	}{
		{tree, fattree.Fault{Flows: [2]int{15, 17}, Paths: [2]int{0, 1}}, "Flows (16) must be a flow that exists, in [0, 15]"},
		{tree, fattree.Fault{Flows: [2]int{-1, 1}, Paths: [2]int{0, 1}}, "Flows (-1) must be a flow that exists"},
		{tree, fattree.Fault{Flows: [2]int{0, 1}, Paths: [2]int{3, 5}}, "Paths (4) must be an uplink of the ToR of flow 0, in [0, 3]"},
		{tree, fattree.Fault{Flows: [2]int{0, 1}}, "Paths (-1) must be an uplink"},
		{tree, fattree.Fault{Flows: [2]int{2, 3}, Paths: [2]int{0, 4}}, "Paths (3) must be an uplink of the ToR of flow 2, in [0, 3], and not the last one left for good"},
		{tree, fattree.Fault{Flows: [2]int{2, 3}, Paths: [2]int{0, 4}, End: 5}, ""},
		{topology.Planes{Tree: tree, Planes: 2}, fattree.Fault{Flows: [2]int{0, 1}, Paths: [2]int{0, 1}}, "must be a flow of a host without a network card"},
	} {
		_, err := fattree.Build(fattree.Spec{Topology: c.topology, Workload: nettest.Tornado(16, 1000), Faults: []fattree.Fault{c.fault}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.fault, err, c.want)
		}
	}
}
