package fattree

import "math"

// The least default queues, under Artifact and under the other rules. A bandwidth-delay product of few packets would
// make them so short that random spraying overflows them: fully loaded ports queue tens of packets however short the
// round trip is ([Bonato26] sec. 2.2).
const (
	leastQueue      = 100
	leastUltraQueue = 25
)

// The least bandwidth-delay product from whose parts ports mark: marks from 2 packets on. They follow the product
// below the least queue too, since without them REPS stays on the ports that it has found, however uneven.
const leastMarked = 7

// The bandwidth-delay product before a sink, which has no round trip: that of the default network, rounded.
const sinkBDP = 100.4

// Numbers of the default horizon.
const (
	leastHorizon = Picoseconds(100_000_000_000)
	horizonSlack = 100 // round trips, and times as long as the bytes of the busiest host take on the slowest link
)

// WithDefaults returns s with every zero field replaced by its default. Those of queues, marks, windows, ACKs,
// time-outs and the horizon follow from the network, as far as the topology is valid: see [Profile].
func (s Spec) WithDefaults() Spec {
	orDefault(&s.MTU, 4150)
	orDefault(&s.HeaderBytes, 64)
	measurable := s.Topology != nil && s.Topology.Validate() == nil && s.MTU > s.HeaderBytes && s.HeaderBytes > 0
	bdp, ofLink := sinkBDP, sinkBDP // of hosts, and of one of their links
	var o Outline
	if measurable {
		if o = s.Topology.Outline(); !o.Sink {
			bdp, ofLink = s.bdps(o)
		}
	}
	switch {
	case s.Transport == Artifact || !measurable:
		orDefault(&s.AckRatio, 1)
		marked := float64(s.Queue)
		if s.Queue == 0 {
			marked = max(leastMarked, math.Round(ofLink))
			s.Queue = int(max(leastQueue, min(marked, float64(o.mostQueue()))))
		}
		if s.KMin == 0 && s.KMax == 0 {
			s.KMin, s.KMax = int(math.Round(0.25*marked)), int(math.Round(0.76*marked))
		}
	default:
		s.ultraDefaults(o, ofLink)
	}
	if s.Transport != Artifact || o.Sink {
		orDefault(&s.InitialWindow, int(math.Ceil(1.5*bdp)))
	}
	if measurable {
		if s.RTO == 0 {
			s.RTO = s.defaultRTO(o)
		}
		if s.Horizon == 0 {
			s.Horizon = s.defaultHorizon(o)
		}
	}
	orDefault(&s.Horizon, leastHorizon)
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
// packets, rounded up: queues of as many packets, at least leastUltraQueue, or five times as many without trimming; marks from 20 to 80 % of it; and an
// ACK in 16,384 bytes, or so many fewer that windows do not run empty before it, with MRC for each packet.
func (s *Spec) ultraDefaults(o Outline, bdp float64) {
	whole := max(leastMarked, int(math.Ceil(bdp)))
	queue := max(leastUltraQueue, whole)
	if s.DisableTrimming {
		queue *= ultraUntrimmed
	}
	orDefault(&s.Queue, queue)
	if s.KMin == 0 && s.KMax == 0 {
		s.KMin, s.KMax = (whole+4)/5, (4*whole+4)/5
	}
	ratio := 1
	if s.Transport == UltraEthernet {
		ratio = AckRatioOf(ultraAckBytes, s.MTU)
		for _, path := range o.Paths {
			ratio = min(ratio, steadyRatio(float64(s.unloadedRTT(o, path))/s.packetTime(o, path)))
		}
	}
	orDefault(&s.AckRatio, ratio)
}

// steadyRatio returns the most packets per ACK with which the window of a bandwidth-delay product never runs empty
// before an ACK is back: what is left of one and a half products, in whole packets, when one is under way.
func steadyRatio(bdp float64) int { return max(1, int(1.5*bdp)-int(math.Ceil(bdp))) }

// defaultRTO returns the longest RTT and the time to drain four full queues, of [UEC-htsim] 15 us, if an RTT is
// no longer, and six, whatever the length of a path; the queues of links slower than a host's drain at their rates. That of MRC is the least
// period of its timer that leaves time for the longest RTT and four full queues, but not less than 64 ticks.
func (s *Spec) defaultRTO(o Outline) (rto Picoseconds) {
	queues := 4.0
	if s.Transport == UltraEthernet {
		queues = ultraRTOQueues
	}
	host := 8000 / o.Links[0].Gbps // ps a byte
	for _, path := range o.Paths {
		perByte := queues * host
		for class, count := range path.Links {
			perByte += float64(float64(count) * max(0, 8000/o.Links[class].Gbps-host))
		}
		drain := Picoseconds(math.Round(float64(s.Queue) * float64(s.MTU) * perByte))
		switch s.Transport {
		case UltraEthernet:
			rto = max(rto, max(ultraLeastRTO, s.unloadedRTT(o, path))+drain)
		case MRC:
			least := s.unloadedRTT(o, path) + drain
			for rto = max(rto, leastMRCRTO); rto < least; {
				rto *= 2
			}
		default:
			rto = max(rto, s.unloadedRTT(o, path)+drain)
		}
	}
	return rto
}

// defaultHorizon returns a time by which the workload ends unless something is wrong: after the last start, a round
// trip for each flow that waits for another, and horizonSlack times a round trip and what the bytes of the busiest host
// take on the slowest link.
func (s *Spec) defaultHorizon(o Outline) Picoseconds {
	bytes := make([]float64, 2*o.Hosts) // sent and received
	busiest, start, waiting := 0.0, Picoseconds(0), 0
	for _, f := range s.Workload.Flows {
		start = max(start, f.Start)
		if f.StartedBy != NoTrigger {
			waiting++
		}
		for i, host := range []Host{f.Source, f.Destination} {
			if host >= 0 && int(host) < o.Hosts { // which Validate checks
				sum := &bytes[2*int(host)+i]
				*sum += float64(f.Bytes)
				busiest = max(busiest, *sum)
			}
		}
	}
	wire := float64(s.MTU) / float64(s.PayloadBytes())
	needs := float64(start) + float64(float64(waiting+horizonSlack)*float64(s.longestRTT(o))) + float64(horizonSlack*busiest*wire*8000/o.slowest())
	most := float64(MaxSlots * s.SlotTime())
	return max(min(leastHorizon, Picoseconds(most)), Picoseconds(min(needs, most)))
}
