package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	browserlog "github.com/chromedp/cdproto/log"
)

// patience is how long one test may use the browser; a selector that never
// matches ends there instead of at the time-out of all tests.
const patience = 5 * time.Minute

// Page is a tab of a browser of its own, with an empty profile. Its methods end
// the test at the first fault. It is for one goroutine.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	console  []string // errors, warnings and uncaught exceptions
	requests []string // addresses
}

// browser returns the path of chromium. A test where it is missing is skipped,
// or fails if REPSLAB_REQUIRE names it.
func browser(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "chromium") {
		t.Fatal("chromium is required, but there is none")
	}
	t.Skip("no chromium")
	return ""
}

// Open starts a browser with an empty page of 1280x800 that ends with the test.
// The browser resolves no name, so nothing but this machine can be reached.
func Open(t testing.TB) *Page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser(t)),
		chromedp.NoSandbox, // root, as in containers, has none
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true), // else widths differ from a person's overlay ones
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"),
	)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	ctx, cancelAllocator := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancelAllocator)
	ctx, cancelTab := chromedp.NewContext(ctx)
	t.Cleanup(cancelTab)
	p := &Page{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.Resize(1280, 800)
	return p
}

// hear records an event of the browser. Events that came before the answer to a
// command are recorded before that command returns.
func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.console = append(p.console, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *browserlog.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			p.console = append(p.console, string(e.Entry.Level)+": "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			text := string(e.Type) + ":"
			for _, argument := range e.Args {
				text += " " + string(argument.Value) + argument.Description
			}
			p.console = append(p.console, text)
		}
	}
}

// do runs actions.
func (p *Page) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// Load goes to an address and waits until it is loaded.
func (p *Page) Load(address string) {
	p.t.Helper()
	p.do("load "+address, chromedp.Navigate(address))
}

// LoadFile goes to a file, as a person who opens it from disk.
func (p *Page) LoadFile(path string) {
	p.t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Load("file://" + path)
}

// Resize gives the page a width and a height, in CSS pixels.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.do("resize", chromedp.EmulateViewport(width, height))
}

// Dark asks for the dark colours, as the reader's system does, or for the light
// ones.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.emulate(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Print shows the page as it is printed, on a white background.
func (p *Page) Print() {
	p.t.Helper()
	p.emulate(emulation.SetEmulatedMediaParams{Media: "print"})
}

// emulate sets what the style sheet is told of the reader.
func (p *Page) emulate(media emulation.SetEmulatedMediaParams) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// Click clicks the first visible element of a CSS selector, in its middle.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Tap touches the first element of a CSS selector with a finger, in its middle.
func (p *Page) Tap(selector string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	at := Eval[input.TouchPoint](p, `(() => {
		const e = document.querySelector('`+selector+`');
		e.scrollIntoView({block: 'center'});
		const box = e.getBoundingClientRect();
		return {x: box.x + box.width / 2, y: box.y + box.height / 2};
	})()`)
	for _, touch := range []input.DispatchTouchEventParams{
		{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{&at}},
		{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}},
	} {
		if err == nil {
			_, err = chromedp.Call(p.ctx, input.DispatchTouchEvent, touch)
		}
	}
	if err != nil {
		p.t.Fatalf("tap %s: %v", selector, err)
	}
}

// Type gives the focus to the element of a CSS selector and presses keys.
func (p *Page) Type(selector, keys string) {
	p.t.Helper()
	p.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), keys))
}

// Press presses keys, such as kb.Tab of package chromedp/kb, wherever the focus
// is.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do("press", chromedp.KeyEvent(keys))
}

// Wait returns when an expression of JavaScript becomes true. The page itself
// looks at it: chromedp's own poll may still mean the page before, just after one
// was loaded.
func (p *Page) Wait(condition string) {
	p.t.Helper()
	Eval[bool](p, `new Promise((resolve, reject) => {
		const look = () => {
			try {
				(`+condition+`) ? resolve(true) : setTimeout(look, 20);
			} catch (fault) {
				reject(fault);
			}
		};
		look();
	})`)
}

// Eval returns the value of an expression of JavaScript in the page; a promise is
// awaited. The page's own security policy does not bind it.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Screenshot saves what the window shows as NAME.png, or the whole page if full,
// among the artefacts of the test t, which may be a part of the page's.
func (p *Page) Screenshot(t testing.TB, name string, full bool) {
	t.Helper()
	take := chromedp.CaptureScreenshot()
	if full {
		take = chromedp.FullScreenshot(100)
	}
	data, err := chromedp.Run(p.ctx, take)
	if err == nil {
		err = os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), data, 0o666)
	}
	if err != nil {
		t.Fatalf("screenshot %s: %v", name, err)
	}
}

// PDF saves the page as printed on A4 as NAME.pdf among the artefacts of t, and
// returns its bytes.
func (p *Page) PDF(t testing.TB, name string) []byte {
	t.Helper()
	data, err := chromedp.Run(p.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err == nil {
		err = os.WriteFile(filepath.Join(t.ArtifactDir(), name+".pdf"), data, 0o666)
	}
	if err != nil {
		t.Fatalf("print %s: %v", name, err)
	}
	return data
}

// Requests returns the addresses of all requests so far, in order.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// CheckQuiet fails the test for every error and warning on the console and for
// every request to an address that begins with none of origins. Addresses of
// data, and of what the page itself made, are no requests to others.
func (p *Page) CheckQuiet(origins ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, message := range p.console {
		p.t.Errorf("console: %s", message)
	}
	own := append([]string{"data:", "blob:", "about:"}, origins...)
	for _, address := range p.requests {
		if !slices.ContainsFunc(own, func(origin string) bool { return strings.HasPrefix(address, origin) }) {
			p.t.Errorf("request to %s leaves %v", address, origins)
		}
	}
}
