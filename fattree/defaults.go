package fattree

import "math"

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

// WithDefaults returns s with the default in place of every zero field except Options. If the topology is valid, the
// defaults of queues, marks and the horizon follow from the network and the [Profile].
func (s Spec) WithDefaults() Spec {
	orDefault(&s.MTU, 4150)
	orDefault(&s.HeaderBytes, 64)
	orDefault(&s.PMax, 1)
	if !s.timed() {
		orDefault(&s.Queue, leastQueue)
		orDefault(&s.Horizon, leastHorizon)
		return s
	}
	t := s.timing()
	ofLink := SinkBDP
	if !t.Sink {
		ofLink = t.linkBDP()
	}
	marked := float64(s.Queue)
	switch {
	case s.Profile != Artifact:
		t.ultraDefaults(ofLink)
	case s.Queue == 0:
		marked = min(max(leastMarked, math.Round(ofLink)), float64(t.mostQueue()))
		s.Queue = int(max(leastQueue, marked))
	}
	if s.KMin == 0 && s.KMax == 0 {
		s.KMin, s.KMax = int(math.Round(0.25*marked)), int(math.Round(0.76*marked))
	}
	if s.Horizon == 0 {
		s.Horizon = t.defaultHorizon()
	}
	return s
}

// orDefault sets a field that is zero.
func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// ultraDefaults sets zero fields to the defaults of UltraEthernet. They follow from the bandwidth-delay product of a
// link in whole packets, rounded up. A queue holds as many packets, at least leastUltraQueue, and five times as many
// without trimming. Marks lie between 20 and 80 % of the product.
func (t *timing) ultraDefaults(bdp float64) {
	whole := max(leastMarked, int(math.Ceil(bdp)))
	queue := max(leastUltraQueue, whole)
	if t.DisableTrimming {
		queue *= ultraUntrimmed
	}
	orDefault(&t.Queue, queue)
	if t.KMin == 0 && t.KMax == 0 {
		t.KMin, t.KMax = (whole+4)/5, (4*whole+4)/5
	}
}

// defaultHorizon returns a time by which the workload ends unless something is wrong. It is the last start, a round
// trip for each flow that waits for another, and horizonSlack times the sum of a round trip and the time of the
// busiest host's packets on the slowest link. The latter time grows with the oversubscription, if the topology has a
// method that returns it.
func (t *timing) defaultHorizon() Picoseconds {
	sums := make([]int64, 2*t.Hosts) // packets sent and received, by host
	busiest, start, trips := int64(0), Picoseconds(0), horizonSlack
	for _, f := range t.Workload.Flows {
		start = max(start, f.Start)
		if f.StartedBy != NoTrigger {
			trips++
		}
		for i, host := range []Host{f.Source, f.Destination} {
			if host >= 0 && int(host) < t.Hosts { // Validate reports other hosts
				sum := &sums[2*int(host)+i]
				*sum += t.Packets(f.Bytes)
				busiest = max(busiest, *sum)
			}
		}
	}
	slowest, _ := t.rates()
	wire := float64(busiest) * float64(t.MTU) * 8000 / slowest
	needs := float64(start) + float64(float64(trips)*float64(t.longestRTT())) + float64(horizonSlack*oversubscription(t.Topology)*wire)
	most := float64(MaxSlots * t.slot)
	return max(min(leastHorizon, Picoseconds(most)), Picoseconds(min(needs, most)))
}

// Oversubscription returns the oversubscription of the topology, at least 1; 1 if the topology has no method of this
// name. O(1).
func (n *Network) Oversubscription() float64 { return n.built().oversubscription }

// oversubscription returns the oversubscription of a topology that tells it, and otherwise 1.
func oversubscription(t Topology) float64 {
	if of, tells := t.(interface{ Oversubscription() float64 }); tells {
		return max(1, of.Oversubscription())
	}
	return 1
}
