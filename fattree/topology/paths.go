package topology

import "repslab/faults"

// ExactPath is a [fattree.Chooser] for trees: an EV names a path, instead of being hashed. A ToR takes uplink
// number EV modulo its number of uplinks. In three tiers, with ChooseByTier of the Spec, an aggregation switch
// takes uplink number EV / U modulo A, where U and A are the numbers of uplinks of a ToR and of an aggregation
// switch. So U*A consecutive EVs lead to U*A different core links, whatever the flow, like source routes [MRC26];
// EVs that are equal modulo U*A share a path. A packet takes the same one of several parallel cables up and down.
// In a network of planes an EV names the same path in every plane. O(1).
// It panics unless ports is positive.
func ExactPath(_ int32, ev uint16, ports int) int {
	if ports < 1 {
		panic(faults.New("topology", "ports", ports, "must be at least 1"))
	}
	return int(ev) % ports
}
