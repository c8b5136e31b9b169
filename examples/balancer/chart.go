package main

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"repslab/mc"
)

// A bar above most is cut there and has its value as text; the axis and intervals end at highest.
const most, highest = 3, 3.3

// checkChart returns an error unless a file's name ends with a format of charts.
func checkChart(file string) error {
	_, err := plot.New().WriterTo(vg.Inch, vg.Inch, strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return fmt.Errorf("%s: %w; endings are .svg, .png, .pdf, .eps, .tex, .jpg and .tif", file, err)
	}
	return nil
}

// draw writes a bar for the ratio of each contender in each cell, with its interval. ratios are by contender and cell.
// The ending of the file's name is its format, such as .svg or .png.
func draw(file string, ratios [][]mc.Estimate) error {
	p := plot.New()
	p.Y.Label.Text = "slowest flow / REPS"
	p.Legend.Top, p.Legend.Left = true, true
	colors := []color.Color{color.RGBA{0x00, 0x72, 0xb2, 255}, color.RGBA{0xd5, 0x5e, 0x00, 255}, color.RGBA{0x99, 0x99, 0x99, 255}, color.RGBA{0xe6, 0x9f, 0x00, 255}}
	for i, estimates := range ratios {
		shift := (float64(i) - float64(len(ratios)-1)/2) * 0.2
		var values plotter.Values
		var ends intervals
		var cut plotter.XYLabels
		for j, e := range estimates {
			at := plotter.XY{X: float64(j) + shift, Y: most}
			if !(e.Value <= most) { // a bound has no value
				values = append(values, most)
				cut.XYs, cut.Labels = append(cut.XYs, at), append(cut.Labels, short(e))
				continue
			}
			at.Y = e.Value
			values = append(values, e.Value)
			ends.XYs = append(ends.XYs, at)
			ends.YErrors = append(ends.YErrors, struct{ Low, High float64 }{e.Value - e.Lo, min(e.Hi, highest) - e.Value})
		}
		bars, err := plotter.NewBarChart(values, vg.Points(22))
		if err != nil {
			return err
		}
		bars.XMin, bars.Color, bars.LineStyle.Width = shift, colors[i%len(colors)], 0
		errors, err := plotter.NewYErrorBars(ends)
		if err != nil {
			return err
		}
		labels, err := plotter.NewLabels(cut)
		if err != nil {
			return err
		}
		for j := range labels.TextStyle {
			labels.TextStyle[j].XAlign = text.XCenter
		}
		p.Add(bars, errors, labels)
		p.Legend.Add(contenders[i].name, bars)
	}
	var names []string
	for _, c := range cells {
		names = append(names, c.name)
	}
	p.NominalX(names...)
	p.Y.Min, p.Y.Max = 0, highest
	return p.Save(36*vg.Centimeter, 11*vg.Centimeter, file)
}

// short returns a ratio without its interval.
func short(e mc.Estimate) string {
	if math.IsNaN(e.Value) {
		return ratioText(e)
	}
	return fmt.Sprintf("%.1f", e.Value)
}

// intervals are points with the ends of their intervals.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}
