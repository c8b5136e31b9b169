package plot

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfPage is a canvas that becomes a PDF file of one page, with text as text. The canvas of the library
// garbles Greek letters, embeds whole fonts, draws mitred joins, which overshoot at the peaks of a noisy
// line, and writes the current date.
type pdfPage struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	alpha         float64 // of the current colour
}

// pdfFont is the name under which editors find the embedded font, a subset of Liberation Sans. It is as
// long as the name that the library makes from family.
const (
	pdfFont = "REPLAB+LiberationSans"
	family  = "liberationsansxxx"
)

// newPDF returns an empty page.
func newPDF(width, height vg.Length) *pdfPage {
	size := fpdf.SizeType{Wd: float64(width), Ht: float64(height)}
	p := &pdfPage{doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size}), width: width, height: height}
	date := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	p.doc.SetCreationDate(date)
	p.doc.SetModificationDate(date)
	p.doc.SetCatalogSort(true)
	var ttf bytes.Buffer
	if _, err := font.DefaultCache.Lookup(sans(1), 1).Face.WriteSourceTo(nil, &ttf); err != nil {
		p.doc.SetError(err)
	}
	p.doc.AddUTF8FontFromBytes(family, "", ttf.Bytes()) // only the letters used are embedded
	p.doc.AddPage()
	p.doc.SetLineJoinStyle("round")
	p.Push()
	return p
}

// Size implements [vg.CanvasSizer].
func (p *pdfPage) Size() (width, height vg.Length) { return p.width, p.height }

// SetLineWidth implements [vg.Canvas].
func (p *pdfPage) SetLineWidth(width vg.Length) { p.doc.SetLineWidth(float64(width)) }

// SetLineDash implements [vg.Canvas].
func (p *pdfPage) SetLineDash(pattern []vg.Length, offset vg.Length) {
	dashes := make([]float64, len(pattern))
	for i, d := range pattern {
		dashes[i] = float64(d)
	}
	p.doc.SetDashPattern(dashes, float64(offset))
}

// SetColor implements [vg.Canvas].
func (p *pdfPage) SetColor(c color.Color) {
	ink := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := int(ink.R), int(ink.G), int(ink.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.alpha = float64(ink.A) / 255
}

// Rotate implements [vg.Canvas].
func (p *pdfPage) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements [vg.Canvas].
func (p *pdfPage) Translate(to vg.Point) {
	p.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: float64(to.X), F: float64(to.Y)})
}

// Scale implements [vg.Canvas].
func (p *pdfPage) Scale(x, y float64) { p.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

// Push implements [vg.Canvas].
func (p *pdfPage) Push() { p.doc.TransformBegin() }

// Pop implements [vg.Canvas].
func (p *pdfPage) Pop() { p.doc.TransformEnd() }

// Stroke implements [vg.Canvas].
func (p *pdfPage) Stroke(path vg.Path) { p.draw(path, "D") }

// Fill implements [vg.Canvas].
func (p *pdfPage) Fill(path vg.Path) { p.draw(path, "F") }

// draw draws a path of straight lines; plots have no others. The y axis of the document points down.
func (p *pdfPage) draw(path vg.Path, style string) {
	if p.alpha < 1 {
		p.doc.SetAlpha(p.alpha, "Normal")
		defer p.doc.SetAlpha(1, "Normal")
	}
	for _, part := range path {
		x, y := float64(part.Pos.X), float64(p.height-part.Pos.Y)
		switch part.Type {
		case vg.MoveComp:
			p.doc.MoveTo(x, y)
		case vg.LineComp:
			p.doc.LineTo(x, y)
		case vg.CloseComp:
			p.doc.ClosePath()
		default:
			p.doc.SetError(errors.New("a PDF has no curves"))
		}
	}
	p.doc.DrawPath(style)
}

// FillString implements [vg.Canvas].
func (p *pdfPage) FillString(face font.Face, at vg.Point, s string) {
	p.doc.SetFont(family, "", float64(face.Font.Size))
	p.doc.Text(float64(at.X), float64(p.height-at.Y), s)
}

// DrawImage implements [vg.Canvas].
func (p *pdfPage) DrawImage(vg.Rectangle, image.Image) {
	p.doc.SetError(errors.New("a PDF has no images"))
}

// WriteTo implements [io.WriterTo] and ends the page.
func (p *pdfPage) WriteTo(w io.Writer) (int64, error) {
	p.Pop()
	var out bytes.Buffer
	if err := p.doc.Output(&out); err != nil {
		return 0, err
	}
	n, err := w.Write(bytes.ReplaceAll(out.Bytes(), []byte("utf8"+family), []byte(pdfFont)))
	return int64(n), err
}
