package fattree

import "math"

// Lone describes the completion of a flow that has the network to itself. Times are in
// picoseconds.
type Lone struct {
	WireBytes float64 // of all its packets, headers included
	After     float64 // lower bound of the time from when its last byte passes any link of its path until its end
	FCT       float64 // its completion time
}

// Alone returns the completion of flow f alone in the network, sprayed over all its
// paths, if the tightest stage on its path passes gbps: exact for a sender that fills its
// link, and a lower bound for any other. The Spec must have its defaults and two or more
// tiers. O(1).
func (s Spec) Alone(f Flow, gbps float64) Lone {
	t := s.Topology
	climb := t.Climb(f.Source, f.Destination)
	propagation := float64(float64(2*climb+1) * t.SwitchLatencyNs) // ns, one way
	perByte, slowest := 0.0, 0.0                                   // ns, of all hops and of the slowest
	for tier := 0; tier <= climb; tier++ {
		propagation += float64(2 * t.link(tier).LatencyNs)
		hop := 8 / t.link(tier).Gbps
		perByte, slowest = perByte+float64(2*hop), max(slowest, hop)
	}
	payload := int64(s.PayloadBytes())
	full := (f.Bytes - 1) / payload
	last := float64(f.Bytes - full*payload + int64(s.HeaderBytes))
	all := float64(float64(full)*float64(s.MTU)) + last

	nic := 8 / t.Access.Gbps
	back := float64(2*propagation) + float64(float64(s.HeaderBytes)*perByte)
	after := float64(last*(perByte-slowest)) + back
	late := after
	if gbps == t.Access.Gbps {
		late = float64(last*(perByte-nic)) + back
		if full > 0 {
			// The last packet but one is full and may be the one that is late.
			late = max(late, float64(float64(s.MTU)*(perByte-nic))-float64(last*nic)+back)
		}
	}
	return Lone{WireBytes: all, After: 1000 * after, FCT: 1000 * (all*8/gbps + late)}
}

// Unloaded returns the completion time of a flow alone in the healthy network,
// the usual denominator of a slowdown: a lower bound of any run's, up to the
// rounding of latencies to slots. There must be two tiers or more. O(1).
func (n *Network) Unloaded(flow int32) Picoseconds {
	t := n.spec.Topology
	f := n.spec.Workload.Flows[flow]
	gbps := t.Access.Gbps
	switch n.routes[flow].climb {
	case 2:
		gbps = min(gbps, float64(t.AggsPerPod()*t.UplinksPerAgg)*t.Core.Gbps)
		fallthrough
	case 1:
		gbps = min(gbps, float64(t.UplinksPerToR)*t.Fabric.Gbps)
	}
	return Picoseconds(math.Round(n.spec.Alone(f, gbps).FCT))
}
