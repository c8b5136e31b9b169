package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/lists"
	"repslab/internal/plot"
)

// inspect looks at a plot as its reader will, with REPSLAB_LONG=1 in both styles.
func inspect(t *testing.T, id string, p *plot.Plot) {
	t.Helper()
	if p == nil {
		return
	}
	styles := []plot.Style{plot.ACM()}
	if os.Getenv("REPSLAB_LONG") != "" {
		styles = append(styles, plot.Slides())
	}
	for _, style := range styles {
		for _, fault := range faultsOf(t, *p, style) {
			t.Errorf("%s in %s: %s", id, style, fault)
		}
	}
	for _, row := range p.Panels {
		for _, panel := range row {
			for _, fault := range slices.Concat(miscoloured(panel), magnified(panel), alike(t, *p, panel)) {
				t.Errorf("%s: %s: %s", id, panel.Title, fault)
			}
		}
	}
}

// balancerNames returns the load balancers by the beginning of their names in legends, in lower case.
func balancerNames() map[string]string {
	return map[string]string{"ecmp": "ecmp", "ops": "ops", "plb": "plb", "flowlet": "flowlet", "mprdma": "mprdma",
		"mptcp": "mptcp", "bitmap": "bitmap", "adaptive roce": "adaptive-roce", "reps": "reps", "authors' reps": "reps",
		"oblivious, stratified": "ops", "mixed": "mixed", "mrc": "mrc", "klb": "klb", "hklb": "hklb", "adaptive switches": "switch-adaptive", "adaptive hosts": "host-adaptive"}
}

// magnified returns the linear axes that are chosen by the data and show less than 1 % of their values, as if such
// a difference mattered.
func magnified(panel plot.Panel) (faults []string) {
	for name, axis := range map[string]plot.Axis{"x": panel.X, "y": panel.Y} {
		var all []float64
		for _, s := range panel.Series {
			all = append(all, map[string][]float64{"x": s.X, "y": s.Y}[name]...)
		}
		all = slices.DeleteFunc(all, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
		if len(all) > 1 && axis.Scale == plot.Linear && axis.Min == nil && axis.Ticks == nil && panel.Origin == 0 &&
			slices.Max(all)-slices.Min(all) < 0.01*math.Abs(slices.Max(all)) {
			faults = append(faults, fmt.Sprintf("%s shows only %v to %v", name, slices.Min(all), slices.Max(all)))
		}
	}
	return faults
}

// hue returns the ink of a colour without its shade: one of 16.
func hue(c plot.Color) plot.Color { return (c - plot.Blue) % (plot.Blue.Hollow() - plot.Blue) }

// miscoloured returns the series of load balancers that have another colour than theirs, and the others that
// have a colour of a load balancer. Series without a name share the colour of a series with one.
func miscoloured(panel plot.Panel) (faults []string) {
	for _, s := range panel.Series {
		of := ""
		for begin, key := range balancerNames() {
			if strings.HasPrefix(strings.ToLower(s.Name), begin) {
				of = key
			}
		}
		shared := s.Name == "" && slices.ContainsFunc(panel.Series, func(other plot.Series) bool {
			return other.Name != "" && other.Color == s.Color
		})
		switch {
		case shared || s.Mark == plot.Cells:
		case of != "" && hue(s.Color) != hue(plot.BalancerColor(of)):
			faults = append(faults, fmt.Sprintf("%q has colour %d, %s has %d", s.Name, s.Color, of, plot.BalancerColor(of)))
		case of == "" && s.Color != plot.AutoColor && hue(s.Color) < hue(plot.NthColor(0)):
			faults = append(faults, fmt.Sprintf("%q has colour %d of a load balancer: a new balancer needs an entry in balancerNames", s.Name, s.Color))
		}
	}
	return faults
}

// TestMiscoloured: a balancer in another colour and another series in a balancer's are found.
func TestMiscoloured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		color plot.Color
		found bool
	}{{"REPS", plot.Blue, false}, {"REPS, 10 ms", plot.Blue.Hollow(), false}, {"REPS", plot.Vermilion, true},
		{"uplink 0", plot.Blue, true}, {"n = 8", plot.NthColor(9), false}, {"", plot.Blue, true}, {"OPS", plot.NthColor(1), true}} {
		s := plot.Series{Name: tt.name, Color: tt.color}
		if faults := miscoloured(plot.Panel{Series: []plot.Series{s}}); (len(faults) > 0) != tt.found {
			t.Errorf("%q in %d: faults %q", tt.name, tt.color, faults)
		}
	}
}

// What a reader of print stumbles over.
const (
	smallestType = 6.0  // points, scripts apart
	leastOverlap = 0.15 // of the type size, of the boxes of two texts, across and up
	// leastContrast of two lines of one pattern, by luminance, so that they are
	// told apart in grey; black on white is 21.
	leastContrast = 1.25
)

// drawing is a plot as its SVG has it, with coordinates from the lower left corner.
type drawing struct {
	width, height float64
	zoom          float64 // points for a unit of the coordinates
	texts         []writing
	paths         []stroke
}

// box is a rectangle.
type box struct{ left, low, right, high float64 }

// in reports whether b is in c, to 1/20 pt.
func (b box) in(c box) bool {
	const off = 0.05
	return b.left >= c.left-off && b.right <= c.right+off && b.low >= c.low-off && b.high <= c.high+off
}

// writing is a text of a drawing.
type writing struct {
	text string
	size float64
	box
	straight bool // neither oblique nor blank
}

// stroke is a path of a drawing.
type stroke struct {
	box
	fill, line, dash string
	width            float64
	points           []float64 // x and y in turn, from the first point
}

// read returns the drawing of a plot.
func read(t *testing.T, p plot.Plot, style plot.Style) drawing {
	t.Helper()
	data, err := p.Render(style, plot.SVG)
	if err != nil {
		t.Fatal(err)
	}
	var d drawing
	var moves []string // the transforms of the groups that are open
	for decoder := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return d
		} else if err != nil {
			t.Fatal(err)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "g" {
			moves = moves[:len(moves)-1]
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		is := map[string]string{}
		for _, a := range e.Attr {
			is[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "svg":
			_, _ = fmt.Sscanf(is["viewBox"], "0 0 %g %g", &d.width, &d.height)
			d.zoom = number(is["width"]) / d.width
		case "g":
			moves = append(moves, is["transform"])
		case "text":
			var content string
			if err := decoder.DecodeElement(&content, &e); err != nil {
				t.Fatal(err)
			}
			d.texts = append(d.texts, newWriting(content, is, moves[1:]))
		case "path":
			d.paths = append(d.paths, newStroke(is, moves[1:]))
		}
	}
}

// number returns the number that a text begins with.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text[:len(text)-len(strings.TrimLeft(text, "-.0123456789"))], 64)
	return v
}

// newWriting returns a text with the box of its letters: they reach as high as
// capitals, and below the baseline if one of them has a descender.
func newWriting(text string, is map[string]string, moves []string) writing {
	w := writing{text: strings.NewReplacer("−", "-", "µs", "us").Replace(text), size: number(is["font-size"]), straight: text != ""}
	low, high := 0.0, 0.73
	if strings.ContainsAny(text, "gjpqy()_,;/|") {
		low = -0.21
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("acegmnopqrsuvwxyz-−,. τ", r) }) {
		high = 0.54
	}
	x, y := number(is["x"]), -number(is["y"])
	b := box{x, y + low*w.size, x + number(is["textLength"]), y + high*w.size}
	turn := 0.0
	for _, m := range moves {
		var dx, dy float64
		if n, _ := fmt.Sscanf(m, "translate(%g, %g)", &dx, &dy); n == 2 {
			b = box{b.left + dx, b.low + dy, b.right + dx, b.high + dy}
			x, y = dx, dy
		} else {
			turn = number(strings.TrimPrefix(m, "rotate("))
		}
	}
	if turn == 90 {
		b = box{x - (b.high - y), y + (b.left - x), x - (b.low - y), y + (b.right - x)}
	}
	w.box, w.straight = b, w.straight && (turn == 0 || turn == 90)
	return w
}

// newStroke returns a path in groups with the given transforms.
func newStroke(is map[string]string, moves []string) stroke {
	s := stroke{fill: is["fill"], line: is["stroke"], dash: is["stroke-dasharray"], width: 1}
	if s.fill == "" {
		s.fill = "#000000"
	}
	if w, ok := is["stroke-width"]; ok {
		s.width = number(w)
	}
	numbers := strings.FieldsFunc(is["d"], func(r rune) bool { return r == ',' || r >= 'A' && r <= 'Z' })
	s.box = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := 0; i+1 < len(numbers); i += 2 {
		x, _ := strconv.ParseFloat(numbers[i], 64)
		y, _ := strconv.ParseFloat(numbers[i+1], 64)
		for _, m := range slices.Backward(moves) {
			var dx, dy float64
			if n, _ := fmt.Sscanf(m, "translate(%g, %g)", &dx, &dy); n == 2 {
				x, y = x+dx, y+dy
				continue
			}
			sin, cos := math.Sincos(number(strings.TrimPrefix(m, "rotate(")) * math.Pi / 180)
			x, y = x*cos-y*sin, x*sin+y*cos
		}
		s.points = append(s.points, x, y)
		s.box = box{min(s.left, x), min(s.low, y), max(s.right, x), max(s.high, y)}
	}
	return s
}

// like reports whether a and b have the same shape and dashes.
func (s stroke) like(b stroke) bool {
	if s.dash != b.dash || len(s.points) != len(b.points) {
		return false
	}
	for i := range s.points {
		if math.Abs(s.points[i]-s.points[i%2]-b.points[i]+b.points[i%2]) > 0.1 {
			return false
		}
	}
	return true
}

// closed reports whether s goes around an area, unlike the strokes of an error bar.
func (s stroke) closed() bool { return len(s.points) > 4 }

// faultsOf returns what a reader of the plot, at the size of print, would stumble
// over: what is cut off by the page's edge; texts that are too small or overlap;
// frames of a row that are not level.
func faultsOf(t *testing.T, p plot.Plot, style plot.Style) (faults []string) {
	t.Helper()
	d := read(t, p, style)
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	page := box{0, 0, d.width, d.height}
	for _, s := range d.paths {
		if !s.in(page) {
			add("drawn in %+v, off the page of %.1f x %.1f", s.box, d.width, d.height)
		}
	}
	for i, a := range d.texts {
		if size := a.size * d.zoom; size < 0.69*smallestType || size < smallestType && !d.script(i) {
			add("text %q has %.1f pt", a.text, size)
		}
		if a.straight && !a.in(page) {
			add("text %q is cut off", a.text)
		}
		for _, b := range d.texts[:i] {
			across, up := min(a.right, b.right)-max(a.left, b.left), min(a.high, b.high)-max(a.low, b.low)
			if least := leastOverlap * min(a.size, b.size); a.straight && b.straight && across > least && up > least {
				add("texts %q and %q overlap by %.1f x %.1f pt", b.text, a.text, across, up)
			}
		}
	}
	frames, k := d.frames(), 0
	for _, row := range p.Panels {
		for i := range row {
			if k+i >= len(frames) {
				add("%d frames for more panels", len(frames))
				return faults
			}
			if math.Abs(frames[k+i].low-frames[k].low) > 0.02 {
				add("frame %d is not level with the first of its row", k+i+1)
			}
		}
		k += len(row)
	}
	return faults
}

// script reports whether a text is raised: it stands next to a larger one.
func (d drawing) script(i int) bool {
	near := slices.Concat(d.texts[max(0, i-2):i], d.texts[i+1:min(i+2, len(d.texts))])
	return slices.ContainsFunc(near, func(w writing) bool {
		r := d.texts[i].size / w.size
		return r > 0.69 && r < 0.71
	})
}

// frames returns the frames of panels, in their order.
func (d drawing) frames() (frames []stroke) {
	for _, s := range d.paths {
		if s.fill == "none" && s.line == "#000000" && s.width == 0.5 && len(s.points) == 8 && s.right-s.left > 20 {
			frames = append(frames, s)
		}
	}
	return frames
}

var (
	digits = regexp.MustCompile(`\d+`)
	markup = regexp.MustCompile(`\^\{.*`)
)

// withLegend returns a plot of the panel alone, without reference lines, and with a legend above
// that has samples of its series.
func withLegend(p plot.Plot, panel plot.Panel) plot.Plot {
	panel.Legend, panel.References = plot.Above, nil
	return plot.Plot{Columns: p.Columns, Panels: [][]plot.Panel{{panel}}}
}

// alike returns the pairs of named series of a panel that can hardly be told apart
// without colours, by their samples in its legend. Bars of nearly one grey side by
// side keep their order. Points, also of bars on a logarithmic axis, are small: their
// glyphs differ, whatever the colours. Of series whose names differ in a number only,
// as uplinks do, none is looked for.
func alike(t *testing.T, p plot.Plot, panel plot.Panel) (faults []string) {
	t.Helper()
	var d drawing
	dots := panel.Y.Scale != plot.Linear && panel.Origin == 0
	bars := func(s plot.Series) bool { return s.Mark == plot.Bars && !dots }
	points := func(s plot.Series) bool { return s.Mark == plot.Points || s.Mark == plot.Bars && dots }
	for i, a := range panel.Series {
		for _, b := range panel.Series[:i] {
			if a.Name == "" || b.Name == "" || bars(a) || bars(b) ||
				digits.ReplaceAllString(a.Name, "") == digits.ReplaceAllString(b.Name, "") {
				continue
			}
			if d.width == 0 {
				d = read(t, withLegend(p, panel), plot.ACM())
			}
			sampleA, sampleB := d.sample(t, a.Name), d.sample(t, b.Name)
			alike := contrast(sampleA[0].color(), sampleB[0].color()) < leastContrast
			if points(a) && points(b) { // with or without an error bar
				alike, sampleA, sampleB = true, lists.Where(sampleA, stroke.closed), lists.Where(sampleB, stroke.closed)
			}
			if alike && slices.EqualFunc(sampleA, sampleB, stroke.like) {
				faults = append(faults, fmt.Sprintf("series %q and %q are alike in grey", b.Name, a.Name))
			}
		}
	}
	return faults
}

// sample returns the sample left of a name in a legend, but for its pale band.
func (d drawing) sample(t *testing.T, name string) (sample []stroke) {
	t.Helper()
	name = strings.TrimSpace(markup.ReplaceAllString(name, ""))
	for _, w := range d.texts {
		if w.text != name {
			continue
		}
		var found []stroke
		near := box{w.left - 3.5*w.size, w.low - w.size/2, w.left, w.low + 1.3*w.size}
		for _, s := range d.paths {
			if s.in(near) && (s.line != "" || s.right-s.left < w.size) {
				found = append(found, s)
			}
		}
		if found != nil { // else it is a category below a frame
			sample = found
		}
	}
	if sample == nil {
		t.Errorf("no sample of %q", name)
		sample = []stroke{{line: "#000000"}}
	}
	return sample
}

// color returns the colour of s.
func (s stroke) color() string {
	if s.line != "" {
		return s.line
	}
	return s.fill
}

// contrast returns the ratio of luminances that WCAG defines, from 1 to 21.
func contrast(a, b string) float64 {
	light := func(hex string) (sum float64) {
		v, _ := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			s := float64(v>>(8*i)&255) / 255
			if s <= 0.04045 {
				sum += weight * s / 12.92
			} else {
				sum += weight * math.Pow((s+0.055)/1.055, 2.4)
			}
		}
		return sum
	}
	la, lb := light(a), light(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// TestInspect: each fault is found, and a plot without faults passes.
func TestInspect(t *testing.T) {
	line := func(name string, color plot.Color) plot.Series {
		return plot.Series{Name: name, X: []float64{0, 1}, Y: []float64{0, 1}, Color: color, Dash: plot.Solid}
	}
	bar := func(name string, color plot.Color) plot.Series {
		return plot.Series{Name: name, X: []float64{0, 1}, Y: []float64{1, 2}, Color: color, Mark: plot.Bars}
	}
	panel := func(series ...plot.Series) plot.Plot {
		return plot.Plot{Panels: [][]plot.Panel{{{Title: "10^{3}", YLabel: "Load (balls)", Series: series}}}}
	}
	dots := panel(bar("a", plot.Black), bar("b", plot.Yellow)) // both are diamonds
	dots.Panels[0][0].Y.Scale = plot.Log10
	small := panel(line("", 1))
	small.Panels[0][0].Title = strings.Repeat("long ", 20)
	touching := panel(line("", 1))
	touching.Panels[0][0].X = ticked(from(0, 1000), "a long label of %d", 500, 501)
	for want, p := range map[string]plot.Plot{
		"alike in grey":   panel(line("a", 2), line("b", 3)),
		"\"a\" and \"b\"": dots,
		" pt":             small,
		"overlap":         touching,
	} {
		if faults := append(faultsOf(t, p, plot.ACM()), alike(t, p, p.Panels[0][0])...); !strings.Contains(strings.Join(faults, "; "), want) {
			t.Errorf("faults %q, want one with %q", faults, want)
		}
	}
	for _, style := range []plot.Style{plot.ACM(), plot.Slides()} {
		p := panel(line("black", plot.Black), line("yellow", plot.Yellow), bar("bars", plot.Black), bar("more", plot.Yellow))
		if faults := append(faultsOf(t, p, style), alike(t, p, p.Panels[0][0])...); len(faults) > 0 {
			t.Errorf("black and yellow in %s: faults %q", style, faults)
		}
	}
	cut := drawing{width: 10, height: 10, texts: []writing{{text: "x", size: 8, box: box{0, 0, 11, 5}, straight: true}}}
	if cut.texts[0].in(box{0, 0, cut.width, cut.height}) {
		t.Error("a text beyond the edge is on the page")
	}
}
