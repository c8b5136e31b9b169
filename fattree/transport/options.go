package transport

import (
	"fmt"

	"repslab/fattree"
	"repslab/faults"
)

// Options holds the options of hosts, as a value of [fattree.Spec].Options. A zero field selects its default.
type Options struct {
	// InitialWindow is the window of a flow that begins, in packets, at most 2^20. The default is one and a half
	// bandwidth-delay products of the flow's path ([fattree.Network.BDP]) or, under UltraEthernet and MRC, of the
	// path where the product is largest.
	InitialWindow int
	// AckRatio is the number of packets per ACK, in [1, MaxAckRatio], or NoAckRatio. The default is 1. Under
	// UltraEthernet it is the ratio for 16,384 bytes ([AckRatioOf]) or, if that is smaller, the largest ratio with
	// which no window runs empty before an ACK ([SteadyAckRatio]), and at most MaxAckRatio.
	AckRatio int
	// RTO is the retransmission time-out: a sender takes a packet for lost if no ACK has come by then. It is at
	// least a slot, and at most 2^22 slots. The default is the longest round trip plus the time to drain four full
	// queues. Under UltraEthernet it is the longest round trip, at least 15 us, plus the time to drain six. Under
	// MRC the default is rounded up to 131 us times a power of 2.
	RTO fattree.Picoseconds

	// InheritConnections makes a flow begin with the window and the balancer state of an ended flow: the one that
	// ended last of those from the same source to the same destination.
	InheritConnections bool
	// CarryEVs makes an ACK carry the EVs of all packets since the last ACK, as feedback for the balancer ([Bonato26]
	// sec. 4.5). By default an ACK carries the EV of the packet that triggered it. NoAckRatio excludes CarryEVs.
	CarryEVs bool

	// LastHopGood tells the balancer that a packet which was trimmed at the port to its receiver has come without a
	// loss: its path works, and only the receiver's link is full. Congestion controls learn of the loss as always. The
	// hosts of UltraEthernet do so always. It needs the transport Artifact and trimming.
	LastHopGood bool

	// Slips are off by default.
	Slips

	// ConnectionTimer gives each connection one timer instead of one for each packet: no packet times out until an RTO
	// has passed in which no gap of its flow was filled. It needs the profile MRC.
	ConnectionTimer bool

	// BurstOn and BurstOff make senders bursty. Counted from the beginning of the run, all senders have new packets for
	// a time of BurstOn, and none in the pause of BurstOff after it, again and again. In a pause ACKs, time-outs and
	// retransmissions go on. [fattree.Network.Unloaded] knows no pauses. The default is 0: no pauses. BurstOn is at
	// least a slot, BurstOff at most 100 times BurstOn. DoubleTurns excludes bursts.
	BurstOn, BurstOff fattree.Picoseconds

	// Sleek turns on the loss recovery SLEEK of [UEC-htsim]: senders find lost packets before their time-outs. It needs
	// UltraEthernet and DisableTrimming. Flows of a [Granter] do not use it, nor does a run in which a [Splitter] cuts
	// flows.
	Sleek bool
}

// Slips are faults of other simulators that hosts repeat, for comparisons with these simulators. The transport MRC
// excludes them.
type Slips struct {
	// RequestsForRetransmission is a slip of the authors' simulator. If the window is full after a time-out, the sender
	// sends a request of HeaderBytes with an EV of its own, at most one in an RTO. A lost request is subtracted from the
	// packets in flight although it was never added, so each one enlarges the window. Flows of a [Granter], and flows
	// that a [Splitter] cuts, send no requests. Under UltraEthernet without trimming senders always send requests, but
	// at most one in an RTT across the network, and none while another lost packet waits.
	RequestsForRetransmission bool

	// DoubleTurns is a slip of the authors' simulator. If a packet times out while its flow waits for the host's link,
	// the flow enters the line once more, and keeps each of its places as long as it may send. So flows that lose
	// packets get more than their share of the link. It needs hosts with one link, and another transport than
	// UltraEthernet.
	DoubleTurns bool

	// SilentDuplicates is a slip of GLB, a public model of REPS: a receiver does not acknowledge a duplicate while an
	// earlier packet is missing.
	SilentDuplicates bool
}

// mostBurst keeps the sum of BurstOn and BurstOff far below overflow.
const mostBurst fattree.Picoseconds = 1 << 50

// maxPause is the largest BurstOff divided by BurstOn.
const maxPause = 100

// Pauses reports whether a time lies in a pause of bursty senders.
func (o *Options) Pauses(now fattree.Picoseconds) bool {
	return o.BurstOff > 0 && now%(o.BurstOn+o.BurstOff) >= o.BurstOn
}

// OptionsOf returns the options of the hosts of p with defaults applied, or the default options if the options of p are
// nil or have another type. O(1), and O(kinds of paths) for default options; it does not allocate.
func OptionsOf(p *fattree.Plan) Options {
	if o, is := p.HostOptions().(Options); is {
		return o
	}
	return Options{}.withDefaults(p)
}

// OptionsOn returns the options of the hosts of n with defaults applied, as [OptionsOf].
func OptionsOn(n *fattree.Network) Options { return OptionsOf(n.Plan()) }

// Change passes the options of the hosts of s to by, without defaults applied, and stores the changed options in s.
// If s.Options has another type, by gets zero Options.
func Change(s *fattree.Spec, by func(*Options)) {
	if s == nil || by == nil {
		panic("transport: Change needs a Spec and a function")
	}
	o, _ := s.Options.(Options)
	by(&o)
	s.Options = o
}

// Resolve implements [fattree.HostOptions]: it returns o with defaults applied, or its faults as joined
// [*faults.FieldError] values.
func (o Options) Resolve(p *fattree.Plan) (fattree.HostOptions, error) {
	o = o.withDefaults(p)
	return o, o.validate(p)
}

// CheckOptions reports the faults of the options that the hosts of n have under the rules of this package, as joined
// [*faults.FieldError] values. Spec.Options must be nil or an [Options]: other options would not be read.
func CheckOptions(n *fattree.Network) error {
	switch o := n.Plan().HostOptions().(type) {
	case Options:
		return nil // Resolve has checked them
	case nil:
		return OptionsOn(n).validate(n.Plan())
	default:
		return faults.New("transport", "Options", fmt.Sprintf("%T", o), "must be nil or a transport.Options")
	}
}
