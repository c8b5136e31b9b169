package fattree

import "math"

// The least default queues, under Artifact and under the other rules. A bandwidth-delay product of few packets
// would give queues so short that random spraying overflows them: fully loaded ports queue tens of packets however
// short the round trip is ([Bonato26] sec. 5).
const (
	leastQueue      = 100
	leastUltraQueue = 25
)

// The least bandwidth-delay product that thresholds of marks follow: marks begin at 2 packets or more. Thresholds
// follow the product even if the queue is at its least. Without marks, REPS would stay on the ports that it has
// found, however uneven.
const leastMarked = 7

// SinkBDP is the bandwidth-delay product assumed before a sink, which has no round trip: the default network's,
// rounded.
const SinkBDP = 100.4

// Numbers of the default horizon.
const (
	leastHorizon = Picoseconds(100_000_000_000)
	horizonSlack = 100
)

// WithDefaults returns s with defaults for every field that is 0, except Options. The defaults of queues, marks
// and the horizon follow from the network if its topology is valid: see [Profile].
func (s Spec) WithDefaults() Spec {
	orDefault(&s.MTU, 4150)
	orDefault(&s.HeaderBytes, 64)
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
	case s.Transport != Artifact:
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

// ultraDefaults sets fields that are 0 to the defaults of UltraEthernet. They follow from bdp, the bandwidth-delay
// product of a link in packets, rounded up. A queue holds this many packets, at least leastUltraQueue, or five
// times as many without trimming. Marks are from 20 to 80 % of the product.
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

// defaultHorizon returns a time by which the workload ends unless something is wrong. It is the sum of the last
// start, a round trip for each flow that waits for another, and horizonSlack times a round trip and the time of
// the busiest host's packets on the slowest link. If the topology has a method that tells the oversubscription,
// the time is longer by this factor.
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
	ratio := 1.0
	if of, tells := t.Topology.(interface{ Oversubscription() float64 }); tells {
		ratio = max(1, of.Oversubscription())
	}
	slowest, _ := t.rates()
	wire := float64(busiest) * float64(t.MTU) * 8000 / slowest
	needs := float64(start) + float64(float64(trips)*float64(t.longestRTT())) + float64(horizonSlack*ratio*wire)
	most := float64(MaxSlots * t.slot)
	return max(min(leastHorizon, Picoseconds(most)), Picoseconds(min(needs, most)))
}
