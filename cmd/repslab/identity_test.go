package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/sweep"
)

// writeText writes a file of a test.
func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sizesSweep is a sweep over the sizes in s.txt, of four blocks.
var sizesSweep = strings.Fields("sweep fattree --hosts 8 --sizes s.txt --duration-us 20 --lb ops,reps --replicas 2 --block 1")

// TestInputFilesAreIdentity: a sweep is not resumed, and shards are not merged, where an
// input file has other contents; the file is named and nothing changes.
func TestInputFilesAreIdentity(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "s.txt", "1000 0.5\n20000 1\n")
	whole := mustSweep(t, "a.jsonl", append(sizesSweep, "-o", "a.jsonl")...)
	mustSweep(t, "r.jsonl.1-of-2", append(sizesSweep, "-o", "r.jsonl", "--shard", "1/2")...)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	writeText(t, "cut.jsonl", string(bytes.Join(lines[:2], nil)))
	writeText(t, "s.txt", "1000 0.5\n40000 1\n")
	o := repslab(t, append(sizesSweep, "-o", "cut.jsonl", "--resume")...)
	if o.code != exitUsage || !strings.Contains(o.stderr, "the input file s.txt has other contents") || !bytes.Equal(fileBytes(t, "cut.jsonl"), bytes.Join(lines[:2], nil)) {
		t.Errorf("resumed with another file: %+v", o)
	}
	mustSweep(t, "r.jsonl.2-of-2", append(sizesSweep, "-o", "r.jsonl", "--shard", "2/2")...)
	o = repslab(t, "merge", "r.jsonl.1-of-2", "r.jsonl.2-of-2", "-o", "r.jsonl")
	if _, err := os.Stat("r.jsonl"); o.code == exitDone || !strings.Contains(o.stderr, "the input file s.txt has other contents") || err == nil {
		t.Errorf("merged shards of two files: %+v", o)
	}
}

// TestResultFileReproducesItself: the header carries small input files, so the sweep of
// a result file runs again, byte for byte, where they do not exist.
func TestResultFileReproducesItself(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "s.txt", "1000 0.5\n20000 1\n")
	want := mustSweep(t, "a.jsonl", append(sizesSweep, "-o", "a.jsonl")...)
	if err := os.Remove("s.txt"); err != nil {
		t.Fatal(err)
	}
	if got := mustSweep(t, "b.jsonl", "sweep", "--config", "a.jsonl", "-o", "b.jsonl"); !bytes.Equal(got, want) {
		t.Error("the sweep of a result file differs from it")
	}
	if o := repslab(t, "merge", "a.jsonl", "-o", "c.jsonl"); o.code != exitDone || !bytes.Equal(fileBytes(t, "c.jsonl"), want) {
		t.Errorf("merged without the input file: %+v", o)
	}
	printed := repslab(t, "sweep", "--config", "a.jsonl", "--print-config")
	writeText(t, "c.json", printed.stdout)
	if got := mustSweep(t, "d.jsonl", "sweep", "--config", "c.json", "-o", "d.jsonl"); !bytes.Equal(got, want) {
		t.Error("the sweep of the printed configuration differs")
	}
}

// TestLargeInputFiles travel by their digest alone: with other contents on the disk the
// sweep is refused.
func TestLargeInputFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	large := func(last string) { // comments make it large
		writeText(t, "s.txt", "1000 0.5\n"+last+" 1\n"+strings.Repeat("\n", 1<<16))
	}
	large("20000")
	want := mustSweep(t, "a.jsonl", append(sizesSweep, "-o", "a.jsonl")...)
	if got := mustSweep(t, "b.jsonl", "sweep", "--config", "a.jsonl", "-o", "b.jsonl"); !bytes.Equal(got, want) {
		t.Error("the sweep of a result file differs from it")
	}
	large("30000")
	if o := repslab(t, "sweep", "--config", "a.jsonl", "-o", "c.jsonl"); o.code != exitUsage || !strings.Contains(o.stderr, "s.txt has changed since the sweep was created") {
		t.Errorf("%+v", o)
	}
}

// TestResultFilesStay: no command replaces the result file of another sweep without
// --force, nor the file that it reads.
func TestResultFilesStay(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "a.jsonl", "sweep", "recycled", "--bins", "8,16", "--replicas", "20", "-o", "a.jsonl")
	want := mustSweep(t, "b.jsonl", "sweep", "recycled", "--bins", "32", "--replicas", "20", "-o", "b.jsonl")
	if err := os.Symlink("b.jsonl", "b.pdf"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"merge a.jsonl -o b.jsonl",
		"export b.jsonl -o b.jsonl",
		"show b.jsonl -o b.jsonl",
		"show a.jsonl -o b.jsonl",
		"plot a.jsonl --x bins --y rounds_mean -o b.pdf",
		"compare b.jsonl b.jsonl -o b.jsonl",
		"evs --evs 16 --uplinks 4 -o b.jsonl",
		"fattree --hosts 8 --message-bytes 1KB --replicas 1 --flows-out b.jsonl",
		"fattree --hosts 8 --message-bytes 1KB --replicas 1 --trace b.jsonl",
		"prove --step S1 -o b.jsonl",
		"vectors -o b.jsonl",
		"schedule pipeline -o b.jsonl",
	} {
		o := repslab(t, strings.Fields(command)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, "b.") || !bytes.Equal(fileBytes(t, "b.jsonl"), want) {
			t.Errorf("%s: %+v", command, o)
		}
	}
	for _, command := range []string{"merge a.jsonl -o b.jsonl --force", "export a.jsonl -o b.jsonl --force", "vectors -o b.jsonl --force"} {
		if o := repslab(t, strings.Fields(command)...); o.code != exitDone || bytes.Equal(fileBytes(t, "b.jsonl"), want) {
			t.Errorf("%s: %+v", command, o)
		}
	}
}

// TestOldFilesAreRead: the readers take a file of another version and say so; resuming
// and merging refuse it.
func TestOldFilesAreRead(t *testing.T) {
	old := filepath.Join(t.TempDir(), "schema1.jsonl")
	writeText(t, old, string(fileBytes(t, "testdata/schema1.jsonl")))
	o := repslab(t, "export", old)
	if o.code != exitDone || !strings.Contains(o.stdout, "\n16,1,standard,round-robin,") || !strings.Contains(o.stderr, "was written by another program (version 0.1.0, revision unknown, streams 0)") {
		t.Errorf("export: %+v", o)
	}
	for _, args := range [][]string{
		{"merge", old, "-o", old + ".merged"},
		{"sweep", "coalescing", "--bins", "8,16", "--rounds", "10", "--replicas", "8", "--block", "4", "--resume", "-o", old},
	} {
		if o := repslab(t, args...); o.code == exitDone || !strings.Contains(o.stderr, "streams is 0 there and 1 here") {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// TestOldFailuresKeepTheirPlaces: in files of streams below 6 cables=1 is an uplink of every ToR. They
// are shown, compared and run again with that place by its name, and not resumed.
func TestOldFailuresKeepTheirPlaces(t *testing.T) {
	old, err := filepath.Abs("testdata/streams5.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	o := repslab(t, "show", old, "--columns", "failure,lost", "--format", "csv")
	if want := "failure,lost\n\"cables=1,place=aligned,at=1\",35\n\"cables=1,at=1\",4\n"; o.stdout != want {
		t.Errorf("%+v, want %q", o, want)
	}
	again := mustSweep(t, "new.jsonl", "sweep", "--config", old, "-o", "new.jsonl")
	if !bytes.Contains(again, []byte(`"failure":"cables=1,place=aligned,at=1|cables=1,at=1"`)) {
		t.Errorf("the header is %.1000s", again)
	}
	o = repslab(t, "export", "new.jsonl", "--columns", "failure,failed_cables,lost")
	if want := "failure,failed_cables,lost\n\"cables=1,place=aligned,at=1\",4,35\n\"cables=1,at=1\",1,4\n"; o.stdout != want {
		t.Errorf("%+v, want %q", o, want)
	}
	writeText(t, "old.jsonl", string(fileBytes(t, old)))
	if o := repslab(t, "sweep", "--config", old, "--resume", "-o", "old.jsonl"); o.code == exitDone || !strings.Contains(o.stderr, "streams is 5 there and 10 here") {
		t.Errorf("resumed: %+v", o)
	}
}

// TestResultFileMadeMeanwhile: a result file that a sweep made while a command ran stays.
func TestResultFileMadeMeanwhile(t *testing.T) {
	t.Chdir(t.TempDir())
	want := mustSweep(t, "a.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "20", "-o", "a.jsonl")
	file, err := console.OutputFile("-o", "b.jsonl", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("a table")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("a.jsonl", "b.jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := file.Commit(); err == nil || !strings.Contains(err.Error(), "b.jsonl is the result file of a sweep") || !bytes.Equal(fileBytes(t, "b.jsonl"), want) {
		t.Errorf("replaced: error %v", err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, error %v", entries, err)
	}
}

// TestDamagedResultFileStays: a result file is recognized with any byte of its first line
// damaged.
func TestDamagedResultFileStays(t *testing.T) {
	t.Chdir(t.TempDir())
	data := mustSweep(t, "a.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "20", "-o", "a.jsonl")
	for i := range bytes.IndexByte(data, '\n') {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		writeText(t, "b.jsonl", string(bad))
		if !sweep.IsResult("b.jsonl") {
			t.Errorf("not recognized with byte %d damaged", i)
		}
	}
}

// TestOtherInputsAreTold: compare and --config say where files differ in more than their
// parameters.
func TestOtherInputsAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ size, path string }{{"20000", "a.jsonl"}, {"40000", "b.jsonl"}} {
		writeText(t, "s.txt", "1000 0.5\n"+c.size+" 1\n")
		mustSweep(t, c.path, append(sizesSweep, "-o", c.path)...)
	}
	o := repslab(t, "compare", "a.jsonl", "b.jsonl")
	if o.code != exitDone || !strings.Contains(o.stderr, "the input file s.txt has other contents in b.jsonl than in a.jsonl") {
		t.Errorf("compare: %+v", o)
	}
	h, err := sweep.ReadHeader("a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r, err := param.ReadRequest("a.jsonl")
	if err != nil || r.Origin == nil || r.Origin.Program != h.Program {
		t.Errorf("the request of a result file has the origin %+v, error %v", r.Origin, err)
	}
	if o := repslab(t, "sweep", "fattree", "--hosts", "8", "--duration-us", "20", "--sizes", "caf\xe9.txt", "--plan"); o.code != exitUsage || !strings.Contains(o.stderr, "must be UTF-8") {
		t.Errorf("a name that JSON cannot carry: %+v", o)
	}
}
