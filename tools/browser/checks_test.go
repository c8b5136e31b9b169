package browser

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// record is a test that remembers what it is told instead of failing.
type record struct {
	testing.TB
	faults []string
}

func (r *record) Helper() {}
func (r *record) Errorf(format string, arguments ...any) {
	text := format
	for _, a := range arguments {
		if s, ok := a.(string); ok {
			text += " " + s
		}
	}
	r.faults = append(r.faults, text)
}

// page writes an HTML page and returns its path.
func page(t *testing.T, html string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(html), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const good = `<!doctype html><html lang=en><meta name=viewport content="width=device-width"><title>Good</title>
<style>button, input { min-height: 30px; min-width: 30px }</style>
<main><h1>Good</h1><h2>Part</h2><img alt="a dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<label>Find <input id=find></label><button id=go>Go</button>
<table><caption>Numbers</caption><tr><th scope=col>n<tr><td>1</table></main>`

const bad = `<!doctype html><html><title> </title><main><h1>Bad</h1><h3>Skipped</h3>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><input id=find><button id=go style="outline: none"></button>
<p style="color: #999">pale</p><p id=twice>a<p id=twice>b<table><tr><td>1</table><a href="#nowhere">x</a>
<p style="width: 3000px">wide</p><svg width=5 height=5></svg><div role=button>press</div><a href="#" onfocus="document.getElementById('go').focus()">back</a></main>`

// What is wrong with a page is found, each fault by its own check, and nothing
// on a page that is well made.
func TestCheckAccess(t *testing.T) {
	p := Open(t)
	p.LoadFile(page(t, good))
	p.CheckAccess(t)
	if order := p.CheckFocus(t, 10); !slices.Equal(order, []string{"find", "go"}) {
		t.Errorf("order of the focus %q, want find, go", order)
	}
	p.CheckQuiet("file://")

	p.LoadFile(page(t, bad))
	found := &record{TB: t}
	t.Setenv("REPSLAB_AXE", "")
	p.CheckAccess(found)
	p.CheckFocus(found, 10)
	all := strings.Join(found.faults, "\n")
	for _, want := range []string{"no lang", "no title", "no meta viewport", "px wide", "follows a heading of level 1", "has no alt",
		"input#find has no label", "button#go has no name", "contrast 2.85", "twice is used twice", "no header cells", "no caption",
		"#nowhere leads nowhere", "svg has neither", "cannot be reached by keyboard", "want at least 24x24", "does not show that it has the focus", "jumps backwards"} {
		if !strings.Contains(all, want) {
			t.Errorf("not found: %s\nin\n%s", want, all)
		}
	}
}

// Errors, warnings and requests to others are seen.
func TestCheckQuiet(t *testing.T) {
	p := Open(t)
	p.LoadFile(page(t, `<!doctype html><script>console.error("broken"); fetch("http://example.invalid/x"); setTimeout(() => { document.title = "late"; throw new Error("thrown") })</script>`))
	p.Wait(`document.title === "late"`)
	found := &record{TB: t}
	p.t = found
	p.CheckQuiet("file://")
	p.t = t
	all := strings.Join(found.faults, "\n")
	for _, want := range []string{"broken", "thrown", "example.invalid"} {
		if !strings.Contains(all, want) {
			t.Errorf("not found: %s\nin\n%s", want, all)
		}
	}
}
