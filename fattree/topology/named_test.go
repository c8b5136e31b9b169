package topology

import (
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
)

// portsOf returns the ports that the faults of a text hit, without random places.
func portsOf(t *testing.T, tree FatTree, text string) (ports []int) {
	t.Helper()
	faults, _ := place(t, tree, text, 1)
	for _, f := range faults {
		ports = append(ports, f.Ports...)
	}
	return ports
}

// TestNamedLinks: names stand for the ports of the links in both tiers, each once. The wiring confirms
// it: the port leads to the named switch.
func TestNamedLinks(t *testing.T) {
	two := FatTree{Hosts: 64}.WithDefaults()
	three := FatTree{Hosts: 128, Tiers: 3}.WithDefaults() // 32 ToRs, 32 aggregation switches, 16 cores
	double := FatTree{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2}.WithDefaults()
	up := func(tree FatTree, tier int, pairs ...[2]int) (ports []int) { // of switch and uplink
		for _, pair := range pairs {
			ports = append(ports, tree.up(tier, pair[0], pair[1]))
		}
		return ports
	}
	for _, c := range []struct {
		tree FatTree
		text string
		want []int
	}{
		{two, "links=tor0:spine0..2", up(two, 0, [2]int{0, 0}, [2]int{0, 1}, [2]int{0, 2})},
		{two, "links=tor7:spine7+tor0..1:spine3", up(two, 0, [2]int{7, 7}, [2]int{0, 3}, [2]int{1, 3})},
		{two, "links=tor2:spine1..2+tor2:spine2..3", up(two, 0, [2]int{2, 1}, [2]int{2, 2}, [2]int{2, 3})},
		{two, "links=tor3:spine5,dir=down", []int{two.opposite(0, 3, 5)}},
		{three, "links=tor4:agg5..6", up(three, 0, [2]int{4, 1}, [2]int{4, 2})}, // pod 1 has agg4..7
		{three, "links=agg5:core4..7+tor31:agg31", append(up(three, 1, [2]int{5, 0}, [2]int{5, 1}, [2]int{5, 2}, [2]int{5, 3}), up(three, 0, [2]int{31, 3})...)},
		{double, "links=tor1:spine1", up(double, 0, [2]int{1, 2}, [2]int{1, 3})}, // two parallel cables
	} {
		if got := portsOf(t, c.tree, c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: ports %v, want %v", c.text, got, c.want)
		}
		list, err := ParseFailures(c.text)
		if n, errNumber := list[0].Number(Planes{Tree: c.tree, Planes: 1}); err != nil || errNumber != nil || n != len(c.want) {
			t.Errorf("%s: %d links, errors %v and %v, want %d", c.text, n, err, errNumber, len(c.want))
		}
	}
}

// TestNamedLinksRefused: errors name the switch or link that does not exist, and what exists.
func TestNamedLinksRefused(t *testing.T) {
	for _, c := range []struct {
		tree       FatTree
		text, want string
	}{
		{FatTree{Hosts: 64}, "links=tor8:spine0", "must name switches that exist, tor0..7, spine0..7: tor8 of tor8:spine0 is none"},
		{FatTree{Hosts: 64}, "links=tor0:spine0+tor1:spine0..8", "spine8 of tor1:spine0..8 is none"},
		{FatTree{Hosts: 64}, "links=tor0:agg0", "tor0..7, spine0..7: agg0 of tor0:agg0 is none"},
		{FatTree{Hosts: 64}, "links=agg0:core0", "tor0..7, spine0..7: agg0 of agg0:core0 is none"},
		{FatTree{Hosts: 128, Tiers: 3}, "links=tor0:spine0", "tor0..31, agg0..31, core0..15: spine0 of tor0:spine0 is none"},
		{FatTree{Hosts: 128, Tiers: 3}, "links=tor0:agg4", "must name links that exist: no link is tor0:agg4; a tor has links to the 4 agg of its pod, an agg to 4 core"},
		{FatTree{Hosts: 64}, "links=tor5..2:spine0", "must name links that exist: no link is tor5..2:spine0; a tor has links to the 8 spine"},
	} {
		failures, err := ParseFailures(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Place(c.tree, failures, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"links=":                            `link "" must be two switches such as tor0:spine0..7`,
		"links=tor0":                        `link "tor0" must be two switches`,
		"links=spine0:tor0":                 `link "spine0:tor0" must be two switches`,
		"links=tor0:core0":                  `link "tor0:core0" must be two switches`,
		"links=tor0:spine0+":                `link "" must be two switches`,
		"links=tor0:spine99999999":          `link "tor0:spine99999999" must be two switches`,
		"links=tor0:spine0,rate=1.5":        `rate ("1.5") must be a fraction in (0, 1]`,
		"links=tor0:spine0,place=first":     `option "place" of links must be rate, loss, dir, plane, at, for or flap`,
		"links=tor0:spine0,plane=random":    "plane=random goes with random places, not named ones",
		"cables=1,loss=0.5":                 `loss ("0.5") must be a percentage in [0%, 100%), such as 0.01%`,
		"links=tor0:spine0,rate=0.5,rate=1": `"rate" is given twice`,
	} {
		if _, err := ParseFailures(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestNamedLinksInPlanes: names stand for links of every plane, or of one.
func TestNamedLinksInPlanes(t *testing.T) {
	p := Planes{Tree: FatTree{Hosts: 16}, Planes: 2}
	for text, planes := range map[string][]int{"links=tor1:spine2": {0, 1}, "links=tor1:spine2,plane=1,rate=0.25": {1}} {
		list, err := ParseFailures(text)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for _, plane := range planes {
			want = append(want, p.Ports(Part{Switch: 1, Uplink: 2}, plane)...)
		}
		faults, _, err := p.Place(list, nil)
		if err != nil || !reflect.DeepEqual(faults, []fattree.Fault{{Ports: want, Rate: list[0].Rate}}) {
			t.Errorf("%s: %+v, error %v, want ports %v", text, faults, err, want)
		}
		if n, err := list[0].Number(p); n != len(planes) || err != nil {
			t.Errorf("%s: %d links, error %v", text, n, err)
		}
	}
}

// TestPlaceByToRs: spread takes the first uplinks of evenly spaced ToRs, then their second uplinks. tor:K
// takes the uplinks of one ToR.
func TestPlaceByToRs(t *testing.T) {
	three := FatTree{Hosts: 128, Tiers: 3}.WithDefaults() // 32 ToRs and 32 aggregation switches with 4 uplinks each
	for _, c := range []struct {
		text string
		tier int
		want [][2]int // switch and uplink
	}{
		{"degrade=4:0.5,place=spread", 0, [][2]int{{0, 0}, {8, 0}, {16, 0}, {24, 0}}},
		{"cables=3,place=spread", 0, [][2]int{{0, 0}, {10, 0}, {21, 0}}},
		{"cables=2,place=spread,layer=core", 1, [][2]int{{0, 0}, {16, 0}}},
		{"cables=3,place=tor:5,at=100,for=100", 0, [][2]int{{5, 0}, {5, 1}, {5, 2}}},
		{"cables=50%,place=tor:31", 0, [][2]int{{31, 0}, {31, 1}}},
	} {
		var want []int
		for _, at := range c.want {
			want = append(want, three.up(c.tier, at[0], at[1]))
		}
		if got := portsOf(t, three, c.text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: ports %v, want %v", c.text, got, want)
		}
	}
	got := portsOf(t, three, "cables=34,place=spread")
	if len(got) != 34 || got[31] != three.up(0, 31, 0) || got[32] != three.up(0, 0, 1) || got[33] != three.up(0, 16, 1) {
		t.Errorf("34 links on 32 ToRs: %v", got)
	}
	planes := Planes{Tree: FatTree{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 8}, Planes: 2}
	for text, want := range map[string]int{"ports=1,place=tor:3,plane=1": 1, "transceivers=2,place=spread": 16, "transceivers=1,place=tor:0,plane=0": 4} {
		list, err := ParseFailures(text)
		faults, _, errPlace := planes.Place(list, nil)
		n, errNumber := list[0].Number(planes)
		if err != nil || errPlace != nil || errNumber != nil || n != want || len(faults) == 0 {
			t.Errorf("%s: %d links, want %d; errors %v, %v, %v", text, n, want, err, errPlace, errNumber)
		}
	}
	for text, want := range map[string]string{
		"cables=1,place=tor:32":           "must be at one of the ToRs 0 to 31, without layer=core",
		"cables=1,place=tor:3,layer=core": "without layer=core",
		"cables=5,place=tor:0":            "must be in [1, 4] after rounding, and is 5 of 4",
		"cables=129,place=spread":         "must be in [1, 128] after rounding",
	} {
		list, err := ParseFailures(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Place(three, list, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
