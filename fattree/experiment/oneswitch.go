package experiment

import (
	"cmp"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/faults"
)

// OneSwitch is the balls-into-bins set-up of the network: hosts on one switch with ports to an ideal sink. Every
// host sends in each slot if its window allows. A packet is marked if its port held more than Threshold packets,
// including the packet itself. Threshold is τ in packages ballsbins and recycled.
type OneSwitch struct {
	Bins      int // number of ports, and of hosts
	Threshold int // packets, at least 1
	Delay     int // slots from a packet's departure to the arrival of its ACK
	Window    int // packets in flight per host; 0 is no limit
	Rounds    int // slots during which hosts have packets to send
}

// Spec returns the specification of the network. Entropy values are port numbers, so balancers need Bins EVs; set
// Choose to nil to hash them instead. It panics if a field is out of range. O(bins).
func (o OneSwitch) Spec() fattree.Spec {
	bad := faults.List{Package: "experiment"}
	bad.In("OneSwitch.Bins", o.Bins, 2, fattree.MaxHosts)
	bad.In("OneSwitch.Threshold", o.Threshold, 1, 1<<30)
	bad.In("OneSwitch.Delay", o.Delay, 0, 1<<20)
	bad.In("OneSwitch.Window", o.Window, 0, 1<<20)
	bad.In("OneSwitch.Rounds", o.Rounds, 0, fattree.MaxSlots-1)
	if err := bad.Err(); err != nil {
		panic(err)
	}
	s := fattree.Spec{
		Topology: topology.FatTree{Hosts: o.Bins, Tiers: 1},
		// No queue length lies between KMin and KMax, so marking is a step. Equal values would both be 0 at a
		// threshold of 1, which means the defaults.
		KMin: o.Threshold - 1, KMax: o.Threshold,
		Options:  transport.Options{InitialWindow: cmp.Or(o.Window, 1<<20)},
		AckDelay: o.Delay,
		Choose:   func(_ int32, ev uint16, _ int) int { return int(ev) },
	}
	p, err := s.Resolve()
	if err != nil {
		panic(err) // the fields are in range
	}
	s = p.Spec()
	s.Horizon = fattree.Picoseconds(o.Rounds+1) * p.SlotTime()
	for host := range o.Bins {
		s.Workload.Flows = append(s.Workload.Flows, fattree.NewFlow(fattree.Host(host), fattree.Host((host+1)%o.Bins), int64(o.Rounds+1)*int64(s.PayloadBytes()), 0))
	}
	return s
}
