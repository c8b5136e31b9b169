package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestOtherProgramsAreRefused: a file is resumed and merged only by the program
// that wrote it, whatever of its identity differs, and read by all.
func TestOtherProgramsAreRefused(t *testing.T) {
	own := diceSweep(t, usual, Shard{}, 6, 20)
	path := inDir(t, "r")
	want := mustRun(t, own, path, Options{})
	for name, change := range map[string]func(*Program){
		"version":                        func(p *Program) { p.Version = "other" },
		"revision":                       func(p *Program) { p.Revision = "5678" },
		"revision is 1234 there":         func(p *Program) { p.Modified = true },
		"streams is 1 there and 2":       func(p *Program) { p.Streams = 2 },
		"source is unknown there and 9a": func(p *Program) { p.Source = "9abc" },
	} {
		program := testProgram
		change(&program)
		other, err := New(program, own.Header.Config, diceColumns, own.Points)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), other, path, Options{Resume: true}); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: resuming gives the error %v", name, err)
		}
		if _, err := Merge(context.Background(), other, []string{path}, path+".merged", MergeOptions{}); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: merging gives the error %v", name, err)
		}
	}
	if c, err := Read(path, func(string) {}); err != nil || len(c.Rows) != 2 || c.Header.Origin() != testProgram {
		t.Errorf("read as %+v, error %v", c, err)
	}
	if got := contents(t, path); !bytes.Equal(got, want) {
		t.Error("a refused file was changed")
	}
}

// TestInputsAreIdentity: the contents of an input file are part of a sweep and of
// its points, and the error names the file.
func TestInputsAreIdentity(t *testing.T) {
	input := func(text string) Config {
		var r InputRecorder
		r.Write([]byte(text))
		c := usual
		c.Inputs = []Input{r.Input("sizes.txt")}
		return c
	}
	one, other := diceSweep(t, input("1 1\n"), Shard{}, 6), diceSweep(t, input("2 1\n"), Shard{}, 6)
	if one.ids[0] == other.ids[0] || one.ids[0] == diceSweep(t, usual, Shard{}, 6).ids[0] {
		t.Error("points with other input files have the same ID")
	}
	path := inDir(t, "r")
	mustRun(t, one, path, Options{})
	for name, err := range map[string]error{
		"resume": func() error { _, err := Run(context.Background(), other, path, Options{Resume: true}); return err }(),
		"merge": func() error {
			_, err := Merge(context.Background(), other, []string{path}, path+".merged", MergeOptions{})
			return err
		}(),
	} {
		if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "the input file sizes.txt has other contents") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestInputTravels: small contents are in the header, large ones and those that are no
// text only by their digest, and contents that do not fit the digest do not count.
func TestInputTravels(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		carried bool
	}{
		"empty": {"", true}, "small": {"1 0.5\n2 1\n", true}, "largest": {strings.Repeat("x", MaxInputText), true},
		"large": {strings.Repeat("x", MaxInputText+1), false}, "binary": {"\xff\x00", false},
	} {
		var r InputRecorder
		for _, b := range []byte(c.text) {
			r.Write([]byte{b})
		}
		in := r.Input("f")
		if text, ok := in.Carried(); ok != c.carried || ok && text != c.text {
			t.Errorf("%s: carried %t", name, ok)
		}
		in.Text += "y"
		if _, ok := in.Carried(); ok {
			t.Errorf("%s: changed text counts", name)
		}
	}
}

// TestDisplacedFileStays: a sweep whose file another process removed and made again
// leaves that file alone and loses nothing of its own.
func TestDisplacedFileStays(t *testing.T) {
	want := mustRun(t, diceSweep(t, usual, Shard{}, 6, 20), inDir(t, "r"), Options{})
	for name, foreign := range map[string]string{"removed": "", "made again": "another sweep\n"} {
		path := inDir(t, "r")
		displaced := false
		_, err := Run(context.Background(), diceSweep(t, usual, Shard{}, 6, 20), path, Options{Workers: 1, Progress: func(Progress) {
			if displaced {
				return
			}
			displaced = true
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
			if foreign != "" {
				write(t, path, []byte(foreign))
			}
		}})
		at := path
		if foreign != "" {
			at += ".displaced-1"
			if got := string(contents(t, path)); !errors.Is(err, ErrDisplaced) || !strings.Contains(err.Error(), at) || got != foreign {
				t.Errorf("%s: error %v, the other file holds %q", name, err, got)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !displaced || !bytes.Equal(contents(t, at), want) {
			t.Errorf("%s: the sweep's own file is lost", name)
		}
	}
}

// TestMergeReplacesOnlyItsOwn: a file at the output's path is replaced if it belongs to
// the sweep and all its records are merged, or by force.
func TestMergeReplacesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, c Config, shard Shard) string {
		path := dir + "/" + name
		mustRun(t, diceSweep(t, c, shard, 6, 20), path, Options{})
		return path
	}
	whole := diceSweep(t, usual, Shard{}, 6, 20)
	merge := func(out string, o MergeOptions, paths ...string) error {
		_, err := Merge(context.Background(), whole, paths, out, o)
		return err
	}
	first, second := run("1", usual, Shard{1, 2}), run("2", usual, Shard{2, 2})
	full, seed2 := run("full", usual, Shard{}), run("seed2", Config{Seed: 2, Replicas: 96, Block: 10}, Shard{})
	want := contents(t, full)
	for _, c := range []struct {
		name, out string
		paths     []string
		want      error
	}{
		{"another sweep", seed2, []string{full}, ErrOther},
		{"records would be lost", full, []string{first}, errLoss},
		{"another shard", second, []string{first}, errLoss},
		{"one of the merged files", first, []string{first, second}, nil},
		{"the same again", full, []string{first, second}, nil},
	} {
		before := contents(t, c.out)
		err := merge(c.out, MergeOptions{}, c.paths...)
		after := contents(t, c.out)
		if !errors.Is(err, c.want) || c.want != nil && !bytes.Equal(before, after) || c.want == nil && !bytes.Equal(after, want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	lock, err := LockFile(full)
	if err != nil {
		t.Fatal(err)
	}
	if err := merge(full, MergeOptions{}, first, second); !errors.Is(err, ErrLocked) {
		t.Errorf("a file that a sweep writes: error %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := merge(seed2, MergeOptions{Force: true}, full); err != nil || !bytes.Equal(contents(t, seed2), want) {
		t.Errorf("by force: error %v", err)
	}
}
