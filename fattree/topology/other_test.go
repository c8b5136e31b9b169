package topology_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// dragonfly is a balanced dragonfly with minimal routing: groups of routers with a link between
// any two of a group, and one global link between any two groups.
type dragonfly struct{ hosts, routers, globals int } // hosts of a router, routers of a group, global links of a router

func (d dragonfly) groups() int     { return d.routers*d.globals + 1 }
func (dragonfly) Validate() error   { return nil }
func (d dragonfly) perGroup() int   { return d.routers * d.hosts }
func (d dragonfly) ports() int      { return d.hosts + d.routers - 1 + d.globals }
func (d dragonfly) allRouters() int { return d.routers * d.groups() }

func (d dragonfly) Outline() fattree.Outline {
	link := fattree.Link{Gbps: 400, LatencyNs: 500}
	paths := []fattree.Path{{Links: []int{2, 0, 0}, Gbps: 400}, {Links: []int{2, 1, 0}, Gbps: 400}}
	for local := range 3 {
		paths = append(paths, fattree.Path{Links: []int{2, local, 1}, Gbps: 400})
	}
	return fattree.Outline{
		Hosts: d.perGroup() * d.groups(), Ports: int64(d.allRouters() * d.ports()),
		Links: []fattree.Link{link, link, {Gbps: 400, LatencyNs: 3000}}, Paths: paths,
	}
}

// way returns the router of a group with the global link to another group, and the number of that link at
// the router.
func (d dragonfly) way(group, to int) (router, link int) {
	number := (to - group - 1 + d.groups()) % d.groups()
	return number / d.globals, number % d.globals
}

func (d dragonfly) Path(from, to fattree.Host) int {
	a, b := int(from)/d.hosts, int(to)/d.hosts
	groupA, groupB := a/d.routers, b/d.routers
	switch {
	case a == b:
		return 0
	case groupA == groupB:
		return 1
	}
	kind := 2
	if out, _ := d.way(groupA, groupB); out != a%d.routers {
		kind++
	}
	if in, _ := d.way(groupB, groupA); in != b%d.routers {
		kind++
	}
	return kind
}

// local returns the port of a router to another router of its group. These ports come after the ports of
// hosts.
func (d dragonfly) local(router, to int) int32 {
	if to > router {
		to--
	}
	return int32(d.hosts + to)
}

func (d dragonfly) Wire() *fattree.Wiring {
	w := fattree.NewWiring(d.Outline())
	for number := range d.allRouters() {
		group, router := number/d.routers, number%d.routers
		sw := fattree.Switch{Hosts: int32(d.hosts), FirstHost: int32(number * d.hosts), Below: int32(d.hosts), PerChild: 1, Cables: 1}
		var ports []fattree.Port
		for other := range d.routers {
			if other != router {
				ports = append(ports, fattree.Port{Peer: int32(group*d.routers + other), Link: 1})
			}
		}
		for link := range d.globals {
			far := (group + router*d.globals + link + 1) % d.groups()
			in, _ := d.way(far, group)
			ports = append(ports, fattree.Port{Peer: int32(far*d.routers + in), Link: 2})
		}
		for to := range d.groups() {
			if to == group {
				for other := range d.routers {
					sw.Ranges = append(sw.Ranges, fattree.Range{
						End: fattree.Host((to*d.routers + other + 1) * d.hosts), First: d.local(router, other), Count: 1,
					})
				}
				continue
			}
			out, link := d.way(group, to)
			first := d.local(router, out)
			if out == router {
				first = int32(d.hosts + d.routers - 1 + link)
			}
			sw.Ranges = append(sw.Ranges, fattree.Range{End: fattree.Host((to + 1) * d.perGroup()), First: first, Count: 1})
		}
		w.Add(sw, ports...)
	}
	return w
}

// others are topologies other than fat trees.
func others() []fattree.Topology {
	return []fattree.Topology{
		dragonfly{2, 4, 2}, dragonfly{1, 2, 3},
		topology.Planes{Tree: topology.FatTree{Hosts: 8}, Cards: true}, topology.Planes{Tree: topology.FatTree{Hosts: 12}, Planes: 4},
		topology.Planes{Tree: topology.FatTree{Hosts: 16, Tiers: 3, Fabric: fattree.Link{Gbps: 200}}, Planes: 3},
	}
}

// sprayed runs flows with every packet on an EV of its own.
func sprayed(t *testing.T, net fattree.Topology, flows []fattree.Flow, workers int) (*fattree.Network, *fattree.Result) {
	t.Helper()
	n, err := fattree.Build(fattree.Spec{Topology: net, Workload: fattree.Workload{Flows: flows}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n)
	run.Workers(workers)
	result, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return n, result
}

// TestOtherTopologiesAlone: the engine sends flows through networks that are not trees. One packet alone
// takes the time of the links of its path, rounded to slots, for every destination.
func TestOtherTopologiesAlone(t *testing.T) {
	for _, other := range others() {
		for to := 1; to < other.Outline().Hosts; to++ {
			n, result := sprayed(t, other, []fattree.Flow{fattree.NewFlow(0, fattree.Host(to), 4086, 0)}, 1)
			if took := result.Flows[0].FCT(); took != n.Unloaded(0) || took != n.BaseRTT(0) {
				t.Errorf("%+v: a packet to host %d takes %d ps, want %d, the base RTT is %d", other, to, took, n.Unloaded(0), n.BaseRTT(0))
			}
		}
		// A message fills its links, apart from ACKs and collisions on slow links. A packet is not
		// divided among links.
		n, result := sprayed(t, other, []fattree.Flow{fattree.NewFlow(0, fattree.Host(other.Outline().Hosts-1), 400_000, 0)}, 1)
		if took, least := result.Flows[0].FCT(), n.Unloaded(0)-n.SlotTime(); took < least || took > least*11/10 {
			t.Errorf("%+v: a message takes %d ps, want at least %d and at most 10 %% more", other, took, least)
		}
	}
}

// TestPlanesDoNotAllocate: a run of 3,920 packets over planes allocates no more than its result.
func TestPlanesDoNotAllocate(t *testing.T) {
	var w fattree.Workload
	for host := range 40 {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(host), fattree.Host((host+20)%40), 400_000, 0))
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.Planes{Tree: topology.FatTree{Hosts: 40}, Planes: 4}, Workload: w, Options: transport.Options{AckRatio: 4}})
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n)
	allocs := testing.AllocsPerRun(1, func() { // after another one
		if _, err := run.Execute(context.Background(), balance.NewSwitchAdaptive(), congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 100 {
		t.Errorf("a run allocates %v times", allocs)
	}
}

// TestPlanesPorts: a part of the tree exists in every plane, at the same ports of the plane's switches.
func TestPlanesPorts(t *testing.T) {
	for _, tree := range []topology.FatTree{{Hosts: 12}, {Hosts: 16, Tiers: 3}} {
		p := topology.Planes{Tree: tree, Planes: 3}
		n, err := fattree.Build(fattree.Spec{Topology: p, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 1, 1, 0)}}})
		if err != nil {
			t.Fatal(err)
		}
		one, err := fattree.Build(fattree.Spec{Topology: tree, Workload: n.Spec().Workload})
		if err != nil {
			t.Fatal(err)
		}
		for sw := range one.Switches() {
			part := topology.Part{Switch: sw}
			if tors := tree.WithDefaults().ToRs(); sw >= tors {
				part = topology.Part{Tier: 1, Switch: sw - tors}
			}
			for plane := range 3 {
				var got []int
				for part.Uplink = range one.Uplinks(sw) {
					got = append(got, p.Ports(part, plane)...)
				}
				if want := n.Uplinks(plane*one.Switches() + sw); !slices.Equal(got, want) {
					t.Errorf("uplinks of switch %d in plane %d: %v, want ports %v", sw, plane, got, want)
				}
			}
		}
		// Together with the downward ports they are all ports that send to switches.
		var ports []int
		for _, core := range []bool{false, true}[:tree.WithDefaults().Tiers-1] {
			faults, _, err := p.Place([]topology.Failure{{Kind: topology.Degrade, Percent: 100, Rate: 0.5, Place: topology.Aligned, Direction: topology.Both, Core: core}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				ports = append(ports, f.Ports...)
			}
		}
		slices.Sort(ports)
		ports = slices.Compact(ports)
		if want := 3 * (one.Ports() - 2*tree.Hosts); len(ports) != want {
			t.Errorf("%d ports between switches, want %d", len(ports), want)
		}
		spec := n.Spec()
		spec.Faults = []fattree.Fault{{Ports: ports, Rate: 0.5}}
		if _, err := fattree.Build(spec); err != nil {
			t.Error(err)
		}
	}
}

// TestPlanesRefuses: a number of planes out of range, and invalid trees.
func TestPlanesRefuses(t *testing.T) {
	for want, p := range map[string]topology.Planes{
		"topology: Planes (9) must be in [1, 8]":                    {Tree: topology.FatTree{Hosts: 8}, Planes: 9},
		"topology: Planes (-1) must be in [1, 8]":                   {Tree: topology.FatTree{Hosts: 8}, Planes: -1},
		"topology: Tiers (1) must be 2 or 3 in a network of planes": {Tree: topology.FatTree{Hosts: 8, Tiers: 1}, Planes: 2},
		"topology: Hosts (0) must be in [1, 2097152]":               {},
	} {
		if err := p.Validate(); err == nil || err.Error() != want {
			t.Errorf("%+v: error %v, want %q", p, err, want)
		}
	}
	spec := fattree.Spec{Topology: topology.Planes{Tree: topology.FatTree{Hosts: 8}, Planes: 2}, Options: transport.Options{Slips: transport.Slips{DoubleTurns: true}}}
	spec.Workload.Flows = []fattree.Flow{fattree.NewFlow(0, 1, 1, 0)}
	if _, err := fattree.Build(spec); err == nil || err.Error() != "transport: DoubleTurns (true) must be false where hosts have several links" {
		t.Errorf("error %v", err)
	}
}

// TestOtherTopologiesLoaded: all flows of a permutation end, none faster than alone, and results
// do not depend on the number of workers.
func TestOtherTopologiesLoaded(t *testing.T) {
	for _, other := range others() {
		var flows []fattree.Flow
		hosts := rand.New(rand.NewPCG(1, 2)).Perm(other.Outline().Hosts)
		for i, host := range hosts {
			flows = append(flows, fattree.NewFlow(fattree.Host(host), fattree.Host(hosts[(i+1)%len(hosts)]), 200_000, 0))
		}
		n, one := sprayed(t, other, flows, 1)
		_, three := sprayed(t, other, flows, 3)
		if one.Finished() != len(flows) || !reflect.DeepEqual(one, three) {
			t.Errorf("%+v: %d of %d flows end, the same with three workers: %v", other, one.Finished(), len(flows), reflect.DeepEqual(one, three))
		}
		for i, f := range one.Flows {
			if f.FCT() < n.Unloaded(int32(i))-12*n.SlotTime() {
				t.Errorf("%+v: flow %d takes %d ps, alone %d", other, i, f.FCT(), n.Unloaded(int32(i)))
			}
		}
	}
}
