package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/mc"
)

// Gain is by how much one load balancer takes longer than another, and where.
type Gain struct {
	Ratio mc.Estimate // its time over that of the other
	Than  Scheme      // that takes longer
	At    ComparisonPoint
}

// String says it in words.
func (g Gain) String() string {
	return fmt.Sprintf("%s %s, %s", g.Than.Name, Interval(g.Ratio, "%.2f"), g.At.Place)
}

// Gains returns, for each point of a group, how much longer a contender takes than
// another by a metric.
func (c *Comparison) Gains(group, slow, fast string, m Metric) []Gain {
	var list []Gain
	i, j := c.Index(slow), c.Index(fast)
	for _, p := range c.In(group) {
		list = append(list, Gain{p.Runs[i].Ratio(p.Runs[j], m.Of), c.Compared[i], p})
	}
	return list
}

// RunnersUp returns, for each point of a group, how much longer than a contender
// the best of all others takes by a metric: the one of the smallest mean.
func (c *Comparison) RunnersUp(group, key string, m Metric) []Gain {
	var list []Gain
	own := c.Index(key)
	for _, p := range c.In(group) {
		best, least := -1, math.Inf(1)
		for i := range c.Compared {
			time := p.Runs[i].Time(m.Of).Value
			if math.IsNaN(time) {
				time = math.Inf(1) // it never ended
			}
			if i != own && (best < 0 || time < least) {
				best, least = i, time
			}
		}
		list = append(list, Gain{p.Runs[best].Ratio(p.Runs[own], m.Of), c.Compared[best], p})
	}
	return list
}

// Most returns the gain of the largest ratio.
func Most(list []Gain) Gain {
	return slices.MaxFunc(list, func(a, b Gain) int { return cmp.Compare(a.Ratio.Value, b.Ratio.Value) })
}

// AllGains returns gains over all points, each by its first metric.
func (c *Comparison) AllGains(slow, fast string) []Gain {
	var list []Gain
	i, j := c.Index(slow), c.Index(fast)
	for _, p := range c.Points {
		list = append(list, Gain{p.Runs[i].Ratio(p.Runs[j], p.Metrics[0].Of), c.Compared[i], p})
	}
	return list
}

// OnWorkload returns the gains on workloads whose name begins so.
func OnWorkload(list []Gain, workload string) []Gain {
	return slices.DeleteFunc(slices.Clone(list), func(g Gain) bool { return !strings.HasPrefix(g.At.Workload(), workload) })
}
