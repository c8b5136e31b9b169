package plot

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// walk returns the pen's places along the data of an SVG path: after each number
// pair of m and l, each h and v, and at the ends of curves and arcs.
func walk(t *testing.T, data string) [][2]float64 {
	t.Helper()
	tokens := regexp.MustCompile(`[a-z]|-?\d*\.?\d+`).FindAllString(data, -1)
	if strings.Join(tokens, "") != strings.ReplaceAll(data, " ", "") {
		t.Fatalf("path %q has other than commands and numbers", data)
	}
	var places [][2]float64
	var x, y, startX, startY float64
	command := ""
	for i := 0; i < len(tokens); {
		if token := tokens[i]; token >= "a" {
			command, i = token, i+1
			if command == "z" {
				x, y = startX, startY
			}
			continue
		}
		count := map[string]int{"m": 2, "l": 2, "h": 1, "v": 1, "q": 4, "c": 6, "a": 7}[command]
		var numbers []float64
		for range count {
			v, err := strconv.ParseFloat(tokens[i], 64)
			if err != nil {
				t.Fatalf("path %q: %v", data, err)
			}
			numbers = append(numbers, v)
			i++
		}
		switch command {
		case "h":
			x += numbers[0]
		case "v":
			y += numbers[0]
		default:
			x, y = x+numbers[count-2], y+numbers[count-1]
		}
		if command == "m" {
			startX, startY, command = x, y, "l"
		}
		places = append(places, [2]float64{x, y})
	}
	return places
}

// The end of a path of many small steps is where it should be: what is lost by
// rounding is not added up.
func TestSVGPathsDoNotDrift(t *testing.T) {
	c := newSVGCanvas(100, 50)
	path := vg.Path{}
	path.Move(vg.Point{X: 1, Y: 1})
	for i := 1; i <= 3000; i++ {
		path.Line(vg.Point{X: 1 + vg.Length(i)/31, Y: 1 + vg.Length(i%2)/3})
	}
	places := walk(t, c.path(path))
	if len(places) != 3001 {
		t.Fatalf("%d places, want 3001", len(places))
	}
	for i, at := range places {
		wantX, wantY := 1+float64(i)/31, 49-float64(i%2)/3
		if math.Abs(at[0]-wantX) > 0.006 || math.Abs(at[1]-wantY) > 0.006 {
			t.Fatalf("place %d at %v, want (%.3f, %.3f)", i, at, wantX, wantY)
		}
	}
}

// Transforms and arcs: a circle around a moved, turned and scaled origin goes
// round it in two halves, and ends where it began.
func TestSVGTransforms(t *testing.T) {
	c := newSVGCanvas(100, 50)
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 2)
	circle := vg.Path{}
	circle.Move(vg.Point{X: 4, Y: 0}) // (10, 28) on the page, 22 from its top
	circle.Arc(vg.Point{X: 3, Y: 0}, 1, 0, 2*math.Pi)
	places := walk(t, c.path(circle))
	c.Pop()
	want := [][2]float64{{10, 22}, {10, 26}, {10, 22}}
	if len(places) != 3 {
		t.Fatalf("places %v, want %v", places, want)
	}
	for i := range want {
		if math.Hypot(places[i][0]-want[i][0], places[i][1]-want[i][1]) > 0.01 {
			t.Errorf("places %v, want %v", places, want)
		}
	}
	if x, y := c.now().at(vg.Point{X: 1, Y: 2}); x != 1 || y != 2 {
		t.Errorf("after Pop (1, 2) is at (%v, %v)", x, y)
	}
}

// A page may hold the SVG whatever its security policy: no style, no script. A
// letter is outlined once.
func TestSVGForPages(t *testing.T) {
	line := Series{X: []float64{0, 1}, Y: []float64{0, 1}, Name: "aaaa a a a^{aa}"}
	data := render(t, Plot{Panels: [][]Panel{{{Title: "aaa", Series: []Series{line}}}}}, ACM(), SVG)
	for _, forbidden := range []string{"style", "script", "NaN", "Inf", "<text"} {
		if bytes.Contains(data, []byte(forbidden)) {
			t.Errorf("the SVG contains %q", forbidden)
		}
	}
	page := regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`).FindSubmatch(data)
	texts := regexp.MustCompile(`translate\(([-\d.]+) ([-\d.]+)\)`).FindAllSubmatch(data, -1)
	for _, at := range texts {
		for i, coordinate := range at[1:] {
			v, _ := strconv.ParseFloat(string(coordinate), 64) // digits by the expression
			if most, _ := strconv.ParseFloat(string(page[1+i]), 64); v < 0 || v > most {
				t.Errorf("text at %s, off the page of %s x %s", at[0], page[1], page[2])
			}
		}
	}
	if len(texts) < 5 {
		t.Errorf("%d texts, want the title, a name and labels", len(texts))
	}
	a := newTypesetter(false)
	glyph, err := a.set("a")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(a.outline(glyph.glyphs[0].index))); n != 1 {
		t.Errorf("the letter a is outlined %d times, want once", n)
	}
	if n := bytes.Count(data, []byte(`"#s`+strconv.Itoa(int(glyph.glyphs[0].index))+`"`)); n != 12 {
		t.Errorf("the letter a is used %d times, want 12", n)
	}
}
