package paper

import (
	"slices"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// failing returns networks whose workload and whose places of failures differ from
// replica to replica; the failures are written as for the command line.
func (s Settings) failing(spec fattree.Spec, failures string, workload func(replica uint64) (fattree.Workload, error)) func(uint64) (*fattree.Network, error) {
	return fattree.Varied(func(replica uint64) (fattree.Spec, error) {
		of := spec
		list, err := fattree.ParseFailures(failures)
		if err != nil {
			return of, err
		}
		// The stream of the command line's, beside that of the workload.
		of.Faults, of.Errors, err = fattree.Place(of.Topology, list, mc.NewStream(s.Seed, mc.Workload, replica).Child(1))
		if err != nil {
			return of, err
		}
		of.Workload, err = workload(replica)
		return of, err
	})
}

// lostColumns head what lostCells returns.
func lostColumns() []string { return []string{"lost", "lost_lo", "lost_hi", "corrupted", "reroute_us"} }

// lostPackets returns the packets lost on dead links.
func lostPackets(r *fattree.Result) int64 { return r.Lost }

// reroute returns the mean time from a failure to the last packet sent into it, in
// microseconds.
func (runs networkRuns) reroute() mc.Estimate {
	return runs.count(func(r *fattree.Result) int64 { return r.Reroute }).Per(microseconds)
}

// lostCells returns what failures did: packets lost on dead links and by bit
// errors, and the time from a failure to the last packet sent into it.
func (runs networkRuns) lostCells() []any {
	lost := runs.count(lostPackets)
	return []any{lost.Value, lost.Lo, lost.Hi, runs.count(func(r *fattree.Result) int64 { return r.Corrupted }).Value, runs.reroute().Value}
}

// losses lists what failures did to each contender on each point.
func (c *comparison) losses(seed uint64) Table {
	t := Table{Name: "losses", Columns: slices.Concat(c.columns, []report.Column{text("lb")}, numbers(lostColumns()...), numbers("seed", "replicas"))}
	for _, p := range c.points {
		for i, of := range c.compared {
			t.Rows = append(t.Rows, slices.Concat(p.cells, []any{of.key}, p.runs[i].lostCells(), []any{seed, len(p.runs[i])}))
		}
	}
	return t
}
