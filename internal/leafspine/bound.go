package leafspine

// Bound returns an upper bound on every queue at all times under a rotation for each destination, whatever the starts
// of hosts and rotations and the number of packets. Under other rules there is none, and ok is false. O(1).
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
	switch c.Rule {
	case DestinationAlike, DestinationDrawn, SwitchDestination:
		return c.fan()*(3*c.spines()-1) - 1, true
	}
	return 0, false
}
