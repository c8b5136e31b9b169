package transport

import (
	"cmp"
	"fmt"

	"repslab/fattree"
	"repslab/mc"
)

// Options are options of hosts, as a value of [fattree.Spec].Options. The zero value is the default.
type Options struct {
	// InitialWindow is the window of a flow that begins, in packets, at most 2^20. Default: one and a half
	// bandwidth-delay products of the flow's path ([fattree.Network.BDP]); under UltraEthernet and MRC of the longest path.
	InitialWindow int
	// AckRatio is the number of packets per ACK, in [1, MaxAckRatio], or NoAckRatio. Default 1; under UltraEthernet an
	// ACK for 16,384 bytes ([AckRatioOf]), or for fewer if a window would otherwise run empty before it.
	AckRatio int
	// RTO is the time after which a packet without an ACK is lost, a slot or more. Default: the longest round trip and
	// the time that four full queues take to drain; six under UltraEthernet.
	RTO fattree.Picoseconds

	// InheritConnections makes a flow begin with the window and the balancer state of
	// the last flow from its source to its destination that ended.
	InheritConnections bool
	// CarryEVs makes an ACK carry the EVs of all packets since the last one, as feedback for the balancer ([Bonato26]
	// sec. 4.5); by default it carries only the EV of the packet that triggered it. It does not go with NoAckRatio.
	CarryEVs bool

	// RequestsForRetransmission is a slip of the authors' simulator, for comparisons with it: a
	// sender whose window is full after a time-out sends a request of HeaderBytes, at most one in
	// an RTO, with an EV of its own. A lost request is
	// subtracted from the packets in flight although it was never added, so each one enlarges the window. Flows of
	// a [Granter] and those that a [Splitter] cuts send none. With UltraEthernet and without trimming senders always
	// do so, but at most once in an RTT across the network, and not while another lost packet waits.
	RequestsForRetransmission bool

	// DoubleTurns is a slip of the authors' simulator, for comparisons with it: a flow that already
	// waits for its host's link when one of its packets times out enters the line once more, and
	// each of its places is renewed as long as it may send. So flows that lose packets get more
	// than their share of the link. It needs hosts with one link, and not UltraEthernet.
	DoubleTurns bool

	// SilentDuplicates is a slip of GLB, a public model of REPS, for comparisons with it: a packet that has come before
	// gets no ACK while an earlier one is missing. MRC does not have it.
	SilentDuplicates bool

	// ConnectionTimer makes the time-out of a packet wait until no gap of its flow has been filled for an RTO: a timer for
	// each connection, not for each packet. It needs the transport MRC.
	ConnectionTimer bool

	// BurstOn and BurstOff make senders bursty: all have new packets to send for the first BurstOn of every BurstOn +
	// BurstOff, counted from the beginning of the run, and none in the rest of it, the pause. In a pause windows stay as
	// they are and change by ACKs as ever, ACKs and time-outs go on, and lost packets are sent again. Times alone
	// ([fattree.Network.Unloaded]) are the times of a sender that never pauses. Default 0: no pauses. BurstOn is at least
	// a slot, BurstOff at most MaxPause times BurstOn. It needs hosts without DoubleTurns.
	BurstOn, BurstOff fattree.Picoseconds

	// Sleek lets senders recover lost packets before their time-outs, as SLEEK of [UEC-htsim] does. It
	// needs UltraEthernet and DisableTrimming. Flows of a [Granter] do without, and a run with a
	// [Splitter] that cuts any.
	Sleek bool
}

// MaxPause is the longest pause of bursty senders, in times of a burst.
const MaxPause = 100

// Pauses reports whether senders have nothing new to send at a time.
func (o *Options) Pauses(now fattree.Picoseconds) bool {
	return o.BurstOff > 0 && now%(o.BurstOn+o.BurstOff) >= o.BurstOn
}

// given returns the options of the hosts of s, with zeros for defaults: none unless s.Options is of this type.
func given(s *fattree.Spec) Options {
	o, _ := s.Options.(Options)
	return o
}

// OptionsOf returns the options of the hosts of s with defaults applied: the default ones unless s.Options is of this
// type. Defaults of s must be applied. O(kinds of paths).
func OptionsOf(s fattree.Spec) Options { return given(&s).resolved(&s) }

// OptionsOn returns the options of the hosts of n with defaults applied. O(kinds of paths), without an allocation.
func OptionsOn(n *fattree.Network) Options {
	s := n.Spec()
	return given(&s).withDefaults(&s, n.Trips(), n.HasSink())
}

// resolved returns o with defaults applied.
func (o Options) resolved(s *fattree.Spec) Options {
	trips := s.Trips()
	return o.withDefaults(s, trips, len(trips) > 0 && s.Topology.Outline().Sink)
}

// Change changes the options of the hosts of s. It sees zeros for defaults.
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
	sums := map[int]int64{} // packets of connections so far, or of flows without one
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

// validateNumbers reports the window, the ACKs and the time-out that are out of range.
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
