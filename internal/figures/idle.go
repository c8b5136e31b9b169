package figures

import (
	"fmt"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/reps"
)

// The bursts of the finding about idle connections: hosts, bursts of each connection, us from the start of a burst to
// the next one, and us of the pause after which a connection explores. This pause exceeds the RTO of 41 us, so nothing
// is in flight.
const (
	idleHosts  = 64
	idleBursts = 3
	idlePeriod = 200
	idlePause  = 50
)

// drawBursts draws a permutation in which each connection sends messages of some bytes, one for each burst.
func drawBursts(bytes int64) drawWorkload {
	return func(source rand.Source) (w fattree.Workload, err error) {
		once, err := drawPermutation(idleHosts, bytes)(source)
		for burst := range fattree.Picoseconds(idleBursts) {
			for i, f := range once.Flows {
				f.Start, f.Connection = burst*idlePeriod*microseconds, i+1
				w.Flows = append(w.Flows, f)
			}
		}
		return w, err
	}
}

// keepLaterBursts keeps a complete run with the largest and the mean completion time of all bursts but the first, in us.
func keepLaterBursts(r experiment.Replica) (netRun, error) {
	k, err := keepComplete(r)
	longest, sum := fattree.Picoseconds(0), 0.0
	for flow := idleHosts; flow < k.Flows; flow++ {
		fct, _ := r.FCT(flow)
		longest, sum = max(longest, fct), sum+float64(fct)
	}
	k.Numbers = map[string]float64{"later_max": float64(longest) / microseconds,
		"later_mean": sum / float64(k.Flows-idleHosts) / microseconds}
	return k, err
}

// idleSlips returns the departure of the pseudocode from the paper's text, by which idle connections explore: with
// messages longer and shorter than a BDP, on a healthy network, and where links fail or recover in the first pause.
func idleSlips() (list []networkDeparture) {
	const longMessage, shortMessage = mebi, mebi / 8
	for _, c := range []struct {
		name, failures, number string
		bytes                  int64
		freeze                 uint32 // ns; 0 is the default of 10 ms
	}{
		{"maximum FCT of later messages, REPS, µs; 64 hosts, permutation, a message of 1 MiB every 200 µs", "", "later_max", longMessage, 0},
		{"the same, messages of 128 KiB", "", "later_max", shortMessage, 0},
		{"1 MiB, 12 % of the links fail in the first pause", "cables=12%,at=100", "later_max", longMessage, 0},
		{"the same, frozen for 100 µs at a time", "cables=12%,at=100", "later_max", longMessage, thawAt100us},
		{"the same, but the links fail in the first burst and recover in the pause", "cables=12%,at=5,for=95", "later_max", longMessage, thawAt100us},
		{"mean FCT; 128 KiB, the links fail in the first pause, frozen for 100 µs at a time", "cables=12%,at=100", "later_mean", shortMessage, thawAt100us},
	} {
		as := func(pause fattree.Picoseconds) scheme {
			return repsAs("reps", "REPS", plot.AutoColor, balance.RecyclingConfig{REPS: reps.Config{FreezingTimeout: c.freeze}, Idle: pause})
		}
		point := comparedPoint{group: "idle", place: fmt.Sprintf("bursts of %d bytes, %s", c.bytes, c.failures), keep: keepLaterBursts,
			network: failing(evsSpec(topology.FatTree{Hosts: idleHosts}), c.failures, drawBursts(c.bytes)), schemes: []scheme{as(idlePause * microseconds)}}
		list = append(list, networkDeparture{"Idle connections", [2]string{"explore", "do not"}, point, balancing(as(0)),
			[]quantity{{name: c.name, of: func(p *comparedPoint) mc.Estimate {
				return inSupport(p.of("reps"), kept(c.number), positive(0))
			}}}})
	}
	return list
}
