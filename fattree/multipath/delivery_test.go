package multipath

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// TestFiresOnDelivery: a flow fires its trigger when its last packet arrives: one slot later for each further packet,
// and as long before its end as the way of the ACK takes.
func TestFiresOnDelivery(t *testing.T) {
	const slot = 83_000
	var first fattree.Picoseconds
	for packets := range int64(6) {
		sends, waits := nettest.Message(0, 9, 4086*(packets+1)), nettest.Message(9, 0, 1)
		sends.Fires, sends.FiresOnDelivery, waits.StartedBy = 1, true, 1
		n := build(t, fattree.Spec{
			Topology: topology.FatTree{Hosts: 16, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{sends, waits}, Triggers: []fattree.Trigger{{}}},
		})
		flows := execute(t, n, newMRC(t)).Flows
		if packets == 0 {
			first = flows[1].Start
		}
		if got, want := flows[1].Start-first, packets*slot; int64(got) != want {
			t.Errorf("%d packets: the second flow starts %d ps later than after one packet, want %d", packets+1, got, want)
		}
		if back := flows[0].End - flows[1].Start; back < n.Unloaded(0)/3 || back > n.Unloaded(0)*2/3 {
			t.Errorf("%d packets: the flow ends %d ps after the delivery, with an FCT of %d", packets+1, back, n.Unloaded(0))
		}
	}
}
