package topology

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/mc"
)

// tornado returns a flow from each host to the one halfway round.
func tornado(hosts int, bytes int64) (w fattree.Workload) {
	for h := range hosts {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(h), fattree.Host((h+hosts/2)%hosts), bytes, 0))
	}
	return w
}

// place places failures that must have a place.
func place(t *testing.T, tree FatTree, text string, seed uint64) ([]fattree.Fault, []fattree.Corruption) {
	t.Helper()
	failures, err := ParseFailures(text)
	if err != nil {
		t.Fatal(err)
	}
	faults, errors, err := Place(tree, failures, mc.NewStream(seed, mc.Workload, 0).Source())
	if err != nil {
		t.Fatal(err)
	}
	return faults, errors
}

// TestPlaceAligned: percentages refer to the uplinks of a ToR, rounded, and hit the same uplinks of every
// ToR, as in the authors' runs.
func TestPlaceAligned(t *testing.T) {
	faults, _ := place(t, FatTree{Hosts: 128}, "cables=8%,place=aligned,at=5", 1)
	if len(faults) != 16 {
		t.Fatalf("%d cables fail, want one at each of 16 ToRs", len(faults))
	}
	for i, f := range faults {
		want := fattree.Fault{Ports: FatTree{Hosts: 128}.Ports(Part{Switch: i}), Start: 5_000_000}
		if !reflect.DeepEqual(f, want) {
			t.Errorf("fault %d is %+v, want %+v", i, f, want)
		}
	}
	faults, _ = place(t, FatTree{Hosts: 1024}, "degrade=30%:0.5,dir=both,place=aligned,for=7", 1)
	slow := fattree.Fault{Ports: FatTree{Hosts: 1024}.Ports(Part{Uplink: 9, Direction: Both}), Rate: 0.5, End: 7_000_000}
	if len(faults) != 32*10 || !reflect.DeepEqual(faults[9], slow) {
		t.Errorf("%d cables are slow, the tenth is %+v", len(faults), faults[9])
	}
	three := FatTree{Hosts: 128, Tiers: 3}
	faults, _ = place(t, three, "degrade=5:0.25,dir=down,layer=core,place=aligned", 1)
	for pod := range 8 { // the four links of the first aggregation switch and one of the second
		for i, part := range []Part{{Switch: 4 * pod}, {Switch: 4 * pod, Uplink: 1}, {Switch: 4 * pod, Uplink: 2}, {Switch: 4 * pod, Uplink: 3}, {Switch: 4*pod + 1}} {
			part.Tier, part.Direction = 1, Down
			if want := (fattree.Fault{Ports: three.Ports(part), Rate: 0.25}); len(faults) != 40 || !reflect.DeepEqual(faults[5*pod+i], want) {
				t.Fatalf("%d faults, number %d is not %+v", len(faults), 5*pod+i, want)
			}
		}
	}
	first, _ := place(t, three, "degrade=5:0.25,dir=down,layer=core,place=first", 1)
	if !reflect.DeepEqual(first, faults[:5]) {
		t.Errorf("the first five of the network are %+v, want those of the first pod", first)
	}
	faults, _ = place(t, FatTree{Hosts: 128, Tiers: 3}, "switches=1,place=aligned", 1)
	failed := fattree.Fault{Ports: FatTree{Hosts: 128, Tiers: 3}.Ports(Part{Tier: 1, Switch: 4, WholeSwitch: true})}
	if len(faults) != 8 || !reflect.DeepEqual(faults[1], failed) {
		t.Errorf("%d switches fail, want the first of each of 8 pods: %+v", len(faults), faults)
	}
}

// TestNumbersAreOfTheNetwork: without a place a number counts cables or switches of the whole network.
// Each stream may draw other ones. [Failure.Number] is the number placed.
func TestNumbersAreOfTheNetwork(t *testing.T) {
	for _, tree := range []FatTree{{Hosts: 64}, {Hosts: 128, Tiers: 3}} {
		of := tree.WithDefaults()
		aligned, pods := of.ToRs(), 1
		if of.Tiers == 3 {
			pods = of.ToRs() / of.ToRsPerPod
		}
		for text, want := range map[string]int{
			"cables=1": 1, "cables=3,dir=both,at=5": 3, "degrade=2:0.5": 2, "switches=1,for=9": 1,
			"cables=1,place=first": 1, "switches=2,place=first": 2,
			"cables=1,place=aligned": aligned, "degrade=50%:0.5,place=aligned": aligned * of.UplinksPerToR / 2,
			"switches=1,place=aligned": pods, "ber-cable=1%": 0,
		} {
			failures, err := ParseFailures(text)
			if err != nil {
				t.Fatal(err)
			}
			faults, _ := place(t, tree, text, 1)
			if n, err := failures[0].Number(Planes{Tree: tree}); err != nil || n != want || len(faults) != want {
				t.Errorf("%d tiers, %s: number %d, error %v, %d faults, want %d", of.Tiers, text, n, err, len(faults), want)
			}
		}
		places := map[int]bool{}
		for seed := range uint64(100) {
			faults, _ := place(t, tree, "cables=1", seed)
			places[faults[0].Ports[0]] = true
		}
		if len(places) < 30 { // 100 draws hit fewer than 30 of 64 or 256 cables with a probability below 1e-9
			t.Errorf("%d tiers: 100 streams draw %d places", of.Tiers, len(places))
		}
	}
	if n, err := (Failure{Kind: Cables, Count: 65}).Number(Planes{Tree: FatTree{Hosts: 64}}); err == nil || !strings.Contains(err.Error(), "must be in [1, 64]") {
		t.Errorf("65 of 64 cables: %d, error %v", n, err)
	}
}

// TestPlaceRandom: the number counts in the whole network, places differ between streams but not for the
// same stream, and all ToRs stay connected although half of all cables have failed in both directions.
func TestPlaceRandom(t *testing.T) {
	tree := FatTree{Hosts: 64}
	for seed := range uint64(50) {
		faults, _ := place(t, tree, "cables=50%,dir=both", seed)
		again, _ := place(t, tree, "cables=50%,dir=both", seed)
		other, _ := place(t, tree, "cables=50%,dir=both", seed+1)
		if len(faults) != 32 || !reflect.DeepEqual(faults, again) || reflect.DeepEqual(faults, other) {
			t.Fatalf("seed %d: %d faults, want 32 that depend on the stream alone", seed, len(faults))
		}
		if _, err := fattree.Build(fattree.Spec{Topology: tree, Workload: tornado(64, 1000), Faults: faults}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestPlaceRefuses: errors name the failure that has no place.
func TestPlaceRefuses(t *testing.T) {
	two := FatTree{Hosts: 16}
	for _, c := range []struct {
		tree       FatTree
		text, want string
	}{
		{two, "cables=10%,place=aligned", "failures (cables=10%,place=aligned) must be in [1, 4] after rounding, and is 0 of 4"},
		{two, "cables=5,place=aligned", "failures (cables=5,place=aligned) must be in [1, 4] after rounding, and is 5 of 4"},
		{two, "cables=2%", "failures (cables=2%) must be in [1, 16] after rounding, and is 0 of 16"},
		{two, "cables=17", "failures (cables=17) must be in [1, 16] after rounding, and is 17 of 16"},
		{two, "switches=100%", "only 3 of 4 can fail without cutting the last one"},
		{two, "cables=100%", "can fail without cutting the last one"},
		{two, "degrade=1:0.5,layer=core", "must have no layer=core: a network of 2 tiers has no core"},
		{FatTree{Hosts: 128, Tiers: 3}, "cables=17,layer=core,place=aligned", "must be in [1, 16] after rounding"},
		{FatTree{Hosts: 8, Tiers: 1}, "cables=1", "a network of one tier has no cable"},
		{two, "flow=0,paths=1..4", "failures (flow=0,paths=1..4) must have paths in [0, 3], the uplinks of a ToR"},
	} {
		failures, err := ParseFailures(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Place(c.tree, failures, mc.NewStream(1, mc.Workload, 0).Source()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
	// An aligned failure that cuts is refused by name of the flow.
	faults, _ := place(t, two, "cables=4,place=aligned", 1)
	if _, err := fattree.Build(fattree.Spec{Topology: two, Workload: tornado(16, 1000), Faults: faults}); err == nil || !strings.Contains(err.Error(), "last path of flow 0 between hosts 0 and 8") {
		t.Errorf("error %v", err)
	}
}

// TestPlaceRefusesInvalidFailures: a Failure that cannot come from a text is refused with its field, its
// value and the range.
func TestPlaceRefusesInvalidFailures(t *testing.T) {
	const percent = "must be in (0, 100] without a Count"
	source := mc.NewStream(1, mc.Workload, 0).Source()
	for _, c := range []struct {
		failure Failure
		want    string
	}{
		{Failure{Kind: "junk", Count: 1}, `Kind ("junk") must be one of [cables switches degrade links transceivers ports ber-cable ber-switch loss flow]`},
		{Failure{Kind: Degrade, Count: 1, Rate: 7}, "Rate (7) must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths"},
		{Failure{Kind: Degrade, Count: 1, Rate: math.NaN()}, "Rate (NaN) must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths"},
		{Failure{Kind: Degrade, Count: 1}, "Rate (0) must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths"},
		{Failure{Kind: SwitchErrors, Percent: 1, Rate: 0.5}, "Rate (0.5) must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths"},
		{Failure{Kind: Cables, Count: 1, Rate: 1}, "Rate (1) must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths"},
		{Failure{Kind: Cables, Count: 1, Loss: 100}, "Loss (100) must be in [0, 100), and 0 of bit errors"},
		{Failure{Kind: Switches, Count: 1, Loss: math.NaN()}, "Loss (NaN) must be in [0, 100), and 0 of bit errors"},
		{Failure{Kind: PacketLoss, Percent: 1, Loss: 1}, "Loss (1) must be in [0, 100), and 0 of bit errors"},
		{Failure{Kind: CableErrors, Percent: 200}, "Percent (200) must be in (0, 100)"},
		{Failure{Kind: SwitchErrors, Percent: 100}, "Percent (100) must be in (0, 100)"},
		{Failure{Kind: CableErrors, Percent: 1, Count: 1}, "Count (1) must be 0: bit errors have a Percent"},
		{Failure{Kind: Switches, Count: 1, Direction: Down}, "Direction (down) must be Up, Down or Both, and Up unless cables fail or are degraded"},
		{Failure{Kind: Cables, Count: 1, Direction: 3}, "Direction (3) must be Up, Down or Both, and Up unless cables fail or are degraded"},
		{Failure{Kind: CableErrors, Percent: 1, Core: true}, "Core (true) must be false unless cables fail or are degraded"},
		{Failure{Kind: Cables, Count: 1, Place: 9}, "Place (9) must be Random, Aligned, First, Spread or AtToR, the last two not of Switches; Random of bit errors, and Named of NamedLinks alone"},
		{Failure{Kind: CableErrors, Percent: 1, Place: First}, "Place (first) must be Random, Aligned, First, Spread or AtToR, the last two not of Switches; Random of bit errors, and Named of NamedLinks alone"},
		{Failure{Kind: Cables, Percent: math.NaN()}, "Percent (NaN) " + percent},
		{Failure{Kind: Cables, Percent: 101}, "Percent (101) " + percent},
		{Failure{Kind: Cables}, "Percent (0) " + percent},
		{Failure{Kind: Cables, Count: -1}, "Count (-1) must be in [0, 2097152]"},
		{Failure{Kind: Cables, Count: 1, Plane: 10}, "Plane (8) must be EveryPlane, but not of NICPorts; or, not of bit errors, AnyPlane or FirstPlane + k, k below 8"},
		{Failure{Kind: NICPorts, Count: 1}, "Plane (all) must be EveryPlane, but not of NICPorts; or, not of bit errors, AnyPlane or FirstPlane + k, k below 8"},
		{Failure{Kind: FlowPaths, Flows: "0", Paths: "x"}, "Flows (\"0\") must be of FlowPaths, which must have Paths, and only a Loss and times besides: numbers or ranges such as 0..7"},
		{Failure{Kind: FlowPaths, Flows: "0", Paths: "1", Plane: AnyPlane}, "Flows (\"0\") must be of FlowPaths, which must have Paths, and only a Loss and times besides: numbers or ranges such as 0..7"},
		{Failure{Kind: FlowPaths, Percent: 1}, "Flows (\"\") must be of FlowPaths, which must have Paths, and only a Loss and times besides: numbers or ranges such as 0..7"},
		{Failure{Kind: Cables, Count: 1, Paths: "1"}, "Flows (\"\") must be of FlowPaths, which must have Paths, and only a Loss and times besides: numbers or ranges such as 0..7"},
		{Failure{Kind: PacketLoss, Percent: 1, Plane: AnyPlane}, "Plane (random) must be EveryPlane, but not of NICPorts; or, not of bit errors, AnyPlane or FirstPlane + k, k below 8"},
		{Failure{Kind: Cables, Count: 1, Plane: AnyPlane, Place: First}, "Plane (random) must be EveryPlane or FirstPlane + k unless Place is Random"},
		{Failure{Kind: Cables, Count: 1, Down: 5}, "Down (5 ps) must be above 0 and below Period (0 ps), which is at most 1000000000000000 ps"},
		{Failure{Kind: CableErrors, Percent: 1, Period: 5, Down: 5}, "Down (5 ps) must be above 0 and below Period (5 ps), which is at most 1000000000000000 ps"},
		{Failure{Kind: Switches, Count: 1, Period: 1e15 + 1, Down: 5}, "Down (5 ps) must be above 0 and below Period (1000000000000001 ps), which is at most 1000000000000000 ps"},
		{Failure{Kind: Cables, Count: 1, Start: -5}, "Start (-5 ps) must be in [0, 1000000000000000 ps]"},
		{Failure{Kind: Cables, Count: 1, Start: 1, For: math.MaxInt64}, "For (9223372036854775807 ps) must be in [0, 1000000000000000 ps]"},
	} {
		faults, errs, err := Place(FatTree{Hosts: 16}, []Failure{{Kind: Cables, Count: 1, Place: Aligned}, c.failure}, source)
		if want := "topology: failures[1]." + c.want; err == nil || err.Error() != want || faults != nil || errs != nil {
			t.Errorf("%+v: %v, %v, error %v, want %q", c.failure, faults, errs, err, want)
		}
	}
	_, _, err := Place(FatTree{Hosts: 16}, []Failure{{Kind: Cables, Count: 1}}, nil)
	if want := "topology: source (<nil>) must be set: the places of failures[0] are random"; err == nil || err.Error() != want {
		t.Errorf("random places without a source: error %v, want %q", err, want)
	}
	fixed := []Failure{{Kind: Cables, Count: 1, Place: First}, {Kind: SwitchErrors, Percent: 1}}
	if _, _, err := Place(FatTree{Hosts: 16}, fixed, nil); err != nil {
		t.Errorf("nothing is drawn, but without a source: error %v", err)
	}
}

// TestPlaceBySeed: a failure with a seed has the same places for any source and draws nothing from it.
// Another seed, or another failure with the same seed, has other places.
func TestPlaceBySeed(t *testing.T) {
	tree := FatTree{Hosts: 1024}
	ports := func(text string, replica uint64) (list []int) {
		faults, _ := place(t, tree, text, replica)
		for _, f := range faults {
			list = append(list, f.Ports...)
		}
		return list
	}
	one := ports("cables=20,seed=7", 1)
	if len(one) != 20 || !reflect.DeepEqual(one, ports("cables=20,seed=7", 2)) || reflect.DeepEqual(one, ports("cables=20,seed=8", 1)) {
		t.Errorf("seed 7: %v, want 20 places of this seed alone", one)
	}
	if two := ports("cables=20,seed=7;cables=20,seed=7,at=5", 1); !reflect.DeepEqual(one, two[:20]) || reflect.DeepEqual(two[:20], two[20:]) {
		t.Errorf("two failures of one seed: %v", two)
	}
	if mixed := ports("cables=20,seed=7;cables=20,at=1", 3); !reflect.DeepEqual(mixed[20:], ports("cables=20,at=1", 3)) {
		t.Errorf("a failure beside one with a seed: %v", mixed[20:])
	}
	list, err := ParseFailures("cables=1,seed=7")
	if _, _, errPlace := Place(tree, list, nil); err != nil || errPlace != nil {
		t.Errorf("without a source: errors %v and %v", err, errPlace)
	}
}

// TestNumberOfInvalid: the number of places in a network, or of a failure, that is not valid is an error. A tree of
// 2^40 hosts would have filled the memory.
func TestNumberOfInvalid(t *testing.T) {
	one := Failure{Kind: Cables, Count: 1}
	for want, f := range map[string]func() (int, error){
		"Hosts (1099511627776)":   func() (int, error) { return one.Number(Planes{Tree: FatTree{Hosts: 1 << 40, HostsPerToR: 1}}) },
		"Planes (-1)":             func() (int, error) { return one.Number(Planes{Tree: FatTree{Hosts: 16}, Planes: -1}) },
		"failures[0].Kind (\"\")": func() (int, error) { return Failure{}.Number(Planes{Tree: FatTree{Hosts: 16}}) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestPlaceLosses: losses are fractions of the links' packets, with a rate or at the full rate; links that only lose
// packets, or are slow, cut no path, so all may be hit at random; and rows count them apart from failures.
func TestPlaceLosses(t *testing.T) {
	tree := FatTree{Hosts: 16}
	for text, want := range map[string]struct {
		rate, loss float64
		places     int
		column     string
	}{
		"cables=100%,loss=20%":               {0, 0.2, 16, "lossy_cables"},
		"cables=100%,rate=0.5":               {0.5, 0, 16, "slow_cables"},
		"links=tor0:spine1,loss=1%,rate=0.5": {0.5, 0.01, 1, "slow_cables"},
		"switches=1,loss=0.5%,flap=9:1":      {0, 0.005, 1, "lossy_switches"},
		"switches=4,rate=0.25":               {0.25, 0, 4, "slow_switches"},
	} {
		list, err := ParseFailures(text)
		if err != nil {
			t.Fatal(err)
		}
		faults, _, err := Place(tree, list, mc.NewStream(1, mc.Workload, 0).Source())
		if err != nil || len(faults) != want.places || list[0].Column() != want.column {
			t.Fatalf("%s: %d places, want %d, in %s, want %s; error %v", text, len(faults), want.places, list[0].Column(), want.column, err)
		}
		for _, f := range faults {
			if f.Rate != want.rate || f.Loss != want.loss || f.Period != list[0].Period {
				t.Errorf("%s: %+v", text, f)
			}
		}
	}
}

// TestPlaceErrors: percentages become probabilities of the links, of the switches or of a packet's whole path, in
// their time.
func TestPlaceErrors(t *testing.T) {
	_, got := place(t, FatTree{Hosts: 16}, "ber-cable=1%;ber-switch=0.5%,at=5,for=10;loss=25%,at=3,flap=7:2", 1)
	const us = fattree.Microsecond
	want := []fattree.Corruption{{PerCable: 0.01}, {PerSwitch: 0.005, Start: 5 * us, End: 15 * us}, {PerPacket: 0.25, Start: 3 * us, Period: 7 * us, Down: 2 * us}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
