package transport

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// TestExtremes: hosts finish their flows in networks at the limits of what Build takes, those of TestOverflow of
// package fattree that are no errors.
func TestExtremes(t *testing.T) {
	tree := Tree{Hosts: 4}
	rates := func(count int) (list []fattree.Fault) {
		for i := range count {
			list = append(list, fattree.Fault{Ports: nettest.Uplink(tree, 0, 0), Rate: 0.5 + float64(i)/float64(4*count)})
		}
		return list
	}
	for name, s := range map[string]fattree.Spec{
		"all rates":        {Faults: rates(fattree.MaxRates - 1)},
		"slow enough":      {Faults: []fattree.Fault{{Ports: tree.Ports(topology.Part{Tier: 1, WholeSwitch: true}), Rate: 1.0 / 1024}}},
		"marking far away": {KMin: 1 << 30, KMax: 1 << 30},
		"late faults":      {Faults: []fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0), Start: math.MaxInt64 - 1, End: math.MaxInt64}}},
	} {
		s.Topology = tree
		s.Workload.Flows = []fattree.Flow{nettest.Message(0, 1, 1), nettest.Message(1, 0, 1)}
		if r := execute(t, s, new(uniform), shrinking{}); r.Finished() != 2 {
			t.Errorf("%s: %d of 2 flows finished", name, r.Finished())
		}
	}
}
