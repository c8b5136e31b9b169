package browser

import (
	_ "embed"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

//go:embed access.js
var accessScript string

// CheckAccess fails the test t for everything on the page, as it is shown now,
// that shuts out readers: missing names of pictures and fields, headings out of
// order, text without contrast, what cannot be reached by keyboard, what is too
// small for a finger, what is wider than the window. With REPSLAB_AXE also for
// what axe-core finds.
func (p *Page) CheckAccess(t testing.TB) {
	t.Helper()
	for _, fault := range Eval[[]string](p, accessScript) {
		t.Errorf("access: %s", fault)
	}
	path := os.Getenv("REPSLAB_AXE")
	if path == "" {
		return
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The last value is not to be sent: it is the whole library.
	Eval[bool](p, string(script)+"\n;true")
	for _, fault := range Eval[[]string](p, `axe.run({resultTypes: ['violations']}).then(r => r.violations.flatMap(
		v => v.nodes.map(n => v.id + ' (' + v.impact + '): ' + n.target + ': ' + n.failureSummary)))`) {
		t.Errorf("axe: %s", fault)
	}
}

// stop tells of the element that has the focus: its place among those of its
// page, its name, and whether one sees that it has the focus.
type stop struct {
	Place   int    `json:"place"`
	Name    string `json:"name"`
	Visible bool   `json:"visible"`
}

// CheckFocus presses Tab from the top of the page, at most a number of times,
// and fails the test t if the focus jumps backwards in the order of reading, if
// an element that has it does not show it, or if it stays. It returns the names
// of the elements in order: their id, else their label or text.
func (p *Page) CheckFocus(t testing.TB, most int) []string {
	t.Helper()
	// Tab goes on from what had the focus last, so the page gets it first.
	Eval[bool](p, `(() => { const b = document.body; b.tabIndex = -1; b.focus(); b.removeAttribute('tabindex'); scrollTo({top: 0, behavior: 'instant'}); return true; })()`)
	var names []string
	first, last := -1, -1
	for range most {
		p.Press(kb.Tab)
		at := Eval[stop](p, `(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			return {
				place: [...document.querySelectorAll('*')].indexOf(e),
				name: e === document.body ? '' : e.id || (e.labels?.[0] ?? e).textContent.trim().slice(0, 40) || e.tagName,
				visible: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== 'none',
			};
		})()`)
		if at.Name == "" {
			return names // the focus has left the page: all was visited
		}
		if at.Place == last {
			t.Errorf("focus: stays on %q", at.Name)
			return names
		}
		if at.Place == first {
			return names // round again
		}
		if at.Place < last {
			t.Errorf("focus: jumps backwards to %q", at.Name)
			return names
		}
		if first < 0 {
			first = at.Place
		}
		if !at.Visible {
			t.Errorf("focus: %q does not show that it has the focus", at.Name)
		}
		last = at.Place
		names = append(names, at.Name)
	}
	return names
}
