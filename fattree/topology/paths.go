package topology

// ExactPath is a [fattree.Chooser] for trees of two tiers in which an EV names a path: each switch takes the port
// of that number, modulo its equal-cost ports, in place of the hash. So EVs that are equal modulo the uplinks of a ToR
// share a path, whatever the flow, as source routes do [MRC26]. In three tiers both switches on the
// way up would take ports of the same number, and most paths would stay unused. O(1).
func ExactPath(_ int32, ev uint16, ports int) int { return int(ev) % ports }
