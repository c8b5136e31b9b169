package paper

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/report"
)

// fig08 re-makes total and partial failures of cables and switches.
func fig08() Figure {
	return Figure{
		ID:    "fig08",
		Title: "Load balancers where cables and switches fail: permutation, WebSearch, ring allreduce",
		Rules: []Rule{
			{"N009", "the time of OPS over that of REPS, largest over the points of the figure, is 90 to 110, or 100 is in its 95 % interval and 1 is not; the time is the maximum FCT of permutations, the mean FCT of WebSearch, the end of the allreduce"},
			{"N053", "wherever cables or switches are dead, OPS takes at least twice as long as REPS and no other load balancer is faster; in the permutation the gain over OPS is larger with 5 % of the cables than with one, and larger with a switch and 5 % of the cables than with a switch; with bit errors OPS takes at least 0.95 times as long as REPS; the geometric mean over all points of MPRDMA's speed-up over OPS is above 1 and at least the second largest of those of PLB, Flowlet, MPRDMA and BitMap"},
			{"N079", "its part on failures, 100 times, by the rule of N009; N005 to N008 decide the rest"},
			{"N080", "the packets lost on dead links under OPS over those under REPS, largest over the points of the figure, are 70 or more"},
		},
		build: buildFig08,
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
func fig08Arrivals(scale Scale) int64 { return int64(scale.choose(300, 3500)) }
func fig08Hop(scale Scale) int64      { return int64(scale.choose(500_000, 4_000_000)) }

// newFig08 returns the comparison, not yet run.
func newFig08(s Settings) comparison {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: fig08Hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Horizon: 10e6 * microseconds}
	inheriting := spec
	inheriting.InheritConnections = true
	trace := traffic.Arrivals{Hosts: fig08Hosts, HostsPerToR: 4, Sizes: traffic.WebSearch(), Load: 1, Gbps: 400,
		Duration: fig08Arrivals(s.Scale) * microseconds}
	hop := traffic.Message{Bytes: fig08Hop(s.Scale)}
	c := comparison{compared: []contender{ops(), plb(), flowlet(), mprdma(), bitmap(), repsPaper()},
		columns: []report.Column{text("workload"), text("failure"), text("failure_spec")}}
	add := func(group, name string, m metric, spec fattree.Spec, modes []failureMode, replicas uint64, draw func(uint64) (fattree.Workload, error)) {
		for _, mode := range modes {
			if s.Scale == Quick && group != patterns && !mode.brief {
				continue
			}
			c.points = append(c.points, point{group: group, label: mode.label, place: name + ", " + mode.label, cells: []any{name, mode.label, mode.failures},
				metrics: []metric{m}, network: s.failing(spec, mode.failures, draw), replicas: replicas})
		}
	}
	permutation := func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(fig08Hosts, traffic.Message{Bytes: 8 * mib}, s.Seed, replica)
	}
	add(patterns, "permutation", longest(), spec, authorsModes(), s.Scale.choose(3, 10), permutation)
	add(midRun, "permutation, failure at 50 us", longest(), spec, wordsModes(), s.Scale.choose(2, 10), permutation)
	add(traces, "websearch", average(), inheriting, authorsModes(), s.Scale.choose(1, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.Paced(trace, s.Seed, replica)
	})
	add(collectives, "allreduce-ring", ending(), inheriting, authorsModes(), s.Scale.choose(1, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.RingAllreduce(fig08Hosts, fig08Hosts/2, hop, s.Seed, replica)
	})
	return c
}

func buildFig08(ctx context.Context, s Settings) (Output, error) {
	c := newFig08(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []Table{c.table(s.Seed), c.speedups(s.Seed), c.losses(s.Seed)},
		Formats: []report.Format{report.CSV},
		Plot:    fig08Plot(&c),
		Notes: []string{
			"32 hosts, 8 ToRs with 4 uplinks, queue 101, ECN 25/76, no trimming, DCTCP variant, RTO 41.9 us, freezing mode for 10 ms: the authors' set-up. Failures are there from the beginning on and stay; dead cables are dead upwards only; places are drawn anew for every replica and are the same for all load balancers. The authors drew one list with OPS and ran one seed.",
			"Of the authors' eight modes two are one here: 5 % of the switches are one of four, so \"switch\" is both, and \"switch, 5% c.\" is their 5 % of switches and cables. Their 5 % of cables fails about 4 one-way links, here 4 uplinks of 32.",
			"Bit errors are independent of each other here: 1 % of the packets on each cable or in each switch, ACKs spared.",
			"\"Failure at 50 us\" is the paper's words: failures come after a while, cables die in both directions, 5 % are two of them.",
			fmt.Sprintf("8 MiB permutations, %d and %d replicas; WebSearch at 100 %% load, arrivals of the authors' generator for %d us, and a ring allreduce of 16 hosts with hops of %d bytes, %d replicas; flows between the same hosts inherit in these. Runs end after 10 s.",
				c.in(patterns)[0].replicas, c.in(midRun)[0].replicas, fig08Arrivals(s.Scale), fig08Hop(s.Scale), c.in(traces)[0].replicas),
			"Speed-up: the time under OPS over the own one, replicas paired, those left out in which one did not finish. fig08-losses.csv: packets lost on dead links and by bit errors; reroute_us is from a failure to the last packet sent into it.",
			"The authors' simulator, one seed, permutation, one dead cable, maximum FCT in us: OPS 9,266, PLB 645, MPRDMA 4,228, BitMap 390, Flowlet 742, REPS 203.",
		},
		Findings: fig08Findings(&c),
	}, nil
}

// fig08Plot draws speed-ups over OPS.
func fig08Plot(c *comparison) *report.Figure {
	panel := func(title, label string) report.Panel {
		return report.Panel{Title: title, YLabel: label, Y: report.Axis{Scale: report.Log10, Min: new(0.1), Max: new(3000.0)}}
	}
	panels := []report.Panel{
		c.faster(panel("(a) Permutation, failures from the beginning on", "OPS's max. FCT / own"), patterns, longest()),
		c.faster(panel("(b) Permutation, failures at 50 us, cables two-way", "OPS's max. FCT / own"), midRun, longest()),
		c.faster(panel("(c) WebSearch at 100 % load", "OPS's mean FCT / own"), traces, average()),
		c.faster(panel("(d) Ring allreduce", "OPS's end / own"), collectives, ending()),
	}
	figure := &report.Figure{Columns: report.Double, Height: 7.2, SharedLegend: true}
	for _, p := range panels {
		p.Wide = true
		figure.Panels = append(figure.Panels, []report.Panel{p})
	}
	return figure
}
