package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ImageFormat names an encoding of plots; it is also the usual file suffix.
type ImageFormat string

// The encodings of plots.
const (
	PDF ImageFormat = "pdf" // one page; the letters used are embedded
	SVG ImageFormat = "svg" // text in Liberation Sans or a font with the same widths
	PNG ImageFormat = "png" // 300 pixels per inch
)

// ImageFormats returns all formats, in their documented order.
func ImageFormats() []ImageFormat { return []ImageFormat{PDF, SVG, PNG} }

// pngDPI is the resolution of PNG files.
const pngDPI = 300

// Render returns f drawn in a style and encoded in a format. The same plot gives
// the same bytes. It is safe for concurrent use.
//
// It returns an error for an empty plot, for unequal lengths and values that an axis cannot show (with
// panel and series), for a character that Liberation Sans lacks, for text that is too long for its place,
// and for a Height that leaves no room for the frames.
func (f Plot) Render(style Style, format ImageFormat) ([]byte, error) {
	s, err := f.arranged(style)
	if err != nil {
		return nil, err
	}
	return s.encoded(format, style)
}

// RenderAll returns f in every format, like [Plot.Render] for each. It arranges the plot only once, which
// takes about as long as encoding it.
func (f Plot) RenderAll(style Style) (map[ImageFormat][]byte, error) {
	s, err := f.arranged(style)
	if err != nil {
		return nil, err
	}
	images := map[ImageFormat][]byte{}
	for _, format := range ImageFormats() {
		if images[format], err = s.encoded(format, style); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// arranged returns f with the places of its texts and frames.
func (f Plot) arranged(style Style) (*sheet, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	s, err := newSheet(f, style)
	if err != nil {
		return nil, err
	}
	return s, s.arrange()
}

// encoded draws an arranged plot in a format.
func (s *sheet) encoded(format ImageFormat, style Style) ([]byte, error) {
	c := newCanvas(format, s.width, s.height, style.zoom())
	s.draw(c)
	var buf bytes.Buffer
	var err error
	if page, pixels := c.(vgimg.PngCanvas); pixels {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, page.Image())
	} else {
		_, err = c.WriteTo(&buf)
	}
	if err != nil {
		return nil, fmt.Errorf("plot: %s: %w", format, err)
	}
	if format == SVG {
		return editSVG(buf.Bytes(), style.zoom()), nil
	}
	return buf.Bytes(), nil
}

// newCanvas returns an empty page of the given size. An SVG page is enlarged at the end.
func newCanvas(format ImageFormat, width, height, zoom vg.Length) vg.CanvasWriterTo {
	var c vg.CanvasWriterTo
	switch format {
	case PDF:
		c = newPDF(width*zoom, height*zoom)
	case SVG:
		return vgsvg.New(width, height)
	default:
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width*zoom, height*zoom), vgimg.UseDPI(pngDPI))}
	}
	c.Scale(float64(zoom), float64(zoom))
	return c
}

// editSVG gives all text one list of fonts. The first fonts have the widths of Liberation Sans, and
// others are stretched to these widths. It sets round joins, since mitres overshoot at the peaks of a
// noisy line. It turns styles into attributes, because the security policy of a page refuses the
// attribute style. It enlarges the page by its size, not by its coordinates. Points of a line that are the same when
// rounded are written once.
func editSVG(svg []byte, zoom vg.Length) []byte {
	svg = regexp.MustCompile(`[\d.]+pt"`).ReplaceAllFunc(svg, func(length []byte) []byte {
		points, _ := strconv.ParseFloat(string(length[:len(length)-3]), 64) // digits by the expression
		return fmt.Appendf(nil, `%.5gpt"`, points*float64(zoom))
	})
	const family = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"
	svg = bytes.ReplaceAll(svg, []byte(family), nil)
	svg = bytes.Replace(svg, []byte("<g "), []byte(`<g font-family="Liberation Sans,Arimo,Arial,Helvetica,sans-serif" `+
		`stroke-linejoin="round" `), 1)
	decimals := regexp.MustCompile(`(\.\d\d)\d+`) // keep two decimals: 1/100 pt
	attribute := regexp.MustCompile(`\s+(\w+)="([^"]*)"`)
	svg = attribute.ReplaceAllFunc(svg, func(text []byte) []byte {
		part := attribute.FindSubmatch(text)
		switch string(part[1]) {
		case "style":
		case "d":
			return withoutRepeats(decimals.ReplaceAll(text, []byte("$1")))
		default:
			return decimals.ReplaceAll(text, []byte("$1"))
		}
		var out []byte
		for property := range bytes.SplitSeq(part[2], []byte(";")) {
			name, value, _ := bytes.Cut(property, []byte(":"))
			out = fmt.Appendf(out, ` %s="%s"`, name, value)
		}
		return out
	})
	set, words := newTypesetter(), regexp.MustCompile(`font-size="([\d.]+)px"([^>]*)>([^<]*)<`)
	return words.ReplaceAllFunc(svg, func(text []byte) []byte {
		part := words.FindSubmatch(text)
		size, _ := strconv.ParseFloat(string(part[1]), 64) // digits by the expression
		width := set.width(html.UnescapeString(string(part[3])), vg.Length(size))
		return fmt.Appendf(nil, `font-size="%s"%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s<`,
			part[1], part[2], width, part[3])
	})
}

// withoutRepeats returns a path without lines to the point where a line has just ended. A path of one line keeps it,
// since it is drawn as a dot.
func withoutRepeats(path []byte) []byte {
	var out, last []byte
	for _, command := range regexp.MustCompile(`[A-Z]?[^A-Z]+|Z`).FindAll(path, -1) {
		if command[0] != 'L' || !bytes.Equal(command, last) {
			out = append(out, command...)
		}
		last = command
	}
	return out
}
