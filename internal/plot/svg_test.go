package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// An SVG has no style and no script, so a page with any security policy may hold it. Text is text with
// the width that it has in Liberation Sans; it lies on the page and has no spaces at its ends.
func TestSVGForPages(t *testing.T) {
	line := Series{X: []float64{0, 1}, Y: []float64{0, 1}, Name: "a < b & \"c\" ^{2} d"}
	p := Panel{Title: "10^{3} of x^{i}", YLabel: "-1", Series: []Series{line}}
	data := render(t, Plot{Panels: [][]Panel{{p}}}, ACM(), SVG)
	for _, forbidden := range []string{"style", "script", "NaN", "Inf", "  "} {
		if bytes.Contains(data, []byte(forbidden)) {
			t.Errorf("the SVG contains %q", forbidden)
		}
	}
	set := newTypesetter()
	var texts []string
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "text" {
			continue
		}
		var content string
		if err := d.DecodeElement(&content, &e); err != nil {
			t.Fatal(err)
		}
		number := map[string]float64{}
		for _, a := range e.Attr {
			number[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
		}
		size := number["font-size"]
		want := float64(set.width(content, 1)) * size
		if size < 4.8 || math.Abs(number["textLength"]-want) > 0.006 {
			t.Errorf("%q of %v pt is %v wide, want %.2f", content, size, number["textLength"], want)
		}
		if x, y := number["x"], number["y"]; content != "−1" && (x < 0 || x+number["textLength"] > 3.33*72 || y > 0) {
			t.Errorf("%q at (%v, %v), off the page", content, x, y)
		}
		texts = append(texts, content)
	}
	for _, want := range []string{"10", "3", "of x", "i", "−1", "a < b & \"c\"", "2", "d", "0.0", "1.0"} {
		if !slices.Contains(texts, want) {
			t.Errorf("texts %q, want also %q", strings.Join(texts, "|"), want)
		}
	}
}

// Text of a PDF is text, in one embedded font with Unicode characters.
func TestPDFText(t *testing.T) {
	p := Panel{Title: "(a) τ, 10 %", XLabel: "Time (us)", YLabel: "W - d",
		Series: []Series{{X: []float64{-1, 1}, Y: []float64{0, 1}}}}
	data := render(t, Plot{Panels: [][]Panel{{p}}}, ACM(), PDF)
	var content []byte
	for part := range bytes.SplitSeq(data, []byte("stream\n")) {
		if r, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			text, _ := io.ReadAll(r) // stops at the end of the stream
			content = append(content, text...)
		}
	}
	for _, want := range []string{"(a) τ, 10 %", "Time (µs)", "W − d", "−1.0"} {
		var code []byte
		for _, c := range utf16.Encode([]rune(strings.NewReplacer("(", `\(`, ")", `\)`).Replace(want))) {
			code = append(code, byte(c>>8), byte(c))
		}
		code = bytes.ReplaceAll(code, []byte("\x00\\\x00"), []byte("\x00\\")) // an escape is a single byte
		if !bytes.Contains(content, code) {
			t.Errorf("the PDF lacks the text %q", want)
		}
	}
	for _, want := range []string{"/ToUnicode", "/FontFile2", "/BaseFont /" + pdfFont} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the PDF lacks %s", want)
		}
	}
}

// TestWithoutRepeats: of lines to one point in a row one is left, also if it goes to where the path begins.
func TestWithoutRepeats(t *testing.T) {
	for path, want := range map[string]string{
		` d="M1,2L1,2"`: ` d="M1,2L1,2"`,
		` d="M1,2L1,2L1,2L3.5,4L3.5,4L1,2L3.5,4L3.5,4Z"`: ` d="M1,2L1,2L3.5,4L1,2L3.5,4Z"`,
		` d="M1,2L3,4ZM3,4L3,4L3,45A1,1 0 0 1 3,4L3,4"`:  ` d="M1,2L3,4ZM3,4L3,4L3,45A1,1 0 0 1 3,4L3,4"`,
		` d=""`: ` d=""`,
	} {
		if got := string(withoutRepeats([]byte(path))); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
