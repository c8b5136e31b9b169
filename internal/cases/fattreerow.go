package cases

import (
	"fmt"
	"math"

	"repslab/ballsbins/allocation"
	"repslab/fattree/experiment"
	"repslab/internal/frame"
	"repslab/internal/metric"
	"repslab/internal/param"
	"repslab/mc"
)

// offeredLoads returns the bytes of flows, as a fraction of the capacity of all host links while they start: for all
// flows, and for each part. It has no value for flows that do not start over a time, and for all flows of several
// parts.
func (p *Fattree) offeredLoads(s experiment.Summary) (list []mc.Estimate) {
	for i, q := range p.parts {
		of, load := s, noEstimate()
		if len(p.parts) > 1 {
			of = s.Groups[i]
		}
		if over := p.completed(q).Duration; q.timed() {
			load = of.Of("bytes").Per(float64(p.hosts())).Per(1.0 / 8).Per(float64(over) / us * 1000 * p.Tree.Access.Gbps)
		}
		list = append(list, load)
	}
	if len(p.parts) > 1 {
		return append([]mc.Estimate{noEstimate()}, list...)
	}
	return append(list, list...)
}

// loadWarnings returns warnings about parts that offer another load than they are asked to. A part with hosts=rest may
// have fewer hosts, and is left out.
func (p *Fattree) loadWarnings(loads []mc.Estimate) (list []string) {
	for i, q := range p.parts {
		t, asked, over := p.completed(q), "--load ", "--duration-us "
		offered := loads[1+i].Value * float64(p.hosts()) / float64(p.hostsOf(q))
		if t.Every > 0 && offered > 1 {
			list = append(list, fmt.Sprintf("%s: %s: rounds every %v us offer %.2g of the links of its hosts, more than they carry",
				p.network(), q.Name, float64(t.Every)/us, offered))
		}
		if t.Load == 0 || q.Rest || !(math.Abs(offered/t.Load-1) > 0.1) {
			continue
		}
		if q.Name != "" {
			asked, over = q.Name+": load=", "for="
		}
		reason := "every host starts a flow at once"
		if t.Poisson || t.Pattern != nil {
			reason = "flows are few"
		}
		list = append(list, fmt.Sprintf("%s: %s%v offers %.2g in %s%v, as %s: a longer time comes closer",
			p.network(), asked, t.Load, offered, over, float64(t.Duration)/us, reason))
	}
	return list
}

// noEstimate returns an estimate without a value and without an interval.
func noEstimate() mc.Estimate { return mc.Moments{}.Mean(mc.DefaultConfidence) }

// finishedRuns returns the share of the runs in which every flow ended, with an interval if there are at least three.
func finishedRuns(s experiment.Summary) mc.Estimate {
	e := mc.Proportion(s.Replicas-s.Unfinished, s.Replicas, mc.DefaultConfidence)
	if s.Replicas < mc.Fewest {
		e.Lo, e.Hi = math.NaN(), math.NaN()
	}
	return e
}

// lawKey is the key of the distribution of the number of valid entries.
const lawKey = "ring_valid_law"

// fattreeResults returns the columns of results.
func fattreeResults() []frame.Column {
	heads := param.Numbers(fattreeRow(experiment.Setup{}.NewExperiment().NewTally().Summary(), nil, noEstimate()))
	for i, head := range heads {
		if head.Key == "group" || head.Key == lawKey {
			heads[i] = frame.Text(head.Key)
		}
	}
	return heads
}

// entriesCell writes the distribution of the number of valid entries; nil if there is none.
func entriesCell(s *mc.Sample) any {
	var bars []allocation.Level
	for value, n := range s.Counts() {
		bars = append(bars, allocation.Level{Value: float64(value), Share: float64(n) / float64(s.N())})
	}
	if bars == nil {
		return nil
	}
	return levels(bars)
}

// fattreeRow returns the results of a row, for all flows or for a group, in the order of the metrics. It has the
// statistics, spreads of times, bounds for times of unfinished runs, and results that are not a mean over runs.
func fattreeRow(s experiment.Summary, group any, offeredLoad mc.Estimate) (row frame.Row) {
	others := map[string]any{
		"group": group, lawKey: entriesCell(s.Entries),
		"late_rank": rankCell(s.LateRank), "late_source": rankCell(s.LateLink[0]), "late_destination": rankCell(s.LateLink[1]),
	}
	ends := map[string]mc.Estimate{"finished_share": finishedRuns(s), "offered_load": offeredLoad}
	spreads := map[string]bool{}
	for _, statistic := range experiment.Statistics() {
		if statistic.Shown == experiment.Ends {
			ends[statistic.Key] = s.Of(statistic.Key)
		} else {
			others[statistic.Key] = s.Of(statistic.Key)
		}
		spreads[statistic.Key] = statistic.HasSpread()
	}
	for _, key := range metric.Keys(FattreeName) {
		e, hasEnds := ends[key]
		other, known := others[key]
		switch with, hasError := other.(mc.Estimate); {
		case hasEnds:
			row = append(row, frame.Cell{key, frame.WithEnds(e)})
		case hasError:
			row = append(row, frame.Cell{key, frame.WithErrorAndEnds(with)})
		case known: // otherwise a column of parameters
			row = append(row, frame.Cell{key, other})
		}
		if spreads[key] {
			row = append(row, spreadCell(key, s.Spread(key)))
		}
	}
	return row
}
