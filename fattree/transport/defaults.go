package transport

import (
	"cmp"
	"math"

	"repslab/fattree"
	"repslab/faults"
)

// Limits of [Options].
const (
	MaxAckRatio  = 64      // packets per ACK
	NoAckRatio   = 1 << 15 // receivers count no packets: they send only the immediate ACKs
	mostWindow   = 1 << 20 // packets
	mostRTOSlots = 1 << 22
)

// Constants of [UEC-htsim].
const (
	ultraAckBytes  = 16384                           // bytes per ACK
	ultraLeastRTO  = fattree.Picoseconds(15_000_000) // shortest time-out, without the time of queues
	ultraRTOQueues = 6                               // full queues, whose time is added
)

// leastMRCRTO is the shortest default time-out under MRC. A local ACK time-out of [MRC26] is 1.024 us times a power of
// two; this one, 131 us, is from the benchmark there. The example of a queue pair has twice as much.
const leastMRCRTO = fattree.Picoseconds(1_024_000 << 7)

// windowBDPs is the default window in bandwidth-delay products.
const windowBDPs = 1.5

// AckRatioOf returns the packets per ACK ([Options].AckRatio) of a receiver of [UEC-htsim] that sends an ACK as soon as
// at least threshold bytes have arrived since the last one, in packets of mtu bytes. Its byte counter has 16 bits and
// wraps. So with packets of 4150 bytes a threshold of 64,000 gives 63 packets per ACK, not 16; thresholds up to 62,250
// are not affected. A threshold that the counter does not reach within MaxAckRatio packets gives NoAckRatio. Both
// arguments must be at least 1, or AckRatioOf panics. O(MaxAckRatio), exact.
func AckRatioOf(threshold, mtu int) int {
	bad := faults.List{Package: "transport"}
	bad.In("threshold", threshold, 1, math.MaxInt)
	bad.In("mtu", mtu, 1, 1<<20)
	if err := bad.Err(); err != nil {
		panic(err)
	}
	for packets := 1; packets <= MaxAckRatio; packets++ {
		if packets*mtu%(math.MaxUint16+1) >= threshold {
			return packets
		}
	}
	return NoAckRatio
}

// withDefaults returns o with the defaults on the network of p in place of zeros. The window stays 0 under Artifact,
// where it differs by flow.
func (o Options) withDefaults(p *fattree.Plan) Options {
	s, trips := p.Spec(), p.Trips()
	if o.AckRatio == 0 && s.Profile == fattree.UltraEthernet {
		o.AckRatio = max(1, min(AckRatioOf(ultraAckBytes, s.MTU), o.steadyRatio(trips), MaxAckRatio))
	}
	o.AckRatio = cmp.Or(o.AckRatio, 1)
	if o.InitialWindow == 0 {
		if p.Outline().Sink {
			o.InitialWindow = windowOf(fattree.SinkBDP)
		} else if s.Profile != fattree.Artifact {
			o.InitialWindow = longestWindow(trips)
		}
	}
	if o.RTO == 0 {
		o.RTO = o.defaultRTO(&s, trips)
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

// steadyRatio returns the largest number of packets per ACK with which no window runs empty before an ACK is back.
// While a flow sends at full rate, one bandwidth-delay product is in flight. The rest of the window, in whole
// packets, may wait for an ACK. The window is one and a half products, or InitialWindow if that is smaller.
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

// defaultRTO returns the default time-out: the longest RTT plus the time to drain four full queues at the rate of
// hosts, whatever the length of a path. For each link slower than a host's, the additional time of its queue is
// added. A queue shorter than the packets of an ACK counts as that many packets, because receivers wait for them.
// [UEC-htsim] has six queues, and at least 15 us in place of the RTT. MRC rounds up to a period of its timer, at
// least 128 ticks.
func (o *Options) defaultRTO(s *fattree.Spec, trips []fattree.Trip) (rto fattree.Picoseconds) {
	queues := 4.0
	if s.Profile == fattree.UltraEthernet {
		queues, rto = ultraRTOQueues, ultraLeastRTO
	}
	for _, trip := range trips {
		host := 8000 / trip.Classes[0].Gbps // ps a byte
		perByte := queues * host
		for class, count := range trip.Links {
			perByte += float64(float64(count) * max(0, 8000/trip.Classes[class].Gbps-host))
		}
		least := trip.RTT
		if s.Profile == fattree.UltraEthernet {
			least = max(least, ultraLeastRTO)
		}
		rto = max(rto, least+fattree.Picoseconds(math.Round(float64(max(s.Queue, o.AckRatio))*float64(s.MTU)*perByte)))
	}
	if s.Profile == fattree.MRC {
		period := leastMRCRTO
		for period < rto {
			period *= 2
		}
		return period
	}
	return rto
}

// SteadyAckRatio returns the largest AckRatio with which a flow alone fills its links. With more packets per ACK, its
// window runs empty before an ACK is back. The result is below 1 if windows are too short for any AckRatio. The network
// must have no sink. O(kinds of paths).
func SteadyAckRatio(p *fattree.Plan) int {
	o := OptionsOf(p)
	return o.steadyRatio(p.Trips())
}

// LongestWindow returns the largest initial window of a flow, in packets. The network must have no sink. O(kinds of
// paths).
func LongestWindow(p *fattree.Plan) int {
	if window := OptionsOf(p).InitialWindow; window > 0 {
		return window
	}
	return longestWindow(p.Trips())
}

// ReportPlaces returns the number of places for the reports of ACKs ([fattree.Network.ReportPlaces]). An ACK reports
// other packets than the one that it answers if ACKs can be lost, or are not sent for every packet; otherwise the
// result is 0. The error is a [*faults.FieldError] if a header cannot number as many places as the network needs.
func ReportPlaces(n *fattree.Network) (int, error) {
	o := OptionsOn(n)
	if o.AckRatio == 1 && !n.HasFaults() && !o.Sleek {
		return 0, nil
	}
	places := n.ReportPlaces()
	if places > fattree.MostNoted {
		return 0, faults.New("transport", "Hosts", n.Hosts(), "must be fewer, or latencies lower, where ACKs can be lost or coalesced: hosts times slots of a way back are %d, of at most %d", places, fattree.MostNoted)
	}
	return places, nil
}
