package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"repslab/internal/wholefile"
	"repslab/mc"
)

// TestFaultCutWhileRunning cuts a file while a sweep writes it: the sweep ends with an
// error, writes nothing behind the cut, and what is left is resumed to the file of an
// undisturbed run.
func TestFaultCutWhileRunning(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 200, Block: 1}, Shard{}, 6)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	header := int64(len(s.Header.line()))
	sizes := []int64{0, 1, header - 1, header, header + 10, header + 1000}
	for _, size := range sizes {
		path := inDir(t, "cut")
		cutting := *s
		cutting.Points = slices.Clone(s.Points)
		cutting.Points[0].Experiment.NewWorker = func(seed uint64) mc.Worker[mc.Tally] {
			run := s.Points[0].Experiment.NewWorker(seed)
			return func(ctx context.Context, block mc.Block) (mc.Tally, error) {
				if block.First == 100 {
					if err := os.Truncate(path, size); err != nil {
						t.Error(err)
					}
				}
				return run(ctx, block)
			}
		}
		_, err := cutting.Run(context.Background(), path, Options{Workers: 1})
		if err == nil || !strings.Contains(err.Error(), "was changed by another process") || strings.Count(err.Error(), "changed") != 1 {
			t.Errorf("cut to %d bytes: error %v", size, err)
		}
		if got := contents(t, path); int64(len(got)) != size {
			t.Errorf("cut to %d bytes the file has %d", size, len(got))
		}
		if got := mustRun(t, s, path, Options{Resume: true}); !bytes.Equal(got, want) {
			t.Errorf("cut to %d bytes and resumed the file differs", size)
		}
	}
	t.Logf("faults injected: %d cuts of a file that was being written", len(sizes))
}

// TestFaultIrregular: pipes, directories and devices are refused at once by all that
// read or write result files.
func TestFaultIrregular(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	pipe, dir := inDir(t, "pipe"), t.TempDir()
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ path, kind string }{{pipe, "a pipe"}, {dir, "a directory"}, {os.DevNull, "a device"}} {
		for name, use := range map[string]func() error{
			"header":  func() error { _, err := ReadHeader(c.path); return err },
			"read":    func() error { _, err := Read(c.path, func(string) {}); return err },
			"inspect": func() error { _, err := s.Inspect(c.path); return err },
			"merge": func() error {
				_, err := s.Merge(context.Background(), []string{c.path}, inDir(t, "m"), MergeOptions{})
				return err
			},
			"resume": func() error { _, err := s.Run(context.Background(), c.path, Options{Resume: true}); return err },
			"lock":   func() error { _, err := wholefile.OpenLocked(c.path); return err },
		} {
			ended := make(chan error, 1)
			go func() { ended <- use() }()
			select {
			case err := <-ended:
				if !errors.Is(err, ErrIrregular) || !strings.Contains(err.Error(), c.path+" is "+c.kind+", but must be a regular file") {
					t.Errorf("%s of %s: error %v", name, c.kind, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s of %s does not end", name, c.kind)
			}
		}
	}
}

// TestInterruptedReading: an interruption ends the reading of a long file before the end
// of it, where its repeated records would be told, and leaves the file as it is.
func TestInterruptedReading(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	tally, err := s.Points[0].Experiment.NewWorker(1)(context.Background(), s.block(0))
	if err != nil {
		t.Fatal(err)
	}
	data := append(s.Header.line(), bytes.Repeat(blockRecord(s.ids[0], s.block(0), tally), 2*linesBetween)...)
	path := inDir(t, "r")
	write(t, path, data)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	told := func(w string) { t.Errorf("told %q", w) }
	if _, err := s.Run(over, path, Options{Resume: true, Warn: told}); !errors.Is(err, context.Canceled) {
		t.Errorf("resumed: error %v", err)
	}
	if _, err := s.Merge(over, []string{path}, path+".merged", MergeOptions{Warn: told}); !errors.Is(err, context.Canceled) {
		t.Errorf("merged: error %v", err)
	}
	if !bytes.Equal(contents(t, path), data) {
		t.Error("the file was changed")
	}
}

// TestFaultLongTornLine: bytes without an end behind the rows of a finished point, longer than the
// blocks that are then written over them, are not read as those blocks.
func TestFaultLongTornLine(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 20)
	path := inDir(t, "r")
	want := mustRun(t, s, path, Options{Workers: 1})
	rows := bytes.Index(want, []byte(keyStart+s.ids[0]+"/"+rowsKind))
	end := rows + bytes.IndexByte(want[rows:], '\n') + 1
	write(t, path, append(bytes.Clone(want[:end]), strings.Repeat(" ", 1000)...))
	if got := mustRun(t, s, path, Options{Resume: true}); !bytes.Equal(got, want) {
		t.Error("the file differs")
	}
}

// TestFaultWhileInterrupted: an interrupted sweep tells that its file was changed behind its
// last record.
func TestFaultWhileInterrupted(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	path := inDir(t, "r")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := s.Run(ctx, path, Options{Workers: 1, Progress: func(Progress) {
		if ctx.Err() != nil {
			return
		}
		cancel()
		write(t, path, append(contents(t, path), "other"...))
	}})
	if err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "was changed by another process") {
		t.Errorf("error %v", err)
	}
}
