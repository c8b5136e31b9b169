package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// networkShown is the state of the page of a network.
type networkShown struct {
	Slot   int    `json:"slot"`
	Broken []int  `json:"broken"`
	Text   string `json:"text"`
	Status string `json:"status"`
	Sides  [2]struct {
		Sent  int   `json:"sent"`
		Lost  int   `json:"lost"`
		Load  []int `json:"load"`
		Queue []int `json:"queue"`
		Ends  []int `json:"ends"`
	} `json:"sides"`
}

// networkSeen returns what the page shows.
func networkSeen(p *Page) networkShown {
	return Eval[networkShown](p, `import('./slots.js').then(({seen}) => ({
		slot: seen.slot, broken: [...seen.broken], text: repslab.network.view(), status: document.getElementById('status').textContent,
		sides: seen.sides.map(({sent, lost, load, queue, ends}) => ({sent, lost, load: [...load], queue: [...queue], ends: [...ends]}))}))`)
}

// waitSlot waits until the page has run to a slot and stands still there.
func waitSlot(p *Page, slot int) {
	p.Wait(fmt.Sprintf(`document.getElementById('round').textContent.startsWith('Slot %s,')`, thousands(slot)))
}

// TestNetworkShows compares what the browser shows with the command's trace, and looks at it on
// a screen, in the dark and on a telephone.
func TestNetworkShows(t *testing.T) {
	p, address, view := openPage(t, "network.html")
	view("hosts=128&workload=tornado&links=0x0@397&slot=1512&paused=1")
	waitSlot(p, 1512)
	compareTrace(t, networkSeen(p))
	view("links=13x0@300&slot=2400&paused=1")
	waitSlot(p, 2400)
	for _, size := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
		p.Resize(size.width, size.height)
		for _, dark := range []bool{false, true} {
			p.Dark(dark)
			Eval[bool](p, `new Promise(resolve => setTimeout(() => resolve(true), 300))`)
			p.Screenshot(t, fmt.Sprintf("network-%d-dark-%v", size.width, dark), size.width > 1000)
			p.CheckAccess(t)
		}
	}
	p.Resize(1280, 800)
	p.Dark(false)
	focus := p.CheckFocus(t, 40)
	if want := []string{"A switch", "A network", "play", "step", "restart", "speed", "tor", "spine", "broken", "hosts"}; len(focus) < len(want) || !slices.Equal(focus[:len(want)], want) {
		t.Errorf("order of the focus %q, want first %q", focus, want)
	}
	for _, text := range []string{"hosts=9", "links=99x0@0", "left=nothing", "slot=-1"} {
		view(text)
		p.Wait(`!document.getElementById('error').hidden`)
		waitSlot(p, 0)
	}
	p.CheckQuiet(address)
}

// compareTrace compares what is shown, at the end of bucket 63 of the trace, with the uplinks of
// ToR 0 in repslab fattree --trace.
func compareTrace(t *testing.T, got networkShown) {
	t.Helper()
	for i, lb := range []string{"ops", "reps"} {
		path := filepath.Join(t.TempDir(), "trace.csv")
		out, err := exec.Command("go", "-C", "../..", "run", "./cmd/repslab", "fattree", "--hosts", "128", "--workload", "tornado",
			"--lb", lb, "--failure", "cables=1,place=first,dir=both,at=33", "--replicas", "1", "--trace", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		trace, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for port := range 8 {
			gbps := float64(got.Sides[i].Load[port]) * 4150 * 8000 / (24 * 83_000)
			for _, want := range []string{
				fmt.Sprintf("125.496,uplink_gbps,%d,%v", port, gbps),
				fmt.Sprintf("125.496,uplink_queue_packets,%d,%d", port, got.Sides[i].Queue[port]),
			} {
				if !strings.Contains(string(trace), "\n"+want+"\n") {
					t.Errorf("%s: the page shows %s, which the trace has not", lb, want)
				}
			}
		}
		if got.Sides[i].Lost == 0 {
			t.Errorf("%s: no packets are lost: nothing to see", lb)
		}
	}
}

// TestNetworkRuns breaks links by mouse and keyboard, changes parameters, and looks at a whole run.
func TestNetworkRuns(t *testing.T) {
	p, address, view := openPage(t, "network.html")
	view("message_bytes=1048576&slot=100&paused=1")
	waitSlot(p, 100)
	p.Click("#left") // its middle: a cable crosses there
	clicked := networkSeen(p)
	cable := slices.Index(clicked.Broken, 1)
	if cable < 0 || !strings.Contains(clicked.Text, fmt.Sprintf("links=%dx0@100", cable)) {
		t.Fatalf("after a click the view is %q, broken are %v", clicked.Text, clicked.Broken)
	}
	p.Click("#left")
	if s := networkSeen(p); slices.Contains(s.Broken, 1) {
		t.Errorf("after a second click the view is %q", s.Text)
	}
	p.Type("#tor", kb.End+"\b3")
	p.Type("#spine", kb.End+"\b1")
	p.Type("#broken", kb.End)
	if s := networkSeen(p); s.Broken[13] != 1 {
		t.Errorf("by keyboard: the view is %q", s.Text)
	}
	p.Type("#speed", kb.End)
	p.Click("#play")
	p.Wait(`document.getElementById('status').textContent.includes('All flows have finished')`)
	p.Wait(`document.getElementById('play').textContent === 'Run'`)
	s := networkSeen(p)
	ops, reps := s.Sides[0].Ends, s.Sides[1].Ends
	if slices.Contains(ops, -1) || slices.Max(ops) < 2*slices.Max(reps) {
		t.Errorf("OPS ends at %d ns, REPS at %d, want twice as late: %q", slices.Max(ops), slices.Max(reps), s.Status)
	}
	p.Screenshot(t, "network-finished", true)
	p.Type("#hosts", "8")
	waitSlot(p, 0)
	p.Type("#tor", kb.Home+kb.Delete+"1")
	p.Type("#broken", kb.End)
	p.Type("#workload", "tor")
	p.Type("#balancer-left", "mixed")
	waitSlot(p, 0)
	if s := networkSeen(p); !strings.HasPrefix(s.Text, "hosts=8&workload=tornado&message_bytes=1048576&left=mixed&links=3x0@0") {
		t.Errorf("after changes of parameters the view is %q", s.Text)
	}
	p.Resize(390, 844)
	view("hosts=128&slot=50&paused=1")
	waitSlot(p, 50)
	p.Tap("#right")
	p.Wait(`/links=\d+x0@50/.test(repslab.network.view())`)
	p.CheckQuiet(address)
}

// TestNetworkRate: with 128 hosts the work of a picture leaves room for 30 a second. Other
// programs may share the machine, so the fastest tenth of the pictures counts.
func TestNetworkRate(t *testing.T) {
	p, _, view := openPage(t, "network.html")
	view("hosts=128&message_bytes=33554432")
	p.Wait(`/median of \d{3}/.test(document.getElementById('work').textContent)`)
	work := Eval[[]float64](p, `import('./shell.js').then(({state}) => state.frames)`)
	slices.Sort(work)
	tenth, median := work[len(work)/10], work[len(work)/2]
	t.Logf("work per picture: %.1f ms in the fastest tenth, median %.1f ms", tenth, median)
	if tenth > 1000./30 {
		t.Errorf("%.1f ms of work for a picture, want at most 1/30 s", tenth)
	}
}
