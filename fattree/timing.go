package fattree

import "math"

// A Plan is a [Spec] with everything worked out that needs no wiring: defaults, slots, round trips, and the options of
// the hosts. [Spec.Resolve] makes it, and [Plan.Build] lays out its network. It does not change.
//
// A slot is the time of a full packet on the fastest link, or a part of that time: if latencies are shorter than a
// packet, slots of whole packets would lengthen each link.
type Plan struct {
	spec     Spec        // with defaults applied
	hosts    HostOptions // spec.Options with defaults applied
	outline  Outline
	parts    int         // slots of a full packet on the fastest link
	slotTime Picoseconds // length of a slot, rounded up
	trips    []Trip      // by kind of path
	refused  error       // nil for plans that Resolve returns
}

// made returns p, and panics unless [Spec.Resolve] made it.
func (p *Plan) made() *Plan {
	made(p != nil && p.slotTime != 0, "Plan", "Spec.Resolve")
	return p
}

// Spec returns the specification with defaults applied; its Options are as given, see [Plan.HostOptions]. Its lists are
// the plan's own and must not be changed. O(1).
func (p *Plan) Spec() Spec { return p.made().spec }

// HostOptions returns the options of the hosts with defaults applied, or nil if [Spec].Options is nil. O(1).
func (p *Plan) HostOptions() HostOptions { return p.made().hosts }

// Outline returns the outline of the topology, which must not be changed. O(1).
func (p *Plan) Outline() Outline { return p.made().outline }

// SlotTime returns the length of a slot in picoseconds, rounded up. O(1).
func (p *Plan) SlotTime() Picoseconds { return p.made().slotTime }

// Trips returns the times of each kind of paths, which must not be changed. O(1).
func (p *Plan) Trips() []Trip { return p.made().trips }

// Limits of the time that whole slots add to a round trip, as a fraction of the round trip.
const (
	wantedRounding = 0.01 // slots are divided until they add at most this to any path
	mostRounding   = 0.5
	mostParts      = 50 // slots of a packet: 1/50 of a packet for each link is 2 % of a round trip without latencies
)

// divideSlots finds the slots and round trips: the fewest slots per packet for which whole slots add at most
// wantedRounding. The slowest link limits the number of slots, because a packet takes at most 1/LeastRate slots there.
// MTU and HeaderBytes must be set. O(kinds of paths + faults), at most mostParts times.
func (p *Plan) divideSlots() {
	slowest, fastest := p.outline.rates()
	part := 1.0
	for _, f := range p.spec.Faults {
		if f.Rate > 0 {
			part = min(part, f.Rate)
		}
	}
	most := int(min(mostParts, max(1, part*slowest/fastest/LeastRate)))
	for p.parts = 1; ; p.parts++ {
		p.slotTime = Picoseconds(math.Ceil(float64(p.spec.MTU) * 8000 / fastest / float64(p.parts)))
		if p.outline.Sink || p.parts == most || p.Rounding() <= wantedRounding {
			break
		}
	}
	for _, path := range p.outline.Paths {
		p.trips = append(p.trips, Trip{path, p.outline.Links, p.roundTrip(path), p.packetTime(path)})
	}
}

// Rounding returns the time that whole slots add to a round trip, as a fraction of the round trip, on the path where
// the fraction is largest. It is at most 1 %, unless a packet already takes 50 slots on the fastest link or about
// 1/LeastRate slots on the slowest one. It has no meaning before a sink.
func (p *Plan) Rounding() (worst float64) {
	p.made()
	for _, path := range p.outline.Paths {
		worst = max(worst, p.modelledRTT(path)/float64(p.unloadedRTT(path))-1)
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
func (p *Plan) link(class int) (of linkTimes) {
	slot, gbps := float64(p.slotTime), p.outline.Links[class].Gbps
	// A path has one switch fewer than links, so each link of a host, or of its network card, counts half a switch.
	propagation := p.outline.Links[class].LatencyNs + p.outline.SwitchLatencyNs
	if class == 0 || class == 1 && p.outline.Paths[0].Links[0] == 0 {
		propagation -= float64(p.outline.SwitchLatencyNs / 2)
	}
	// The time of a packet beyond its first slot counts as latency.
	_, fastest := p.outline.rates()
	slower := float64(float64(p.spec.MTU) * 8 * (1/gbps - 1/fastest))
	if p.parts > 1 {
		slower = float64(p.spec.MTU)*8/gbps - slot/1000
	}
	of.latency = max(1, int32(math.Round(1000*(propagation+slower)/slot)))
	// Headers make up for the fractions of slots that rounding takes from packets.
	both := 2*propagation + slower + float64(p.spec.HeaderBytes)*8/gbps
	headers := float64(1000*both)/slot - float64(of.latency)
	of.headers = max(1, int32(headers))
	of.lag = Moment(math.Round(max(0, headers-float64(of.headers)) * float64(aSlot)))
	return of
}

// unloadedRTT returns the round-trip time of a full packet and its ACK on a kind of paths, without queueing.
func (p *Plan) unloadedRTT(path Path) Picoseconds {
	total := 0.0 // ns
	for class, count := range path.Links {
		link := p.outline.Links[class]
		total += float64(float64(2*count)*link.LatencyNs) + float64(count)*float64(p.spec.MTU+p.spec.HeaderBytes)*8/link.Gbps
	}
	total += float64(float64(2*(path.hops()-1)) * p.outline.SwitchLatencyNs)
	return Picoseconds(math.Round(1000 * total))
}

// modelledRTT returns the round-trip time of a full packet and its ACK in the slots of the model, in picoseconds.
func (p *Plan) modelledRTT(path Path) float64 {
	moments := int64(0)
	for class, count := range path.Links {
		of := p.link(class)
		moments += int64(count) * (int64(1+of.latency+of.headers)*int64(aSlot) + int64(of.lag))
	}
	return float64(moments) / float64(aSlot) * float64(p.slotTime)
}

// roundTrip returns the round-trip time from which windows and time-outs follow. It is the unloaded one, or the
// modelled one if whole slots add more than wantedRounding.
func (p *Plan) roundTrip(path Path) Picoseconds {
	unloaded, modelled := p.unloadedRTT(path), p.modelledRTT(path)
	if p.outline.Sink || modelled <= (1+wantedRounding)*float64(unloaded) {
		return unloaded
	}
	return Picoseconds(modelled)
}

// LongestRTT returns the longest round-trip time of a full packet and its ACK without queueing, in picoseconds, as
// modelled if whole slots add more than 1 %. O(kinds of paths).
func (p *Plan) LongestRTT() (longest Picoseconds) {
	for _, trip := range p.made().trips {
		longest = max(longest, trip.RTT)
	}
	return longest
}

// LongestBDP returns the largest bandwidth-delay product of all kinds of paths in packets: the packets that a host
// sends in a round trip. It has no meaning before a sink. O(kinds of paths).
func (p *Plan) LongestBDP() (packets float64) {
	for _, trip := range p.made().trips {
		packets = max(packets, trip.BDP())
	}
	return packets
}

// packetTime returns the time in picoseconds that a host takes to send a packet along a kind of paths, over all its
// links. Under UltraEthernet it is the time over one link. If all equal-cost paths together are slower, their rate
// counts.
func (p *Plan) packetTime(path Path) float64 {
	gbps := p.outline.Links[0].Gbps
	if p.spec.Profile != UltraEthernet {
		gbps *= float64(max(1, p.outline.HostLinks))
	}
	return float64(p.spec.MTU) * 8000 / min(gbps, path.Gbps)
}

// linkBDP returns a bandwidth-delay product in packets: the packets that one link of a host carries in the longest
// round trip.
func (p *Plan) linkBDP() (packets float64) {
	var longest Picoseconds
	for _, trip := range p.trips {
		if trip.RTT > longest {
			longest, packets = trip.RTT, float64(trip.RTT)/(float64(p.spec.MTU)*8000/min(p.outline.Links[0].Gbps, trip.Gbps))
		}
	}
	return packets
}

// Trip holds the times of a kind of paths without queueing.
type Trip struct {
	Path
	Classes    []Link      // link classes, which Path.Links counts; the first class has the links of hosts
	RTT        Picoseconds // round trip of a full packet and its ACK, as modelled if whole slots add more than 1 %
	packetTime float64     // time that a host takes to send a packet, in picoseconds; see [Network.PacketTime]
}

// BDP returns the bandwidth-delay product in packets: the packets that a host sends in a round trip.
func (t Trip) BDP() float64 { return float64(t.RTT) / t.packetTime }

// ceilSlot returns the first slot at or after a time.
func (n *Network) ceilSlot(t Picoseconds) int32 {
	return int32(min(Picoseconds(n.horizon), (t+n.slotTime-1)/n.slotTime))
}
