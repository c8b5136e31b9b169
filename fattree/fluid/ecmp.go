package fluid

import (
	"context"
	"errors"
	"math/rand/v2"

	"repslab/faults"
	"repslab/internal/ecmphash"
	"repslab/mc"
)

// Summary holds Monte Carlo estimates of a workload's completion times under ECMP, in picoseconds with 95 %
// intervals. They cover the replicas in which all flows end. Replicas differ in the switches' hash salts.
type Summary struct {
	MaxFCT, MeanFCT mc.Estimate // longest and mean completion time of a replica
	LastEnd         mc.Estimate // end of a replica's last flow
	Cut             mc.Estimate // proportion of replicas in which a failed link keeps a flow from ending
	Replicas        uint64      // number of replicas run
}

// ECMP returns the summary of c with max-min fair rates and every flow on one path, which the switches pick by
// hashes of the flow's addresses and entropy value. Replica r has the same salts as in the packet model for (seed,
// r), so flows take the same paths there. A plan's stopping rule uses the mean of the longest completion time. On
// an error, such as a cancelled ctx, the estimates cover the finished replicas. A replica takes O(e a log a) for e
// starts and ends at different times and a active flows.
func ECMP(ctx context.Context, c Config, plan mc.Plan) (Summary, error) {
	if err := errors.Join(mc.CheckContext("fluid", ctx), c.Validate(), plan.Validate()); err != nil {
		return Summary{}, err
	}
	c = c.withDefaults()
	newTally := func() *tally { return new(tally) }
	all, replicas, err := mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *tally, uint64) error, error) {
		h := newHashed(c)
		return func(ctx context.Context, t *tally, replica uint64) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			result, err := h.run(mc.NewStream(seed, mc.Salts, replica).Source())
			if err == nil {
				t.add(result)
			}
			return err
		}, nil
	}).Run(ctx, plan)
	return Summary{
		MaxFCT: all.StoppingStatistic(), MeanFCT: all.mean.Mean(mc.DefaultConfidence),
		LastEnd: all.lastEnd.Mean(mc.DefaultConfidence),
		Cut:     mc.Proportion(uint64(all.cut), all.longest.N()+uint64(all.cut), mc.DefaultConfidence), Replicas: replicas,
	}, err
}

// ECMPReplica returns the ends of the flows of c under ECMP: exact for the paths that the salts give. It draws the
// salts from the given source, one for each ToR and then for each switch of the second tier. Flows over failed
// links are Unfinished. Replica r of [ECMP] draws from mc.NewStream(seed, mc.Salts, r).Source(). It returns the
// errors of [Config.Validate], and a *faults.FieldError if salts is nil.
func ECMPReplica(c Config, salts rand.Source) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	if salts == nil {
		return Result{}, faults.New("fluid", "salts", nil, "must be set: the hashes of switches are drawn")
	}
	return newHashed(c.withDefaults()).run(salts)
}

// tally accumulates replicas.
type tally struct {
	longest, mean, lastEnd mc.Moments
	cut                    mc.Count // replicas with unfinished flows
}

func (t *tally) add(r Result) {
	longest, ok := r.MaxFCT()
	if !ok {
		t.cut++
		return
	}
	mean, _ := r.MeanFCT()
	lastEnd, _ := r.LastEnd()
	t.longest.Add(int64(longest))
	t.mean.Add(int64(mean))
	t.lastEnd.Add(int64(lastEnd))
}

// Parts implements [mc.Tally]: completion times in picoseconds.
func (t *tally) Parts() []mc.NamedPart {
	return []mc.NamedPart{
		{Name: "max_fct", Part: &t.longest}, {Name: "mean_fct", Part: &t.mean},
		{Name: "end", Part: &t.lastEnd}, {Name: "cut", Part: &t.cut},
	}
}

// StoppingStatistic implements [mc.Tally].
func (t *tally) StoppingStatistic() mc.Estimate { return t.longest.Mean(mc.DefaultConfidence) }

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
