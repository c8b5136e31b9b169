package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestEVCounts: the packets of all EVs of all flows are the packets of the run: all that is sent, and each that is lost
// was trimmed or timed out. With as many EVs as paths each EV is a path; a flow that is chosen alone has the same rows;
// and the rows of the command stay the same.
func TestEVCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 16 --workload tornado --message-bytes 400kB --replicas 1 --evs 4 --ev-routing exact --ack-routing exact --queue 12 --failure cables=1,at=3,for=20,place=first --format csv "
	plain := repslab(t, strings.Fields(network)...)
	for _, trimming := range []string{"on", "off"} {
		o := repslab(t, strings.Fields(network+"--trimming "+trimming+" --ev-counts e.csv --lb ops,reps")...)
		if o.code != exitDone || o.stderr != "" {
			t.Fatalf("%+v", o)
		}
		sums := map[string]map[string]int{"ops": {}, "reps": {}}
		for _, row := range csvRows(t, string(fileBytes(t, "e.csv"))) {
			for _, key := range []string{"sent", "good", "marked", "nacked", "timed_out"} {
				v, err := strconv.Atoi(row[key])
				if err != nil {
					t.Fatal(err)
				}
				sums[row["lb"]][key] += v
			}
			if ev, err := strconv.Atoi(row["ev"]); err != nil || ev >= 4 || row["path"] == "" && row["sent"] != "0" {
				t.Errorf("%v", row)
			}
		}
		for _, row := range csvRows(t, o.stdout) {
			sum := sums[row["lb"]]
			want := map[string]int{}
			for _, key := range []string{"sent", "retransmitted", "trimmed", "dropped", "lost"} {
				v, err := strconv.ParseFloat(row[key], 64)
				if err != nil {
					t.Fatal(err)
				}
				want[key] = int(v)
			}
			if sum["sent"] != want["sent"] || sum["nacked"] != want["trimmed"] || sum["nacked"]+sum["timed_out"] < want["retransmitted"] ||
				sum["timed_out"] < want["lost"] || sum["good"]+sum["marked"] > want["sent"] {
				t.Errorf("trimming %s: the EVs have %v, the run %v", trimming, sum, want)
			}
			if sum["marked"] == 0 || sum["timed_out"] == 0 || trimming == "on" && sum["nacked"] == 0 {
				t.Errorf("trimming %s: %v: nothing to see", trimming, sum)
			}
		}
	}
	o := repslab(t, strings.Fields(network+"--ev-counts one.jsonl --event-flows 3,5")...)
	if o.code != exitDone || o.stdout != plain.stdout {
		t.Fatalf("%+v, without EVs %+v", o, plain)
	}
	lines := strings.Split(strings.TrimSpace(string(fileBytes(t, "one.jsonl"))), "\n")
	if len(lines) != 8 || !strings.HasPrefix(lines[0], `{"flow":3,"ev":0,"path":"`) || !strings.HasPrefix(lines[7], `{"flow":5,"ev":3,`) {
		t.Errorf("%q", lines)
	}
	for flags, want := range map[string]string{
		"--ev-counts e.csv --event-flows 16":         "--event-flows: 16",
		"--ev-counts e.csv --profile mrc --planes 2": "--events and --ev-counts: must come without --profile mrc",
		"--event-flows 3":                            "must come with --events or --ev-counts",
		"--ev-counts e.csv --events e.csv":           "must not be the file of",
	} {
		if o := repslab(t, strings.Fields("fattree --hosts 16 "+flags)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v, want %s", flags, o, want)
		}
	}
}
