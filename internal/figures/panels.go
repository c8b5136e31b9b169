package figures

import (
	"fmt"
	"math"
	"slices"

	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// bars fills a panel with a bar for each scheme at each point of a group. A scheme without any number gets no
// bars. Runs that did not finish leave a gap.
func (c *comparison) bars(panel plot.Panel, group string,
	of func(p *comparedPoint, key string) mc.Estimate) plot.Panel {
	points := c.in(group)
	sort := ""
	panel.X = labelled(points, func(p *comparedPoint) string {
		defer func() { sort = p.sort }()
		if p.sort == sort {
			return p.label
		}
		return p.sort + " " + p.label
	})
	for _, s := range c.schemes {
		bars := barsOf(s.series(plot.Bars), points,
			func(p *comparedPoint) mc.Estimate { return p.runs[s.key].orUnfinished(of(p, s.key)) })
		if slices.ContainsFunc(bars.Y, func(y float64) bool { return !math.IsNaN(y) }) {
			panel.Series = append(panel.Series, bars)
		}
	}
	return panel
}

// curves returns a curve of each scheme over the x of a group's points.
func (c *comparison) curves(group string, of func(netRuns) mc.Estimate) []plot.Series {
	return lists.Map(c.schemes, func(s scheme) plot.Series {
		curve := s.series(plot.ErrorBars)
		for _, p := range c.in(group) {
			if runs := p.runs[s.key]; runs != nil {
				appendPoint(&curve, float64(p.x), of(runs))
			}
		}
		return curve
	})
}

// times fills a panel with bars of a time, in microseconds, by the given metric or by the main metric of each
// point.
func (c *comparison) times(panel plot.Panel, group string, m ...metric) plot.Panel {
	return c.bars(panel, group, func(p *comparedPoint, key string) mc.Estimate {
		return p.of(key).time(p.metric(m).of)
	})
}

// faster fills a panel with bars of OPS's time divided by the time of each other scheme, by the given metric or by
// the main metric of each point.
func (c *comparison) faster(panel plot.Panel, group string, m ...metric) plot.Panel {
	panel = fromOne(panel)
	return c.without("ops").bars(panel, group, func(p *comparedPoint, key string) mc.Estimate {
		return p.of("ops").ratio(p.of(key), p.metric(m).of)
	})
}

// without returns the comparison without a scheme.
func (c comparison) without(key string) *comparison {
	c.schemes = lists.Where(c.schemes, func(of scheme) bool { return of.key != key })
	return &c
}

// fromOne returns a panel of ratios with bars that start at 1.
func fromOne(panel plot.Panel) plot.Panel {
	panel.Origin, panel.References = 1, append(panel.References, plot.ReferenceLine{At: 1})
	return panel
}

// speedupPanel returns a panel for [comparison.faster] with an axis from 0 to top.
func speedupPanel(title string, top float64) plot.Panel {
	return plot.Panel{Title: title, YLabel: "Speed-up over OPS", Y: from(0, top)}
}

// traceRows returns panels of the speed-ups in mean and p99 FCT on traces, one below the other. letters are for
// their titles, and top and tailTop are the tops of their axes.
func (c *comparison) traceRows(letters string, top, tailTop float64) [][]plot.Panel {
	panel := func(letter byte, of metric, top float64) plot.Panel {
		return wide(c.faster(speedupPanel(fmt.Sprintf("(%c) WebSearch: speed-up of %s", letter, of.name), top), traces, of))
	}
	return [][]plot.Panel{{panel(letters[0], byMeanFCT(), top)}, {panel(letters[1], byP99FCT(), tailTop)}}
}

// stacked returns a plot of rows of panels, at most a page high.
func stacked(rows ...[]plot.Panel) *plot.Plot {
	return &plot.Plot{Columns: plot.Double, Height: min(1.8*float64(len(rows)), 9), SharedLegend: true, Panels: rows}
}

// patternLabel is the title of axes labelled by [patternPoints].
const patternLabel = "Pattern and message size"

// patternTimes returns a wide panel of a maximum FCT of the patterns.
func (c *comparison) patternTimes(title string, m ...metric) plot.Panel {
	return wide(c.times(plot.Panel{Title: title, YLabel: "Mean max. FCT (us)",
		Y: onScale(plot.Log10)}, patterns, m...))
}

// patternSpeedups returns a wide panel of speed-ups of the patterns.
func (c *comparison) patternSpeedups(title string, top float64, m ...metric) plot.Panel {
	return wide(c.faster(speedupPanel(title, top), patterns, m...))
}

// wide returns the panel with the width of the plot.
func wide(panel plot.Panel) plot.Panel {
	panel.Wide = true
	return panel
}
