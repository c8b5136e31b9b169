package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/param"
)

// floatCell returns a cell as a number.
func floatCell(t *testing.T, row map[string]string, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[key], 64)
	if err != nil {
		t.Fatalf("%s of %v: %v", key, row, err)
	}
	return v
}

// insideCounts are the counts of some flows' rows in a file of --events.
type insideCounts struct {
	origins                                 map[string]float64
	entries                                 map[string]float64 // events that leave so many valid entries
	looks, valid, freezes, timeouts, marked float64
	evs, frozenUs                           float64
	seen                                    map[string]bool     // flow and EV
	sent                                    map[string][]string // by flow: EVs of new packets
	flight                                  map[string]int      // by flow: packets in flight after the last of them
	since                                   map[string]float64  // by flow: the last event in freezing mode
}

// add adds an event.
func (c *insideCounts) add(t *testing.T, row map[string]string) {
	t.Helper()
	flow, time := row["flow"], floatCell(t, row, "time_us")
	if since, frozen := c.since[flow]; frozen {
		c.frozenUs += time - since
		delete(c.since, flow)
	}
	if row["frozen"] == "true" {
		c.since[flow] = time
	}
	sends := row["event"] == "send" || row["event"] == "resend"
	if sends {
		c.origins[row["ev_source"]]++
		if ev := flow + " " + row["ev"]; !c.seen[ev] {
			c.seen[ev] = true
			c.evs++
		}
	}
	if row["event"] == "send" {
		c.sent[flow] = append(c.sent[flow], row["ev"])
		c.flight[flow] = int(floatCell(t, row, "in_flight"))
	}
	if sends || row["event"] == "ack" {
		c.looks++
		c.valid += floatCell(t, row, "valid")
		c.entries[row["valid"]]++
	}
	switch {
	case row["event"] == "freeze":
		c.freezes++
	case row["event"] == "timeout":
		c.timeouts++
	case row["event"] == "ack" && row["marked"] == "true":
		c.marked++
	}
}

// inFlight returns the means over flows of the EVs in flight after the last new packet, and of the share of the most
// frequent one.
func (c *insideCounts) inFlight() (evs, top float64) {
	for flow, sent := range c.sent {
		counts, most, all := map[string]int{}, 0, c.flight[flow]
		for _, ev := range sent[len(sent)-all:] {
			counts[ev]++
			most = max(most, counts[ev])
		}
		evs += float64(len(counts)) / float64(len(c.sent))
		top += float64(most) / float64(all) / float64(len(c.sent))
	}
	return evs, top
}

// check compares the counts of some flows, which lasted some time together, with a row.
func (c *insideCounts) check(t *testing.T, row map[string]string, flows int, lastedUs float64) {
	t.Helper()
	flightEVs, topShare := c.inFlight()
	told := c.origins["ring"] + c.origins["stale"] + c.origins["random"] + c.origins["explore"]
	for key, want := range map[string]float64{
		"flows": float64(flows), "valid_share": c.origins["ring"] / told, "stale_share": c.origins["stale"] / told, "random_share": c.origins["random"] / told,
		"explore_share": c.origins["explore"] / told, "ring_valid_mean": c.valid / c.looks, "distinct_evs_mean": c.evs / float64(flows),
		"flight_evs_mean": flightEVs, "top_ev_share": topShare,
		"freezes": c.freezes, "timeouts": c.timeouts, "marked_acks": c.marked, "frozen_share": c.frozenUs / lastedUs,
	} {
		if got := floatCell(t, row, key); math.Abs(got-want) > 2e-9*max(1, want) {
			t.Errorf("group %q: %s is %v, by the events %v", row["group"], key, got, want)
		}
	}
	for bar := range strings.FieldsSeq(row["ring_valid_law"]) {
		value, share, _ := strings.Cut(bar, ":")
		if want := c.entries[value] / c.looks; share != fmt.Sprint(math.Round(want*1e9)/1e9) {
			t.Errorf("group %q: %s entries are valid after a share of %s, by the events %v", row["group"], value, share, want)
		}
		delete(c.entries, value)
	}
	if len(c.entries) > 0 {
		t.Errorf("group %q: the law lacks %v", row["group"], c.entries)
	}
}

// TestInside: the columns of --inside, of all flows and of groups, are those that the events of all flows give, in a
// run with marks, a failure, freezing mode, exploration and time-outs; other columns have the values of a run without
// them.
func TestInside(t *testing.T) {
	t.Chdir(t.TempDir())
	network := strings.Fields("fattree --hosts 32 --message-bytes 1MiB --replicas 1 --failure cables=4,at=5,for=40,place=first --freeze-us 20 --trimming off")
	groups := append(network, "--groups", "tor0: tor=0; some: flow=3,5..9 and bytes>=1MiB; none: start>=1")
	o := repslab(t, append(groups, "--format", "csv", "--flows-out", "f.csv", "--events", "e.csv", "--event-flows", "0..31")...)
	if o.code != exitDone || !strings.Contains(o.stderr, "no flow is in none") {
		t.Fatalf("%+v", o)
	}
	rows := csvRows(t, o.stdout)
	if len(rows) != 4 {
		t.Fatalf("%d rows of three groups and all flows", len(rows))
	}
	flows := csvRows(t, string(fileBytes(t, "f.csv")))
	for i, in := range []func(flow, source int) bool{
		func(int, int) bool { return true }, func(_, source int) bool { return source < 4 },
		func(flow, _ int) bool { return flow == 3 || flow >= 5 && flow <= 9 },
	} {
		c := insideCounts{origins: map[string]float64{}, entries: map[string]float64{}, seen: map[string]bool{}, since: map[string]float64{}, sent: map[string][]string{}, flight: map[string]int{}}
		count, lasted, longest := 0, 0.0, 0.0
		members := map[string]bool{}
		for flow, row := range flows {
			if is := in(flow, int(floatCell(t, row, "source"))); is {
				count, lasted, longest, members[row["flow"]] = count+1, lasted+floatCell(t, row, "fct_us"), max(longest, floatCell(t, row, "fct_us")), true
			}
			if name := rows[i]["group"]; i > 0 && strings.Contains("+"+row["group"]+"+", "+"+name+"+") != members[row["flow"]] {
				t.Errorf("flow %d is in %q, in %s: %v", flow, row["group"], name, members[row["flow"]])
			}
		}
		for _, row := range csvRows(t, string(fileBytes(t, "e.csv"))) {
			if members[row["flow"]] {
				c.add(t, row)
			}
		}
		if i == 0 && min(c.origins["stale"], c.origins["explore"], c.freezes, c.timeouts, c.marked) == 0 {
			t.Errorf("the run does not have all that is counted: %+v", c.origins)
		}
		c.check(t, rows[i], count, lasted)
		if got := floatCell(t, rows[i], "max_fct_us"); math.Abs(got-longest) > 1e-6 {
			t.Errorf("group %s: the slowest flow takes %v us, by the flows %v", rows[i]["group"], got, longest)
		}
	}
	inside := map[string]bool{"inside": true, "groups": true, "group": true}
	for key, value := range csvRows(t, repslab(t, append(network, "--format", "csv")...).stdout)[0] {
		stem := strings.TrimSuffix(strings.TrimSuffix(key, "_lo"), "_hi")
		if all, _ := param.Named(cases.All(), "fattree"); !inside[key] && !cases.NeedsInside(all, []string{stem}) && rows[0][key] != value {
			t.Errorf("%s is %s without groups, %s with them", key, value, rows[0][key])
		}
	}
	asked := csvRows(t, repslab(t, append(network, "--format", "csv", "--columns", "valid_share,ring_valid_law,inside")...).stdout)[0]
	if asked["valid_share"] != rows[0]["valid_share"] || asked["ring_valid_law"] != rows[0]["ring_valid_law"] || asked["inside"] != "on" {
		t.Errorf("--columns gives %v", asked)
	}
}

// TestCrossesFailure: flows with an end at ToR 0 can take its first cable, unless both ends are there or the fault is
// over before they start; those that leave or enter pod 0 can take the first cable of its first aggregation switch.
func TestCrossesFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	var list strings.Builder
	list.WriteString("Nodes 16\nConnections 256\n")
	for a := range 16 {
		for b := range 16 {
			if a != b {
				fmt.Fprintf(&list, "%d->%d id %d start %d size 1000\n", a, b, 16*a+b+1, 50_000_000*(b%2))
			}
		}
	}
	writeText(t, "f.cm", strings.Replace(list.String(), "256", "240", 1))
	tor := func(a, b int) bool { return a/4 != b/4 && (a < 4 || b < 4) }
	for flags, want := range map[string]func(a, b int) bool{
		"--failure cables=1,place=first":                                                            tor,
		"--failure cables=1,place=first,for=20":                                                     func(a, b int) bool { return tor(a, b) && b%2 == 0 },
		"--failure cables=1,place=first,at=45":                                                      func(a, b int) bool { return tor(a, b) && b%2 == 1 },
		"--failure degrade=1:0.5,place=first,dir=down":                                              tor,
		"--failure loss=1%":                                                                         func(int, int) bool { return false },
		"--planes 2 --profile mrc --failure cables=1,place=first,plane=1":                           tor,
		"--tiers 3 --hosts-per-tor 2 --uplinks-per-tor 2 --failure cables=1,place=first":            func(a, b int) bool { return a/2 != b/2 && (a < 2 || b < 2) },
		"--tiers 3 --hosts-per-tor 2 --uplinks-per-tor 2 --failure cables=1,layer=core,place=first": tor,
	} {
		args := append(strings.Fields("fattree --flows f.cm --replicas 1 --force --quiet --flows-out o.csv "+flags), "--groups", "hit: crosses-failure")
		if o := repslab(t, args...); o.code != exitDone {
			t.Fatalf("%s: %+v", flags, o)
		}
		hits := 0
		for _, row := range csvRows(t, string(fileBytes(t, "o.csv"))) {
			a, b := int(floatCell(t, row, "source")), int(floatCell(t, row, "destination"))
			if got := row["group"] == "hit"; got != want(a, b) {
				t.Errorf("%s: the flow from %d to %d crosses the failure: %v", flags, a, b, got)
			} else if got {
				hits++
			}
		}
		if hits == 0 && !strings.Contains(flags, "loss") {
			t.Errorf("%s: no flow crosses the failure", flags)
		}
	}
}

// TestGroupsResume: a sweep with groups that has lost its end goes on to the same bytes, and rows of a group are
// compared and drawn apart.
func TestGroupsResume(t *testing.T) {
	t.Chdir(t.TempDir())
	line := append(strings.Fields("sweep fattree --hosts 16 --message-bytes 9kB,20kB --replicas 2 --block 1 --quiet -o s.jsonl --resume"),
		"--groups", "a: tor=0; b: flow>=4 and flow<9|c: bytes<10kB")
	if o := repslab(t, line...); o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	whole := string(fileBytes(t, "s.jsonl"))
	lines := strings.SplitAfter(whole, "\n")
	writeText(t, "s.jsonl", strings.Join(lines[:len(lines)/2], ""))
	if o := repslab(t, line...); o.code != exitDone || string(fileBytes(t, "s.jsonl")) != whole {
		t.Errorf("%+v: the file differs", o)
	}
	show := csvRows(t, repslab(t, "show", "s.jsonl", "--format", "csv").stdout)
	names := map[string]int{}
	for _, row := range show {
		names[row["group"]]++
	}
	if fmt.Sprint(names) != "map[a:2 all:4 b:2 c:2]" {
		t.Errorf("rows of groups: %v", names)
	}
	o := repslab(t, "compare", "s.jsonl", "s.jsonl", "--where", "group=b", "--format", "csv", "-y", "max_fct_us")
	if rows := csvRows(t, o.stdout); len(rows) != 2 || rows[0]["group"] != "b" || rows[0]["difference"] != "0" {
		t.Errorf("%+v", o)
	}
	plot := strings.Fields("plot s.jsonl --x message_bytes --y p50_fct_us -o p.svg --where")
	if o := repslab(t, append(plot, "group=b")...); o.code != exitDone {
		t.Errorf("%+v", o)
	}
}
