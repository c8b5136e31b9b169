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

// The network of the figure of routing: a message lasts 1.5 ms without a failure, so that routing can be slower.
const (
	rerouteHosts = 32
	rerouteMiB   = 16
	rerouteGbps  = 100
	rerouteRuns  = 4
)

// rerouteTimes lists the times after which routing avoids the failed cable, in us.
func rerouteTimes() []int { return []int{100, 300, 1000, 3000, 10_000, 30_000, 100_000} }

// rerouteSchemes returns balancers of hosts, and of switches with and without hosts.
func rerouteSchemes() []scheme {
	return append(lbs("ops"), named("switch-adaptive", "Adaptive switches"), named("host-adaptive", "Adaptive hosts and switches"), lb("mixed"), lb("reps"))
}

// newReroute returns the comparison, not yet run; x is the time to reroute.
func newReroute() comparison {
	link := fattree.Link{Gbps: rerouteGbps}
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: rerouteHosts, HostsPerToR: 8, Access: link, Fabric: link}, Reroutes: true, Horizon: 500_000 * microseconds}
	c := comparison{schemes: rerouteSchemes()}
	for _, us := range rerouteTimes() {
		spec.RerouteAfter = fattree.Picoseconds(us) * microseconds
		c.points = append(c.points, &comparedPoint{x: us, replicas: rerouteRuns, metrics: []metric{byMaxFCT()},
			place:   fmt.Sprintf("permutation of %d MiB, rerouted after %d us", rerouteMiB, us),
			cells:   cells{{"reroute_after_us", us}, {"hosts", rerouteHosts}, {"message_bytes", rerouteMiB * mebi}},
			network: failing(spec, "cables=1,dir=both,at=100", drawPermutation(rerouteHosts, rerouteMiB*mebi))})
	}
	return c
}

// reroute shows what a failed cable costs until routing avoids it.
func reroute(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newReroute()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.table(func(_ *comparedPoint, _ scheme, runs netRuns) cells {
				return cells{{"lost", frame.WithEnds(runs.count(netRun.lost))}}
			})},
			Plot: &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{
				reroutePanel(&c, "(a) Until the last flow ends", "Mean max. FCT (ms)", func(runs netRuns) mc.Estimate { return runs.maxFCT().Per(1000) }),
				reroutePanel(&c, "(b) Packets lost on the cable", "Packets", func(runs netRuns) mc.Estimate { return runs.count(netRun.lost) }),
			}}},
			Notes: notes(facts{"hosts": rerouteHosts, "mebibytes": rerouteMiB, "gbps": rerouteGbps, "replicas": rerouteRuns}, "reroute"),
		}
	}, &c)
}

// reroutePanel draws a line for each balancer over the time to reroute, in ms.
func reroutePanel(c *comparison, title, label string, of func(netRuns) mc.Estimate) plot.Panel {
	panel := plot.Panel{Title: title, XLabel: "Time until routing avoids the cable (ms)", YLabel: label,
		X: ticked(onScale(plot.Log10), "%g", 0.1, 1, 10, 100), Y: onScale(plot.Log10)}
	for _, b := range c.schemes {
		line := b.series(plot.ErrorBars)
		for _, us := range rerouteTimes() {
			appendPoint(&line, float64(us)/1000, of(c.at("", us, b.key)))
		}
		panel.Series = append(panel.Series, line)
	}
	return panel
}
