package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/internal/plot"
)

// linesOf returns a CSV with a row for each pair of values of two columns.
func linesOf(a string, as []string, b string, bs int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "x,%s,%s,y\n", a, b)
	for k := range bs {
		for _, v := range as {
			fmt.Fprintf(&text, "1,%s,%d,2\n", v, 16<<k)
		}
	}
	return text.String()
}

// TestColoursOfLines: the first line of a load balancer has its colour, and each other value has its own; no line looks
// like another, also where a shade of one balancer is the colour of another. Many lines have a wide plot.
func TestColoursOfLines(t *testing.T) {
	rules := strings.Fields("a b c d e f g h i j k shorter-of-two m n")
	for _, c := range []struct {
		by, text string
		first    []plot.Color
		lines    int
	}{
		{"lb,evs", linesOf("lb", []string{"bitmap", "mixed", "mrc"}, "evs", 4), []plot.Color{plot.Purple, plot.Purple.Hollow(), plot.Purple.Hollow().Hollow()}, 12},
		{"rule,ports", linesOf("rule", rules[:3], "ports", 2), []plot.Color{plot.NthColor(0), plot.NthColor(1), plot.NthColor(2), plot.NthColor(0).Hollow()}, 6},
		{"rule,ports", linesOf("rule", rules[:13], "ports", 1), []plot.Color{plot.NthColor(0), plot.NthColor(1)}, 13},
		{"rule,ports", linesOf("rule", rules, "ports", 3), []plot.Color{plot.NthColor(0), plot.NthColor(1)}, 42},
		{"ports,rule", linesOf("rule", rules[:3], "ports", 2), []plot.Color{plot.NthColor(0), plot.NthColor(0).Hollow()}, 6},
	} {
		d, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "x", Y: "y", By: c.by}, c.text)
		if err != nil {
			t.Fatal(err)
		}
		var colors []plot.Color
		for _, s := range d.Figure.Panels[0][0].Series {
			colors = append(colors, s.Color)
		}
		if len(colors) != c.lines || !slices.Equal(colors[:len(c.first)], c.first) {
			t.Errorf("--by %s: %d lines of colours %v, want %d, first %v", c.by, len(colors), colors, c.lines, c.first)
		}
		for i, color := range colors {
			if j := slices.IndexFunc(colors[:i], color.Resembles); j >= 0 {
				t.Errorf("--by %s: line %d of colour %d looks like line %d of %d", c.by, i, color, j, colors[j])
			}
		}
		if wide := d.Figure.Columns == plot.Double; wide != (c.lines > 12) {
			t.Errorf("--by %s: %d lines, wide %v", c.by, c.lines, wide)
		}
	}
}

// TestFreeColour: a colour that resembles another is passed over, and after many such colours only one that is taken.
func TestFreeColour(t *testing.T) {
	if c := freeColor(map[plot.Color]bool{plot.AutoColor: true, plot.Purple: true}, func(k int) plot.Color { return []plot.Color{plot.Magenta, plot.Blue}[k] }); c != plot.Blue {
		t.Errorf("colour %d resembles a taken one", c)
	}
	taken := map[plot.Color]bool{}
	for k := range 200 {
		c := freeColor(taken, plot.NthColor)
		if taken[c] {
			t.Fatalf("colour %d of %d is taken", c, k)
		}
		taken[c] = true
	}
}
