package ctest

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"repslab/internal/vectors"
)

const (
	folder     = "../../c"
	mrcVectors = "../../mrc/testdata/vectors.jsonl"
)

var update = flag.Bool("update", false, "rewrite c/test/vectors.jsonl.gz")

// gcc returns the path of gcc. A test where it is missing is skipped, or fails if REPSLAB_REQUIRE names it.
func gcc(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "gcc") {
			t.Fatal(err)
		}
		t.Skip("gcc is not installed")
	}
	return path
}

// compile compiles C files with some flags into a program in folder dir, and returns its path.
func compile(t testing.TB, dir string, flags []string, files ...string) string {
	t.Helper()
	program := filepath.Join(dir, strings.TrimSuffix(filepath.Base(files[0]), ".c"))
	arguments := slices.Concat([]string{"-std=c99", "-o", program}, flags, files)
	if out, err := exec.Command(gcc(t), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// source returns the path of a file of the C code.
func source(name string) string { return filepath.Join(folder, name) }

// build compiles a program of c/test with the C code.
func build(t testing.TB, name string) string {
	t.Helper()
	return compile(t, t.TempDir(), []string{"-O2"}, source("test/"+name), source("reps.c"), source("mrc.c"))
}

// run returns the standard output of a program, which is stopped after a minute.
func run(program string, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return exec.CommandContext(ctx, program, arguments...).Output()
}

// repsVectors writes the vectors of package reps into a file and returns its path.
func repsVectors(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	if err := vectors.Write(&file); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vectors.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestVectors: the C code passes all vectors.
func TestVectors(t *testing.T) {
	out, err := run(build(t, "vectors.c"), repsVectors(t), mrcVectors)
	if err != nil || bytes.Count(out, []byte(" lines agree\n")) != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLength: the C code has at most 500 lines, without comments and empty ones.
func TestLength(t *testing.T) {
	lines := 0
	comment := regexp.MustCompile(`(?s)/\*.*?\*/`)
	for _, name := range []string{"reps.c", "reps.h", "mrc.c", "mrc.h", "reps_common.h"} {
		text, err := os.ReadFile(source(name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(comment.ReplaceAllString(string(text), "")) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
	}
	if lines > 500 || lines < 300 {
		t.Errorf("%d lines, want 300 to 500", lines)
	}
}

// TestVectorsFile: make -C c test, which needs no Go, has the vectors of repslab vectors.
func TestVectorsFile(t *testing.T) {
	path := source("test/vectors.jsonl.gz")
	var want, packed bytes.Buffer
	if err := vectors.Write(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		w.Write(want.Bytes())
		w.Close()
		if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(reader); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%s has other vectors (%v): go test ./internal/ctest -run VectorsFile -update", path, err)
	}
}
