package topology_test

import (
	"errors"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
)

// handmade is a network that a user wired: two ToRs, 0 and 1, with two hosts each, and two spines, 2 and
// 3.
type handmade struct {
	topology.FatTree
	switches []fattree.Switch
	ports    [][]fattree.Port
	path     func(from, to fattree.Host) int // nil for the tree's own
	none     bool                            // Wire returns nil
}

func (h *handmade) Path(from, to fattree.Host) int {
	if h.path != nil {
		return h.path(from, to)
	}
	return h.FatTree.Path(from, to)
}

func (h *handmade) Wire() *fattree.Wiring {
	if h.none {
		return nil
	}
	w := fattree.NewWiring(h.Outline())
	for i, s := range h.switches {
		w.Add(s, h.ports[i]...)
	}
	return w
}

// byHand returns the correctly wired network.
func byHand() *handmade {
	tor := func(first int32) fattree.Switch {
		return fattree.Switch{Hosts: 2, FirstHost: first, Below: 2, PerChild: 1, Cables: 1, First: 2, Count: 2}
	}
	spine := fattree.Switch{Below: 4, PerChild: 2, Cables: 1}
	link := func(peers ...int32) (ports []fattree.Port) {
		for _, peer := range peers {
			ports = append(ports, fattree.Port{Peer: peer, Link: 1})
		}
		return ports
	}
	return &handmade{
		FatTree:  topology.FatTree{Hosts: 4},
		switches: []fattree.Switch{tor(0), tor(2), spine, spine},
		ports:    [][]fattree.Port{link(2, 3), link(2, 3), link(0, 1), link(0, 1)},
	}
}

// TestWrongWiring: Build refuses a user's topology with wrong wiring, with FieldErrors that name the
// switch.
func TestWrongWiring(t *testing.T) {
	var w fattree.Workload
	for a := range fattree.Host(4) {
		for b := range fattree.Host(4) {
			if a != b {
				w.Flows = append(w.Flows, fattree.NewFlow(a, b, 10_000, 0))
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(*handmade)
		want  string
	}{
		"right":             {func(*handmade) {}, ""},
		"no wiring":         {func(h *handmade) { h.none = true }, "Topology.Wire() (<nil>) must return a wiring"},
		"host out of range": {func(h *handmade) { h.switches[1].FirstHost = 3 }, "Topology.Wire() (switch 1) must have hosts in [0, 4), not 2 from 3 on"},
		"host twice":        {func(h *handmade) { h.switches[1].FirstHost = 1 }, "(switch 0, port 1) must not lead to host 1, which is attached to switch 1 too"},
		"hosts left": {func(h *handmade) { h.switches, h.ports = h.switches[:1], [][]fattree.Port{nil} },
			"(2) must attach all 4 hosts of Outline.Hosts"},
		"to nowhere":         {func(h *handmade) { h.ports[0][1].Peer = 9 }, "(switch 0, port 3) must lead to another switch in [0, 4), not 9"},
		"to itself":          {func(h *handmade) { h.ports[0][1].Peer = 0 }, "(switch 0, port 3) must lead to another switch in [0, 4), not 0"},
		"no such class":      {func(h *handmade) { h.ports[0][1].Link = 7 }, "(switch 0, port 3) must have a link of a class in [1, 2), not 7"},
		"class of hosts":     {func(h *handmade) { h.ports[0][1].Link = 0 }, "(switch 0) must have links to others of one or two classes"},
		"one way":            {func(h *handmade) { h.ports[0] = h.ports[0][:1]; h.switches[0].Count = 1 }, "must lead back"},
		"one way, two links": {func(h *handmade) { h.ports[0][1].Peer = 2 }, "must lead back"},
		"no way up":          {func(h *handmade) { h.switches[0].Count = 0 }, "(switch 0) must have a Count of ports, or Ranges"},
		"range of none": {func(h *handmade) {
			h.switches[0].Count, h.switches[0].Ranges = 0, []fattree.Range{{End: 4, First: 2}}
		}, "(switch 0, range 0) must be of 1 or more of the 4 ports, not of [2, 2)"},
		"short ranges": {func(h *handmade) {
			h.switches[0].Count, h.switches[0].Ranges = 0, []fattree.Range{{End: 3, First: 2, Count: 2}}
		}, "(switch 0, range 0) ends before host 3"},
		"ports that do not exist": {func(h *handmade) { h.switches[0].Count = 3 }, "(switch 0) has 4 ports, which must include [First, First+Count) = [2, 5)"},
		"too few ports down":      {func(h *handmade) { h.switches[2].PerChild = 1 }, "(switch 2) has 2 ports, which must be enough"},
		"below nothing":           {func(h *handmade) { h.switches[2].Below = 5 }, "(switch 2) must have hosts in [0, 4) below it, not 5 from 0 on"},
		"loop": {func(h *handmade) {
			h.switches[2] = fattree.Switch{Ranges: []fattree.Range{{End: 2, First: 1, Count: 1}, {End: 4, Count: 1}}}
		}, "must be on no path from host 0 to 2"},
		"wrong host": {func(h *handmade) { h.switches[0].PerChild, h.switches[0].Cables = 2, 2 }, "(switch 0) must be on no path from host"},
		"wrong path": {func(h *handmade) { h.path = func(_, _ fattree.Host) int { return 1 } }, "(switch 0) must be on no path from host 0 to 1"},
		"no such path": {func(h *handmade) { h.path = func(_, _ fattree.Host) int { return 2 } },
			"Topology.Path() (2) from host 0 to 1 must be the number of one of the 2 Outline.Paths"},
	} {
		h := byHand()
		c.spoil(h)
		_, err := fattree.Build(fattree.Spec{Topology: h, Workload: w})
		var field *faults.FieldError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &field) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
