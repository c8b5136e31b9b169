package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// Failures that pass: they begin at passingStart, in microseconds, in a permutation of passingHosts hosts.
const (
	passingHosts = 32
	passingStart = 20
	passingRuns  = 10
)

// passingLengths lists the lengths of failures, in microseconds, and passingSizes the message sizes, in MiB.
func passingLengths() []int { return []int{50, 100, 150, 200, 400} }
func passingSizes() []int64 { return []int64{2, 8, 32} }

// passingFailure is what fails, as on the command line and in words.
type passingFailure struct{ options, name string }

func passingFailures() []passingFailure {
	return []passingFailure{{"links=tor0:spine0", "An uplink"}, {"switches=1", "A spine"}}
}

// group names the points of a message size.
func (f passingFailure) group(mib int64) string { return fmt.Sprintf("%s, %d MiB", f.name, mib) }

// newPassing returns the comparison, not yet run. Its groups are failures and message sizes; x is the length.
func newPassing() comparison {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: passingHosts}}
	c := comparison{schemes: lbs("ops", "reps", "reps-100us")}
	for _, what := range passingFailures() {
		for _, mib := range passingSizes() {
			for _, us := range passingLengths() {
				failure := fmt.Sprintf("%s,at=%d,for=%d", what.options, passingStart, us)
				p := failurePoint(what.group(mib), fmt.Sprintf("permutation of %d MiB", mib), failure, failure, spec, drawPermutation(passingHosts, mib*mebi))
				p.x, p.replicas, p.metrics = us, passingRuns, []metric{byMaxFCT()}
				p.cells = cells{{"failure", failure}, {"failed_us", us}, {"hosts", passingHosts}, {"message_bytes", mib * mebi}}
				c.points = append(c.points, p)
			}
		}
	}
	return c
}

// passing shows how many times as long OPS takes as REPS, with and without leaving freezing mode after 100 us, if an
// uplink or a spine fails for a time.
func passing(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newPassing()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.table()},
			Plot:   &plot.Plot{Columns: plot.Double, Height: 3.6, SharedLegend: true, Panels: passingPanels(&c)},
			Notes:  notes(facts{"hosts": passingHosts, "start": passingStart, "replicas": passingRuns}, "passing"),
		}
	}, &c)
}

// passingPanels draws a row for each failure, with a panel for each message size.
func passingPanels(c *comparison) (rows [][]plot.Panel) {
	letter := 'a'
	for _, what := range passingFailures() {
		var row []plot.Panel
		for _, mib := range passingSizes() {
			panel := plot.Panel{Title: fmt.Sprintf("(%c) %s fails, %d MiB", letter, what.name, mib), XLabel: "Length of the failure (µs)",
				YLabel: "Max. FCT, OPS / REPS", X: from(0, 420), Y: from(0, 4.5), References: []plot.ReferenceLine{{At: 1}}}
			for _, of := range c.without("ops").schemes {
				panel.Series = append(panel.Series, over(of.series(plot.ErrorBars), passingLengths(), func(us int) mc.Estimate {
					return c.at(what.group(mib), us, "ops").over(c.at(what.group(mib), us, of.key))
				}))
			}
			row, letter = append(row, panel), letter+1
		}
		rows = append(rows, row)
	}
	return rows
}
