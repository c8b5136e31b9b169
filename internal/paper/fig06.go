package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// everyTenth flow is background traffic.
const everyTenth = 10

// fig06 re-makes the comparison of all load balancers beside flows that ECMP pins
// to a path.
func fig06() Figure {
	return Figure{
		ID:    "fig06",
		Title: "Load balancers beside 10 % of background flows under ECMP",
		Rules: []Rule{
			{"N048", "in every permutation and tornado the mean maximum FCT of REPS's flows beside the background is at most 10 % longer than that of the same flows where all are REPS's, and that of the background beside REPS's flows at most 10 % longer than where nothing else is sent"},
		},
		build: buildFig06,
	}
}

// The flows under ECMP, and the others.
func ofBackground() metric {
	return metric{"background_max_fct_us", "max. FCT of the background", func(r networkRun) int64 { return longestOf(r, true) }}
}

func ofMain() metric {
	return metric{"main_max_fct_us", "max. FCT of the others", func(r networkRun) int64 { return longestOf(r, false) }}
}

// longestOf returns the longest FCT of the background, or of all other flows.
func longestOf(r networkRun, background bool) int64 {
	most := int64(0)
	for i, flow := range r.result.Flows {
		if (i%everyTenth == 0) == background {
			most = max(most, flow.FCT())
		}
	}
	return most
}

// beside returns the contender with background traffic under ECMP.
func (c contender) beside() contender {
	main := c.open
	c.open = func(evs int) (fattree.Balancer, error) {
		own, err := main(evs)
		if err != nil {
			return nil, err
		}
		background, err := balance.NewECMP(evs)
		return balance.NewMixed(own, background), err
	}
	return c
}

// altered returns the networks with their workload altered.
func altered(network func(uint64) (*fattree.Network, error), by func(*fattree.Workload)) func(uint64) (*fattree.Network, error) {
	return func(replica uint64) (*fattree.Network, error) {
		n, err := network(replica)
		if err != nil {
			return nil, err
		}
		spec := n.Spec()
		spec.Workload.Flows = slices.Clone(spec.Workload.Flows)
		by(&spec.Workload)
		return fattree.Build(spec)
	}
}

// fig06Controls are the runs without the one or the other sort of traffic, by
// point.
type fig06Controls struct{ alone, pure []networkRuns }

// newFig06 runs the comparison and its controls.
func newFig06(ctx context.Context, s Settings) (comparison, fig06Controls, error) {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Queue: 101, KMin: 25, KMax: 76}
	sizes := []int{4, 8, 16}
	if s.Scale == Quick {
		sizes = sizes[1:2]
	}
	c := comparison{columns: workloadColumns(), points: s.synthetic(spec, sizes, s.Scale.choose(2, 10))}
	for _, of := range allContenders() {
		c.compared = append(c.compared, of.beside())
	}
	var controls []experiment[networkRun]
	for i := range c.points {
		p := &c.points[i]
		// Flows keep their numbers, and so their EVs under ECMP.
		alone := altered(p.network, func(w *fattree.Workload) {
			for flow := range w.Flows {
				if flow%everyTenth != 0 {
					w.Flows[flow].Bytes = 1
				}
			}
		})
		controls = append(controls, experiment[networkRun]{ecmp().setup(fullEVS, alone), p.replicas, keepTimes},
			experiment[networkRun]{repsPaper().setup(fullEVS, p.network), p.replicas, keepTimes})
		p.metrics = []metric{ofMain(), ofBackground()}
		p.network = altered(p.network, func(w *fattree.Workload) { w.BackgroundEvery = everyTenth })
	}
	if err := c.run(ctx, s.part(0, 2)); err != nil {
		return c, fig06Controls{}, err
	}
	runs, err := simulateEach(ctx, s.part(1, 2), controls)
	var of fig06Controls
	for i := 0; i < len(runs); i += 2 {
		of.alone, of.pure = append(of.alone, runs[i]), append(of.pure, runs[i+1])
	}
	return c, of, err
}

func buildFig06(ctx context.Context, s Settings) (Output, error) {
	c, controls, err := newFig06(ctx, s)
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []Table{c.table(s.Seed), c.speedups(s.Seed), fig06Table(&c, controls, s.Seed)},
		Formats: []report.Format{report.CSV},
		Plot:    fig06Plot(&c),
		Notes: []string{
			fmt.Sprintf("128 hosts, 2 tiers, queue 101, ECN 25/76, trimming, DCTCP variant; every tenth flow is under ECMP, the others under the load balancer named. So did the authors, one seed a bar; here %d replicas.", c.points[0].replicas),
			"I is an incast of 8, of which one is background, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, of the same sort of flows, replicas paired.",
			"max_fct_us in the table is over all flows; fig06-speedups.csv has the two sorts apart. fig06-controls.csv has, for REPS, the times of either sort with the other and without: the background alone on the network, with the same paths, and the same flows all under REPS.",
			"The authors' simulator, 8 MiB permutation, one seed, maximum FCT of all flows in us: ECMP 722, OPS 552, PLB 570, Flowlet 762, MPRDMA 442, BitMap 460, adaptive RoCE 576, MPTCP-like 565, REPS 385.",
		},
		Findings: []Finding{fig06Finding(&c, controls)},
	}, nil
}

// slower is how much longer flows take beside others than without.
type slower struct {
	sort                string
	at                  point
	beside, without, by mc.Estimate
}

// fig06Slower returns, for every point, how much longer REPS's flows and the
// background take beside each other.
func fig06Slower(c *comparison, controls fig06Controls) []slower {
	var list []slower
	own := c.index("reps")
	for i, p := range c.points {
		for _, of := range []struct {
			sort    string
			control networkRuns
			m       metric
		}{{"reps", controls.pure[i], ofMain()}, {"background", controls.alone[i], ofBackground()}} {
			list = append(list, slower{of.sort, p, p.runs[own].time(of.m.of), of.control.time(of.m.of), p.runs[own].ratio(of.control, of.m.of)})
		}
	}
	return list
}

// fig06Table lists the two sorts of flows beside each other and without.
func fig06Table(c *comparison, controls fig06Controls, seed uint64) Table {
	t := Table{Name: "controls", Columns: slices.Concat(c.columns, []report.Column{text("flows")},
		numbers("beside_max_fct_us", "without_max_fct_us", "slowdown", "slowdown_lo", "slowdown_hi", "seed", "replicas"))}
	for _, l := range fig06Slower(c, controls) {
		t.Rows = append(t.Rows, slices.Concat(l.at.cells, []any{l.sort, l.beside.Value, l.without.Value, l.by.Value, l.by.Lo, l.by.Hi, seed, int(l.at.replicas)}))
	}
	return t
}

// fig06Plot draws completion times and speed-ups of both sorts of flows.
func fig06Plot(c *comparison) *report.Figure {
	const top = 3.2
	faster := func(title string, m metric) []report.Panel {
		panel := c.faster(speedupPanel(title, patternLabel, top), patterns, m)
		panel.Wide = true
		return []report.Panel{panel}
	}
	return &report.Figure{Columns: report.Double, Height: 7.2, SharedLegend: true, Panels: [][]report.Panel{
		{c.patternTimes("(a) The 90 % under the load balancer: completion time", ofMain())},
		{c.patternTimes("(b) The 10 % under ECMP: completion time", ofBackground())},
		faster("(c) The 90 %: speed-up", ofMain()), faster("(d) The 10 %: speed-up", ofBackground()),
	}}
}

// fig06Finding judges that neither sort of flows slows the other down.
func fig06Finding(c *comparison, controls fig06Controls) Finding {
	holds, each := true, []string{}
	permutations, tornados := most(of(c.gains(patterns, "ops", "reps", ofBackground()), "permutation")), most(of(c.gains(patterns, "ops", "reps", ofBackground()), "tornado"))
	for _, l := range fig06Slower(c, controls) {
		if l.at.cells[0] == "incast" {
			continue
		}
		holds = holds && l.by.Value <= 1.1
		each = append(each, fmt.Sprintf("%s %s (%s)", l.sort, interval(l.by, "%.3f"), l.at.place))
	}
	return inWords("N048", holds, "maximum FCT beside the other sort of flows, as a multiple of that without: "+strings.Join(each, ", "),
		fmt.Sprintf("beside OPS the background takes up to %.2f (permutation) and %.2f times (tornado) as long as beside REPS", permutations.ratio.Value, tornados.ratio.Value))
}
