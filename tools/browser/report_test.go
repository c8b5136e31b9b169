package browser

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// visible counts the items of a section that are to be seen.
func visible(p *Page, section string) int {
	return Eval[int](p, fmt.Sprintf(`[...document.querySelectorAll('#%s .item')].filter(e => e.checkVisibility()).length`, section))
}

// choose takes an option of the list with an id.
func choose(p *Page, id, value string) {
	Eval[bool](p, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); return true; })()`, id, value))
}

// reproduced returns a folder that the command has filled with three figures, which take
// some seconds.
func reproduced(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/repslab", "reproduce", "-o", dir, "tab01", "fig02", "crosscheck")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("reproduce: %v\n%s", err, out)
	}
	return dir
}

// TestReportInBrowser uses the report as a person does: opened from disk, looked
// at in light and dark, on a desk and on a phone, searched, filtered, by mouse and
// by keyboard, its data saved, printed. REPSLAB_REPORT names a folder that reproduce
// has filled with all figures; without it a folder of three figures is made.
func TestReportInBrowser(t *testing.T) {
	dir := os.Getenv("REPSLAB_REPORT")
	p := Open(t)
	if dir == "" {
		dir = reproduced(t)
	}
	p.Dark(false)
	p.LoadFile(filepath.Join(dir, "report.html"))
	for _, look := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"desk", 1280, 800, false}, {"desk-dark", 1280, 800, true}, {"phone", 390, 844, false}, {"phone-dark", 390, 844, true}} {
		t.Run(look.name, func(t *testing.T) {
			p.Resize(look.width, look.height)
			p.Dark(look.dark)
			Eval[bool](p, `(scrollTo({top: 0, behavior: 'instant'}), true)`)
			p.Screenshot(t, look.name, false)
			Eval[bool](p, `(document.querySelector('article.figure:nth-of-type(2)').scrollIntoView({behavior: 'instant'}), true)`)
			p.Screenshot(t, look.name+"-figure", false)
			p.CheckAccess(t)
		})
	}
	p.Resize(1280, 800)
	p.Dark(false)

	t.Run("dark by choice", func(t *testing.T) { testDark(t, p) })
	t.Run("folded", func(t *testing.T) { testFolded(t, p) })
	t.Run("search", func(t *testing.T) { testSearch(t, p) })
	t.Run("filter", func(t *testing.T) { testFilter(t, p) })
	t.Run("claim", func(*testing.T) { testClaim(p) })
	t.Run("panels", func(t *testing.T) { testPanels(t, p) })
	t.Run("keyboard", func(t *testing.T) { testKeyboard(t, p) })
	t.Run("notes", func(t *testing.T) { testUnfold(t, p) })
	t.Run("print", func(t *testing.T) { testPrint(t, p, "report") })
	t.Run("details", func(t *testing.T) { testDetails(t, p, dir) })
	t.Run("montage", func(t *testing.T) { testMontage(t, p, dir) })
	p.CheckQuiet("file://" + dir)
	for _, address := range p.Requests() {
		if strings.HasPrefix(address, "file:") && !strings.HasSuffix(address, ".html") {
			t.Errorf("the page asks for %s", address)
		}
	}
}

// testDark chooses the dark colours by hand.
func testDark(t *testing.T, p *Page) {
	colour := `getComputedStyle(document.body).backgroundColor`
	light := Eval[string](p, colour)
	choose(p, "colours", "dark")
	if dark := Eval[string](p, colour); dark == light {
		t.Errorf("the page stays %s", light)
	}
	choose(p, "colours", "")
}

// testUnfold opens all folds at once.
func testUnfold(t *testing.T, p *Page) {
	p.Click("#unfold")
	if closed := Eval[int](p, `document.querySelectorAll('main details:not([open])').length`); closed != 0 {
		t.Errorf("%d notes stay closed", closed)
	}
	p.CheckAccess(t)
	p.Click("#unfold")
}

// testPrint prints a page, to a file and on paper.
func testPrint(t *testing.T, p *Page, name string) {
	if pdf := p.PDF(t, name); len(pdf) < 20000 {
		t.Errorf("%d bytes of PDF", len(pdf))
	}
	p.Print()
	p.Resize(794, 1123) // A4
	if narrow := Eval[float64](p, `Math.min(...[...document.querySelectorAll('#claims td:not([colspan])')].map(e => e.getBoundingClientRect().width), 99)`); narrow < 30 {
		t.Errorf("a column of the printed table is %v px wide", narrow)
	}
	p.Resize(1280, 800)
	if Eval[bool](p, `document.getElementById('filter').checkVisibility()`) {
		t.Error("the filter is printed")
	}
	p.Dark(false)
}

// testFolded looks at the page as it is opened: claims stand beside their figure, and the page is short.
func testFolded(t *testing.T, p *Page) {
	if beside := Eval[bool](p, `(([plot, claims]) => plot.right < claims.left && claims.top < plot.bottom)(['.plot', '.findings'].map(s => document.querySelector('#fig02 ' + s).getBoundingClientRect()))`); !beside {
		t.Error("the claims of fig02 are not beside its plot")
	}
	figures := visible(p, "figures")
	if height := Eval[int](p, `document.documentElement.scrollHeight`); height > 12000+900*figures {
		t.Errorf("the page with %d figures is %d px high", figures, height)
	}
}

// testPanels looks at the figures on a phone: panels that lie side by side are stacked, each as wide as the window,
// and none shows what lies beside it.
func testPanels(t *testing.T, p *Page) {
	p.Resize(390, 844)
	defer p.Resize(1280, 800)
	Eval[bool](p, `(document.getElementById('fig02').scrollIntoView({behavior: 'instant'}), true)`)
	p.Wait(`[...document.querySelectorAll('#fig02 .panels img')].every(e => e.complete)`)
	p.Screenshot(t, "panels", false)
	panels := Eval[[][]float64](p, `[...document.querySelectorAll('#fig02 .panels div')].map(e => e.getBoundingClientRect()).map(r => [r.top, r.width, r.height])`)
	if len(panels) != 5 { // the legend and four panels
		t.Fatalf("fig02 has %d parts, want 5", len(panels))
	}
	for i, panel := range panels {
		if panel[1] < 300 || panel[2] < 10 || i > 0 && panel[0] < panels[i-1][0]+panels[i-1][2] {
			t.Errorf("part %d of fig02 has top, width and height %v; the one before %v", i, panel, panels[max(0, i-1)])
		}
	}
	if Eval[bool](p, `document.querySelector('#fig02 .plot > img').checkVisibility()`) {
		t.Error("fig02 is also shown whole")
	}
}

// testSearch searches for a word on a desk and on a phone: the match is scrolled into view, unfolded and
// marked; Enter goes on to the next place; Escape folds all again.
func testSearch(t *testing.T, p *Page) {
	open := `document.querySelectorAll('main details[open]').length`
	marked := `CSS.highlights.get('found').size`
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		Eval[bool](p, `(scrollTo({top: 0, behavior: 'instant'}), true)`)
		p.Type("#find", "n029")
		p.Wait(`(([match, form]) => match.top >= form.bottom && match.bottom < innerHeight)([
			[...document.querySelectorAll('#fig02 .findings [open]')].find(e => e.textContent.includes('N029')), document.getElementById('filter')
		].map(e => e.getBoundingClientRect()))`)
		p.Screenshot(t, fmt.Sprintf("search-%d", width), false)
		p.Press("\u001b")
		p.Type("#find", "queue")
		p.Wait(marked + ` > 1`)
		places, before := Eval[int](p, marked), Eval[float64](p, `scrollY`)
		for range min(places-1, 20) {
			p.Press("\r")
		}
		if after := Eval[float64](p, `scrollY`); after <= before {
			t.Errorf("Enter goes from %v to %v", before, after)
		}
		p.Press("\u001b")
		if n, m := Eval[int](p, marked), Eval[int](p, open); n+m != 0 {
			t.Errorf("after Escape %d places are marked and %d folds are open", n, m)
		}
	}
	p.Resize(1280, 800)
}

// testFilter searches and filters, and checks that what is shown is what the page
// says, and that nothing that should be shown is hidden.
func testFilter(t *testing.T, p *Page) {
	shown := func() int {
		return Eval[int](p, `[...document.querySelectorAll('.findings > li[id^=N]')].filter(e => e.checkVisibility()).length`)
	}
	all, figures, sum := shown(), visible(p, "figures"), 0
	for _, grade := range Eval[[]string](p, `[...document.getElementById('grade').options].map(e => e.value).slice(1)`) {
		choose(p, "grade", grade)
		n := shown()
		sum += n
		if want := Eval[int](p, `Number(document.querySelector('.tile.`+grade+` strong')?.textContent ?? `+fmt.Sprint(n)+`)`); n != want {
			t.Errorf("%s: %d claims are shown, the summary says %d", grade, n, want)
		}
		if status := Eval[string](p, `document.getElementById('found').textContent`); !strings.HasPrefix(status, fmt.Sprintf("%d of %d figures", visible(p, "figures"), figures)) {
			t.Errorf("%s: the page says %q", grade, status)
		}
	}
	if sum != all || all == 0 {
		t.Errorf("by grade %d claims are shown, want %d", sum, all)
	}
	choose(p, "grade", "")
	p.Type("#find", "n029 KMIN")
	if n := visible(p, "figures"); n != 1 {
		t.Errorf("%d figures hold n029 and kmin, want 1", n)
	}
	p.Type("#find", " no such word")
	if n := visible(p, "figures"); n != 0 || !Eval[bool](p, `document.querySelector('#figures .none').checkVisibility()`) {
		t.Errorf("%d figures are shown where nothing matches, or the page does not say so", n)
	}
	p.Screenshot(t, "nothing", false)
	p.Click(".contents summary")
	p.Click(".contents a[href='#tab01']")
	p.Wait(`document.querySelector('#tab01').checkVisibility()`)
	if n := visible(p, "figures"); n != figures {
		t.Errorf("after a link to what was hidden %d figures are shown, want %d", n, figures)
	}
}

// testClaim goes from the summary to a claim by one click, which unfolds it.
func testClaim(p *Page) {
	Eval[bool](p, `([...document.querySelectorAll('#holds details')].forEach(e => { e.open = true; }), true)`)
	p.Click(".listed a[href='#N029']")
	p.Wait(`(r => r.top >= 0 && r.top < innerHeight)(document.getElementById('N029').getBoundingClientRect())`)
	p.Wait(`document.querySelector('#N029 a[href="details.html#N029"]').checkVisibility()`) // unfolded, a moment later
	Eval[bool](p, `([...document.querySelectorAll('main details')].forEach(e => { e.open = false; }), true)`)
}

// testDetails uses the page of all claims and steps.
func testDetails(t *testing.T, p *Page, dir string) {
	p.LoadFile(filepath.Join(dir, "details.html"))
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		p.Screenshot(t, fmt.Sprintf("details-%d", width), false)
		p.CheckAccess(t)
	}
	p.Resize(1280, 800)
	testSort(t, p)
	if n := visible(p, "claims"); n != 118 {
		t.Errorf("%d claims are shown, want 113", n)
	}
	choose(p, "says", "contradicts")
	if n, want := visible(p, "claims"), Eval[int](p, `document.querySelectorAll('#claims [data-says=contradicts]').length`); n != want || n == 0 {
		t.Errorf("%d claims are shown that the authors' runs contradict, want %d", n, want)
	}
	choose(p, "says", "")
	choose(p, "steps", "false")
	if n := visible(p, "proof"); n == 0 || n >= 98 {
		t.Errorf("%d false steps are shown", n)
	}
	choose(p, "steps", "")
	p.Type("#find", "n017 RING")
	if n := visible(p, "claims"); n != 1 {
		t.Errorf("%d claims hold n017 and ring, want 1", n)
	}
	p.Press("\u001b") // Escape
	p.Click("#N029 summary")
	if !Eval[bool](p, `document.querySelector('#N029 .command code').checkVisibility()`) {
		t.Error("the fold of a row lacks the command")
	}
	testUnfold(t, p)
	testPrint(t, p, "details")
}

// testSort sorts the claims by each column that has a button, both ways.
func testSort(t *testing.T, p *Page) {
	order := func(key string) []int {
		return Eval[[]int](p, `[...document.querySelectorAll('#claims .item')].map(e => Number(e.dataset.`+key+` ?? e.id.slice(1)))`)
	}
	first := order("claim")
	for _, key := range []string{"grade", "authors", "figure", "claim"} {
		button := `#claims th[data-key="` + key + `"] button`
		p.Click(button)
		up := order(key)
		p.Click(button)
		down := order(key)
		slices.Reverse(down)
		if len(up) != 118 || up[0] == up[117] || !slices.IsSorted(up) || !slices.IsSorted(down) {
			t.Errorf("%s: upwards %v, downwards in reverse %v", key, up, down)
		}
		if sort := Eval[string](p, `[...document.querySelectorAll('#claims th')].map(e => e.ariaSort ?? '').join('')`); sort != "descending" {
			t.Errorf("%s: the columns say %q", key, sort)
		}
	}
	p.Click(`#claims th[data-key="claim"] button`)
	if !slices.Equal(order("claim"), first) {
		t.Error("sorted by claim the order is not the paper's")
	}
}

// testMontage looks at all figures at the size of print.
func testMontage(t *testing.T, p *Page, dir string) {
	p.LoadFile(filepath.Join(dir, "montage.html"))
	p.Screenshot(t, "montage", true)
	p.CheckAccess(t)
	if width := Eval[float64](p, `document.querySelector('figure img').getBoundingClientRect().width`); math.Abs(width-7*96) > 0.1 {
		t.Errorf("a figure of 7 in is %v px wide, want %d", width, 7*96)
	}
	p.Resize(390, 844)
	p.CheckAccess(t)
}

// testKeyboard goes through the first stops of the page.
func testKeyboard(t *testing.T, p *Page) {
	Eval[bool](p, `(history.replaceState(null, '', location.pathname), true)`)
	stops := p.CheckFocus(t, 250)
	if len(stops) < 10 || stops[0] != "Skip to the figures" {
		t.Errorf("stops of the focus %q", stops)
	}
	if !slices.Contains(stops, "find") || !slices.Contains(stops, "unfold") {
		t.Errorf("the focus does not come to search and notes: %q", stops)
	}
}
