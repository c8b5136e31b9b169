package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/paper"
	"repslab/internal/paper/compare"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
	"repslab/mc"
)

// fig05 re-makes the comparison of all load balancers on a network some of whose
// uplinks run at half their rate.
func fig05() paper.Figure {
	return paper.Figure{
		ID:    "fig05",
		Title: "Load balancers where 3 % of the ToRs' uplinks run at 200 Gb/s",
		Rules: []paper.Rule{
			{Claim: "N007", Text: "the mean maximum FCT of ECMP over that of REPS, largest over the patterns, is 4.5 to 5.5, or 5 is in its 95 % interval and 1 is not"},
			{Claim: "N008", Text: "the time of OPS over that of REPS, largest over the points of the figure, is 1.8 to 2.2, or 2 is in its 95 % interval and 1 is not; the time is the maximum FCT of patterns, the mean FCT of traces, the end of collectives"},
			{Claim: "N042", Text: "as N007: 500 % are read as five times, as the introduction has it"},
			{Claim: "N043", Text: "the largest gain of REPS, over the patterns, over the best of the others by mean maximum FCT is 9 to 11 %, or 10 % is in its 95 % interval and 0 is not"},
			{Claim: "N044", Text: "at 100 % load the gain of REPS over the best of the others, by the mean or by the p99 FCT, is 22.5 to 27.5 %, or 25 % is in its 95 % interval and 0 is not"},
			{Claim: "N045", Text: "at 100 % load the mean or the p99 FCT of ECMP over that of REPS is 9 to 11, 1,000 % being read as ten times, or 10 is in its 95 % interval and 1 is not"},
			{Claim: "N046", Text: "in at least one alltoall the best of the others ends later than REPS, with the 95 % interval of the ratio above 1, and in none by more than 20 %"},
			{Claim: "N047", Text: "the largest gain of REPS, over the ring and the butterfly allreduce, over the best of the others is 27 to 33 %, or 30 % is in its 95 % interval and 0 is not"},
		},
		Build: buildFig05,
	}
}

// scattered is the group of points with slow cables at random places.
const scattered = "scattered"

// newFig05 returns the comparison, not yet run.
func newFig05(s paper.Settings) compare.Comparison {
	patterned := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	traced := compare.TraceSpec()
	random := patterned
	for i := range 4 {
		patterned.Faults = append(patterned.Faults, fattree.Fault{Switch: 4 * i, Rate: 0.5})
		traced.Faults = append(traced.Faults, fattree.Fault{Uplink: i, Rate: 0.5})
	}
	sizes, loads := []int{4, 8, 16}, []float64{0.4, 0.6, 0.8, 1}
	paced := compare.Arrivals{Hosts: compare.TraceHosts, Duration: 3500 * netrun.Microseconds}
	if s.Scale == paper.Quick {
		sizes, loads, paced.Duration = []int{8}, []float64{0.4, 1}, 500*netrun.Microseconds
	}
	many, few := s.Scale.Choose(2, 10), s.Scale.Choose(1, 3)
	c := compare.Comparison{Compared: lineup.All(), Columns: append(compare.WorkloadColumns(), paper.Text("slow_uplinks"))}
	c.Points = slices.Concat(compare.Synthetic(s.Seed, patterned, sizes, many), compare.WebSearch(s.Seed, traced, paced, loads, few), compare.CollectivePoints(s, traced, few))
	for i := range c.Points {
		place := "tor 0: 4"
		if c.Points[i].Group == compare.Patterns {
			place = "tors 0, 4, 8, 12: 1"
		}
		c.Points[i].Cells["slow_uplinks"] = place
	}
	directions := []string{"up", "both"}
	if s.Scale == paper.Quick {
		directions = directions[1:]
	}
	for _, direction := range directions {
		c.Points = append(c.Points, compare.Point{
			Group: scattered, Label: direction, Place: "permutation of 8 MiB, random cables, " + direction,
			Cells: compare.Cells{"workload": "permutation", "hosts": 128, "message_bytes": 8 * netrun.MiB, "slow_uplinks": "random: 3 %, " + direction}, Metrics: []compare.Metric{compare.Longest()}, Replicas: many,
			Network: netrun.Failing(s.Seed, random, "degrade=3%:0.5,place=random,dir="+direction, func(replica uint64) (fattree.Workload, error) {
				return traffic.Permutation(random.Topology.Hosts, traffic.Message{Bytes: 8 * netrun.MiB}, netrun.Workload(s.Seed, replica))
			}),
		})
	}
	return c
}

func buildFig05(ctx context.Context, s paper.Settings) (paper.Output, error) {
	c := newFig05(s)
	if err := c.Run(ctx, s); err != nil {
		return paper.Output{}, err
	}
	return paper.Output{
		Tables:   []paper.Table{c.Table(s.Seed), c.Speedups(s.Seed)},
		Formats:  []report.Format{report.CSV},
		Plot:     fig05Plot(&c),
		Notes:    fig05Notes(&c),
		Findings: fig05Findings(&c),
	}, nil
}

// fig05Notes describes the set-up.
func fig05Notes(c *compare.Comparison) []string {
	pattern, trace := c.In(compare.Patterns)[0], c.In(compare.Traces)[0]
	return []string{
		fmt.Sprintf("128 hosts, 2 tiers, 8 uplinks to a ToR, ECN 25/76, no trimming, DCTCP variant; queue 101 (patterns, runs %d) or 100 (traces and collectives, runs %d, where the first %d, of collectives %d, hosts are busy and flows between the same hosts inherit). Slow uplinks have half the rate, queue and ECN thresholds, upwards only.", pattern.Replicas, trace.Replicas, compare.TraceHosts, c.In(compare.Collectives)[0].Hosts()),
		"The paper says that 3 % of the uplinks, chosen at random, are slow. The authors ran four uplinks at fixed places: for patterns the first one of ToRs 0, 4, 8 and 12, for traces and collectives the first four of ToR 0, which is an eighth of what the four busy ToRs have. So here; one seed a bar there.",
		"Panel (e) has the paper's words: 3 % of the cables at random, anew for each run, slow upwards or both ways, 8 MiB permutation.",
		"I is an incast, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, replicas paired. fig05-speedups.csv has all ratios.",
		"The authors' simulator, 8 MiB permutation, 3 seeds, maximum FCT in us: ECMP 898, OPS 312.5, PLB 587, Flowlet 964, MPRDMA 275.1, BitMap 215.7, adaptive RoCE 249.8, MPTCP-like 544.6, REPS 202.0. One seed, ring allreduce of 16 among 32 hosts, end in us: ECMP 9,208, OPS 2,820, PLB 5,712, MPRDMA 2,834, BitMap 2,826, REPS 2,819.",
	}
}

// fig05Plot draws completion times and speed-ups.
func fig05Plot(c *compare.Comparison) *report.Figure {
	const top, tailTop = 2.6, 3.6
	gains := c.Faster(compare.SpeedupPanel("(b) Patterns: speed-up of max. FCT", compare.PatternLabel, top), compare.Patterns, compare.Longest())
	gains.Wide = true
	return &report.Figure{Columns: report.Double, Height: 7.2, SharedLegend: true, Panels: [][]report.Panel{
		{c.PatternTimes("(a) Patterns: completion time", compare.Longest())},
		{gains},
		{c.Faster(compare.SpeedupPanel("(c) WebSearch: speed-up of mean FCT", "Load (%)", top), compare.Traces, compare.Average()),
			c.Faster(compare.SpeedupPanel("(d) WebSearch: speed-up of p99 FCT", "Load (%)", tailTop), compare.Traces, compare.Tail())},
		{c.Faster(compare.SpeedupPanel("(e) Random slow cables, P.8: max. FCT", "Direction", top), scattered, compare.Longest()),
			c.Faster(compare.SpeedupPanel("(f) Collectives: speed-up of their end", "Collective", top), compare.Collectives, compare.Ending())},
	}}
}

// fig05Findings judges the claims about slow uplinks.
func fig05Findings(c *compare.Comparison) []paper.Finding {
	overECMP, overOPS := compare.Most(c.Gains(compare.Patterns, "ecmp", "reps", compare.Longest())), compare.Most(c.AllGains("ops", "reps"))
	second := compare.Most(c.RunnersUp(compare.Patterns, "reps", compare.Longest()))
	reduce := compare.Most(compare.OnWorkload(c.RunnersUp(compare.Collectives, "reps", compare.Ending()), "allreduce"))
	inPercent := func(g compare.Gain) mc.Estimate { return g.Ratio.Percent() }
	const words, theirs = "largest over REPS: ", "the authors' simulator, 8 MiB permutation, 3 seeds: 4.45"
	return []paper.Finding{
		paper.UpTo("N007", overECMP.Ratio, 5, 1, words+overECMP.String(), theirs),
		paper.UpTo("N008", overOPS.Ratio, 2, 1, words+overOPS.String(), "the uplinks of one ToR, fig04, have 1.75 in the paper"),
		paper.UpTo("N042", overECMP.Ratio, 5, 1, words+overECMP.String(), theirs),
		paper.UpTo("N043", inPercent(second), 10, 0, words+second.String(), fig05Seconds(c)),
		fig05AtFullLoad("N044", c.RunnersUp, 25, c),
		fig05AtFullLoad("N045", func(group, fast string, m compare.Metric) []compare.Gain { return c.Gains(group, "ecmp", fast, m) }, 900, c),
		fig05AllToAll(c),
		paper.UpTo("N047", inPercent(reduce), 30, 0, words+reduce.String(), "the authors' simulator, ring of 16 hosts, one seed: OPS 1.001"),
	}
}

// fig05Seconds says who is second to REPS, how often.
func fig05Seconds(c *compare.Comparison) string {
	counts := map[string]int{}
	for _, g := range c.RunnersUp(compare.Patterns, "reps", compare.Longest()) {
		if g.At.Workload() != "incast" {
			counts[g.Than.Name]++
		}
	}
	var list []string
	for _, of := range c.Compared {
		if n := counts[of.Name]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", of.Name, n))
		}
	}
	return "times that each is the best of the others in permutations and tornados: " + strings.Join(list, ", ")
}

// fig05AtFullLoad judges a gain of REPS on the trace at full load, in percent.
func fig05AtFullLoad(claim string, gains func(group, fast string, m compare.Metric) []compare.Gain, claimed float64, c *compare.Comparison) paper.Finding {
	holds, each := false, []string{}
	var mean mc.Estimate
	var near []paper.Condition
	for _, m := range []compare.Metric{compare.Longest(), compare.Tail(), compare.Average()} {
		for _, g := range gains(compare.Traces, "reps", m) {
			if g.At.Load() < 1 {
				continue
			}
			mean = g.Ratio.Percent()
			// Ten times is 900 % more: within 10 % of it in the ratio.
			reached, condition := paper.IsGain(g.Ratio, 1+claimed/100, 1), paper.CloseTo(g.Ratio, 1+claimed/100)
			if claimed < 100 {
				reached, condition = paper.IsGain(mean, claimed, 0), paper.CloseTo(mean, claimed)
			}
			if m.Key != compare.Longest().Key {
				holds = holds || reached
				near = append(near, condition)
			}
			each = append(each, m.Name+" of "+g.String())
		}
	}
	return paper.Estimated(claim, holds, mean, "over REPS: "+strings.Join(each, "; "), "the interval is that of the mean FCT, in percent more; the maximum FCT is not part of the rule").Resting(paper.Any(near...))
}

// fig05AllToAll judges that REPS is ahead in exchanges of all pairs, by little.
func fig05AllToAll(c *compare.Comparison) paper.Finding {
	ahead, little, each := false, true, []string{}
	var longer, close []paper.Condition
	for _, g := range compare.OnWorkload(c.RunnersUp(compare.Collectives, "reps", compare.Ending()), "alltoall") {
		ahead = ahead || g.Ratio.Lo > 1
		little = little && g.Ratio.Value <= 1.2
		longer, close = append(longer, paper.AtLeast(g.Ratio, 1)), append(close, paper.AtMost(g.Ratio, 1.2))
		each = append(each, g.String())
	}
	return paper.InWords("N046", ahead && little, "best of the others over REPS: "+strings.Join(each, "; "), "").Resting(paper.All(append(close, paper.Any(longer...))...))
}
