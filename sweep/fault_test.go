package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"repslab/internal/seal"
)

// damaged returns the line with random damage that does not touch its newline.
func damaged(line []byte, rng *rand.Rand) []byte {
	line = bytes.Clone(line)
	body := line[:len(line)-1]
	switch k := rng.IntN(len(body)); rng.IntN(3) {
	case 0: // a bit
		flipped := body[k] ^ 1<<rng.IntN(8)
		if flipped == '\n' {
			flipped = body[k] ^ 0x7f
		}
		body[k] = flipped
		return line
	case 1: // a hole
		clear(body[k:min(len(body), k+1+rng.IntN(8))])
		return line
	default: // the end is missing
		return append(body[:k:k], '\n')
	}
}

// TestFaultDamagedLines: when a file is resumed, merged or read, every damaged line is found and named by
// its number, and salvaging leaves out only that line. Only resuming may repair the header, since the
// parameters of the sweep determine it.
func TestFaultDamagedLines(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 20)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	lines := bytes.SplitAfter(want, []byte("\n"))
	lines = lines[:len(lines)-1]
	rng := rand.New(rand.NewPCG(1, 2))
	damages := 30
	if os.Getenv("REPSLAB_LONG") != "" {
		damages = 60
	}
	repaired := 0
	for range damages {
		k := rng.IntN(len(lines))
		bad := append([][]byte{}, lines...)
		bad[k] = damaged(lines[k], rng)
		if bytes.Equal(bad[k], lines[k]) {
			continue
		}
		path := inDir(t, "bad")
		write(t, path, bytes.Join(bad, nil))
		place := fmt.Sprintf(":%d: ", k+1)
		_, errMerge := s.Merge(context.Background(), []string{path}, path+".out", MergeOptions{})
		_, errRead := Read(path, func(string) {})
		_, errRun := s.Run(context.Background(), path, Options{Resume: true})
		if k == 0 && errRun == nil {
			if !bytes.Equal(contents(t, path), want) {
				t.Fatalf("with the header %q the resumed file differs", bad[0])
			}
			repaired++
			continue
		}
		for _, err := range []error{errRun, errMerge, errRead} {
			if err == nil || !strings.Contains(err.Error(), place) {
				t.Fatalf("line %d is %q: error %v, want one of line %d", k+1, bad[k], err, k+1)
			}
		}
		if !bytes.Equal(contents(t, path), bytes.Join(bad, nil)) {
			t.Fatal("the damaged file was changed")
		}
		if k == 0 {
			continue
		}
		if _, err := s.Merge(context.Background(), []string{path}, path, MergeOptions{Salvage: true}); err != nil && errors.Is(err, seal.ErrCorrupted) {
			t.Fatalf("line %d is %q: salvaging ends with %v", k+1, bad[k], err)
		}
		if got := mustRun(t, s, path, Options{Resume: true}); !bytes.Equal(got, want) {
			t.Fatalf("salvaged and resumed, the file differs")
		}
	}
	t.Logf("faults injected: %d damaged lines, each found with its number, %d of them headers that were repaired", damages, repaired)
}

// TestFaultTruncation cuts a file at every seventh byte. A partial header starts the sweep anew, any
// other partial line is cut off, and the resumed file is the file of an undisturbed run.
func TestFaultTruncation(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 30, Block: 10}, Shard{}, 6, 1)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	path := inDir(t, "cut")
	cuts, step := 0, 13
	if os.Getenv("REPSLAB_LONG") != "" {
		step = 7
	}
	for size := 0; size < len(want); size += step {
		cuts++
		write(t, path, want[:size])
		if got := mustRun(t, s, path, Options{Resume: true, Workers: 2}); !bytes.Equal(got, want) {
			t.Fatalf("cut to %d bytes and resumed the file is\n%s\nwant\n%s", size, got, want)
		}
	}
	t.Logf("faults injected: %d truncations, each resumed to the same file", cuts)
}

// TestFaultReorderedAndDuplicated: the order of lines does not matter, repeated lines count once and are
// reported, and contradictions are errors that name both lines.
func TestFaultReorderedAndDuplicated(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 20)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	lines := bytes.SplitAfter(want, []byte("\n"))
	lines = lines[:len(lines)-1]
	rng := rand.New(rand.NewPCG(3, 4))
	const shuffles = 20
	for range shuffles {
		mixed := append([][]byte{}, lines[1:]...)
		mixed = append(mixed, lines[1+rng.IntN(len(lines)-1)])
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		path := inDir(t, "mixed")
		write(t, path, append(bytes.Clone(lines[0]), bytes.Join(mixed, nil)...))
		var told []string
		if _, err := s.Merge(context.Background(), []string{path}, path, MergeOptions{Warn: func(w string) { told = append(told, w) }}); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, path); !bytes.Equal(got, want) || len(told) != 1 || !strings.Contains(told[0], "1 repeated records count once") {
			t.Fatalf("told %q; merged\n%s\nwant\n%s", told, got, want)
		}
	}
	other := diceSweep(t, usual, Shard{}, 6, 20)
	fake := new(dice)
	fake.replicas = 10
	path := inDir(t, "contradiction")
	write(t, path, append(bytes.Clone(want), blockRecord(other.ids[0], other.block(0), fake)...))
	_, err := s.Merge(context.Background(), []string{path}, path+".out", MergeOptions{})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(":%d: contradicts %s:2", len(lines)+1, path)) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path + ".out"); !os.IsNotExist(err) {
		t.Errorf("a merged file was written: %v", err)
	}
	t.Logf("faults injected: %d files reordered with a duplicate, 1 contradiction", shuffles)
}

// TestFaultForeignAndOther: a file that does not belong to the sweep is refused and left as it is, and
// the error names the difference.
func TestFaultForeignAndOther(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	seed2 := usual
	seed2.Seed = 2
	replicas := usual
	replicas.Replicas = 97
	empty := s.Header
	empty.Config.Parameters = nil
	for _, c := range []struct {
		data []byte
		want string
		is   error
	}{
		{[]byte("a,b\n1,2\n"), ":1: is not a result file", ErrForeign},
		{[]byte("notes without a newline"), "", ErrForeign},
		{[]byte(`{"repslab":"x"}` + "\n"), ":1: ", seal.ErrCorrupted},
		{mustRun(t, diceSweep(t, seed2, Shard{}, 6), inDir(t, "r"), Options{}), "seed is 2 there and 1 here", ErrOther},
		{mustRun(t, diceSweep(t, replicas, Shard{}, 6), inDir(t, "r"), Options{}), "replicas is 97 there and 96 here", ErrOther},
		{mustRun(t, diceSweep(t, usual, Shard{}, 7), inDir(t, "r"), Options{}), "faces is [7] there and [6] here", ErrOther},
		{empty.line(), "faces is not given there and [6] here", ErrOther},
		{mustRun(t, diceSweep(t, usual, Shard{1, 2}, 6), inDir(t, "r"), Options{}), "shard is 1/2 there and none here", ErrOther},
	} {
		path := inDir(t, "other")
		write(t, path, c.data)
		_, err := s.Run(context.Background(), path, Options{Resume: true})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %q", c.data, err, c.want)
		}
		if !bytes.Equal(contents(t, path), c.data) {
			t.Errorf("%.40q was changed", c.data)
		}
		if _, err := s.Run(context.Background(), path, Options{}); err == nil {
			t.Errorf("%.40q was overwritten", c.data)
		}
	}
	t.Logf("faults injected: 8 files that are not the sweep's")
}

// TestFaultFailingPoints: points that fail or panic are recorded with their
// parameters, the others are done, and resuming tries the failed ones again.
func TestFaultFailingPoints(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 13, 20, 14, 2)
	path := inDir(t, "r")
	for _, resume := range []bool{false, true} {
		var told []string
		failed, err := s.Run(context.Background(), path, Options{Workers: 3, Resume: resume, Warn: func(w string) { told = append(told, w) }})
		if err != nil || failed != 2 || len(told) != 2 {
			t.Fatalf("%d failed, error %v, told %q", failed, err, told)
		}
		data := string(contents(t, path))
		for _, want := range []string{
			`"point":{"faces":13},"error":"thirteen faces"`, `"point":{"faces":14},"error":"panic: fourteen faces"`,
			`{"faces":6,"mean"`, `{"faces":20,"mean"`, `{"faces":2,"mean"`,
		} {
			if !strings.Contains(data, want) {
				t.Errorf("no %s in\n%s", want, data)
			}
		}
	}
	c, err := Read(path, func(string) {})
	if err != nil || len(c.Rows) != 3 || len(c.Failures) != 2 || c.Missing != 2 {
		t.Errorf("%+v, error %v", c, err)
	}
	t.Logf("faults injected: 2 points that fail, 1 of them by a panic, twice")
}

// TestFaultClock: times of files in the past and the future change nothing.
func TestFaultClock(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 20)
	want := mustRun(t, s, inDir(t, "r"), Options{})
	path := inDir(t, "c")
	write(t, path, want[:len(want)/2])
	for _, year := range []int{1971, 2101} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if got := mustRun(t, s, path, Options{Resume: true}); !bytes.Equal(got, want) {
			t.Errorf("with the clock at %d the file differs", year)
		}
	}
	t.Logf("faults injected: 2 clock changes")
}

// TestInterruption: a cancelled sweep, with or without a stopping rule, writes the running blocks and can
// be resumed.
func TestInterruption(t *testing.T) {
	for _, c := range []Config{{Seed: 1, Replicas: 20_000, Block: 10}, {Seed: 1, Replicas: 100_000, Block: 16, Precision: 0.01}} {
		interrupted(t, diceSweep(t, c, Shard{}, 6, 20))
	}
}

// interrupted interrupts a sweep again and again until it is done, each time later, since reading the
// recorded blocks takes longer and longer.
func interrupted(t *testing.T, s *Sweep) {
	t.Helper()
	want := mustRun(t, s, inDir(t, "r"), Options{})
	path := filepath.Join(t.TempDir(), "r")
	interruptions := 0
	warn := func(text string) { // the caller's signals are not known here
		if !regexp.MustCompile(`^interrupted: finishing \d+ blocks$`).MatchString(text) {
			t.Errorf("warning %q", text)
		}
	}
	for resume := false; ; resume = true {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20+interruptions)*time.Millisecond)
		_, err := s.Run(ctx, path, Options{Workers: 2, Resume: resume, Warn: warn})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if interruptions++; interruptions > 10_000 {
			t.Fatal("no progress")
		}
	}
	if got := contents(t, path); !bytes.Equal(got, want) {
		t.Errorf("after %d interruptions the file differs", interruptions)
	}
}

// TestLockedFile: a second writer is refused while the first one holds the file.
func TestLockedFile(t *testing.T) {
	s := diceSweep(t, Config{Seed: 1, Replicas: 2000, Block: 1}, Shard{}, 6)
	path := inDir(t, "r")
	var second error
	tried := false
	mustRun(t, s, path, Options{Progress: func(Progress) {
		if !tried {
			tried = true
			_, second = s.Run(context.Background(), path, Options{Resume: true})
		}
	}})
	if !tried || !errors.Is(second, ErrLocked) {
		t.Errorf("tried %v, error %v, want %v", tried, second, ErrLocked)
	}
}
