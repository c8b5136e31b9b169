package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repslab/internal/cases"
)

// outcome holds the exit code and the output of a command line.
type outcome struct {
	code           int
	stdout, stderr string
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return runModels(ctx, cases.All(), args, stdout, stderr)
}

// repslab runs a command line in this process.
func repslab(t *testing.T, args ...string) outcome {
	t.Helper()
	return repslabUntil(context.Background(), args...)
}

func repslabUntil(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// TestSameBytesForAnyWorkers covers all commands, with and without a stopping
// rule. The first of them is printed in all formats, the others as JSON.
func TestSameBytesForAnyWorkers(t *testing.T) {
	formats := []string{"table", "csv", "markdown", "latex", "json"}
	for i, args := range [][]string{
		{"ballsbins", "--bins", "32", "--lambda", "0.99", "--rounds", "100", "--every", "30", "--replicas", "300"},
		{"ballsbins", "--bins", "4,8", "--variant", "weighted", "--rounds", "50", "--precision", "0.02"},
		{"evs", "--flows", "2", "--evs", "16,100", "--method", "exact,multinomial,hash,crc32", "--replicas", "300"},
		{"allocate", "--bins", "8,9", "--rule", "quantile,memory", "--information", "batched,current", "--balls", "100", "--histogram", "on", "--replicas", "300"},
		{"recycled", "--bins", "8..32:x2", "--replicas", "500"},
		{"recycled", "--clocking", "per-flow", "--bins", "8", "--max-rounds", "500", "--precision", "0.01"},
		{"coalescing", "--bins", "8", "--ack-ratio", "1,2", "--ack-variant", "carry,every-rth-round", "--rounds", "20,50", "--replicas", "300"},
		{"coalescing", "--bins", "8", "--clocking", "per-flow", "--rounds", "50", "--precision", "0.01"},
	} {
		if i == 1 {
			formats = formats[4:]
		}
		for _, format := range formats {
			one := repslab(t, append(args, "--format", format, "--workers", "1")...)
			two := repslab(t, append(args, "--format", format, "--workers", "2")...)
			if one.code != exitDone || one.stdout == "" || one != two {
				t.Errorf("%v --format %s: one worker %+v, two workers %+v", args, format, one, two)
			}
		}
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	args := []string{"ballsbins", "--bins", "4,8", "--rounds", "10", "--replicas", "10", "--format", "csv"}
	plain := repslab(t, args...)
	o := repslab(t, append(args, "-o", path)...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if o.code != exitDone || o.stdout != "" || string(data) != plain.stdout {
		t.Errorf("code %d, stdout %q, file %q; want the file to hold %q", o.code, o.stdout, data, plain.stdout)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the directory holds %v", entries)
	}
}

// interrupting is a writer that interrupts the program at the first row.
type interrupting struct {
	bytes.Buffer
	interrupt func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	w.interrupt()
	return w.Buffer.Write(p)
}

// TestInterruption: rows that are finished are written, the code is 130.
func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stdout := &interrupting{interrupt: cancel}
	var stderr bytes.Buffer
	code := run(ctx, []string{"recycled", "--bins", "16,1024,2048", "--start", "random", "--replicas", "200000", "--max-rounds", "10", "--format", "json"}, stdout, &stderr)
	rows, _ := rowsOf(t, stdout.String())
	if code != exitInterrupted || len(rows) != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("code %d, %d rows, stderr %q; want 130 and one row", code, len(rows), stderr.String())
	}

	// The same into a file: the first point is finished before the second, which
	// never ends by itself, is interrupted.
	path := filepath.Join(t.TempDir(), "rows.json")
	ctx, cancel = context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	o := repslabUntil(ctx, "recycled", "--bins", "16,1048576", "--lambda", "0.5", "--max-rounds", "20000", "--replicas", "1", "--format", "json", "-o", path)
	if data, err := os.ReadFile(path); o.code != exitInterrupted || err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("code %d, file %q, error %v; want 130 and one row", o.code, data, err)
	}

	path = filepath.Join(t.TempDir(), "none.json")
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	o = repslabUntil(ctx, "recycled", "--bins", "16", "-o", path, "--format", "json")
	if _, err := os.Stat(path); o.code != exitInterrupted || !os.IsNotExist(err) {
		t.Errorf("code %d, error %v; want 130 and no file, since no row was finished", o.code, err)
	}
}

// TestSignals runs the real program and interrupts it while it works.
func TestSignals(t *testing.T) {
	if os.Getenv("REPSLAB_TEST_MAIN") != "" {
		os.Args = append(os.Args[:1], strings.Fields(os.Getenv("REPSLAB_TEST_MAIN"))...)
		main()
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSignals$")
	cmd.Env = append(os.Environ(), "REPSLAB_TEST_MAIN=recycled --bins 16,131072 --clocking round-robin --replicas 2 --format json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(stdout)
	if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"bins":16,`) {
		t.Errorf("first row %q, error %v", line, err)
	}
	time.Sleep(200 * time.Millisecond) // into the second point, which takes minutes
	start := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(reader); len(rest) > 0 {
		t.Errorf("after the interruption it printed %q", rest)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want code 130", err)
	}
	if took := time.Since(start); took > 3*time.Minute {
		t.Errorf("the interruption took %v", took)
	}
}
