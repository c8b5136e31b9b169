package reportpage

import (
	"bytes"
	"html"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/figures"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
)

// folder returns a folder as reproduce fills it, with small plots and findings
// that take the verdicts in turn, of the figures with the given ids.
func folder(t testing.TB, ids ...string) string {
	t.Helper()
	dir := t.TempDir()
	turn := 0
	for _, f := range figures.All() {
		if !slices.Contains(ids, f.ID) {
			continue
		}
		if err := engine.Write(dir, f, output(f, &turn), engine.Provenance{Version: "1.2.3", Seed: 1, Fresh: true, Style: "acm"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, figures.All()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// output returns a made-up result of a figure.
func output(f engine.Figure, turn *int) engine.Output {
	grades := []claims.Grade{claims.Reproduced, claims.Contradicted, claims.Undecided, claims.Direction, claims.FarSmaller, claims.InPart, claims.FarLarger}
	number := func(key string) frame.Column { return frame.Column{Key: key, Numeric: true} }
	numbers := frame.Table{Columns: []frame.Column{number("n"), number("load")}}
	line := plot.Series{Name: "load & <more>"}
	for i := range 500 {
		x, y := float64(i), math.Sin(float64(i)/25)
		numbers.Rows = append(numbers.Rows, []any{x, y})
		line.X, line.Y = append(line.X, x), append(line.Y, y)
	}
	out := engine.Output{
		Tables: []frame.Table{numbers, {Name: "small", Columns: numbers.Columns, Rows: numbers.Rows[:2]}},
		Notes:  []string{"Set-up of " + f.ID + " with <b>signs</b> & 5 % of it."},
	}
	if f.ID == "tab01" {
		out.Tables[0].Rows = out.Tables[0].Rows[:5]
	} else {
		out.Plot = &plot.Plot{Columns: plot.Double, Height: 1, Panels: [][]plot.Panel{{
			{Title: f.ID, XLabel: "Bins n", YLabel: "Load", Series: []plot.Series{line}}, {Series: []plot.Series{line}, Y: plot.Axis{Min: new(-2.0)}},
		}}}
	}
	for _, c := range claims.Statements() {
		if c.Figure != f.ID {
			continue
		}
		grade := grades[*turn%len(grades)]
		if c.Kind != claims.Result && c.Kind != claims.Arithmetic {
			grade = claims.Grade(c.Kind)
		}
		out.Findings = append(out.Findings, claims.Finding{Claim: c.ID, Grade: grade,
			Measured: "measured for " + c.ID, Runs: 5, Low: new(-1.0), High: new(float64(*turn)), Why: "a note on " + c.ID})
		*turn++
	}
	return out
}

// contents returns a file of a folder.
func contents(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestWrite: every claim and every made figure is on the page, a claim or figure not made
// is named with its command, and the same folder gives the same bytes.
func TestWrite(t *testing.T) {
	ids := []string{"tab01", "fig02", "crosscheck"}
	dir := folder(t, ids...)
	html := contents(t, dir, "report.html")
	for _, c := range claims.Statements() {
		if n := strings.Count(html, `id="`+c.ID+`"`); n != 1 {
			t.Errorf("%s is %d times on the page", c.ID, n)
		}
	}
	for _, f := range figures.All() {
		if want := slices.Contains(ids, f.ID); strings.Contains(html, `<article id="`+f.ID+`"`) != want {
			t.Errorf("%s on the page: want %v", f.ID, want)
		}
	}
	for _, want := range []string{"Not made in this folder: fig03,", "<code>repslab reproduce fig17</code>", "<code>repslab reproduce tab01 --fresh", "&lt;b&gt;signs&lt;/b&gt; &amp; 5 %", `<a href="fig02/fig02-small.csv">`, `<a href="fig02/notes.md" aria-label="set-up of fig02">`, "measured for N017", "a note on N017"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// fig02 is among the pictures too.
	if n := strings.Count(html, "src='data:image/svg+xml,"); n != 3 || strings.Count(html, "src=") != n {
		t.Errorf("%d pictures, want 3 and nothing else that is loaded", n)
	}
	page := regexp.MustCompile("src='[^']*'").ReplaceAllString(html, "")
	for _, forbidden := range []string{"http:", "https:", "<b>signs", "style="} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
	if err := Write(dir, figures.All()); err != nil {
		t.Fatal(err)
	}
	if contents(t, dir, "report.html") != html {
		t.Error("written again the page differs")
	}
}

// TestRows: a claim's row has the paper's sentence, both sides' values and the grade with its reason.
func TestRows(t *testing.T) {
	html := contents(t, folder(t, "tab01", "fig02", "fig08"), "details.html")
	row := regexp.MustCompile(`(?s)<tbody role="rowgroup" id="N029".*?</tbody>`).FindString(html)
	for _, want := range []string{"each queue is kept below Kmin", "(line 452)", "all below Kmin after convergence", "measured for N029",
		"23.4 packets [20, 30], 5 seeds", "contradict the paper", "accepted: longest queue: at most 20", "result known then: yes.", `href="report.html#fig02"`, "a note on N029", "share of arrivals",
		"<code>repslab reproduce fig02 --fresh --seed 1"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row of N029 lacks %q:\n%s", want, row)
		}
	}
}

// TestMRC: the statements about MRC have their own rows, with the measured value and the rule, and a list
// beside their figure. The figure counts as beyond the paper, and no count of the paper's claims includes
// them.
func TestMRC(t *testing.T) {
	dir := folder(t, "fig02", "mrc")
	html, report := contents(t, dir, "details.html"), contents(t, dir, "report.html")
	row := regexp.MustCompile(`(?s)<tr role="row" class="item mrc" id="M2".*?</tr>`).FindString(html)
	for _, want := range []string{"one that loses one of 4 at 75 %", "(authors)", "measured for M2", "A note on M2.", "72.5 to 77.5 % with 4", "reproduce mrc"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row of M2 lacks %q:\n%s", want, row)
		}
	}
	for _, want := range []string{"makes 118 claims", `aria-label="Claims that mrc decides"`, `Beyond the paper: <a href="#mrc">mrc</a>`,
		"Of the 118 claims 7 are results", "Of 8 results, ", "Arithmetic on given constants counts apart: 1 "} {
		if !strings.Contains(report, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestOwnStatements: statements of our own have a section and a link if there are some.
func TestOwnStatements(t *testing.T) {
	dir := folder(t, "fig02")
	p, err := read(dir, figures.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []claims.Scorecard{nil, {{Claim: claims.Claim{ID: "R1", Quote: "Two balancers are alike.", Section: "repslab"}}}} {
		p.Own = own
		var page bytes.Buffer
		if err := p.render(&page, "", detailsHTML, "", ""); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`<li><a href="#own">Our own statements</a></li>`, `<section id="own"`, `id="R1"`, "Two balancers are alike.", "scorecard-own.csv"} {
			if strings.Contains(page.String(), part) != (own != nil) {
				t.Errorf("%d own statements: %s on the page: %v", len(own), part, own == nil)
			}
		}
	}
}

// TestFirstPage: every segment of the bar has a tile that names and explains it and counts the claims of
// the table. A claim that differs from the paper is in plain words, with the reason as a sentence. The
// headline of the proof separates the paper's steps from repeated and added steps.
func TestFirstPage(t *testing.T) {
	dir := folder(t, "tab01", "fig02", "fig08")
	html, details := contents(t, dir, "report.html"), contents(t, dir, "details.html")
	var segments, tiles []string
	for _, m := range regexp.MustCompile(`<svg class="([^"]*)" width`).FindAllStringSubmatch(html, -1) {
		segments = append(segments, m[1])
	}
	for _, m := range regexp.MustCompile(`<li class="tile ([^"]*)"><strong>(\d+)</strong>.* <span class="words">[^<]{10}`).FindAllStringSubmatch(html, 7) {
		tiles = append(tiles, m[1])
		if n := strings.Count(details, `class="item" data-verdict="`+m[1]+`"`); m[2] != strconv.Itoa(n) {
			t.Errorf("the tile %s counts %s claims, the table has %d", m[1], m[2], n)
		}
	}
	if len(tiles) != 7 || !slices.Equal(segments, tiles) {
		t.Errorf("segments %q, tiles %q", segments, tiles)
	}
	for _, want := range []string{"<b>REPS soon keeps every queue shorter than the length at which marking starts.</b> A note on N029; the authors&#39; own runs contradict the paper.",
		"<dfn>REPS</dfn>", "<dt>ECMP, ",
		"79 steps: 46 hold, 10 hold on a smaller domain, 3 are misprinted, 15 are not justified, 5 are false",
		"of 23 steps repeated for it 1 holds, 22 are false", "29 more, of a stronger theorem: 28 hold, 1 is open",
		`<a href="details.html#step-E9">E9</a> the overall expectation`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, g := range groups() {
		if brief(g) == "" {
			t.Errorf("the group %q has no explanation", g)
		}
	}
}

// TestWriteNothing: an empty folder stays so.
func TestWriteNothing(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, figures.All()); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("an empty folder holds %v", entries)
	}
}

// TestPictures: a browser reads every picture as the bytes of its file, which cannot escape from the
// attribute, and data files equal the files on disk.
func TestPictures(t *testing.T) {
	dir := folder(t, "fig15")
	for _, svg := range []string{
		contents(t, dir, "fig15/fig15.svg"),
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox=\"0 0 9 9\">\n\t<text>50%23 &amp; &#60;</text>\r\n</svg>",
		`'><script>alert(1)</script>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "fig15", "fig15.svg"), []byte(svg), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir, figures.All()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"report.html", "montage.html"} {
			found := regexp.MustCompile(`<img alt="[^"]*" src='data:image/svg\+xml,([^']*)'>`).FindStringSubmatch(contents(t, dir, name))
			if found == nil || strings.ContainsAny(found[1], "#&\n\r\t") {
				t.Fatalf("%s has no picture, or one with a character that means something else", name)
			}
			if got, err := url.PathUnescape(found[1]); err != nil || got != svg {
				t.Errorf("%s shows %.200q, want %.200q", name, got, svg)
			}
		}
	}
}

// wordsOf returns the words of a page, including words in folded parts.
func wordsOf(page string) []string {
	page = regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(page, "")
	return strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")))
}

// TestLength: the report of all figures has at most 15,000 words and one way to write microseconds. The report is in
// the folder REPSLAB_REPORT, or is made with claims of the usual number of words.
func TestLength(t *testing.T) {
	dir := os.Getenv("REPSLAB_REPORT")
	if dir == "" {
		dir = t.TempDir()
		for _, f := range figures.All() {
			out := output(f, new(int))
			out.Plot, out.Tables = nil, nil
			out.Notes[0] = strings.Repeat("word ", 24) + "word."
			for i := range out.Findings {
				out.Findings[i].Measured = "100 us" + strings.Repeat(" word", 13)
				out.Findings[i].Why = strings.Repeat(" word", 18)
			}
			if err := engine.Write(dir, f, out, engine.Provenance{Version: "1.2.3", Seed: 1, Style: "acm"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(dir, figures.All()); err != nil {
			t.Fatal(err)
		}
	}
	words := wordsOf(contents(t, dir, "report.html"))
	if n := len(words); n > 15000 || n < 10000 {
		t.Errorf("the report has %d words, want at most 15,000", n)
	}
	if text := strings.Join(words, " "); microsecond.MatchString(text) || !strings.Contains(text, " µs") {
		t.Errorf("the report has %q for µs", microsecond.FindString(text))
	}
}

// TestLinks: all targets of links in the report and its details exist.
func TestLinks(t *testing.T) {
	dir := folder(t, "tab01")
	if _, err := engine.WriteScorecard(dir, figures.All()); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range []string{"report.html", "details.html"} {
		for _, link := range regexp.MustCompile(`<a [^>]*href="([^"]*)"`).FindAllStringSubmatch(contents(t, dir, name), -1) {
			file, id, _ := strings.Cut(link[1], "#")
			if file == "" {
				file = name
			}
			found++
			if id == "" {
				contents(t, dir, file)
			} else if !strings.Contains(contents(t, dir, file), `id="`+id+`"`) {
				t.Errorf("%s: %s leads nowhere", name, link[1])
			}
		}
	}
	if found < 60 {
		t.Errorf("%d links", found)
	}
}

// TestPanels: the places of a plot's panels cover it, and each holds one frame and its label; a plot without panels
// side by side has none.
func TestPanels(t *testing.T) {
	line := plot.Series{X: []float64{1, 2}, Y: []float64{1, 2}, Name: "line"}
	panel := plot.Panel{Title: "(a) Panel", XLabel: "x", YLabel: "y", Series: []plot.Series{line}}
	render := func(rows ...[]plot.Panel) string {
		images, err := (&plot.Plot{Columns: plot.Double, Panels: rows, SharedLegend: true}).RenderAll(plot.ACM())
		if err != nil {
			t.Fatal(err)
		}
		return panelsOf(images[plot.SVG])
	}
	if got := render([]plot.Panel{panel}, []plot.Panel{panel}); got != "" {
		t.Errorf("panels one above the other: %q", got)
	}
	wide := panel
	wide.Wide = true
	boxes := strings.Split(render([]plot.Panel{panel, panel}, []plot.Panel{wide}), ";")
	if len(boxes) != 5 { // size, legend, three panels
		t.Fatalf("boxes %q", boxes)
	}
	var n [5][4]float64 // left, top, width, height
	for i, b := range boxes {
		for k, digits := range strings.Fields(b) {
			n[i][k], _ = strconv.ParseFloat(digits, 64)
		}
	}
	width, height := n[0][0], n[0][1]
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.2 } // four digits
	for what, holds := range map[string]bool{
		"the legend is above":               near(n[1][3], n[2][1]),
		"the first two are side by side":    n[2][0] == 0 && near(n[2][2], n[3][0]) && near(n[3][0]+n[3][2], width) && n[2][1] == n[3][1],
		"they are equally wide, within 5 %": math.Abs(n[2][2]/n[3][2]-1) < 0.05,
		"the third is as wide as the plot":  n[4][0] == 0 && near(n[4][2], width),
		"it begins where they end":          near(n[2][1]+n[2][3], n[4][1]),
		"it ends with the plot":             near(n[4][1]+n[4][3], height),
	} {
		if !holds {
			t.Errorf("not so: %s; boxes %q", what, boxes)
		}
	}
}

// TestMissingFile: an error about a missing file names the figure.
func TestMissingFile(t *testing.T) {
	dir := folder(t, "fig15")
	if err := os.Remove(filepath.Join(dir, "fig15", "fig15.svg")); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, figures.All()); err == nil || !strings.Contains(err.Error(), "fig15") || !strings.Contains(err.Error(), "make the figure again") {
		t.Errorf("error %v", err)
	}
}

// TestFiguresCompile: the document of all figures compiles.
func TestFiguresCompile(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err == nil {
		err = exec.Command("kpsewhich", "graphicx.sty").Run()
	}
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "pdflatex") {
			t.Fatal("pdflatex with graphicx is required, but there is none")
		}
		t.Skip("no pdflatex with graphicx")
	}
	dir := folder(t, "tab01", "fig15")
	cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "figures.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-2000):])
	}
	if info, err := os.Stat(filepath.Join(dir, "figures.pdf")); err != nil || info.Size() < 10000 {
		t.Errorf("figures.pdf: %v, error %v", info, err)
	}
}
