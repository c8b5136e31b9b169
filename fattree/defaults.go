package fattree

import (
	"cmp"
	"math"
)

// The shortest default queues in packets, under Artifact and under the other profiles. Queues of a small
// bandwidth-delay product would overflow by random spraying alone: fully loaded ports queue tens of packets however
// short the round trip is ([Bonato26] sec. 5).
const (
	leastQueue      = 100
	leastUltraQueue = 25
)

// leastMarked is the smallest bandwidth-delay product from which the thresholds of marks are derived, so that marks
// begin at 2 packets or more. The thresholds follow products below the shortest queue too: without marks REPS would
// stay on the ports that it has found, however uneven their load.
const leastMarked = 7

// SinkBDP is the bandwidth-delay product of a network with a sink, in packets. It is the rounded value of the default
// network, because a sink has no round trip.
const SinkBDP = 100.4

// Numbers of the default horizon.
const (
	leastHorizon = Picoseconds(100_000_000_000)
	horizonSlack = 100
)

// applyDefaults sets zero fields of the spec, except Options, to their defaults. If packets are valid, the defaults of
// queues, marks and the horizon follow from the network and the [Profile].
func (p *Plan) applyDefaults() {
	s := &p.spec
	s.MTU = cmp.Or(s.MTU, 4150)
	s.HeaderBytes = cmp.Or(s.HeaderBytes, 64)
	s.PMax = cmp.Or(s.PMax, 1)
	if s.HeaderBytes < 1 || s.MTU <= s.HeaderBytes {
		s.Queue = cmp.Or(s.Queue, leastQueue)
		s.Horizon = cmp.Or(s.Horizon, leastHorizon)
		return
	}
	p.divideSlots()
	ofLink := SinkBDP
	if !p.outline.Sink {
		ofLink = p.linkBDP()
	}
	marked := float64(s.Queue)
	switch {
	case s.Profile != Artifact:
		p.ultraDefaults(ofLink)
	case s.Queue == 0:
		marked = min(max(leastMarked, math.Round(ofLink)), float64(p.outline.mostQueue()))
		s.Queue = int(max(leastQueue, marked))
	}
	if s.KMin == 0 && s.KMax == 0 {
		s.KMin, s.KMax = int(math.Round(0.25*marked)), int(math.Round(0.76*marked))
	}
	if s.Horizon == 0 {
		s.Horizon = p.defaultHorizon()
	}
}

// ultraDefaults sets zero fields to the defaults of UltraEthernet. They follow from the bandwidth-delay product of a
// link in whole packets, rounded up. A queue holds as many packets, at least leastUltraQueue, and five times as many
// without trimming. Marks lie between 20 and 80 % of the product.
func (p *Plan) ultraDefaults(bdp float64) {
	whole := max(leastMarked, int(math.Ceil(bdp)))
	queue := max(leastUltraQueue, whole)
	if p.spec.DisableTrimming {
		queue *= ultraUntrimmed
	}
	p.spec.Queue = cmp.Or(p.spec.Queue, queue)
	if p.spec.KMin == 0 && p.spec.KMax == 0 {
		p.spec.KMin, p.spec.KMax = (whole+4)/5, (4*whole+4)/5
	}
}

// defaultHorizon returns a time by which the workload ends unless something is wrong. It is the last start, a round
// trip for each flow that waits for another, and horizonSlack times the sum of a round trip and the time of the
// busiest host's packets on the slowest link. The latter time grows with the oversubscription.
func (p *Plan) defaultHorizon() Picoseconds {
	sums := make([]int64, 2*p.outline.Hosts) // packets sent and received, by host
	busiest, start, trips := int64(0), Picoseconds(0), horizonSlack
	for _, f := range p.spec.Workload.Flows {
		start = max(start, f.Start)
		if f.StartedBy != NoTrigger {
			trips++
		}
		for i, host := range []Host{f.Source, f.Destination} {
			if host >= 0 && int(host) < p.outline.Hosts { // Resolve reports other hosts
				sum := &sums[2*int(host)+i]
				*sum += p.spec.Packets(f.Bytes)
				busiest = max(busiest, *sum)
			}
		}
	}
	slowest, _ := p.outline.rates()
	wire := float64(busiest) * float64(p.spec.MTU) * 8000 / slowest
	needs := float64(start) + float64(float64(trips)*float64(p.LongestRTT())) + float64(horizonSlack*max(1, p.outline.Oversubscription)*wire)
	most := float64(MaxSlots * p.slotTime)
	return max(min(leastHorizon, Picoseconds(most)), Picoseconds(min(needs, most)))
}

// Oversubscription returns the oversubscription of the topology, at least 1: see [Outline]. O(1).
func (n *Network) Oversubscription() float64 { return max(1, n.built().outline.Oversubscription) }
