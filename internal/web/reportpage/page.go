package reportpage

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/figures"
	"repslab/internal/wholefile"
	"repslab/proofs"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed montage.html
	montageHTML string
	//go:embed montage.css
	montageCSS string
)

// plainBytes is up to which size data are in a link as they are; larger ones are
// packed.
const plainBytes = 4096

// claim is a row of the table of claims.
type claim struct {
	claims.Judged
	Interval  string // of the measurement, where it is one number
	OnPage    bool   // the figure is
	Tentative bool   // not from a full run
	Command   string // that makes it, where it is not yet made
}

// figure is a section of the page.
type figure struct {
	figures.Made
	Picture   *picture // nil for a table of the paper
	Broken    string   // why there is no picture although there is a file
	Claims    []claim
	Table     [][]string // of the paper, header first; nil where there is a picture
	Downloads []download
	Verdicts  string // of its claims, for the filter
}

// download is a table of numbers.
type download struct {
	Name   string
	Size   string
	URL    template.URL
	Packed bool
}

// step is a row of the table of the proof.
type step struct {
	proofs.Step
	Verdict proofs.Verdict
}

// tally is a number of claims or steps with a verdict.
type tally struct {
	Verdict string
	Count   int
	Percent float64
}

// page is what the templates are filled with.
type page struct {
	Policy       string
	Style        template.CSS
	Script       template.JS
	Versions     []string
	Claims       []claim
	Tally        []tally
	Tentative    int
	Figures      []figure
	Missing      []figures.Figure // not made yet
	Steps        []step
	ProofTally   []tally
	Letters      *sprite
	ClaimsJudged int
}

// Write writes dir/report.html, dir/montage.html and dir/figures.tex about the
// figures in dir. Without any it writes nothing.
func Write(dir string, all []figures.Figure) error {
	p, err := read(dir, all)
	if err != nil || len(p.Figures) == 0 {
		return err
	}
	for _, file := range []struct{ name, html, css, js string }{
		{"report.html", pageHTML, pageCSS, pageJS},
		{"montage.html", montageHTML, montageCSS, ""},
	} {
		data, err := p.render(file.html, file.css, file.js)
		if err != nil {
			return fmt.Errorf("reportpage: %s: %w", file.name, err)
		}
		if err := wholefile.Write(filepath.Join(dir, file.name), data); err != nil {
			return err
		}
	}
	return wholefile.Write(filepath.Join(dir, "figures.tex"), []byte(latex(p.Figures)))
}

// render fills a template. The policy names its style and its script by what
// they are, so that nothing else runs, and no address.
func (p page) render(html, css, js string) ([]byte, error) {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	p.Style, p.Script = template.CSS(css), template.JS(js)
	p.Policy = "default-src 'none'; img-src data:; style-src " + hash(css) + "; base-uri 'none'; form-action 'none'"
	if js != "" {
		p.Policy += "; script-src " + hash(js)
	}
	t, err := template.New("page").Funcs(template.FuncMap{"slug": slug}).Parse(html)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// slug returns a verdict as the name of a class.
func slug(verdict any) string { return strings.ReplaceAll(fmt.Sprint(verdict), " ", "-") }

// read gathers what dir holds of the given figures.
func read(dir string, all []figures.Figure) (page, error) {
	p := page{Letters: &sprite{}}
	made, err := figures.ReadMade(dir, all)
	if err != nil {
		return p, err
	}
	if err := p.judge(dir, figures.Deciders(all)); err != nil {
		return p, err
	}
	onPage := map[string]bool{}
	for _, m := range made {
		f, err := p.figure(m)
		if err != nil {
			return p, err
		}
		p.Figures = append(p.Figures, f)
		onPage[m.ID] = true
		if len(p.Versions) == 0 || p.Versions[len(p.Versions)-1] != m.Version {
			p.Versions = append(p.Versions, m.Version)
		}
	}
	for i := range p.Claims {
		p.Claims[i].OnPage = onPage[p.Claims[i].Recorded.Figure]
	}
	for _, f := range all {
		if !onPage[f.ID] {
			p.Missing = append(p.Missing, f)
		}
	}
	return p, p.prove()
}

// judge fills the table of claims.
func (p *page) judge(dir string, deciders []claims.Decider) error {
	scorecard, err := claims.Scorecard(dir, deciders)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, c := range scorecard {
		row := claim{Judged: c}
		if c.Made() {
			row.Interval, row.Tentative = interval(c.Recorded), c.Recorded.Final != "true"
		} else {
			row.Command = "repslab reproduce " + c.Recorded.Figure
		}
		if row.Tentative {
			p.Tentative++
		}
		counts[row.Recorded.Verdict]++
		p.Claims = append(p.Claims, row)
	}
	var verdicts []string
	for _, v := range []claims.Verdict{claims.Reproduced, claims.Differs, claims.NotModelled, claims.NotMade} {
		verdicts = append(verdicts, string(v))
	}
	p.Tally = tallies(verdicts, counts, len(scorecard))
	p.ClaimsJudged = len(scorecard) - counts[string(claims.NotMade)]
	return nil
}

// tallies counts verdicts, also those that nothing got.
func tallies(verdicts []string, counts map[string]int, all int) []tally {
	var list []tally
	for _, v := range verdicts {
		list = append(list, tally{v, counts[v], 100 * float64(counts[v]) / float64(all)})
	}
	return list
}

// prove fills the table of the proof with the recorded verdicts, which the tests
// of package proofs hold against what its checks find.
func (p *page) prove() error {
	recorded, err := proofs.Recorded()
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, s := range proofs.Steps() {
		p.Steps = append(p.Steps, step{s, recorded[s.ID]})
		counts[string(recorded[s.ID])]++
	}
	var verdicts []string
	for _, v := range proofs.Verdicts() {
		verdicts = append(verdicts, string(v))
	}
	p.ProofTally = tallies(verdicts, counts, len(p.Steps))
	return nil
}

// interval returns the interval of a finding with four digits, or nothing where
// there is none.
func interval(r claims.Recorded) string {
	low, errLow := strconv.ParseFloat(r.Low, 64)
	high, errHigh := strconv.ParseFloat(r.High, 64)
	if cmp.Or(errLow, errHigh) != nil || low == high {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprintf("%.4g to %.4g", low, high), "-", "\u2212")
}

// figure makes a section of a figure.
func (p *page) figure(m figures.Made) (figure, error) {
	f := figure{Made: m}
	if m.SVG != nil {
		// A picture of another version is no fault of this run.
		if drawn, err := p.Letters.take(m.SVG); err != nil {
			f.Broken = err.Error()
		} else {
			f.Picture = &drawn
		}
	}
	verdicts := map[string]bool{}
	for _, c := range p.Claims {
		if c.Recorded.Figure == m.ID && c.Made() {
			f.Claims = append(f.Claims, c)
			verdicts[slug(c.Recorded.Verdict)] = true
		}
	}
	for _, t := range p.Tally {
		if verdicts[slug(t.Verdict)] {
			f.Verdicts = strings.TrimSpace(f.Verdicts + " " + slug(t.Verdict))
		}
	}
	for _, data := range m.Data {
		d, err := link(data)
		if err != nil {
			return f, err
		}
		f.Downloads = append(f.Downloads, d)
	}
	if m.SVG == nil && len(m.Data) > 0 {
		lines, err := csv.NewReader(bytes.NewReader(m.Data[0].CSV)).ReadAll()
		if err != nil {
			return f, fmt.Errorf("reportpage: %s: %w", m.Data[0].Name, err)
		}
		f.Table = lines
	}
	return f, nil
}

// link returns data as a link that holds them. Larger ones are packed; the
// page's script unpacks them, and without it one gets a .csv.gz.
func link(data figures.DataFile) (download, error) {
	d := download{Name: data.Name, Size: fmt.Sprintf("%.1f kB", float64(len(data.CSV))/1000)}
	if len(data.CSV) <= plainBytes {
		d.URL = template.URL("data:text/csv;charset=utf-8," + url.PathEscape(string(data.CSV)))
		return d, nil
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return d, err
	}
	if _, err := w.Write(data.CSV); err != nil {
		return d, err
	}
	if err := w.Close(); err != nil {
		return d, err
	}
	d.Packed = true
	d.URL = template.URL("data:application/gzip;base64," + base64.StdEncoding.EncodeToString(packed.Bytes()))
	return d, nil
}
