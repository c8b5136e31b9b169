// Package nb shows plots and tables in a notebook cell, through the GoNB kernel. It
// exports the parts of the program's plots that cells use under its own names, so that
// cells import only public packages.
//
// Its functions panic on errors, which a cell cannot return.
package nb

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"slices"

	"github.com/janpfeifer/gonb/gonbui"

	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
)

// A Figure has Panels, a Panel has Series of points, an Axis a scale; a
// ReferenceLine crosses a panel.
type (
	Figure        = plot.Plot
	Panel         = plot.Panel
	Series        = plot.Series
	Axis          = plot.Axis
	ReferenceLine = plot.ReferenceLine
)

// Scales of an axis, ways to draw a series, line patterns and places of a legend.
const (
	Log2  = plot.Log2
	Log10 = plot.Log10

	LinePoints = plot.LinePoints
	ErrorBars  = plot.ErrorBars
	Steps      = plot.Steps
	Solid      = plot.Solid

	Above      = plot.Above
	TopLeft    = plot.TopLeft
	BottomLeft = plot.BottomLeft
)

// NthColor returns a colour of the palette: 0 for the first.
func NthColor(i int) plot.Color { return plot.NthColor(i) }

// Must returns value, or panics with err if it is not nil.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Show draws a plot below the cell, as a PNG of at most 256 colours.
func Show(f plot.Plot) {
	gonbui.DisplayPNG(Must(fewColors(Must(f.Render(plot.ACM(), plot.PNG)))))
	gonbui.Sync() // a program that ends before the kernel has read the picture loses it
}

// Table prints values in rows below the cell, aligned under their keys. A value is nil, a bool,
// a string, an int, int64, uint64 or float64.
func Table(keys []string, values [][]any) {
	w := Must(rows.NewWriter(os.Stdout, rows.Aligned, frame.Numbers(keys...)))
	for _, row := range values {
		if err := w.Write(row); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
}

// fewColors returns a PNG in a palette of its most frequent colours, a third of
// the size, for the repository keeps notebooks with their pictures. Only some pixels
// at the edges of lines differ.
func fewColors(data []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	area := full.Bounds()
	count := map[color.RGBA]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	order := make([]color.RGBA, 0, len(count))
	for c := range count {
		order = append(order, c)
	}
	key := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(order, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], key(a)-key(b))
	})
	var palette color.Palette
	for _, c := range order[:min(len(order), 256)] {
		palette = append(palette, c)
	}
	few := image.NewPaletted(area, palette)
	draw.Draw(few, area, full, area.Min, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few)
	return out.Bytes(), err
}
