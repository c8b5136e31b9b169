package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig12 reproduces completion times under ACK coalescing.
func fig12(ctx context.Context, s engine.Settings) (engine.Output, error) {
	g := newFig12()
	return g.figure(ctx, s, "fig12", func() []claims.Finding { return []claims.Finding{g.leads(), g.ahead(), ackBytes()} })
}

// newFig12 returns the comparison, not yet run.
func newFig12() *ackGrid {
	return newAckGrid(append(ackRatios(), artifactRatio), func(int) []scheme { return lbs("ops", "reps") })
}

// leads grades the lead of REPS by the packets per ACK.
func (g *ackGrid) leads() claims.Finding {
	lead := func(ratio int) mc.Estimate { return g.longer(ackHealthy, "ops", "reps", ratio) }
	const leading = "a lead with one ACK per 2, 4 and 8 packets"
	var words []string
	var ahead []claims.Condition
	var beside []mc.Estimate
	for _, p := range g.having(ackHealthy, "ops", "reps") {
		ratio := p.x
		words = append(words, fmt.Sprintf("%d:1 %s %%", ratio, withBounds(lead(ratio), "%.1f")))
		if ratio > 1 && ratio < 16 {
			ahead = append(ahead, claims.Met("N059", leading, lead(ratio)).Condition)
		} else if ratio != 16 {
			beside = append(beside, lead(ratio))
		}
	}
	return claims.InParts("N059", []claims.Part{
		{Name: leading, Condition: claims.All(ahead...)},
		{Name: "a smaller lead with one per 16 than per 8", Condition: claims.Below(lead(16), lead(8))},
	}, "OPS above REPS: "+strings.Join(words, "; "),
		fmt.Sprintf("the authors' simulator has %d:1 at its 16:1", artifactRatio)).With(beside...)
}

// ahead grades REPS's gain after a failure with few ACKs.
func (g *ackGrid) ahead() claims.Finding {
	failed := g.at(ackFailing, 16, "ops").over(g.at(ackFailing, 16, "reps"))
	return claims.Estimated("N060", "much better", failed, "OPS over REPS at 16:1 "+withBounds(failed, "%.1f"),
		"\"much better\" is taken as twice")
}

// ackBytes grades the share of bytes that ACKs add to packets.
func ackBytes() claims.Finding {
	spec := planOf(evsSpec(topology.FatTree{Hosts: 128})).Spec()
	overhead := 100 * float64(spec.HeaderBytes) / float64(spec.MTU)
	return claims.Sized("N062", claims.Exact(overhead), fmt.Sprintf("%.2f %%: %d of %d bytes", overhead, spec.HeaderBytes, spec.MTU), "")
}

// The networks with fewer ACKs than packets.
const (
	ackHealthy = "healthy"
	ackFailing = "failed-uplink"
)

// ackRatios lists the numbers of packets per ACK in the paper. artifactRatio is the authors' simulator's actual
// number in its run named 16:1.
func ackRatios() []int { return []int{1, 2, 4, 8, 16} }

const artifactRatio = 63

// ackGrid compares schemes by the number of packets per ACK. Its groups are networks.
type ackGrid struct{ comparison }

// newAckGrid returns the schemes of each ratio on the authors' permutation, not yet run: on a healthy network, and
// with every ToR's uplink to the first spine failed upwards from the beginning.
func newAckGrid(ratios []int, schemes func(ratio int) []scheme) *ackGrid {
	const hosts, bytes = 128, 8 * mebi
	g := &ackGrid{comparison{schemes: schemes(1)}}
	tree := topology.FatTree{Hosts: hosts}.WithDefaults()
	add := func(network string, faults []fattree.Fault) {
		for _, ratio := range ratios {
			spec := evsSpec(tree)
			spec.Faults = faults
			transport.Change(&spec, func(o *transport.Options) { o.AckRatio = ratio })
			g.points = append(g.points, &comparedPoint{group: network, x: ratio, schemes: schemes(ratio),
				place: fmt.Sprintf("%s, %d:1", network, ratio),
				cells: cells{{"network", network}, {"ack_ratio", ratio}, {"hosts", hosts}, {"message_bytes", bytes}},
				keep:  keepWithIdeal, network: permuted(spec, bytes), replicas: ackRuns})
		}
	}
	add(ackHealthy, nil)
	add(ackFailing, failedUplinks(tree, 0))
	return g
}

// ackRuns is the number of replicas.
const ackRuns = 20

// longer returns by how many percent the mean maximum FCT of a scheme exceeds that of another scheme, with paired
// replicas.
func (g *ackGrid) longer(network, slow, fast string, ratio int) mc.Estimate {
	return g.at(network, ratio, slow).over(g.at(network, ratio, fast)).Percent()
}

// plot draws a panel for each network.
func (g *ackGrid) plot() *plot.Plot {
	panels := []plot.Panel{
		{Title: "(a) Healthy", Y: from(0)},
		{Title: "(b) 1 of 8 uplinks of each ToR failed", Y: onScale(plot.Log10, 100)},
	}
	for i, network := range []string{ackHealthy, ackFailing} {
		panel := &panels[i]
		ratios := lists.Map(g.in(network), func(p *comparedPoint) int { return p.x })
		panel.X, panel.XLabel, panel.YLabel = ticked(onScale(plot.Log2), "%d:1", ratios...), "Packets per ACK", "Mean maximum FCT (us)"
		if slices.Contains(ratios, artifactRatio) {
			panel.XLabel += fmt.Sprintf(" (%d:1: the authors' 16:1)", artifactRatio)
		}
		panel.Series = g.curves(network, netRuns.maxFCT)
	}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// figure runs the comparison and returns its figure.
func (g *ackGrid) figure(ctx context.Context, s engine.Settings, id string, judge func() []claims.Finding) (engine.Output, error) {
	return compared(ctx, s, func() engine.Output {
		return engine.Output{Tables: []frame.Table{g.table()}, Plot: g.plot(), Notes: notes(facts{"replicas": ackRuns}, "coalescing", id),
			Findings: judge()}
	}, &g.comparison)
}
