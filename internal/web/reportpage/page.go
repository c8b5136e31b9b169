package reportpage

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	texttemplate "text/template"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/rows"
	"repslab/internal/web/policy"
	"repslab/internal/wholefile"
	"repslab/proofs"
)

var (
	//go:embed parts.html
	partsHTML string
	//go:embed page.html
	pageHTML string
	//go:embed details.html
	detailsHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed montage.html
	montageHTML string
	//go:embed montage.css
	montageCSS string
	//go:embed figures.tex.tmpl
	figuresTeX string
)

// page holds the contents of the templates.
type page struct {
	Title    string
	Details  bool // page is the one with all claims and steps
	Policy   string
	Style    template.CSS
	Script   template.JS
	Versions []string
	Claims   claims.Scorecard  // claims of the paper
	MRC      claims.Scorecard  // statements about MRC
	Own      claims.Scorecard  // statements of our own
	Results  []tally           // number of results by grade
	Others   []tally           // number of claims that are not counted as results
	Commands map[string]string // commands of the figures that are made
	Figures  []section
	Missing  []string // ids of figures that are not made
	all      []string // ids of all figures, in their order
	Steps    []proofs.Step
	Recorded map[string]proofs.Verdict // recorded verdicts of the steps
}

// section is the part of the page about a figure.
type section struct {
	engine.Manifest
	Picture template.HTMLAttr // attribute src of the plot; empty for a table of the paper
	Panels  string            // places of the panels in the plot, see panelsOf
	CSV     []string          // names of the figure's tables
	Claims  claims.Scorecard
}

// tally counts the claims or steps with a verdict.
type tally struct {
	Verdict string
	Count   int
	Percent float64
}

// Write writes dir/report.html, dir/details.html, dir/montage.html and dir/figures.tex about the figures
// in dir. Without figures it writes nothing.
func Write(dir string, all []engine.Figure) error {
	p, err := read(dir, all)
	if err != nil || len(p.Figures) == 0 {
		return err
	}
	var report, details, montage, tex bytes.Buffer
	err = cmp.Or(p.render(&report, "REPS, reproduced", pageHTML, pageCSS, pageJS),
		p.render(&details, "All claims, and the proof", detailsHTML, pageCSS, pageJS),
		p.render(&montage, "All figures at the size of print", montageHTML, montageCSS, ""), p.latex(&tex))
	if err != nil {
		return fmt.Errorf("reportpage: %w", err)
	}
	for name, data := range map[string]*bytes.Buffer{"report.html": &report, "details.html": &details,
		"montage.html": &montage, "figures.tex": &tex} {
		if err := wholefile.Write(filepath.Join(dir, name), data.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// microsecond matches spellings of the unit that the page does not use.
var microsecond = regexp.MustCompile(`\bus\b|μs`)

// render fills a template.
func (p page) render(out io.Writer, title, html, css, js string) error {
	p.Title, p.Details = title, html == detailsHTML
	p.Style, p.Script, p.Policy = template.CSS(css), template.JS(js), policy.Of(css, js)
	var page bytes.Buffer
	if err := template.Must(template.New("").Funcs(functions).Funcs(template.FuncMap{"order": p.order}).Parse(partsHTML+html)).Execute(&page, p); err != nil {
		return err
	}
	_, err := out.Write(microsecond.ReplaceAll(page.Bytes(), []byte("µs")))
	return err
}

// latex fills the template of figures.tex.
func (p page) latex(out io.Writer) error {
	functions := texttemplate.FuncMap{"latex": rows.LaTeXText}
	return texttemplate.Must(texttemplate.New("").Delims("<<", ">>").Funcs(functions).Parse(figuresTeX)).Execute(out, p)
}

// read gathers the contents of dir about the given figures.
func read(dir string, all []engine.Figure) (page, error) {
	var p page
	manifests, err := engine.ReadManifests(dir, all)
	if err != nil {
		return p, err
	}
	cards := engine.Scorecards(manifests)
	p.Claims, p.MRC, p.Own = cards.Paper, cards.MRC, cards.Own
	found := lists.Map(p.Claims, group)
	results := slices.Index(groups(), string(claims.Undecided)) + 1
	counted := lists.Where(found, func(g string) bool { return slices.Index(groups(), g) < results })
	p.Results = tallies(groups()[:results], counted)
	p.Others = slices.DeleteFunc(tallies(groups()[results:], found), func(t tally) bool { return t.Count == 0 })
	p.Commands = map[string]string{}
	for _, r := range manifests {
		if p.all = append(p.all, r.ID); !r.Made() {
			p.Missing = append(p.Missing, r.ID)
			continue
		}
		s, err := p.section(filepath.Join(dir, r.ID), r)
		if err != nil {
			return p, fmt.Errorf("reportpage: %s: %w; make the figure again", r.ID, err)
		}
		p.Figures = append(p.Figures, s)
		p.Commands[r.ID] = r.Command
		if !slices.Contains(p.Versions, r.Version) {
			p.Versions = append(p.Versions, r.Version)
		}
	}
	p.Recorded, err = proofs.Recorded() // the tests of package proofs check the table
	p.Steps = proofs.Steps()
	return p, err
}

// tallies counts how often each of some verdicts occurs.
func tallies[V ~string](verdicts, found []V) []tally {
	return lists.Map(verdicts, func(v V) tally {
		n := 0
		for _, f := range found {
			if f == v {
				n++
			}
		}
		return tally{string(v), n, 100 * float64(n) / float64(len(found))}
	})
}

// section returns the section about a figure with its files in dir.
func (p *page) section(dir string, r engine.Manifest) (section, error) {
	s := section{Manifest: r}
	for _, name := range slices.Concat(r.Plots, r.Tables) {
		switch filepath.Ext(name) {
		case ".csv":
			s.CSV = append(s.CSV, name)
		case ".svg":
			data, err := fs.ReadFile(os.DirFS(dir), name)
			if err != nil {
				return s, err
			}
			s.Picture, s.Panels = picture(data), panelsOf(data)
		}
	}
	s.Claims = slices.DeleteFunc(slices.Concat(p.Claims, p.MRC, p.Own), func(e claims.Entry) bool { return e.Figure != r.ID })
	return s, nil
}

// inURL escapes the characters of an SVG that have a meaning in a data URL or in the attribute around it.
// It also escapes tags, so that a search for tags finds only tags of the page. Browsers accept all other
// characters, and base64 would take more room.
var inURL = strings.NewReplacer("<", "%3C", ">", "%3E", "%", "%25", "#", "%23", "'", "%27", "&", "%26", "\n", "%0A", "\r", "%0D", "\t", "%09")

// picture returns the attribute of an image that shows an SVG. An image runs no script
// and loads no file, whatever the SVG contains.
func picture(svg []byte) template.HTMLAttr {
	return template.HTMLAttr("src='data:image/svg+xml," + inURL.Replace(string(svg)) + "'")
}
