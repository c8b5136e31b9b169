package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Comparison accumulates replicas that were each run under several setups. It implements [mc.Tally]; [Compare]
// makes it.
type Comparison struct {
	tallies []*Tally
	ratios  []mc.PairedMoments
}

// Compare returns the experiment that runs every replica under each of the setups, with the same seed. Setups that
// differ only in the balancer or the congestion control meet the same flows and hash salts in a replica, so their
// ratios are paired. It panics without a setup.
func Compare(setups ...Setup) mc.Experiment[*Comparison] {
	if len(setups) == 0 {
		panic("experiment: Compare needs a setup")
	}
	setups = slices.Clone(setups)
	newComparison := func() *Comparison {
		c := &Comparison{ratios: make([]mc.PairedMoments, len(setups))}
		for range setups {
			c.tallies = append(c.tallies, newTally())
		}
		return c
	}
	return mc.EachReplica(newComparison, func(seed uint64) (func(context.Context, *Comparison, uint64) error, error) {
		runners := make([]*Runner, len(setups))
		for i, s := range setups {
			var err error
			if runners[i], err = s.NewRunner(); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, c *Comparison, replica uint64) error {
			times := make([]fattree.Picoseconds, len(setups))
			for i, runner := range runners {
				r, err := runner.Run(ctx, seed, replica)
				if err != nil {
					return err
				}
				times[i] = c.tallies[i].add(r)
			}
			for i, t := range times {
				c.ratios[i].Add(int64(t), int64(times[0]))
			}
			return nil
		}, nil
	})
}

// Summary returns the estimates of the i-th setup, from 0. It panics if there is no such
// setup.
func (c *Comparison) Summary(i int) Summary { return c.tallies[i].Summary() }

// Ratio returns the mean maximum FCT of the i-th setup, from 0, divided by the mean of the first setup; see
// [mc.PairedMoments.Ratio]. If a flow did not finish under one of the two setups, Ratio has a bound instead of a
// value; under both, it has neither; see [mc.Estimate.Bound]. It panics if there is no such setup.
func (c *Comparison) Ratio(i int) mc.Estimate {
	return c.ratio(i).Bound(c.tallies[i].unfinished > 0, c.tallies[0].unfinished > 0)
}

// ratio returns the ratio, with lower bounds for times that are not known.
func (c *Comparison) ratio(i int) mc.Estimate { return c.ratios[i].Ratio(mc.DefaultConfidence) }

// Parts implements [mc.Tally]: the parts of a [Tally] for each setup, and of the ratios.
func (c *Comparison) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i := range c.tallies {
		prefix := fmt.Sprintf("setup%d_", i)
		for _, p := range c.tallies[i].Parts() {
			parts = append(parts, mc.NamedPart{Name: prefix + p.Name, Part: p.Part})
		}
		parts = append(parts, mc.NamedPart{Name: prefix + "ratio", Part: &c.ratios[i]})
	}
	return parts
}

// StoppingStatistic implements [mc.Tally]. It is the ratio with the widest relative interval, with lower bounds
// for times that are not known; for a single setup it is the mean maximum FCT.
func (c *Comparison) StoppingStatistic() mc.Estimate {
	if len(c.ratios) == 1 {
		return c.tallies[0].StoppingStatistic()
	}
	widest := c.ratio(1)
	for i := 2; i < len(c.ratios); i++ {
		if e := c.ratio(i); !((e.Hi-e.Lo)*widest.Value <= (widest.Hi-widest.Lo)*e.Value) { // a NaN counts as the widest
			widest = e
		}
		if math.IsNaN(widest.Value) {
			break
		}
	}
	return widest
}
