package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/fattree/balance"
	"repslab/internal/cases"
	"repslab/internal/lists"
)

// copyFile copies a file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkKeys compares the keys of a row with a file, or writes it with -update.
func checkKeys(t *testing.T, path string, keys []string) {
	t.Helper()
	if got := strings.Join(keys, "\n") + "\n"; *update {
		writeText(t, path, got)
	} else if want := string(fileBytes(t, path)); got != want {
		t.Errorf("keys: %s; a new column needs this test with -update", firstDifference(got, want))
	}
}

// TestFattreeRows: the keys of a row, and numbers that must hold of any run.
func TestFattreeRows(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --hosts 32 --lb ecmp,ops,reps --message-bytes 512KiB --replicas 2 --format json --timing")...)
	rows, keys := rowsOf(t, o.stdout)
	if len(rows) != 3 || o.stderr != "" {
		t.Fatalf("code %d, stderr %q, %d rows, want 3", o.code, o.stderr, len(rows))
	}
	checkKeys(t, "testdata/fattreekeys.txt", keys)
	for i, lb := range []string{"ecmp", "ops", "reps"} {
		r := rows[i]
		number := func(key string) float64 { return r[key].(float64) }
		if r["lb"] != lb || (r["reps"] == nil) != (lb != "reps") {
			t.Errorf("row %d: lb %v, reps %v", i, r["lb"], r["reps"])
		}
		// 129 packets of 83 ns and the unloaded round trip are the least.
		if least := 128*0.083 + 8.3; number("mean_fct_us") > number("max_fct_us") || number("max_fct_us") < least {
			t.Errorf("%s: mean FCT %v, max %v us, want at least %v", lb, r["mean_fct_us"], r["max_fct_us"], least)
		}
		if number("finished") != 32 || number("slowdown_p99") < 1 || number("sent") != 32*129+number("retransmitted") {
			t.Errorf("%s: finished %v, slowdown %v, sent %v, retransmitted %v", lb, r["finished"], r["slowdown_p99"], r["sent"], r["retransmitted"])
		}
		if (number("recycled_fraction") > 0.1) != (lb == "reps") {
			t.Errorf("%s: a share of %v was recycled", lb, r["recycled_fraction"])
		}
	}
}

// TestFattreeFiles: the authors' own flow list and topology run as they are, and
// the files for flows and for what happens over time hold what the row sums up.
func TestFattreeFiles(t *testing.T) {
	dir := t.TempDir()
	flows, trace := filepath.Join(dir, "fct.csv"), filepath.Join(dir, "trace.csv")
	o := repslab(t, "fattree", "--flows", "../../fattree/traffic/testdata/perm_n128_s8388608.cm", "--topology", "../../fattree/traffic/testdata/fat_tree_128_1os_2t_400g.topo",
		"--replicas", "1", "--format", "json", "--flows-out", flows, "--trace", trace)
	rows, _ := rowsOf(t, o.stdout)
	if len(rows) != 1 || rows[0]["workload"] != "flows" || rows[0]["flow_list"] == nil || rows[0]["topology"] == nil || rows[0]["message_bytes"] != nil || rows[0]["flows"] != 128.0 {
		t.Fatalf("code %d, stderr %q, rows %v", o.code, o.stderr, rows)
	}
	longest, total := 0.0, 0.0
	lines := readCSV(t, flows)
	if want := "replica flow source destination bytes start_us fct_us fct_cdf slowdown ideal_us slowdown_ideal"; strings.Join(lines[0], " ") != want {
		t.Errorf("keys of flows %v, want %s", lines[0], want)
	}
	for _, row := range lines[1:] {
		var values []float64
		for _, text := range row[4:] {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		fct, cdf, ideal := values[2], values[3], values[5]
		longest, total = max(longest, fct), total+cdf
		if values[0] != 8<<20 || cdf <= 0 || cdf > 1 || values[4] < 1 || math.Abs(values[6]-fct/ideal) > 1e-9 || values[6] < 1 {
			t.Errorf("flow %v", row)
		}
	}
	// Ranks 1 to 128 over 128, but for flows that end in the same slot.
	if total/128 < 129./256 || total/128 > 0.55 {
		t.Errorf("the mean of fct_cdf is %v", total/128)
	}
	if len(lines) != 129 || math.Abs(longest-rows[0]["max_fct_us"].(float64)) > 1e-6 {
		t.Errorf("%d lines of flows, the longest took %v us, want 129 and %v", len(lines), longest, rows[0]["max_fct_us"])
	}
	if first := strings.Join(lines[1][:4], " "); first != "0 0 9 44" {
		t.Errorf("first flow %q, want replica 0, flow 0 from host 9 to 44", first)
	}
	sent := 0.0
	for _, row := range readCSV(t, trace)[1:] {
		value, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if row[1] == "sent" {
			sent += value
		}
		if row[1] == "uplink_gbps" && (value < 0 || value > 400.1) {
			t.Errorf("an uplink at %v Gb/s", value)
		}
	}
	// The last bucket is not full, so its packets are missing: none, since the run
	// ends with ACKs alone.
	if want := rows[0]["sent"].(float64); sent != want {
		t.Errorf("the trace has %v packets sent, want %v", sent, want)
	}
}

// readCSV returns the lines of a file.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestFattreeIsTheSameForAnyWorkers: replicas with the same and with different
// workloads, and a single one, which the workers share.
func TestFattreeIsTheSameForAnyWorkers(t *testing.T) {
	for _, workload := range []string{"permutation --message-bytes 128KiB", "tornado --message-bytes 128KiB", "permutation --message-bytes 128KiB --cc eqds,nscc", "facebook --duration-us 20 --inherit on", "alltoall --message-bytes 128KiB --background-every 10"} {
		for _, replicas := range []string{"1", "7"} {
			args := strings.Fields("fattree --hosts 16 --lb ops,reps --format csv --replicas " + replicas + " --workload " + workload)
			one := repslab(t, append(args, "--workers", "1")...)
			for _, workers := range []string{"3", "8"} {
				if several := repslab(t, append(args, "--workers", workers)...); one.code != exitDone || one != several {
					t.Errorf("%s: one worker %+v, %s workers %+v", workload, one, workers, several)
				}
			}
		}
	}
}

// TestFattreeList: --list prints a line with a source for each system, and every
// balancer that it names runs.
func TestFattreeList(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --list lb,workload,cc")...)
	lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
	want := len(slices.DeleteFunc(cases.Systems(), func(s cases.System) bool { return s.Flag == "failure" }))
	if o.code != 0 || o.stderr != "" || len(lines) != want {
		t.Fatalf("code %d, stderr %q, %d lines, want %d:\n%s", o.code, o.stderr, len(lines), want, o.stdout)
	}
	for _, line := range lines {
		if fields := strings.Fields(line); len(fields) < 4 || !strings.Contains(line, "[") || !strings.HasSuffix(line, "]") {
			t.Errorf("line %q has no source", line)
		}
	}
	o = repslab(t, "fattree", "--hosts", "16", "--message-bytes", "64KiB", "--replicas", "1", "--format", "json", "--lb",
		strings.Join(lists.Map(balance.All(), func(b balance.Named) string { return b.Name }), ","))
	rows, _ := rowsOf(t, o.stdout)
	if o.code != 0 || len(rows) != len(balance.All()) {
		t.Fatalf("code %d, stderr %q, %d rows, want %d", o.code, o.stderr, len(rows), len(balance.All()))
	}
	for i, row := range rows {
		name := balance.All()[i].Name
		evs := 65536.0
		if fewer, limited := map[string]float64{"bitmap": 256, "mixed": 256, "host-adaptive": 256, "oracle": 4}[name]; limited {
			evs = fewer
		}
		if row["lb"] != name || row["finished"] != 16.0 || row["evs"] != evs {
			t.Errorf("row %d: lb %v, %v flows finished, evs %v, want %s, 16, %v", i, row["lb"], row["finished"], row["evs"], name, evs)
		}
	}
}

// TestFailureAfterTheEnd: a failure that begins when all flows have ended is warned of, with its point, by
// the command and by a sweep; others are not.
func TestFailureAfterTheEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("--hosts 16 --message-bytes 100KB --replicas 2 --lb ops --failure none|cables=1,at=5|cables=1;ber-cable=1%,at=5000")
	const want = `repslab: warning: --failure: "ber-cable=1%,at=5000" begins after the last flow, which ends after `
	for _, command := range [][]string{append([]string{"fattree"}, args...), append([]string{"sweep", "fattree", "-o", "r.jsonl"}, args...)} {
		o := repslab(t, command...)
		if o.code != exitDone || strings.Count(o.stderr, "warning: ") != 1 || !strings.Contains(o.stderr, want) ||
			!strings.Contains(o.stderr, " us on average: hosts=16 lb=ops workload=permutation failure=cables=1;ber-cable=1%,at=5000 ") {
			t.Errorf("%v: code %d, %s", command, o.code, o.stderr)
		}
	}
}

// TestFattreeFailures: a failure costs what it must. With one of eight uplinks
// dead at every ToR, OPS sends an eighth of the packets that leave a ToR into it
// until the end, and REPS learns; a healthy network loses nothing; bit errors are
// told apart from dead links.
func TestFattreeFailures(t *testing.T) {
	o := repslab(t, "fattree", "--hosts", "64", "--workload", "tornado", "--lb", "ops,reps", "--message-bytes", "2MiB", "--replicas", "2", "--format", "json",
		"--failure", "none|cables=1,place=aligned|cables=10%,dir=both,for=50|ber-cable=1%")
	rows, _ := rowsOf(t, o.stdout)
	if o.code != exitDone || len(rows) != 8 {
		t.Fatalf("%+v", o)
	}
	number := func(row int, key string) float64 { return rows[row][key].(float64) }
	for row := range rows {
		lost, corrupted := number(row, "lost"), number(row, "corrupted")
		if (lost > 0) != (row >= 2 && row < 6) || (corrupted > 0) != (row >= 6) {
			t.Errorf("%v: %v packets lost, %v corrupted", rows[row]["failure"], lost, corrupted)
		}
	}
	if share := number(2, "lost") / number(2, "sent"); share < 0.11 || share > 0.14 {
		t.Errorf("OPS loses a share of %v, want an eighth", share)
	}
	// The first window is random under REPS too.
	if first := 64 * 151 / 8.0; number(3, "lost") > 1.5*first || number(3, "max_fct_us") > number(2, "max_fct_us")/2 {
		t.Errorf("REPS loses %v packets and takes %v us, OPS %v and %v", number(3, "lost"), number(3, "max_fct_us"), number(2, "lost"), number(2, "max_fct_us"))
	}
}

// TestUnfinishedFlows: with a dead uplink flows of ECMP never end, so their times are null with lower bounds
// up to the horizon in CSV, JSON and result files, "> ..." in tables, and not averaged over the flows that
// ended; a sweep has the same rows, and compare and plot say what they leave out.
func TestUnfinishedFlows(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("fattree --hosts 8 --lb ecmp,reps --message-bytes 100kB --failure cables=1,place=aligned --replicas 3")
	o := repslab(t, append(args, "--format", "json")...)
	rows, _ := rowsOf(t, o.stdout)
	if o.code != exitDone || len(rows) != 2 || !strings.Contains(o.stderr, "completion times are lower bounds") {
		t.Fatalf("%+v", o)
	}
	cut, whole := rows[0], rows[1]
	for key, want := range map[string]any{"max_fct_us": nil, "max_fct_us_se": nil, "max_fct_us_hi": nil, "p99_fct_us": nil, "slowdown_p99": nil, "end_us": nil, "finished_share": 0.0} {
		if cut[key] != want {
			t.Errorf("%s is %v, want %v", key, cut[key], want)
		}
	}
	if bound := cut["max_fct_us_lo"].(float64); bound < 99_999 || bound > 100_000 || cut["mean_fct_us_lo"].(float64) > bound {
		t.Errorf("the bound is %v us, want 100 ms", bound)
	}
	if lo, hi := whole["max_fct_us_lo"].(float64), whole["max_fct_us_hi"].(float64); whole["finished_share"] != 1.0 || !(0 < lo && lo < hi) {
		t.Errorf("of finished runs %v", whole)
	}
	mustSweep(t, "a.jsonl", append([]string{"sweep", "-o", "a.jsonl"}, args...)...)
	for _, command := range []string{"show a.jsonl", strings.Join(args, " "), "show a.jsonl --interval brackets"} {
		if o := repslab(t, strings.Fields(command+" --columns lb,max_fct_us")...); !strings.Contains(o.stdout, " > 100000\n") {
			t.Errorf("%s prints\n%s", command, o.stdout)
		}
	}
	if o := repslab(t, strings.Fields("export a.jsonl --long --columns lb,quantity,value,lo,hi")...); !strings.Contains(o.stdout, "ecmp,max_fct_us,,99999.") {
		t.Errorf("export --long prints\n%s", o.stdout)
	}
	if o := repslab(t, strings.Fields("compare a.jsonl a.jsonl --y max_fct_us")...); o.code != exitDone || !strings.Contains(o.stderr, "1 differences are left out: a mean of one run, an exact result or a bound") {
		t.Errorf("compare: %+v", o)
	}
	if o := repslab(t, strings.Fields("plot a.jsonl --x lb --y max_fct_us --kind bar -o a.svg")...); o.code != exitDone || o.stderr != "" || !strings.Contains(contentOf(t, "a.svg"), "lower bound") {
		t.Errorf("plot: %+v", o)
	}
}

// TestFailureRangeSweeps: a sweep with a range has the file of one with its values, from flags, a configuration
// and two shards.
func TestFailureRangeSweeps(t *testing.T) {
	t.Chdir(t.TempDir())
	sweep := func(file, failure string) {
		mustSweep(t, file, strings.Fields("sweep fattree --hosts 16 --message-bytes 20kB --lb reps --replicas 2 --failure "+failure+" -o "+file)...)
	}
	sweep("list", "none|cables=1|cables=2|cables=4")
	sweep("range", "none|cables=1..4:x2,place=random")
	const config = `{"model": "fattree", "replicas": 2, "parameters": {"hosts": 16, "message_bytes": "20kB", "lb": "reps",
		"failure": "none|cables=1..4:x2"}}`
	if err := os.WriteFile("c.json", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	mustSweep(t, "config", "sweep", "--config", "c.json", "-o", "config")
	for _, shard := range []string{"1", "2"} {
		mustSweep(t, "part."+shard+"-of-2", "sweep", "--config", "c.json", "-o", "part", "--shard", shard+"/2")
	}
	if o := repslab(t, "merge", "part.1-of-2", "part.2-of-2", "-o", "merged"); o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	for _, other := range []string{"range", "config", "merged"} {
		if string(fileBytes(t, other)) != string(fileBytes(t, "list")) {
			t.Errorf("the file %s differs from that of a list", other)
		}
	}
	own := repslab(t, strings.Fields("fattree --hosts 16 --message-bytes 20kB --lb reps --replicas 2 --failure none|cables=1..4:x2 --format json")...)
	if shown := repslab(t, "show", "list", "--format", "json"); own.code != exitDone || own.stdout != shown.stdout {
		t.Errorf("fattree prints\n%s\nwant\n%s", own.stdout, shown.stdout)
	}
}

// TestWarningsOnce: what is the same under every balancer, failure and number of EVs is warned of once, by a command
// and by a sweep; another network has its own warnings.
func TestWarningsOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	const runs = "fattree --workload websearch --duration-us 20 --load 0.5 --lb ops,reps --evs 16,256 --failure none|loss=1% --replicas 1 --window 10 --ack-ratio 8 --hosts "
	for line, want := range map[string]int{runs + "8": 3, runs + "8,16": 6, "sweep " + runs + "8 -o r.jsonl": 3} {
		o := repslab(t, strings.Fields(line)...)
		found := map[string]int{}
		for warning := range strings.Lines(o.stderr) {
			if !strings.Contains(warning, "unfinished") {
				found[warning]++
			}
		}
		if o.code != exitDone || len(found) != want {
			t.Errorf("%s: code %d, %d warnings, want %d: %s", line, o.code, len(found), want, o.stderr)
		}
		for warning, times := range found {
			if times > 1 {
				t.Errorf("%s: %d times %s", line, times, warning)
			}
		}
	}
}

// TestTie: tied parameters take their values in step, in a command as in a sweep, and --tie is --zip.
func TestTie(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("fattree --hosts 8 --message-bytes 10kB --replicas 1 --queue 50,100 --kmin 10,25 --kmax 40,76 --window 80,151")
	view := []string{"--format", "csv", "--columns", "queue,kmin,kmax,window"}
	tied := repslab(t, slices.Concat(args, []string{"--tie", "queue,kmin,kmax,window"}, view)...)
	if tied.stdout != "queue,kmin,kmax,window\n50,10,40,80\n100,25,76,151\n" {
		t.Errorf("%+v", tied)
	}
	zipped := repslab(t, slices.Concat(args, []string{"--zip", "queue,kmin,kmax", "--zip", "window"}, view)...)
	mustSweep(t, "a.jsonl", slices.Concat([]string{"sweep"}, args, []string{"--tie", "queue,kmin,kmax,window", "-o", "a.jsonl"})...)
	if shown := repslab(t, append([]string{"show", "a.jsonl"}, view...)...); shown.stdout != tied.stdout || zipped.stdout != tied.stdout {
		t.Errorf("the sweep has\n%s\nzipped: %+v", shown.stdout, zipped)
	}
}
