package topology_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// placed returns the places of failures in planes, and their number.
func placed(t *testing.T, p topology.Planes, text string, seed uint64) ([]fattree.Fault, int) {
	t.Helper()
	failures, err := topology.ParseFailures(text)
	if err != nil {
		t.Fatal(err)
	}
	faults, _, err := p.Place(failures, mc.NewStream(seed, mc.Workload, 0).Source())
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for _, f := range failures {
		n, err := f.Number(p)
		if err != nil {
			t.Fatal(err)
		}
		number += n
	}
	return faults, number
}

// cards returns the number of the switch that is the network card of host 0.
func cards(w *fattree.Wiring, p topology.Planes) int32 {
	n, err := fattree.Build(fattree.Spec{Topology: p, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 1, 1, 0)}}})
	if err != nil {
		panic(err)
	}
	return int32(n.Switches() - n.Hosts())
}

// TestPlanesHostPorts: if all ports of a host but one fail, the host still has its paths. If the last one
// fails as well, even in one direction only, it does not.
func TestPlanesHostPorts(t *testing.T) {
	for _, tree := range []topology.FatTree{{Hosts: 12}, {Hosts: 16, Tiers: 3}} {
		p := topology.Planes{Tree: tree, Planes: 3}
		w := p.Wire()
		nics := cards(w, p)
		perToR := tree.WithDefaults().HostsPerToR
		for host := range tree.Hosts {
			for _, way := range []topology.Direction{topology.Up, topology.Down} {
				for last := range 3 {
					dead := make([]bool, p.Outline().Ports+int64(tree.Hosts))
					reaches := func() [2]bool {
						other := (host + 1) % tree.Hosts
						return [2]bool{
							w.Reaches(nics+int32(host), fattree.Host(other), dead), w.Reaches(nics+int32(other), fattree.Host(host), dead),
						}
					}
					part := topology.Part{Switch: host / perToR, Uplink: host % perToR, ToHost: true, Direction: way}
					for plane := range 3 {
						if plane != last {
							dead[p.Ports(part, plane)[0]] = true
						}
					}
					if got := reaches(); got != [2]bool{true, true} {
						t.Fatalf("host %d with a port %v in plane %d: it reaches another and that it %v", host, way, last, got)
					}
					dead[p.Ports(part, last)[0]] = true
					if got := reaches(); got != [2]bool{way == topology.Down, way == topology.Up} {
						t.Fatalf("host %d without ports %v: it reaches another and that it %v", host, way, got)
					}
				}
			}
		}
	}
}

// TestPlaceInPlanes: the number and the planes of what fails, by the choice of planes.
func TestPlaceInPlanes(t *testing.T) {
	p := topology.Planes{Tree: topology.FatTree{Hosts: 64}, Planes: 4} // 8 ToRs of 8 hosts and 8 uplinks, 8 spines
	perPlane := 64 + 2*64
	for _, c := range []struct {
		text                  string
		faults, ports, number int
		plane                 int // of all, or -1
	}{
		{"cables=1", 1, 4, 4, -1},
		{"cables=3,plane=2,dir=both", 3, 6, 3, 2},
		{"cables=5%,plane=random", 13, 13, 13, -1},
		{"cables=1,plane=0,place=aligned", 8, 8, 8, 0},
		{"switches=1,plane=3,place=first", 1, 8, 1, 3},
		{"switches=2,plane=random", 2, 16, 2, -1},
		{"degrade=100%:0.5,plane=1", 64, 64, 64, 1},
		{"transceivers=2,plane=1", 2, 16, 8, 1},
		{"transceivers=50%,plane=1,dir=down", 8, 32, 32, 1},
		{"transceivers=1,place=aligned", 8, 8 * 4 * 2 * 4, 8 * 4 * 4, -1},
		{"ports=3", 3, 6, 3, -1},
		{"ports=10%", 26, 52, 26, -1},
		{"ports=4,plane=2,place=first,dir=down", 4, 4, 4, 2},
		{"ports=25%,plane=1,place=aligned,dir=down", 16, 16, 16, 1},
	} {
		faults, number := placed(t, p, c.text, 1)
		seen := map[int]bool{}
		ports := 0
		for _, f := range faults {
			for _, port := range f.Ports {
				ports++
				seen[port] = true
				if plane := port / perPlane; c.plane >= 0 && plane < 4 && plane != c.plane {
					t.Errorf("%s: port %d of plane %d fails", c.text, port, plane)
				}
			}
		}
		if len(faults) != c.faults || ports != c.ports || len(seen) != ports || number != c.number {
			t.Errorf("%s: %d faults of %d ports, %d of them different, number %d, want %d, %d and %d",
				c.text, len(faults), ports, len(seen), number, c.faults, c.ports, c.number)
		}
	}
	planes := map[int]int{}
	for seed := range uint64(200) {
		faults, _ := placed(t, p, "cables=1,plane=random", seed)
		planes[faults[0].Ports[0]/perPlane]++
	}
	for plane := range 4 {
		// Binomial with mean 50 and deviation 6.1: z = 6.11 is 37.
		if n := planes[plane]; n < 13 || n > 87 {
			t.Errorf("of 200 cables %d are in plane %d", n, plane)
		}
	}
}

// TestOnePlane: in a network of one plane the choice of planes makes no difference.
func TestOnePlane(t *testing.T) {
	tree := topology.FatTree{Hosts: 64}
	for _, text := range []string{"cables=20%,dir=both", "switches=2", "transceivers=1"} {
		var want []fattree.Fault
		for _, plane := range []string{"", ",plane=all", ",plane=random", ",plane=0"} {
			failures, err := topology.ParseFailures(text + plane)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := topology.Place(tree, failures, mc.NewStream(1, mc.Workload, 0).Source())
			if err != nil || want != nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s%s: %v, error %v, want %v", text, plane, got, err, want)
			}
			want = got
		}
	}
}

// TestTransceivers: four neighbouring uplinks of one ToR fail together.
func TestTransceivers(t *testing.T) {
	tree := topology.FatTree{Hosts: 70, HostsPerToR: 7, UplinksPerToR: 10}
	failures, err := topology.ParseFailures("transceivers=100%,dir=up,place=first,at=3,flap=5:1")
	if err != nil {
		t.Fatal(err)
	}
	faults, _, err := topology.Place(tree, failures, nil)
	if err != nil || len(faults) != 20 {
		t.Fatalf("%d faults, error %v, want two of each of 10 ToRs", len(faults), err)
	}
	want := fattree.Fault{Start: 3_000_000, Period: 5_000_000, Down: 1_000_000}
	for uplink := 4; uplink < 8; uplink++ {
		want.Ports = append(want.Ports, tree.Ports(topology.Part{Switch: 2, Uplink: uplink})...)
	}
	if !reflect.DeepEqual(faults[5], want) {
		t.Errorf("the second transceiver of ToR 2 is %+v, want %+v", faults[5], want)
	}
}

// TestPlaceInPlanesRefuses: errors name the failure that has no place in planes, with the reason.
func TestPlaceInPlanesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"cables=1,plane=2":           "must be in a plane below 2, the number of planes",
		"cables=17,plane=1":          "must be in [1, 16] after rounding, and is 17 of 16",
		"cables=33,plane=random":     "must be in [1, 32] after rounding, and is 33 of 32",
		"ports=33":                   "must be in [1, 32] after rounding, and is 33 of 32",
		"ports=17":                   "must leave a path between any two hosts: only 16 of 17 can fail",
		"switches=100%":              "must leave a path between any two hosts: only 3 of 4 can fail",
		"switches=100%,plane=random": "must leave a path between any two hosts: only 7 of 8 can fail",
		"transceivers=3,plane=1;ports=100%,plane=0": "only 0 of 16 can fail",
	} {
		failures, err := topology.ParseFailures(text)
		if err != nil {
			t.Fatal(err)
		}
		p := topology.Planes{Tree: topology.FatTree{Hosts: 16}, Planes: 2}
		if _, _, err := p.Place(failures, mc.NewStream(1, mc.Workload, 0).Source()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"ports=1":                    "must come in a network of several planes: a host has one port without them",
		"cables=1,plane=1":           "must be in a plane below 1, the number of planes",
		"transceivers=1,place=first": "must come with ToRs of at least 4 uplinks, not 3",
	} {
		failures, err := topology.ParseFailures(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := topology.Place(topology.FatTree{Hosts: 9}, failures, mc.NewStream(1, mc.Workload, 0).Source()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestPlanesStayConnected: random failures of all kinds are added until none has a place. Every two hosts
// keep a path in some plane, although many single planes are cut.
func TestPlanesStayConnected(t *testing.T) {
	cut := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		tree := []topology.FatTree{{Hosts: 16}, {Hosts: 12, HostsPerToR: 3, UplinksPerToR: 4, CablesPerPair: 2}, {Hosts: 16, Tiers: 3}}[seed%3]
		p := topology.Planes{Tree: tree, Planes: 2 + int(seed)%3}
		kinds := []topology.Failure{
			{Kind: topology.Cables, Direction: topology.Both}, {Kind: topology.Cables}, {Kind: topology.Switches},
			{Kind: topology.NICPorts}, {Kind: topology.NICPorts, Direction: topology.Both}, {Kind: topology.NICPorts, Direction: topology.Down},
		}
		var all []topology.Failure
		var faults []fattree.Fault
		for range 60 {
			f := kinds[rng.IntN(len(kinds))]
			f.Count, f.Plane = 1, topology.PlaneChoice(rng.IntN(2+p.Planes))
			if f.Kind == topology.NICPorts {
				f.Plane = max(f.Plane, topology.AnyPlane)
			}
			got, _, err := p.Place(append(all, f), mc.NewStream(seed, mc.Workload, 0).Source())
			if err == nil {
				all, faults = append(all, f), got
			}
		}
		w := p.Wire()
		dead := make([]bool, p.Outline().Ports+int64(tree.Hosts))
		for _, f := range faults {
			for _, port := range f.Ports {
				dead[port] = true
			}
		}
		nics := cards(w, p)
		for from := range tree.Hosts {
			for to := range tree.Hosts {
				if from != to && !w.Reaches(nics+int32(from), fattree.Host(to), dead) {
					t.Fatalf("seed %d: host %d does not reach host %d under %v", seed, from, to, topology.FailuresString(all))
				}
			}
		}
		tors := tree.WithDefaults().ToRs()
		for plane := range p.Planes {
			first := int32(plane) * nics / int32(p.Planes)
			for tor := range tors {
				if !w.Reaches(first+int32(tor), fattree.Host((tor+1)%tors*tree.Hosts/tors), dead) {
					cut++
					break
				}
			}
		}
	}
	if cut < 60 {
		t.Errorf("%d planes are cut: too few to tell", cut)
	}
}

// half returns a flow from each host to the one halfway round, which is under another ToR.
func half(hosts int) (w fattree.Workload) {
	for host := range hosts {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(host), fattree.Host((host+hosts/2)%hosts), 128<<20, 0))
	}
	return w
}

// TestPlaneFailsAlone: before the first time-out and without congestion control, hosts keep sending at
// full rate. They lose a quarter of their packets if one of 4 planes has no spines or if a port fails:
// 3/4 of the rate remains.
func TestPlaneFailsAlone(t *testing.T) {
	p := topology.Planes{Tree: topology.FatTree{Hosts: 16}, Planes: 4}
	run := func(failures string, workload fattree.Workload, workers int) *fattree.Result {
		spec := fattree.Spec{
			Topology: p, Workload: workload, Options: transport.Options{InitialWindow: 1 << 15, RTO: 500_000_000}, Queue: 1 << 12, KMin: 1 << 11, KMax: 1 << 12,
			Horizon: 400_000_000,
		}
		spec.Faults, _ = placed(t, p, failures, 1)
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		b, err := balance.NewSpraying(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		r := transport.NewRun(n)
		r.Workers(workers)
		result, err := r.Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	all, one := half(16), half(16)
	one.Flows = one.Flows[:1]
	healthyAll, healthyOne := run("", all, 1), run("", one, 1)
	for _, c := range []struct {
		failures string
		workload fattree.Workload
		healthy  *fattree.Result
	}{
		{"switches=100%,plane=2,place=first", all, healthyAll},
		{"ports=1,plane=3,place=first,dir=up", one, healthyOne},
		{"ports=100%,plane=1,place=first", all, healthyAll},
	} {
		healthy, got := c.healthy, run(c.failures, c.workload, 1)
		// ACKs take 1.5 % of the links, and are lost as well. Packets in flight at the end are neither
		// lost nor delivered.
		part := func(count int64) float64 { return float64(count) / float64(got.Sent) }
		if rate := part(healthy.Sent); rate < 0.99 || rate > 1.01 || got.Retransmitted != 0 || healthy.Lost != 0 {
			t.Errorf("%s: %d packets are sent, %d of them again, %d without failures", c.failures, got.Sent, got.Retransmitted, healthy.Sent)
		}
		if lost, arrived := part(got.Lost), part(got.Delivered); lost < 0.245 || lost > 0.251 || arrived < 0.73 || arrived > 0.75 {
			t.Errorf("%s: %v of the packets are lost and %v arrive, want 1/4 and 3/4", c.failures, lost, arrived)
		}
		if again := run(c.failures, c.workload, 2); !reflect.DeepEqual(got, again) {
			t.Errorf("%s: other results with two workers", c.failures)
		}
	}
}

// TestOnePlaneIsItsTree: a network of one plane has the switches, the port numbers and the places of failures of its
// tree.
func TestOnePlaneIsItsTree(t *testing.T) {
	for _, tree := range []topology.FatTree{{Hosts: 12}, {Hosts: 16, Tiers: 3}} {
		tree = tree.WithDefaults()
		p := topology.Planes{Tree: tree, Planes: 1}
		if !reflect.DeepEqual(p.Wire(), tree.Wire()) || !reflect.DeepEqual(p.Outline(), tree.Outline()) {
			t.Errorf("%+v: one plane is another network", tree)
		}
		above := tree.TierNames()[1]
		for tier := range tree.Tiers {
			for sw := range tree.Switches(tier) {
				for _, way := range []topology.Direction{topology.Up, topology.Down} {
					if got, want := p.SwitchPorts(tier, sw, way), tree.SwitchPorts(tier, sw, way); !slices.Equal(got, want) {
						t.Errorf("%+v: the ports %v of switch %d of tier %d are %v, want %v", tree, way, sw, tier, got, want)
					}
				}
			}
		}
		for host := range tree.Hosts {
			part := topology.Part{Switch: host / tree.HostsPerToR, Uplink: host % tree.HostsPerToR, ToHost: true, Direction: topology.Both}
			if got, want := p.Ports(part, 0), tree.Ports(part); !slices.Equal(got, want) {
				t.Errorf("%+v: the ports of host %d are %v, want %v", tree, host, got, want)
			}
		}
		for _, text := range []string{"cables=2", "links=tor1:" + above + "0..1,dir=both", "switches=1", "cables=30%,dir=up"} {
			failures, err := topology.ParseFailures(text)
			if err != nil {
				t.Fatal(err)
			}
			got, _, errOne := p.Place(failures, mc.NewStream(1, mc.Workload, 0).Source())
			want, _, errTree := topology.Place(tree, failures, mc.NewStream(1, mc.Workload, 0).Source())
			if errOne != nil || errTree != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: %s hits %v (%v), want %v (%v)", tree, text, got, errOne, want, errTree)
			}
		}
	}
}
