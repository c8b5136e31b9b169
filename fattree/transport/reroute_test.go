package transport

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// drawRerouted draws a tree in which random cables fail, in one direction or both, at a time and for good.
func drawRerouted(t *rapid.T) (s fattree.Spec, start fattree.Picoseconds) {
	tree := rapid.SampledFrom([]Tree{{Hosts: 16}, {Hosts: 16, Tiers: 3}, {Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2}}).Draw(t, "tree")
	profile := rapid.SampledFrom([]fattree.Profile{fattree.Artifact, fattree.UltraEthernet}).Draw(t, "profile")
	s = nettest.Plan(fattree.Spec{Topology: tree, Profile: profile, Workload: nettest.Tornado(16, 300_000), Horizon: 4_000_000_000}).Spec()
	start = fattree.Picoseconds(rapid.IntRange(0, 12).Draw(t, "start")) * fattree.Microsecond
	for range rapid.IntRange(1, 3).Draw(t, "faults") {
		tor, uplink := rapid.IntRange(0, 3).Draw(t, "ToR"), rapid.IntRange(0, 1).Draw(t, "uplink")
		ports := nettest.Cable(tree, tor, uplink)
		if way := rapid.IntRange(0, 2).Draw(t, "way"); way < 2 {
			ports = ports[way : way+1]
		}
		s.Faults = append(s.Faults, fattree.Fault{Ports: ports, Start: start})
	}
	s.Reroutes, s.RerouteAfter = true, fattree.Picoseconds(rapid.IntRange(0, 20).Draw(t, "after"))*fattree.Microsecond
	return s, start
}

// TestNoLossAfterReroute: once routing has taken out the failed cables, no packet is lost, but those that wait in the
// queues of their ports: at most a full queue for each. So none is lost if routing is as fast as a failure from the
// start. All flows finish, and another number of workers gives the same.
func TestNoLossAfterReroute(t *testing.T) {
	rerouted := 0
	rapid.Check(t, func(t *rapid.T) {
		s, start := drawRerouted(t)
		n, err := fattree.Build(s)
		if err != nil {
			t.Skip() // a flow has no path left
		}
		r, ports := NewRun(n), map[int]bool{}
		for _, f := range s.Faults {
			for _, port := range f.Ports {
				ports[port] = true
			}
		}
		r.Begin(new(uniform), shrinking{}, fattree.NewStreams(1, 0))
		until, atReroute := start+s.RerouteAfter, int64(0)
		for before := true; r.Unfinished() > 0 && fattree.Picoseconds(r.Slot())*n.SlotTime() < s.Horizon; r.Step() {
			if now := fattree.Picoseconds(r.Slot()) * n.SlotTime(); before && now >= until {
				before, atReroute = false, resultAt(t, r).Lost
			}
		}
		last := resultAt(t, r)
		if last.Finished() != 16 {
			t.Fatalf("%d of 16 flows finished", last.Finished())
		}
		if most := int64(len(ports) * s.Queue); until == 0 && last.Lost > 0 || last.Lost > atReroute+most {
			t.Fatalf("%d packets lost, %d of them before the reroute, want at most %d more", last.Lost, atReroute, most)
		}
		if last.Lost > 0 {
			rerouted++
		}
		var whole [2]*fattree.Result
		for i := range whole {
			r := NewRun(n)
			r.Workers(1 + i)
			if whole[i], err = r.Execute(t.Context(), new(uniform), shrinking{}, fattree.NewStreams(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(whole[0], whole[1]) || !reflect.DeepEqual(whole[0].Flows, last.Flows) {
			t.Fatalf("with two workers\n%+v\nwith one\n%+v\nslot by slot\n%+v", whole[1], whole[0], last)
		}
	})
	if rerouted == 0 {
		t.Error("no packet was ever lost before a reroute")
	}
}

// resultAt returns the result of a run so far.
func resultAt(t *rapid.T, r *Run) *fattree.Result {
	result, err := r.Result()
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestOnlyFailuresReroute: slow and lossy links stay in their groups, so the result is the same without rerouting; and
// so it is without failures.
func TestOnlyFailuresReroute(t *testing.T) {
	tree := Tree{Hosts: 16}
	for name, list := range map[string][]fattree.Fault{
		"none": nil, "slow": {{Ports: nettest.Cable(tree, 1, 2), Rate: 0.25}}, "lossy": {{Ports: nettest.Cable(tree, 1, 2), Loss: 0.1}},
		"silent path": {{Flows: [2]int{0, 2}, Paths: [2]int{0, 1}}},
	} {
		s := fattree.Spec{Topology: tree, Workload: nettest.Tornado(16, 300_000), Faults: list, Horizon: 4_000_000_000}
		want := resultOf(t, s)
		s.Reroutes = true
		if got := resultOf(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got.Counts, want.Counts)
		}
	}
}

// TestPathsAfterReroute: the paths of all EVs of a flow avoid the failed cable, in both of its directions.
func TestPathsAfterReroute(t *testing.T) {
	tree := Tree{Hosts: 16}
	for direction, ports := range [][]int{nettest.Cable(tree, 1, 2)[:1], nettest.Cable(tree, 1, 2)[1:], nettest.Cable(tree, 1, 2)} {
		for _, choose := range []fattree.Chooser{nil, topology.ExactPath} {
			s := fattree.Spec{Topology: tree, Choose: choose, Reroutes: true, Faults: []fattree.Fault{{Ports: ports}}, Horizon: 4_000_000_000,
				Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(4, 12, 1000), nettest.Message(12, 4, 1000), nettest.Message(0, 12, 1000)}}}
			n, err := fattree.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			r := NewRun(n)
			if _, err := r.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(1, 0)); err != nil {
				t.Fatal(err)
			}
			used := [3]map[int32]bool{{}, {}, {}}
			for ev := range 1 << 10 {
				for flow := range used {
					used[flow][r.AppendPath(nil, int32(flow), uint16(ev), 0)[0]] = true
				}
			}
			if len(used[0]) != 3 || used[0][2] || len(used[1]) != 3 || used[1][2] || len(used[2]) != 4 {
				t.Errorf("direction %d: uplinks from the ToR %v, to it %v, elsewhere %v", direction, used[0], used[1], used[2])
			}
		}
	}
}
