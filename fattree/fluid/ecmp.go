package fluid

import (
	"math/rand/v2"

	"repslab/faults"
	"repslab/internal/ecmphash"
)

// ECMPReplica returns the ends of the flows of c under ECMP: exact for the paths that the salts give. It draws the
// salts from the given source, one for each ToR and then for each switch of the second tier. Flows over failed
// links are Unfinished. Replica r of the packet model for a seed has the salts of
// mc.NewStream(seed, mc.Salts, r).Source(). It returns the errors of [Config.Validate], and a *faults.FieldError if
// salts is nil.
func ECMPReplica(c Config, salts rand.Source) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	if salts == nil {
		return Result{}, faults.New("fluid", "salts", nil, "must be set: the hashes of switches are drawn")
	}
	return newHashed(c.withDefaults()).run(salts)
}

// hashed simulates replicas of ECMP. Its constraints are single links.
type hashed struct {
	*play
	layout *layout
	salts  []uint64 // salts of the ToRs, then of the second tier's switches, then of the cores
}

// newHashed prepares a valid configuration with defaults applied.
func newHashed(c Config) *hashed {
	t := c.Topology
	links := [2]int{t.ToRs() * t.UplinksPerToR, t.Pods() * t.AggsPerPod() * t.UplinksPerAgg}
	l := newLayout(t, links, [2]float64{t.Fabric.Gbps, t.Core.Gbps})
	for _, s := range c.SlowLinks {
		uplinks := t.UplinksPerToR
		if s.Tier == 1 {
			uplinks = t.UplinksPerAgg
		}
		l.capacity[l.base[s.Tier][direction(s.Down)]+s.Switch*uplinks+s.Uplink] *= s.Rate
	}
	cores := 0
	if t.Tiers == 3 {
		cores = t.AggsPerPod() * t.CoresPerAgg()
	}
	return &hashed{
		play: newPlay(c, l.capacity, make([]path, len(c.Workload.Flows))), layout: l,
		salts: make([]uint64, t.ToRs()+t.Pods()*t.AggsPerPod()+cores),
	}
}

// run simulates one replica.
func (h *hashed) run(salts rand.Source) (Result, error) {
	for i := range h.salts {
		h.salts[i] = salts.Uint64()
	}
	for i := range h.solver.paths {
		h.solver.paths[i] = h.route(i)
	}
	return h.play.run()
}

// route returns the links of a flow. A cable between switches is numbered by its lower switch and this switch's
// port. Port j of a ToR leads to aggregation switch j / CablesPerPair of the pod. Port k of aggregation switch a
// of any pod leads to core switch (a, k / CoreCablesPerPair).
func (h *hashed) route(flow int) path {
	t, base := h.cfg.Topology, &h.layout.base
	f := h.cfg.Workload.Flows[flow]
	key, ev := uint64(f.Source)<<32|uint64(f.Destination), uint16(flow%h.cfg.EVS)
	port := func(salt uint64, ports int) int {
		if ports == 1 {
			return 0
		}
		return ecmphash.Port(ecmphash.Hash(key, ev, salt), ports)
	}
	var p path
	from, to := int(f.Source)/t.HostsPerToR, int(f.Destination)/t.HostsPerToR
	p.add(int(f.Source))
	if climb := t.Climb(f.Source, f.Destination); climb >= 1 {
		up := port(h.salts[from], t.UplinksPerToR)
		p.add(base[0][0] + from*t.UplinksPerToR + up)
		agg := up / t.CablesPerPair // number in its pod, also on the way down
		pod := 0
		if t.Tiers == 3 {
			pod = from / t.ToRsPerPod
		}
		above := pod*t.AggsPerPod() + agg
		if climb == 2 {
			cores, cables := h.salts[t.ToRs()+t.Pods()*t.AggsPerPod():], t.CoreCablesPerPair
			up := port(h.salts[t.ToRs()+above], t.UplinksPerAgg)
			p.add(base[1][0] + above*t.UplinksPerAgg + up)
			above = to/t.ToRsPerPod*t.AggsPerPod() + agg
			down := up/cables*cables + port(cores[agg*t.CoresPerAgg()+up/cables], cables)
			p.add(base[1][1] + above*t.UplinksPerAgg + down)
		}
		cable := port(h.salts[t.ToRs()+above], t.CablesPerPair)
		p.add(base[0][1] + to*t.UplinksPerToR + agg*t.CablesPerPair + cable)
	}
	p.add(t.Hosts + int(f.Destination))
	return p
}
