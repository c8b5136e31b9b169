package balance

import (
	"slices"

	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/reps"
)

// The authors' numbers.
const (
	multipathEVs = 8   // EVs of mptcp, subflows of mptcp-subflows
	mostBitmap   = 256 // EVs of bitmap and mixed
)

// Named describes a load balancer with the parameters of the authors' runs.
type Named struct {
	Name    string
	Summary string // the rules in one line
	Source  string // keys of docs/references.md
	// New returns the balancer for a number of EVs, in [1, MaxEVS]. Balancers that let switches choose the ports
	// ignore evs.
	New func(evs int) (transport.Balancer, error)
}

// All lists the load balancers of the command line, REPS last. This is the only list of their
// names: the flag --lb, its help and the table of the package's documentation follow it.
func All() []Named {
	list := []Named{
		{"ecmp", "one EV for each flow, its number", "Bonato26 sec. 4.1", NewECMP},
		{"ops", "oblivious packet spraying: a uniform EV for each packet", "Dixit13; Bonato26 sec. 4.1", NewSpraying},
		{"plb", "another EV after 2 rounds of an RTT with a mark, or a time-out; K = 0 as the authors run it",
			"Qureshi22; Bonato26-artifact", func(evs int) (transport.Balancer, error) { return NewPLB(evs, 0) }},
		{"plb-k25", "plb with rounds congested above 25 % of marks, as the authors mean it",
			"Qureshi22; Bonato26-artifact", func(evs int) (transport.Balancer, error) { return NewPLB(evs, 0.25) }},
		{"flowlet", "another EV after half an RTT without an ACK", "Vanini17; Bonato26-artifact", NewFlowlet},
		{"mprdma", "the EV of the last ACK that left room in the window, else uniform",
			"Lu18; Bonato26-artifact", NewMPRDMA},
		{"mptcp", "8 fixed EVs in turn, packet by packet, with one window", "Raiciu11; Bonato26-artifact",
			func(evs int) (transport.Balancer, error) { return NewMultipath(evs, multipathEVs) }},
		{"mptcp-subflows",
			"8 subflows with a window and an EV each, a packet to the next that has room; --cc dctcp or none",
			"Raiciu11; Bonato26 sec. 4.1", of(func(evs int) (transport.Splitter, error) { return NewSubflows(evs, multipathEVs) })},
		{"bitmap", "like STrack: EVs in turn, those with marks and losses passed over; " +
			"a power of two of EVs up to 256", "Le24; Bonato26-artifact",
			func(evs int) (transport.Balancer, error) { return NewBitmap(BitmapEVs(evs)) }},
		{"stratified", "spraying in blocks of one packet per EV, in an order drawn for each block; " +
			"a power of two of EVs", "UEC-htsim",
			func(evs int) (transport.Balancer, error) { return NewStratified(powerOfTwo(evs)) }},
		{"mixed", "the EVs of unmarked ACKs again, oldest first, else as bitmap", "UEC-htsim",
			func(evs int) (transport.Balancer, error) { return NewRecyclingBitmap(BitmapEVs(evs)) }},
		{"mrc", "up to 128 EVs in turn; one with a mark is passed over once, one that loses a packet until a probe is answered",
			"MRC26", of(NewMRC)},
		{"adaptive-roce", "each switch takes the shortest queue, for data and ACKs", "Bonato26-artifact",
			func(int) (transport.Balancer, error) { return NewAdaptive(), nil }},
		{"switch-ops", "control: each switch takes a uniform port, for data and ACKs", "no other source",
			func(int) (transport.Balancer, error) { return NewSwitchSpraying(), nil }},
		{"round-robin", "control: each switch takes its ports in turn for data", "no other source",
			func(int) (transport.Balancer, error) { return NewRoundRobin(), nil }},
		{"switch-round-robin", "each switch takes its ports in turn for data, each turn in another order", "UEC-htsim",
			func(int) (transport.Balancer, error) { return NewShuffledRoundRobin(), nil }},
		{"switch-adaptive", "each switch takes a port of the lowest of four classes of queues for data", "UEC-htsim",
			func(int) (transport.Balancer, error) { return NewSwitchAdaptive(), nil }},
		{"switch-flowlet", "switch-adaptive for the first packet of a flow and, half of the time, after 10 us without one",
			"UEC-htsim", func(int) (transport.Balancer, error) { return NewSwitchFlowlet(), nil }},
		{"host-adaptive", "mixed; each switch moves half of the packets whose EVs lead to the highest class of queues",
			"UEC-htsim", func(evs int) (transport.Balancer, error) {
				mixed, err := NewRecyclingBitmap(BitmapEVs(evs))
				if err != nil {
					return nil, err
				}
				return NewHostAssisted(mixed), nil
			}},
		{"reps-legacy", "each EV once, up to 151, then those of unmarked ACKs from an unbounded list, " +
			"else uniform; no freezing mode", "Bonato26-artifact; UEC-htsim",
			func(evs int) (transport.Balancer, error) { return NewRecycling(FIFO, reps.Config{EVSSize: evs}) }},
		{"reps", "the EVs of unmarked ACKs again, else uniform; freezing mode when a failure is suspected",
			"Bonato26 sec. 3",
			func(evs int) (transport.Balancer, error) { return NewRecycling(Paper, reps.Config{EVSSize: evs}) }},
		{"reps-planes", "reps with a ring and a freezing mode for each plane, by --profile mrc", "no other source",
			of(func(evs int) (transport.PlaneBalancer, error) {
				return RecyclingConfig{REPS: reps.Config{EVSSize: evs}}.NewPerPlane()
			})},
	}
	return slices.Insert(list, len(list)-1, studies()...)
}

// of returns a constructor of a kind of balancer as one of a balancer.
func of[B transport.Balancer](open func(evs int) (B, error)) func(evs int) (transport.Balancer, error) {
	return func(evs int) (transport.Balancer, error) {
		b, err := open(evs)
		if err != nil {
			return nil, err // not b: a nil pointer would make the interface not nil
		}
		return b, nil
	}
}

// New returns a new load balancer by its name in [All]. evs must be in [1, MaxEVS], and at least 8 for
// mptcp-subflows; bitmap, mixed and host-adaptive use only [BitmapEVs] of them. The error is a [*faults.FieldError]
// about name or evs.
func New(name string, evs int) (transport.Balancer, error) {
	if err := checkEVS(evs); err != nil { // also if evs is not used, or 0 means a default
		return nil, err
	}
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b.New(evs)
		}
		names = append(names, b.Name)
	}
	return nil, faults.New("balance", "name", name, "must be one of %v", names)
}

// BitmapEVs returns how many of evs EVs the bitmap uses, at least 1: the largest power of two up to evs and 256.
func BitmapEVs(evs int) int { return powerOfTwo(min(evs, mostBitmap)) }
