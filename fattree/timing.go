package fattree

import "math"

// timing holds what follows from rates, latencies and packets alone: slots, round trips and bandwidth-delay products.
//
// A slot is the time of a full packet on the fastest link, or a part of it: where latencies are shorter than a packet,
// slots of whole packets would lengthen each link.
type timing struct {
	*Spec
	Outline
	parts int         // slots of a full packet on the fastest link
	slot  Picoseconds // rounded up
}

// Limits of what whole slots add to a round trip, as a fraction of it.
const (
	wantedRounding = 0.01 // slots are divided until they add no more to any path
	mostRounding   = 0.5
	mostParts      = 50 // of a packet: 1/50 of a packet for each link is 2 % of a round trip without latencies
)

// timed reports whether s has a valid topology and packets, from which its timing follows.
func (s *Spec) timed() bool {
	return validTopology(s.Topology) == nil && s.HeaderBytes >= 1 && s.MTU > s.HeaderBytes
}

// timing returns the timing with the fewest slots for a packet that add at most wantedRounding, or with as many as the
// slowest link allows, on which a packet takes at most 1/LeastRate slots. MTU and HeaderBytes must be set, and Topology
// be valid. O(kinds of paths + faults), at most mostParts times.
func (s *Spec) timing() timing {
	t := timing{Spec: s, Outline: s.Topology.Outline()}
	slowest, fastest := t.rates()
	part := 1.0
	for _, f := range s.Faults {
		if f.Rate > 0 {
			part = min(part, f.Rate)
		}
	}
	most := int(min(mostParts, max(1, part*slowest/fastest/LeastRate)))
	for t.parts = 1; ; t.parts++ {
		t.slot = Picoseconds(math.Ceil(float64(s.MTU) * 8000 / fastest / float64(t.parts)))
		if t.Sink || t.parts == most || t.rounding() <= wantedRounding {
			return t
		}
	}
}

// rounding returns what whole slots add to the round trip of some path, as a fraction of it: the most of all paths.
func (t *timing) rounding() (worst float64) {
	for _, path := range t.Paths {
		worst = max(worst, t.modelledRTT(path)/float64(t.unloadedRTT(path))-1)
	}
	return worst
}

// linkTimes holds the slots that a link takes.
type linkTimes struct {
	latency int32  // of a packet, beyond the slot in which it is sent; at least 1
	headers int32  // of a header; at least 1
	lag     Moment // what a header takes beyond these slots, so that round trips have their length
}

// link returns the slots that the links of a class take.
func (t *timing) link(class int) (of linkTimes) {
	slot, gbps := float64(t.slot), t.Links[class].Gbps
	// A path has one switch fewer than links: the links of hosts, or of their network cards, count half a switch.
	propagation := t.Links[class].LatencyNs + t.SwitchLatencyNs
	if class == 0 || class == 1 && t.Paths[0].Links[0] == 0 {
		propagation -= float64(t.SwitchLatencyNs / 2)
	}
	// What a packet takes beyond its first slot belongs to the way.
	_, fastest := t.rates()
	slower := float64(float64(t.MTU) * 8 * (1/gbps - 1/fastest))
	if t.parts > 1 {
		slower = float64(t.MTU)*8/gbps - slot/1000
	}
	of.latency = max(1, int32(math.Round(1000*(propagation+slower)/slot)))
	// Headers make up for the parts of slots that packets lack.
	both := 2*propagation + slower + float64(t.HeaderBytes)*8/gbps
	headers := float64(1000*both)/slot - float64(of.latency)
	of.headers = max(1, int32(headers))
	of.lag = Moment(math.Round(max(0, headers-float64(of.headers)) * float64(aSlot)))
	return of
}

// unloadedRTT returns the round-trip time of a full packet and its ACK on a path of a kind, without queueing.
func (t *timing) unloadedRTT(path Path) Picoseconds {
	total := 0.0 // ns
	for class, count := range path.Links {
		link := t.Links[class]
		total += float64(float64(2*count)*link.LatencyNs) + float64(count)*float64(t.MTU+t.HeaderBytes)*8/link.Gbps
	}
	total += float64(float64(2*(path.hops()-1)) * t.SwitchLatencyNs)
	return Picoseconds(math.Round(1000 * total))
}

// modelledRTT returns the same time in slots and parts of one, in picoseconds.
func (t *timing) modelledRTT(path Path) float64 {
	moments := int64(0)
	for class, count := range path.Links {
		of := t.link(class)
		moments += int64(count) * (int64(1+of.latency+of.headers)*int64(aSlot) + int64(of.lag))
	}
	return float64(moments) / float64(aSlot) * float64(t.slot)
}

// roundTrip returns the round-trip time from which windows and time-outs follow: the unloaded one, or the modelled one
// if whole slots add more than wantedRounding.
func (t *timing) roundTrip(path Path) Picoseconds {
	unloaded, modelled := t.unloadedRTT(path), t.modelledRTT(path)
	if t.Sink || modelled <= (1+wantedRounding)*float64(unloaded) {
		return unloaded
	}
	return Picoseconds(modelled)
}

// longestRTT returns the longest round-trip time of all kinds of paths.
func (t *timing) longestRTT() (longest Picoseconds) {
	for _, path := range t.Paths {
		longest = max(longest, t.roundTrip(path))
	}
	return longest
}

// packetTime returns the time in which a host sends a packet along a kind of paths, in picoseconds: over all its links,
// under UltraEthernet over one, or at the rate of all equal-cost paths together if this is lower.
func (t *timing) packetTime(path Path) float64 {
	gbps := t.Links[0].Gbps
	if t.Transport != UltraEthernet {
		gbps *= float64(max(1, t.HostLinks))
	}
	return float64(t.MTU) * 8000 / min(gbps, path.Gbps)
}

// linkBDP returns a bandwidth-delay product in packets: what one link of a host carries in the longest round trip.
func (t *timing) linkBDP() (packets float64) {
	var longest Picoseconds
	for _, path := range t.Paths {
		if rtt := t.roundTrip(path); rtt > longest {
			longest, packets = rtt, float64(rtt)/(float64(t.MTU)*8000/min(t.Links[0].Gbps, path.Gbps))
		}
	}
	return packets
}

// Trip holds the times of a kind of paths without queueing.
type Trip struct {
	Path
	Classes    []Link      // of the links that Path.Links counts; the first one has the links of hosts
	RTT        Picoseconds // of a full packet and its ACK, as modelled if whole slots add more than 1 %
	PacketTime float64     // in which a host sends a packet, in picoseconds; see [Network.PacketTime]
}

// BDP returns the bandwidth-delay product in packets: what a host sends in the round trip.
func (t Trip) BDP() float64 { return float64(t.RTT) / t.PacketTime }

// Trips returns the times of each kind of paths, none if the topology is not valid. Defaults must be applied. O(kinds of
// paths).
func (s Spec) Trips() (list []Trip) {
	if !s.timed() {
		return nil
	}
	t := s.timing()
	return t.trips()
}

// trips returns the times of each kind of paths.
func (t *timing) trips() (list []Trip) {
	for _, path := range t.Paths {
		list = append(list, Trip{path, t.Links, t.roundTrip(path), t.packetTime(path)})
	}
	return list
}

// SlotTime returns the length of a slot in picoseconds, rounded up. Defaults must be applied, and Topology be set.
func (s Spec) SlotTime() Picoseconds { return s.timing().slot }

// LongestRTT returns the longest round-trip time of a full packet and its ACK without queueing, in picoseconds, as
// modelled if whole slots add more than 1 %. Defaults must be applied, and Topology be set. O(kinds of paths).
func (s Spec) LongestRTT() Picoseconds {
	t := s.timing()
	return t.longestRTT()
}

// Rounding returns the fraction of a round trip that whole slots add to it, at most: up to 1 %, or more if a link is so
// slow that a packet takes 1/LeastRate slots there. Defaults must be applied, and Topology be set, without a sink.
func (s Spec) Rounding() float64 {
	t := s.timing()
	return t.rounding()
}

// LongestBDP returns the largest bandwidth-delay product of all kinds of paths in packets: what a host sends in a
// round trip. Defaults must be applied, and Topology be set, without a sink. O(kinds of paths).
func (s Spec) LongestBDP() (packets float64) {
	for _, trip := range s.Trips() {
		packets = max(packets, trip.BDP())
	}
	return packets
}
