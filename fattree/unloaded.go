package fattree

import "math"

// Lone describes the completion of a flow that has the network to itself. Times are in picoseconds.
type Lone struct {
	WireBytes float64 // bytes of all its packets, headers included
	After     float64 // lower bound of the time from the last byte's passage of any link to the end of the flow
	Back      float64 // lower bound of the time from the delivery of the flow until it ends
	FCT       float64 // completion time
}

// latency returns the one-way latency of all links and switches of a path, in nanoseconds.
func (o Outline) latency(path Path) float64 {
	sum := float64(float64(path.hops()-1) * o.SwitchLatencyNs)
	for class, count := range path.Links {
		if count > 0 {
			sum += float64(float64(count) * o.Links[class].LatencyNs)
		}
	}
	return sum
}

// Latency returns the one-way latency of the links and switches between two hosts, the time of a message of 0
// bytes. Exact to a picosecond, O(path).
func (o Outline) Latency(path Path) Picoseconds {
	return Picoseconds(math.Round(1000 * o.latency(path)))
}

// Alone returns the completion of a message that has the network of outline o to itself and is sprayed over all
// paths of a kind. gbps is the rate of the slowest stage on its path. Packets keep their order: a short last packet
// waits on the last link for the packet before it. The result is exact for a sender that fills its link, and a
// lower bound for any other. Defaults of s must be applied; its Topology is not used. The network
// must have no sink. O(1).
func (s Spec) Alone(o Outline, path Path, bytes int64, gbps float64) Lone {
	propagation := o.latency(path)
	perByte, slowest := 0.0, 0.0 // ns: sum over all hops, and the slowest hop
	for class, count := range path.Links {
		if count == 0 {
			continue
		}
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
	if gbps == o.Links[0].Gbps {
		slowest = nic
	}
	fct := all*8/gbps + float64(last*(perByte-slowest)) + back
	if full > 0 {
		behind := last * nic
		if o.HostLinks > 1 { // the packet before it may take another last link
			behind = 0
		}
		fct = max(fct, float64(full)*float64(s.MTU)*8/gbps+float64(float64(s.MTU)*(perByte-slowest))+behind+back)
	}
	if o.HostLinks > 1 {
		// One link carries its share of the packets, rounded up.
		before := float64((full+int64(o.HostLinks))/int64(o.HostLinks) - 1)
		fct = max(fct, float64((float64(before*float64(s.MTU))+last)*nic)+float64(last*(perByte-nic))+back)
	}
	return Lone{WireBytes: all, After: 1000 * after, Back: 1000 * (back - propagation), FCT: 1000 * fct}
}

// Unloaded returns the completion time of a flow alone in the healthy network, the usual denominator of a
// slowdown. It is a lower bound for any run. The network must have no sink. O(1).
func (n *Network) Unloaded(flow int32) Picoseconds {
	path := n.outline.Paths[n.routes[flow].path]
	return Picoseconds(math.Round(n.spec.Alone(n.outline, path, n.spec.Workload.Flows[flow].Bytes, path.Gbps).FCT))
}
