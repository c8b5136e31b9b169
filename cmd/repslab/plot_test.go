package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// plotInputs writes a result file, flows of runs, and small and broken CSV files into the current directory.
func plotInputs(t *testing.T) {
	t.Helper()
	mustSweep(t, "r.jsonl", "sweep", "fattree", "--hosts", "8", "--message-bytes", "20000", "--lb", "ops,reps", "--evs", "16,64",
		"--replicas", "3", "-o", "r.jsonl")
	for _, lb := range []string{"ops", "reps"} {
		if o := repslab(t, "fattree", "--hosts", "8", "--message-bytes", "20000", "--lb", lb, "--replicas", "2", "--flows-out", lb+".csv"); o.code != exitDone {
			t.Fatalf("%+v", o)
		}
	}
	for name, text := range map[string]string{"twice.csv": "a,a\n1,2\n", "empty.csv": "", "short.csv": "a,b\n1\n", "none.csv": "a,b\n", "minus.csv": "a,b\n1,-2\n", "uneven.csv": "a,b\n1,2\n3,4\n",
		"marked.csv": "\ufeffa,b\n1,2\n", "clash.csv": "lb,failure,a,b,b_se\nops,none,1,2,1\nops,none,3,4,1\nreps,none,1,2,2\nreps,cables=1,1,2,2\n", "many.csv": "a,b\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n10,1\n11,1\n12,1\n13,1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlotCommand: every kind as a file, from a result file and from the flows of a run, and mistakes, which
// write nothing.
func TestPlotCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	plotInputs(t)
	alike := regexp.MustCompile(`^repslab: warning: [1-4] of [24] points have no interval of (max_fct_us|dropped): their runs are all alike, or too few\n$`)
	for _, args := range []string{
		"r.jsonl --x evs --y max_fct_us --by lb --ratio-to ops --style slides",
		"r.jsonl --kind bar --x evs --y max_fct_us --by lb --legend ops=OPS,reps=REPS",
		"r.jsonl --kind heat --x evs --y lb --value max_fct_us",
		"ops.csv reps.csv --kind cdf --x fct_us --title Flows --x-label FCT --y-label Share",
		"ops.csv reps.csv --x flow --y fct_us --facet replica",
		"marked.csv --x a --y b",
		"r.jsonl --kind points --x evs --y max_fct_us --by lb --log-x",
		"r.jsonl --x evs --y dropped --by lb --log-y --legend-position bottom-right",
		"r.jsonl --kind bar --x evs --y max_fct_us --by lb --log-y --y-min 0.1 --legend-position none",
		"r.jsonl --x evs --y max_fct_us --where lb=ops --where evs=16 --where evs=64",
		"ops.csv reps.csv --kind cdf --x fct_us --log-y --where file=ops",
	} {
		if o := repslab(t, append([]string{"plot", "-o", "p.svg"}, strings.Fields(args)...)...); o.code != exitDone || o.stderr != "" && !alike.MatchString(o.stderr) {
			t.Errorf("%s: %+v", args, o)
		}
		if err := os.Remove("p.svg"); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--x evs --y max_fct_us", "plot needs a FILE", exitUsage},
		{"r.jsonl --kind pie", `--kind: "pie" must be one of line, bar, cdf, heat, points`, exitUsage},
		{"r.jsonl --kind heat --x evs --y lb", "--kind heat needs --x, --y, --value and -o", exitUsage},
		{"r.jsonl --kind points --x evs --y max_fct_us --by lb --ratio-to ops", "--ratio-to: must not be given with --kind points", exitUsage},
		{"r.jsonl --kind cdf --x evs --y lb", "--y: must not be given with --kind cdf", exitUsage},
		{"r.jsonl --kind bar --x evs --y max_fct_us --log-x", "--log-x: must not be given with --kind bar", exitUsage},
		{"r.jsonl --x evs --y max_fct_us --by lb --log-y --y-min 0", "--y-min: 0 must be positive with --log-y", exitUsage},
		{"r.jsonl --x evs --y max_fct_us --by lb --ratio-to plb", `--ratio-to (a value of --by): "plb" must be ops or reps`, exitUsage},
		{"r.jsonl --x evs --y max_fct_us --ratio-to ops", "--by file compares files", exitUsage},
		{"r.jsonl --x evs --y max_fct_us --by lb --legend opz=OPS", `--legend: "opz=OPS" must be VALUE=NAME,...; the values are ops, reps, r`, exitUsage},
		{"r.jsonl --x evs --y max_fct_us --by lb --legend ops=OPS,resp=REPS", "must be VALUE=NAME", exitUsage},
		{"r.jsonl --x lb --y max_fct_us --by evs", "--kind bar takes texts", exitUsage},
		{"r.jsonl --x evs --y lb --by lb", `--y: "lb" must be a column of numbers, but it has ops`, exitUsage},
		{"clash.csv --x a --y b", "--by: several rows have a = 1: sweep fewer parameters, or give --by lb, in which they differ", exitUsage},
		{"clash.csv --x a --y b --by lb --where b=2", "--facet: several rows have a = 1: sweep fewer parameters, or give --facet failure, in which they differ", exitUsage},
		{"minus.csv --x a --y b --log-y", "--log-y: b must be 0 or more, but it is -2", exitUsage},
		{"r.jsonl --kind bar --x evs --y max_fct_us --by lb --log-y", "--log-y: bars need a beginning", exitUsage},
		{"r.jsonl --x evs --y max_fct_us --where lb", `--where: "lb" must be KEY=VALUE`, exitUsage},
		{"r.jsonl --x evs --y max_fct_us --where lbs=ops", `r.jsonl: --where: "lbs" must be one of`, exitUsage},
		{"r.jsonl --x evs --y max_fct_us --where lb=plb", `--where: lb: "plb" must be ops or reps`, exitUsage},
		{"uneven.csv --x a --y b --where a=1 --where b=4", "--where: no row has a=1 and b=4", exitUsage},
		{"r.jsonl --x evs --y max_fct_us --legend-position left", `--legend-position: "left" must be one of auto, top-left`, exitUsage},
		{"r.jsonl --kind heat --x hosts --y evs --value max_fct_us", "give --facet lb", exitUsage},
		{"r.jsonl --kind cdf --x freeze_us --by lb --facet freeze_us", `--x: "freeze_us" must be a column with numbers`, exitUsage},
		{"many.csv --x b --y b --facet a", "--facet: a has 13 values, but there are at most 12 panels", exitUsage},
		{"r.jsonl ops.csv --x evs --y max_fct_us", `ops.csv: --x: "evs" must be one of replica, flow`, exitUsage},
		{"r.jsonl r.jsonl --x evs --y max_fct_us --by lb", `FILE: "r.jsonl" must be given once`, exitUsage},
		{"r.jsonl --x evs --y max_fct_us --by lb --ratio-to OPS", "did you mean ops?", exitUsage},
		{"twice.csv --x a --y a", "must have each key once", exitUsage},
		{"empty.csv --x a --y a", "must begin with a line of keys", exitUsage},
		{"short.csv --x a --y b", "wrong number of fields", exitUsage},
		{"none.csv --x a --y b", "none.csv: no row, or no finished point", exitUsage},
	} {
		o := repslab(t, append([]string{"plot", "-o", "q.svg"}, strings.Fields(c.args)...)...)
		if _, err := os.Stat("q.svg"); o.code != c.code || !strings.Contains(o.stderr, c.want) || err == nil {
			t.Errorf("%s: %+v, want %s", c.args, o, c.want)
		}
	}
}
