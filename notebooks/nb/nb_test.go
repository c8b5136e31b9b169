package nb

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"repslab/internal/plot"
)

// A figure keeps its size and its frequent colours, and gets much smaller.
func TestFewColors(t *testing.T) {
	y := []float64{1, 4, 2, 3, 7, 5, 8, 1, 6, 2}
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	full, err := plot.Plot{Panels: [][]plot.Panel{{{XLabel: "Round", YLabel: "Load", Series: []plot.Series{{X: x, Y: y}}}}}}.Render(plot.ACM(), plot.PNG)
	if err != nil {
		t.Fatal(err)
	}
	few, err := fewColors(full)
	if err != nil {
		t.Fatal(err)
	}
	if 2*len(few) > len(full) {
		t.Errorf("%d bytes of %d, want half or less", len(few), len(full))
	}
	a, err := png.Decode(bytes.NewReader(full))
	if err != nil {
		t.Fatal(err)
	}
	b, err := png.Decode(bytes.NewReader(few))
	if err != nil {
		t.Fatal(err)
	}
	if a.Bounds() != b.Bounds() {
		t.Fatalf("bounds %v, want %v", b.Bounds(), a.Bounds())
	}
	different, area := 0, a.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				different++
			}
		}
	}
	if pixels := area.Dx() * area.Dy(); 100*different > pixels {
		t.Errorf("%d of %d pixels changed, want at most 1 %%", different, pixels)
	}
}
