package main

import (
	"encoding/csv"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// csvRows are the rows of a CSV text, by column.
func csvRows(t *testing.T, text string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, key := range records[0] {
			row[key] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestEvents: --events has a row for each packet that a flow sends and for each answer, in the order of their times,
// and the rows of the command are the same without it.
func TestEvents(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 16 --workload tornado --message-bytes 200kB --replicas 1 --failure cables=1,at=3,place=aligned --lb ops,reps"
	plain := repslab(t, strings.Fields(network)...)
	o := repslab(t, strings.Fields(network+" --events e.csv --event-flows 0..15")...)
	if o.code != exitDone || o.stdout != plain.stdout {
		t.Fatalf("%+v, without events %+v", o, plain)
	}
	sent := map[string]int{}
	valid, stale, last := 0, 0, 0.0
	for _, row := range csvRows(t, string(fileBytes(t, "e.csv"))) {
		us, err := strconv.ParseFloat(row["time_us"], 64)
		if err != nil {
			t.Fatal(err)
		}
		if row["flow"] == "0" && row["lb"] == "ops" && us < last {
			t.Errorf("%v comes after %v us", row, last)
		}
		if last = us; row["event"] == "send" || row["event"] == "resend" {
			sent[row["lb"]]++
			if row["ev_source"] == "stale" {
				stale++
			}
			if row["ev"] == "" || row["path"] == "" || row["lb"] == "ops" && (row["ev_source"] != "random" || row["slots"] != "") {
				t.Errorf("a packet leaves by %v", row)
			}
		}
		if strings.Count(row["slots"], ":1") != 0 {
			valid++
		}
	}
	rows := csvRows(t, repslab(t, strings.Fields(network+" --format csv")...).stdout)
	for _, row := range rows {
		if want := row["sent"]; want != strconv.Itoa(sent[row["lb"]]) {
			t.Errorf("%s: %d packets leave by the events, %s by the row", row["lb"], sent[row["lb"]], want)
		}
	}
	if valid == 0 || stale == 0 {
		t.Errorf("rings are valid in %d events, stale EVs leave in %d", valid, stale)
	}
}

// TestEventFlags: the time and the number of events are limited, JSON lines are written by the name, and what cannot be
// is refused.
func TestEventFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 16 --message-bytes 200kB --replicas 1 --events "
	if o := repslab(t, strings.Fields(network+"e.jsonl --event-flows 3 --event-us 2..4.5 --event-most 5")...); o.code != exitDone ||
		!strings.Contains(o.stderr, "beyond the first 5 of a flow are left out") {
		t.Fatalf("%+v", o)
	}
	lines := strings.Split(strings.TrimSpace(string(fileBytes(t, "e.jsonl"))), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], `{"time_us":2.`) || !strings.Contains(lines[0], `"flow":3`) {
		t.Errorf("%d lines: %s", len(lines), lines[0])
	}
	if o := repslab(t, strings.Fields(network+"none.csv --event-us 9000..9001")...); o.code != exitDone || !strings.HasPrefix(string(fileBytes(t, "none.csv")), "time_us,flow,event,packet,ev,") {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, strings.Fields("fattree --hosts 128 --tiers 3 --workload tornado --message-bytes 9kB --replicas 1 --events many.csv --event-flows 0..127")...); o.code != exitDone || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	for _, row := range csvRows(t, string(fileBytes(t, "many.csv"))) {
		if choices := strings.Split(row["path"], "/"); row["event"] == "send" && len(choices) != 2 {
			t.Fatalf("%v: a path of three tiers between pods has two choices", row)
		}
	}
	for flags, want := range map[string]string{
		"e.csv --event-flows 16":             "--event-flows",
		"e.csv --event-us 3..2":              "--event-us",
		"e.csv --event-us 3":                 "--event-us",
		"e.csv --event-most -1":              "--event-most",
		"e.csv --event-most 99999999":        "--event-most",
		"e.csv --profile mrc --planes 2":     "--profile mrc",
		"e.csv --flows-out e.csv":            "--events",
		"e.csv --trace t.csv --output e.csv": "must not be the file",
	} {
		if o := repslab(t, strings.Fields(network+flags)...); o.code != exitUsage || !strings.Contains(o.stderr, want) || o.stdout != "" {
			t.Errorf("%s: %+v", flags, o)
		}
	}
	if o := repslab(t, strings.Fields("fattree --hosts 16 --event-us 2..3")...); o.code != exitUsage || !strings.Contains(o.stderr, "must come with --events") {
		t.Errorf("%+v", o)
	}
}

// TestEventsOfConditions: --event-flows and --trace-flows take conditions of --groups, which choose the flows that the
// group has; numbers stay numbers of flows; and what no flow meets, or only the run tells, is refused.
func TestEventsOfConditions(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 16 --replicas 1 --seed 3 --quiet --force --flows-out f.csv "
	flowsIn := func(file string) map[string]bool {
		in := map[string]bool{}
		for _, row := range csvRows(t, string(fileBytes(t, file))) {
			if row["flow"] != "" {
				in[row["flow"]] = true
			} else if row["quantity"] == "cwnd_packets" {
				in[row["number"]] = true
			}
		}
		return in
	}
	for text, has := range map[string]func(row map[string]string) bool{
		"source=3..5,9": func(row map[string]string) bool { return strings.Contains(" 3 4 5 9 ", " "+row["source"]+" ") },
		"tor=1 and destination<8": func(row map[string]string) bool {
			return strings.Contains(" 4 5 6 7 ", " "+row["source"]+" ") && len(row["destination"]) == 1 && row["destination"] < "8"
		},
		"bytes>=40kB, flow>2": func(row map[string]string) bool {
			return floatCell(t, row, "bytes") >= 40_000 && floatCell(t, row, "flow") > 2
		},
		"1..3": func(row map[string]string) bool { return strings.Contains(" 1 2 3 ", " "+row["flow"]+" ") },
	} {
		command := append(strings.Fields(network+"--workload websearch --load 0.2 --duration-us 50 --events e.csv --trace t.csv"), "--event-flows", text, "--trace-flows", text)
		if o := repslab(t, command...); o.code != exitDone {
			t.Fatalf("%+v", o)
		}
		want := map[string]bool{}
		for _, row := range csvRows(t, string(fileBytes(t, "f.csv"))) {
			if has(row) {
				want[row["flow"]] = true
			}
		}
		if got := flowsIn("e.csv"); len(want) == 0 || !maps.Equal(got, want) {
			t.Errorf("%s: events of %v, want %v", text, got, want)
		}
		if got := flowsIn("t.csv"); !maps.Equal(got, want) {
			t.Errorf("%s: traces of %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"source=99":       "--event-flows: source=99 must be in [0, 15]",
		"bytes>1GB":       `--event-flows: "bytes>1GB" must hold for a flow, but holds for none of the 16`,
		"start>5":         `--event-flows: "start>5" must be without start and crosses-failure, which are known only after the run`,
		"crosses-failure": `"crosses-failure" must be without start and crosses-failure`,
		"host=3":          `--event-flows: "host=3" must be numbers of flows, such as 0,512..520, or conditions of --groups, but has a wrong condition, "host=3": must be background,`,
		"3,source=4":      "--event-flows: ",
	} {
		if o := repslab(t, append(strings.Fields(network+"--events none.csv"), "--event-flows", text)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v, want %q", text, o, want)
		}
	}
}
