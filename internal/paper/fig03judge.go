package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/mc"
)

// fig03Findings judges the claims about the healthy network.
func fig03Findings(c *comparison) []Finding {
	overECMP, overOPS := most(c.allGains("ecmp", "reps")), most(c.allGains("ops", "reps"))
	inPercent := percent(overOPS.ratio)
	lost := fig03Lost(c, overOPS.at)
	return []Finding{
		upTo("N005", overECMP.ratio, 6, 1, "largest over REPS: "+overECMP.String(), ""),
		upTo("N006", overOPS.ratio, 1.25, 1, "largest over REPS: "+overOPS.String(), lost),
		upTo("N033", inPercent, 25, 0, "largest gain of REPS over OPS "+interval(inPercent, "%.1f")+" %, "+overOPS.at.place, lost),
		fig03Incast(c),
		fig03RoCE(c, "N035", "tornado", func(g gain) bool { return math.Abs(g.ratio.Value-1) <= 0.05 }),
		fig03RoCE(c, "N036", "permutation", func(g gain) bool { return g.ratio.Lo > 1 }),
		fig03Traces(c),
		fig03Ring(c),
		fig03AllToAll(c),
	}
}

// allGains returns gains over all points, each by its first metric.
func (c *comparison) allGains(slow, fast string) []gain {
	var list []gain
	i, j := c.index(slow), c.index(fast)
	for _, p := range c.points {
		list = append(list, gain{p.runs[i].ratio(p.runs[j], p.metrics[0].of), c.compared[i], p})
	}
	return list
}

// of returns the gains on workloads whose name begins so.
func of(list []gain, workload string) []gain {
	return slices.DeleteFunc(slices.Clone(list), func(g gain) bool { return !strings.HasPrefix(g.at.cells[0].(string), workload) })
}

// fig03Lost says how many packets OPS and REPS lose at a point, which without
// trimming costs time-outs.
func fig03Lost(c *comparison, at point) string {
	dropped := func(key string) float64 {
		return at.runs[c.index(key)].count(func(r *fattree.Result) int64 { return r.Dropped }).Value
	}
	return fmt.Sprintf("there full queues drop %.1f packets in a run of OPS and %.1f of REPS; without trimming each waits for a time-out of 42 us", dropped("ops"), dropped("reps"))
}

// fig03Incast judges that load balancers hardly differ in an incast.
func fig03Incast(c *comparison) Finding {
	farthest := gain{}
	for _, contender := range c.compared {
		for _, g := range of(c.gains(patterns, contender.key, "reps", longest()), "incast") {
			if farthest.than.key == "" || math.Abs(g.ratio.Value-1) > math.Abs(farthest.ratio.Value-1) {
				farthest = g
			}
		}
	}
	return inWords("N034", math.Abs(farthest.ratio.Value-1) <= 0.1, "farthest from REPS in an incast: "+farthest.String()+", as a multiple of REPS's time", "")
}

// fig03RoCE judges adaptive RoCE's time over REPS's on all sizes of a pattern.
func fig03RoCE(c *comparison, claim, pattern string, holds func(gain) bool) Finding {
	all, each := true, []string{}
	for _, g := range of(c.gains(patterns, "adaptive-roce", "reps", longest()), pattern) {
		all = all && holds(g)
		each = append(each, interval(g.ratio, "%.3f")+" ("+g.at.place+")")
	}
	return inWords(claim, all, "adaptive RoCE over REPS: "+strings.Join(each, ", "), "")
}

// fig03Traces judges REPS's gain over OPS at high load.
func fig03Traces(c *comparison) Finding {
	holds, each := false, []string{}
	var full mc.Estimate // of the mean, at full load
	for _, m := range []metric{tail(), average()} {
		for _, g := range c.gains(traces, "ops", "reps", m) {
			if g.at.cells[0] != "websearch" || g.at.cells[3].(float64) < 0.8 {
				continue
			}
			full = percent(g.ratio)
			holds = holds || isGain(full, 5, 0)
			each = append(each, fmt.Sprintf("%s %s %% (%s)", m.name, interval(full, "%.1f"), g.at.place))
		}
	}
	return Finding{"N037", judge(holds), "OPS longer than REPS: " + strings.Join(each, ", "), full.Lo, full.Hi, "the interval is that of the mean FCT at full load"}
}

// fig03Ring judges that most load balancers are equal in a ring allreduce.
func fig03Ring(c *comparison) Finding {
	var equal, others []string
	for _, contender := range c.compared {
		for _, g := range of(c.gains(collectives, contender.key, "reps", ending()), "allreduce-ring") {
			if math.Abs(g.ratio.Value-1) <= 0.05 {
				equal = append(equal, contender.name)
			} else {
				others = append(others, fmt.Sprintf("%s %.2f", contender.name, g.ratio.Value))
			}
		}
	}
	return inWords("N038", len(equal) >= 5, fmt.Sprintf("%d end within 5 %% of REPS (%s), the others take, in REPS's time, %s", len(equal), strings.Join(equal, ", "), strings.Join(others, ", ")),
		"the authors' simulator, a ring of 16 hosts with four slow uplinks, one seed: OPS, MPRDMA and BitMap within 0.6 % of REPS, PLB 2.03, ECMP 3.27")
}

// fig03AllToAll judges REPS's gain over the others in an exchange of all pairs.
func fig03AllToAll(c *comparison) Finding {
	second := most(of(c.runnersUp(collectives, "reps", ending()), "alltoall"))
	var sprayers []gain
	for _, key := range []string{"ops", "mprdma", "mptcp", "bitmap"} {
		sprayers = append(sprayers, of(c.gains(collectives, key, "reps", ending()), "alltoall")...)
	}
	slowest := most(sprayers)
	holds := false
	for _, g := range []gain{second, slowest} {
		holds = holds || isGain(percent(g.ratio), 20, 0)
	}
	e := percent(slowest.ratio)
	return Finding{"N039", judge(holds), "over REPS at the most, of the best of the others: " + second.String() + "; of OPS, MPRDMA, MPTCP-like and BitMap: " + slowest.String(), e.Lo, e.Hi,
		"the interval is that of the latter, in percent; the paper does not say who the alternatives are"}
}
