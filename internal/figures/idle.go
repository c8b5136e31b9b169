package figures

import (
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/reps"
)

// Hosts of the finding about idle connections, and us from the start of a message of a connection to its next
// one.
const idleHosts, idlePeriod = 64, 200

// idlePause is the pause after which a connection explores, in us. It exceeds the RTO of 41 us.
const idlePause = 50

// drawMessages draws a permutation in which each connection sends three messages.
func drawMessages(bytes int64) drawWorkload {
	return func(source rand.Source) (w fattree.Workload, err error) {
		once, err := drawPermutation(idleHosts, bytes)(source)
		for start := fattree.Picoseconds(0); start < 3*idlePeriod; start += idlePeriod {
			for i, f := range once.Flows {
				f.Start, f.Connection = start*microseconds, i+1
				w.Flows = append(w.Flows, f)
			}
		}
		return w, err
	}
}

// keepLater keeps a complete run with the maximum and the mean FCT of all messages but the first ones, in us.
func keepLater(r experiment.Replica) (netRun, error) {
	k, err := keepComplete(r)
	later := make([]float64, k.Flows-idleHosts)
	for i := range later {
		fct, _ := r.FCT(idleHosts + i)
		later[i] = float64(fct) / microseconds
	}
	k.Numbers = map[string]float64{"later_max": slices.Max(later), "later_mean": mean(later)}
	return k, err
}

// idleSlips returns the departure of the pseudocode from the paper's text, by which idle connections explore:
// with messages longer and shorter than a BDP, on a healthy network, and where links fail or recover in the
// first pause.
func idleSlips() (list []networkDeparture) {
	for _, c := range []struct {
		name, failures, number string
		bytes                  int64
		freeze                 uint32 // ns; 0 is the default of 10 ms
	}{
		{"maximum FCT of later messages, REPS, µs; 64 hosts, permutation, a message of 1 MiB every 200 µs", "", "later_max", mebi, 0},
		{"the same, messages of 128 KiB", "", "later_max", mebi / 8, 0},
		{"1 MiB, 12 % of the links fail in the first pause", "cables=12%,at=100", "later_max", mebi, 0},
		{"the same, frozen for 100 µs at a time", "cables=12%,at=100", "later_max", mebi, thawAt100us},
		{"the same, but the links fail during the first message and recover in the pause", "cables=12%,at=5,for=95", "later_max", mebi, thawAt100us},
		{"mean FCT; 128 KiB, the links fail in the first pause, frozen for 100 µs at a time", "cables=12%,at=100", "later_mean", mebi / 8, thawAt100us},
	} {
		as := func(pause fattree.Picoseconds) scheme {
			cfg := balance.RecyclingConfig{REPS: reps.Config{FreezingTimeout: c.freeze}, Idle: pause * microseconds}
			return repsAs("reps", "REPS", plot.AutoColor, cfg)
		}
		network := failing(evsSpec(topology.FatTree{Hosts: idleHosts}), c.failures, drawMessages(c.bytes))
		list = append(list, networkDeparture{"Idle connections", [2]string{"explore", "do not"},
			comparedPoint{group: "idle", place: c.name, keep: keepLater,
				network: network, schemes: []scheme{as(idlePause)}}, balancing(as(0)),
			[]quantity{{name: c.name, of: func(p *comparedPoint) mc.Estimate {
				return inSupport(p.of("reps"), kept(c.number), positive(0))
			}}}})
	}
	return list
}
