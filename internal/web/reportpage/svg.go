package reportpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// oneColumn is up to which width, in points, a picture stands in one column of a
// paper; wider ones fill both.
const oneColumn = 300

// sprite holds the outlines of letters that the pictures of a page share, by id.
type sprite struct {
	ids      []string
	outlines map[string]string
}

// picture is an SVG made ready to stand in a page.
type picture struct {
	Markup        template.HTML // the element svg, without name and description
	ViewBox       string
	Width, Height float64 // points
}

// Wide says whether it fills both columns of a paper.
func (p picture) Wide() bool { return p.Width > oneColumn }

// drawing names the elements of a picture, and for each the attributes that it
// may have.
var drawing = map[string]string{
	"g":    " fill transform stroke-linejoin ",
	"path": " fill stroke stroke-width stroke-dasharray stroke-dashoffset d ",
	"use":  " href x y ",
}

var letterID = regexp.MustCompile(`^#?s\d+$`)

// take adds a picture's letters to the sprite and returns the rest of it. What
// package report does not write is an error, so that nothing but a drawing gets
// from a file into the page.
func (s *sprite) take(svg []byte) (picture, error) {
	var p picture
	var body strings.Builder
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	letters := false // inside defs
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, fmt.Errorf("reportpage: svg: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case name == "svg":
				p.ViewBox = attribute(t, "viewBox")
			case name == "defs":
				letters = true
			case letters:
				if err := s.add(t); err != nil {
					return p, err
				}
			default:
				if err := open(&body, t); err != nil {
					return p, err
				}
			}
		case xml.EndElement:
			switch name := t.Name.Local; {
			case name == "defs":
				letters = false
			case name == "g":
				body.WriteString("</g>")
			}
		}
	}
	size := strings.Fields(p.ViewBox)
	if len(size) == 4 {
		p.Width, _ = strconv.ParseFloat(size[2], 64)
		p.Height, _ = strconv.ParseFloat(size[3], 64)
	}
	if !(p.Width > 0 && p.Height > 0) {
		return p, fmt.Errorf("reportpage: svg: viewBox (%q) must have a width and a height", p.ViewBox)
	}
	p.Markup = template.HTML(body.String()) // only what open let through
	return p, nil
}

// attribute returns an attribute of an element, or nothing.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// add keeps the outline of a letter.
func (s *sprite) add(e xml.StartElement) error {
	id, outline := attribute(e, "id"), attribute(e, "d")
	if e.Name.Local != "path" || !letterID.MatchString(id) {
		return fmt.Errorf("reportpage: svg: element %s %q must be a letter's outline", e.Name.Local, id)
	}
	if s.outlines == nil {
		s.outlines = map[string]string{}
	}
	switch before, known := s.outlines[id]; {
	case known && before != outline:
		return fmt.Errorf("reportpage: svg: letter %s differs between pictures: they are of different versions", id)
	case !known:
		s.ids = append(s.ids, id)
		s.outlines[id] = outline
	}
	return nil
}

// Markup returns the definitions of the letters.
func (s *sprite) Markup() template.HTML {
	var b strings.Builder
	for _, id := range s.ids {
		fmt.Fprintf(&b, "<path id=\"%s\" d=\"%s\"/>\n", id, template.HTMLEscapeString(s.outlines[id]))
	}
	return template.HTML(b.String())
}

// open writes the beginning of an element of a drawing.
func open(b *strings.Builder, e xml.StartElement) error {
	allowed, known := drawing[e.Name.Local]
	if !known {
		return fmt.Errorf("reportpage: svg: element %s must be one of g, path, use", e.Name.Local)
	}
	b.WriteString("<" + e.Name.Local)
	for _, a := range e.Attr {
		name := a.Name.Local
		if !strings.Contains(allowed, " "+name+" ") || name == "href" && !letterID.MatchString(a.Value) {
			return fmt.Errorf("reportpage: svg: attribute %s=%q of %s is not one of a drawing", name, a.Value, e.Name.Local)
		}
		fmt.Fprintf(b, ` %s="%s"`, name, template.HTMLEscapeString(a.Value))
	}
	if e.Name.Local != "g" {
		b.WriteString("/")
	}
	b.WriteString(">")
	return nil
}
