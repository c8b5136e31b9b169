package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/recordtest"
)

// drawnPlot draws a figure of one or two panels, with any marks, scales, intervals, bounds and missing points.
func drawnPlot(seed uint64) Plot {
	rng := rand.New(rand.NewPCG(seed, 41))
	f := Plot{Columns: ColumnWidth(rng.IntN(2)), SharedLegend: rng.IntN(3) == 0, Height: []float64{0, 0.9, 1.3, 2.5}[rng.IntN(4)]}
	var row []Panel
	for i := range 1 + rng.IntN(2) {
		p := Panel{Title: []string{"", "(a) drawn"}[rng.IntN(2)], XLabel: "Bins n", YLabel: "Speedup", Legend: LegendPlace(rng.IntN(7))}
		p.X.Scale, p.Y.Scale = Scale(rng.IntN(3)), Scale(rng.IntN(3))
		p.Origin, p.Y.Origin = float64(rng.IntN(2)), float64(rng.IntN(2))
		if p.Y.Scale != Linear {
			p.Y.Origin = 0
		}
		if rng.IntN(4) == 0 {
			p.References = []ReferenceLine{{At: 3, Label: "bound"}, {Vertical: true, At: 6}}
		}
		scale, spread := math.Pow(10, float64(rng.IntN(7)-3)), []float64{0, 0.2, 5, 500}[rng.IntN(4)]
		for s := range 1 + rng.IntN(4) {
			one := Series{Name: fmt.Sprintf("series %d.%d", i, s), Mark: []Mark{Line, LinePoints, Points, Bars, Steps}[rng.IntN(5)]}
			intervals := rng.IntN(2) == 0
			for x := range 3 + rng.IntN(6) {
				y := scale * (1 + spread*rng.Float64())
				lo, hi := y*(0.5+0.5*rng.Float64()), y*(1+rng.Float64())
				switch rng.IntN(12) {
				case 0:
					y = math.NaN()
				case 1:
					y, lo = math.Inf(1), math.NaN()
				case 2:
					y, lo = 0, 0
				}
				one.X, one.Y = append(one.X, float64(1+2*x)), append(one.Y, y)
				if intervals {
					one.Lo, one.Hi = append(one.Lo, lo), append(one.Hi, hi)
				}
			}
			p.Series = append(p.Series, one)
		}
		row = append(row, p)
	}
	f.Panels = [][]Panel{row}
	return f
}

// TestRecordedFigures: figures drawn with fixed seeds have the texts, the paths and the places that they
// had before: the sum is of all coordinates, each times its place in the file. Colours do not count.
func TestRecordedFigures(t *testing.T) {
	number, text := regexp.MustCompile(`-?\b[0-9]+\.?[0-9]*\b`), regexp.MustCompile(`>([^<>\n]+)</text>`)
	ink := regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
	line := func(name string, f Plot) string {
		data, err := f.Render(ACM(), SVG)
		if err != nil {
			return fmt.Sprintf("%s %q", name, err)
		}
		var texts []string
		for _, found := range text.FindAllSubmatch(data, -1) {
			texts = append(texts, string(found[1]))
		}
		sum := 0.0
		for i, digits := range number.FindAll(ink.ReplaceAll(data, nil), -1) {
			v, _ := strconv.ParseFloat(string(digits), 64)
			sum += v * float64(i%100)
		}
		return fmt.Sprintf("%s %d paths %.0f %s", name, strings.Count(string(data), "<path"), sum, strings.Join(texts, "|"))
	}
	lines := []string{line("convergence", convergence())}
	for seed := range uint64(24) {
		lines = append(lines, line(fmt.Sprint(seed), drawnPlot(seed)))
	}
	recordtest.Check(t, "figures.txt", lines)
}
