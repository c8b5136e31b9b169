package fattree

import "math"

// The least default queues, under Artifact and under the other rules. A bandwidth-delay product of few packets would
// make them so short that random spraying overflows them: fully loaded ports queue tens of packets however short the
// round trip is ([Bonato26] sec. 5).
const (
	leastQueue      = 100
	leastUltraQueue = 25
)

// The least bandwidth-delay product that thresholds of marks follow: marks begin at 2 packets or more. Marks follow a
// product below the least queue too, since without marks REPS stays on the ports that it has found, however uneven.
const leastMarked = 7

// SinkBDP is the bandwidth-delay product in packets taken before a sink, which has no round trip: the default
// network's, rounded.
const SinkBDP = 100.4

// Numbers of the default horizon.
const (
	leastHorizon = Picoseconds(100_000_000_000)
	horizonSlack = 100
)

// WithDefaults returns s with every zero field but Options replaced by its default. The defaults of queues, marks and
// the horizon follow from the network, as far as the topology is valid: see [Profile].
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

// ultraDefaults sets zero fields to the defaults of UltraEthernet, by the bandwidth-delay product of a link in whole
// packets, rounded up: queues of as many packets, at least leastUltraQueue, or five times as many without trimming;
// and marks from 20 to 80 % of it.
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

// defaultHorizon returns a time by which the workload ends unless something is wrong: after the last start, a round
// trip for each flow that waits for another, and horizonSlack times a round trip and what the packets of the busiest
// host take on the slowest link, and longer by the oversubscription if the topology has a method that tells it.
func (t *timing) defaultHorizon() Picoseconds {
	sums := make([]int64, 2*t.Hosts) // packets sent and received, by host
	busiest, start, trips := int64(0), Picoseconds(0), horizonSlack
	for _, f := range t.Workload.Flows {
		start = max(start, f.Start)
		if f.StartedBy != NoTrigger {
			trips++
		}
		for i, host := range []Host{f.Source, f.Destination} {
			if host >= 0 && int(host) < t.Hosts { // which Validate checks
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
