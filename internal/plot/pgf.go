package plot

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"
	"repslab/internal/table"
)

// texCanvas cures the library's PGF canvas, which takes 1/72 in for TeX's
// 1/72.27 in, writes exponents, which TeX cannot read, leaves closed paths
// open, opens a paragraph, has no bounding box and no round joins.
type texCanvas struct {
	*vgtex.Canvas
}

// texLength returns l as TeX points with at most three decimals.
func texLength(l vg.Length) vg.Length {
	return vg.Length(math.Round(float64(l)*72.27/72*1000)/1000) + 0 // no negative zero
}

// texPoint returns p in TeX points.
func texPoint(p vg.Point) vg.Point { return vg.Point{X: texLength(p.X), Y: texLength(p.Y)} }

// texPath returns path in TeX points.
func texPath(path vg.Path) vg.Path {
	out := make(vg.Path, len(path))
	for i, c := range path {
		c.Pos, c.Radius = texPoint(c.Pos), texLength(c.Radius)
		control := make([]vg.Point, len(c.Control))
		for k, q := range c.Control {
			control[k] = texPoint(q)
		}
		c.Control = control
		out[i] = c
	}
	return out
}

// SetLineWidth implements [vg.Canvas].
func (c texCanvas) SetLineWidth(w vg.Length) { c.Canvas.SetLineWidth(texLength(w)) }

// SetLineDash implements [vg.Canvas].
func (c texCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	out := make([]vg.Length, len(pattern))
	for i, d := range pattern {
		out[i] = texLength(d)
	}
	c.Canvas.SetLineDash(out, texLength(offset))
}

// Translate implements [vg.Canvas].
func (c texCanvas) Translate(p vg.Point) { c.Canvas.Translate(texPoint(p)) }

// Stroke implements [vg.Canvas].
func (c texCanvas) Stroke(path vg.Path) { c.Canvas.Stroke(texPath(path)) }

// Fill implements [vg.Canvas].
func (c texCanvas) Fill(path vg.Path) { c.Canvas.Fill(texPath(path)) }

// WriteTo implements [io.WriterTo].
func (c texCanvas) WriteTo(w io.Writer) (int64, error) {
	var buf bytes.Buffer
	if _, err := c.Canvas.WriteTo(&buf); err != nil {
		return 0, err
	}
	const begin = "\\begin{pgfpicture}"
	_, body, _ := strings.Cut(strings.ReplaceAll(buf.String(), "% path-close", "\\pgfpathclose"), begin)
	body = regexp.MustCompile(`\n\s*\n`).ReplaceAllString(body, "\n")
	width, height := c.Size()
	size := texPoint(vg.Point{X: width, Y: height})
	n, err := fmt.Fprintf(w, "%% Put \\usepackage{pgf} into the preamble and \\input this file.\n"+begin+
		"\\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{%gpt}{%gpt}}\\pgfusepath{use as bounding box}\\pgfsetroundjoin%s%%\n",
		size.X, size.Y, strings.TrimSuffix(body, "\n"))
	return int64(n), err
}

// drawTeX writes line on a [texCanvas] with its baseline at height y of the
// current origin. The library centres all text by its width in another font; a
// box without width lets LaTeX align it.
func drawTeX(c vg.Canvas, face font.Face, line *textLine, align text.XAlignment, y vg.Length) {
	tex, err := latexRuns(line.runs)
	if err != nil {
		return // set has rejected it before
	}
	side, anchor := "c", text.XCenter
	switch {
	case align > -0.25:
		side, anchor = "l", text.XLeft
	case align < -0.75:
		side, anchor = "r", text.XRight
	}
	x := vg.Length(align-anchor) * vg.Length(line.width) * face.Font.Size
	tex = "\\makebox[0pt][" + side + "]{" + tex + "}"
	at := texPoint(vg.Point{X: x, Y: y})
	at.X = at.X - face.Width(tex)/2
	c.FillString(face, at, tex)
}

// latexRuns returns runs as LaTeX text. A character without a LaTeX form is an
// error.
func latexRuns(runs []run) (string, error) {
	var b strings.Builder
	for _, r := range runs {
		for _, c := range r.text {
			if !table.HasLaTeX(c) {
				return "", fmt.Errorf("text %q: no LaTeX form of %q (%U)", r.text, c, c)
			}
		}
		switch tex := table.LaTeXText(r.text); r.level {
		case 1:
			b.WriteString("\\textsuperscript{" + tex + "}")
		case -1:
			b.WriteString("\\textsubscript{" + tex + "}")
		default:
			b.WriteString(tex)
		}
	}
	return b.String(), nil
}
