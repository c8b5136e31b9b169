package topology

// ExactPath is a [fattree.Chooser] for trees in which an EV names a path, in place of the hash. A ToR takes the uplink
// of number EV modulo its uplinks. In three tiers, with ChooseByTier of the Spec, an aggregation switch takes the
// uplink of number EV / uplinks of a ToR, modulo its own. So with U uplinks of a ToR and A of an aggregation switch,
// U*A consecutive EVs lead to U*A different core links, whatever the flow, as source routes do [MRC26]; EVs that are
// equal modulo U*A share a path. Of parallel cables a packet takes the same one up and down. In a network of planes an
// EV names the same path in every plane. O(1).
func ExactPath(_ int32, ev uint16, ports int) int { return int(ev) % ports }
