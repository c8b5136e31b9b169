//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
