package fattree

import (
	"errors"
	"fmt"
	"math"

	"repslab/faults"
)

// Spec describes an experiment. Topology and Workload must be set. The zero value of any other field selects its
// default; the defaults are the set-up of the authors' EVS figure.
type Spec struct {
	Topology Topology
	Workload Workload
	Faults   []Fault      // failed and degraded links; default none
	Errors   []Corruption // bit errors; default none

	// Reroutes lets routing react to failed links; by default it never does. A cable of which a link has failed leaves
	// the groups of equal-cost ports at both its ends after RerouteAfter, and rejoins them when both its links have
	// worked for as long. RerouteAfter is at least 0, which is at once. Slow and lossy links stay in their groups.
	// Hosts with several links ([Switch].NIC) are refused.
	Reroutes     bool
	RerouteAfter Picoseconds

	MTU         int // bytes of a full packet on the wire; default 4150
	HeaderBytes int // bytes of a packet's header, and of a whole ACK, NACK or trimmed packet; default 64
	// Queue is the number of packets that the queue of a switch port holds. The default is one bandwidth-delay
	// product of a host's link, at least 100 packets. Under UltraEthernet and MRC it is at least 25, and five times
	// as large with DisableTrimming.
	Queue        int
	LastHopQueue int // packets that the queue of a switch port to a host holds; default Queue
	// KMin and KMax are queue lengths after dequeue, in packets. Between them the probability of an ECN mark rises from
	// 0 to PMax; above KMax it is 1. If both are 0, they are 25 % and 76 % of Queue or, if Queue is 0 too, of the
	// bandwidth-delay product; under UltraEthernet and MRC, 20 % and 80 % of the product. KMin 0 and KMax 1 mark every
	// packet that leaves other packets behind in its queue, if PMax is 1.
	KMin, KMax      int
	PMax            float64     // probability of a mark at KMax, in (0, 1]; default 1
	DisableTrimming bool        // full queues drop packets instead of trimming them to the header
	Horizon         Picoseconds // end of the run, even with unfinished flows; default at least 100 ms

	// RetransmissionsFirst gives retransmissions the higher priority class of [MRC26]: in the queues of switches
	// they go ahead of other packets, and other packets are trimmed first. It needs the profile MRC.
	RetransmissionsFirst bool

	Choose Chooser // replaces the switches' hash; may be nil
	// ChooseByTier divides the EV by the Below of the ports' links ([Outline]) before Choose sees it, so that each
	// tier of a tree sees a digit of its own of the EV.
	ChooseByTier bool
	// HashAnswers applies Choose to packets only: headers on their way to a source, such as ACKs, still use the hash.
	// Packets to a ToR with failed uplinks are then acknowledged over uplinks that work.
	HashAnswers  bool
	LastHopMarks LastHopMarks // whether ports to hosts mark
	AckDelay     int          // delay of an ACK, in slots; only in a network with a sink

	// Profile selects the rules by which hosts send, acknowledge and report; default [Artifact]. The defaults of
	// queues and marks depend on it, and whether links count the bytes of packets.
	Profile Profile

	// Options holds the options of the hosts, such as windows, ACKs and time-outs. Its type is defined by the
	// package of the transport, such as transport.Options. Nil selects their defaults. The network does not read it.
	Options HostOptions
}

// HostOptions are options of the hosts of a network.
type HostOptions interface {
	// Resolve returns the options with defaults applied on the network of p, or their faults. The flows of p are valid.
	Resolve(p *Plan) (HostOptions, error)
}

// Chooser returns the port for a packet: one of the given number of equal-cost ports of a switch, counted from 0. ev is
// the packet's entropy value, or a digit of it with ChooseByTier. The run panics if the port is out of range. If
// several goroutines advance a run ([Run.Workers]), they call the function at the same time.
type Chooser func(flow int32, ev uint16, ports int) int

// LastHopMarks says whether switch ports to hosts mark packets.
type LastHopMarks uint8

// The values of LastHopMarks. By default the transport decides ([Needs].Unmarked).
const (
	LastHopByTransport LastHopMarks = iota
	MarkLastHop                     // ports to hosts mark, like other ports
	SpareLastHop                    // ports to hosts never mark
)

// Limits of a Spec.
const (
	MaxQueue    = 1 << 16               // packets
	maxPlaces   = 1 << 31               // packets in all queues, the capacity of each rounded up to a power of 2
	MaxRates    = 1 << 12               // distinct rates of links, healthy and degraded
	maxRTTSlots = 1<<16 - 1             // bounds memory, since links hold packets by slot
	MaxSlots    = math.MaxInt32 - 1<<28 // of a run; 32 time-outs later, slots still fit into 32 bits
)

// PayloadBytes returns the payload of a full packet in bytes. Defaults must be applied ([Plan.Spec]). It panics if
// there is none.
func (s Spec) PayloadBytes() int {
	if s.MTU <= s.HeaderBytes {
		panic(faults.New("fattree", "MTU", s.MTU, "must be above HeaderBytes: resolve the Spec"))
	}
	return s.MTU - s.HeaderBytes
}

// Packets returns the number of packets of a message. Defaults must be applied.
func (s Spec) Packets(bytes int64) int64 {
	return (bytes-1)/int64(s.PayloadBytes()) + 1
}

// Resolve works out defaults, limits and roundings of s, once: what is built from the plan asks for no default again.
// The error lists wrong fields as joined [*faults.FieldError] values. If the topology is valid, it reports wrong
// numbers, flows, bit errors and options of hosts. A spec without flows has a plan, but no network. Only [Build]
// reports wrong Faults, which name ports. O(flows + faults + kinds of paths).
func (s Spec) Resolve() (*Plan, error) {
	p := s.resolve()
	if p.refused != nil {
		return nil, p.refused
	}
	return p, nil
}

// resolve returns the plan of s and its faults.
func (s Spec) resolve() *Plan {
	outline, err := outlineOf(s.Topology)
	if err != nil {
		return &Plan{refused: err}
	}
	p := &Plan{spec: s.Clone(), outline: outline.clone()}
	p.applyDefaults()
	numbers, workload := p.validateNumbers(), error(nil)
	if !s.Workload.empty() {
		workload = s.Workload.Validate(p.outline.Hosts)
	}
	if numbers == nil && workload == nil {
		if workload = p.validatePackets(); workload == nil && s.Options != nil {
			p.hosts, workload = s.Options.Resolve(p)
		}
	}
	p.refused = errors.Join(numbers, workload, p.spec.validateRates(p.outline), p.spec.validateErrors(p.outline))
	return p
}

// outlineOf returns the outline of a topology, or the faults of both. It does not look at the wiring.
func outlineOf(t Topology) (o Outline, err error) {
	if t == nil {
		return o, faults.New("fattree", "Topology", nil, "must be set")
	}
	if err := t.Validate(); err != nil {
		return o, err
	}
	o = t.Outline()
	return o, o.validate()
}

// validatePackets reports the first flow that has too many packets or begins too late.
func (p *Plan) validatePackets() error {
	s := &p.spec
	places, sums := int64(0), map[int]int64{} // by connection: packets of its messages so far
	for i, f := range s.Workload.Flows {
		before := sums[f.Connection]
		packets := before + s.Packets(f.Bytes)
		if f.Connection > 0 {
			sums[f.Connection] = packets
		}
		places += (packets+63)/64*64 - (before+63)/64*64
		with := ""
		if before > 0 {
			with = " with those of its connection before it"
		}
		if packets > MaxPacketsPerFlow {
			return refuse("Flows", i, "Bytes", f.Bytes, "must be at most %d packets of %d bytes%s", MaxPacketsPerFlow, s.PayloadBytes(), with)
		}
		if f.Start >= s.Horizon {
			return refuse("Flows", i, "Start", ps(f.Start), "must be before Horizon (%v)", ps(s.Horizon))
		}
	}
	if places > maxPackets {
		return faults.New("fattree", "Flows", packets(places), "must be at most %v in all, those of each flow rounded up to 64", packets(maxPackets))
	}
	return nil
}

// ps is a time that an error shows.
type ps Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }

// packets is a number of packets in an error.
type packets int64

// String returns the number with its unit.
func (n packets) String() string { return fmt.Sprintf("%d packets", int64(n)) }

// faultCount is a number of faults in an error.
type faultCount int

// String returns the number with its noun.
func (n faultCount) String() string { return fmt.Sprintf("%d faults", int(n)) }

// refuse returns the fault of a field of a list's entry i, such as Flows[3].Bytes.
func refuse(list string, i int, field string, value any, constraint string, args ...any) error {
	return faults.New("fattree", fmt.Sprintf("%s[%d].%s", list, i, field), value, constraint, args...)
}

// validateRates reports too many rates of links. It also counts the rate of a fault that never takes effect
// because a worse fault overlaps it.
func (s *Spec) validateRates(o Outline) error {
	parts := map[float64]bool{1: true}
	for _, f := range s.Faults {
		if f.Rate > 0 {
			parts[f.Rate] = true
		}
	}
	links := map[float64]bool{}
	for _, link := range o.Links {
		links[link.Gbps] = true
	}
	if rates := len(parts) * len(links); rates > MaxRates {
		return faults.New("fattree", "Faults", len(s.Faults), "must give at most %d distinct rates of links, not %d: they have %d distinct rates, on links of %d speeds", MaxRates, rates, len(parts)-1, len(links))
	}
	return nil
}

// mostQueue returns the largest capacity of a queue with which the fully grown rings of all ports have at most
// maxPlaces. Before a sink, where queues are infinite, it is MaxQueue.
func (o Outline) mostQueue() int64 {
	most := int64(MaxQueue)
	for !o.Sink && most*o.Ports > maxPlaces {
		most /= 2
	}
	return most
}

// validateNumbers reports the faults of the single numbers.
func (p *Plan) validateNumbers() error {
	s, o := &p.spec, &p.outline
	bad := faults.List{Package: "fattree"}
	for _, n := range []struct {
		name               string
		value, least, most int
		with               string
	}{
		{"HeaderBytes", s.HeaderBytes, 1, 1 << 16, ""},
		{"MTU", s.MTU, s.HeaderBytes + 1, 1 << 20, fmt.Sprintf(", above the %d bytes of a header", s.HeaderBytes)},
		{"Queue", s.Queue, 1, int(o.mostQueue()), fmt.Sprintf(", in a network of %d ports", o.Ports)},
		{"LastHopQueue", s.LastHopQueue, 0, int(o.mostQueue()), fmt.Sprintf(", in a network of %d ports", o.Ports)},
		{"KMin", s.KMin, 0, 1 << 30, ""},
		{"AckDelay", s.AckDelay, 0, 1 << 20, ""},
	} {
		if n.value < n.least || n.value > n.most {
			bad.Refuse(n.name, n.value, "must be in [%d, %d]%s", n.least, n.most, n.with)
		}
	}
	bad.Check(s.KMax >= s.KMin && s.KMax <= 1<<30, "KMax", s.KMax, "must be in [KMin=%d, %d]", s.KMin, 1<<30)
	bad.Check(s.PMax > 0 && s.PMax <= 1, "PMax", s.PMax, "must be in (0, 1]")
	bad.Check(s.Profile <= MRC, "Profile", s.Profile, "must be Artifact, UltraEthernet or MRC (%d, %d, %d)", Artifact, UltraEthernet, MRC)
	bad.Check(s.LastHopMarks <= SpareLastHop, "LastHopMarks", s.LastHopMarks, "must be LastHopByTransport, MarkLastHop or SpareLastHop")
	bad.Check(!s.RetransmissionsFirst || s.Profile == MRC, "RetransmissionsFirst", true, "must be false but with the profile MRC")
	bad.Check(s.AckDelay <= 0 || o.Sink, "AckDelay", s.AckDelay, "must be 0 without a sink: the latency of links delays ACKs")
	bad.Add(s.validateReroutes(o))
	if err := bad.Err(); err != nil {
		return err
	}
	return p.validateTimes()
}

// validateTimes reports times out of range, round trips of too many slots, and round trips that whole slots lengthen
// too much.
func (p *Plan) validateTimes() error {
	bad := faults.List{Package: "fattree"}
	slot := p.slotTime
	bad.Check(p.spec.Horizon >= slot && p.spec.Horizon <= MaxSlots*slot, "Horizon", ps(p.spec.Horizon), "must be in [%v, %v]", ps(slot), ps(MaxSlots*slot))
	if !p.outline.Sink {
		rtt, most := p.LongestRTT(), maxRTTSlots*slot
		shortest, longest := p.outline.latencies()
		bad.Check(rtt <= most, "LatencyNs", longest, "must be lower, or rates lower: the unloaded RTT of %v must be at most %v", ps(rtt), ps(most))
		bad.Check(p.Rounding() <= mostRounding, "LatencyNs", shortest,
			"must be at least %v, or the rates of links closer together: whole slots make a round trip half as long again", ps(3*slot/2))
	}
	return bad.Err()
}
