package fluid

import (
	"context"
	"errors"
	"repslab/fattree"
	"repslab/internal/checks"
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
	if err := errors.Join(checks.Context("fluid", ctx), c.Validate(), plan.Validate()); err != nil {
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

// Rates returns the max-min fair rates of all flows of c as if all were active, sprayed as c.Spreading says: bytes
// per second on the wire, by flow; exact up to rounding. It returns the error of [Config.Validate]. O(flows log
// flows).
func Rates(c Config) ([]float64, error) {
	p, err := c.prepared()
	if err != nil {
		return nil, err
	}
	for flow := range c.Workload.Flows {
		p.active = append(p.active, int32(flow))
	}
	p.solver.solve(p.active)
	for i := range p.solver.rate {
		p.solver.rate[i] *= 1e12
	}
	return p.solver.rate, nil
}

// MeanFCT returns the mean completion time rounded down to a picosecond, and false unless
// all flows end.
func (r Result) MeanFCT() (mean fattree.Picoseconds, ok bool) {
	if !r.all() {
		return 0, false
	}
	// Completion times are below 2^50 ps, but the sum of 2^24 of them may exceed 2^63, so
	// quotients and remainders are summed separately.
	flows, rest := fattree.Picoseconds(max(1, len(r.End))), fattree.Picoseconds(0)
	for flow := range r.End {
		fct := r.End[flow] - r.Start[flow]
		mean += fct / flows
		rest += fct % flows
	}
	return mean + rest/flows, true
}
