package balance

import (
	"math/bits"

	"repslab/faults"
	"repslab/reps"
)

// Footprint returns the state of one connection that a NIC has to hold under a load balancer of [UEC-htsim], by
// name as in [All]. evs is the number of EVs, a power of two up to MaxEVS; window is in packets, in [1, 2^30].
// Widths are exact. EVs take as many bits as evs requires; their upper bits, the same in all packets of a
// connection, are a variable of their own. A list needs room for a window of EVs, see [NewRecyclingBitmap].
//
// The ring of the balancer reps is counted by the rules [UltraEthernet]; for the paper's rules, with EVs of 16 bits,
// see [reps.Footprint]. The error is a [*faults.FieldError] about name, evs or window. O(1).
func Footprint(name string, evs, window int) ([]reps.Component, error) {
	if _, err := newWalks(evs); err != nil {
		return nil, err
	}
	if window < 1 || window > 1<<30 {
		return nil, faults.New("balance", "window", window, "must be in [1, %d]", 1<<30)
	}
	width, places := bits.Len(uint(evs-1)), bits.Len(uint(window))
	upper := variable("upper", "bits of every EV of the connection above those of the set", 16-width, 1)
	walk := []reps.Component{
		upper,
		variable("index", "place in the block", width, 1),
		variable("order", "order of the block", width, 1),
	}
	penalty := variable("penalty", "marks and losses of an EV", bits.Len(mostPenalty), evs)
	list := []reps.Component{
		variable("good", "EV of an unmarked ACK", width, window),
		variable("oldest", "place of the oldest good EV", places, 1),
		variable("waiting", "number of good EVs", places, 1),
	}
	switch name {
	case "ops":
		return nil, nil
	case "stratified":
		return walk, nil
	case "bitmap":
		return append(walk, penalty), nil
	case "mixed":
		return append(append(walk, penalty), list...), nil
	case "reps-legacy":
		return append(list, variable("swept", "EVs sent in turn so far", bits.Len(uint(evs)), 1)), nil
	case "reps":
		return ringState(width), nil
	}
	return nil, faults.New("balance", "name", name, "must be one of %v",
		[]string{"ops", "stratified", "bitmap", "mixed", "reps-legacy", "reps"})
}

// ringState lists the variables of [reps.Artifact] with the constants of Ultra Ethernet.
func ringState(width int) []reps.Component {
	const entries = reps.DefaultBufferSize
	place, count := bits.Len(entries-1), bits.Len(entries)
	return []reps.Component{
		variable("cachedEV", "EV of an unmarked ACK", width, entries),
		variable("isValid", "not used yet", 1, entries),
		variable("head", "slot written next", place, 1),
		variable("written", "slots ever written", count, 1),
		variable("pointer", "slot read next in freezing mode", place, 1),
		variable("exitFreezingMode", "time freezing mode may end, ns", 32, 1),
		variable("isFreezingMode", "in freezing mode", 1, 1),
		variable("exploreCounter", "packets of exploration left", bits.Len(reps.UltraEthernetPacketsPerWindow), 1),
	}
}

func variable(name, meaning string, width, count int) reps.Component {
	return reps.Component{Name: name, Meaning: meaning, Bits: width, Count: count}
}
