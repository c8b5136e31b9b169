package plot

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgtex"
	"repslab/internal/table"
)

// ImageFormat names an encoding of figures; it is also the usual file suffix.
type ImageFormat string

// The encodings of figures.
const (
	PDF ImageFormat = "pdf" // one page, text as outlines
	SVG ImageFormat = "svg" // text as outlines
	PNG ImageFormat = "png" // 300 pixels per inch
	PGF ImageFormat = "pgf" // for \input after \usepackage{pgf}, text in the document's font
)

// ImageFormats returns all figure formats, in the order they are documented.
func ImageFormats() []ImageFormat {
	return []ImageFormat{PDF, SVG, PNG, PGF}
}

// ParseImageFormat returns the format called s, or an error that lists the
// formats.
func ParseImageFormat(s string) (ImageFormat, error) {
	return table.ParseName("image format", s, ImageFormats())
}

// pngDPI is the resolution of PNG files.
const pngDPI = 300

// Render returns f drawn in a style and encoded in a format. The same figure
// gives the same bytes. It is safe for concurrent use.
//
// Errors are an empty figure, unequal lengths, values that an axis cannot show and
// unknown constants, each with its panel and series; text with a character that
// Liberation Sans lacks (or LaTeX, for [PGF]), text too long for its place, and a
// Height that leaves no room for the frames.
func (f Plot) Render(style Style, format ImageFormat) ([]byte, error) {
	if _, err := ParseImageFormat(string(format)); err != nil {
		return nil, err
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	s, err := newSheet(f, style, format == PGF)
	if err != nil {
		return nil, err
	}
	if err := s.arrange(); err != nil {
		return nil, err
	}
	c := newCanvas(format, s.width, s.height)
	s.draw(c)
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("report: %s: %w", format, err)
	}
	return buf.Bytes(), nil
}

// newCanvas returns an empty page of the given size.
func newCanvas(format ImageFormat, width, height vg.Length) vg.CanvasWriterTo {
	switch format {
	case PDF:
		return &edited{vgpdf.New(width, height), editPDF}
	case SVG:
		return newSVGCanvas(width, height)
	case PNG:
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	default:
		return texCanvas{vgtex.New(width, height)}
	}
}

// edited is a canvas whose output is changed before it is written.
type edited struct {
	vg.CanvasWriterTo
	edit func([]byte) ([]byte, error)
}

// WriteTo implements [io.WriterTo].
func (e *edited) WriteTo(w io.Writer) (int64, error) {
	var buf bytes.Buffer
	if _, err := e.CanvasWriterTo.WriteTo(&buf); err != nil {
		return 0, err
	}
	data, err := e.edit(buf.Bytes())
	if err != nil {
		return 0, err
	}
	n, err := w.Write(data)
	return int64(n), err
}

// editPDF sets constant dates, which the library takes from the clock or from
// package-level settings, and round joins, for which it has no call, and packs
// the page, to 1/100 pt. The page is the only stream; the cross-reference table
// follows its length.
func editPDF(pdf []byte) ([]byte, error) {
	pdf = regexp.MustCompile(`Date \(D:\d{14}\)`).ReplaceAll(pdf, []byte("Date (D:20000101000000)"))
	parts := regexp.MustCompile(`(?s)^(.*<</Filter /FlateDecode /Length )(\d+)(>>\nstream\n)(.*)(\nendstream.*\nxref\n)(.*\nstartxref\n)(\d+)(\n.*)$`).FindSubmatch(pdf)
	if parts == nil {
		return nil, fmt.Errorf("page not found in %d bytes", len(pdf))
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
	page = regexp.MustCompile(`(\.\d\d)\d+`).ReplaceAll(page, []byte("$1"))
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
	return bytes.Join([][]byte{parts[1], []byte(length), parts[3], packed.Bytes(), parts[5], table, []byte(start), parts[8]}, nil), nil
}
