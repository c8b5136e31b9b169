package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"repslab/internal/mc"
)

// sleepyTally counts replicas.
type sleepyTally struct{ replicas mc.Sample }

func (s *sleepyTally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "replicas", Part: &s.replicas}}
}
func (s *sleepyTally) Judged() mc.Estimate { return s.replicas.Mean(mc.DefaultConfidence) }

// sleepyModel is a model whose replicas take milliseconds and do nothing, but those
// of 13 ms fail and those of 14 ms panic.
func sleepyModel() model {
	return model{
		name: "sleepy", short: "Sleep", long: "Sleeps.", example: "  repslab sleepy --ms 1",
		parameters: []parameter{{"ms", "1", "milliseconds of a replica"}},
		keys:       columns([]string{"ms"}),
		results:    columns([]string{"index_mean", "index_se"}),
		points: func(g *grid) ([]point, error) {
			ms := axis(g, "ms", intsIn(0, 1_000_000))
			var points []point
			err := g.each(func() error {
				points = append(points, sleepyPoint(ms()))
				return nil
			})
			return points, err
		},
	}
}

func sleepyPoint(ms int) point {
	experiment := mc.Experiment[*sleepyTally]{
		NewTally: func() *sleepyTally { return new(sleepyTally) },
		NewWorker: func(uint64) mc.Worker[*sleepyTally] {
			return func(ctx context.Context, block mc.Block) (*sleepyTally, error) {
				t := new(sleepyTally)
				for r := block.First; r < block.End; r++ {
					switch ms {
					case 13:
						return nil, fmt.Errorf("thirteen")
					case 14:
						panic("fourteen")
					}
					time.Sleep(time.Duration(ms) * time.Millisecond)
					t.replicas.Add(int64(r))
				}
				return t, ctx.Err()
			}
		},
	}
	return estimated(fmt.Sprintf("ms=%d", ms), []any{ms}, experiment, func(_ context.Context, t *sleepyTally, _ uint64) (results, error) {
		e := t.Judged()
		return results{rows: [][]any{{e.Value, e.StdErr}}}, nil
	})
}

// childVariable holds the arguments of a child, one a line.
const childVariable = "REPSLAB_TEST_SWEEP"

// TestSweepChild is no test: in a child process it is the program, with the sleepy
// model beside the others.
func TestSweepChild(t *testing.T) {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(runInterruptible(append(models(), sleepyModel()), strings.Split(text, "\n")))
	}
}

// child returns a process that runs a command line.
func child(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweepChild$")
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(args, "\n"))
	return cmd
}

// sleepy runs a command line in this process with the sleepy model.
func sleepy(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := runModels(context.Background(), append(models(), sleepyModel()), args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// mustSweep runs a command line that must succeed and returns the bytes of a file.
func mustSweep(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	if o := sleepy(args...); o.code != exitDone || o.stdout != "" {
		t.Fatalf("%v: %+v", args, o)
	}
	return fileBytes(t, path)
}

func fileBytes(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSweepRowsAreThoseOfTheModel: for every model, with and without a stopping
// rule, exact points too, export prints what the model's own command prints.
func TestSweepRowsAreThoseOfTheModel(t *testing.T) {
	for _, command := range []string{
		"ballsbins --bins 4,8 --rounds 20 --every 8 --policy uniform,two-choice",
		"recycled --bins 8,16 --threshold ln(n),4*ln(n) --clocking self-clocked,round-robin --max-rounds 50",
		"coalescing --bins 8 --ack-ratio 1,4 --ack-variant carry,every-rth-round --rounds 30",
		"evs --flows 2 --evs 16,100 --method exact,multinomial,hash,crc32",
	} {
		args := strings.Fields(command)
		for _, how := range [][2][]string{
			{{"--replicas", "100"}, {"--replicas", "100"}},
			{{"--precision", "0.05", "--replicas", "640"}, {"--precision", "0.05", "--max-replicas", "640"}},
		} {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			direct := repslab(t, slices.Concat(args, how[0], []string{"--format", "csv"})...)
			mustSweep(t, path, slices.Concat([]string{"sweep"}, args, how[1], []string{"-o", path, "--seed", "1"})...)
			export := repslab(t, "export", path)
			if direct.code != exitDone || export.code != exitDone || export.stdout != direct.stdout {
				t.Errorf("%s %v: the command prints\n%s\nthe sweep\n%s", command, how[0], direct.stdout, export.stdout)
			}
		}
	}
}

// TestSweepConfig: the printed configuration, read again, is the same sweep; zipped
// lists run together; unknown keys are refused.
func TestSweepConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "8..32:x2", "--max-rounds", "10,20,30", "--zip", "bins,max-rounds", "--replicas", "20"}
	printed := repslab(t, append(args, "--print-config")...)
	if printed.code != exitDone || !strings.Contains(printed.stdout, `"bins": "8,16,32"`) {
		t.Fatalf("%+v", printed)
	}
	write := func(text string) {
		if err := os.WriteFile("c.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(printed.stdout)
	if again := repslab(t, "sweep", "--config", "c.json", "--print-config"); again != printed {
		t.Errorf("printed %+v, read and printed %+v", printed, again)
	}
	want := mustSweep(t, "a.jsonl", append(args, "-o", "a.jsonl")...)
	if got := mustSweep(t, "b.jsonl", "sweep", "--config", "c.json", "-o", "b.jsonl"); !bytes.Equal(got, want) {
		t.Error("the sweep of the configuration file differs")
	}
	if o := repslab(t, "export", "a.jsonl"); strings.Count(o.stdout, "\n") != 4 || !strings.Contains(o.stdout, "\n32,") {
		t.Errorf("zipped: %q", o.stdout)
	}
	write(`{"model": "sleepy", "parameters": {"ms": [0, "2", 3]}, "replicas": 5}`)
	if o := sleepy("sweep", "--config", "c.json", "--plan"); o.code != exitDone || !strings.HasPrefix(o.stdout, "3 points, 15 blocks of 1 replicas; ") {
		t.Errorf("%+v", o)
	}
	for _, bad := range []struct{ text, want string }{
		{`{"model": "sleepy", "speed": 1}`, `unknown field "speed"`},
		{`{"model": "sleepy", "parameters": {"bins": 1}}`, `parameter "bins" must be one of ms`},
		{`{"model": "sleepy", "parameters": {"ms": {"a": 1}}}`, "must be a string, a number or a list"},
		{`{"model": "sleepy"} {}`, "one JSON object"},
		{`{"model": "golf"}`, `model "golf" must be one of`},
		{`{"model": "sleepy", "parameters": {"ms": true}}`, "must be a string"},
		{`{"model": "sleepy", "zip": ["colour"]}`, `"colour" must be a parameter`},
	} {
		write(bad.text)
		if o := sleepy("sweep", "--config", "c.json", "-o", "x.jsonl"); o.code != exitUsage || !strings.Contains(o.stderr, bad.want) {
			t.Errorf("%s: %+v", bad.text, o)
		}
	}
}

// TestCompletionAndHelp: the shell completion scripts exist and complete, and every
// command has an example.
func TestCompletionAndHelp(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if o := repslab(t, "completion", shell); o.code != exitDone || !strings.Contains(o.stdout, "repslab") {
			t.Errorf("completion %s: code %d", shell, o.code)
		}
	}
	for typed, want := range map[string]string{"sweep rec": "recycled\t", "sweep recycled --thr": "--threshold\t", "mer": "merge\t"} {
		if o := repslab(t, append([]string{"__complete"}, strings.Fields(typed)...)...); !strings.HasPrefix(o.stdout, want) {
			t.Errorf("%s is completed to %q, want %q", typed, o.stdout, want)
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Name() != "help" && c.Name() != "completion" && !strings.Contains(c.Example, c.CommandPath()) {
				t.Errorf("%s has no example", c.CommandPath())
			}
			visit(c)
		}
	}
	visit(newRoot(models(), nil, nil))
}

// TestManual: a page for each command, the same each time.
func TestManual(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b"} {
		if o := repslab(t, "man", dir); o.code != exitDone || o.stdout+o.stderr != "" {
			t.Fatalf("%+v", o)
		}
	}
	for name, want := range map[string]string{"repslab.1": "packet spraying", "repslab-sweep-recycled.1": "colors-per-bin", "repslab-merge.1": "salvage"} {
		page := fileBytes(t, filepath.Join("a", name))
		if !bytes.Contains(page, []byte(want)) || !bytes.Equal(page, fileBytes(t, filepath.Join("b", name))) {
			t.Errorf("%s lacks %q or differs from time to time", name, want)
		}
	}
	for _, args := range [][]string{{"man"}, {"man", "a/repslab.1"}} {
		if o := repslab(t, args...); o.code != exitUsage {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// TestPlainInPipes: where the output is no terminal there is neither progress nor
// colour, with NO_COLOR and without.
func TestPlainInPipes(t *testing.T) {
	dir := t.TempDir()
	for i, variable := range []string{"NO_COLOR=1", "TERM=xterm-256color"} {
		path := filepath.Join(dir, fmt.Sprint(i))
		sweep := child("sweep", "recycled", "--bins", "8", "--replicas", "100", "-o", path)
		show := child("show", path)
		for _, cmd := range []*exec.Cmd{sweep, show} {
			cmd.Env = append(cmd.Env, variable)
			out, err := cmd.CombinedOutput()
			if err != nil || bytes.ContainsAny(out, "\x1b\r") {
				t.Errorf("%s: %v, %q", variable, err, out)
			}
		}
	}
}

// TestPrintScript: the script that is printed runs without Slurm too, task by task,
// and its last line merges to the file of one run.
func TestPrintScript(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "8,16", "--threshold", "2*ln(n)", "--max-rounds", "40,90", "--zip", "bins,max-rounds", "--replicas", "50"}
	want := mustSweep(t, "one.jsonl", append(args, "-o", "one.jsonl")...)
	o := repslab(t, append(args, "-o", "r.jsonl", "--print-script", "--tasks", "3", "--time", "30", "--memory", "1G", "--partition", "short", "--account", "lab")...)
	if o.code != exitDone || !strings.HasPrefix(o.stdout, "#!/bin/sh\n#SBATCH ") {
		t.Fatalf("%+v", o)
	}
	if err := os.Symlink(os.Args[0], programFile); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+":"+os.Getenv("PATH"))
	script := strings.TrimSpace(o.stdout)
	merge := strings.TrimPrefix(script[strings.LastIndex(script, "\n")+1:], "#")
	for _, command := range [][]string{{script, "sh", "2"}, {script, "sh", "3"}, {script, "sh", "1"}, {script, "sh", "1"}, {merge}} {
		if out, err := exec.Command("sh", append([]string{"-c"}, command...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if !bytes.Equal(fileBytes(t, "r.jsonl"), want) {
		t.Error("the tasks of the script make another file than one run")
	}
}

// TestPlotFormats: the figure of a sweep in all formats, and what it refuses.
func TestPlotFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8..32:x2", "--threshold", "ln(n),4*ln(n)", "--replicas", "20", "-o", "r.jsonl")
	for extension, magic := range map[string]string{"pdf": "%PDF", "svg": "<?xml", "png": "\x89PNG", "pgf": "%"} {
		o := repslab(t, "plot", "r.jsonl", "--x", "bins", "--y", "rounds_mean", "--by", "threshold_expression", "--log-x", "--log-y", "-o", "p."+extension)
		if data := fileBytes(t, "p."+extension); o.code != exitDone || !bytes.HasPrefix(data, []byte(magic)) {
			t.Errorf("%s: %+v", extension, o)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"--x bins --y rounds_mean -o q.pdf", "give --by threshold"},
		{"--x bins --y speed -o q.pdf", `--y: "speed" must be one of bins`},
		{"--x threshold_expression --y rounds_mean --by bins -o q.pdf", "must be a column of numbers"},
		{"--x bins --y rounds_mean -o q.gif", `must end in one of [pdf svg png pgf]`},
		{"--x bins -o q.pdf", "needs --x, --y and -o"},
	} {
		if o := repslab(t, append([]string{"plot", "r.jsonl"}, strings.Fields(c.args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
}

// TestCompareFindsWhatDiffers: equal files differ in nothing, thresholds in rounds.
func TestCompareFindsWhatDiffers(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tau := range []string{"1", "4"} {
		mustSweep(t, tau+".jsonl", "sweep", "recycled", "--bins", "32,64", "--threshold", tau+"*ln(n)", "--replicas", "300", "-o", tau+".jsonl")
	}
	read := func(args ...string) [][]string {
		o := repslab(t, append([]string{"compare", "--format", "csv"}, args...)...)
		records, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
		if o.code != exitDone || err != nil || len(records) != 3 {
			t.Fatalf("%v: %+v, error %v", args, o, err)
		}
		return records[1:]
	}
	for _, row := range read("1.jsonl", "1.jsonl") {
		if row[len(row)-1] != "false" || row[len(row)-2] != "1" {
			t.Errorf("a file differs from itself: %v", row)
		}
	}
	for _, row := range read("1.jsonl", "4.jsonl", "--except", "threshold,threshold_expression") {
		if row[len(row)-1] != "true" {
			t.Errorf("not significant: %v", row)
		}
	}
	if o := repslab(t, "compare", "1.jsonl", "4.jsonl"); o.code != exitFailed || !strings.Contains(o.stderr, "no point in common") {
		t.Errorf("%+v", o)
	}
}

// TestSweepUsage: what is refused, with code 2 and without a file.
func TestSweepUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("notes.txt", []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"sweep", "sweep needs a MODEL or --config"},
		{"sweep golf", `model "golf" must be one of ballsbins, recycled, coalescing, evs`},
		{"sweep recycled", "-o must name the result file"},
		{"sweep recycled --replicas 0 -o x", "--replicas"},
		{"sweep recycled --replicas= -o x", "--replicas"},
		{"sweep recycled --precision 0.1 --replicas 5 -o x", "exclude each other"},
		{"sweep recycled --max-replicas 5 -o x", "must go with --precision"},
		{"sweep recycled --precision 0.1 --shard 1/2 -o x", "Precision must be 0"},
		{"sweep recycled --shard 3/2 -o x", `--shard: "3/2" must be i/N`},
		{"sweep recycled --shard slurm -o x", "SLURM_ARRAY_TASK_ID"},
		{"sweep recycled --block 2000 -o x", "--block"},
		{"sweep recycled --zip golf -o x", `"golf" must be a parameter of recycled`},
		{"sweep recycled --bins 8,16 --delay 1..3 --zip bins,delay -o x", "--bins has 2 values and --delay has 3"},
		{"sweep recycled -o none/x", "directory that exists"},
		{"sweep recycled -o notes.txt", "exists"},
		{"sweep recycled -o notes.txt --resume", "is no result file of a sweep"},
		{"sweep recycled --engine cloud -o x", "must be local or slurm"},
		{"sweep recycled --engine slurm", "-o must name"},
		{"sweep recycled --engine slurm -o notes.txt", "notes.txt exists"},
		{"sweep recycled --print-script --shard 1/2 -o x", "--shard"},
		{"sweep recycled --print-script --precision 0.1 -o x", "Precision must be 0"},
		{"sweep recycled --print-script --time soon -o x", "Time"},
		{"sweep recycled --print-script --tasks 0 -o x", "--tasks"},
		{"sweep --attach .", "must be the folder of a sweep on a cluster"},
		{"merge -o x", "needs a FILE"},
		{"merge notes.txt", "-o must name"},
		{"merge notes.txt -o notes.txt", "is no result file of a sweep"},
		{"show", "takes one FILE, but 0 were given"},
		{"compare a", "takes two files, but 1 were given"},
	} {
		o := repslab(t, strings.Fields(c.args)...)
		if o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, c.want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want %q", c.args, o, c.want)
		}
	}
	if o := repslab(t, "show", "notes.txt"); o.code != exitFailed || !strings.Contains(o.stderr, "is no result file of a sweep") {
		t.Errorf("%+v", o)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || string(fileBytes(t, "notes.txt")) != "mine\n" {
		t.Errorf("files were written or changed: %v, error %v", entries, err)
	}
}

// TestShardOfSlurmArray takes the shard from the variables of an array task.
func TestShardOfSlurmArray(t *testing.T) {
	for _, c := range []struct {
		id, count, least string
		want             string
	}{{"3", "8", "1", "3/8"}, {"0", "8", "0", "1/8"}, {"9", "8", "1", ""}, {"", "", "", ""}} {
		env := map[string]string{"SLURM_ARRAY_TASK_ID": c.id, "SLURM_ARRAY_TASK_COUNT": c.count, "SLURM_ARRAY_TASK_MIN": c.least}
		s, err := parseShard("slurm", func(name string) string { return env[name] })
		if (err == nil) != (c.want != "") || err == nil && s.String() != c.want {
			t.Errorf("%+v: %v, error %v", c, s, err)
		}
	}
}

// TestFaultFailedPointExitsWithOne: a point that fails ends in code 1, its parameters are in the
// file, the others are done.
func TestFaultFailedPointExitsWithOne(t *testing.T) {
	t.Chdir(t.TempDir())
	o := sleepy("sweep", "sleepy", "--ms", "0,13,14,1", "--replicas", "4", "-o", "r.jsonl")
	if o.code != exitFailed || !strings.Contains(o.stderr, "2 of 4 points failed") {
		t.Errorf("%+v", o)
	}
	data := string(fileBytes(t, "r.jsonl"))
	if !strings.Contains(data, `"point":{"ms":13},"error":"thirteen"`) || !strings.Contains(data, `"point":{"ms":14},"error":"panic: fourteen"`) {
		t.Errorf("no failures in %s", data)
	}
	if o := sleepy("export", "r.jsonl"); strings.Count(o.stdout, "\n") != 3 || strings.Count(o.stderr, "failed: ") != 2 {
		t.Errorf("%+v", o)
	}
	t.Log("faults injected: 2 failing points")
}

// TestFaultKills kills the program at random moments and resumes it until it ends:
// the file is that of an undisturbed run. 50 kills, 200 with REPSLAB_LONG=1.
func TestFaultKills(t *testing.T) {
	kills := 50
	if os.Getenv("REPSLAB_LONG") != "" {
		kills = 200
	}
	dir := t.TempDir()
	args := []string{"sweep", "recycled", "--bins", "16..128:x2", "--threshold", "1*ln(n),4*ln(n)", "--replicas", "6000", "--block", "60", "--resume", "--quiet", "-o"}
	whole := filepath.Join(dir, "whole.jsonl")
	if out, err := child(append(args, whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, all := fileBytes(t, whole), lines(whole)
	rng := rand.New(rand.NewPCG(7, 7))
	survived, midway, ends, torn := 0, 0, 0, 0
	for survived < kills {
		path := filepath.Join(dir, fmt.Sprintf("r%d.jsonl", ends))
		for done := false; !done; {
			cmd := child(append(args, path)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Three of four come at a random moment of the work, others earlier.
			goal := 0
			if rng.IntN(4) > 0 {
				goal = max(1, lines(path)) + 1 + rng.IntN(all/2)
			}
			err := killAt(cmd, rng, func() bool { return lines(path) >= goal })
			switch {
			case err == nil:
				done = true
			case cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
				survived++
				data, err := os.ReadFile(path)
				if err == nil && !bytes.HasSuffix(data, []byte("\n")) {
					torn++
				}
				if bytes.Count(data, []byte("\n")) > 1 {
					midway++
				}
			default:
				t.Fatalf("after %d kills: %v", survived, err)
			}
		}
		ends++
		if got := fileBytes(t, path); !bytes.Equal(got, want) {
			t.Fatalf("after %d kills the file differs from that of an undisturbed run", survived)
		}
	}
	if midway < survived/3 {
		t.Errorf("only %d of %d kills came after the first block", midway, survived)
	}
	t.Logf("kills survived: %d of %d, %d of them after the first block, in %d sweeps that all end in the file of an undisturbed run; %d torn lines", survived, survived, midway, ends, torn)
}

// TestFaultInterruptions: the first interruption lets the blocks under way finish,
// the second stops at once.
func TestFaultInterruptions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	cmd := child("sweep", "sleepy", "--ms", "1000", "--replicas", "100", "--workers", "2", "-o", path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return lines(path) >= 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted: finishing 2 blocks") {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
	if n := lines(path); n < 5 { // the header, two blocks before and those under way
		t.Errorf("%d lines, want at least 5", n)
	}

	stop := func(name string, wrap func(*exec.Cmd)) {
		path := filepath.Join(dir, name)
		cmd := child("sweep", "sleepy", "--ms", "1000000", "--replicas", "1", "-o", path)
		wrap(cmd)
		begun := &signalling{want: []byte("interrupted"), seen: make(chan struct{})}
		cmd.Stderr = begun
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return lines(path) >= 1 })
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		select {
		case <-begun.seen:
		case <-time.After(10 * time.Minute):
			t.Fatal("the first interruption was not noticed")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // a million seconds, were it not stopped
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: ended with %v, want code %d", name, cmd.ProcessState, exitInterrupted)
		}
	}
	stop("long.jsonl", func(*exec.Cmd) {})
	// As shells start what they put into the background.
	stop("background.jsonl", func(cmd *exec.Cmd) {
		cmd.Path = "/bin/sh"
		cmd.Args = []string{"sh", "-c", `trap '' INT; exec "$0" -test.run='^TestSweepChild$'`, os.Args[0]}
	})
	t.Log("faults injected: 5 interruptions")
}

// killAt kills a process within a millisecond of the moment from which something
// holds, unless it ends before, and returns what waiting for it returns.
func killAt(cmd *exec.Cmd, rng *rand.Rand, holds func() bool) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Duration(rng.IntN(1_000_000))):
			if holds() {
				_ = cmd.Process.Kill()
				return <-ended
			}
		}
	}
}

// signalling closes a channel when a text was written to it.
type signalling struct {
	want []byte
	all  []byte
	seen chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	before := bytes.Contains(s.all, s.want)
	s.all = append(s.all, p...)
	if !before && bytes.Contains(s.all, s.want) {
		close(s.seen)
	}
	return len(p), nil
}

// lines counts the lines of a file, 0 if there is none.
func lines(path string) int {
	data, _ := os.ReadFile(path)
	return bytes.Count(data, []byte("\n"))
}

// waitFor waits until something holds, for ten minutes.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited ten minutes in vain")
		}
	}
}

// TestFaultTwoProcesses: the second process on a file is refused and changes
// nothing.
func TestFaultTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	args := []string{"sweep", "sleepy", "--ms", "20", "--replicas", "100", "-o", path, "--resume"}
	first := child(args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return lines(path) >= 2 })
	if o := sleepy(args...); o.code != exitFailed || !strings.Contains(o.stderr, "is being written by another process") {
		t.Errorf("the second process: %+v", o)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("the first process: %v", err)
	}
	if o := sleepy("export", path); strings.Count(o.stdout, "\n") != 2 || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	t.Log("faults injected: 1 second writer")
}

// TestFaultDiskFull runs against a limit on the size of files, as a full disk: the
// error says what to do, what was finished stays, and with room the sweep ends in
// the file of an undisturbed run.
func TestFaultDiskFull(t *testing.T) {
	dir := t.TempDir()
	args := []string{"sweep", "recycled", "--bins", "16..64:x2", "--replicas", "600", "--quiet"}
	whole := filepath.Join(dir, "whole.jsonl")
	want := mustSweep(t, whole, append(args, "-o", whole)...)
	limits := 0
	for _, kib := range []int{1, 4, 16, 33} {
		path := filepath.Join(dir, fmt.Sprintf("r%d.jsonl", kib))
		again := append(args, "-o", path, "--resume")
		limited := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" -test.run='^TestSweepChild$'`, kib), os.Args[0])
		limited.Env = child(again...).Env
		out, err := limited.CombinedOutput()
		if err == nil || limited.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "the finished blocks are kept") {
			t.Errorf("%d KiB: %v, %q", kib, err, out)
		}
		data := fileBytes(t, path)
		if len(data) > kib<<10 || !bytes.HasSuffix(data, []byte("\n")) || kib > 1 && lines(path) < 3 {
			t.Errorf("%d KiB: %d bytes and %d lines are left", kib, len(data), lines(path))
		}
		if got := mustSweep(t, path, again...); !bytes.Equal(got, want) {
			t.Errorf("%d KiB: resumed with room the file differs", kib)
		}
		limits++
	}
	t.Logf("faults injected: %d full disks", limits)
}

// TestFaultReadOnly: where nothing can be written the error says so and the code is
// 1.
func TestFaultReadOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "repslab-readonly-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "repslab.test")
	program, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, program, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o555)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := child("sweep", "sleepy", "-o", filepath.Join(dir, "r.jsonl"))
	cmd.Path, cmd.Dir = binary, "/"
	if os.Geteuid() == 0 { // permissions do not bind root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "permission denied") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "r.jsonl")); !os.IsNotExist(err) && err != fs.ErrNotExist {
		t.Errorf("a file was written: %v", err)
	}
	t.Log("faults injected: 1 read-only directory")
}

// TestResultFileIsJSONLines: every line is an object that others read.
func TestResultFileIsJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	data := mustSweep(t, path, "sweep", "coalescing", "--bins", "8", "--rounds", "10", "--replicas", "70", "-o", path)
	for line := range bytes.Lines(data) {
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil || object["crc32c"] == nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}
