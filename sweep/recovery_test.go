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

	"repslab/internal/seal"
	"repslab/internal/wholefile"
	"repslab/mc"
)

// withHeader returns the bytes of a file with another first line.
func withHeader(line, file []byte) []byte {
	return append(bytes.Clone(line), file[bytes.IndexByte(file, '\n')+1:]...)
}

// TestFaultHeaderBits flips bits of every fifth byte, with REPSLAB_LONG=1 of each byte, of the header's line, its
// newline included: with all records, with some or with none, resuming rebuilds the line with a warning and ends in the
// file of an undisturbed run, and salvaging reads the file.
func TestFaultHeaderBits(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 30, Block: 10}, Shard{}, 6, 1)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	header := s.Header.line()
	path := inDir(t, "bad")
	parts := []int{len(want), len(header) + 100, len(header)}
	flips, step := 0, 35
	if os.Getenv("REPSLAB_LONG") != "" {
		step = 5
	}
	for bit := 0; bit < 8*len(header); bit += step {
		flips++
		size := parts[bit%len(parts)]
		bad := bytes.Clone(want[:size])
		bad[bit/8] ^= 1 << (bit % 8)
		write(t, path, bad)
		if _, err := s.Inspect(path); err != nil {
			t.Fatalf("bit %d of %d bytes: inspecting ends with %v", bit, size, err)
		}
		if _, err := Read(path, func(string) {}); err == nil {
			t.Fatalf("bit %d of %d bytes: reading hides the damage", bit, size)
		}
		if _, err := s.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{Salvage: true, Force: true}); err != nil {
			t.Fatalf("bit %d of %d bytes: salvaging ends with %v", bit, size, err)
		}
		var told []string
		got := mustRun(t, s, path, Options{Resume: true, Warn: func(w string) { told = append(told, w) }})
		if !bytes.Equal(got, want) || len(told) != 1 || !strings.Contains(told[0], ":1: the header is damaged; it is rebuilt") {
			t.Fatalf("bit %d of %d bytes: told %q, resumed to\n%s\nwant\n%s", bit, size, told, got, want)
		}
	}
	t.Logf("faults injected: %d damaged headers, each rebuilt", flips)
}

// TestFaultHeaderOfAnother: a damaged header of another sweep is never taken for the header of this one,
// whichever bit is wrong. That holds even if the records agree, since the number of replicas, the
// precision and the program do not show in records. A damaged header of this sweep above records of
// another sweep is refused as well. The file is left as it is. Bits at the beginning of headers with another
// number of replicas or precision are all wrong in turn only with REPSLAB_LONG=1.
func TestFaultHeaderOfAnother(t *testing.T) {
	ours := Config{Seed: 1, Replicas: 30, Block: 10}
	s := diceSweep(t, ours, Shard{}, 6)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	path := inDir(t, "bad")
	refused := func(what string, bad []byte) {
		t.Helper()
		write(t, path, bad)
		if _, err := s.Run(context.Background(), path, Options{Resume: true}); err == nil || !bytes.Equal(contents(t, path), bad) {
			t.Fatalf("%s: error %v; the file was changed: %v", what, err, !bytes.Equal(contents(t, path), bad))
		}
	}
	replicas, precision, program := s.Header, s.Header, s.Header
	replicas.Config.Replicas = 40
	precision.Config.Precision = 0.5
	program.Repslab = "tesu" // one bit from "test"
	damages := 0
	for i, other := range []Header{program, replicas, precision} {
		line := other.line()
		every := 8 * 40 // one changed bit in the program makes it this sweep's header
		if i > 0 && os.Getenv("REPSLAB_LONG") == "" {
			every = 0
		}
		for bit := 0; bit < 8*len(line); bit++ {
			if bit > every {
				bit += 60
			}
			bad := withHeader(line, want)
			bad[bit/8] ^= 1 << (bit % 8)
			refused("another header", bad)
			damages++
		}
	}
	seed2 := ours
	seed2.Seed = 2
	foreign := withHeader(s.Header.line(), mustRun(t, diceSweep(t, seed2, Shard{}, 6), inDir(t, "r"), Options{}))
	foreign[20] ^= 1
	refused("records of another seed", foreign)
	two := withHeader(s.Header.line(), want)
	two[20] ^= 1
	two[len(s.Header.line())-5] ^= 1
	refused("two damages, one in the checksum", two)
	t.Logf("faults injected: %d damaged headers of other sweeps, all refused", damages+2)
}

// TestFaultHeaderOfShard: salvaging reads a shard with a damaged header next to a shard with an intact
// header.
func TestFaultHeaderOfShard(t *testing.T) {
	want := mustRun(t, diceSweep(t, usual, Shard{}, 6), inDir(t, "r"), Options{})
	var paths []string
	for i := 1; i <= 2; i++ {
		path := inDir(t, "r")
		data := mustRun(t, diceSweep(t, usual, Shard{i, 2}, 6), path, Options{})
		if i == 1 {
			data[12] ^= 4
			write(t, path, data)
		}
		paths = append(paths, path)
	}
	whole := diceSweep(t, usual, Shard{}, 6)
	out := inDir(t, "merged")
	if _, err := whole.Merge(context.Background(), paths, out, MergeOptions{}); !errors.Is(err, seal.ErrCorrupted) {
		t.Errorf("without salvaging: error %v", err)
	}
	if _, err := whole.Merge(context.Background(), paths, out, MergeOptions{Salvage: true}); err != nil || !bytes.Equal(contents(t, out), want) {
		t.Errorf("salvaged: error %v", err)
	}
}

// TestFaultCutWhileRunning cuts a file while a sweep writes it. The sweep ends with an error and writes
// nothing behind the cut. Resuming the rest gives the file of an undisturbed run.
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

// TestFaultIrregular: all functions that read or write result files refuse pipes, directories and devices
// at once.
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

// TestInterruptedReading: an interruption ends the reading of a long file before its end, at which
// repeated records would be reported, and leaves the file as it is.
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

// TestFaultLongTornLine: a torn line behind the rows of a finished point, longer than the blocks that are
// then written over it, is not read as these blocks.
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

// TestFaultWhileInterrupted: an interrupted sweep reports that its file was changed after its last
// record.
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
