package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// conclusion puts the paper's main claim to the test: all load balancers on the
// synthetic patterns in the three conditions of its evaluation.
func conclusion() Figure {
	return Figure{
		ID:    "conclusion",
		Title: "All load balancers on incast, permutation and tornado: healthy, asymmetric, failing",
		Rules: []claims.Rule{
			{Claim: "N093", Text: "the mean maximum FCT of REPS is nowhere more than 2 % above that of any other; on the healthy network OPS's is longer in every pattern; with slow and with dead uplinks OPS's is at least 5 % longer in permutation and tornado, which incast, bound by its receiver, cannot be; ratios of paired replicas"},
			{Claim: "N094", Text: "in none of the nine scenarios the mean maximum FCT of REPS is more than 2 % above that of any other load balancer, replicas paired"},
		},
		Build: buildConclusion,
	}
}

// condition is a state of the network.
type condition struct {
	key, title string
	faults     []fattree.Fault
}

// conditions are healthy, and two in which one of eight uplinks is slow or dead at
// four of 16 ToRs: 3 % of all uplinks.
func conditions() []condition {
	var slow, dead []fattree.Fault
	for tor := 0; tor < 16; tor += 4 {
		slow = append(slow, fattree.Fault{Switch: tor, Rate: 0.5})
		dead = append(dead, fattree.Fault{Switch: tor, Start: 50 * Microseconds})
	}
	return []condition{
		{Healthy, "(a) Healthy", nil},
		{"asymmetric", "(b) 3 % of the uplinks at half rate", slow},
		{"failing", "(c) 3 % of the uplinks dead from 50 us on", dead},
	}
}

func buildConclusion(ctx context.Context, s Settings) (Output, error) {
	const hosts = 128
	size, replicas := int(s.Scale.Choose(4, 8)), s.Scale.Choose(2, 10)
	c := Comparison{Compared: AllSchemes(), Columns: append([]table.Column{table.Text("condition")}, WorkloadColumns()...)}
	for _, state := range conditions() {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76,
			Faults: state.faults, Horizon: 20_000 * Microseconds}
		for _, p := range SyntheticPoints(s.Seed, spec, []int{size}, replicas) {
			p.Group, p.Label, p.Place = state.key, p.Workload(), state.key+" "+p.Workload()
			p.Cells["condition"] = state.key
			c.Points = append(c.Points, p)
		}
	}
	if err := c.Run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []table.Table{c.Table(s.Seed), conclusionRatios(&c, s.Seed)},
		Formats: []table.Format{table.CSV},
		Plot:    conclusionPlot(&c),
		Notes: []string{
			fmt.Sprintf("The paper's sentences say \"all scenarios\" and \"consistently\"; here they are judged on nine: messages of %d MiB, 128 hosts, 2 tiers of 8 uplinks to a ToR, queue 101, ECN 25/76, no trimming, DCTCP variant, as in the authors' synthetic set. The other figures add sizes, traces, collectives, more failures and 3 tiers; their claims are judged there.", size),
			"In (b) and (c) the uplink to the first spine of ToRs 0, 4, 8 and 12 is at half rate, as in the authors' set-up, or dead, upwards. A bar that is missing stands for flows that had not finished after 20 ms: ECMP's and MPTCP-like's keep to their paths, and the empty queue of a dead uplink attracts adaptive RoCE.",
			"Bars: maximum FCT over that of REPS, replicas paired; above 1 is slower than REPS. conclusion-ratios.csv has them.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals.", replicas),
		},
		Findings: conclusionFindings(&c),
	}, nil
}

// behind returns the mean longest FCT of a contender over that of REPS, and false
// if a run of either did not finish.
func behind(p ComparisonPoint, contender, recycling int) (mc.Estimate, bool) {
	for _, i := range []int{contender, recycling} {
		for _, r := range p.Runs[i] {
			if !r.Complete {
				return mc.Estimate{Value: math.NaN()}, false
			}
		}
	}
	return p.Runs[contender].Over(p.Runs[recycling]), true
}

// conclusionRatios lists every load balancer against REPS.
func conclusionRatios(c *Comparison, seed uint64) table.Table {
	t := table.Table{Name: "ratios", Columns: append(append([]table.Column{}, c.Columns...), append([]table.Column{table.Text("lb")}, table.Numbers("over_reps", "over_reps_lo", "over_reps_hi", "seed", "replicas")...)...)}
	own := c.Index("reps")
	for _, p := range c.Points {
		for i, of := range c.Compared {
			over := make([]any, 3) // empty where it did not finish
			if e, finished := behind(p, i, own); finished {
				over = []any{e.Value, e.Lo, e.Hi}
			}
			t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key}, over, []any{seed, len(p.Runs[i])}))
		}
	}
	return t
}

// conclusionPlot draws a panel for each condition.
func conclusionPlot(c *Comparison) *plot.Plot {
	own := c.Index("reps")
	figure := &plot.Plot{Columns: plot.Double, Height: 4.8, SharedLegend: true}
	axis := plot.Axis{Scale: plot.Log2, Min: new(0.5), Max: new(32.0), Ticks: []float64{0.5, 1, 2, 4, 8, 16, 32}, TickLabels: []string{"0.5", "1", "2", "4", "8", "16", "32"}}
	for _, state := range conditions() {
		panel := plot.Panel{Wide: true, Title: state.title, YLabel: "Max. FCT / REPS's", Y: axis, Rules: []plot.ReferenceLine{{At: 1}}}
		panel = c.Bars(panel, state.key, func(p ComparisonPoint, i int) mc.Estimate {
			if i == own {
				return mc.Estimate{Value: math.NaN()}
			}
			e, _ := behind(p, i, own)
			return e
		})
		figure.Panels = append(figure.Panels, []plot.Panel{panel})
	}
	return figure
}

// conclusionFindings judges the claims.
func conclusionFindings(c *Comparison) []claims.Finding {
	own, oblivious := c.Index("reps"), c.Index("ops")
	matches, ahead := true, true
	var beaten, overOPS []string
	var matched, longer []claims.Condition
	for _, p := range c.Points {
		for i, of := range c.Compared {
			e, finished := behind(p, i, own)
			if i == own || !finished {
				continue
			}
			matched = append(matched, claims.AtLeast(e, 1/1.02))
			if e.Value < 1/1.02 {
				matches = false
				beaten = append(beaten, fmt.Sprintf("%s by %s, REPS over it %.2f", p.Place, of.Name, 1/e.Value))
			}
		}
		e, finished := behind(p, oblivious, own)
		overOPS = append(overOPS, p.Place+" "+Interval(e, "%.3f"))
		least := 1.0
		if p.Group != Healthy {
			least = 1.05
		}
		if boundByReceiver := strings.Contains(p.Place, "incast") && p.Group != Healthy; finished && !boundByReceiver {
			ahead, longer = ahead && e.Value >= least, append(longer, claims.AtLeast(e, least))
		}
	}
	where := "REPS is matched but nowhere beaten by more than 2 %"
	if !matches {
		where = "REPS is beaten in " + strings.Join(beaten, "; ")
	}
	return []claims.Finding{
		claims.InWords("N093", matches && ahead, where+". OPS over REPS: "+strings.Join(overOPS, "; "), "").Resting(claims.All(append(longer, matched...)...)),
		claims.InWords("N094", matches, where, "").Resting(claims.All(matched...)),
	}
}
