package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/view"
	"repslab/mc"
	"repslab/sweep"
)

// TestUnwritablePlaces: every command that writes a file finds out before it computes that it cannot create it, and
// names the file that the user gave.
func TestUnwritablePlaces(t *testing.T) {
	const path = "/proc/none.csv"
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "10", "-o", "r.jsonl")
	const endless = " --replicas 268435456"
	for _, line := range []string{
		"recycled -o " + path + endless, "fattree --hosts 8192 --flows-out " + path + endless, "fattree --hosts 8192 --trace " + path + endless,
		"advise --format text --replicas 268435456 -o " + path, "vectors -o " + path, "schedule training -o " + path, "prove -o " + path,
		"show r.jsonl -o " + path, "export r.jsonl -o " + path, "compare r.jsonl r.jsonl -o " + path,
		"plot r.jsonl -x bins -y rounds_mean -o /proc/none.pdf", "merge r.jsonl -o " + path,
		"sweep recycled -o /proc/none.jsonl" + endless, "sweep recycled --plan -o /proc/none.jsonl",
	} {
		o := repslab(t, strings.Fields(line)...)
		if o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, `"/proc/none.`) || !strings.Contains(o.stderr, "cannot be written") {
			t.Errorf("repslab %s: %+v", line, o)
		}
	}
}

// TestFormatByName: the ending of -o decides the format unless --format is given.
func TestFormatByName(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "10", "-o", "r.jsonl")
	for name, start := range map[string]string{
		"x.csv": "bins,", "x.CSV": "bins,", "x.json": `{"bins":`, "x.jsonl": `{"bins":`, "x.ndjson": `{"bins":`, "x.tex": "% recycled",
		"x.md": "| bins", "x.txt": " bins", "x": " bins",
	} {
		for _, line := range []string{"recycled --bins 8 --replicas 10 -o ", "show r.jsonl --force -o "} {
			if o := repslab(t, strings.Fields(line+name)...); o.code != exitDone {
				t.Fatalf("%s%s: %+v", line, name, o)
			}
			if got := strings.Join(strings.Fields(string(fileBytes(t, name))), " "); !strings.HasPrefix(got, strings.TrimSpace(start)) {
				t.Errorf("%s%s holds %.60q, want %q first", line, name, got, start)
			}
		}
	}
	if o := repslab(t, "recycled", "--bins", "8", "--replicas", "10", "-o", "x.csv", "--format", "json"); o.code != exitDone || !strings.HasPrefix(string(fileBytes(t, "x.csv")), "{") {
		t.Errorf("--format is not obeyed: %+v", o)
	}
	if o := repslab(t, "advise", "-o", "y.tex"); o.code != exitUsage || !strings.Contains(o.stderr, `-o: "y.tex" must not end in .tex unless --format is given: "latex" must be text or json`) {
		t.Errorf("a format that advise lacks: %+v", o)
	}
}

// TestFilesOfUsers: a file that cannot be used ends every command with code 2, and the message names it.
func TestFilesOfUsers(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := string(mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "10", "-o", "r.jsonl"))
	for name, text := range map[string]string{
		"damaged.jsonl": strings.Replace(whole, `"converged":`, `"konverged":`, 1), "text.jsonl": "mine\n",
		"none.csv": "", "head.csv": "a,b\n", "ragged.csv": "a,b\n1\n", "book.jsonl.gz": "mine", "list.json": "[]", "empty.json": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"show damaged.jsonl": "damaged.jsonl:2: is corrupted", "export text.jsonl": "text.jsonl:1: is not a result file",
		"show book.jsonl.gz": "book.jsonl.gz: ", "compare r.jsonl damaged.jsonl": "damaged.jsonl:2",
		"merge r.jsonl damaged.jsonl -o m": "damaged.jsonl:2", "merge text.jsonl -o m": "text.jsonl:1",
		"plot none.csv -x a -y b -o p.svg":                                "none.csv: is empty, but must begin with a line of keys",
		"plot head.csv -x a -y b -o p.svg":                                "head.csv: no row",
		"plot ragged.csv -x a -y b -o p.svg":                              "ragged.csv: record on line 2",
		"plot head.csv -x a -y c -o p.svg":                                `head.csv: --y: "c" must be one of a`,
		"sweep recycled --bins 8 --replicas 10 -o damaged.jsonl --resume": "damaged.jsonl:2: is corrupted: its checksum does not fit; damaged.jsonl cannot be resumed as it is: merge --salvage",
		"sweep --config list.json":                                        "list.json is not a configuration: it must be an object, but is a list; the keys",
		"sweep --config empty.json":                                       "empty.json is not a configuration: it is empty, but must hold one JSON object",
	} {
		if o := repslab(t, strings.Fields(line)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) || strings.Contains(o.stderr, "main.") {
			t.Errorf("repslab %s: %+v, want %q", line, o, want)
		}
	}
}

// TestKeysOfConfigurations: a parameter is named as its flag or as its column in rows, but once.
func TestKeysOfConfigurations(t *testing.T) {
	dir := t.TempDir()
	flows, config := filepath.Join(dir, "f.cm"), filepath.Join(dir, "c.json")
	if err := os.WriteFile(flows, []byte("Nodes 16\nConnections 1\n0->9 start 0 size 100000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(parameters string) outcome {
		if err := os.WriteFile(config, []byte(`{"model": "fattree", "parameters": {`+parameters+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return repslab(t, "sweep", "--config", config, "--print-config")
	}
	byFlag, byColumn := write(`"flows": "`+flows+`"`), write(`"flow_list": "`+flows+`"`)
	if byFlag.code != exitDone || byFlag != byColumn {
		t.Errorf("by the flag %+v, by the column %+v", byFlag, byColumn)
	}
	if o := write(`"flows": "a", "flow_list": "b"`); o.code != exitUsage || !strings.Contains(o.stderr, "flows and flow_list are the same") {
		t.Errorf("twice: %+v", o)
	}
}

// TestPartialEstimates: an interrupted point has the rows of a run of fewer replicas, and the table and
// the message say so.
func TestPartialEstimates(t *testing.T) {
	m, err := param.Named(cases.All(), "recycled")
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Grid(param.Selection{Parameters: param.Texts{"bins": "8"}})
	if err != nil {
		t.Fatal(err)
	}
	partial := func(format rows.Format) (text string, err error) {
		var stdout bytes.Buffer
		f := view.Flags{Format: format}
		ctx, cancel := context.WithCancel(context.Background())
		plan := mc.Plan{Seed: 1, Workers: 1, Replicas: 1 << 20, Progress: func(mc.Progress) { cancel() }}
		out, err := f.Open(ctx, &stdout, rows.New(m, m.Columns()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = estimatePoint(ctx, g.Points[0], plan, out)
		err = out.Finish(ctx, err)
		return stdout.String(), err
	}
	text, err := partial(rows.JSON)
	printed, _ := rowsOf(t, text)
	if len(printed) != 1 || printed[0]["replicas"].(float64) >= 1<<20 {
		t.Fatalf("%q, error %v", text, err)
	}
	_, replicas, _ := strings.Cut(strings.TrimSuffix(text, "}\n"), `"replicas":`)
	if want := "the finished rows (0) are written to the standard output; the rows of " + g.Points[0].Name + " are a partial estimate, as --replicas " + replicas + " gives it"; !strings.HasPrefix(err.(*console.Interruption).Written, want) {
		t.Errorf("it says %q, want %q", err.(*console.Interruption).Written, want)
	}
	if o := repslab(t, "recycled", "--bins", "8", "--format", "json", "--replicas", replicas); o.stdout != text {
		t.Errorf("partial %s, whole %s", text, o.stdout)
	}
	for _, format := range []rows.Format{rows.Aligned, rows.LaTeX} {
		if text, _ := partial(format); !strings.Contains(text, "are a partial estimate, as --replicas ") {
			t.Errorf("%s without a mark: %s", format, text)
		}
	}
}

// TestSignalsTogether: a hang-up, and signals within a second, end a command like one Ctrl-C. Under nohup a hang-up
// is ignored.
func TestSignalsTogether(t *testing.T) {
	t.Parallel()
	// Under nohup this test ignores hang-ups, and so would its children. A signal that it catches has its default
	// action in them.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for i, both := range [][]syscall.Signal{{syscall.SIGHUP}, {syscall.SIGTERM, syscall.SIGHUP}, {syscall.SIGTERM, syscall.SIGINT, syscall.SIGTERM}} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		cmd := child("sweep", "sleepy", "--ms", "20", "--replicas", "1000", "--workers", "1", "-o", path)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return lines(path) >= 2 })
		for _, s := range both {
			if err := cmd.Process.Signal(s); err != nil && i == 0 {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "--resume continues with them") {
			t.Errorf("%v: code %d, %q", both, code, stderr.String())
		}
	}
	cmd := child("sleepy", "--ms", "20", "--replicas", "20", "--workers", "1", "-o", filepath.Join(t.TempDir(), "r.csv"))
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; kill -HUP $$; exec "$0" "$@"`}, cmd.Args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	_ = cmd.Process.Signal(syscall.SIGHUP) // it may have ended
	if err := cmd.Wait(); err != nil {
		t.Errorf("under nohup a hang-up ends it: %v", err)
	}
}

// TestCrash: a fault of the program does not look like bad input.
func TestCrash(t *testing.T) {
	cmd := child("sleepy", "--ms", "14", "--replicas", "1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGABRT || !strings.Contains(stderr.String(), "panic: fourteen") {
		t.Errorf("it ends with %v: %.200s", cmd.ProcessState, stderr.String())
	}
}

// TestVersionFlag: --version is the command version.
func TestVersionFlag(t *testing.T) {
	if flag, command := repslab(t, "--version"), repslab(t, "version"); flag != command || !strings.HasPrefix(flag.stdout, "repslab "+param.Version) {
		t.Errorf("--version %+v, version %+v", flag, command)
	}
}

// TestClosedOutput: a command that only makes a file of its output fails where there is none.
func TestClosedOutput(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for line, want := range map[string]int{`"$0" "$1" >&-`: exitFailed, `"$0" "$1" >/dev/null`: exitDone} {
		cmd := child("vectors")
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", "exec " + line}, cmd.Args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != want || (want == exitFailed) != strings.Contains(stderr.String(), "the standard output is closed: give -o FILE") {
			t.Errorf("%s: code %d, %q", line, code, stderr.String())
		}
	}
}

// writeWide writes a result file of one point with many keys.
func writeWide(t *testing.T, path string, number int) {
	t.Helper()
	var results []string
	row := make([]any, number)
	for i := range row {
		results, row[i] = append(results, fmt.Sprintf("key_%d%s", i/2, []string{"", "_se"}[i%2])), float64(i)
	}
	throw := mc.Repeat(func() *sleepyTally { return new(sleepyTally) }, func(t *sleepyTally, _, replica uint64) { t.replicas.Add(int64(replica)) })
	points := []sweep.Point{sweep.Estimated("wide", []any{1}, throw, func(context.Context, *sleepyTally, uint64) (sweep.Results, error) {
		return sweep.Results{Rows: [][]any{row}}, nil
	})}
	s, err := sweep.New(sweep.Program{Version: "7"}, sweep.Config{Model: "wide", Replicas: 1}, sweep.Columns{Parameters: []string{"sides"}, Results: results}, points)
	if err != nil {
		t.Fatal(err)
	}
	if failed, err := s.Run(context.Background(), path, sweep.Options{}); failed != 0 || err != nil {
		t.Fatalf("%d points failed, error %v", failed, err)
	}
}

// TestManyKeys: readers of result files allocate in proportion to the keys of a row. With four times as many keys the
// bytes are at most six times as many; work in proportion to the square would make them sixteen times as many.
func TestManyKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	allocated := map[string]uint64{}
	for _, number := range []int{500, 2_000} {
		if err := os.RemoveAll("w.jsonl"); err != nil {
			t.Fatal(err)
		}
		writeWide(t, "w.jsonl", number)
		for _, line := range []string{"show w.jsonl --columns all --force -o o.txt", "export w.jsonl --long --force -o o.csv",
			"show w.jsonl --format latex --force -o o.tex", "compare w.jsonl w.jsonl --y key_1 --force -o o.txt", "plot w.jsonl --x sides --y key_3 --force -o o.svg"} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if o := repslab(t, strings.Fields(line)...); o.code != exitDone && !strings.Contains(line, "compare") {
				t.Fatalf("%s: %.300q", line, o.stderr)
			}
			runtime.ReadMemStats(&after)
			bytes := after.TotalAlloc - before.TotalAlloc
			if few := allocated[line]; number > 500 && bytes > 6*few {
				t.Errorf("%s: %d bytes with 500 keys, %d with %d", line, few, bytes, number)
			}
			allocated[line] = bytes
		}
	}
}

// TestCarelessFiles: every reader tells in plain words that a file is empty, or of another kind, and names no type of
// Go.
func TestCarelessFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "passwd", "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n")
	writeText(t, "passwd.csv", "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n")
	for _, name := range []string{"nothing", "nothing.csv"} {
		writeText(t, name, "")
	}
	writeText(t, "list", "[]")
	writeText(t, "number.csv", "[]")
	leaks := regexp.MustCompile(`\b(main|json|csv|sweep|traffic|topology|schedule|fattree|values|strconv)\.[A-Za-z]|\[\](string|int|any)|Go (value|struct)|interface|<nil>|%!`)
	for _, reader := range []string{"fattree --topology ", "fattree --flows ", "fattree --sizes ", "fattree --schedule ", "fattree --schedule passwd --placement ",
		"recycled --start ", "sweep --config ", "show ", "export ", "compare ", "merge -o m ", "plot -x a -y b -o p.svg "} {
		for _, name := range []string{"passwd", "nothing", "list", "passwd.csv", "nothing.csv", "number.csv"} {
			line := reader + name
			if reader == "compare " {
				line += " list"
			}
			o := repslab(t, strings.Fields(line)...)
			if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || leaks.MatchString(o.stderr) {
				t.Errorf("%s: %+v", line, o)
			}
		}
	}
}
