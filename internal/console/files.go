package console

import (
	"cmp"
	"io"
	"os"
	"path/filepath"

	"repslab/internal/wholefile"
	"repslab/sweep"
)

// CheckPlace returns a usage error if the file of a flag cannot be at path, or cannot be created there.
func CheckPlace(flag, path string) error {
	if err := checkPath(flag, path); err != nil {
		return err
	}
	if err := wholefile.Creatable(path); err != nil {
		return Usagef("%s: %q cannot be written: %w", flag, path, err)
	}
	return nil
}

// checkPath returns a usage error if the file of a flag cannot be at path.
func checkPath(flag, path string) error {
	if isFolder(path) {
		return Usagef("%s: %q is a directory, but must be a file", flag, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 { // renaming would replace it all the same
		return Usagef("%s: %q must not be write-protected", flag, path)
	}
	if dir := filepath.Dir(path); !isFolder(dir) {
		return Usagef("%s: %q must be in an existing directory, but %q is not one", flag, path, dir)
	}
	return nil
}

// SameFile reports whether two paths lead to the same regular file, or would if the file existed.
func SameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	if errOne == nil && errOther == nil {
		return one.Mode().IsRegular() && os.SameFile(one, other)
	}
	fullOne, errOne := filepath.Abs(a)
	fullOther, errOther := filepath.Abs(b)
	return errOne == nil && errOther == nil && fullOne == fullOther
}

// isFolder reports whether path is a directory.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// CheckOutput returns a usage error if the data of a flag cannot be written to path, or
// if it would replace the result file of a sweep without force.
func CheckOutput(flag, path string, force bool) error {
	if path == "" {
		return nil
	}
	return cmp.Or(CheckPlace(flag, path), checkKept(flag, path, force))
}

// checkKept returns a usage error if the result file of a sweep is at path, unless force is set.
func checkKept(flag, path string, force bool) error {
	if !force && sweep.IsResult(path) {
		return Usagef("%s: %s is the result file of a sweep; --force replaces it", flag, path)
	}
	return nil
}

// OutputFile returns the file of a flag. The path must pass [CheckOutput] now. When the file is complete
// the path is checked again, except that it can be created, since a sweep may have created its result
// file there meanwhile.
func OutputFile(flag, path string, force bool) (*wholefile.File, error) {
	file := wholefile.Lazy(path)
	file.Last = func() error { return cmp.Or(checkPath(flag, path), checkKept(flag, path, force)) }
	return file, CheckOutput(flag, path, force)
}

// WriteOutput writes data to the file of -o, or to stdout if path is empty.
func WriteOutput(stdout io.Writer, path string, force bool, data []byte) error {
	if path == "" {
		_, err := stdout.Write(data)
		return err
	}
	return WriteFile("-o", path, force, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFile writes the file of a flag, which appears whole or not at all.
func WriteFile(flag, path string, force bool, write func(io.Writer) error) error {
	file, err := OutputFile(flag, path, force)
	if err != nil {
		return err
	}
	return file.Fill(write)
}
