package player

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const header = "lb,time_us,flow,event,packet,ev,path,ev_source,marked,rtt_us,cwnd_packets,in_flight,valid,frozen,slots\n"

// Rows of two flows under two load balancers.
const rows = `reps,0,0,send,0,7,1/2,random,,,151,1,0,false,
reps,0,3,send,0,9,0/1,random,,,151,1,0,false,
reps,8.5,0,ack,0,7,1/2,,false,8.5,151,0,1,false,7:1
reps,9,0,timeout,,,,,,,1.5,0,1,True,9:0 7:1
ops,0,0,send,0,9,1,random,,,151,1.0,0,false,
`

// written writes a file and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// pageOf returns the page of a file.
func pageOf(t *testing.T, path string) string {
	t.Helper()
	e, err := Read(path, strings.HasSuffix(path, ".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := e.Page()
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// dataOf returns the flows that a page holds.
func dataOf(t *testing.T, page string) (flows []flow) {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`<pre id="data" hidden>([^<]*)</pre>`).FindStringSubmatch(page)[1])
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(plain).Decode(&flows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

// TestPageHoldsEvents: a page holds the cells of its file by flow, parameters apart, from CSV and JSON lines alike.
func TestPageHoldsEvents(t *testing.T) {
	flows := dataOf(t, pageOf(t, written(t, "e.csv", "\ufeff"+header+rows)))
	if len(flows) != 3 || fmt.Sprintf("%s %s %s", flows[1].Number, flows[1].Parameters, flows[2].Parameters) != "3 [lb=reps] [lb=ops]" {
		t.Fatalf("%+v", flows)
	}
	for key, want := range map[string]string{
		"time_us": "[0 8.5 9]", "event": "[send ack timeout]", "packet": "[0 0 <nil>]", "ev": "[7 7 <nil>]", "path": "[1/2 1/2 <nil>]",
		"ev_source": "[random <nil> <nil>]", "marked": "[<nil> false <nil>]", "rtt_us": "[<nil> 8.5 <nil>]", "cwnd_packets": "[151 151 1.5]",
		"in_flight": "[1 0 0]", "valid": "[0 1 1]", "frozen": "[false false true]", "slots": "[<nil> 7:1 9:0 7:1]",
	} {
		if got := fmt.Sprint(flows[0].Cells[key]); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if len(flows[0].Cells) != 14 {
		t.Errorf("columns %v", flows[0].Cells)
	}
	keys, lines := strings.Split(strings.TrimSpace(header), ","), ""
	for row := range strings.Lines(rows) {
		var cells []string
		for i, cell := range strings.Split(strings.TrimSpace(row), ",") {
			switch {
			case cell == "":
				cell = "null"
			case !json.Valid([]byte(cell)) || keys[i] == "path" && !strings.Contains(cell, "/"):
				cell = fmt.Sprintf("%q", cell)
			}
			cells = append(cells, fmt.Sprintf("%q: %s", keys[i], cell))
		}
		lines += "{" + strings.Join(cells, ", ") + "}\n\n"
	}
	if same := dataOf(t, pageOf(t, written(t, "e.jsonl", lines))); fmt.Sprint(same) != fmt.Sprint(flows) {
		t.Errorf("JSON lines give %v, CSV %v", same, flows)
	}
}

// TestPageIsSafeAndSmall: no text of a file can escape from its place in the page, equal files give equal
// bytes, and the page is smaller than the file.
func TestPageIsSafeAndSmall(t *testing.T) {
	const bad = `</script><script>alert(1)</script>`
	text := strings.ReplaceAll(header+rows, "reps,", `"`+bad+`",`) + "ops,1,0,send,1,1,2,<img src=x onerror=alert(2)>,,,151,1,0,false,\n"
	for i := range 800 {
		text += fmt.Sprintf("ops,%d.083,0,send,%d,%d,%d,ring,,,150.67084337349397,%d,2,false,%d:0 35744:0 21003:1\n", i+2, i, i*40503%65536, i%8, i%151, i*40503%65536)
	}
	path := written(t, "<b>.csv", text)
	page := pageOf(t, path)
	flows := dataOf(t, page)
	if cells := flows[len(flows)-1].Cells; cells["ev_source"][1] != "<img src=x onerror=alert(2)>" || !slices.Equal(flows[0].Parameters, []string{"lb=" + bad}) {
		t.Errorf("%v, parameters %q", cells["ev_source"][:2], flows[0].Parameters)
	}
	if strings.Contains(page, "alert(") || strings.Contains(page, "onerror") || strings.Count(page, "<script") != 1 || !strings.Contains(page, "<title>&lt;b&gt;.csv") {
		t.Error("text of the file is a part of the page")
	}
	for _, address := range []string{"http:", "https:", "src=", "url("} {
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), address) {
			t.Errorf("the page has %s", address)
		}
	}
	empty := len(pageOf(t, written(t, "e.csv", header+rows)))
	if len(page)-empty > len(text)*4/10 || page != pageOf(t, path) {
		t.Errorf("%d bytes for a file of %d, or other bytes the next time", len(page)-empty, len(text))
	}
}

// TestReadRefuses: each error names the file, the line and the column.
func TestReadRefuses(t *testing.T) {
	row := strings.Split("reps,0,0,send,0,7,1,random,,,151,1,0,false,7:1 9:0", ",")
	with := func(column int, cell string) string {
		changed := slices.Clone(row)
		changed[column] = cell
		return header + strings.Join(row, ",") + "\n" + strings.Join(changed, ",") + "\n"
	}
	for text, want := range map[string]string{
		"":                                     "has no event",
		header:                                 "has no event",
		"run,max_fct_us\n0,5\n":                "line 1: lacks time_us, flow, event, packet, ev, path, ev_source, marked, rtt_us, cwnd_packets, in_flight, valid, frozen, slots: it must be",
		strings.Replace(header, "ev,", "", 1):  "line 1: lacks ev: it must be",
		strings.Replace(header, "lb", "ev", 1): `line 1: "ev" must be the name of one column alone`,
		header + "reps,0\n":                    "line 2: wrong number of fields",
		with(1, "NaN"):                         `line 3: time_us: "NaN" must be a number of at least 0`,
		with(1, "+Inf"):                        `line 3: time_us: "+Inf" must be a number`,
		with(1, "-1"):                          `line 3: time_us: "-1" must be a number`,
		with(1, ""):                            `line 3: time_us: "" must be a number`,
		with(2, "1.5"):                         `line 3: flow: "1.5" must be an integer`,
		with(3, "sent"):                        `line 3: event: "sent" must be one of send, resend, request, probe, ack, nack, timeout, reply, freeze, thaw, end`,
		with(4, "NaN"):                         `line 3: packet: "NaN" must be an integer`,
		with(4, "07"):                          `line 3: packet: "07" must be an integer`,
		with(5, "655360"):                      `line 3: ev: "655360" must be an entropy value or empty`,
		with(6, "1/x"):                         `line 3: path: "1/x" must be numbers with / between`,
		with(8, "yes"):                         `line 3: marked: "yes" must be true, false or empty`,
		with(9, "1e999"):                       `line 3: rtt_us: "1e999" must be a number`,
		with(10, "NaN"):                        `line 3: cwnd_packets: "NaN" must be`,
		with(11, ""):                           `line 3: in_flight: "" must be`,
		with(12, "x"):                          `line 3: valid: "x" must be`,
		with(13, ""):                           `line 3: frozen: "" must be`,
		with(14, "7:2"):                        `line 3: slots: "7:2" must be EVs with :1 if valid, :0 if used`,
		header + strings.ReplaceAll(rows, "reps,8.5,", "reps,9.5,"): `line 5: time_us: 9 must be at least 9.5, the time of the flow's event above it`,
	} {
		path := written(t, "e.csv", text)
		if _, err := Read(path, false); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.300q: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"{}\n":                     "line 1: lacks time_us",
		"[1]\n":                    `line 1: "[1]" must be an object of JSON`,
		"null\n":                   `line 1: "null" must be`,
		"\n{\"time_us\": NaN}\n":   "line 2: \"{",
		strings.Repeat("x", 2<<20): "line 1: more than 1048576 bytes in a line",
	} {
		path := written(t, "e.jsonl", text)
		if _, err := Read(path, true); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.300q: error %v, want %q", text, err, want)
		}
	}
}

// TestLimits: files with too many events, or too many bytes of rings, are refused.
func TestLimits(t *testing.T) {
	for want, e := range map[string]*Events{
		"line 4: a page has at most 200000 events: write fewer by --event-flows": {count: MostEvents - 2},
		"line 4: a page has at most 128 MiB of cells, mostly rings":              {bytes: mostBytes - 80},
	} {
		e.path, e.flows = "e.csv", map[string]*flow{}
		if err := e.readCSV(strings.NewReader(header + rows)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestEndlessLine: a line that never ends is an error that says how long a row may be.
func TestEndlessLine(t *testing.T) {
	for _, text := range []string{strings.Repeat("\x00", 3<<20), header + `0,0,"` + strings.Repeat("\n", 3<<20)} {
		e := &Events{path: "e.csv", flows: map[string]*flow{}}
		if err := e.readCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "e.csv: more than 1048576 bytes in a record") {
			t.Errorf("error %v", err)
		}
	}
}

// FuzzRead: what can be read makes a page.
func FuzzRead(f *testing.F) {
	f.Add(header+rows, false)
	f.Add(`{"time_us":1e5,"flow":0,"event":"send","packet":0,"ev":1,"path":"0","ev_source":"","marked":null,"rtt_us":null,`+
		`"cwnd_packets":1,"in_flight":1,"valid":0,"frozen":false,"slots":"1:0 2:1"}`, true)
	path := filepath.Join(f.TempDir(), "e")
	f.Fuzz(func(t *testing.T, text string, isJSON bool) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		e, err := Read(path, isJSON)
		if err != nil {
			return
		}
		if _, err := e.Page(); err != nil {
			t.Error(err)
		}
	})
}
