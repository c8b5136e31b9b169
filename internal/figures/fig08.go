package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// failureMode is a kind of failure.
type failureMode struct {
	label    string          // on an axis, and in tables
	parts    []topology.Part // parts that have failed from the beginning
	failures string          // other failures, as on the command line
}

// fig08Spine is the failed switch in the authors' runs.
const fig08Spine = 2

// authorsModes returns the authors' failures of 32 hosts under 4 spines, at the authors' places: permanent, from
// the beginning, of one direction of a link.
func authorsModes() []failureMode {
	links := func(direction topology.Direction, places ...[2]int) []topology.Part {
		return lists.Map(places, func(at [2]int) topology.Part {
			return topology.Part{Switch: at[0], Uplink: at[1], Direction: direction}
		})
	}
	spine := topology.Part{Tier: 1, Switch: fig08Spine, WholeSwitch: true}
	down := links(topology.Down, [2]int{1, 1}, [2]int{3, 3}, [2]int{4, 0}, [2]int{6, 1})
	return []failureMode{
		{fig08Link, links(topology.Up, [2]int{6, 0}), ""},
		{fig08Links, links(topology.Up, [2]int{1, 1}, [2]int{2, 2}, [2]int{3, 2}, [2]int{6, 2}), ""},
		{fig08Switch, []topology.Part{spine}, ""},
		{fig08Most, append(down, spine), ""},
		{fig08Errors, nil, "ber-cable=1%"},
		{"bit errors, switches", nil, "ber-switch=1%"},
	}
}

// Labels of failures.
const (
	fig08Link   = "1 link"
	fig08Links  = "5 % of links"
	fig08Switch = "1 switch"
	fig08Most   = "switch, 5 % of links"
	fig08Errors = "bit errors, links"
)

// wordsModes returns the failures of the paper's text: after some time, of links in both directions, at random
// places.
func wordsModes() []failureMode {
	return []failureMode{
		{fig08Link, nil, "cables=1,place=random,dir=both,at=50"},
		{fig08Links, nil, "cables=2,place=random,dir=both,at=50"},
		{fig08Switch, nil, "switches=1,place=random,at=50"},
		{fig08Most, nil, "switches=1,place=random,at=50;cables=2,place=random,dir=both,at=50"},
	}
}

// fig08Hosts is the size of the authors' network: 8 ToRs of 4 hosts, 4 spines.
const fig08Hosts = 32

// fig08Arrivals is the time during which flows of the trace arrive, in us.
const fig08Arrivals = 3500

// The replicas of permutations. The largest failure has fewer: a few runs already distinguish its gains.
const fig08Runs = 20

// Groups that are not drawn: the largest failure with the bugs of the authors' simulator, and temporary failures.
const (
	fig08Slips   = "slips"
	fig08Passing = "passing"
)

// fig08Schemes returns the load balancers for permanent failures.
func fig08Schemes() []scheme { return lbs("ops", "plb", "flowlet", "mprdma", "bitmap", "reps") }

// newFig08 returns the comparison, not yet run.
func newFig08() comparison {
	tree := topology.FatTree{Hosts: fig08Hosts}
	spec := patternSpec(tree)
	spec.Horizon = 10e6 * microseconds
	inheriting, slipping := spec, spec
	transport.Change(&inheriting, func(o *transport.Options) { o.InheritConnections = true })
	transport.Change(&slipping, func(o *transport.Options) { o.RequestsForRetransmission, o.DoubleTurns = true, true })
	c := comparison{schemes: fig08Schemes()}
	add := func(group, name string, m metric, spec fattree.Spec, modes []failureMode, draw drawWorkload) {
		for _, mode := range modes {
			if group == fig08Slips && mode.label != fig08Most {
				continue
			}
			p := failurePoint(group, name, mode.label, mode.failures, spec, draw)
			what := mode.failures
			if mode.parts != nil {
				failed := spec
				failed.Faults, what = failedParts(tree, mode.parts)
				p.network = varied(failed, draw)
			}
			p.cells = cells{{"workload", name}, {"failure", mode.label}, {"failure_spec", what}}
			p.metrics, p.replicas = []metric{m}, fewest
			if group == traces {
				p.replicas = fewLong
			}
			if group == fig08Slips {
				p.schemes = lbs("ops", "reps")
			}
			c.points = append(c.points, p)
		}
	}
	permutation := drawPermutation(fig08Hosts, 8*mebi)
	add(patterns, "permutation", byMaxFCT(), spec, authorsModes(), permutation)
	add(midRun, "permutation, failure at 50 us", byMaxFCT(), spec, wordsModes(), permutation)
	add(traces, "websearch", byMeanFCT(), inheriting, authorsModes(),
		drawWebSearch(traffic.Paced, fig08Hosts, tree, 1, fig08Arrivals))
	add(collectives, "allreduce-ring", byEnd(), inheriting, authorsModes(),
		func(source rand.Source) (fattree.Workload, error) {
			return traffic.RingAllreduce(fig08Hosts, fig08Hosts/2, traffic.Message{Bytes: 4_000_000}, source)
		})
	add(fig08Slips, "permutation, with the slips of the authors' simulator", byMaxFCT(), slipping, authorsModes(),
		permutation)
	c.points = append(c.points, twoOutages())
	for _, p := range c.points {
		if (p.group == patterns || p.group == midRun) && p.label != fig08Most {
			p.replicas = fig08Runs
		}
	}
	return c
}

// twoOutages returns the point of the paper's figure of two temporary failures, with the settings of the paper's
// text.
func twoOutages() *comparedPoint {
	return &comparedPoint{group: fig08Passing, label: "one uplink failed for 100 us, another for 200 us",
		place: "two failures that pass", network: newFig07Words().points[0].network,
		cells: cells{{"workload", "4 flows of ToR 0"}, {"failure", "2 links, for 100 and 200 us"},
			{"failure_spec", "uplink 1 from 100 to 200 us; uplink 3 from 350 to 550 us"}},
		metrics: []metric{byMaxFCT()}, schemes: passingSchemes(), replicas: 5}
}

// passingSchemes returns the load balancers for temporary failures.
func passingSchemes() []scheme { return append(fig08Schemes(), lb("reps-100us")) }

// failedParts returns parts of a tree as permanent faults from the beginning, and in words.
func failedParts(tree topology.FatTree, parts []topology.Part) (faults []fattree.Fault, words string) {
	var list []string
	for _, p := range parts {
		faults = append(faults, fattree.Fault{Ports: tree.Ports(p)})
		word := fmt.Sprintf("link of ToR %d and spine %d, %s", p.Switch, p.Uplink, []string{"up", "down"}[p.Direction])
		if p.WholeSwitch {
			word = fmt.Sprintf("spine %d", p.Switch)
		}
		list = append(list, word)
	}
	return faults, strings.Join(list, "; ")
}

// fig08 reproduces total and partial failures of links and switches.
func fig08(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newFig08()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.table(), c.speedups(), c.losses()},
			Plot:     fig08Plot(&c),
			Notes:    notes(facts{"replicas": fig08Runs, "few": fewest, "long": fewLong, "arrivals": fig08Arrivals}, "fig08"),
			Findings: []claims.Finding{hundredfold(&c), fig08Predicate(&c)},
		}
	}, &c)
}

// fig08Plot draws speed-ups over OPS.
func fig08Plot(c *comparison) *plot.Plot {
	figure := &plot.Plot{Columns: plot.Double, SharedLegend: true}
	letter := func() rune { return 'a' + rune(len(figure.Panels)) } // letter of the next panel
	row := func(group string, top float64) {
		panel := plot.Panel{Wide: true, Title: fmt.Sprintf("(%c) %s", letter(), fig08Titles[group]), YLabel: "Speed-up over OPS",
			Y: onScale(plot.Log10, 0.1, top)}
		figure.Panels = append(figure.Panels, []plot.Panel{c.faster(panel, group)})
		figure.Height += 1.8
	}
	row(patterns, 1000)
	row(midRun, 10_000)
	row(traces, 100)
	row(collectives, 1000)
	passing := comparison{schemes: passingSchemes(), points: c.in(fig08Passing)}
	panel := passing.faster(plot.Panel{Wide: true, YLabel: "Speed-up over OPS",
		Title: fmt.Sprintf("(%c) Failures that pass, 4 flows of one ToR, maximum FCT", letter()),
		Y:     ticked(onScale(plot.Log10, 0.5, 2), "%g", 0.5, 1, 2)}, fig08Passing)
	figure.Panels = append(figure.Panels, []plot.Panel{panel})
	figure.Height += 1.4
	return figure
}

// fig08Titles are the titles of the panels.
var fig08Titles = map[string]string{
	patterns:    "Permutation, maximum FCT, failures from the beginning",
	midRun:      "Permutation, failures at 50 us",
	traces:      "WebSearch, mean FCT",
	collectives: "Ring allreduce",
}

// fig08Gains returns a balancer's time divided by another balancer's time, at the points of some groups.
func fig08Gains(c *comparison, slow, fast string, groups ...string) (list gains) {
	for _, group := range groups {
		list = append(list, c.gains(group, slow, fast)...)
	}
	return list
}

// hundredfold grades the gain over OPS under temporary failures, as in the sentence. Those under permanent
// ones, as in the authors' script, stand beside it.
func hundredfold(c *comparison) claims.Finding {
	all := fig08Gains(c, "ops", "reps", patterns, traces, collectives)
	lasting := all.largest()
	lasting.ratio = mc.LargestOf(all.ratios())
	passing, slips := c.gains(fig08Passing, "ops", "reps-100us").largest(), c.gains(fig08Slips, "ops", "reps")
	most := c.gains(patterns, "ops", "reps").where(func(g gain) bool { return g.at.label == fig08Most })
	why := fmt.Sprintf("where a switch and 5 %% of the links fail for good it is %.0f, with the bugs of the authors' simulator %.0f, in theirs %s",
		most[0].ratio.Value, slips[0].ratio.Value, claims.Find("N009").Witness[0].Value)
	return claims.Sized("N009", passing.ratio, fmt.Sprintf("OPS takes %s times as long as REPS that leaves freezing mode after 100 µs where two failures pass, %s times as long as REPS where failures last (%s)",
		withBounds(passing.ratio, "%.2f"), withBounds(lasting.ratio, "%.0f"), lasting.at.place), why).
		With(slices.Concat(all.ratios(), slips.ratios())...)
}

// underBitErrors reports whether a gain is under bit errors, rather than failed links or switches.
func underBitErrors(g gain) bool { return strings.HasPrefix(g.at.label, "bit errors") }

// underFailures reports whether a gain is under failed links or switches.
func underFailures(g gain) bool { return !underBitErrors(g) }

// growth returns the conditions that REPS's gain over OPS grows with the number of failed links: with failed links
// alone, and with a failed switch in addition.
func growth(c *comparison) (conditions []claims.Condition) {
	for _, group := range []string{patterns, midRun} {
		at := map[string]mc.Estimate{}
		for _, g := range c.gains(group, "ops", "reps") {
			at[g.at.label] = g.ratio
		}
		for _, pair := range [][2]string{{fig08Link, fig08Links}, {fig08Switch, fig08Most}} {
			conditions = append(conditions, claims.Below(at[pair[0]], at[pair[1]]))
		}
	}
	return conditions
}

// fig08Predicate grades the paper's statement about the figure.
func fig08Predicate(c *comparison) claims.Finding {
	over := func(slow, fast string) gains { return fig08Gains(c, slow, fast, patterns, midRun, traces, collectives) }
	failed, errors := over("ops", "reps").where(underFailures), over("ops", "reps").where(underBitErrors)
	var rivals, overMPRDMA gains
	for _, key := range []string{"plb", "flowlet", "mprdma", "bitmap"} {
		rivals = append(rivals, over(key, "reps").where(underFailures)...)
		if key != "mprdma" {
			overMPRDMA = append(overMPRDMA, over(key, "mprdma")...)
		}
	}
	is := func(name string) func(mc.Estimate) claims.Part {
		return func(e mc.Estimate) claims.Part { return claims.Met("N053", name, e) }
	}
	well, half := overMPRDMA.conditions(is("MPRDMA the faster")), claims.Find("N053").Bound("MPRDMA doing well").Lo
	ahead := 0
	for _, condition := range well {
		if condition.Holds {
			ahead++
		}
	}
	harmless, doingWell := claims.All(errors.conditions(is("bit errors without harm"))...),
		claims.AtLeastOf(int(math.Ceil(half*float64(len(well)))), well...)
	var causes []string
	if !harmless.Holds {
		causes = append(causes, "bit errors freeze REPS without cause, and flows of the trace inherit that")
	}
	if !doingWell.Holds {
		causes = append(causes, "MPRDMA sends at random after every loss")
	}
	return claims.InParts("N053", []claims.Part{
		{Name: "OPS far slower", Condition: claims.All(failed.conditions(is("OPS far slower"))...)},
		{Name: "REPS the fastest", Condition: claims.All(rivals.conditions(is("REPS the fastest"))...)},
		{Name: "gains that grow with failures", Condition: claims.All(growth(c)...)},
		{Name: "bit errors without harm", Condition: harmless},
		{Name: "MPRDMA doing well", Condition: doingWell},
	}, fmt.Sprintf("least time over REPS's under failures: %s; of others %s; under bit errors %s; MPRDMA is faster than PLB, Flowlet "+
		"or BitMap in %d of %d comparisons", failed.least(), rivals.least(), errors.least(), ahead, len(well)), strings.Join(causes, "; "))
}
