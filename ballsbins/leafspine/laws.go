package leafspine

import (
	"repslab/ballsbins"
	"repslab/internal/must"
)

// Bound returns an upper bound on every queue at all times under a rotation for each destination, whatever the starts
// of hosts and rotations and the number of packets. Under other rules, and for a
// configuration with faults, there is none, and ok is false. O(1).
//
// Let each host send to D destinations in turn, and call a host (or, if switches rotate, its leaf) with a destination
// a pair. Of x packets of a pair in a row, at most (x+n-1)/n take one spine.
//
//   - Uplink: the n hosts of a leaf send at most T packets each in T slots, of at most n D pairs. The uplink gets at
//     most T + D(n-1) of them and serves T-1 before it is observed: Q1 <= D(n-1) + 1, and no packet waits longer than
//     W1 = D(n-1) slots.
//   - Downlink: what arrives in T slots was sent in T+W1 slots. Of X slots of a host, at most X/D + 1 - 1/D are for
//     one destination, and n D hosts send to the leaf. So at most X + D - 1 + D(n-1) arrive for X = T+W1:
//     Q2 <= D(2n-1), W2 = Q2-1.
//   - Port of a host: D hosts send to it, at most X + D - 1 packets in X = T+W1+W2 slots: Q3 <= D(3n-1) - 1.
//
// Q1 is attained, if all start together from one spine; see TestBoundIsAttained. By symmetry of the traffics each host
// has also D sources. Coq checks the proof: proofs/coq/Rotation.v.
func Bound(c Config) (longest int, ok bool) {
	c = c.WithDefaults()
	if c.Validate() != nil {
		return 0, false
	}
	switch c.Rule {
	case DestinationAlike, DestinationDrawn, SwitchDestination:
		return c.fan()*(3*c.spines()-1) - 1, true
	}
	return 0, false
}

// Longest returns the exact longest queue after packets of each host, at least 1, where no chance decides it and a
// closed form is known: planned flows, and Alternating traffic if all hosts start together. Elsewhere, and
// for a configuration with faults, ok is false. A rotation of each source is at its worst alignment there: its queue
// grows by a packet in every slot after the first n. O(1).
func Longest(c Config, packets int) (longest int, ok bool) {
	c = c.WithDefaults()
	if packets < 1 || c.Validate() != nil {
		return 0, false
	}
	if c.Rule == StaticBest {
		return 1, true
	}
	if c.Traffic != Alternating || c.Spread > 0 {
		return 0, false
	}
	n := c.spines()
	switch c.Rule {
	case SourceRotation:
		return max(n, packets), true
	case DestinationAlike:
		return min(packets, 2)*(n-1) + 1, true
	case Coordinated, SwitchRotation, Shortest, Static:
		return min(packets, 2), true
	case StaticWorst:
		return packets*(n-1) + 1, true
	}
	return 0, false
}

// MeanUplink returns the exact mean queue of an uplink at each of Config.Packets, where it is known: random spraying,
// Alternating traffic and hosts that start together. Elsewhere, and for a configuration with faults, it returns
// nil. It takes the time of MeanLoads.
func MeanUplink(c Config) []float64 {
	c = c.WithDefaults()
	if c.Validate() != nil || c.Rule != Random || c.Traffic != Alternating || c.Spread > 0 {
		return nil
	}
	loads, err := ballsbins.MeanLoads(c.spines(), c.Packets)
	must.Be(err == nil, "leafspine: MeanUplink", "the limits of a Config must be within those of MeanLoads")
	return loads
}
