package figures

import (
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/mc"
)

// fig03Findings judges the claims about the healthy network.
func fig03Findings(c *Comparison) []claims.Finding {
	overECMP, overOPS := Most(c.AllGains("ecmp", "reps")), Most(c.AllGains("ops", "reps"))
	inPercent := overOPS.Ratio.Percent()
	lost := fig03Lost(c, overOPS.At)
	return []claims.Finding{
		claims.UpTo("N005", overECMP.Ratio, 6, 1, "largest over REPS: "+overECMP.String(), ""),
		claims.UpTo("N006", overOPS.Ratio, 1.25, 1, "largest over REPS: "+overOPS.String(), lost),
		claims.UpTo("N033", inPercent, 25, 0, "largest gain of REPS over OPS "+Interval(inPercent, "%.1f")+" %, "+overOPS.At.Place, lost),
		fig03Incast(c),
		fig03RoCE(c, "N035", "tornado", func(g Gain) (bool, claims.Condition) {
			return math.Abs(g.Ratio.Value-1) <= 0.05, claims.Between(g.Ratio, 0.95, 1.05)
		}),
		fig03RoCE(c, "N036", "permutation", func(g Gain) (bool, claims.Condition) {
			return g.Ratio.Lo > 1, claims.AtLeast(g.Ratio, 1)
		}),
		fig03Traces(c),
		fig03Ring(c),
		fig03AllToAll(c),
	}
}

// fig03Lost says how many packets OPS and REPS lose at a point, which without
// trimming costs time-outs.
func fig03Lost(c *Comparison, at ComparisonPoint) string {
	dropped := func(key string) float64 {
		return at.Runs[c.Index(key)].Count(func(r *fattree.Result) int64 { return r.Dropped }).Value
	}
	return fmt.Sprintf("there full queues drop %.1f packets in a run of OPS and %.1f of REPS; without trimming each waits for a time-out of 42 us", dropped("ops"), dropped("reps"))
}

// fig03Incast judges that load balancers hardly differ in an incast.
func fig03Incast(c *Comparison) claims.Finding {
	farthest := Gain{}
	var near []claims.Condition
	for _, contender := range c.Compared {
		for _, g := range OnWorkload(c.Gains(Patterns, contender.Key, "reps", Longest()), "incast") {
			near = append(near, claims.CloseTo(g.Ratio, 1))
			if farthest.Than.Key == "" || math.Abs(g.Ratio.Value-1) > math.Abs(farthest.Ratio.Value-1) {
				farthest = g
			}
		}
	}
	return claims.InWords("N034", math.Abs(farthest.Ratio.Value-1) <= 0.1, "farthest from REPS in an incast: "+farthest.String()+", as a multiple of REPS's time", "").Resting(claims.All(near...))
}

// fig03RoCE judges adaptive RoCE's time over REPS's on all sizes of a pattern.
func fig03RoCE(c *Comparison, claim, pattern string, judge func(Gain) (bool, claims.Condition)) claims.Finding {
	all, each := true, []string{}
	var conditions []claims.Condition
	for _, g := range OnWorkload(c.Gains(Patterns, "adaptive-roce", "reps", Longest()), pattern) {
		holds, condition := judge(g)
		all, conditions = all && holds, append(conditions, condition)
		each = append(each, Interval(g.Ratio, "%.3f")+" ("+g.At.Place+")")
	}
	return claims.InWords(claim, all, "adaptive RoCE over REPS: "+strings.Join(each, ", "), "").Resting(claims.All(conditions...))
}

// fig03Traces judges REPS's gain over OPS at high load.
func fig03Traces(c *Comparison) claims.Finding {
	holds, each := false, []string{}
	var full mc.Estimate // of the mean, at full load
	var near []claims.Condition
	for _, m := range []Metric{Tail(), Average()} {
		for _, g := range c.Gains(Traces, "ops", "reps", m) {
			if g.At.Workload() != "websearch" || g.At.Load() < 0.8 {
				continue
			}
			full = g.Ratio.Percent()
			holds = holds || claims.IsGain(full, 5, 0)
			near = append(near, claims.CloseTo(full, 5))
			each = append(each, fmt.Sprintf("%s %s %% (%s)", m.Name, Interval(full, "%.1f"), g.At.Place))
		}
	}
	return claims.Estimated("N037", holds, full, "OPS longer than REPS: "+strings.Join(each, ", "), "the interval is that of the mean FCT at full load").Resting(claims.Any(near...))
}

// fig03Ring judges that most load balancers are equal in a ring allreduce.
func fig03Ring(c *Comparison) claims.Finding {
	var equal, others []string
	var near []claims.Condition
	for _, contender := range c.Compared {
		for _, g := range OnWorkload(c.Gains(Collectives, contender.Key, "reps", Ending()), "allreduce-ring") {
			near = append(near, claims.Between(g.Ratio, 0.95, 1.05))
			if math.Abs(g.Ratio.Value-1) <= 0.05 {
				equal = append(equal, contender.Name)
			} else {
				others = append(others, fmt.Sprintf("%s %.2f", contender.Name, g.Ratio.Value))
			}
		}
	}
	return claims.InWords("N038", len(equal) >= 5, fmt.Sprintf("%d end within 5 %% of REPS (%s), the others take, in REPS's time, %s", len(equal), strings.Join(equal, ", "), strings.Join(others, ", ")),
		"the authors' simulator, a ring of 16 hosts with four slow uplinks, one seed: OPS, MPRDMA and BitMap within 0.6 % of REPS, PLB 2.03, ECMP 3.27").Resting(claims.AtLeastOf(5, near...))
}

// fig03AllToAll judges REPS's gain over the others in an exchange of all pairs.
func fig03AllToAll(c *Comparison) claims.Finding {
	second := Most(OnWorkload(c.RunnersUp(Collectives, "reps", Ending()), "alltoall"))
	var sprayers []Gain
	for _, key := range []string{"ops", "mprdma", "mptcp", "bitmap"} {
		sprayers = append(sprayers, OnWorkload(c.Gains(Collectives, key, "reps", Ending()), "alltoall")...)
	}
	slowest := Most(sprayers)
	holds := false
	var near []claims.Condition
	for _, g := range []Gain{second, slowest} {
		holds = holds || claims.IsGain(g.Ratio.Percent(), 20, 0)
		near = append(near, claims.CloseTo(g.Ratio.Percent(), 20))
	}
	e := slowest.Ratio.Percent()
	return claims.Estimated("N039", holds, e, "over REPS at the most, of the best of the others: "+second.String()+"; of OPS, MPRDMA, MPTCP-like and BitMap: "+slowest.String(), "the interval is that of the latter, in percent; the paper does not say who the alternatives are").Resting(claims.Any(near...))
}
