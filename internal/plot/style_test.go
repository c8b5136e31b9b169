package plot

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestLabelsOfVerticalLines: labels stand beside their lines, all at one height and side, and all upright if
// one has no room across.
func TestLabelsOfVerticalLines(t *testing.T) {
	lines := []ReferenceLine{{Vertical: true, At: 4, Label: "failure"}, {Vertical: true, At: 5, Label: "repair"},
		{Vertical: true, At: 6, Label: "failure"}}
	p := panelOf(t, Panel{X: Axis{Min: new(0.0), Max: new(10.0)}, References: lines,
		Series: []Series{{X: []float64{0, 10}, Y: []float64{0, 0}}}})
	p.placeLabels()
	for i, l := range p.labels {
		at := vg.Length(10 * lines[i].At)
		gap := max(l.box.Min.X-at, at-l.box.Max.X)
		if first := p.labels[0].box; l.box.Max.Y != first.Max.Y ||
			(l.box.Min.X > at) != (first.Min.X > vg.Length(10*lines[0].At)) {
			t.Errorf("label %q at %v, the first at %v", l.text, l.box, first)
		}
		if l.covers || !l.upright || gap < 0 || gap > smallSize || !inside(l.box, p.inner) {
			t.Errorf("label %q at %v, %v pt from its line; upright %v, covers data %v", l.text, l.box, gap, l.upright, l.covers)
		}
	}
	p.References = lines[:1]
	if p.placeLabels(); len(p.labels) != 1 || p.labels[0].upright {
		t.Errorf("labels %+v, want one that is not upright", p.labels)
	}
}

// TestStylesInGrey: colours that differ also have different dashes and glyphs, and a series has the same
// dashes with and without glyphs.
func TestStylesInGrey(t *testing.T) {
	var seen []look
	for _, key := range []string{"reps", "ops", "ecmp", "plb", "flowlet", "mprdma", "mptcp", "bitmap"} {
		c := BalancerColor(key)
		l := c.pattern()
		if slices.ContainsFunc(seen, func(other look) bool { return other.dash == l.dash || other.glyph == l.glyph }) {
			t.Errorf("%s has the dashes or the glyph of another", key)
		}
		seen = append(seen, l)
		plain, marked := c.lineStyle(&Series{Mark: Line}), c.lineStyle(&Series{Mark: ErrorBars})
		if !reflect.DeepEqual(plain, marked) {
			t.Errorf("%s: line %v, with glyphs %v", key, plain, marked)
		}
	}
	for i := range inks {
		for j := i / len(looks) * len(looks); j < i; j++ { // colours of the same palette
			grey := func(k int) float64 {
				return float64(color.GrayModel.Convert((Blue + Color(k)).barStyle().Color).(color.Gray).Y)
			}
			if math.Abs(grey(i)-grey(j)) < 12 {
				t.Errorf("bars of %v and %v have greys %v and %v", inks[i], inks[j], grey(i), grey(j))
			}
		}
	}
	for _, variant := range []string{"reps-fifo", "reps-unfrozen", "reps-probe", "reps-forced", "artifact-100us"} {
		c := BalancerColor(variant)
		if (c-Blue)%Color(len(inks)) != 0 || c.rgb() == Blue.rgb() || c.barStyle().Color == color.White || c.barStyle().Color == c.rgb() || c.pattern().dash == Solid {
			t.Errorf("%s: ink %v, dashes %v, want a shade of that of REPS, dashes and pale bars",
				variant, c.rgb(), c.pattern().dash)
		}
	}
}

// TestLooksDiffer: of the first 96 colours of a palette, two of one ink differ in dashes, of the first 48 also in the
// glyph. So do two of the first four shades that balancers have, if their inks are near each other.
func TestLooksDiffer(t *testing.T) {
	same := func(a, b Color) (ink, dash, glyph bool) {
		return a.rgb() == b.rgb(), a.pattern().dash == b.pattern().dash, a.pattern().glyph == b.pattern().glyph
	}
	for i := range 96 {
		for j := range i {
			if ink, dash, glyph := same(NthColor(i), NthColor(j)); ink && (dash || glyph && i < 48) {
				t.Errorf("colours %d and %d have one ink, and share dashes (%v) or glyph (%v)", i, j, dash, glyph)
			}
		}
	}
	for i := range Color(4 * len(inks)) {
		for j := range i {
			a, b := Blue+i, Blue+j
			if balancers := i/8%2 == 0 && j/8%2 == 0; balancers && a.Resembles(b) {
				t.Errorf("colours %d and %d look alike", a, b)
			}
		}
	}
	for _, c := range []struct {
		a, b Color
		want bool
	}{
		{Blue, Blue, true}, {Purple, Magenta, true}, {Wine, Rose.Hollow(), true}, // near inks, one pattern
		{Blue, Blue.Hollow().Hollow().Hollow(), false}, {Brown, Wine.Hollow(), false}, // one ink and near inks, other patterns
		{Blue, Indigo, false}, {Vermilion, Teal, false}, // one pattern, other inks
	} {
		if c.a.Resembles(c.b) != c.want || c.b.Resembles(c.a) != c.want {
			t.Errorf("colours %d and %d: want %v", c.a, c.b, c.want)
		}
	}
	for i, a := range hollows {
		if !a.hollow || slices.Contains(hollows[:i], a) {
			t.Errorf("glyph %d of shades is filled, or that of another", i)
		}
	}
}

// TestAutomaticColours: a load balancer has its own colour, the same for bars and lines, and other series
// do not get it.
func TestAutomaticColours(t *testing.T) {
	one := func(name string, c Color) Series {
		return Series{Name: name, Color: c, X: []float64{1}, Y: []float64{1}}
	}
	p := panelOf(t, Panel{Series: []Series{one("other", AutoColor), one("REPS", AutoColor), one("another", AutoColor),
		one("W", Indigo)}})
	if want := []Color{Teal, Blue, Wine, Indigo}; !slices.Equal(p.colors, want) {
		t.Errorf("colours %v, want %v", p.colors, want)
	}
	many := []Series{one("bitmap", AutoColor), one("shorter-of-two", AutoColor)}
	for i := range 40 {
		many = append(many, one(fmt.Sprint(i), AutoColor))
	}
	p = panelOf(t, Panel{Series: many})
	for i, c := range p.colors {
		if j := slices.IndexFunc(p.colors[:i], c.Resembles); j >= 0 {
			t.Errorf("series %d has colour %d, which resembles %d of series %d", i, c, p.colors[j], j)
		}
	}
	for _, key := range []string{"reps", "ops", "ecmp", "plb", "flowlet", "mprdma", "mptcp", "bitmap", "adaptive-roce"} {
		c := BalancerColor(key)
		if bar := c.barStyle(); bar.Color != c.rgb() && bar.LineStyle.Color != c.rgb() {
			t.Errorf("bars of %s are %v in %v, its lines %v", key, bar.Color, bar.LineStyle.Color, c.rgb())
		}
		for k := range 32 {
			if NthColor(k).rgb() == c.rgb() {
				t.Errorf("colour %d has the ink of %s", k, key)
			}
		}
	}
}

// TestOwnInk: an ink of its own replaces only the ink of a colour. A series without a colour keeps the
// dashes and the glyph that it has without the ink.
func TestOwnInk(t *testing.T) {
	ink := color.RGBA{0, 1, 2, 255}
	for _, c := range []Color{Blue, Olive, Vermilion.Hollow()} {
		with := c.WithInk(color.RGBA{9, 9, 9, 255}).WithInk(ink)
		if with.rgb() != ink || with.pattern() != c.pattern() || with.barStyle().Width != c.barStyle().Width {
			t.Errorf("colour %d with an ink: %v, %+v, want %v, %+v", c, with.rgb(), with.pattern(), ink, c.pattern())
		}
	}
	one := func(name string, c Color) Series {
		return Series{Name: name, Color: c, X: []float64{1}, Y: []float64{1}}
	}
	p := panelOf(t, Panel{Series: []Series{one("a", AutoColor.WithInk(ink)), one("b", AutoColor.WithInk(ink)), one("", AutoColor.WithInk(ink))}})
	for i, want := range []Color{NthColor(0), NthColor(1), NthColor(0)} {
		if got := p.colors[i]; got != want.WithInk(ink) {
			t.Errorf("series %d has colour %x, want %x", i, got, want.WithInk(ink))
		}
	}
}
