package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// fig08 re-makes total and partial failures of cables and switches.
func fig08() Figure {
	return Figure{
		ID:    "fig08",
		Title: "Load balancers where cables and switches fail: permutation, WebSearch, ring allreduce",
		Rules: []claims.Rule{
			{Claim: "N009", Text: "the time of OPS over that of REPS, largest over the points of the figure, is 90 to 110, or 100 is in its 95 % interval and 1 is not; the time is the maximum FCT of permutations, the mean FCT of WebSearch, the end of the allreduce"},
			{Claim: "N053", Text: "wherever cables or switches are dead, OPS takes at least twice as long as REPS and no other load balancer is faster; in the permutation the gain over OPS is larger with 5 % of the cables than with one, and larger with a switch and 5 % of the cables than with a switch; with bit errors OPS takes at least 0.95 times as long as REPS; the geometric mean over all points of MPRDMA's speed-up over OPS is above 1 and at least the second largest of those of PLB, Flowlet, MPRDMA and BitMap"},
			{Claim: "N079", Text: "its part on failures, 100 times, by the rule of N009; N005 to N008 decide the rest"},
			{Claim: "N080", Text: "the packets lost on dead links under OPS over those under REPS, largest over the points of the figure, are 70 or more"},
		},
		Build: buildFig08,
	}
}

// failureMode is a kind of failure.
type failureMode struct {
	label    string // on an axis, and in tables
	failures string // as for the command line
	brief    bool   // one of those at quick scale with traces and collectives
}

// authorsModes are the authors' failures of 32 hosts under 4 spines: for good and
// from the beginning on, cables upwards only.
func authorsModes() []failureMode {
	return []failureMode{
		{"cable", "cables=1,place=random", true},
		{"5% cables", "cables=4,place=random", false},
		{"switch", "switches=1,place=random", false},
		{"switch, cable", "switches=1,place=random;cables=1,place=random", false},
		{"switch, 5% c.", "switches=1,place=random;cables=4,place=random", true},
		{"BER cable", "ber-cable=1%", true},
		{"BER switch", "ber-switch=1%", false},
	}
}

// wordsModes are the failures of the paper's words: after some time, cables in both
// directions.
func wordsModes() []failureMode {
	return []failureMode{
		{"cable", "cables=1,place=random,dir=both,at=50", true},
		{"5% cables", "cables=2,place=random,dir=both,at=50", false},
		{"switch", "switches=1,place=random,at=50", true},
		{"switch, 5% c.", "switches=1,place=random,at=50;cables=2,place=random,dir=both,at=50", true},
	}
}

// fig08Hosts is the size of the authors' network: 8 ToRs of 4 hosts, 4 spines.
const fig08Hosts = 32

// fig08Arrivals is for how long flows of the trace come, in us, and fig08Hop the
// bytes of a hop of the allreduce: the authors' at full scale.
func fig08Arrivals(scale Scale) int64 { return int64(scale.Choose(300, 3500)) }

func fig08Hop(scale Scale) int64 { return int64(scale.Choose(500_000, 4_000_000)) }

// newFig08 returns the comparison, not yet run.
func newFig08(s Settings) Comparison {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: fig08Hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Horizon: 10e6 * Microseconds}
	inheriting := spec
	inheriting.InheritConnections = true
	trace := traffic.Arrivals{Hosts: fig08Hosts, HostsPerToR: 4, Sizes: traffic.WebSearch(), Load: 1, Gbps: 400,
		Duration: fig08Arrivals(s.Scale) * Microseconds}
	hop := traffic.Message{Bytes: fig08Hop(s.Scale)}
	c := Comparison{Compared: []Scheme{OPS(), PLB(), Flowlet(), MPRDMA(), BitMap(), REPS()},
		Columns: []table.Column{table.Text("workload"), table.Text("failure"), table.Text("failure_spec")}}
	add := func(group, name string, m Metric, spec fattree.Spec, modes []failureMode, replicas uint64, draw func(uint64) (fattree.Workload, error)) {
		for _, mode := range modes {
			if s.Scale == Quick && group != Patterns && !mode.brief {
				continue
			}
			c.Points = append(c.Points, ComparisonPoint{Group: group, Label: mode.label, Place: name + ", " + mode.label, Cells: Cells{"workload": name, "failure": mode.label, "failure_spec": mode.failures},
				Metrics: []Metric{m}, Network: Failing(s.Seed, spec, mode.failures, draw), Replicas: replicas})
		}
	}
	permutation := func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(fig08Hosts, traffic.Message{Bytes: 8 * MiB}, WorkloadSource(s.Seed, replica))
	}
	add(Patterns, "permutation", Longest(), spec, authorsModes(), s.Scale.Choose(3, 10), permutation)
	add(MidRun, "permutation, failure at 50 us", Longest(), spec, wordsModes(), s.Scale.Choose(2, 10), permutation)
	add(Traces, "websearch", Average(), inheriting, authorsModes(), s.Scale.Choose(1, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.Paced(trace, WorkloadSource(s.Seed, replica))
	})
	add(Collectives, "allreduce-ring", Ending(), inheriting, authorsModes(), s.Scale.Choose(1, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.RingAllreduce(fig08Hosts, fig08Hosts/2, hop, WorkloadSource(s.Seed, replica))
	})
	return c
}

func buildFig08(ctx context.Context, s Settings) (Output, error) {
	c := newFig08(s)
	if err := c.Run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []table.Table{c.Table(s.Seed), c.Speedups(s.Seed), c.Losses(s.Seed)},
		Formats: []table.Format{table.CSV},
		Plot:    fig08Plot(&c),
		Notes: []string{
			"32 hosts, 8 ToRs with 4 uplinks, queue 101, ECN 25/76, no trimming, DCTCP variant, RTO 41.9 us, freezing mode for 10 ms: the authors' set-up. Failures are there from the beginning on and stay; dead cables are dead upwards only; places are drawn anew for every replica and are the same for all load balancers. The authors drew one list with OPS and ran one seed.",
			"Of the authors' eight modes two are one here: 5 % of the switches are one of four, so \"switch\" is both, and \"switch, 5% c.\" is their 5 % of switches and cables. Their 5 % of cables fails about 4 one-way links, here 4 uplinks of 32.",
			"Bit errors are independent of each other here: 1 % of the packets on each cable or in each switch, ACKs spared.",
			"\"Failure at 50 us\" is the paper's words: failures come after a while, cables die in both directions, 5 % are two of them.",
			fmt.Sprintf("8 MiB permutations, %d and %d replicas; WebSearch at 100 %% load, arrivals of the authors' generator for %d us, and a ring allreduce of 16 hosts with hops of %d bytes, %d replicas; flows between the same hosts inherit in these. Runs end after 10 s.",
				c.In(Patterns)[0].Replicas, c.In(MidRun)[0].Replicas, fig08Arrivals(s.Scale), fig08Hop(s.Scale), c.In(Traces)[0].Replicas),
			"Speed-up: the time under OPS over the own one, replicas paired, those left out in which one did not finish. fig08-losses.csv: packets lost on dead links and by bit errors; reroute_us is from a failure to the last packet sent into it.",
			"The authors' simulator, one seed, permutation, one dead cable, maximum FCT in us: OPS 9,266, PLB 645, MPRDMA 4,228, BitMap 390, Flowlet 742, REPS 203.",
		},
		Findings: fig08Findings(&c),
	}, nil
}

// fig08Plot draws speed-ups over OPS.
func fig08Plot(c *Comparison) *plot.Plot {
	panel := func(title, label string) plot.Panel {
		return plot.Panel{Title: title, YLabel: label, Y: plot.Axis{Scale: plot.Log10, Min: new(0.1), Max: new(3000.0)}}
	}
	panels := []plot.Panel{
		c.Faster(panel("(a) Permutation, failures from the beginning on", "OPS's max. FCT / own"), Patterns, Longest()),
		c.Faster(panel("(b) Permutation, failures at 50 us, cables two-way", "OPS's max. FCT / own"), MidRun, Longest()),
		c.Faster(panel("(c) WebSearch at 100 % load", "OPS's mean FCT / own"), Traces, Average()),
		c.Faster(panel("(d) Ring allreduce", "OPS's end / own"), Collectives, Ending()),
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true}
	for _, p := range panels {
		p.Wide = true
		figure.Panels = append(figure.Panels, []plot.Panel{p})
	}
	return figure
}
