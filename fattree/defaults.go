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

// The bandwidth-delay product before a sink, which has no round trip: the default network's, rounded.
const sinkBDP = 100.4

// Numbers of the default horizon.
const (
	leastHorizon = Picoseconds(100_000_000_000)
	horizonSlack = 100
)

// WithDefaults returns s with every zero field but InitialWindow replaced by its default. The defaults of queues,
// marks, windows, ACKs, time-outs and the horizon follow from the network, as far as the topology is valid: see
// [Profile].
func (s Spec) WithDefaults() Spec {
	orDefault(&s.MTU, 4150)
	orDefault(&s.HeaderBytes, 64)
	if validTopology(s.Topology) != nil || s.MTU <= s.HeaderBytes || s.HeaderBytes < 1 {
		orDefault(&s.AckRatio, 1)
		orDefault(&s.Queue, leastQueue)
		orDefault(&s.Horizon, leastHorizon)
		return s
	}
	t := s.timing()
	bdp, ofLink := sinkBDP, sinkBDP
	if !t.Sink {
		bdp, ofLink = t.bdps()
	}
	marked := float64(s.Queue)
	switch {
	case s.Transport != Artifact:
		t.ultraDefaults(ofLink)
	case s.Queue == 0:
		marked = min(max(leastMarked, math.Round(ofLink)), float64(t.mostQueue()))
		s.Queue = int(max(leastQueue, marked))
	}
	orDefault(&s.AckRatio, 1)
	if s.KMin == 0 && s.KMax == 0 {
		s.KMin, s.KMax = int(math.Round(0.25*marked)), int(math.Round(0.76*marked))
	}
	if s.Transport != Artifact || t.Sink {
		orDefault(&s.InitialWindow, int(math.Ceil(1.5*bdp)))
	}
	if s.RTO == 0 {
		s.RTO = t.defaultRTO()
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
// marks from 20 to 80 % of it; and an ACK for 16,384 bytes, or for so many fewer that windows do not run empty before
// it. MRC acknowledges each packet.
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
	if t.Transport == UltraEthernet {
		orDefault(&t.AckRatio, max(1, min(AckRatioOf(ultraAckBytes, t.MTU), t.steadyRatio())))
	}
}

// steadyRatio returns the most packets per ACK with which a window of one and a half bandwidth-delay products, or of
// fewer packets as given, does not run empty on any path before an ACK is back: what is left of it, in whole packets,
// when one product is under way.
func (t *timing) steadyRatio() (packets int) {
	packets = math.MaxInt32
	for _, path := range t.Paths {
		bdp := float64(t.roundTrip(path)) / t.packetTime(path)
		window := int(1.5 * bdp)
		if t.InitialWindow > 0 {
			window = min(window, t.InitialWindow)
		}
		packets = min(packets, window-int(math.Ceil(bdp)))
	}
	return packets
}

// defaultRTO returns the longest RTT and the time to drain four full queues, whatever the length of a path; the queues
// of links slower than a host's drain at their own rates, and queues shorter than the packets of an ACK count as many,
// because receivers wait for them. [UEC-htsim] has six queues, and at least 15 us in the place of the RTT. MRC takes
// the least period of its timer that is as long, from 128 ticks on.
func (t *timing) defaultRTO() (rto Picoseconds) {
	queues := 4.0
	if t.Transport == UltraEthernet {
		queues, rto = ultraRTOQueues, ultraLeastRTO
	}
	host := 8000 / t.Links[0].Gbps // ps a byte
	for _, path := range t.Paths {
		perByte := queues * host
		for class, count := range path.Links {
			perByte += float64(float64(count) * max(0, 8000/t.Links[class].Gbps-host))
		}
		least := t.roundTrip(path)
		if t.Transport == UltraEthernet {
			least = max(least, ultraLeastRTO)
		}
		rto = max(rto, least+Picoseconds(math.Round(float64(max(t.Queue, t.AckRatio))*float64(t.MTU)*perByte)))
	}
	if t.Transport == MRC {
		period := leastMRCRTO
		for period < rto {
			period *= 2
		}
		return period
	}
	return rto
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
