package transport

import (
	"math"

	"repslab/fattree"
	"repslab/mc"
)

// Limits of [Options].
const (
	MaxAckRatio  = 64
	NoAckRatio   = 1 << 15 // no ACK for the number of packets alone
	mostWindow   = 1 << 20 // packets
	mostRTOSlots = 1 << 22
)

// Numbers of [UEC-htsim].
const (
	ultraAckBytes  = 16384                           // that a receiver acknowledges at once
	ultraLeastRTO  = fattree.Picoseconds(15_000_000) // without queues
	ultraRTOQueues = 6                               // full ones, whose time comes on top
)

// leastMRCRTO is the least local ACK time-out of [MRC26] taken here, 1.024 us times a power of two: 131 us, of the
// benchmark there; the example of a queue pair has twice as much.
const leastMRCRTO = fattree.Picoseconds(1_024_000 << 7)

// windowBDPs is the default window, in bandwidth-delay products.
const windowBDPs = 1.5

// AckRatioOf returns the packets per ACK ([Options].AckRatio) of a receiver that sends an ACK when at least threshold
// bytes have come since the last one, in packets of mtu bytes, by the rules of [UEC-htsim]. Its counter has 16 bits and
// wraps: at 4150 bytes a threshold up to 62,250 gives the packets that it takes, but 64,000 gives 63, not 16, and one
// that the counter does not pass within MaxAckRatio packets NoAckRatio. Both arguments must be at least 1.
// O(MaxAckRatio), exact.
func AckRatioOf(threshold, mtu int) int {
	for packets := 1; packets <= MaxAckRatio; packets++ {
		if packets*mtu%(math.MaxUint16+1) >= threshold {
			return packets
		}
	}
	return NoAckRatio
}

// withDefaults returns o with zeros replaced by the defaults on the network of s, but the window of Artifact, which
// differs by flow. Without trips, because the topology is not valid, time-outs stay 0.
func (o Options) withDefaults(s *fattree.Spec, trips []fattree.Trip, sink bool) Options {
	if o.AckRatio == 0 && s.Transport == fattree.UltraEthernet && len(trips) > 0 {
		o.AckRatio = max(1, min(AckRatioOf(ultraAckBytes, s.MTU), o.steadyRatio(trips)))
	}
	if o.AckRatio == 0 {
		o.AckRatio = 1
	}
	if o.InitialWindow == 0 && len(trips) > 0 {
		if sink {
			o.InitialWindow = windowOf(fattree.SinkBDP)
		} else if s.Transport != fattree.Artifact {
			o.InitialWindow = longestWindow(trips)
		}
	}
	if o.RTO == 0 && len(trips) > 0 {
		o.RTO = o.defaultRTO(s, trips)
	}
	return o
}

// longestWindow returns the default window on the path with the largest bandwidth-delay product.
func longestWindow(trips []fattree.Trip) int {
	bdp := 0.0
	for _, trip := range trips {
		bdp = max(bdp, trip.BDP())
	}
	return windowOf(bdp)
}

// windowOf returns the default window for a bandwidth-delay product, in whole packets.
func windowOf(bdp float64) int { return int(math.Ceil(windowBDPs * bdp)) }

// steadyRatio returns the most packets per ACK with which a window of one and a half bandwidth-delay products, or of
// fewer packets as given, does not run empty on any path before an ACK is back: what is left of it, in whole packets,
// when one product is under way.
func (o *Options) steadyRatio(trips []fattree.Trip) (packets int) {
	packets = math.MaxInt32
	for _, trip := range trips {
		window := int(windowBDPs * trip.BDP())
		if o.InitialWindow > 0 {
			window = min(window, o.InitialWindow)
		}
		packets = min(packets, window-int(math.Ceil(trip.BDP())))
	}
	return packets
}

// defaultRTO returns the longest RTT and the time to drain four full queues, whatever the length of a path; the queues
// of links slower than a host's drain at their own rates, and queues shorter than the packets of an ACK count as many,
// because receivers wait for them. [UEC-htsim] has six queues, and at least 15 us in the place of the RTT. MRC takes
// the least period of its timer that is as long, from 128 ticks on.
func (o *Options) defaultRTO(s *fattree.Spec, trips []fattree.Trip) (rto fattree.Picoseconds) {
	queues := 4.0
	if s.Transport == fattree.UltraEthernet {
		queues, rto = ultraRTOQueues, ultraLeastRTO
	}
	for _, trip := range trips {
		host := 8000 / trip.Classes[0].Gbps // ps a byte
		perByte := queues * host
		for class, count := range trip.Links {
			perByte += float64(float64(count) * max(0, 8000/trip.Classes[class].Gbps-host))
		}
		least := trip.RTT
		if s.Transport == fattree.UltraEthernet {
			least = max(least, ultraLeastRTO)
		}
		rto = max(rto, least+fattree.Picoseconds(math.Round(float64(max(s.Queue, o.AckRatio))*float64(s.MTU)*perByte)))
	}
	if s.Transport == fattree.MRC {
		period := leastMRCRTO
		for period < rto {
			period *= 2
		}
		return period
	}
	return rto
}

// SteadyAckRatio returns the most packets per ACK (AckRatio) with which flows alone fill their links: with more, a
// window runs empty before an ACK is back. Less than 1 if windows are so short that they do with any. Defaults of s
// must be applied, and its Topology be set, without a sink.
func SteadyAckRatio(s fattree.Spec) int {
	o := OptionsOf(s)
	return o.steadyRatio(s.Trips())
}

// LongestWindow returns the largest initial window of a flow of s, in packets. Defaults of s must be applied, and its
// Topology be set, without a sink.
func LongestWindow(s fattree.Spec) int {
	if window := OptionsOf(s).InitialWindow; window > 0 {
		return window
	}
	return longestWindow(s.Trips())
}

// ReportPlaces returns the number of places that the reports of ACKs of n take ([fattree.Network.ReportPlaces]): none if
// every ACK is only about the packet that it answers. ACKs report other packets where they can be lost, or are not sent
// for every packet. The error is a [*mc.FieldError] about a network with more places than a header can number.
func ReportPlaces(n *fattree.Network) (int, error) {
	o := OptionsOn(n)
	if o.AckRatio == 1 && !n.HasFaults() && !o.Sleek {
		return 0, nil
	}
	places := n.ReportPlaces()
	if places > fattree.MostNoted {
		return 0, mc.NewFieldError("transport", "Hosts", n.Hosts(), "must be fewer, or latencies lower, where ACKs can be lost or coalesced: hosts times slots of a way back are %d, of at most %d", places, fattree.MostNoted)
	}
	return places, nil
}
