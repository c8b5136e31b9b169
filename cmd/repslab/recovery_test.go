package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/sweep"
)

// TestUsageErrorsOfPrinting: flags are checked whatever is asked of a sweep, also where
// nothing is run.
func TestUsageErrorsOfPrinting(t *testing.T) {
	var refusals []refusal
	for _, mode := range []string{"--plan", "--print-config", "--print-script"} {
		for _, c := range []refusal{
			{"--tasks=-1", []string{"--tasks: -1 must be an integer in [1, 1000000]"}},
			{"--time soon", []string{`--time ("soon") must be`}},
			{"--memory huge", []string{`--memory ("huge") must be`}},
			{"--partition a/b", []string{`--partition ("a/b") must`}},
			{"--seed=", []string{`--seed: "" must have a value`}},
			{"-o none/x", []string{"-o", "existing directory"}},
			{"-o .", []string{"-o", "is a directory"}},
		} {
			refusals = append(refusals, refusal{"sweep recycled " + mode + " " + c.args, c.want})
		}
	}
	checkRefused(t, "c.json", `{"model": "recycled"}`, append(refusals, []refusal{
		{"sweep recycled --tasks=-1 -o x", []string{"--tasks: -1 must be"}},
		{"sweep recycled --print-script --tasks 2,3 -o x", []string{`--tasks: "2,3" has 2 values`}},
		{"sweep recycled --plan --print-config", []string{"--plan and --print-config exclude each other"}},
		{"sweep --config c.json --plan --shard=", []string{"--shard", "must have a value"}},
		{"completion", []string{"needs a shell: bash, fish, powershell, zsh"}},
		{"completion nosh", []string{`"nosh"`, "must be one of bash, fish, powershell, zsh"}},
		{"completion bash extra", []string{`"extra"`, "takes no argument"}},
		{"fattree --inherit --lb reps", []string{`--inherit: "--lb" must not follow`}},
		{"sweep recycled -o --seed=1", []string{`--output: "--seed=1" must not follow`}},
		{"sweep recycled -o --force", []string{`--output: "--force" must not follow`}},
		{"help completion nosh", []string{`"nosh"`, "bash, fish"}},
		{"help sweep nosuch", []string{`"nosuch"`, "recycled"}},
		{"reproduce --list --style fancy", []string{"--style"}},
		{"reproduce --list --fresh --record", []string{"--fresh"}},
		{"reproduce --list --seed x", []string{"--seed"}},
	}...))
}

// TestUsageErrorsOfRepeatedKeys: JSON would keep the last of two values.
func TestUsageErrorsOfRepeatedKeys(t *testing.T) {
	for text, key := range map[string]string{
		`{"model": "recycled", "model": "evs"}`:                                       "model",
		`{"Model": "recycled", "model": "recycled"}`:                                  "model",
		`{"model": "recycled", "\u006dodel": "recycled"}`:                             "model",
		`{"model": "\": {", "seed" : 1, "zip": ["seed"], "seed"` + "\t:\n" + ` 1}`:    "seed",
		`{"model": "recycled", "seed": 1, "seed": 1}`:                                 "seed",
		`{"model": "recycled", "parameters": {"bins": 8, "delay": 1, "bins": 16}}`:    "bins",
		`{"model": "recycled", "parameters": {"max_rounds": 8, "max-rounds": 9}}`:     "max-rounds",
		`{"model": "recycled", "parameters": {"bins": 8}, "parameters": {"bins": 8}}`: "parameters",
	} {
		checkRefused(t, "c.json", text, []refusal{{"sweep --config c.json --print-config", []string{fmt.Sprintf("has the key %q twice", key)}}})
	}
	if _, err := param.ParseRequest([]byte(`{"model": "recycled", "seed": 1, "parameters": {"seed": "1", "model": "2"}}`)); err != nil {
		t.Errorf("keys of parameters are taken for those of the configuration: %v", err)
	}
}

// full is a writer to a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFaultOutputFull: no command hides that it cannot print, whatever it computed. Few commands print nothing.
// It needs REPSLAB_LONG=1.
func TestFaultOutputFull(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	tried := map[string]bool{"repslab merge": true, "repslab plot": true, "repslab view": true, "repslab man": true, "repslab serve": true}
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "10", "-o", "r.jsonl")
	root := newRoot(cases.All(), io.Discard, io.Discard)
	checkCompletion(root)
	for _, line := range []string{
		"", "--help", "-h", "help", "help sweep", "sweep --help", "sweep recycled -h", "recycled --help", "version", "man --help",
		"completion bash", "completion zsh", "completion fish", "completion powershell", "completion --help", "help completion bash", "__complete mer",
		"reproduce --list", "recycled --bins 8 --replicas 3", "recycled --bins 8 --replicas 3 --format csv", "prove --explain E1", "vectors",
		"show r.jsonl", "export r.jsonl", "compare r.jsonl r.jsonl", "show r.jsonl --format json", "show r.jsonl --format latex", "export r.jsonl --long",
		"ballsbins --bins 8 --rounds 9 --replicas 3", "coalescing --bins 8 --rounds 9 --replicas 3", "evs --evs 8", "allocate --bins 8 --replicas 3",
		"fattree --hosts 8 --message-bytes 1kB --replicas 1", "fattree --list lb", "advise " + quickAdvice,
		"advise --format json " + quickAdvice, "explain", "explain lb", "prove --step L1", "prove --step L1 --format latex", "schedule ring-allreduce",
		"schedule tree-allreduce", "schedule reduce-scatter", "schedule all-gather", "schedule alltoall", "schedule pipeline", "schedule training",
		"sweep recycled --bins 8 --replicas 3 --columns bins -o columns.jsonl", "version", "--version",
		"sweep recycled --print-config", "sweep recycled --bins 8 --replicas 3 --plan", "sweep recycled --print-script --tasks 2 -o x",
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), strings.Fields(line), full{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "repslab: error: no space left on device") {
			t.Errorf("repslab %s: code %d, %q", line, code, stderr.String())
		}
		if cmd, _, err := root.Find(strings.Fields(line)); err == nil {
			tried[cmd.CommandPath()] = true
		}
	}
	eachCommand(root, func(cmd *cobra.Command) {
		if path := cmd.CommandPath(); !tried[path] && !tried[cmd.Parent().CommandPath()+" recycled"] {
			t.Errorf("%s has not been tried: add a line above", path)
		}
	})
}

// TestUsageErrorsOfPipes: result files are regular files. Other waits for a pipe end
// with the first interruption.
func TestUsageErrorsOfPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "10", "-o", "r.jsonl")
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	ends := func(line string, patience time.Duration, code int, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ended := make(chan outcome, 1)
		go func() { ended <- repslabUntil(ctx, strings.Fields(line)...) }()
		select {
		case o := <-ended:
			if o.code != code || o.stdout != "" || !strings.Contains(o.stderr, want) {
				t.Errorf("repslab %s: %+v, want code %d and %q", line, o, code, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("repslab %s does not end", line)
		}
	}
	for _, line := range []string{
		"show pipe", "export pipe", "plot pipe --x bins --y rounds_mean -o p.pdf", "compare pipe r.jsonl", "compare r.jsonl pipe",
		"merge pipe -o m", "merge r.jsonl pipe -o m", "merge r.jsonl -o pipe",
		"sweep recycled --bins 8 --replicas 10 -o pipe", "sweep recycled --bins 8 --replicas 10 -o pipe --resume", "sweep recycled --plan -o pipe",
	} {
		ends(line, time.Hour, exitUsage, "pipe is a pipe, but must be a regular file")
	}
	ends("show .", time.Hour, exitUsage, ". is a directory, but must be a regular file")
	ends("sweep recycled -o /dev/null", time.Hour, exitUsage, "/dev/null is a device, but must be a regular file")
	for _, line := range []string{
		"recycled --bins 8 --replicas 2 -o %s", "show r.jsonl -o %s", "sweep --config %s --plan",
		"fattree --flows %s", "sweep fattree --sizes %s --plan",
	} {
		// After its interruption the command may still open its pipe, so no other command or test has one by this name.
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		ends(fmt.Sprintf(line, pipe), 100*time.Millisecond, exitInterrupted, "interrupted; nothing was written")
	}
}

// TestRowsToPipe: rows do go to a pipe that somebody reads.
func TestRowsToPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string, 1)
	go func() {
		data, err := os.ReadFile("pipe")
		if err != nil {
			t.Error(err)
		}
		read <- string(data)
	}()
	args := []string{"recycled", "--bins", "8", "--replicas", "10", "--format", "csv"}
	want := repslab(t, args...).stdout
	if o := repslab(t, append(args, "-o", "pipe")...); o.code != exitDone || <-read != want {
		t.Errorf("%+v", o)
	}
}

// TestInterruptionText: the end of an interrupted command says what was written, or
// that nothing was.
func TestInterruptionText(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "s.jsonl", strings.Fields("sweep recycled --bins 8 --replicas 10 -o s.jsonl")...)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for line, want := range map[string]string{
		"merge s.jsonl -o m.jsonl":                              "repslab: interrupted; nothing was written\n",
		"show s.jsonl":                                          "repslab: interrupted; nothing was written\n",
		"export s.jsonl":                                        "repslab: interrupted; nothing was written\n",
		"compare s.jsonl s.jsonl":                               "repslab: interrupted; nothing was written\n",
		"plot s.jsonl --x bins --y rounds_mean -o p.svg":        "repslab: interrupted; nothing was written\n",
		"recycled --bins 8 --replicas 100000 -o rows.csv":       "repslab: interrupted; nothing was written\n",
		"sweep recycled --bins 8 --plan":                        "repslab: interrupted; nothing was written\n",
		"sweep recycled --bins 8 --replicas 1000000 -o r.jsonl": "repslab: interrupted; nothing was written\n",
	} {
		if o := repslabUntil(over, strings.Fields(line)...); o.code != exitInterrupted || o.stderr != want {
			t.Errorf("repslab %s: %+v, want %q", line, o, want)
		}
	}
	// A writer that interrupts at the first row.
	ctx, stop := context.WithCancel(context.Background())
	stdout := &interrupting{interrupt: stop}
	var stderr bytes.Buffer
	code := run(ctx, strings.Fields("recycled --bins 16,1024 --start random --replicas 200000 --max-rounds 10 --format json"), stdout, &stderr)
	if want := "repslab: interrupted; the finished rows (1) are written to the standard output\n"; code != exitInterrupted || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("code %d, %q, want %q", code, stderr.String(), want)
	}
}

// TestFaultInterruptedSweepText: the end of an interrupted sweep counts the blocks in
// its file, if there are any.
// It needs REPSLAB_LONG=1.
func TestFaultInterruptedSweepText(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, err := param.Request{Model: "recycled", Selection: param.Selection{Parameters: param.Texts{"bins": "8"}}}.NewSweep(context.Background(), cases.All(), sweep.Shard{})
	if err != nil {
		t.Fatal(err)
	}
	if got := written(s, path); got != "nothing was written" {
		t.Errorf("without a file: %q", got)
	}
	mustSweep(t, path, "sweep", "recycled", "--bins", "8", "-o", path)
	lines := bytes.SplitAfter(fileBytes(t, path), []byte("\n"))
	for n, want := range map[int]string{
		0:              "r.jsonl holds no finished block",
		1:              "r.jsonl holds no finished block",
		2:              "r.jsonl holds 1 finished block and the rows of 0 points; --resume continues with them",
		4:              "r.jsonl holds 3 finished blocks and the rows of 0 points; --resume continues with them",
		len(lines) - 1: "r.jsonl holds 67 finished blocks and the rows of 1 point; --resume continues with them",
	} {
		if err := os.WriteFile(path, bytes.Join(lines[:n], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := written(s, path); !strings.HasSuffix(got, want) {
			t.Errorf("%d lines: %q, want %q", n, got, want)
		}
	}
	if err := os.WriteFile(path, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := written(s, path); !strings.HasSuffix(got, "r.jsonl cannot be resumed as it is") {
		t.Errorf("a foreign file: %q", got)
	}
}

// TestFaultCutFile cuts a file to nothing, or inside its first line, while the program
// writes it: the message says that no block is left, and --resume does begin anew.
func TestFaultCutFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(14, 6))
	for _, size := range []int64{0, 100} {
		path := filepath.Join(dir, fmt.Sprintf("r%d.jsonl", size))
		args := []string{"sweep", "sleepy", "--ms", "5", "--replicas", "200", "--block", "1", "--workers", "1", "-o", path}
		cmd := child(args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		goal := 2 + rng.IntN(10)
		waitFor(t, func() bool { return lines(path) >= goal })
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(stderr.String(), "was changed by another process") || !strings.Contains(stderr.String(), "holds no finished block") {
			t.Errorf("cut to %d bytes: code %d, %q", size, code, stderr.String())
		}
		if o := sleepy(append(args, "--resume")...); o.code != exitDone || o.stderr != "" {
			t.Errorf("cut to %d bytes and resumed: %+v", size, o)
		}
	}
	t.Log("faults injected: 2 files that were cut while they were written")
}

// TestPromptly: what does not end is left alone when the command is interrupted.
func TestPromptly(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if v, err := console.Promptly(ctx, func() (int, error) { return 7, io.EOF }); v != 7 || err != io.EOF {
		t.Errorf("%d, %v", v, err)
	}
	cancel()
	var i *console.Interruption
	if _, err := console.Promptly(ctx, func() (int, error) { select {} }); !errors.As(err, &i) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestInterruptedReading: the first Ctrl-C ends the reading of a file that never ends, here a pipe that stays open.
func TestInterruptedReading(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, text := range map[string]string{
		"plot pipe.csv --x a --y b -o p.svg": "a,b\n1,2\n", "sweep --config pipe.csv --plan": "{", "fattree --flows pipe.csv": "Nodes 4\n",
		"fattree --topology pipe.csv": "Nodes 4\n", "fattree --sizes pipe.csv": "1 0\n", "fattree --schedule pipe.csv": "num_ranks 2\n",
	} {
		_ = os.Remove("pipe.csv")
		if err := syscall.Mkfifo("pipe.csv", 0o600); err != nil {
			t.Skip(err)
		}
		cmd := child(strings.Fields(line)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		opened, ended := make(chan *os.File, 1), make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		go func() {
			pipe, err := os.OpenFile("pipe.csv", os.O_WRONLY, 0) // once the command reads it
			if err != nil {
				t.Error(err)
			}
			opened <- pipe
		}()
		select {
		case err := <-ended:
			t.Fatalf("%s: %v, %q", line, err, stderr.String())
		case pipe := <-opened:
			if _, err := pipe.WriteString(text); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			<-ended
			pipe.Close()
		}
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || stderr.String() != "repslab: interrupted; nothing was written\n" {
			t.Errorf("%s: code %d, %q", line, code, stderr.String())
		}
	}
}

// TestSweepGoesOn: a finished sweep is continued with more replicas, points and precision, in blocks of the file's
// size unless --block says otherwise, to the file of a sweep that was asked for at once. With fewer the file stays.
func TestSweepGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	sweep := func(line string) []byte {
		return mustSweep(t, "r.jsonl", append(strings.Fields("sweep ballsbins --rounds 20 -o r.jsonl --quiet"), strings.Fields(line)...)...)
	}
	for _, turns := range [][]string{ // a first sweep, its blocks, and sweeps that continue it
		{"--bins 8 --replicas 40 --block 40", " --block 40", "--bins 4,8 --replicas 40", "--bins 8 --replicas 80"},
		{"--bins 8 --replicas 200", " --block 3", "--bins 4,8 --replicas 300", "--bins 4,8,16 --replicas 401"},
		{"--bins 4,8 --precision 0.3 --max-replicas 400 --block 3", " --block 3", "--bins 4,8,16 --precision 0.2 --max-replicas 400", "--bins 4,8,16 --replicas 401"},
	} {
		for _, line := range turns[2:] {
			os.Remove("r.jsonl")
			want := sweep(line + turns[1])
			os.Remove("r.jsonl")
			sweep(turns[0])
			if got := sweep(line + " --resume"); !bytes.Equal(got, want) {
				t.Errorf("%s after %s:\n%s\nwant\n%s", line, turns[0], got, want)
			}
		}
	}
	for line, want := range map[string]string{
		"--bins 4,8,16 --replicas 100": "replicas is 401 there and 100 here", "--bins 4,8 --replicas 500": "with a point that is missing here: bins is 4,8,16 there and 4,8 here",
		"--bins 4,8,16 --replicas 500 --block 7": "block is 3 there and 7 here",
	} {
		before := fileBytes(t, "r.jsonl")
		o := sleepy(append(strings.Fields("sweep ballsbins --rounds 20 -o r.jsonl --quiet --resume"), strings.Fields(line)...)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, want) || !bytes.Equal(fileBytes(t, "r.jsonl"), before) {
			t.Errorf("%s: %+v, want %q", line, o, want)
		}
	}
}
