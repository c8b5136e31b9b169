package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// everyTenth flow is background traffic.
const everyTenth = 10

// fig06 re-makes the comparison of all load balancers beside flows that ECMP pins
// to a path.
func fig06() Figure {
	return Figure{
		ID:    "fig06",
		Title: "Load balancers beside 10 % of background flows under ECMP",
		Rules: []claims.Rule{
			{Claim: "N048", Text: "in every permutation and tornado the mean maximum FCT of REPS's flows beside the background is at most 10 % longer than that of the same flows where all are REPS's, and that of the background beside REPS's flows at most 10 % longer than where nothing else is sent"},
		},
		Build: buildFig06,
	}
}

// The flows under ECMP, and the others.
func ofBackground() Metric {
	return Metric{Key: "background_max_fct_us", Name: "max. FCT of the background", Of: func(r Run) int64 { return longestOf(r, true) }}
}

func ofMain() Metric {
	return Metric{Key: "main_max_fct_us", Name: "max. FCT of the others", Of: func(r Run) int64 { return longestOf(r, false) }}
}

// longestOf returns the longest FCT of the background, or of all other flows.
func longestOf(r Run, background bool) int64 {
	most := int64(0)
	for i, flow := range r.Result.Flows {
		if (i%everyTenth == 0) == background {
			most = max(most, flow.FCT())
		}
	}
	return most
}

// beside returns the contender with background traffic under ECMP.
func beside(c Scheme) Scheme {
	main := c.Open
	c.Open = func(evs int) (fattree.Balancer, error) {
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
func altered(network fattree.Networks, by func(*fattree.Workload)) fattree.Networks {
	return func(seed, replica uint64) (*fattree.Network, error) {
		n, err := network(seed, replica)
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
type fig06Controls struct{ alone, pure []Runs }

// newFig06 runs the comparison and its controls.
func newFig06(ctx context.Context, s Settings) (Comparison, fig06Controls, error) {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Queue: 101, KMin: 25, KMax: 76}
	sizes := []int{4, 8, 16}
	if s.Scale == Quick {
		sizes = sizes[1:2]
	}
	c := Comparison{Columns: WorkloadColumns(), Points: SyntheticPoints(s.Seed, spec, sizes, s.Scale.Choose(2, 10))}
	for _, of := range AllSchemes() {
		c.Compared = append(c.Compared, beside(of))
	}
	var controls []ReplicatedSetup[Run]
	for i := range c.Points {
		p := &c.Points[i]
		// Flows keep their numbers, and so their EVs under ECMP.
		alone := altered(p.Network, func(w *fattree.Workload) {
			for flow := range w.Flows {
				if flow%everyTenth != 0 {
					w.Flows[flow].Bytes = 1
				}
			}
		})
		controls = append(controls, ReplicatedSetup[Run]{Setup: ECMP().Setup(FullEVS, alone), Replicas: p.Replicas, Keep: KeepTimes},
			ReplicatedSetup[Run]{Setup: REPS().Setup(FullEVS, p.Network), Replicas: p.Replicas, Keep: KeepTimes})
		p.Metrics = []Metric{ofMain(), ofBackground()}
		p.Network = altered(p.Network, func(w *fattree.Workload) { w.BackgroundEvery = everyTenth })
	}
	if err := c.Run(ctx, s.Part(0, 2)); err != nil {
		return c, fig06Controls{}, err
	}
	runs, err := SimulateEach(ctx, s.Part(1, 2), controls)
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
		Tables:  []table.Table{c.Table(s.Seed), c.Speedups(s.Seed), fig06Table(&c, controls, s.Seed)},
		Formats: []table.Format{table.CSV},
		Plot:    fig06Plot(&c),
		Notes: []string{
			fmt.Sprintf("128 hosts, 2 tiers, queue 101, ECN 25/76, trimming, DCTCP variant; every tenth flow is under ECMP, the others under the load balancer named. So did the authors, one seed a bar; here %d replicas.", c.Points[0].Replicas),
			"I is an incast of 8, of which one is background, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, of the same sort of flows, replicas paired.",
			"max_fct_us in the table is over all flows; fig06-speedups.csv has the two sorts apart. fig06-controls.csv has, for REPS, the times of either sort with the other and without: the background alone on the network, with the same paths, and the same flows all under REPS.",
			"The authors' simulator, 8 MiB permutation, one seed, maximum FCT of all flows in us: ECMP 722, OPS 552, PLB 570, Flowlet 762, MPRDMA 442, BitMap 460, adaptive RoCE 576, MPTCP-like 565, REPS 385.",
		},
		Findings: []claims.Finding{fig06Finding(&c, controls)},
	}, nil
}

// slower is how much longer flows take beside others than without.
type slower struct {
	sort                string
	at                  ComparisonPoint
	beside, without, by mc.Estimate
}

// fig06Slower returns, for every point, how much longer REPS's flows and the
// background take beside each other.
func fig06Slower(c *Comparison, controls fig06Controls) []slower {
	var list []slower
	own := c.Index("reps")
	for i, p := range c.Points {
		for _, of := range []struct {
			sort    string
			control Runs
			m       Metric
		}{{"reps", controls.pure[i], ofMain()}, {"background", controls.alone[i], ofBackground()}} {
			list = append(list, slower{of.sort, p, p.Runs[own].Time(of.m.Of), of.control.Time(of.m.Of), p.Runs[own].Ratio(of.control, of.m.Of)})
		}
	}
	return list
}

// fig06Table lists the two sorts of flows beside each other and without.
func fig06Table(c *Comparison, controls fig06Controls, seed uint64) table.Table {
	t := table.Table{Name: "controls", Columns: slices.Concat(c.Columns, []table.Column{table.Text("flows")},
		table.Numbers("beside_max_fct_us", "without_max_fct_us", "slowdown", "slowdown_lo", "slowdown_hi", "seed", "replicas"))}
	for _, l := range fig06Slower(c, controls) {
		t.Rows = append(t.Rows, slices.Concat(c.Row(l.at), []any{l.sort, l.beside.Value, l.without.Value, l.by.Value, l.by.Lo, l.by.Hi, seed, int(l.at.Replicas)}))
	}
	return t
}

// fig06Plot draws completion times and speed-ups of both sorts of flows.
func fig06Plot(c *Comparison) *plot.Plot {
	const top = 3.2
	faster := func(title string, m Metric) []plot.Panel {
		panel := c.Faster(SpeedupPanel(title, PatternLabel, top), Patterns, m)
		panel.Wide = true
		return []plot.Panel{panel}
	}
	return &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true, Panels: [][]plot.Panel{
		{c.PatternTimes("(a) The 90 % under the load balancer: completion time", ofMain())},
		{c.PatternTimes("(b) The 10 % under ECMP: completion time", ofBackground())},
		faster("(c) The 90 %: speed-up", ofMain()), faster("(d) The 10 %: speed-up", ofBackground()),
	}}
}

// fig06Finding judges that neither sort of flows slows the other down.
func fig06Finding(c *Comparison, controls fig06Controls) claims.Finding {
	holds, each := true, []string{}
	var conditions []claims.Condition
	permutations, tornados := Most(OnWorkload(c.Gains(Patterns, "ops", "reps", ofBackground()), "permutation")), Most(OnWorkload(c.Gains(Patterns, "ops", "reps", ofBackground()), "tornado"))
	for _, l := range fig06Slower(c, controls) {
		if l.at.Workload() == "incast" {
			continue
		}
		holds, conditions = holds && l.by.Value <= 1.1, append(conditions, claims.AtMost(l.by, 1.1))
		each = append(each, fmt.Sprintf("%s %s (%s)", l.sort, Interval(l.by, "%.3f"), l.at.Place))
	}
	return claims.InWords("N048", holds, "maximum FCT beside the other sort of flows, as a multiple of that without: "+strings.Join(each, ", "),
		fmt.Sprintf("beside OPS the background takes up to %.2f (permutation) and %.2f times (tornado) as long as beside REPS", permutations.Ratio.Value, tornados.Ratio.Value)).Resting(claims.All(conditions...))
}
