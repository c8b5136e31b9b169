package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfile: --profile uet sets the defaults of Ultra Ethernet's simulator, each can be overridden, and
// --print-config prints those in effect, in a configuration that means the same sweep.
func TestProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args string
		want string // of the printed parameters
	}{
		{"", `"ack_ratio": "4" "cc": "nscc-uet" "evs": "64" "kmax": "81" "kmin": "21" "lb": "mixed" "profile": "uet" ` +
			`"queue": "101" "window": "151"`},
		{"--tiers 3 --hosts 128 --link-gbps 100", `"kmax": "35" "kmin": "9" "queue": "43" "window": "64"`},
		{"--queue 60 --kmin 12 --window 9 --evs 16 --cc rccc --ack-ratio 1 --lb reps",
			`"ack_ratio": "1" "cc": "rccc" "evs": "16" "kmax": "81" "kmin": "12" "lb": "reps" "queue": "60" ` +
				`"reps": "ultraethernet" "window": "9"`},
		{"--kmax 30", `"kmax": "30" "kmin": "21"`},
		{"--trimming off", `"queue": "505"`},
		{"--trimming sleek", `"queue": "505" "trimming": "sleek"`},
		{"--ack-bytes 64000", `"ack_bytes": "64000"`},
		{"--lb switch-adaptive", `"lb": "switch-adaptive"`}, // which uses no EVs
	} {
		args := append(strings.Fields("sweep fattree --profile uet --replicas 2"), strings.Fields(c.args)...)
		printed := repslab(t, append(args, "--print-config")...)
		for part := range strings.SplitSeq(c.want, `" "`) {
			if part = `"` + strings.Trim(part, `"`) + `"`; !strings.Contains(printed.stdout, part) {
				t.Errorf("%s: no %s in\n%s%s", c.args, part, printed.stdout, printed.stderr)
			}
		}
		if err := os.WriteFile("c.json", []byte(printed.stdout), 0o666); err != nil {
			t.Fatal(err)
		}
		if again := repslab(t, "sweep", "--config", "c.json", "--print-config"); again != printed {
			t.Errorf("%s: printed\n%s\nread and printed\n%s%s", c.args, printed.stdout, again.stdout, again.stderr)
		}
	}
	// Where the combinations differ, a derived value is none of the configuration.
	if o := repslab(t, strings.Fields("sweep fattree --profile uet --hosts 128 --tiers 2,3 --print-config")...); strings.Contains(o.stdout, "queue") || !strings.Contains(o.stdout, `"ack_ratio": "4"`) {
		t.Errorf("two networks: %+v", o)
	}
	if o := repslab(t, strings.Fields("fattree --ack-bytes 8000 --ack-ratio 4")...); o.code != exitUsage || !strings.Contains(o.stderr, "only without --ack-bytes") {
		t.Errorf("two ACK thresholds: %+v", o)
	}
	o := repslab(t, strings.Fields("fattree --hosts 8 --message-bytes 10000 --replicas 1 --format json --ack-bytes 8000,64000,65535")...)
	rows, _ := rowsOf(t, o.stdout)
	for i, want := range []float64{2, 63, 32768} {
		if len(rows) != 3 || rows[i]["ack_ratio"] != want {
			t.Fatalf("%+v", o)
		}
	}
	if o := repslab(t, strings.Fields("fattree --profile uet,reps")...); o.code != exitUsage || !strings.Contains(o.stderr, "must be one profile") {
		t.Errorf("two profiles: %+v", o)
	}
}

// TestProfileRows: rows show the RTO too; starts in flow lists are picoseconds, and microseconds with
// --profile uet.
func TestProfileRows(t *testing.T) {
	dir := t.TempDir()
	list, fcts := filepath.Join(dir, "a.cm"), filepath.Join(dir, "fct.csv")
	if err := os.WriteFile(list, []byte("Nodes 128\nConnections 1\n0->127 id 1 start 3 size 40860\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for profile, want := range map[string]string{"reps": "3e-06", "uet": "3"} {
		o := repslab(t, "fattree", "--flows", list, "--profile", profile, "--replicas", "1", "--format", "json", "--flows-out", fcts, "--force")
		rows, _ := rowsOf(t, o.stdout)
		if len(rows) != 1 {
			t.Fatalf("%+v", o)
		}
		if start := readCSV(t, fcts)[1][5]; start != want {
			t.Errorf("%s: the flow starts at %s us, want %s", profile, start, want)
		}
		if rto := rows[0]["rto_us"].(float64); profile == "uet" && rto != 65.298 {
			t.Errorf("%s: an RTO of %v us", profile, rto)
		}
	}
	if err := os.WriteFile(list, []byte("Nodes 128\nConnections 1\n0->127 id 1 start 9223372036855 size 40860\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := repslab(t, "fattree", "--flows", list, "--profile", "uet"); o.code != exitUsage || !strings.Contains(o.stderr, "--flows: flow 0: start (9223372036855) must be at most 9223372036854, in units of 1000000 ps") {
		t.Errorf("a start beyond all times: %+v", o)
	}
}

// TestTimesOfRows: the times of a row are values of the flags of their names, and change nothing.
func TestTimesOfRows(t *testing.T) {
	args := strings.Fields("fattree --profile uet --link-gbps 200 --latency-ns 917 --hosts 8 --message-bytes 64KiB --replicas 1 --format json")
	o := repslab(t, args...)
	rows, _ := rowsOf(t, o.stdout)
	if len(rows) != 1 || rows[0]["rto_us"] == math.Trunc(rows[0]["rto_us"].(float64)) {
		t.Fatalf("%+v: want a time-out with decimals", o)
	}
	again := repslab(t, append(args, "--rto-us", fmt.Sprint(rows[0]["rto_us"]), "--horizon-us", fmt.Sprintf("%f", rows[0]["horizon_us"]))...)
	if again != o {
		t.Errorf("%+v, by its own times %+v", o, again)
	}
}

// TestPlanes: two planes send a permutation in little more than half of the time.
func TestPlanes(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --profile uet --message-bytes 1MiB --planes 1,2 --failure none|degrade=1:0.25,dir=both,place=aligned --replicas 2 --format json")...)
	rows, _ := rowsOf(t, o.stdout)
	if len(rows) != 4 {
		t.Fatalf("%+v", o)
	}
	mean := func(i int) float64 { return rows[i]["mean_fct_us"].(float64) }
	if !(mean(2) < 0.72*mean(0) && mean(2) > 0.65*mean(0) && mean(3) > mean(2)*1.05 && mean(3) < mean(1)) {
		t.Errorf("mean times of one plane %v and %v us, of two %v and %v", mean(0), mean(1), mean(2), mean(3))
	}
}
