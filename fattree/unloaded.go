package fattree

import "math"

// Lone describes the completion of a flow that has the network to itself. Times are in
// picoseconds.
type Lone struct {
	WireBytes float64 // of all its packets, headers included
	After     float64 // lower bound of the time from when its last byte passes any link of its path until its end
	FCT       float64 // its completion time
}

// Alone returns the completion of a message of some bytes alone in the network of outline o,
// sprayed over all paths of a kind, if the tightest stage on its path passes gbps: exact for a
// sender that fills its link, and a lower bound for any other. The Spec must have its defaults,
// but for the topology, and the network no sink. O(1).
func (s Spec) Alone(o Outline, path Path, bytes int64, gbps float64) Lone {
	propagation := float64(float64(path.hops()-1) * o.SwitchLatencyNs) // ns, one way
	perByte, slowest := 0.0, 0.0                                       // ns, of all hops and of the slowest
	for class, count := range path.Links {
		if count == 0 {
			continue
		}
		propagation += float64(float64(count) * o.Links[class].LatencyNs)
		hop := 8 / o.Links[class].Gbps
		perByte, slowest = perByte+float64(float64(count)*hop), max(slowest, hop)
	}
	payload := int64(s.PayloadBytes())
	full := (bytes - 1) / payload
	last := float64(bytes - full*payload + int64(s.HeaderBytes))
	all := float64(float64(full)*float64(s.MTU)) + last

	nic := 8 / o.Links[0].Gbps
	back := float64(2*propagation) + float64(float64(s.HeaderBytes)*perByte)
	after := float64(last*(perByte-slowest)) + back
	late := after
	if gbps == o.Links[0].Gbps {
		late = float64(last*(perByte-nic)) + back
		if full > 0 {
			// The last packet but one is full and may be the one that is late.
			late = max(late, float64(float64(s.MTU)*(perByte-nic))-float64(last*nic)+back)
		}
	}
	fct := all*8/gbps + late
	if o.HostLinks > 1 {
		// One link carries its share of the packets, rounded up.
		before := float64((full+int64(o.HostLinks))/int64(o.HostLinks) - 1)
		fct = max(fct, float64((float64(before*float64(s.MTU))+last)*nic)+float64(last*(perByte-nic))+back)
	}
	return Lone{WireBytes: all, After: 1000 * after, FCT: 1000 * fct}
}

// Unloaded returns the completion time of a flow alone in the healthy network,
// the usual denominator of a slowdown: a lower bound of any run's. The network must have no sink. O(1).
func (n *Network) Unloaded(flow int32) Picoseconds {
	path := n.outline.Paths[n.routes[flow].path]
	return Picoseconds(math.Round(n.spec.Alone(n.outline, path, n.spec.Workload.Flows[flow].Bytes, path.Gbps).FCT))
}

// unloadedRTT returns the round-trip time of a full packet and its ACK on a path of a kind,
// without queueing.
func (s *Spec) unloadedRTT(o Outline, path Path) Picoseconds {
	total := 0.0 // ns
	for class, count := range path.Links {
		link := o.Links[class]
		total += float64(float64(2*count)*link.LatencyNs) + float64(count)*float64(s.MTU+s.HeaderBytes)*8/link.Gbps
	}
	total += float64(float64(2*(path.hops()-1)) * o.SwitchLatencyNs)
	return Picoseconds(math.Round(1000 * total))
}

// LongestRTT returns the longest round-trip time of a full packet and its ACK without queueing. Defaults must
// be applied, and Topology be set. O(kinds of paths).
func (s Spec) LongestRTT() Picoseconds { return s.longestRTT(s.Topology.Outline()) }

// ModelledRTT is LongestRTT in the whole slots of the model. Defaults must be applied, and Topology be set.
func (s Spec) ModelledRTT() Picoseconds {
	o := s.Topology.Outline()
	if o.Sink {
		return s.SlotTime()
	}
	rtt := 0.0
	for _, path := range o.Paths {
		rtt = max(rtt, s.modelledRTT(o, path, s.parts(o)))
	}
	return Picoseconds(math.Round(rtt))
}

// modelledRTT returns the round-trip time of a full packet and its ACK on a path of a kind in slots of which a full
// packet takes some on the fastest link, in picoseconds.
func (s *Spec) modelledRTT(o Outline, path Path, parts int) float64 {
	moments := int64(0)
	for class, count := range path.Links {
		t := s.linkTimes(o, class, o.propagation(class), parts)
		moments += int64(count) * (int64(1+t.latency+t.headers)*int64(aSlot) + int64(t.lag))
	}
	return float64(moments) / float64(aSlot) * float64(s.slotTime(o, parts))
}

// longestRTT returns the longest unloaded round-trip time.
func (s *Spec) longestRTT(o Outline) (longest Picoseconds) {
	for _, path := range o.Paths {
		longest = max(longest, s.unloadedRTT(o, path))
	}
	return longest
}

// senderGbps returns the rate at which a host may send: of all its links, under UltraEthernet of one.
func (s *Spec) senderGbps(o Outline) float64 {
	if s.Transport == UltraEthernet {
		return o.Links[0].Gbps
	}
	return o.Links[0].Gbps * float64(max(1, o.HostLinks))
}

// packetTime returns the time in which a host sends a packet along a kind of paths, in picoseconds: at its rate or, if
// that is lower, at that of all equal-cost paths together.
func (s *Spec) packetTime(o Outline, path Path) float64 {
	return float64(s.MTU) * 8000 / min(s.senderGbps(o), path.Gbps)
}

// bdps returns bandwidth-delay products in packets: the largest of all kinds of paths, which is what a host sends in a
// round trip, and that of one of its links on the path with the longest round trip.
func (s *Spec) bdps(o Outline) (largest, farthest float64) {
	var longest Picoseconds
	for _, path := range o.Paths {
		rtt, packet := s.unloadedRTT(o, path), s.packetTime(o, path)
		largest = max(largest, float64(rtt)/packet)
		if rtt > longest {
			longest, farthest = rtt, float64(rtt)/(float64(s.MTU)*8000/min(o.Links[0].Gbps, path.Gbps))
		}
	}
	return largest, farthest
}

// LongestWindow returns InitialWindow or, if that is 0, the largest initial window of a flow, in packets. Defaults must
// be applied, and Topology be set.
func (s Spec) LongestWindow() int {
	if s.InitialWindow > 0 {
		return s.InitialWindow
	}
	return int(math.Ceil(1.5 * s.LongestBDP()))
}

// LongestBDP returns the largest bandwidth-delay product of all kinds of paths in packets: what a host sends in a
// round trip. Defaults must be applied, and Topology be set, without a sink. O(kinds of paths).
func (s Spec) LongestBDP() float64 {
	largest, _ := s.bdps(s.Topology.Outline())
	return largest
}
