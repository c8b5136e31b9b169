package sweep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"repslab/internal/wholefile"
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
		if _, err := other.Run(context.Background(), path, Options{Resume: true}); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: resuming gives the error %v", name, err)
		}
		if _, err := other.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{}); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: merging gives the error %v", name, err)
		}
	}
	if c, err := Read(path, func(string) {}); err != nil || len(c.Rows) != 2 || c.Header.Program != testProgram {
		t.Errorf("read as %+v, error %v", c, err)
	}
	if got := contents(t, path); !bytes.Equal(got, want) {
		t.Error("a refused file was changed")
	}
}

// readInput returns an input with contents that arrive byte by byte. The first byte is read before the
// rest.
func readInput(t *testing.T, path, text string) Input {
	t.Helper()
	in, err := ReadInput(path, iotest.OneByteReader(strings.NewReader(text)), func(r io.Reader) error {
		if first, _ := r.Read(make([]byte, 1)); first != min(1, len(text)) {
			t.Errorf("%d bytes of %q", first, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestReadInputErrors: ReadInput returns an error of the contents or of their reader.
func TestReadInputErrors(t *testing.T) {
	bad := errors.New("bad")
	fine := strings.Repeat("x", 2*maxInputText)
	late := io.MultiReader(strings.NewReader(fine), iotest.ErrReader(bad))
	pass := func(io.Reader) error { return nil }
	for name, c := range map[string]struct {
		contents io.Reader
		read     func(io.Reader) error
	}{
		"at once": {iotest.ErrReader(bad), pass}, "late": {late, pass},
		"reader": {strings.NewReader(fine), func(io.Reader) error { return bad }},
	} {
		if _, err := ReadInput("f", c.contents, c.read); !errors.Is(err, bad) {
			t.Errorf("%s: error %v, want %v", name, err, bad)
		}
	}
}

// TestInputsAreIdentity: the contents of an input file are part of a sweep and of
// its points, and the error names the file.
func TestInputsAreIdentity(t *testing.T) {
	input := func(text string) Config {
		c := usual
		c.Inputs = []Input{readInput(t, "sizes.txt", text)}
		return c
	}
	one, other := diceSweep(t, input("1 1\n"), Shard{}, 6), diceSweep(t, input("2 1\n"), Shard{}, 6)
	if one.ids[0] == other.ids[0] || one.ids[0] == diceSweep(t, usual, Shard{}, 6).ids[0] {
		t.Error("points with other input files have the same ID")
	}
	path := inDir(t, "r")
	mustRun(t, one, path, Options{})
	for name, err := range map[string]error{
		"resume": func() error { _, err := other.Run(context.Background(), path, Options{Resume: true}); return err }(),
		"merge": func() error {
			_, err := other.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{})
			return err
		}(),
	} {
		if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "the input file sizes.txt has other contents") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestInputTravels: the header carries small contents. For large contents and contents that are not text
// it carries only the digest. Carried contents that do not match the digest are ignored.
func TestInputTravels(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		carried bool
	}{
		"empty": {"", true}, "small": {"1 0.5\n2 1\n", true}, "largest": {strings.Repeat("x", maxInputText), true},
		"large": {strings.Repeat("x", maxInputText+1), false}, "binary": {"\xff\x00", false},
	} {
		in := readInput(t, "f", c.text)
		if text, ok := in.Carried(); ok != c.carried || ok && text != c.text {
			t.Errorf("%s: carried %t", name, ok)
		}
		in.Text += "y"
		if _, ok := in.Carried(); ok {
			t.Errorf("%s: changed text counts", name)
		}
	}
}

// TestDisplacedFileStays: if another process removed the file of a sweep and created a new one, the sweep
// leaves that file alone and loses none of its own records.
func TestDisplacedFileStays(t *testing.T) {
	want := mustRun(t, diceSweep(t, usual, Shard{}, 6, 20), inDir(t, "r"), Options{})
	for name, foreign := range map[string]string{"removed": "", "made again": "another sweep\n", "made again twice": "a third\n"} {
		path := inDir(t, "r")
		beside, displaced := ".displaced-1", false
		if name == "made again twice" {
			write(t, path+beside, []byte(foreign))
			beside = ".displaced-2"
		}
		_, err := diceSweep(t, usual, Shard{}, 6, 20).Run(context.Background(), path, Options{Workers: 1, Progress: func(Progress) {
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
			at += beside
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
		_, err := whole.Merge(context.Background(), paths, out, o)
		return err
	}
	first, second := run("1", usual, Shard{1, 2}), run("2", usual, Shard{2, 2})
	full, seed2 := run("full", usual, Shard{}), run("seed2", Config{Seed: 2, Replicas: 96, Block: 10}, Shard{})
	want, empty := contents(t, full), dir+"/empty"
	write(t, empty, nil)
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
		{"an empty file", empty, []string{first, second}, nil},
	} {
		before := contents(t, c.out)
		err := merge(c.out, MergeOptions{}, c.paths...)
		after := contents(t, c.out)
		if !errors.Is(err, c.want) || c.want != nil && !bytes.Equal(before, after) || c.want == nil && !bytes.Equal(after, want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	lock, err := wholefile.OpenLocked(full)
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

// TestMergeKeepsRows: rows count as records. A part of a sweep does not compute the rows of exact points,
// which have no blocks, and so it does not replace a file that has them; the whole sweep computes them
// again.
func TestMergeKeepsRows(t *testing.T) {
	dir := t.TempDir()
	whole, part := diceSweep(t, usual, Shard{}, 1), diceSweep(t, usual, Shard{1, 2}, 1)
	full, first := dir+"/full", dir+"/first"
	want := mustRun(t, whole, full, Options{})
	mustRun(t, part, first, Options{})
	if _, err := part.Merge(context.Background(), []string{first}, full, MergeOptions{}); !errors.Is(err, ErrKept) || !errors.Is(err, errLoss) || !bytes.Equal(contents(t, full), want) {
		t.Errorf("error %v, want one that says that a record would be lost", err)
	}
	if _, err := whole.Merge(context.Background(), []string{first}, full, MergeOptions{}); err != nil || !bytes.Equal(contents(t, full), want) {
		t.Errorf("error %v by the whole sweep", err)
	}
}
