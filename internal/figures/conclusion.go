package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// condition is a state of the network: healthy, asymmetric or failing.
type condition struct {
	key, title string
	faults     []fattree.Fault
}

// The states of the network other than [healthy].
const (
	asymmetric    = "asymmetric"
	uplinksFailed = "failing"
)

// conclusionTree returns the network.
func conclusionTree() topology.FatTree { return topology.FatTree{Hosts: 128} }

// conditions returns the healthy network, and two in which one of eight uplinks is slow or failed at four of 16
// ToRs: 3 % of all uplinks.
func conditions() []condition {
	tree := conclusionTree()
	var slow, failed []fattree.Fault
	for tor := 0; tor < 16; tor += 4 {
		uplink := tree.Ports(topology.Part{Switch: tor})
		slow = append(slow, fattree.Fault{Ports: uplink, Rate: 0.5})
		failed = append(failed, fattree.Fault{Ports: uplink, Start: 50 * microseconds})
	}
	return []condition{
		{healthy, "(a) Healthy", nil},
		{asymmetric, "(b) 3 % of the uplinks at half rate", slow},
		{uplinksFailed, "(c) 3 % of the uplinks failed from 50 µs on (arrow: not finished after 8 ms)", failed},
	}
}

// conclusion tests the paper's main claim with all load balancers, on the synthetic patterns, under the three
// conditions of the paper's evaluation.
func conclusion(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newConclusion()
	return compared(ctx, s, func() engine.Output {
		ratios := c.rows("ratios", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
			return cells{{"over_reps", frame.WithEnds(runs.shown(p.of("reps"), netRun.maxFCT))}}
		})
		return engine.Output{
			Tables:   []frame.Table{c.table(), ratios},
			Plot:     conclusionPlot(&c),
			Notes:    notes(facts{"replicas": conclusionRuns}, "conclusion"),
			Findings: []claims.Finding{conclusionFinding(&c)},
		}
	}, &c)
}

// conclusionRuns is the number of replicas.
const conclusionRuns = 10

// newConclusion returns the comparison, not yet run.
func newConclusion() comparison {
	c := comparison{schemes: allSchemes()}
	for _, state := range conditions() {
		spec := patternSpec(conclusionTree())
		if spec.Faults = state.faults; spec.Faults != nil {
			spec.Horizon = 8000 * microseconds
		}
		for _, p := range patternPoints(spec, []int{8}, conclusionRuns) {
			p.group, p.place = state.key, state.key+" "+p.workload
			p.cells = append(cells{{"condition", state.key}}, p.cells...)
			c.points = append(c.points, p)
		}
	}
	return c
}

// conclusionPlot draws a panel for each condition.
func conclusionPlot(c *comparison) *plot.Plot {
	figure := &plot.Plot{Columns: plot.Double, SharedLegend: true}
	axis := ticked(onScale(plot.Log2, 0.5, 16), "%g", 0.5, 1, 2, 4, 8, 16)
	for _, state := range conditions() {
		panel := fromOne(plot.Panel{Wide: true, Title: state.title, YLabel: "Max. FCT / that of REPS", Y: axis})
		panel = c.without("reps").bars(panel, state.key, func(p *comparedPoint, key string) mc.Estimate {
			return p.of(key).over(p.of("reps"))
		})
		figure.Panels = append(figure.Panels, []plot.Panel{panel})
	}
	figure.Height = 1.6 * float64(len(figure.Panels))
	return figure
}

// conclusionFinding grades the claim. Balancers that do not finish count as slower.
func conclusionFinding(c *comparison) claims.Finding {
	var matched, ahead []claims.Condition
	adaptive := map[string][]claims.Condition{} // by state of the network
	var overOPS []string
	best, why := 1.0, "REPS is nowhere behind"
	for _, p := range c.points {
		for _, of := range c.without("reps").schemes {
			e := p.of(of.key).over(p.of("reps"))
			if math.IsNaN(e.Value) {
				continue
			}
			matched = append(matched, claims.Met("N093", "matching every balancer", e).Condition)
			if e.Value < best {
				best = e.Value
				why = fmt.Sprintf("REPS is behind by at most %.1f %%: %s, %s", 100*(1/best-1), p.place, of.name)
			}
			switch {
			case p.workload == "incast": // its receiver is the bottleneck
			case of.key == "ops":
				ahead = append(ahead, claims.Met("N093", "gains over OPS", e).Condition)
				overOPS = append(overOPS, p.place+" "+withBounds(e, "%.2f"))
			case of.key != "ecmp" && of.key != "mptcp":
				adaptive[p.group] = append(adaptive[p.group], claims.Met("N093", "gains over adaptive balancers", e).Condition)
			}
		}
	}
	parts := []claims.Part{
		{Name: "matching every balancer", Condition: claims.All(matched...)},
		{Name: "gains over OPS", Condition: claims.All(ahead...)},
		{Name: "gains over adaptive balancers with slow uplinks", Condition: claims.All(adaptive[asymmetric]...)},
		{Name: "gains over adaptive balancers with failed uplinks", Condition: claims.All(adaptive[uplinksFailed]...)},
	}
	return claims.InParts("N093", parts, "OPS over REPS: "+strings.Join(overOPS, "; "),
		why+"; another seed (2) leaves the claim undecided; traces with bit errors, in which REPS freezes without cause, are judged with N053")
}
