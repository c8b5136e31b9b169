package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"repslab/internal/wholefile"
)

// TestLog: lines are appended behind the last whole line, by one process at a time.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("one\ntor"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, wholefile.ErrLocked) {
		t.Errorf("opened twice: error %v", err)
	}
	if err := l.Cut(4); err != nil {
		t.Fatal(err)
	}
	for i, line := range []string{"two\n", "three\n"} {
		if start, err := l.Append([]byte(line)); err != nil || start != int64(4+4*i) {
			t.Errorf("%q begins at %d, error %v", line, start, err)
		}
	}
	if err := errors.Join(l.Flush(), l.Flush(), l.Close()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "one\ntwo\nthree\n" {
		t.Errorf("%q, error %v", text, err)
	}
	if again, err := Open(path); err != nil || again.File.Close() != nil {
		t.Errorf("a closed log is not unlocked: %v", err)
	}
}

// TestChangedLog: Append and Flush fail, with both sizes, after another process cuts or lengthens the file.
func TestChangedLog(t *testing.T) {
	for size, want := range map[int64]string{2: "it has 2 bytes instead of 4", 9: "it has 9 bytes instead of 4"} {
		path := filepath.Join(t.TempDir(), "log")
		l, err := Open(path)
		if err == nil {
			_, err = l.Append([]byte("one\n"))
		}
		if err == nil {
			err = os.Truncate(path, size)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append([]byte("two\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("appended: error %v, want %q", err, want)
		}
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("closed: error %v, want %q", err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("the file has %d bytes, want %d", info.Size(), size)
		}
	}
}

// TestCutAgain: lines are written where the log was cut last, also if it was longer before.
func TestCutAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range []string{"one\n", "two\n", "three\n"} {
		if err := l.Cut(int64(min(4*i, 4))); err != nil {
			t.Fatal(err)
		}
		if start, err := l.Append([]byte(line)); err != nil || start != l.End-int64(len(line)) {
			t.Fatalf("%q begins at %d, error %v", line, start, err)
		}
	}
	if text, err := os.ReadFile(path); string(text) != "one\nthree\n" || l.Close() != nil {
		t.Errorf("%q, error %v", text, err)
	}
}

// TestFailedSync: an error of the sync in the background is reported in addition to one of the last sync. A pipe
// cannot be synced.
func TestFailedSync(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have other errors")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := &Log{File: w, syncs: true}
	if _, err := l.Append([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	failed := 0
	joined, is := l.Flush().(interface{ Unwrap() []error })
	for i := 0; is && i < len(joined.Unwrap()); i++ {
		if errors.Is(joined.Unwrap()[i], syscall.EINVAL) {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d errors of syncs, want 2", failed)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
