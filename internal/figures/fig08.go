package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// failureMode is a kind of failure.
type failureMode struct {
	label    string // on an axis, and in tables
	failures string // as for the command line
	brief    bool   // one of those at quick scale with traces and collectives
}

// authorsModes are the authors' failures of 32 hosts under 4 spines: permanent,
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

// wordsModes are the failures of the paper's text: after some time, cables in both
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

// fig08Arrivals is the time during which flows of the trace arrive, in us, and fig08Hop
// the bytes of a hop of the allreduce: the authors' at full scale.
func fig08Arrivals(scale Scale) int64 { return choose[int64](scale, 300, 3500) }

func fig08Hop(scale Scale) int64 { return choose[int64](scale, 500_000, 4_000_000) }

// newFig08 returns the comparison, not yet run.
func newFig08(s Settings) comparison {
	spec := patternSpec(fattree.Topology{Hosts: fig08Hosts})
	spec.Horizon = 10e6 * microseconds
	inheriting := spec
	inheriting.InheritConnections = true
	trace := traffic.Arrivals{Hosts: fig08Hosts, HostsPerToR: 4, Sizes: traffic.WebSearch(), Load: 1, Gbps: 400,
		Duration: fig08Arrivals(s.Scale) * microseconds}
	hop := traffic.Message{Bytes: fig08Hop(s.Scale)}
	c := comparison{schemes: lbs("ops", "plb", "flowlet", "mprdma", "bitmap", "reps")}
	add := func(group, name string, m metric, spec fattree.Spec, modes []failureMode, replicas uint64,
		draw drawWorkload) {
		for _, mode := range modes {
			if s.Scale == Quick && group != patterns && !mode.brief {
				continue
			}
			c.points = append(c.points,
				&comparedPoint{group: group, label: mode.label, place: name + ", " + mode.label, workload: name,
					cells:   cells{{"workload", name}, {"failure", mode.label}, {"failure_spec", mode.failures}},
					metrics: []metric{m}, network: failing(s.Seed, spec, mode.failures, draw), replicas: replicas})
		}
	}
	permutation := drawPermutation(s.Seed, fig08Hosts, 8*mebi)
	add(patterns, "permutation", byMaxFCT(), spec, authorsModes(), s.Scale.replicas(3, 10), permutation)
	add(midRun, "permutation, failure at 50 us", byMaxFCT(), spec, wordsModes(), s.Scale.replicas(2, 10), permutation)
	add(traces, "websearch", byMeanFCT(), inheriting, authorsModes(), s.Scale.replicas(1, 3), drawTrace(s.Seed, trace))
	add(collectives, "allreduce-ring", byEnd(), inheriting, authorsModes(), s.Scale.replicas(1, 3),
		func(replica uint64) (fattree.Workload, error) {
			return traffic.RingAllreduce(fig08Hosts, fig08Hosts/2, hop, workloadSource(s.Seed, replica))
		})
	return c
}

// fig08 reproduces total and partial failures of cables and switches.
func fig08(ctx context.Context, s Settings) (Output, error) {
	c := newFig08(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables: []table.Table{c.table(s.Seed), c.speedups(s.Seed), c.losses(s.Seed)},
		Plot:   fig08Plot(&c),
		Notes: []string{
			"32 hosts, 8 ToRs with 4 uplinks, queue 101, ECN 25/76, no trimming, DCTCP variant, RTO 41.9 us, freezing mode for 10 ms: the authors' set-up. Failures are permanent from the beginning; cables fail upwards only; places are drawn anew for every replica and are the same for all load balancers. The authors drew one list with OPS and ran one seed.",
			"Two of the authors' eight modes coincide here: 5 % of the switches is one of four, so \"switch\" is both, and \"switch, 5% c.\" is their 5 % of switches and cables. Their 5 % of cables fails about 4 one-way links, here 4 uplinks of 32.",
			"Bit errors are independent of each other here: 1 % of the packets on each cable or in each switch, ACKs excluded.",
			"\"Failure at 50 us\" follows the paper's text: failures come during the run, cables fail in both directions, and 5 % of the cables are two.",
			fmt.Sprintf("8 MiB permutations, %d and %d replicas; WebSearch at 100 %% load, arrivals of the authors' generator for %d us, and a ring allreduce of 16 hosts with hops of %d bytes, %d replicas; flows between the same hosts inherit in these. Runs end after 10 s.",
				c.in(patterns)[0].replicas, c.in(midRun)[0].replicas, fig08Arrivals(s.Scale), fig08Hop(s.Scale),
				c.in(traces)[0].replicas),
			"Speed-up: the time under OPS over the load balancer's own, replicas paired, without replicas in which either did not finish. fig08-losses.csv: packets lost on failed links and by bit errors; reroute_us is from a failure to the last packet sent into it.",
			"The authors' simulator, one seed, permutation, one dead cable, maximum FCT in us: OPS 9,266, PLB 645, MPRDMA 4,228, BitMap 390, Flowlet 742, REPS 203.",
		},
		Findings: fig08Findings(&c),
	}, nil
}

// fig08Plot draws speed-ups over OPS.
func fig08Plot(c *comparison) *plot.Plot {
	panel := func(title, label string) plot.Panel {
		return plot.Panel{Title: title, YLabel: label, Y: onScale(plot.Log10, 0.1, 3000)}
	}
	panels := []plot.Panel{
		c.faster(panel("(a) Permutation, failures from the beginning on", "OPS's max. FCT / own"), patterns,
			byMaxFCT()),
		c.faster(panel("(b) Permutation, failures at 50 us, cables two-way", "OPS's max. FCT / own"), midRun,
			byMaxFCT()),
		c.faster(panel("(c) WebSearch at 100 % load", "OPS's mean FCT / own"), traces, byMeanFCT()),
		c.faster(panel("(d) Ring allreduce", "OPS's end / own"), collectives, byEnd()),
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true}
	for _, p := range panels {
		p.Wide = true
		figure.Panels = append(figure.Panels, []plot.Panel{p})
	}
	return figure
}

// fig08Findings judges the claims about failures.
func fig08Findings(c *comparison) []claims.Finding {
	largest := largest(c.allGains("ops", "reps"))
	hundredfold := claims.Estimated("N009", largest.ratio, claims.Gain(largest.ratio, 100, 1),
		"largest over REPS: "+largest.String(), "failures last here, as the authors'; fig07 has two that pass. Under OPS the window falls to one packet and every loss costs a time-out, so the gain grows with message and failure without bound")
	repeated := hundredfold
	repeated.Claim, repeated.Note = "N079", "on N005 to N008 see fig03 and fig05"
	return []claims.Finding{hundredfold, fig08Predicate(c), repeated, fig08Losses(c)}
}

// underBitErrors says whether a gain is under bit errors and not under failed links or
// switches.
func underBitErrors(g gain) bool { return strings.HasPrefix(g.at.label, "BER") }

// whereFailed returns the gains under failed links or switches.
func whereFailed(list []gain) []gain {
	return slices.DeleteFunc(slices.Clone(list), underBitErrors)
}

// least returns the gain of the smallest ratio; unknown ones are
// skipped.
func least(list []gain) gain {
	smallest := gain{}
	for _, g := range list {
		if !math.IsNaN(g.ratio.Value) && (smallest.at == nil || g.ratio.Value < smallest.ratio.Value) {
			smallest = g
		}
	}
	return smallest
}

// fig08Part is a part of the predicate: whether it holds and, where that is known, why
// not.
type fig08Part struct {
	name  string
	holds bool
	cause string
}

// fig08Predicate judges what the paper says of the figure in words.
func fig08Predicate(c *comparison) claims.Finding {
	overOPS := c.allGains("ops", "reps")
	underErrors := slices.DeleteFunc(slices.Clone(overOPS), func(g gain) bool { return !underBitErrors(g) })
	var rivals []gain
	for _, other := range c.schemes[:len(c.schemes)-1] { // REPS is the last
		rivals = append(rivals, whereFailed(c.allGains(other.key, "reps"))...)
	}
	slowest, closest, spoilt := least(whereFailed(overOPS)), least(rivals), least(underErrors)
	ratioOf := map[string]mc.Estimate{}
	for _, g := range c.gains(patterns, "ops", "reps", byMaxFCT()) {
		ratioOf[g.at.label] = g.ratio
	}
	gainOf := func(label string) float64 { return ratioOf[label].Value }
	growing := gainOf("5% cables") > gainOf("cable") && gainOf("switch, 5% c.") > gainOf("switch")
	means, better := map[string]float64{}, 0
	for _, key := range []string{"plb", "flowlet", "mprdma", "bitmap"} {
		means[key] = geometricMean(c.allGains("ops", key))
	}
	for _, mean := range means {
		if mean > means["mprdma"] {
			better++
		}
	}
	conditions := []claims.Condition{
		claims.Below(ratioOf["cable"], ratioOf["5% cables"]), claims.Below(ratioOf["switch"], ratioOf["switch, 5% c."]),
		claims.Untested(true), // geometric means
	}
	for _, part := range []struct {
		gains []gain
		least float64
	}{{whereFailed(overOPS), 2}, {rivals, 1}, {underErrors, 0.95}} {
		for _, g := range part.gains {
			conditions = append(conditions, claims.AtLeast(g.ratio, part.least))
		}
	}
	parts := []fig08Part{
		{"OPS takes twice as long", slowest.ratio.Value >= 2, ""},
		{"REPS is fastest", closest.ratio.Value >= 1, ""},
		{"the gain grows", growing, ""},
		{"bit errors do no harm", spoilt.ratio.Value >= 0.95,
			"under bit errors flows of a trace inherit freezing mode without cause"},
		{"MPRDMA does well", means["mprdma"] > 1 && better <= 1,
			"MPRDMA draws EVs at random while its window shrinks, as it does after every loss"},
	}
	return claims.Judged("N053",
		claims.All(conditions...).When(!slices.ContainsFunc(parts, func(p fig08Part) bool { return !p.holds })),
		fmt.Sprintf("failed cables and switches, least as a multiple of REPS: %s; of all %s; permutation: OPS %.0f times REPS with a cable, %.0f with 5 %% of them, %.0f with a switch, %.0f with 5 %% of cables besides; bit errors: %s; geometric mean of speed-ups over OPS: MPRDMA %.2f, BitMap %.2f, PLB %.2f, Flowlet %.2f",
			slowest, closest, gainOf("cable"), gainOf("5% cables"), gainOf("switch"), gainOf("switch, 5% c."), spoilt, means["mprdma"], means["bitmap"], means["plb"], means["flowlet"]), fig08Broken(parts))
}

// fig08Broken lists the parts of the rule that do not hold, with their causes.
func fig08Broken(parts []fig08Part) string {
	var broken, causes []string
	for _, p := range parts {
		if p.holds {
			continue
		}
		broken = append(broken, p.name)
		if p.cause != "" {
			causes = append(causes, p.cause)
		}
	}
	if broken == nil {
		return ""
	}
	return strings.Join(append([]string{"does not hold: " + strings.Join(broken, ", ")}, causes...), "; ")
}

// geometricMean returns the geometric mean of the known ratios.
func geometricMean(list []gain) float64 {
	sum, n := 0.0, 0
	for _, g := range list {
		if !math.IsNaN(g.ratio.Value) {
			sum, n = sum+math.Log(g.ratio.Value), n+1
		}
	}
	return math.Exp(sum / float64(n))
}

// fig08Losses judges how many fewer packets are lost.
func fig08Losses(c *comparison) claims.Finding {
	fewer := gain{}
	for _, p := range c.points {
		if ratio := p.of("ops").lostOver(p.of("reps")); ratio.Value > fewer.ratio.Value {
			fewer = gain{ratio, c.scheme("ops"), p}
		}
	}
	return claims.Estimated("N080", fewer.ratio, claims.AtLeast(fewer.ratio, 70),
		"most, as a multiple of those under REPS: "+fewer.String(), "the paper's number is of its testbed; the authors' data of it give 52")
}
