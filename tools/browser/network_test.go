package browser

import (
	"encoding/csv"
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
	Slot   int      `json:"slot"`
	Broken []int    `json:"broken"`
	Text   string   `json:"text"`
	Status string   `json:"status"`
	Rings  []string `json:"rings"` // of the chosen flow, as the column slots of events
	Sides  [2]struct {
		Done  int   `json:"finished"` // flows of all rounds
		Took  int   `json:"tookNs"`   // by the round before
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
		rings: ['left', 'right'].map(side => [...document.querySelectorAll('#' + side + '-ring li:not(.mode)')].map(slot => slot.textContent + (slot.className === 'valid' ? ':1' : ':0')).join(' ')),
		sides: seen.sides.map(({finished, tookNs, sent, lost, load, queue, ends}) => ({finished, tookNs, sent, lost, load: [...load], queue: [...queue], ends: [...ends]}))}))`)
}

// waitSlot waits until the page has run to a slot and stands still there.
func waitSlot(p *Page, slot int) {
	p.Wait(fmt.Sprintf(`document.getElementById('round').textContent.startsWith('Slot %s,')`, thousands(slot)))
}

// TestNetworkShows compares what the browser shows with the command's trace, and looks at it on
// a screen, in the dark and on a telephone.
func TestNetworkShows(t *testing.T) {
	p, address, view := openPage(t, "network.html")
	view("hosts=128&workload=tornado&flow=3&links=0x0@397&slot=1512&paused=1")
	waitSlot(p, 1512)
	compareTrace(t, networkSeen(p))
	p.Type("#flow", kb.Backspace+"128") // the tornado has flows 0 to 127: 1 and 12 are shown on the way
	p.Wait(`document.getElementById('flow').matches(':invalid') && document.getElementById('right-ring').textContent !== ''`)
	if text := networkSeen(p).Text; !strings.Contains(text, "flow=12&") {
		t.Errorf("the page shows %q after a flow that the round does not have, want flow 12 still", text)
	}
	view("links=13x0@300&slot=9000&paused=1")
	waitSlot(p, 9000)
	for _, size := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
		p.Resize(size.width, size.height)
		for _, dark := range []bool{false, true} {
			p.Dark(dark)
			Eval[bool](p, `new Promise(resolve => setTimeout(() => resolve(true), 300))`)
			p.Screenshot(t, fmt.Sprintf("network-%d-dark-%v", size.width, dark), true)
			p.CheckAccess(t)
		}
	}
	p.Resize(1280, 800)
	p.Dark(false)
	focus := p.CheckFocus(t, 40)
	if want := []string{"A switch", "A network", "play", "step", "restart", "speed", "tor", "spine", "broken", "repair", "hosts"}; len(focus) < len(want) || !slices.Equal(focus[:len(want)], want) {
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
// ToR 0 in repslab fattree --trace, and the rings with the slots of flow 3 in --events.
func compareTrace(t *testing.T, got networkShown) {
	t.Helper()
	for i, lb := range []string{"ops", "reps"} {
		path, events := filepath.Join(t.TempDir(), "trace.csv"), filepath.Join(t.TempDir(), "events.csv")
		out, err := exec.Command("go", "-C", "../..", "run", "./cmd/repslab", "fattree", "--hosts", "128", "--workload", "tornado",
			"--lb", lb, "--failure", "cables=1,place=first,dir=both,at=33", "--replicas", "1", "--trace", path, "--events", events, "--event-flows", "3", "--event-us", "0..125.496").CombinedOutput()
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
		if ring := lastSlots(t, events); got.Rings[i] != ring {
			t.Errorf("%s: the page shows the ring %q, the events %q", lb, got.Rings[i], ring)
		}
		if got.Sides[i].Lost == 0 {
			t.Errorf("%s: no packets are lost: nothing to see", lb)
		}
	}
}

// lastSlots returns the column slots of the last row of a file of events.
func lastSlots(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v: %d rows of events", err, len(rows))
	}
	return rows[len(rows)-1][slices.Index(rows[0], "slots")]
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
	p.Wait(`['left-text', 'right-text'].every(id => /^Round ([3-9]|\d\d)/.test(document.getElementById(id).textContent))`)
	p.Click("#play")
	s := networkSeen(p)
	if ops, reps := s.Sides[0], s.Sides[1]; ops.Took < 2*reps.Took || ops.Done > reps.Done/2 || ops.Lost < 2*reps.Lost || s.Broken[13] != 1 {
		t.Errorf("OPS took %d ns for a round and finished %d flows, REPS %d ns and %d, and lost %d and %d packets, want twice as long, half as many and twice as many; broken are %v",
			ops.Took, ops.Done, reps.Took, reps.Done, ops.Lost, reps.Lost, s.Broken)
	}
	p.Screenshot(t, "network-rounds", true)
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

// TestNetworkGoesOn: at the last slot a new run begins with the links as they are, by itself where the
// page runs, else by a click; a button repairs all links.
func TestNetworkGoesOn(t *testing.T) {
	p, address, view := openPage(t, "network.html")
	view("hosts=8&message_bytes=65536&links=1x0@0,2x0@7&slot=59900&speed=1000")
	p.Wait(`/links=1x0@0,2x0@0&speed=1000&slot=\d{1,3}$/.test(repslab.network.view())`)
	if got := Eval[string](p, `document.getElementById('play').textContent`); got != "Pause" {
		t.Errorf("after the last slot the button says %q: the page does not run", got)
	}
	view("hosts=8&message_bytes=65536&links=1x0@0&slot=60000&paused=1")
	waitSlot(p, 60_000)
	p.Type("#broken", kb.End) // the link of ToR 0 to spine 0
	waitSlot(p, 0)
	const want = "hosts=8&message_bytes=65536&links=1x0@0,0x0@0"
	if s := networkSeen(p); s.Text != want+"&paused=1" || s.Broken[0]+s.Broken[1] != 2 {
		t.Errorf("after a change at the last slot the view is %q, want %q with a pause", s.Text, want)
	}
	p.Click("#step")
	waitSlot(p, 1)
	p.Type("#repair", kb.Enter)
	if s := networkSeen(p); s.Text != want+",0x1@1,1x1@1&slot=1&paused=1" || slices.Contains(s.Broken, 1) {
		t.Errorf("after the repair of all links the view is %q", s.Text)
	}
	p.CheckQuiet(address)
}

// TestNetworkPlots: the values over time agree with the packets, at whatever pace they were
// made; the title, the legend and a saved picture name the load balancers.
func TestNetworkPlots(t *testing.T) {
	p, address, view := openPage(t, "network.html")
	type values struct {
		Count      int         `json:"count"`
		Throughput [][]float64 `json:"throughput"`
		Lost       [][]int     `json:"lost"`
		Finished   [][]int     `json:"finished"`
	}
	const kept, text = `import('./slots.js').then(({kept}) => kept)`, "hosts=8&message_bytes=262144&left=mixed&right=ecmp&links=2x0@100"
	view(text + "&slot=2400&paused=1")
	waitSlot(p, 2400)
	want, s := Eval[values](p, kept), networkSeen(p)
	for i, side := range s.Sides {
		if want.Count != 100 || len(want.Throughput[i]) != 101 || slices.Max(want.Throughput[i]) > 8*400 || slices.Max(want.Throughput[i]) < 1000 {
			t.Errorf("side %d: throughput %v in %d windows, want at most that of 8 links, in 100", i, want.Throughput[i], want.Count)
		}
		if lost := want.Lost[i]; lost[4] != 0 || lost[100] != side.Lost || side.Lost == 0 || !slices.IsSorted(lost) {
			t.Errorf("side %d: %v packets are lost, want none up to window 4, then up to %d", i, lost, side.Lost)
		}
		if finished := want.Finished[i]; finished[100] != side.Done || side.Done == 0 || !slices.IsSorted(finished) {
			t.Errorf("side %d: %v flows have finished, want up to %d", i, finished, side.Done)
		}
	}
	for _, id := range []string{"throughput", "lost", "finished"} {
		if n := Eval[int](p, fmt.Sprintf(`(c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)(document.getElementById(%q))`, id)); n < 10 {
			t.Errorf("the plot %s has %d colours", id, n)
		}
	}
	if title, heading := Eval[string](p, `document.title`), Eval[string](p, `document.querySelector('h1').textContent`); title != heading || title != "mixed and ECMP in a fat tree" {
		t.Errorf("title %q, heading %q", title, heading)
	}
	catchFiles(p)
	p.Click("#png")
	checkPicture(t, p, "repslab-network.png")

	view(text + "&slot=2395&paused=1")
	waitSlot(p, 2395)
	for range 5 {
		p.Click("#step")
	}
	waitSlot(p, 2400)
	if got := Eval[values](p, kept); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("by single slots the values are\n%v, want\n%v", got, want)
	}
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
