package plot

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ImageFormat names an encoding of plots; it is also the usual file suffix.
type ImageFormat string

// The encodings of plots.
const (
	PDF ImageFormat = "pdf" // one page, text as outlines
	SVG ImageFormat = "svg" // text as text, in Liberation Sans or a font of its widths
	PNG ImageFormat = "png" // 300 pixels per inch
)

// ImageFormats returns all formats, in their documented order.
func ImageFormats() []ImageFormat {
	return []ImageFormat{PDF, SVG, PNG}
}

// ParseImageFormat returns the format called s, or an error that lists the
// formats.
func ParseImageFormat(s string) (ImageFormat, error) {
	if !slices.Contains(ImageFormats(), ImageFormat(s)) {
		return "", fmt.Errorf("plot: image format (%q) must be one of %v", s, ImageFormats())
	}
	return ImageFormat(s), nil
}

// pngDPI is the resolution of PNG files.
const pngDPI = 300

// Render returns f drawn in a style and encoded in a format. The same plot gives
// the same bytes. It is safe for concurrent use.
//
// Errors are an empty plot, unequal lengths, values that an axis cannot show and
// unknown constants, each with its panel and series; text with a character that
// Liberation Sans lacks, text too long for its place, and a Height that leaves no
// room for the frames.
func (f Plot) Render(style Style, format ImageFormat) ([]byte, error) {
	if _, err := ParseImageFormat(string(format)); err != nil {
		return nil, err
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	s, err := newSheet(f, style, format != SVG)
	if err != nil {
		return nil, err
	}
	if err := s.arrange(); err != nil {
		return nil, err
	}
	c := newCanvas(format, s.width, s.height)
	s.draw(c)
	var buf bytes.Buffer
	if _, err = c.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("plot: %s: %w", format, err)
	}
	switch format {
	case PDF:
		return editPDF(buf.Bytes())
	case SVG:
		return editSVG(buf.Bytes()), nil
	default:
		return buf.Bytes(), nil
	}
}

// newCanvas returns an empty page of the given size.
func newCanvas(format ImageFormat, width, height vg.Length) vg.CanvasWriterTo {
	switch format {
	case PDF:
		return vgpdf.New(width, height)
	case SVG:
		return vgsvg.New(width, height)
	default:
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	}
}

// decimals finds numbers with more than two decimals; two are 1/100 pt.
var decimals = regexp.MustCompile(`(\.\d\d)\d+`)

// editPDF sets constant dates, which the library takes from the clock or from
// package-level settings, and round joins, for which it has no call, rounds the
// coordinates to 1/100 pt, and compresses the page. The page is the only stream; the
// cross-reference table depends on its length.
func editPDF(pdf []byte) ([]byte, error) {
	pdf = regexp.MustCompile(`Date \(D:\d{14}\)`).ReplaceAll(pdf, []byte("Date (D:20000101000000)"))
	parts := regexp.MustCompile(`(?s)^(.*<</Filter /FlateDecode /Length )(\d+)(>>\nstream\n)(.*)` +
		`(\nendstream.*\nxref\n)(.*\nstartxref\n)(\d+)(\n.*)$`).FindSubmatch(pdf)
	if parts == nil {
		return nil, fmt.Errorf("plot: no page in a PDF of %d bytes", len(pdf))
	}
	r, err := zlib.NewReader(bytes.NewReader(parts[4]))
	if err != nil {
		return nil, err
	}
	page, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	page = bytes.Replace(page, []byte("\n0 j\n"), []byte("\n1 j\n"), 1)
	page = decimals.ReplaceAll(page, []byte("$1"))
	if _, err := w.Write(page); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	length := strconv.Itoa(packed.Len())
	shift := packed.Len() - len(parts[4]) + len(length) - len(parts[2])
	moved := func(offset []byte) int {
		n, _ := strconv.Atoi(string(offset)) // digits only
		if n > len(parts[1]) {
			n += shift
		}
		return n
	}
	table := regexp.MustCompile(`\d{10} 00000 n`).ReplaceAllFunc(parts[6], func(entry []byte) []byte {
		return fmt.Appendf(nil, "%010d 00000 n", moved(entry[:10]))
	})
	start := strconv.Itoa(moved(parts[7]))
	edited := [][]byte{parts[1], []byte(length), parts[3], packed.Bytes(), parts[5], table, []byte(start), parts[8]}
	return bytes.Join(edited, nil), nil
}

// editSVG gives all text one list of fonts, the first of which have the widths of
// Liberation Sans, and holds other fonts to these widths. It sets round joins, as
// mitres overshoot at the peaks of a noisy line. Styles become attributes, for the
// security policy of a page refuses the attribute style.
func editSVG(svg []byte) []byte {
	const family = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"
	svg = bytes.ReplaceAll(svg, []byte(family), nil)
	svg = bytes.Replace(svg, []byte("<g "), []byte(`<g font-family="Liberation Sans,Arimo,Arial,Helvetica,sans-serif" `+
		`stroke-linejoin="round" `), 1)
	attribute := regexp.MustCompile(`\s+(\w+)="([^"]*)"`)
	svg = attribute.ReplaceAllFunc(svg, func(text []byte) []byte {
		part := attribute.FindSubmatch(text)
		if string(part[1]) != "style" {
			return decimals.ReplaceAll(text, []byte("$1"))
		}
		var out []byte
		for property := range bytes.SplitSeq(part[2], []byte(";")) {
			name, value, _ := bytes.Cut(property, []byte(":"))
			out = fmt.Appendf(out, ` %s="%s"`, name, value)
		}
		return out
	})
	set, words := newTypesetter(false), regexp.MustCompile(`font-size="([\d.]+)px"([^>]*)>([^<]*)<`)
	return words.ReplaceAllFunc(svg, func(text []byte) []byte {
		part := words.FindSubmatch(text)
		size, _ := strconv.ParseFloat(string(part[1]), 64) // digits by the expression
		width := set.width(html.UnescapeString(string(part[3])), vg.Length(size))
		return fmt.Appendf(nil, `font-size="%s"%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s<`,
			part[1], part[2], width, part[3])
	})
}
