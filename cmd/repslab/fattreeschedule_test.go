package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/fattree/schedule"
)

// TestScheduleErrors: ranks without a host, and hosts that are not or twice there, are refused, and nothing is written.
func TestScheduleErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	madeInputs(t)
	huge := strings.ReplaceAll(string(fileBytes(t, "a.goal")), "20000b", "100000000000b")
	for name, text := range map[string]string{"few": "1 2", "empty": "", "many": "1 2 3 4", "twice": "1 2 1", "far": "1 2 8", "words": "1 2 x", "less": "1 2 -3",
		"long.goal": "num_ranks 1\nrank 0 {\ncalc 2000000000000\n}\n", "none.goal": "num_ranks 1\nrank 0 {\n}\n", "huge.goal": huge} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"--schedule a.goal --hosts 2":                   "--schedule: its 4 operations must be at least 1, and its 3 ranks at most the 2 hosts of the tree",
		"--schedule none.goal --hosts 8":                "--schedule: its 0 operations must be at least 1, and its 1 ranks at most the 8 hosts of the tree",
		"--schedule huge.goal --hosts 8":                "--schedule: flow 0: bytes (100000000000) must be at most",
		"--schedule a.goal --hosts 8 --placement few":   "--placement: few must have 3 hosts, one for each rank, not 2",
		"--schedule a.goal --hosts 8 --placement empty": "--placement: empty must have 3 hosts, one for each rank, not 0",
		"--schedule a.goal --hosts 8 --placement many":  "--placement: many must have 3 hosts, one for each rank, not 4",
		"--schedule a.goal --hosts 8 --placement twice": "--placement: host 1 of rank 2 in twice must not be that of rank 0\n",
		"--schedule a.goal --hosts 8 --placement far":   "--placement: host 8 of rank 2 in far must be below 8\n",
		"--schedule a.goal --hosts 8 --placement words": `--placement: words: rank 2 has "x" in place of the number of a host`,
		"--schedule a.goal --hosts 8 --placement less":  `--placement: less: rank 2 has "-3" in place of`,
		"--schedule long.goal --hosts 8":                "--steps: 1 of long.goal, each with 100 ms for its messages, could take 2000100 ms, must take at most 155960\n",
		"--schedule long.goal --hosts 8 --steps 65536":  "--steps: 65536 of long.goal, each with 100 ms for its messages, could take 1000000000 ms, must take at most 155960\n",
		"--schedule a.goal --hosts 8 --steps 0":         "--steps: 0 must be an integer in [1, 65536]",
	} {
		o := repslab(t, strings.Fields("fattree -o out.csv "+args)...)
		if _, err := os.Stat("out.csv"); err == nil || o.code != exitUsage || !strings.HasPrefix(o.stderr, "repslab: error: "+want) {
			t.Errorf("%s: %+v, want %q and no file", args, o, want)
		}
	}
}

// TestScheduleRows: a row sums up the steps of a schedule; a schedule without a byte takes its critical path;
// placements matter where the ranks' hosts do.
func TestScheduleRows(t *testing.T) {
	t.Chdir(t.TempDir())
	madeInputs(t)
	o := repslab(t, strings.Fields("fattree --hosts 8 --hosts-per-tor 4 --schedule a.goal,b.goal --placement linear,a.hosts --steps 3 --format json --flows-out f.csv")...)
	if flows := string(fileBytes(t, "f.csv")); o.code != exitDone || strings.Count(flows, "\n") != 1+2*3*3 || !strings.HasPrefix(flows, "horizon_us,schedule,calc_path_us,placement,replica,flow,") {
		t.Errorf("%+v, flows\n%s", o, flows)
	}
	rows, _ := rowsOf(t, repslab(t, strings.Fields("fattree --hosts 8 --hosts-per-tor 4 --schedule a.goal,b.goal --placement linear,a.hosts --steps 3 --format json")...).stdout)
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	for i, r := range rows {
		step := r["step_us"].(float64)
		if calc := []float64{3, 3, 0.01, 0.01}[i]; r["workload"] != "schedule" || math.Abs(r["calc_path_us"].(float64)-calc) > 1e-9 || (step > calc+1e-9) != (i < 2) || r["flows"] != []float64{3, 3, 0, 0}[i] {
			t.Errorf("row %d: %v", i, r)
		}
		if late := []any{0., 0., nil, nil}[i]; r["late_source"] != late || r["late_rank"] == nil {
			t.Errorf("row %d: late %v, %v to %v", i, r["late_rank"], r["late_source"], r["late_destination"])
		}
	}
	// Ranks 0 and 2 are on hosts below one ToR, or on hosts 3 and 7 below two.
	if near, far := rows[0]["step_us"].(float64), rows[1]["step_us"].(float64); far-near < 3.5 || far-near > 4.5 {
		t.Errorf("near %v us, far %v us", near, far)
	}
	if o := repslab(t, strings.Fields("fattree --hosts 8 --schedule a.goal --steps 2 --replicas 1 --flows-out f.csv --quiet")...); o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	if lines := strings.Split(string(fileBytes(t, "f.csv")), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "0,0,0,2,20000,0.9,") {
		t.Errorf("flows %q", lines)
	}
}

// TestBinarySchedules: a schedule in GOAL's binary form, with a name of any kind, gives the rows and flows of its text;
// and a file that LogGOPSim has simulated is refused before anything is written.
func TestBinarySchedules(t *testing.T) {
	t.Chdir(t.TempDir())
	var outputs []string
	for _, name := range []string{"job.goal", "job.bin"} {
		if o := repslab(t, strings.Fields("schedule pipeline --stages 4 --microbatches 3 --bytes 100kB -o "+name)...); o.code != exitDone {
			t.Fatalf("%+v", o)
		}
		file := fileBytes(t, name)
		if binary := strings.HasPrefix(string(file), "\x7f\x10\x00\x00\x00\x00\x00\x00"); binary != (name == "job.bin") {
			t.Errorf("%s begins with %.20q", name, file)
		}
		if err := os.WriteFile("job", file, 0o600); err != nil {
			t.Fatal(err)
		}
		o := repslab(t, strings.Fields("fattree --hosts 8 --schedule job --placement random --replicas 3 --format json --flows-out flows.csv --force")...)
		outputs = append(outputs, o.stdout+o.stderr+string(fileBytes(t, "flows.csv")))
	}
	if outputs[0] != outputs[1] || strings.Count(outputs[0], "\n") < 40 {
		t.Errorf("text:\n%s\nbinary:\n%s", outputs[0], outputs[1])
	}
	used := append([]byte("\x26\x09"), fileBytes(t, "job")[2:]...)
	if err := os.WriteFile("used", used, 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "repslab: error: --schedule: used: schedule: the file begins with 2342 in place of 4223: LogGOPSim changed its counts"
	o := repslab(t, strings.Fields("fattree --hosts 8 --schedule used -o out.csv")...)
	if _, err := os.Stat("out.csv"); err == nil || o.code != exitUsage || !strings.HasPrefix(o.stderr, want) {
		t.Errorf("%+v, want %q and no file", o, want)
	}
}

// TestWrittenSchedulesRun: schedules that the command schedule writes run in the network.
func TestWrittenSchedulesRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := repslab(t, strings.Fields("schedule ring-allreduce --ranks 8 --bytes 1MB -o ring.goal")...); o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	s, err := schedule.Read(strings.NewReader(string(fileBytes(t, "ring.goal"))))
	if err != nil {
		t.Fatal(err)
	}
	sends := slices.DeleteFunc(slices.Clone(s.Ops), func(op schedule.Op) bool { return op.Kind != schedule.Send })
	rows, _ := rowsOf(t, repslab(t, strings.Fields("fattree --hosts 16 --schedule ring.goal --profile mrc --format json --replicas 2")...).stdout)
	if len(rows) != 1 || rows[0]["flows"] != float64(len(sends)) || rows[0]["network_wait"].(float64) < 0.8 || rows[0]["late_rank"] != nil {
		t.Errorf("%v", rows)
	}
}
