package fattree

import "math"

// A slot is the time of a full packet on the fastest link, or the part of it that makes round trips as long as they
// are: where latencies are shorter than a packet, a network of whole packets' times would lengthen each link.

// Limits of the rounding of a round trip to slots, as parts of it.
const (
	wantedRounding = 0.01 // slots are divided until no path's is larger
	mostRounding   = 0.5
	mostParts      = 50 // of a packet: 1/50 a link is 2 % of a round trip without latencies
)

// SlotTime returns the length of a slot in picoseconds, rounded up. Defaults must be applied, and Topology be set.
// O(kinds of paths + faults), at most mostParts times.
func (s Spec) SlotTime() Picoseconds {
	o := s.Topology.Outline()
	return s.slotTime(o, s.parts(o))
}

// slotTime returns the length of a slot of which a full packet takes some parts on the fastest link.
func (s *Spec) slotTime(o Outline, parts int) Picoseconds {
	return Picoseconds(math.Ceil(float64(s.MTU) * 8000 / o.fastest() / float64(parts)))
}

// parts returns the slots of a full packet on the fastest link: the fewest with which no round trip is longer than it
// should be by more than wantedRounding, as far as slow links, which take so many times as many, allow.
func (s *Spec) parts(o Outline) int {
	if o.Sink {
		return 1
	}
	slowest := 1.0
	for _, f := range s.Faults {
		if f.Rate > 0 {
			slowest = min(slowest, f.Rate)
		}
	}
	most := int(min(mostParts, max(1, slowest*o.slowest()/o.fastest()/LeastRate)))
	for parts := 1; parts < most; parts++ {
		if s.rounding(o, parts) <= wantedRounding {
			return parts
		}
	}
	return most
}

// Rounding returns the part by which whole slots lengthen the round trip of some path, the most of all paths; 0
// within wantedRounding on all networks but those whose links differ in rate a hundredfold. Defaults must be
// applied, and Topology be set.
func (s Spec) Rounding() float64 {
	o := s.Topology.Outline()
	if o.Sink {
		return 0
	}
	return s.rounding(o, s.parts(o))
}

// rounding is Rounding for slots of which a full packet takes some on the fastest link.
func (s *Spec) rounding(o Outline, parts int) (worst float64) {
	for _, path := range o.Paths {
		worst = max(worst, s.modelledRTT(o, path, parts)/float64(s.unloadedRTT(o, path))-1)
	}
	return worst
}

// linkTimes holds the slots that a link takes.
type linkTimes struct {
	latency int32  // of a packet, beyond the slot in which it is sent; at least 1
	headers int32  // of a header; at least 1
	lag     Moment // by which a header is later than that, so that round trips have their length
}

// linkTimes returns the times of the links of a class with some propagation delay, in ns.
func (s *Spec) linkTimes(o Outline, class int, propagation float64, parts int) (t linkTimes) {
	slot, gbps := float64(s.slotTime(o, parts)), o.Links[class].Gbps
	// A slot is on top of it: what the link takes longer belongs to the way.
	slower := float64(float64(s.MTU) * 8 * (1/gbps - 1/o.fastest()))
	if parts > 1 {
		slower = float64(s.MTU)*8/gbps - slot/1000
	}
	t.latency = max(1, int32(math.Round(1000*(propagation+slower)/slot)))
	// Headers make up for the parts of slots that packets lack.
	both := 2*propagation + slower + float64(s.HeaderBytes)*8/gbps
	headers := float64(1000*both)/slot - float64(t.latency)
	t.headers = max(1, int32(headers))
	t.lag = Moment(math.Round(max(0, headers-float64(t.headers)) * float64(aSlot)))
	return t
}

// propagation returns the propagation delay of the links of a class in ns, and that of the switches beside them: a
// path has one switch fewer than links, so that those of hosts count half.
func (o Outline) propagation(class int) float64 {
	delay := o.Links[class].LatencyNs + o.SwitchLatencyNs
	if class == 0 || class == 1 && o.Paths[0].Links[0] == 0 { // of network cards
		delay -= float64(o.SwitchLatencyNs / 2)
	}
	return delay
}
