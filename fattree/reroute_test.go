//go:build !js

package fattree

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repslab/internal/bitset"
)

// rerouted returns a network in which routing reacts after a number of slots.
func rerouted(t *testing.T, tree Tree, slots Picoseconds, faults ...Fault) *Network {
	t.Helper()
	s := planOf(Spec{Topology: tree, Workload: tornado(tree.Hosts, 50_000)}).Spec()
	s.Reroutes, s.RerouteAfter, s.Faults = true, slots*planOf(s).SlotTime(), faults
	n, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMoves: in random failures of both links of a cable, the cable is out in a slot if it has failed without a break
// for the time and still fails, in if it has worked for as long and still works, and else as before.
func TestMoves(t *testing.T) {
	const slots = 400
	seen := map[bool]int{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		wait := rng.IntN(12)
		n := rerouted(t, Tree{Hosts: 16}, Picoseconds(wait))
		ports := cable(n.spec.Topology, 1, 2)
		if n.otherEnd[ports[0]] != int32(ports[1]) || n.otherEnd[ports[1]] != int32(ports[0]) {
			t.Fatalf("ends %v, want each other of %v", []int32{n.otherEnd[ports[0]], n.otherEnd[ports[1]]}, ports)
		}
		var changes []change
		for slot := range int32(slots) {
			if rng.IntN(8) == 0 {
				changes = append(changes, change{slot, int32(ports[rng.IntN(2)]), []float64{0, 0, 0.5, 1}[rng.IntN(4)], 0})
			}
		}
		moves, failed, out, got := n.moves(changes), map[int32]bool{}, false, false
		since := [2]int32{} // since when it works, and fails; 0 before the first slot
		since[1] = slots
		for slot := range int32(slots) {
			for _, c := range changes {
				if c.slot == slot {
					failed[c.port] = c.rate == 0
				}
			}
			down := 0
			if failed[int32(ports[0])] || failed[int32(ports[1])] {
				down = 1
			}
			if since[1-down] = slots; since[down] == slots {
				since[down] = slot
			}
			if slot-since[down] >= int32(wait) {
				out = down == 1
			}
			for ; len(moves) > 0 && moves[0].slot <= slot; moves = moves[1:] {
				got = moves[0].out
			}
			if seen[out]++; got != out {
				t.Fatalf("seed %d, wait %d, slot %d: out %v, want %v", seed, wait, slot, got, out)
			}
		}
	}
	if min(seen[true], seen[false]) < 10_000 {
		t.Errorf("slots out and in: %v, too few to tell", seen)
	}
}

// drawnTree returns a tree of 2 or 3 tiers, some with parallel cables.
func drawnTree(rng *rand.Rand) Tree {
	return []Tree{
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2}, {Hosts: 16}, {Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 16, Tiers: 3}, {Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 2},
	}[rng.IntN(5)]
}

// drawnFaults fails some links and switches of a tree for good: links of one direction, or of both.
func drawnFaults(rng *rand.Rand, tree Tree, start Picoseconds) (list []Fault) {
	for range 1 + rng.IntN(4) {
		part := Part{Tier: rng.IntN(tree.Tiers/3 + 1), Switch: rng.IntN(4), Uplink: rng.IntN(2), Direction: uint8(rng.IntN(3))}
		if ports := RealPorts(tree, part); !slices.Contains(ports, -1) {
			list = append(list, Fault{Ports: ports, Start: start})
		}
	}
	return list
}

// TestGroups: in random trees with random failures, a port is in the group towards a host if its cable works both ways
// and a path of such cables leads on; a group without such ports has all. Build searches for paths in the same way.
func TestGroups(t *testing.T) {
	whole, parts, none := 0, 0, 0
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 2))
		tree := drawnTree(rng)
		s := Spec{Topology: tree, Workload: tornado(tree.Hosts, 50_000), Reroutes: true, Faults: drawnFaults(rng, tree, 0)}
		n, err := Build(s)
		if err != nil {
			continue // it is cut apart
		}
		dead := make([]bool, len(n.ports))
		for _, f := range s.Faults {
			for _, port := range f.Ports {
				dead[port], dead[n.otherEnd[port]] = true, true
			}
		}
		r := n.NewRun(new(burst))
		r.Begin(NewStreams(seed, 0))
		r.Step()
		for at := range n.nodes {
			for to := range n.home {
				first, count := n.toward(int32(at), int32(to))
				var want bitset.Set
				left := 0
				for i := range count {
					port := n.nodes[at].firstPort + first + i
					peer := n.ports[port].peer
					if !dead[port] && (peer < 0 || n.reaches(peer, int32(to), dead, len(n.nodes))) {
						left++
						continue
					}
					if want == nil {
						want = bitset.New(int(count))
					}
					want.Add(i)
				}
				switch {
				case left == 0:
					want = nil
					none++
				case want != nil:
					parts++
				default:
					whole++
				}
				var got bitset.Set
				if out := r.tiles[at].withdrawn(int32(to)); out != nil {
					got = *out
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: switch %d to host %d is without %b, want %b; %+v", seed, at, to, got, want, s.Faults)
				}
			}
		}
	}
	if whole < 1000 || parts < 1000 || none < 100 {
		t.Errorf("%d whole groups, %d parts, %d empty: too few to tell", whole, parts, none)
	}
}

// TestGroupsComeBack: a cable that failed leaves the groups after the time, and rejoins them as long after its repair.
func TestGroupsComeBack(t *testing.T) {
	slot := planOf(Spec{Topology: Tree{Hosts: 16}}).SlotTime()
	n := rerouted(t, Tree{Hosts: 16}, 7, Fault{Ports: uplink(Tree{Hosts: 16}, 1, 2), Start: 100 * slot, End: 150 * slot})
	r := n.NewRun(new(burst))
	r.Begin(NewStreams(1, 0))
	for r.Slot() < 200 {
		at := r.Slot()
		r.Step()
		for tor, to := range []int32{4, 0, 4, 4} { // the port is in all groups of ToR 1, and leads to it from the others
			if out := r.tiles[tor].withdrawn(to); (out != nil) != (at >= 107 && at < 157) {
				t.Fatalf("slot %d: ToR %d has %b out towards host %d", at, tor, out, to)
			}
		}
	}
	r.Begin(NewStreams(1, 0))
	if r.tiles[1].withdrawn(0) != nil || r.routing.next != 0 {
		t.Error("a run begins with the groups of the run before")
	}
}

// TestRerouteAfterTheEnd: routing that is slower than the run, by any time, takes out no cable.
func TestRerouteAfterTheEnd(t *testing.T) {
	tree := Tree{Hosts: 16}
	s := planOf(Spec{Topology: tree, Workload: tornado(tree.Hosts, 50_000)}).Spec()
	s.Reroutes, s.Faults = true, []Fault{{Ports: uplink(tree, 1, 2)}}
	for _, after := range []Picoseconds{s.Horizon, math.MaxInt64} {
		s.RerouteAfter = after
		n, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		if moves := n.moves(n.faults); moves != nil {
			t.Errorf("after %d ps: %v", after, moves)
		}
	}
}

// TestResilientHashing: EVs keep their ports if these stay in the group; the EVs of a port that leaves are spread over
// all others alike. Each of 7 ports gets 2^16/8/7 = 1170 more EVs with a standard deviation of 31.7; a deviation of 200
// is above 6 of them, which chance gives once in 10^9 networks.
func TestResilientHashing(t *testing.T) {
	tree := Tree{Hosts: 64}
	n := rerouted(t, tree, 0, Fault{Ports: uplink(tree, 0, 3)})
	for replica := range uint64(3) {
		r := n.NewRun(new(burst))
		r.Begin(NewStreams(1, replica))
		r.Step()
		whole := Ports{run: r, first: n.nodes[0].firstPort + n.nodes[0].first, count: n.nodes[0].count}
		part := whole
		part.out = r.tiles[0].withdrawn(63)
		before, after := map[int]int{}, map[int]int{}
		for ev := range 1 << 16 {
			at := Passing{EV: uint16(ev), Flow: 0}
			had, has := whole.Hashed(at), part.Hashed(at)
			if before[had]++; had != 3 && has != had || has == 3 {
				t.Fatalf("EV %d moves from port %d to %d", ev, had, has)
			}
			after[has]++
		}
		for port := range 8 {
			if gain := after[port] - before[port]; port != 3 && (gain < before[3]/7-200 || gain > before[3]/7+200) {
				t.Errorf("replica %d: port %d gains %d of %d EVs", replica, port, gain, before[3])
			}
		}
	}
}

// TestReroutesRefuses: wrong times, sinks and hosts with several links are refused, with the name of the field.
func TestReroutesRefuses(t *testing.T) {
	good := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000), Reroutes: true, RerouteAfter: 1}
	if err := refused(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Spec){
		"RerouteAfter (-1 ps) must not be negative":        func(s *Spec) { s.RerouteAfter = -1 },
		"RerouteAfter (1 ps) must be 0 without Reroutes":   func(s *Spec) { s.Reroutes = false },
		"Reroutes (true) must be false with a sink":        func(s *Spec) { s.Topology = Tree{Hosts: 16, Tiers: 1} },
		"Reroutes (true) must be false for hosts with sev": func(s *Spec) { s.Topology = twoLinks{s.Topology} },
	} {
		s := good
		change(&s)
		if err := refused(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// twoLinks is a topology that says that hosts have two links.
type twoLinks struct{ Topology }

func (t twoLinks) Outline() Outline {
	o := t.Topology.Outline()
	o.HostLinks = 2
	return o
}

// TestSeveralGroups: a switch with several groups towards the hosts of another switch is refused, whether a child or a
// range divides them. Switches 0 and 1 have two hosts each.
func TestSeveralGroups(t *testing.T) {
	for name, c := range map[string]struct {
		middle Switch
		split  bool
	}{
		"children":      {Switch{Below: 4, PerChild: 2, Cables: 2}, false},
		"split child":   {Switch{Below: 4, PerChild: 1, Cables: 1}, true},
		"ranges":        {Switch{Ranges: []Range{{2, 0, 2}, {4, 2, 2}}}, false},
		"split range":   {Switch{Ranges: []Range{{1, 0, 1}, {2, 1, 1}, {4, 2, 2}}}, true},
		"half is below": {Switch{FirstHost: 1, Below: 3, PerChild: 3, Cables: 4, First: 0, Count: 2}, true},
	} {
		w := NewWiring(Outline{Hosts: 4, Ports: 12})
		w.Add(Switch{Hosts: 2, Below: 2, PerChild: 1, Cables: 1, First: 2, Count: 2}, Port{2, 1}, Port{2, 1})
		w.Add(Switch{Hosts: 2, FirstHost: 2, Below: 2, PerChild: 1, Cables: 1, First: 2, Count: 2}, Port{2, 1}, Port{2, 1})
		w.Add(c.middle, Port{0, 1}, Port{0, 1}, Port{1, 1}, Port{1, 1})
		if err := (&Network{wires: w.wires}).checkGroups(); (err != nil) != c.split {
			t.Errorf("%s: error %v, want one: %v", name, err, c.split)
		}
	}
}
