package reportpage

import (
	"compress/gzip"
	"encoding/base64"
	"io"
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
	"repslab/internal/plot"
	"repslab/internal/table"
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
		if err := figures.Write(dir, f, output(f, &turn), figures.Provenance{Version: "1.2.3", Seed: 1, Scale: figures.Quick, Style: "acm"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, figures.All()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// output returns a made-up result of a figure.
func output(f figures.Figure, turn *int) figures.Output {
	grades := []claims.Grade{claims.Reproduced, claims.Contradicted, claims.Undecided, claims.Direction, claims.FarSmaller, claims.InPart, claims.FarLarger}
	number := func(key string) table.Column { return table.Column{Key: key, Numeric: true} }
	numbers := table.Table{Columns: []table.Column{number("n"), number("load")}}
	line := plot.Series{Name: "load & <more>"}
	for i := range 500 {
		x, y := float64(i), math.Sin(float64(i)/25)
		numbers.Rows = append(numbers.Rows, []any{x, y})
		line.X, line.Y = append(line.X, x), append(line.Y, y)
	}
	out := figures.Output{
		Tables: []table.Table{numbers, {Name: "small", Columns: numbers.Columns, Rows: numbers.Rows[:2]}},
		Notes:  []string{"Set-up of " + f.ID + " with <b>signs</b> & 5 % of it."},
	}
	if f.ID == "tab01" {
		out.Tables[0].Rows = out.Tables[0].Rows[:5]
	} else {
		out.Plot = &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{{
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
		if !strings.Contains(html, `id="`+c.ID+`"`) {
			t.Errorf("%s is not on the page", c.ID)
		}
	}
	for _, f := range figures.All() {
		if want := slices.Contains(ids, f.ID); strings.Contains(html, `<article id="`+f.ID+`"`) != want {
			t.Errorf("%s on the page: want %v", f.ID, want)
		}
	}
	for _, want := range []string{"Not made in this folder: fig03,", "<code>repslab reproduce fig17</code>", "<code>repslab reproduce tab01 --quick", "&lt;b&gt;signs&lt;/b&gt; &amp; 5 %", "measured for N017", "a note on N017"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// fig02 is in the summary too.
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
	html := contents(t, folder(t, "tab01", "fig02", "fig08"), "report.html")
	row := regexp.MustCompile(`(?s)<tbody role="rowgroup" id="N029".*?</tbody>`).FindString(html)
	for _, want := range []string{"each queue is kept below Kmin", "(line 452)", "all below Kmin after convergence", "measured for N029",
		"23.4 packets [20, 30], 5 seeds", "contradict the paper", `href="#fig02"`, "a note on N029", "share of arrivals", `class="quick"`,
		"<code>repslab reproduce fig02 --quick --seed 1"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row of N029 lacks %q:\n%s", want, row)
		}
	}
}

// TestMRC: the statements about MRC have rows of their own, with what was measured and the rule, and a list beside
// their figure, which remains one beyond the paper; no count of the paper's claims has them.
func TestMRC(t *testing.T) {
	html := contents(t, folder(t, "fig02", "mrc"), "report.html")
	row := regexp.MustCompile(`(?s)<tr role="row" class="item mrc" id="M2".*?</tr>`).FindString(html)
	for _, want := range []string{"one that loses one of 4 at 75 %", "(authors)", "measured for M2", "A note on M2.", "72.5 to 77.5 % with 4", "reproduce mrc"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row of M2 lacks %q:\n%s", want, row)
		}
	}
	for _, want := range []string{"makes 113 claims", "Table of 11 statements", `aria-label="Claims that mrc decides"`, `<li><a href="#mrc">mrc</a>`,
		"Of the 113 claims 6 are results", "Of 8 results, ", "Arithmetic on given constants counts apart: 1 "} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestFirstPage: every segment of the bar has a tile that names and explains it and counts the table's
// claims; a claim that differs from the paper stands there in plain words with the reason as a
// sentence; all else is folded.
func TestFirstPage(t *testing.T) {
	html := contents(t, folder(t, "tab01", "fig02", "fig08"), "report.html")
	var segments, tiles []string
	for _, m := range regexp.MustCompile(`<svg class="([^"]*)" width`).FindAllStringSubmatch(html, -1) {
		segments = append(segments, m[1])
	}
	for _, m := range regexp.MustCompile(`<li class="tile ([^"]*)"><strong>(\d+)</strong>.* <span class="words">[^<]{10}`).FindAllStringSubmatch(html, 7) {
		tiles = append(tiles, m[1])
		if n := strings.Count(html, `class="item" data-verdict="`+m[1]+`"`); m[2] != strconv.Itoa(n) {
			t.Errorf("the tile %s counts %s claims, the table has %d", m[1], m[2], n)
		}
	}
	if len(tiles) != 7 || !slices.Equal(segments, tiles) {
		t.Errorf("segments %q, tiles %q", segments, tiles)
	}
	for _, want := range []string{"<b>REPS soon keeps every queue shorter than the length at which marking starts.</b> A note on N029; the authors&#39; own runs contradict the paper.",
		"<dfn>REPS</dfn>", "<dt>ECMP, ", `<details class="all"><summary>Table of 113 claims`, `<details class="all"><summary>Table of 120 steps`} {
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

// TestPictures: a browser reads every picture as the bytes of its file, which cannot get
// out of their attribute, and data files as those on disk.
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
	html := contents(t, dir, "report.html")
	packed := regexp.MustCompile(`href="data:application/gzip;base64,([^"]*)" data-name="fig15.csv"`).FindStringSubmatch(html)
	if packed == nil {
		t.Fatal("no link to fig15.csv")
	}
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(strings.ReplaceAll(packed[1], "&#43;", "+"))))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(r); err != nil || string(data) != contents(t, dir, "fig15/fig15.csv") {
		t.Errorf("fig15.csv on the page differs from the file, error %v", err)
	}
}

// TestMissingFile: a figure one of whose files is gone is named.
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
