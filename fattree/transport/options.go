package transport

import (
	"cmp"
	"fmt"

	"repslab/fattree"
	"repslab/mc"
)

// Options are the options of hosts, a value for [fattree.Spec].Options. A field that is 0 has its default.
type Options struct {
	// InitialWindow is the window of a flow at its beginning, in packets, at most 2^20. Default: one and a half
	// bandwidth-delay products of the flow's path ([fattree.Network.BDP]), or of the longest path under
	// UltraEthernet and MRC.
	InitialWindow int
	// AckRatio is the number of packets per ACK, in [1, MaxAckRatio], or NoAckRatio. Default 1. Under
	// UltraEthernet the default is an ACK for 16,384 bytes ([AckRatioOf]), or for fewer if a window would
	// otherwise run empty before the ACK.
	AckRatio int
	// RTO is the time after which a packet without an ACK counts as lost, a slot or more. Default: the longest
	// round trip plus the time that four full queues take to drain; six queues under UltraEthernet.
	RTO fattree.Picoseconds

	// InheritConnections makes a flow begin with the window and the balancer state of the last flow that ended
	// between the same hosts.
	InheritConnections bool
	// CarryEVs makes an ACK carry the EVs of all packets since the last ACK, as feedback for the balancer
	// ([Bonato26] sec. 4.5). By default it carries only the EV of the packet that triggered it. It excludes
	// NoAckRatio.
	CarryEVs bool

	// RequestsForRetransmission is a bug of the authors' simulator, for comparisons with it. A sender with a full
	// window after a time-out sends a request of HeaderBytes, at most one in an RTO, with an EV of its own. A lost
	// request is subtracted from the packets in flight although it was never added, so each lost request enlarges
	// the window. Flows of a [Granter], and flows that a [Splitter] splits, send no requests. With UltraEthernet
	// and without trimming, senders always send requests, but at most one in an RTT across the network, and none
	// while another lost packet waits.
	RequestsForRetransmission bool

	// DoubleTurns is a bug of the authors' simulator, for comparisons with it. If a packet times out while its
	// flow waits for the host's link, the flow enters the line once more, and keeps each of its places as long as
	// it may send. So flows that lose packets get more than their share of the link. It needs hosts with one link,
	// and excludes UltraEthernet.
	DoubleTurns bool

	// SilentDuplicates is a bug of GLB, a public model of REPS, for comparisons with it: a duplicate gets no ACK
	// while an earlier packet is missing. MRC does not have it.
	SilentDuplicates bool

	// ConnectionTimer makes the time-out of a packet wait until no gap of its flow has been filled for an RTO: a
	// timer for each connection instead of each packet. It needs the transport MRC.
	ConnectionTimer bool

	// BurstOn and BurstOff make senders bursty. All have new packets to send for the first BurstOn of every
	// BurstOn + BurstOff, counted from the beginning of the run, and none in the rest of it, the pause. In a
	// pause, ACKs still change windows, time-outs still occur, and lost packets are retransmitted. Times of a flow
	// alone ([fattree.Network.Unloaded]) are for a sender that never pauses. Default 0: no pauses. BurstOn is at
	// least a slot, BurstOff at most MaxPause times BurstOn. It excludes DoubleTurns.
	BurstOn, BurstOff fattree.Picoseconds

	// Sleek lets senders recover lost packets before their time-outs, like SLEEK in [UEC-htsim]. It needs
	// UltraEthernet and DisableTrimming. Flows of a [Granter] do not use it, nor do runs in which a [Splitter]
	// splits flows.
	Sleek bool
}

// MaxPause is the longest pause of bursty senders, in multiples of BurstOn.
const MaxPause = 100

// Pauses reports whether senders have nothing new to send at a time.
func (o *Options) Pauses(now fattree.Picoseconds) bool {
	return o.BurstOff > 0 && now%(o.BurstOn+o.BurstOff) >= o.BurstOn
}

// given returns the options in s.Options, with zeros for defaults. It returns the zero value if s.Options has
// another type.
func given(s *fattree.Spec) Options {
	o, _ := s.Options.(Options)
	return o
}

// OptionsOf returns the options of the hosts of s with defaults applied. If s.Options has another type, it returns
// the defaults. Defaults of s must be applied. O(kinds of paths).
func OptionsOf(s fattree.Spec) Options { return given(&s).resolved(&s) }

// OptionsOn returns the options of the hosts of n with defaults applied. O(kinds of paths); it does not allocate.
func OptionsOn(n *fattree.Network) Options {
	s := n.Spec()
	return given(&s).withDefaults(&s, n.Trips(), n.HasSink())
}

// resolved returns o with defaults applied.
func (o Options) resolved(s *fattree.Spec) Options {
	trips := s.Trips()
	return o.withDefaults(s, trips, len(trips) > 0 && s.Topology.Outline().Sink)
}

// Change changes the options of the hosts of s. by sees zeros for defaults.
func Change(s *fattree.Spec, by func(*Options)) {
	o := given(s)
	by(&o)
	s.Options = o
}

// Validate implements [fattree.HostOptions]: it reports the faults of o as joined [*mc.FieldError] values.
func (o Options) Validate(s fattree.Spec) error {
	o = o.resolved(&s)
	faults := mc.Faults{Package: "transport"}
	slot := s.SlotTime()
	o.validateNumbers(slot, &faults)
	ultra := s.Transport == fattree.UltraEthernet
	faults.Check(!o.DoubleTurns || s.Topology.Outline().HostLinks <= 1, "DoubleTurns", o.DoubleTurns, "must be false where hosts have several links")
	faults.Check(!o.DoubleTurns || !ultra, "DoubleTurns", o.DoubleTurns, "must be false with the transport UltraEthernet")
	faults.Check(!o.Sleek || ultra && s.DisableTrimming, "Sleek", o.Sleek, "must be false but with the transport UltraEthernet and DisableTrimming")
	faults.Check(!o.ConnectionTimer || s.Transport == fattree.MRC, "ConnectionTimer", true, "must be false but with the transport MRC")
	if o.BurstOn != 0 || o.BurstOff != 0 {
		faults.Check(o.BurstOn >= slot, "BurstOn", o.BurstOn, "must be at least a slot, %d ps", slot)
		faults.Check(o.BurstOff > 0 && o.BurstOff/MaxPause <= o.BurstOn, "BurstOff", o.BurstOff, "must be above 0 and at most %d times BurstOn (%d ps)", MaxPause, o.BurstOn)
		faults.Check(!o.DoubleTurns, "DoubleTurns", true, "must be false with bursts")
	}
	sums := map[int]int64{} // packets so far by connection, or by flow without a connection
	for i := 0; o.Sleek && i < len(s.Workload.Flows); i++ {
		f := &s.Workload.Flows[i]
		connection := cmp.Or(f.Connection, -1-i)
		if sums[connection] += s.Packets(f.Bytes); sums[connection] > probePSN {
			faults.Refuse(fmt.Sprintf("Flows[%d].Bytes", i), f.Bytes, "must leave its connection at most %d packets of %d bytes with Sleek", probePSN, s.PayloadBytes())
			break
		}
	}
	return faults.Err()
}

// validateNumbers reports an initial window, an AckRatio or an RTO out of range.
func (o *Options) validateNumbers(slot fattree.Picoseconds, faults *mc.Faults) {
	faults.Check(o.InitialWindow >= 0 && o.InitialWindow <= mostWindow, "InitialWindow", o.InitialWindow, "must be in [0, %d]", mostWindow)
	switch {
	case o.CarryEVs:
		faults.Check(o.AckRatio >= 1 && o.AckRatio <= MaxAckRatio, "AckRatio", o.AckRatio, "must be in [1, %d] with CarryEVs", MaxAckRatio)
	case o.AckRatio != NoAckRatio:
		faults.Check(o.AckRatio >= 1 && o.AckRatio <= MaxAckRatio, "AckRatio", o.AckRatio, "must be in [1, %d], or NoAckRatio (%d)", MaxAckRatio, NoAckRatio)
	}
	faults.Check(o.RTO >= slot && o.RTO <= mostRTOSlots*slot, "RTO", ps(o.RTO), "must be in [%v, %v]", ps(slot), ps(mostRTOSlots*slot))
}

// ps is a time that an error shows.
type ps fattree.Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }
