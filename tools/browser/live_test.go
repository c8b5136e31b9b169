package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"repslab/internal/web/live"
)

// built compiles the site once for all tests.
var built = sync.OnceValues(func() (live.Site, error) { return live.Build(context.Background()) })

// builtSite returns the site.
func builtSite(t *testing.T) live.Site {
	t.Helper()
	site, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// start serves a site until the test ends and returns its address.
func start(t *testing.T, site live.Site) string {
	t.Helper()
	listener, err := live.Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- live.Serve(ctx, listener, site) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("Serve ends with %v, want %v", err, context.Canceled)
		}
	})
	return "http://" + listener.Addr().String() + "/"
}

// sceneShown is the state of the page of a switch.
type sceneShown struct {
	Round  int    `json:"round"`
	Tau    int    `json:"tau"`
	OPS    []int  `json:"ops"`
	REPS   []int  `json:"reps"`
	Every  []int  `json:"every"`
	Status string `json:"status"`
	Text   string `json:"text"`
}

// shown returns what the page shows. Modules are made once, so these are those
// that the page itself uses.
func shown(p *Page) sceneShown {
	return Eval[sceneShown](p, `import('./run.js').then(({seen}) => ({
		round: seen.round, tau: seen.tau, ops: [...seen.ops], reps: [...seen.reps], every: [...seen.every],
		status: document.getElementById('status').textContent, text: repslab.view().replace(/&?paused=1/, '')}))`)
}

// waitRound waits until the page has run to a round and stands still there.
func waitRound(p *Page, round int) {
	p.Wait(fmt.Sprintf(`document.getElementById('round').textContent === 'Round %s'`, thousands(round)))
}

// thousands writes a number below a million as the page does.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// roundIs returns an expression that compares the page's round.
func roundIs(comparison string) string {
	return "Number(new URLSearchParams(repslab.view()).get('round')) " + comparison
}

// openPage starts a browser and a server and returns a tab, the server's address, and
// what loads a view of one of the site's pages afresh, also where only the fragment differs.
func openPage(t *testing.T, name string) (p *Page, address string, view func(text string)) {
	t.Helper()
	p = Open(t)
	address = start(t, builtSite(t))
	return p, address, func(text string) {
		p.Load("about:blank")
		p.Load(address + name + "#" + text)
		p.Wait(`!document.getElementById('play').disabled`)
	}
}

// TestPageShows looks at views as a person would. Seeds are fixed: the loads are
// the same in every run.
func TestPageShows(t *testing.T) {
	p, address, view := openPage(t, "")
	t.Run("after 2,000 rounds", func(t *testing.T) {
		view("round=2000&paused=1")
		waitRound(p, 2000)
		s := shown(p)
		if ops, reps := slices.Max(s.OPS), slices.Max(s.REPS); reps >= s.Tau || ops <= s.Tau {
			t.Errorf("maxima %d (REPS) and %d (OPS), threshold %d", reps, ops, s.Tau)
		}
		if !strings.HasPrefix(s.Status, "REPS converged in round ") {
			t.Errorf("status %q", s.Status)
		}
		p.Screenshot(t, "settled-1280x800", false)
		p.CheckAccess(t)
		focus := p.CheckFocus(t, 40)
		if want := []string{"A switch", "A network", "play", "step", "restart", "speed", "port", "every", "bins"}; len(focus) < len(want) || !slices.Equal(focus[:len(want)], want) {
			t.Errorf("order of the focus %q, want first %q", focus, want)
		}
		p.Dark(true)
		p.Screenshot(t, "settled-dark-1280x800", false)
		p.CheckAccess(t)
		p.Dark(false)
	})
	t.Run("real REPS and a port breaks", func(t *testing.T) {
		view("clocking=per-flow&lambda=0.95&ports=5x0@500&round=2500&paused=1")
		waitRound(p, 2500)
		s := shown(p)
		if s.OPS[5] < 1500 || s.REPS[5] > s.OPS[5]/5 {
			t.Errorf("loads of the broken port: %d (OPS) and %d (REPS), want about 1900 and a fraction of it", s.OPS[5], s.REPS[5])
		}
		p.Screenshot(t, "broken-per-flow-1280x800", false)
	})
	t.Run("round-robin", func(t *testing.T) {
		view("clocking=round-robin&round=20000&paused=1")
		waitRound(p, 20_000)
		if s := shown(p); !strings.HasPrefix(s.Status, "REPS will never converge, certified in round ") {
			t.Errorf("status %q", s.Status)
		}
		p.Screenshot(t, "round-robin-1280x800", false)
	})
	t.Run("faulty addresses", func(t *testing.T) {
		for _, text := range []string{"bins=0", "%", "ports=99x0@0"} {
			view(text)
			p.Wait(`!document.getElementById('error').hidden`)
			waitRound(p, 0)
			if s := shown(p); len(s.OPS) != 32 {
				t.Errorf("#%s: %d ports, want the default view", text, len(s.OPS))
			}
		}
	})
	t.Run("other hosts", func(t *testing.T) { testHosts(t, p) })
	t.Run("a telephone", func(t *testing.T) {
		p.Resize(390, 844)
		view("clocking=per-flow&lambda=0.95&ports=5x0@500&round=1200&paused=1")
		waitRound(p, 1200)
		p.Screenshot(t, "telephone-390x844", false)
		p.Screenshot(t, "telephone-390-whole", true)
		p.CheckAccess(t)
	})
	p.CheckQuiet(address, "http://127.0.0.1:")
}

// TestPageRuns uses the page while it runs.
func TestPageRuns(t *testing.T) {
	p, address, view := openPage(t, "")
	t.Run("a port breaks", func(t *testing.T) { testBrokenPort(t, p, view) })
	t.Run("a click on a bar", func(t *testing.T) { testClick(t, p, view) })
	t.Run("a shared address", func(t *testing.T) { testShared(t, p, address, view) })
	t.Run("work per frame", func(t *testing.T) {
		for _, text := range []string{"bins=64", "bins=64&clocking=round-robin&speed=10000"} {
			view(text)
			p.Wait(`/median of \d{3}/.test(document.getElementById('work').textContent)`)
			t.Logf("%s: work per frame %s", text, Eval[string](p, `document.getElementById('work').textContent`))
		}
	})
	p.CheckQuiet(address)
}

// TestPageObeys uses the controls.
func TestPageObeys(t *testing.T) {
	p, address, view := openPage(t, "")
	t.Run("controls", func(t *testing.T) { testControls(t, p, view) })
	t.Run("saved files", func(t *testing.T) { testSaved(t, p, view) })
	p.CheckQuiet(address)
}

// testHosts exports the site and serves it as other hosts do: as it is, and with
// the program declared to be packed on the way, which browsers then unpack.
func testHosts(t *testing.T, p *Page) {
	folder := t.TempDir()
	if err := builtSite(t).Export(folder); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(folder))
	for name, host := range map[string]http.Handler{
		"plain": files,
		"unpacking": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".gz") {
				w.Header().Set("Content-Encoding", "gzip")
			}
			files.ServeHTTP(w, r)
		}),
	} {
		server := httptest.NewServer(host)
		defer server.Close()
		p.Load(server.URL + "/#ports=3x5@0&round=50&paused=1")
		waitRound(p, 50)
		if s := shown(p); s.Every[3] != 5 || Eval[string](p, `document.getElementById('every').value`) != "5" {
			t.Errorf("%s: port 3 serves every %d rounds, want 5", name, s.Every[3])
		}
		p.Load(server.URL + "/network.html#hosts=8&slot=50&paused=1")
		waitSlot(p, 50)
	}
}

// testBrokenPort switches a port off while the page runs. OPS's queue there grows
// out of the picture; nothing of REPS's queues changes, as they had settled.
func testBrokenPort(t *testing.T, p *Page, view func(string)) {
	view("speed=3000")
	p.Wait(roundIs(">= 1000"))
	p.Type("#port", kb.End+"\b7")
	before := shown(p)
	p.Type("#every", kb.End)
	p.Wait(roundIs(">= 2500 + Number(repslab.view().match(/ports=7x0@(\\d+)/)?.[1] ?? Infinity)"))
	p.Click("#play")
	s := shown(p)
	if s.Every[7] != 0 {
		t.Fatalf("port 7 serves in every %d-th round, want in none", s.Every[7])
	}
	if s.OPS[7] < 2000 || s.OPS[7] != slices.Max(s.OPS) {
		t.Errorf("OPS has load %d at the broken port of %v", s.OPS[7], s.OPS)
	}
	if !slices.Equal(s.REPS, before.REPS) {
		t.Errorf("REPS had settled on %v, but has %v with a broken port", before.REPS, s.REPS)
	}
	// The column of port 7 at the top of both pictures, and a whole port's.
	const pixel = `(() => {
		const canvas = document.getElementById(%q), scale = canvas.width / canvas.clientWidth;
		const x = 34 + (canvas.clientWidth - 42) * (%d + 0.5) / 32;
		const dot = new OffscreenCanvas(1, 1).getContext('2d');
		dot.drawImage(canvas, -Math.round(x * scale), -Math.round(40 * scale));
		return [...dot.getImageData(0, 0, 1, 1).data].join();
	})()`
	colors := map[string]string{}
	for _, at := range []struct {
		canvas string
		port   int
	}{{"ops", 7}, {"reps", 7}, {"reps", 8}} {
		colors[fmt.Sprint(at.canvas, at.port)] = Eval[string](p, fmt.Sprintf(pixel, at.canvas, at.port))
	}
	want := map[string]string{"ops7": "122,46,0,255", "reps7": "235,227,243,255", "reps8": "0,0,0,0"}
	if !maps.Equal(colors, want) {
		t.Errorf("colours at the top of the ports are %v, want %v: a bar, a broken port without a bar, nothing", colors, want)
	}
	p.Screenshot(t, "broken-1280x800", false)

	p.Type("#every", kb.Home)
	p.Click("#play")
	p.Wait(roundIs(fmt.Sprintf("> %d", s.Round)))
	if s := shown(p); s.Every[7] != 1 || !strings.Contains(s.Text, "ports=7x0@") || !strings.Contains(s.Text, ",7x1@") {
		t.Errorf("port 7 serves in every %d-th round of %q, want in all", s.Every[7], s.Text)
	}
}

// testClick clicks the middle of OPS's bars, which breaks port 14 of 31 and then mends it. The
// the caption names the loads in the frame after the click.
func testClick(t *testing.T, p *Page, view func(string)) {
	view("bins=31&round=300&paused=1")
	waitRound(p, 300)
	for _, every := range []int{0, 1} {
		p.Click("#ops")
		if s := shown(p); s.Every[14] != every || !strings.Contains(s.Text, fmt.Sprintf("14x%d@300", every)) {
			t.Errorf("after a click port 14 serves every %d rounds of %q, want %d", s.Every[14], s.Text, every)
		}
	}
	p.Click("#step")
	caption := Eval[string](p, `new Promise(resolve => requestAnimationFrame(() =>
		resolve(document.getElementById('ops-text').textContent)))`)
	if want := fmt.Sprintf("longest %d,", slices.Max(shown(p).OPS)); !strings.HasPrefix(caption, want) {
		t.Errorf("caption %q a frame after round 301, want %q", caption, want)
	}
}

// testShared changes ports in mid-run, stops, and opens the page's address afresh:
// the same loads, the same pictures.
func testShared(t *testing.T, p *Page, address string, view func(string)) {
	view("bins=20&clocking=per-flow&lambda=0.9&delay=3&seed=18446744073709551615&speed=3000")
	p.Wait(roundIs("> 200"))
	p.Type("#every", kb.ArrowDown)
	p.Wait(roundIs("> 900"))
	p.Type("#every", kb.End)
	p.Wait(roundIs("> 1500"))
	p.Click("#play")
	p.Wait(`document.getElementById('play').textContent === 'Run'`)
	const pictures = `new Promise(resolve => setTimeout(() => resolve([...document.querySelectorAll('canvas')].map(c => c.toDataURL()).concat(
		[...document.querySelectorAll('figcaption, #status, #round')].map(e => e.textContent))), 300))`
	wantPictures := Eval[[]string](p, pictures) // after the words have caught up
	want := shown(p)
	text := Eval[string](p, `location.hash.slice(1)`)
	view(text)
	waitRound(p, want.Round)
	gotPictures := Eval[[]string](p, pictures)
	got := shown(p)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("#%s shows\n%v, want\n%v", text, got, want)
	}
	for i := range wantPictures {
		if gotPictures[i] != wantPictures[i] {
			t.Errorf("#%s: picture or text %d differs: %.80s, want %.80s", text, i, gotPictures[i], wantPictures[i])
		}
	}
	if !strings.Contains(text, "ports=3x2@") || !strings.Contains(text, ",3x0@") || !strings.HasSuffix(text, "&paused=1") {
		t.Errorf("the address's fragment is %q", text)
	}
	// As chat programs send it on.
	view(strings.NewReplacer("@", "%40", ",", "%2C").Replace(text))
	waitRound(p, want.Round)
}

// testControls changes every control once.
func testControls(t *testing.T, p *Page, view func(string)) {
	view("paused=1&ports=3x0@0,30x2@0")
	waitRound(p, 0)
	for _, step := range []struct{ id, keys, want string }{
		{"bins", kb.End + "\b\b16\t", "bins=16&ports=3x0@0"},
		{"threshold", kb.End + "9\t", "bins=16&threshold=9&ports=3x0@0"},
		{"clocking", "round", "bins=16&threshold=9&clocking=round-robin&ports=3x0@0"},
		{"colors_per_bin", kb.End + "4\t", "bins=16&threshold=9&clocking=round-robin&colors_per_bin=4&ports=3x0@0"},
		{"ack_ratio", kb.End + "\b4\t", "bins=16&threshold=9&clocking=round-robin&colors_per_bin=4&ack_ratio=4&ports=3x0@0"},
		{"ack_variant", "carry", "bins=16&threshold=9&clocking=round-robin&colors_per_bin=4&ack_ratio=4&ack_variant=carry&ports=3x0@0"},
		{"clocking", "per", "bins=16&threshold=9&clocking=per-flow&ack_ratio=4&ack_variant=carry&ports=3x0@0"},
		{"ack_ratio", kb.End + "\b1\t", "bins=16&threshold=9&clocking=per-flow&ports=3x0@0"},
		{"lambda", kb.End + "\b0.9\t", "bins=16&threshold=9&lambda=0.9&clocking=per-flow&ports=3x0@0"},
		{"delay", kb.End + "\b5\t", "bins=16&threshold=9&lambda=0.9&clocking=per-flow&delay=5&ports=3x0@0"},
		{"seed", kb.End + "\b77\t", "bins=16&threshold=9&lambda=0.9&clocking=per-flow&delay=5&seed=77&ports=3x0@0"},
	} {
		p.Type("#"+step.id, step.keys)
		if s := shown(p); s.Text != step.want {
			t.Fatalf("%s %q gives %q, want %q", step.id, step.keys, s.Text, step.want)
		}
	}
	p.Click("#step")
	waitRound(p, 1)
	p.Type("#threshold", kb.End+"\b0\t")
	p.Wait(`document.getElementById('error').textContent.startsWith('threshold: "0" must be')`)
	p.Type("#threshold", kb.End+"\b8\t")
	p.Wait(`document.getElementById('error').hidden`)
	p.Click("#play")
	p.Wait(roundIs("> 10"))
	p.Click("#play")
	p.Click("#restart")
	waitRound(p, 0)
}

// testSaved presses the three buttons and looks at what would be downloaded.
func testSaved(t *testing.T, p *Page, view func(string)) {
	view("bins=8&ports=2x0@100&round=300&paused=1")
	waitRound(p, 300)
	catchFiles(p)
	for _, id := range []string{"png", "csv-rounds", "csv-ports"} {
		p.Click("#" + id)
	}
	p.Wait(`Object.keys(window.files).length === 3`)
	s := shown(p)
	ports := Eval[string](p, `window.files['repslab-ports.csv'].text()`)
	want := "port,ops_load,reps_load,serves_every\n"
	for port := range s.OPS {
		want += fmt.Sprintf("%d,%d,%d,%d\n", port, s.OPS[port], s.REPS[port], s.Every[port])
	}
	if ports != want {
		t.Errorf("ports as CSV: %q, want %q", ports, want)
	}
	rounds := strings.Split(Eval[string](p, `window.files['repslab-rounds.csv'].text()`), "\n")
	if len(rounds) != 302 || rounds[0] != "round,ops_max_load,reps_max_load,ops_total_load,reps_total_load,reps_throws,reps_random_throws" ||
		!strings.HasPrefix(rounds[300], fmt.Sprintf("300,%d,%d,", slices.Max(s.OPS), slices.Max(s.REPS))) {
		t.Errorf("rounds as CSV: %d lines, first %q, last %q", len(rounds), rounds[0], rounds[300])
	}
	checkPicture(t, p, "repslab.png")
}

// catchFiles keeps what the page downloads from now on in window.files, by name.
func catchFiles(p *Page) {
	Eval[bool](p, `(() => {
		window.files = {};
		const make = URL.createObjectURL;
		URL.createObjectURL = blob => { window.blob = blob; return make(blob); };
		HTMLAnchorElement.prototype.click = function () { window.files[this.download] = window.blob; };
		return true;
	})()`)
}

// checkPicture saves a downloaded picture among the artefacts and fails the test t unless it is a
// PNG of 2400 pixels with more than 20 colours.
func checkPicture(t *testing.T, p *Page, name string) {
	t.Helper()
	p.Wait(fmt.Sprintf(`window.files[%q]`, name))
	encoded := Eval[string](p, fmt.Sprintf(`window.files[%q].arrayBuffer().then(b => btoa(new Uint8Array(b).reduce((text, byte) => text + String.fromCharCode(byte), '')))`, name))
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "saved-"+name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil || picture.Bounds().Dx() != 2400 {
		t.Fatalf("picture: %v, %v", picture.Bounds(), err)
	}
	colors := map[color.Color]bool{}
	for y := range picture.Bounds().Dy() {
		for x := range 2400 {
			colors[picture.At(x, y)] = true
		}
	}
	if len(colors) <= 20 {
		t.Errorf("the picture has %d colours", len(colors))
	}
}
