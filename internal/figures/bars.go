package figures

import (
	"math"

	"repslab/internal/plot"
	"repslab/mc"
)

// Times fills a panel with bars, grouped by the points of a group: a metric, in
// microseconds. Bars on a logarithmic axis need its Min.
func (c *Comparison) Times(panel plot.Panel, group string, m Metric) plot.Panel {
	return c.Bars(panel, group, func(p ComparisonPoint, i int) mc.Estimate { return p.Runs[i].Time(m.Of) })
}

// Faster fills a panel with bars, grouped by the points of a group: a metric under
// OPS over that under each of the others.
func (c *Comparison) Faster(panel plot.Panel, group string, m Metric) plot.Panel {
	oblivious := c.Index("ops")
	panel.Rules = append(panel.Rules, plot.ReferenceLine{At: 1})
	return c.Bars(panel, group, func(p ComparisonPoint, i int) mc.Estimate {
		if i == oblivious {
			return mc.Estimate{Value: math.NaN()}
		}
		return p.Runs[oblivious].Ratio(p.Runs[i], m.Of)
	})
}

// SpeedupPanel returns a panel for [Comparison.Faster], from 0 to top.
func SpeedupPanel(title, label string, top float64) plot.Panel {
	return plot.Panel{Title: title, XLabel: label, YLabel: "OPS's time / own", Y: plot.Axis{Min: new(0.0), Max: &top}}
}

// Bars fills a panel with a bar for each contender and point of a group, none for
// a contender that has no number anywhere.
func (c *Comparison) Bars(panel plot.Panel, group string, of func(p ComparisonPoint, contender int) mc.Estimate) plot.Panel {
	points := c.In(group)
	panel.X.Ticks, panel.X.TickLabels = nil, nil
	for k, p := range points {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.Label)
	}
	for i, contender := range c.Compared {
		bars := plot.Series{Name: contender.Name, Color: contender.Look, Mark: plot.Bars}
		drawn := false
		for k, p := range points {
			e := of(p, i)
			drawn = drawn || !math.IsNaN(e.Value)
			AppendPoint(&bars, float64(k), e)
		}
		if drawn {
			panel.Series = append(panel.Series, bars)
		}
	}
	return panel
}

// PatternLabel is the title of axes with the labels of [Synthetic].
const PatternLabel = "Pattern, message (MiB)"

// PatternTimes returns a wide panel of a metric of the patterns, a maximum FCT.
func (c *Comparison) PatternTimes(title string, m Metric) plot.Panel {
	return c.Times(plot.Panel{Wide: true, Title: title, XLabel: PatternLabel, YLabel: "Mean max. FCT (us)",
		Y: plot.Axis{Scale: plot.Log10, Min: new(50.0), Max: new(5000.0)}}, Patterns, m)
}
