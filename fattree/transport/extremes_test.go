package transport

import (
	"math"
	"math/bits"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// TestExtremes: hosts finish their flows in networks at the limits of Build: the networks without an
// error in TestOverflow of package fattree.
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

// TestLongTimeouts: a time-out longer than the 2^16 slots that senders can note for a packet ends on
// time, to within 2^coarse slots.
func TestLongTimeouts(t *testing.T) {
	tree := Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}
	for _, slots := range []fattree.Picoseconds{65_535, 65_536, 300_001, 4_000_000} {
		s := fattree.Spec{
			Topology: tree, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 4086)}}, DisableTrimming: true,
			Faults: []fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0), End: 20_000_000}}, Options: Options{RTO: slots * 83_000}, Horizon: 3 * slots * 83_000,
		}
		r := execute(t, s, new(uniform), steady{})
		alone := s
		alone.Faults = nil
		late := r.Flows[0].End - execute(t, alone, new(uniform), steady{}).Flows[0].End - OptionsOf(nettest.Plan(s)).RTO
		if r.Retransmitted != 1 || late < 0 || late > 83_000<<bits.Len64(uint64(slots)>>16) {
			t.Errorf("%d slots: %d packets sent again, %d ps after the time-out", slots, r.Retransmitted, late)
		}
	}
}
