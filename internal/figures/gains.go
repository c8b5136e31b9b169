package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/lists"
	"repslab/mc"
)

// gain is the time of the scheme slow divided by the time of the scheme fast, and the point of the measurement.
type gain struct {
	ratio mc.Estimate
	slow  scheme // its time is the numerator
	at    *comparedPoint
}

// String writes the gain in words.
func (g gain) String() string {
	return fmt.Sprintf("%s %s, %s", g.slow.name, withBounds(g.ratio, "%.2f"), g.at.place)
}

// upTo returns the finding about a ratio over REPS of which the paper says "up to", or about its percent above 1. It
// is graded by the interval of the point with the largest ratio; the reason has the interval of the largest, and the
// grade if that differs.
func (list gains) upTo(claim string, number func(mc.Estimate) mc.Estimate, why string) claims.Finding {
	g, all := list.largest(), mc.LargestOf(list.ratios())
	largest := "as largest of all " + withBounds(all, "%.2f")
	f := claims.Sized(claim, number(g.ratio), "", "")
	if by := claims.Sized(claim, number(all), "", "").Grade; by != f.Grade {
		largest += ", by it " + string(by)
	}
	return claims.Sized(claim, number(g.ratio), "largest over REPS: "+g.String(), strings.TrimSuffix(largest+"; "+why, "; ")).
		With(list.ratios()...)
}

// ratio returns a scheme's time at the point divided by another scheme's time.
func (p *comparedPoint) ratio(slow, fast string, m metric) mc.Estimate {
	e := p.of(slow).ratio(p.of(fast), m.of)
	return listedAs(e, "us", m.name+" of "+e.Basis.Quantity)
}

// gains are gains at several points.
type gains []gain

// metric returns the given metric, or the point's main metric if none is given.
func (p *comparedPoint) metric(given []metric) metric { return append(given, p.metrics...)[0] }

// gains returns a scheme's time divided by another scheme's time at each point of a group, by the given metric or
// by the main metric of each point.
func (c *comparison) gains(group, slow, fast string, m ...metric) gains {
	numerator := c.schemes[slices.IndexFunc(c.schemes, func(of scheme) bool { return of.key == slow })]
	return lists.Map(c.having(group, slow, fast), func(p *comparedPoint) gain {
		return gain{p.ratio(slow, fast, p.metric(m)), numerator, p}
	})
}

// runnersUp returns, for each point of a group, the time of the best other scheme divided by the time of REPS, like
// [comparison.gains]. The best scheme has the smallest mean.
func (c *comparison) runnersUp(group string, m ...metric) gains {
	return lists.Map(c.having(group, "reps"), func(p *comparedPoint) gain {
		others := lists.Where(c.schemesAt(p), func(of scheme) bool { return of.key != "reps" })
		of := p.metric(m).of
		time := func(other scheme) float64 {
			if t := p.of(other.key).time(of).Value; !math.IsNaN(t) {
				return t
			}
			return math.Inf(1) // it never ended
		}
		best := slices.MinFunc(others, func(a, b scheme) int { return cmp.Compare(time(a), time(b)) })
		return gain{p.ratio(best.key, "reps", p.metric(m)), best, p}
	})
}

// largest returns the gain with the largest ratio.
func (list gains) largest() gain {
	return slices.MaxFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
}

// last returns the last gain.
func (list gains) last() gain { return list[len(list)-1] }

// parts returns a part of a claim for each gain, named by its place.
func (list gains) parts(is func(mc.Estimate) claims.Part) []claims.Part {
	return lists.Map(list, func(g gain) claims.Part { return claims.Part{Name: g.at.place, Condition: is(g.ratio).Condition} })
}

// ratios returns the ratios.
func (list gains) ratios() []mc.Estimate {
	return lists.Map(list, func(g gain) mc.Estimate { return g.ratio })
}

// words lists the gains in words.
func (list gains) words() string {
	return strings.Join(lists.Map(list, func(g gain) string {
		return fmt.Sprintf("%s %s (%s)", g.slow.name, withBounds(g.ratio, "%.3f"), g.at.place)
	}), ", ")
}

// span describes the range of the ratios over REPS, as in "1.1 to 1.2 times as long as REPS".
func (list gains) span() string {
	smallest := slices.MinFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
	low, high := fmt.Sprintf("%.3f", smallest.ratio.Value), fmt.Sprintf("%.3f", list.largest().ratio.Value)
	if low != high {
		low += " to " + high
	}
	return low + " times as long as REPS"
}

// paperGains returns a scheme's time divided by REPS's time, at the points of the paper's figures.
func (c *comparison) paperGains(slow string) gains {
	return slices.Concat(c.gains(patterns, slow, "reps"), c.gains(traces, slow, "reps").where(ofTrace),
		c.gains(collectives, slow, "reps"))
}

// ofTrace reports whether a gain is on a trace from the authors' generator.
func ofTrace(g gain) bool { return g.at.workload == wholeTrace().key }

// atFullLoad returns the gains on traces from the authors' generator at full load, by the number of busy hosts:
// the last one has the hosts of the paper's text.
func (list gains) atFullLoad() gains {
	return list.where(func(g gain) bool { return ofTrace(g) && g.at.load == 1 })
}

// on returns the gains on workloads with names that begin with a text.
func (list gains) on(workload string) gains {
	return list.where(func(g gain) bool { return strings.HasPrefix(g.at.workload, workload) })
}

// where returns the gains that satisfy a condition.
func (list gains) where(holds func(gain) bool) gains { return lists.Where(list, holds) }

// known reports whether some replica finished under both schemes.
func known(g gain) bool { return !math.IsNaN(g.ratio.Value) }

// least returns the gain with the smallest known ratio.
func (list gains) least() gain {
	return slices.MinFunc(list.where(known), func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
}

// conditions returns a condition on each known ratio.
func (list gains) conditions(is func(mc.Estimate) claims.Part) []claims.Condition {
	return lists.Map(list.where(known), func(g gain) claims.Condition { return is(g.ratio).Condition })
}

// deciding returns the gain at the point that decides a claim. It panics if there is none.
func (list gains) deciding(claim string) gain {
	point := claims.Find(claim).Point
	if i := slices.IndexFunc(list, func(g gain) bool { return g.at.place == point }); i >= 0 {
		return list[i]
	}
	panic(fmt.Sprintf("figures: %s is decided at %q, which is none of %q", claim, point,
		lists.Map(list, func(g gain) string { return g.at.place })))
}
