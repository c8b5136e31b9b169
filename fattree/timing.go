package fattree

import (
	"math"

	"repslab/faults"
)

// timing derives slots, round trips and bandwidth-delay products from rates, latencies and packet sizes.
//
// A slot is the time of a full packet on the fastest link, or a part of that time: if latencies are shorter than a
// packet, slots of whole packets would lengthen each link.
type timing struct {
	*Spec
	Outline
	parts int         // slots of a full packet on the fastest link
	slot  Picoseconds // length of a slot, rounded up
}

// Limits of the time that whole slots add to a round trip, as a fraction of the round trip.
const (
	wantedRounding = 0.01 // slots are divided until they add at most this to any path
	mostRounding   = 0.5
	mostParts      = 50 // slots of a packet: 1/50 of a packet for each link is 2 % of a round trip without latencies
)

// timed reports whether s has a valid topology and valid packets, so that its timing is defined.
func (s *Spec) timed() bool {
	return validTopology(s.Topology) == nil && s.HeaderBytes >= 1 && s.MTU > s.HeaderBytes
}

// timing returns the timing with the fewest slots per packet for which whole slots add at most wantedRounding. The
// slowest link limits the number of slots, because a packet takes at most 1/LeastRate slots there. MTU and HeaderBytes
// must be set, and Topology must be valid. O(kinds of paths + faults), at most mostParts times.
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

// rounding returns the time that whole slots add to a round trip, as a fraction of the round trip, on the path where
// the fraction is largest.
func (t *timing) rounding() (worst float64) {
	for _, path := range t.Paths {
		worst = max(worst, t.modelledRTT(path)/float64(t.unloadedRTT(path))-1)
	}
	return worst
}

// linkTimes holds the times that packets and headers take on a link.
type linkTimes struct {
	latency int32  // slots of a packet after the slot in which it is sent; at least 1
	headers int32  // slots of a header; at least 1
	lag     Moment // time of a header beyond its slots, so that round trips have their exact length
}

// link returns the times of the links of a class in slots.
func (t *timing) link(class int) (of linkTimes) {
	slot, gbps := float64(t.slot), t.Links[class].Gbps
	// A path has one switch fewer than links, so each link of a host, or of its network card, counts half a switch.
	propagation := t.Links[class].LatencyNs + t.SwitchLatencyNs
	if class == 0 || class == 1 && t.Paths[0].Links[0] == 0 {
		propagation -= float64(t.SwitchLatencyNs / 2)
	}
	// The time of a packet beyond its first slot counts as latency.
	_, fastest := t.rates()
	slower := float64(float64(t.MTU) * 8 * (1/gbps - 1/fastest))
	if t.parts > 1 {
		slower = float64(t.MTU)*8/gbps - slot/1000
	}
	of.latency = max(1, int32(math.Round(1000*(propagation+slower)/slot)))
	// Headers make up for the fractions of slots that rounding takes from packets.
	both := 2*propagation + slower + float64(t.HeaderBytes)*8/gbps
	headers := float64(1000*both)/slot - float64(of.latency)
	of.headers = max(1, int32(headers))
	of.lag = Moment(math.Round(max(0, headers-float64(of.headers)) * float64(aSlot)))
	return of
}

// unloadedRTT returns the round-trip time of a full packet and its ACK on a kind of paths, without queueing.
func (t *timing) unloadedRTT(path Path) Picoseconds {
	total := 0.0 // ns
	for class, count := range path.Links {
		link := t.Links[class]
		total += float64(float64(2*count)*link.LatencyNs) + float64(count)*float64(t.MTU+t.HeaderBytes)*8/link.Gbps
	}
	total += float64(float64(2*(path.hops()-1)) * t.SwitchLatencyNs)
	return Picoseconds(math.Round(1000 * total))
}

// modelledRTT returns the round-trip time of a full packet and its ACK in the slots of the model, in picoseconds.
func (t *timing) modelledRTT(path Path) float64 {
	moments := int64(0)
	for class, count := range path.Links {
		of := t.link(class)
		moments += int64(count) * (int64(1+of.latency+of.headers)*int64(aSlot) + int64(of.lag))
	}
	return float64(moments) / float64(aSlot) * float64(t.slot)
}

// roundTrip returns the round-trip time from which windows and time-outs follow. It is the unloaded one, or the
// modelled one if whole slots add more than wantedRounding.
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

// packetTime returns the time in picoseconds that a host takes to send a packet along a kind of paths, over all its
// links. Under UltraEthernet it is the time over one link. If all equal-cost paths together are slower, their rate
// counts.
func (t *timing) packetTime(path Path) float64 {
	gbps := t.Links[0].Gbps
	if t.Profile != UltraEthernet {
		gbps *= float64(max(1, t.HostLinks))
	}
	return float64(t.MTU) * 8000 / min(gbps, path.Gbps)
}

// linkBDP returns a bandwidth-delay product in packets: the packets that one link of a host carries in the longest
// round trip.
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
	Classes    []Link      // link classes, which Path.Links counts; the first class has the links of hosts
	RTT        Picoseconds // round trip of a full packet and its ACK, as modelled if whole slots add more than 1 %
	PacketTime float64     // time that a host takes to send a packet, in picoseconds; see [Network.PacketTime]
}

// BDP returns the bandwidth-delay product in packets: the packets that a host sends in a round trip.
func (t Trip) BDP() float64 { return float64(t.RTT) / t.PacketTime }

// Trips returns the times of each kind of paths, and nil if the topology is not valid. Defaults must be applied.
// O(kinds of paths).
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
// It panics if the topology is not valid or MTU is 0, as LongestRTT and Rounding do.
func (s Spec) SlotTime() Picoseconds { return s.validTiming().slot }

// validTiming is timing for callers that may have forgotten the topology or the defaults.
func (s *Spec) validTiming() timing {
	if err := validTopology(s.Topology); err != nil {
		panic(err)
	}
	if s.MTU == 0 {
		panic(faults.New("fattree", "MTU", 0, "must be set: apply Spec.WithDefaults"))
	}
	return s.timing()
}

// LongestRTT returns the longest round-trip time of a full packet and its ACK without queueing, in picoseconds, as
// modelled if whole slots add more than 1 %. Defaults must be applied, and Topology be set. O(kinds of paths).
func (s Spec) LongestRTT() Picoseconds {
	t := s.validTiming()
	return t.longestRTT()
}

// Rounding returns the time that whole slots add to a round trip, as a fraction of the round trip, on the path where
// the fraction is largest. It is at most 1 %, unless a packet already takes 50 slots on the fastest link or about
// 1/LeastRate slots on the slowest one. Defaults must be applied, and Topology must be set and have no sink.
func (s Spec) Rounding() float64 {
	t := s.validTiming()
	return t.rounding()
}

// LongestBDP returns the largest bandwidth-delay product of all kinds of paths in packets: the packets that a host
// sends in a round trip. Defaults must be applied, and Topology be set, without a sink. O(kinds of paths).
func (s Spec) LongestBDP() (packets float64) {
	s.validTiming()
	for _, trip := range s.Trips() {
		packets = max(packets, trip.BDP())
	}
	return packets
}

// ceilSlot returns the first slot at or after a time.
func (n *Network) ceilSlot(t Picoseconds) int32 {
	return int32(min(Picoseconds(n.horizon), (t+n.slotTime-1)/n.slotTime))
}
