package browser

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// command runs a program in the folder of the source.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// eventRows are the rows of a flow in a file of events, by column.
func eventRows(t *testing.T, path, flow string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, key := range records[0] {
			row[key] = record[i]
		}
		if row["flow"] == flow {
			rows = append(rows, row)
		}
	}
	return rows
}

// eventShown is what the player shows of an event.
type eventShown struct {
	Said   string `json:"said"`
	Ring   string `json:"ring"`
	Frozen bool   `json:"frozen"`
	Dots   int    `json:"dots"`
	Facts  string `json:"facts"`
	Send   int    `json:"send"`
	Next   int    `json:"next"`
}

// allShown looks at every event of the flow that the player shows.
const allShown = `state.flow.event.map((_, i) => {
	go(i);
	const text = (selector, root = document) => [...root.querySelectorAll(selector)].map(e => e.textContent);
	return {
		said: by('said').textContent, frozen: getComputedStyle(by('frozen')).visibility === 'visible',
		ring: [...by('ring').children].map(li => li.firstChild.data + ':' + (li.lastChild.textContent === 'valid' ? 1 : 0)).join(' '),
		dots: by('uplinks').querySelectorAll('path').length, facts: text('#facts dd').join(' '),
		send: by('sent').disabled ? -1 : state.flow.sent[i], next: by('next').disabled ? -1 : state.flow.next[i],
	};
})`

// isSent reports whether something leaves in a row.
func isSent(row map[string]string) bool {
	return slices.Contains([]string{"send", "resend", "request", "probe"}, row["event"])
}

// checkShown compares what the player shows of every event with the columns of the file.
func checkShown(t *testing.T, shown []eventShown, rows []map[string]string) {
	t.Helper()
	if len(shown) != len(rows) {
		t.Fatalf("%d events are shown, %d are in the file", len(shown), len(rows))
	}
	for i, row := range rows {
		window, _ := strconv.ParseFloat(row["cwnd_packets"], 64)
		send, next := -1, slices.IndexFunc(rows[i+1:], func(r map[string]string) bool { return isSent(r) && row["ev"] != "" && r["ev"] == row["ev"] })
		if next >= 0 {
			next += i + 1
		}
		for j := range i {
			if answer := row["event"]; isSent(rows[j]) && rows[j]["packet"] == row["packet"] && rows[j]["ev"] == row["ev"] && (answer == "ack" || answer == "nack" || answer == "timeout") {
				send = j
			}
		}
		flight, _ := strconv.Atoi(row["in_flight"])
		want := eventShown{"", row["slots"], row["frozen"] == "true", flight, fmt.Sprintf("%.1f %s %s", window, row["in_flight"], row["valid"]), send, next}
		got := shown[i]
		if said := " µs: " + row["event"]; !strings.Contains(got.Said, said) {
			t.Errorf("event %d: says %q, want %q in it", i, got.Said, said)
		}
		if got.Said = ""; got != want {
			t.Fatalf("event %d: shown %+v, in the file %+v", i, got, want)
		}
	}
}

// TestPlayerShows: after every event of every flow the player shows the ring, the packets in flight and the jumps that
// follow from the file, and it can be used by mouse and keyboard, on a phone and in the dark.
func TestPlayerShows(t *testing.T) {
	dir := t.TempDir()
	repslab, events, path := filepath.Join(dir, "repslab"), filepath.Join(dir, "events.csv"), filepath.Join(dir, "view.html")
	command(t, "go", "build", "-o", repslab, "./cmd/repslab")
	command(t, repslab, "fattree", "--hosts", "32", "--workload", "tornado", "--message-bytes", "1MiB", "--replicas", "1", "--trimming", "off",
		"--failure", "cables=1,at=5,for=20,place=aligned", "--events", events, "--event-flows", "0,3")
	command(t, repslab, "view", events, "-o", path)
	p := Open(t)
	p.Dark(false)
	openPlayer(p, path)
	rows := eventRows(t, events, "0")
	t.Run("events", func(t *testing.T) {
		for i, flow := range []string{"0", "3"} {
			choose(p, "flow", strconv.Itoa(i))
			checkShown(t, Eval[[]eventShown](p, allShown), eventRows(t, events, flow))
		}
		choose(p, "flow", "0")
	})
	t.Run("use", func(t *testing.T) { testPlayerUse(t, p, rows) })
	t.Run("load", func(t *testing.T) { testPlayerLoad(t, p, rows, eventRows(t, events, "3")) })
	for _, look := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"desk", 1280, 800, false}, {"desk-dark", 1280, 800, true}, {"phone", 390, 844, false}, {"phone-dark", 390, 844, true}} {
		t.Run(look.name, func(t *testing.T) {
			p.Resize(look.width, look.height)
			p.Dark(look.dark)
			for _, moment := range []string{"send", "ack", "timeout"} {
				i := slices.IndexFunc(rows, func(row map[string]string) bool {
					return row["event"] == moment && row["time_us"] > "4" || row["event"] == "end"
				})
				Eval[bool](p, fmt.Sprintf(`(go(%d + 20), true)`, i))
				p.Screenshot(t, look.name+"-"+moment, true)
			}
			p.CheckAccess(t)
		})
	}
	if order := p.CheckFocus(t, 40); len(order) < 15 {
		t.Errorf("the focus visits %q", order)
	}
	t.Run("hostile", func(t *testing.T) { testPlayerHostile(t, p, repslab, events) })
	p.CheckQuiet("file://")
	if requests := p.Requests(); len(requests) != 2 {
		t.Errorf("requests %q, want the two pages", requests)
	}
}

// openPlayer opens a player and waits until it shows an event or a fault.
func openPlayer(p *Page, path string) {
	p.LoadFile(path)
	p.Wait(`document.getElementById('number').textContent !== '' || !document.getElementById('fault').hidden`)
}

// at returns the event that the player shows.
func at(p *Page) int { return Eval[int](p, `state.i`) }

// testPlayerUse steps, jumps, finds and plays by mouse and keyboard.
func testPlayerUse(t *testing.T, p *Page, rows []map[string]string) {
	of := func(kind string) int {
		return slices.IndexFunc(rows, func(row map[string]string) bool { return row["event"] == kind })
	}
	expect := func(what string, want int) {
		t.Helper()
		if got := at(p); got != want {
			t.Errorf("%s: event %d, want %d", what, got, want)
		}
	}
	p.Press(kb.Home)
	expect("Home", 0)
	p.Press(kb.ArrowRight)
	p.Click("#forward")
	p.Press(kb.ArrowLeft)
	expect("there and back", 1)
	p.Press("/")
	if focus := Eval[string](p, `document.activeElement.id`); focus != "text" {
		t.Errorf("/ gives the focus to %q", focus)
	}
	Eval[bool](p, `(by('text').value = '', true)`) // a person's / does not get there, DevTools's does
	p.Type("#text", "timeout"+kb.Enter)
	expect("find timeout", of("timeout"))
	p.Click("#sent")
	sent := at(p)
	if row, lost := rows[sent], rows[of("timeout")]; row["event"] != "send" || row["packet"] != lost["packet"] || row["ev"] != lost["ev"] {
		t.Errorf("the send of %v is %v", lost, row)
	}
	p.Click("#number") // the keys go to the page
	p.Press("a")
	expect("its answer", of("timeout"))
	Eval[bool](p, `(by('text').value = 'ev `+rows[0]["ev"]+`', true)`)
	p.Press(kb.Home)
	p.Click("#before")
	last := -1
	for i, row := range rows {
		if row["ev"] == rows[0]["ev"] {
			last = i
		}
	}
	expect("the last event of an EV", last)
	Eval[bool](p, `(by('text').value = '99999', true)`)
	p.Click("#after")
	if says := Eval[string](p, `by('found').textContent`); says != "not found" {
		t.Errorf("a packet that is none: %q", says)
	}
	p.Press(kb.Tab) // out of the search
	p.Press(kb.Home)
	stop := 0
	for sends, i := 1, 1; sends <= 500 && i < len(rows); i++ {
		if stop = i; isSent(rows[i]) {
			sends++
		}
	}
	p.Click("#slow")
	if got := Eval[int](p, `state.stop`); got != stop || Eval[string](p, `by('speed').value`) != "25" {
		t.Errorf("slow motion ends with event %d, want %d", got, stop)
	}
	choose(p, "speed", "10000")
	p.Wait(`!state.playing`)
	expect("the end of the slow motion", stop)
	p.Press(kb.Home)
	p.Click("#play")
	p.Wait(`!state.playing`)
	expect("the end", len(rows)-1)
}

// testPlayerLoad counts the packets that both flows sent in the last 10 us, at each hundredth event of the first.
func testPlayerLoad(t *testing.T, p *Page, rows, others []map[string]string) {
	time := func(row map[string]string) float64 {
		us, err := strconv.ParseFloat(row["time_us"], 64)
		if err != nil {
			t.Fatal(err)
		}
		return us
	}
	for i := 0; i < len(rows); i += 100 {
		want := map[string]int{}
		count := func(list []map[string]string) {
			for _, row := range list {
				if us := time(row); isSent(row) && us <= time(rows[i]) && us > time(rows[i])-10 {
					want[row["path"]]++
				}
			}
		}
		count(rows[:i+1])
		count(others)
		if got := Eval[map[string]int](p, fmt.Sprintf(`loadsAt(state.group, state.flow, %d, 10)`, i)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("event %d: sent by path %v, want %v", i, got, want)
		}
	}
}

// testPlayerHostile opens a file of two load balancers, of which one has the name of a script.
func testPlayerHostile(t *testing.T, p *Page, repslab, events string) {
	const name = `</script><img src=x onerror='document.title="run"'>`
	data, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, line := range lines {
		lb := map[bool]string{true: `"` + strings.ReplaceAll(name, `"`, `""`) + `"`, false: "reps"}[strings.Contains(line, ",3,")]
		if i == 0 {
			lb = "lb"
		}
		lines[i] = lb + "," + strings.Replace(line, ",random,", ",<b>drawn</b>,", 1)
	}
	dir := filepath.Dir(events)
	if err := os.WriteFile(filepath.Join(dir, "bad.csv"), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, repslab, "view", filepath.Join(dir, "bad.csv"), "-o", filepath.Join(dir, "bad.html"))
	openPlayer(p, filepath.Join(dir, "bad.html"))
	options := Eval[string](p, `by('flow').textContent`)
	sources := Eval[string](p, `by('sources').textContent`)
	if !strings.Contains(options, "lb="+name) || !strings.Contains(sources, "<b>drawn</b>") || Eval[int](p, `document.querySelectorAll('img, b, script').length`) != 1 {
		t.Errorf("flows %q, sources %q", options, sources)
	}
}
