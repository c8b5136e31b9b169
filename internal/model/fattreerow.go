package model

import (
	"repslab/ballsbins/allocation"
	"repslab/fattree/experiment"
	"repslab/internal/cell"
	"repslab/internal/metric"
	"repslab/internal/table"
	"repslab/mc"
)

// offeredLoad returns the bytes of flows of drawn sizes, as a fraction of the capacity of all host links while
// flows start. It is nil for other workloads.
func (p *Fattree) offeredLoad(s experiment.Summary) any {
	if p.kind.sizes == nil {
		return nil
	}
	perHost := s.Of("bytes").Value / float64(p.hosts())
	return perHost * 8 / (float64(p.duration) * 1000 * p.Tree.Access.Gbps)
}

// lawKey is the key of the distribution of the number of valid entries.
const lawKey = "ring_valid_law"

// fattreeResults returns the columns of results.
func fattreeResults() []table.Column {
	heads := numbers(fattreeRow(experiment.Setup{}.NewExperiment().NewTally().Summary(), nil, nil))
	for i, head := range heads {
		if head.Key == "group" || head.Key == lawKey {
			heads[i] = table.Text(head.Key)
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
// statistics, bounds for times of unfinished runs, and results that are not a mean over runs.
func fattreeRow(s experiment.Summary, group, offeredLoad any) (row cell.Row) {
	others := map[string]any{
		"group": group, lawKey: entriesCell(s.Entries),
		"finished_runs": float64(s.Replicas-s.Unfinished) / float64(s.Replicas), "offered_load": offeredLoad,
		"late_rank": rankCell(s.LateRank), "late_source": rankCell(s.LateLink[0]), "late_destination": rankCell(s.LateLink[1]),
	}
	shown := map[string]experiment.Shown{}
	for _, statistic := range experiment.Statistics() {
		shown[statistic.Key] = statistic.Shown
	}
	for _, key := range metric.Keys(FattreeName) {
		other, apart := others[key]
		numbers, known := shown[key]
		switch {
		case apart:
			row = append(row, cell.Cell{key, other})
		case !known: // a column of parameters
		case numbers == experiment.Value:
			row = append(row, cell.Cell{key, s.Of(key).Value})
		case numbers == experiment.Ends:
			row = append(row, cell.Ends(key, key, s.Of(key))...)
		default:
			row = append(row, cell.ErrorAndEnds(key, key, s.Of(key))...)
		}
	}
	return row
}
