//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestOpenLocked: a file has one lock at a time, also if it was replaced under the lock.
func TestOpenLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	first, err := OpenLocked(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLocked(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("locked twice: error %v", err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	second, err := OpenLocked(path) // another file, although first is still locked
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third, err := OpenLocked(path)
	if err != nil || content(t, path) != "new" {
		t.Fatalf("after closing: %q, error %v", content(t, path), err)
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLocked(filepath.Join(path, "g")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("below a file: error %v", err)
	}
}

// TestCheckRegular names what is not a regular file, and accepts a path without a file.
func TestCheckRegular(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mknod(socket, syscall.S_IFSOCK|0o600, 0); err != nil && !errors.Is(err, fs.ErrPermission) {
		t.Skip(err)
	}
	for path, kind := range map[string]string{dir: "a directory", pipe: "a pipe", socket: "a socket", os.DevNull: "a device"} {
		if err := CheckRegular(path); !errors.Is(err, ErrIrregular) || !strings.Contains(err.Error(), path+" is "+kind) {
			t.Errorf("%s: error %v", kind, err)
		}
		if _, err := OpenLocked(path); !errors.Is(err, ErrIrregular) {
			t.Errorf("locking %s: error %v", kind, err)
		}
	}
	if err := CheckRegular(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}

// TestLeftFilesAreRemoved: the next file of a name removes the temporary files that killed processes have left for it,
// but neither files of processes at work, nor others.
func TestLeftFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("n", 250)
	other := []string{".f.csv.part", ".f.csv.0123456.part", ".f.csv.0123456g.part", ".fxcsv.01234567.part", "f.csv.01234567.part", ".g.csv.01234567.part"}
	left := []string{".f.csv.01234567.part", ".f.csv.89abcdef.part", "." + long[:longestBase] + ".01234567.part"}
	for _, name := range append(left, other...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".f.csv.00000000.part"), 0o700); err != nil {
		t.Fatal(err)
	}
	atWork := Lazy(filepath.Join(dir, "f.csv"))
	if _, err := atWork.Write([]byte("first")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f.csv", long} {
		if err := Write(filepath.Join(dir, name), []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	got := names(t, dir)
	for _, name := range left {
		if slices.Contains(got, name) {
			t.Errorf("%s is left", name)
		}
	}
	if len(got) != len(other)+4 { // a directory, two files, and one at work
		t.Errorf("the directory holds %q", got)
	}
	if err := atWork.Commit(); err != nil || content(t, filepath.Join(dir, "f.csv")) != "first" {
		t.Errorf("the file at work: %v", err)
	}
}

// TestWritersAtOnce: writers of one name do not remove each other's temporary files, and leave none.
func TestWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(writer), 5000)
			for range 25 {
				f := Lazy(path)
				_, err := f.Write([]byte(text))
				if err = errors.Join(err, f.Commit()); err != nil {
					t.Error(err)
				}
				if err := Creatable(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if text := content(t, path); len(text) != 5000 || strings.Trim(text, text[:1]) != "" {
		t.Errorf("the file mixes %d bytes", len(text))
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("the directory holds %q", got)
	}
}
