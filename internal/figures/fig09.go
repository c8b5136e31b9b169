package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig09Part compares schemes on one permutation with a share of every ToR's uplinks failed.
type fig09Part struct {
	comparison // x is the number of failed uplinks of a ToR
	hosts      int
	bytes      int64
	percents   []float64 // shares of failed links
}

// newFig09Part returns a part. Runs are cut at the horizon if it is not 0.
func newFig09Part(hosts int, bytes int64, horizon fattree.Picoseconds, replicas uint64, schemes []scheme,
	percents ...float64) *fig09Part {
	g := &fig09Part{comparison{schemes: schemes}, hosts, bytes, percents}
	for _, percent := range percents {
		tree := topology.FatTree{Hosts: hosts}.WithDefaults()
		spec := microSpec(tree)
		spec.Horizon = horizon
		for tor := range tree.ToRs() {
			for uplink := range g.failed(percent) {
				spec.Faults = append(spec.Faults, fattree.Fault{Ports: tree.Ports(topology.Part{Switch: tor, Uplink: uplink})})
			}
		}
		g.points = append(g.points, &comparedPoint{x: g.failed(percent), network: permuted(spec, bytes),
			place: fmt.Sprintf("%d hosts, %d MiB, %g %% failed", hosts, bytes/mebi, percent), replicas: replicas})
	}
	return g
}

// uplinks returns the number of uplinks of a ToR.
func (g *fig09Part) uplinks() int {
	return topology.FatTree{Hosts: g.hosts}.WithDefaults().UplinksPerToR
}

// failed returns the number of failed uplinks of every ToR.
func (g *fig09Part) failed(percent float64) int {
	return int(math.Round(percent / 100 * float64(g.uplinks())))
}

// maxFCT returns a scheme's mean longest FCT, in us.
func (g *fig09Part) maxFCT(percent float64, key string) mc.Estimate {
	return g.at(percent, key).maxFCT()
}

// at returns the runs of a scheme.
func (g *fig09Part) at(percent float64, key string) netRuns {
	return g.comparison.at("", g.failed(percent), key)
}

// ideal returns the authors' ideal for the remaining uplinks, in us: the time of a message at full rate plus 20
// us, divided by the share of remaining uplinks.
func (g *fig09Part) ideal(percent float64) float64 {
	const gbps = 400
	alive := 1 - float64(g.failed(percent))/float64(g.uplinks())
	return (float64(g.bytes)*8/gbps/1000 + 20) / alive
}

// fig09Parts are three comparisons: REPS and PLB as in the paper; REPS by two rules with two lengths of freezing
// mode; and all balancers with half of the links failed.
type fig09Parts struct {
	paper, thawing, all *fig09Part
}

// The runs of all balancers are cut after some ms. Networks of 1,024 hosts have few replicas.
const (
	fig09Cut  = 20
	fig09Few  = 3
	fig09Runs = 10
)

// newFig09 returns the experiments.
func newFig09() fig09Parts {
	thawing := []scheme{lb("reps").called("reps", "REPS, 10 ms", plot.Blue),
		lb("reps-100us").called("reps-100us", "REPS, 100 us", plot.BalancerColor("reps-100us")),
		repsAs("artifact", "REPS, 10 ms, artifact's rules", plot.Blue.Hollow(),
			balance.RecyclingConfig{Rules: balance.Artifact}),
		lb("artifact-100us").called("artifact-100us", "REPS, 100 us, artifact's rules", plot.Blue.Hollow().Hollow())}
	return fig09Parts{
		newFig09Part(1024, 32*mebi, 0, fig09Few, lbs("reps", "plb"), 0, 10, 20, 30, 40, 50),
		newFig09Part(1024, 8*mebi, 0, fig09Few, thawing, 10, 30, 50),
		newFig09Part(128, 8*mebi, fig09Cut*1000*microseconds, fig09Runs, allSchemes(), 50),
	}
}

// fig09 reproduces a growing share of failed links.
func fig09(ctx context.Context, s engine.Settings) (engine.Output, error) {
	f := newFig09()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{f.table(s.Seed)},
			Plot:   f.plot(),
			Notes: notes(facts{"hosts": f.paper.hosts, "mebibytes": f.paper.bytes / mebi, "freezing": f.freezingNote(),
				"hostsOfAll": f.all.hosts, "cut": fig09Cut, "replicas": fig09Few, "replicasOfAll": fig09Runs}, "fig09"),
			Findings: []claims.Finding{f.finding()},
		}
	}, &f.paper.comparison, &f.thawing.comparison, &f.all.comparison)
}

// table lists the runs of the three parts.
func (f fig09Parts) table(seed uint64) (rows frame.Table) {
	for _, g := range []*fig09Part{f.paper, f.thawing, f.all} {
		for _, percent := range g.percents {
			for _, c := range g.schemes {
				r := g.at(percent, c.key)
				rows.Add(cells{{"lb", c.key}, {"hosts", g.hosts}, {"message_bytes", g.bytes},
					{"failed_percent", percent}, {"failed_uplinks_of_tor", g.failed(percent)},
					{"ideal_us", g.ideal(percent)},
					{"over_authors_ideal", r.maxFCT().Value / g.ideal(percent)}, {"lost", r.count(netRun.lost).Value},
					{"reroute_us", r.reroute().Value}}, r.cells(nil), madeFrom(seed, len(r)))
			}
		}
	}
	return rows
}

// authorsFreezing states numbers from testdata/htsim_freezing.csv.
const authorsFreezing = "The authors' simulator, one seed of 1,024 hosts, 8 MiB: with half of the links failed 447 us " +
	"frozen for 10 ms and 8,921 us for 100 us at a time; with 10 % failed 220 and 237 us."

// freezingNote compares the effect of the length of freezing mode in repslab and in the authors' simulator.
func (f fig09Parts) freezingNote() string {
	least, most := f.thawing.percents[0], f.thawing.percents[len(f.thawing.percents)-1]
	ours := func(percent float64, key string) float64 { return f.thawing.maxFCT(percent, key).Value }
	const frozen, thawing = "artifact", "artifact-100us"
	return fmt.Sprintf("(b) %d hosts, %d MiB, REPS frozen for 10 ms or for 100 us at a time. By the rules of the "+
		"artifact, the authors' code, it then erases the ring and sends a window of random EVs, half of which are lost; "+
		"by the paper's it keeps the ring and draws every eighth packet. ", f.thawing.hosts, f.thawing.bytes/mebi) + authorsFreezing +
		fmt.Sprintf(" Here, by the artifact's rules, with %g %%: %.0f and %.0f us; with %g %%: %.0f and %.0f us.",
			most, ours(most, frozen), ours(most, thawing), least, ours(least, frozen), ours(least, thawing))
}

// lines returns a line for each scheme, and the ideal.
func (g *fig09Part) lines() []plot.Series {
	list := lists.Map(g.schemes, func(c scheme) plot.Series {
		return over(c.series(plot.ErrorBars), g.percents,
			func(percent float64) mc.Estimate { return g.maxFCT(percent, c.key) })
	})
	ideal := plot.Series{Name: "ideal", Color: plot.Black, Dash: plot.Dashed, Mark: plot.Line}
	for _, percent := range g.percents {
		appendXY(&ideal, percent, g.ideal(percent))
	}
	return append(list, ideal)
}

// plot draws the three parts.
func (f fig09Parts) plot() *plot.Plot {
	panel := func(title string, g *fig09Part, y plot.Axis) plot.Panel {
		return plot.Panel{Title: title, XLabel: "Failed links (%)", YLabel: "Mean max. FCT (us)",
			X: plot.Axis{Ticks: g.percents}, Y: y, Legend: plot.TopLeft, Series: g.lines()}
	}
	all := plot.Panel{Wide: true, YLabel: "Mean max. FCT (us)",
		Title: fmt.Sprintf("(c) 50 %% of the links failed (arrow: not finished after %d ms)", fig09Cut),
		X:     barAxis(f.all.schemes, func(c scheme) string { return c.name }), Y: onScale(plot.Log10, 200),
		References: level(f.all.ideal(50), "ideal"), Legend: plot.None}
	for i, c := range f.all.schemes {
		bar := c.series(plot.Bars)
		appendPoint(&bar, float64(i), f.all.at(50, c.key).orUnfinished(f.all.maxFCT(50, c.key)))
		all.Series = append(all.Series, bar)
	}
	freezing := fromOne(plot.Panel{Title: "(b) REPS by length of freezing mode", XLabel: "Failed links (%)",
		YLabel: "Mean max. FCT / ideal", Y: onScale(plot.Log10), Legend: plot.TopLeft,
		X: labelled(f.thawing.percents, func(percent float64) string { return fmt.Sprint(percent) })})
	for _, c := range f.thawing.schemes {
		freezing.Series = append(freezing.Series, barsOf(c.series(plot.Bars), f.thawing.percents,
			func(percent float64) mc.Estimate {
				return multipleOf(f.thawing.ideal(percent), f.thawing.maxFCT(percent, c.key))
			}))
	}
	above := []plot.Panel{panel("(a) REPS and PLB", f.paper, from(0)), freezing}
	return &plot.Plot{Columns: plot.Double, Height: 4.4, Panels: [][]plot.Panel{above, {all}}}
}

// finding grades the claim.
func (f fig09Parts) finding() claims.Finding {
	overIdeal := mc.Estimate{}
	var near, second []claims.Condition
	for _, percent := range f.paper.percents {
		e := listedAs(multipleOf(f.paper.ideal(percent), f.paper.maxFCT(percent, "reps")), "ideal times",
			"maximum FCT of "+f.paper.at(percent, "reps").by())
		near = append(near, claims.Met("N054", "REPS being close to the ideal", e).Condition)
		if e.Value > overIdeal.Value {
			overIdeal = e
		}
	}
	behind := f.paper.at(50, "plb").over(f.paper.at(50, "reps"))
	var before []string
	times := []mc.Estimate{f.all.maxFCT(50, "plb")}
	for _, c := range f.all.schemes {
		if c.key == "reps" || c.key == "plb" {
			continue
		}
		e := f.all.at(50, c.key).over(f.all.at(50, "plb"))
		if math.IsNaN(e.Value) { // it never finished
			continue
		}
		second = append(second, claims.Met("N054", "PLB being second", e).Condition)
		if e.Value < 1 {
			times = append(times, f.all.maxFCT(50, c.key))
			before = append(before, fmt.Sprintf("%s (%.0f us)", c.name, f.all.maxFCT(50, c.key).Value))
		}
	}
	why := "no other balancer is before PLB"
	if before != nil {
		why = fmt.Sprintf("faster than PLB (%.0f us), the only other balancer in the authors' figure: %s",
			f.all.maxFCT(50, "plb").Value, strings.Join(before, " and "))
	}
	return claims.InParts("N054", []claims.Part{
		{Name: "REPS being close to the ideal", Condition: claims.All(near...)},
		claims.Met("N054", "PLB being far slower", behind),
		{Name: "PLB being second", Condition: claims.All(second...)},
	}, fmt.Sprintf("REPS at most %s times the ideal; 50 %% of the links failed: PLB %s times REPS",
		withBounds(overIdeal, "%.2f"), withBounds(behind, "%.2f")), why).With(times...)
}
