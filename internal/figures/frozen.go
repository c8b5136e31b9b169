package figures

import (
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/reps"
)

// frozenHosts is the number of hosts of the finding about frozen rings.
const frozenHosts = 64

// frozenJob returns a ring all-reduce on 16 ranks at random places.
func frozenJob(bytes int64) drawWorkload {
	return func(source rand.Source) (fattree.Workload, error) {
		step, err := schedule.RingAllreduce(16, bytes)
		if err != nil {
			return fattree.Workload{}, err
		}
		places := make([]fattree.Host, step.Ranks)
		for rank, host := range rand.New(source).Perm(frozenHosts)[:step.Ranks] {
			places[rank] = fattree.Host(host)
		}
		return schedule.Job{Schedule: step, Steps: 1, Hosts: places}.Workload(), nil
	}
}

// frozenSlips returns the departure of Algorithm 1 from its purpose: in freezing mode the ring is to keep the EVs that
// are known to work, but takes every EV that comes back. The finding holds if the job takes longer, by more than the
// intervals, and the permutations do not take less.
func frozenSlips() (list []networkDeparture) {
	byStep := func(p *comparedPoint) mc.Estimate { return p.of("reps").time(netRun.stepTime) }
	as := func(caching reps.Caching) scheme {
		return repsAs("reps", "REPS", plot.AutoColor, balance.RecyclingConfig{REPS: reps.Config{FrozenCache: caching}})
	}
	for _, c := range []struct {
		name, failures string
		ratio          int
		workload       drawWorkload
		of             func(*comparedPoint) mc.Estimate
	}{
		{"step, REPS, µs; ring all-reduce of 64 MiB, 16 ranks on 64 hosts, connections inherited, a cable fails for good",
			"cables=1,dir=both,place=aligned,at=100", 1, frozenJob(64 * mebi), byStep},
		{"the step, 4 packets per ACK", "cables=1,dir=both,place=aligned,at=100", 4, frozenJob(64 * mebi), byStep},
		{"the step, 4 packets per ACK, the cable recovers after 500 µs", "cables=1,dir=both,place=aligned,at=100,for=500", 4, frozenJob(64 * mebi), byStep},
		{"maximum FCT, REPS, µs; 64 hosts, permutation of 32 MiB, 4 cables fail for good", "cables=4,dir=both,at=50", 1,
			drawPermutation(frozenHosts, 32*mebi), longest("reps")},
		{"the permutation, 4 packets per ACK", "cables=4,dir=both,at=50", 4, drawPermutation(frozenHosts, 32*mebi), longest("reps")},
	} {
		spec := evsSpec(topology.FatTree{Hosts: frozenHosts})
		transport.Change(&spec, func(o *transport.Options) { o.AckRatio, o.InheritConnections = c.ratio, true })
		list = append(list, networkDeparture{"Frozen ring", [2]string{"new EVs", "all"},
			comparedPoint{group: "frozen", place: c.name, network: failing(spec, c.failures, c.workload), schemes: []scheme{as(reps.CacheNew)}},
			balancing(as(reps.CacheAll)), []quantity{{name: c.name, of: c.of}}})
	}
	return list
}
