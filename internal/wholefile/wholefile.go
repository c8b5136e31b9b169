// Package wholefile writes files that appear whole or not at all, and locks files against
// other processes.
//
// The data of a [File] is written to a temporary file in the same directory, flushed to the disk and
// renamed over the target, which on POSIX systems is atomic. A crash leaves the old file and possibly a
// temporary file beside it, named .NAME.*.part with at most 200 bytes of the name; the next file of this name
// removes it, if the system has flock, which tells it from the file of a process at work. Symbolic links are
// followed, and an existing file keeps its permissions. A target that exists but is not a regular file (a
// device, a pipe) cannot be replaced; the data is written to it directly.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Write replaces the file at path by data, creating missing parent directories.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return Lazy(path).Fill(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// File is a file that is being written. It appears at its path with Commit. It
// is not safe for concurrent use.
type File struct {
	// Last is called right before the file appears. If it returns an error, the file does not appear. May
	// be nil.
	Last func() error

	path   string   // path of the target
	out    *os.File // temporary file, or the target; nil before the first write
	direct bool     // out is the target itself
	mode   fs.FileMode
}

// Lazy returns a file that touches nothing until its first Write or its Commit.
func Lazy(path string) *File { return &File{path: path} }

// open opens the file to write to: a temporary file, or a target that is not a
// regular file.
func (f *File) open() error {
	if f.out != nil {
		return nil
	}
	if target, err := filepath.EvalSymlinks(f.path); err == nil {
		f.path = target
	}
	info, err := os.Stat(f.path)
	if f.direct = err == nil && !info.Mode().IsRegular(); f.direct {
		f.out, err = os.OpenFile(f.path, os.O_WRONLY, 0)
		return err
	}
	if err == nil {
		f.mode = info.Mode().Perm()
	}
	f.out, err = createBeside(f.path)
	return err
}

// Creatable returns the error that would keep a file from appearing at a path. To find out it creates a
// temporary file beside it, and removes it; the error does not mention that file. It does not open a
// device or a pipe.
func Creatable(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	out, err := createBeside(path)
	if err == nil {
		err = discard(out)
	}
	if at, is := errors.AsType[*fs.PathError](err); is {
		return at.Err
	}
	return err
}

// longestBase bounds the bytes of the target's name in the name of the temporary file: file systems allow
// 255 bytes, and the target's name may have all of them.
const longestBase = 200

// createBeside creates a locked temporary file in the target's directory, with the permissions that the user's mask
// gives to new files. It removes the temporary files that killed processes have left for the target.
func createBeside(path string) (*os.File, error) {
	base := filepath.Base(path)
	if len(base) > longestBase {
		base = strings.ToValidUTF8(base[:longestBase], "")
	}
	removeLeft(filepath.Dir(path), base)
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.part", base, rand.Uint32()))
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err != nil {
			continue
		}
		// Another process may lock and remove the file before it is locked here. File systems without locks
		// have no such process.
		if err := lock(out); !errors.Is(err, ErrLocked) && isAt(out, name) {
			return out, nil
		}
		if err := out.Close(); err != nil {
			return nil, err
		}
	}
}

// removeLeft removes the temporary files for a target that no process has locked. It does nothing if it cannot.
func removeLeft(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil || !locks {
		return
	}
	temporary := regexp.MustCompile(`^\.` + regexp.QuoteMeta(base) + `\.[0-9a-f]{8}\.part$`)
	for _, e := range entries {
		if !temporary.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if left, err := OpenLocked(filepath.Join(dir, e.Name())); err == nil {
			// Removed while it is locked: a process that has just created it then sees that it is gone.
			_ = errors.Join(os.Remove(left.Name()), left.Close())
		}
	}
}

// discard removes a temporary file. Another process may have removed it.
func discard(out *os.File) error {
	err, errRemove := out.Close(), os.Remove(out.Name())
	if errors.Is(errRemove, fs.ErrNotExist) {
		errRemove = nil
	}
	return errors.Join(err, errRemove)
}

// Write adds data.
func (f *File) Write(data []byte) (int, error) {
	if err := f.open(); err != nil {
		return 0, err
	}
	return f.out.Write(data)
}

// Fill calls write and makes the file appear, unless write returns an error.
func (f *File) Fill(write func(io.Writer) error) error {
	if err := write(f); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

// Commit makes the file appear at its path with all data written. After an error the old file is
// unchanged.
func (f *File) Commit() error {
	if err := f.open(); err != nil {
		return err
	}
	if f.Last != nil {
		if err := f.Last(); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	out := f.out
	f.out = nil
	if f.direct {
		return out.Close()
	}
	var err error
	if f.mode != 0 {
		err = out.Chmod(f.mode)
	}
	if err = errors.Join(err, out.Sync()); err != nil {
		return errors.Join(err, discard(out))
	}
	return move(out, f.path)
}

// Abort discards the data, as far as possible. After Commit it does nothing.
func (f *File) Abort() error {
	if f.out == nil {
		return nil
	}
	out := f.out
	f.out = nil
	if f.direct {
		return out.Close()
	}
	return discard(out)
}
