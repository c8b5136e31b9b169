package figures

import (
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/internal/paper"
	"repslab/internal/paper/compare"
	"repslab/mc"
)

// fig03Findings judges the claims about the healthy network.
func fig03Findings(c *compare.Comparison) []paper.Finding {
	overECMP, overOPS := compare.Most(c.AllGains("ecmp", "reps")), compare.Most(c.AllGains("ops", "reps"))
	inPercent := overOPS.Ratio.Percent()
	lost := fig03Lost(c, overOPS.At)
	return []paper.Finding{
		paper.UpTo("N005", overECMP.Ratio, 6, 1, "largest over REPS: "+overECMP.String(), ""),
		paper.UpTo("N006", overOPS.Ratio, 1.25, 1, "largest over REPS: "+overOPS.String(), lost),
		paper.UpTo("N033", inPercent, 25, 0, "largest gain of REPS over OPS "+paper.Interval(inPercent, "%.1f")+" %, "+overOPS.At.Place, lost),
		fig03Incast(c),
		fig03RoCE(c, "N035", "tornado", func(g compare.Gain) (bool, paper.Condition) {
			return math.Abs(g.Ratio.Value-1) <= 0.05, paper.Between(g.Ratio, 0.95, 1.05)
		}),
		fig03RoCE(c, "N036", "permutation", func(g compare.Gain) (bool, paper.Condition) {
			return g.Ratio.Lo > 1, paper.AtLeast(g.Ratio, 1)
		}),
		fig03Traces(c),
		fig03Ring(c),
		fig03AllToAll(c),
	}
}

// fig03Lost says how many packets OPS and REPS lose at a point, which without
// trimming costs time-outs.
func fig03Lost(c *compare.Comparison, at compare.Point) string {
	dropped := func(key string) float64 {
		return at.Runs[c.Index(key)].Count(func(r *fattree.Result) int64 { return r.Dropped }).Value
	}
	return fmt.Sprintf("there full queues drop %.1f packets in a run of OPS and %.1f of REPS; without trimming each waits for a time-out of 42 us", dropped("ops"), dropped("reps"))
}

// fig03Incast judges that load balancers hardly differ in an incast.
func fig03Incast(c *compare.Comparison) paper.Finding {
	farthest := compare.Gain{}
	var near []paper.Condition
	for _, contender := range c.Compared {
		for _, g := range compare.OnWorkload(c.Gains(compare.Patterns, contender.Key, "reps", compare.Longest()), "incast") {
			near = append(near, paper.CloseTo(g.Ratio, 1))
			if farthest.Than.Key == "" || math.Abs(g.Ratio.Value-1) > math.Abs(farthest.Ratio.Value-1) {
				farthest = g
			}
		}
	}
	return paper.InWords("N034", math.Abs(farthest.Ratio.Value-1) <= 0.1, "farthest from REPS in an incast: "+farthest.String()+", as a multiple of REPS's time", "").Resting(paper.All(near...))
}

// fig03RoCE judges adaptive RoCE's time over REPS's on all sizes of a pattern.
func fig03RoCE(c *compare.Comparison, claim, pattern string, judge func(compare.Gain) (bool, paper.Condition)) paper.Finding {
	all, each := true, []string{}
	var conditions []paper.Condition
	for _, g := range compare.OnWorkload(c.Gains(compare.Patterns, "adaptive-roce", "reps", compare.Longest()), pattern) {
		holds, condition := judge(g)
		all, conditions = all && holds, append(conditions, condition)
		each = append(each, paper.Interval(g.Ratio, "%.3f")+" ("+g.At.Place+")")
	}
	return paper.InWords(claim, all, "adaptive RoCE over REPS: "+strings.Join(each, ", "), "").Resting(paper.All(conditions...))
}

// fig03Traces judges REPS's gain over OPS at high load.
func fig03Traces(c *compare.Comparison) paper.Finding {
	holds, each := false, []string{}
	var full mc.Estimate // of the mean, at full load
	var near []paper.Condition
	for _, m := range []compare.Metric{compare.Tail(), compare.Average()} {
		for _, g := range c.Gains(compare.Traces, "ops", "reps", m) {
			if g.At.Workload() != "websearch" || g.At.Load() < 0.8 {
				continue
			}
			full = g.Ratio.Percent()
			holds = holds || paper.IsGain(full, 5, 0)
			near = append(near, paper.CloseTo(full, 5))
			each = append(each, fmt.Sprintf("%s %s %% (%s)", m.Name, paper.Interval(full, "%.1f"), g.At.Place))
		}
	}
	return paper.Estimated("N037", holds, full, "OPS longer than REPS: "+strings.Join(each, ", "), "the interval is that of the mean FCT at full load").Resting(paper.Any(near...))
}

// fig03Ring judges that most load balancers are equal in a ring allreduce.
func fig03Ring(c *compare.Comparison) paper.Finding {
	var equal, others []string
	var near []paper.Condition
	for _, contender := range c.Compared {
		for _, g := range compare.OnWorkload(c.Gains(compare.Collectives, contender.Key, "reps", compare.Ending()), "allreduce-ring") {
			near = append(near, paper.Between(g.Ratio, 0.95, 1.05))
			if math.Abs(g.Ratio.Value-1) <= 0.05 {
				equal = append(equal, contender.Name)
			} else {
				others = append(others, fmt.Sprintf("%s %.2f", contender.Name, g.Ratio.Value))
			}
		}
	}
	return paper.InWords("N038", len(equal) >= 5, fmt.Sprintf("%d end within 5 %% of REPS (%s), the others take, in REPS's time, %s", len(equal), strings.Join(equal, ", "), strings.Join(others, ", ")),
		"the authors' simulator, a ring of 16 hosts with four slow uplinks, one seed: OPS, MPRDMA and BitMap within 0.6 % of REPS, PLB 2.03, ECMP 3.27").Resting(paper.AtLeastOf(5, near...))
}

// fig03AllToAll judges REPS's gain over the others in an exchange of all pairs.
func fig03AllToAll(c *compare.Comparison) paper.Finding {
	second := compare.Most(compare.OnWorkload(c.RunnersUp(compare.Collectives, "reps", compare.Ending()), "alltoall"))
	var sprayers []compare.Gain
	for _, key := range []string{"ops", "mprdma", "mptcp", "bitmap"} {
		sprayers = append(sprayers, compare.OnWorkload(c.Gains(compare.Collectives, key, "reps", compare.Ending()), "alltoall")...)
	}
	slowest := compare.Most(sprayers)
	holds := false
	var near []paper.Condition
	for _, g := range []compare.Gain{second, slowest} {
		holds = holds || paper.IsGain(g.Ratio.Percent(), 20, 0)
		near = append(near, paper.CloseTo(g.Ratio.Percent(), 20))
	}
	e := slowest.Ratio.Percent()
	return paper.Estimated("N039", holds, e, "over REPS at the most, of the best of the others: "+second.String()+"; of OPS, MPRDMA, MPTCP-like and BitMap: "+slowest.String(), "the interval is that of the latter, in percent; the paper does not say who the alternatives are").Resting(paper.Any(near...))
}
