package wholefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// names returns what a directory holds.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "f.csv")
	for _, text := range []string{"old and longer", "new"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != text {
			t.Errorf("content %q, want %q", got, text)
		}
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("directory holds %v", got)
	}
}

// TestLongNames: a name of 255 bytes, the most that file systems allow, is no error.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("a", 251) + ".csv", strings.Repeat("数", 83) + "aa.csv"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, []byte("x")); err != nil || content(t, path) != "x" {
			t.Errorf("a name of %d bytes: %v", len(name), err)
		}
	}
}

func TestModeIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() || content(t, target) != "new" {
		t.Errorf("link %v, target %q, error %v", info.Mode(), content(t, target), err)
	}
}

// TestDeviceIsWrittenTo: a device is neither replaced nor removed.
func TestDeviceIsWrittenTo(t *testing.T) {
	for _, end := range []func(*File) error{(*File).Commit, (*File).Abort} {
		f := Lazy(os.DevNull)
		if _, err := f.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := end(f); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Fatalf("%s is now %v, error %v", os.DevNull, info.Mode(), err)
		}
	}
}

func TestNothingAppearsBeforeCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	f := Lazy(path)
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("Lazy left %v", got)
	}
	if _, err := f.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is there before Commit: %v", err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("Abort left %v", got)
	}
}

func TestCommitWithoutWriteIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f := Lazy(path)
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "" {
		t.Errorf("content %q", got)
	}
	if err := f.Abort(); err != nil || content(t, path) != "" {
		t.Errorf("Abort after Commit: %v", err)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "sub"), nil); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "sub", "f"), nil); err == nil {
		t.Error("a file was created below a file")
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Lazy(filepath.Join(dir, "d")).Commit(); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("a failed Commit left %v", got)
	}
	if _, err := Lazy(filepath.Join(dir, "none", "f")).Write([]byte("x")); err == nil {
		t.Error("Write into a missing directory succeeded")
	}
}
