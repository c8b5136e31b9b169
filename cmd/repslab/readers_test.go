package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// TestPlotFormats: the figure of a sweep in all formats, and what it refuses.
func TestPlotFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8..32:x2", "--threshold", "ln(n),4*ln(n)", "--replicas", "20", "-o", "r.jsonl")
	for extension, magic := range map[string]string{"pdf": "%PDF", "svg": "<?xml", "png": "\x89PNG"} {
		o := repslab(t, "plot", "r.jsonl", "--x", "bins", "--y", "rounds_mean", "--by", "threshold_expression", "--log-x", "--log-y", "-o", "p."+extension)
		if data := fileBytes(t, "p."+extension); o.code != exitDone || !bytes.HasPrefix(data, []byte(magic)) {
			t.Errorf("%s: %+v", extension, o)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"--x bins --y rounds_mean -o q.pdf", "give --by threshold"},
		{"--x bins --y velocity -o q.pdf", ` names; the nearest are `},
		{"--x threshold_expression --y rounds_mean --by bins -o q.pdf", "must be a column of numbers"},
		{"--x bins --y rounds_mean -o q.gif", `must end in .pdf, .svg or .png`},
		{"--x bins -o q.pdf", "needs --x, --y and -o"},
	} {
		if o := repslab(t, append([]string{"plot", "r.jsonl"}, strings.Fields(c.args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
}

// TestCompareFindsWhatDiffers: equal files differ in nothing, thresholds in rounds.
func TestCompareFindsWhatDiffers(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tau := range []string{"1", "4"} {
		mustSweep(t, tau+".jsonl", "sweep", "recycled", "--bins", "32,64", "--threshold", tau+"*ln(n)", "--replicas", "300", "-o", tau+".jsonl")
	}
	read := func(args ...string) [][]string {
		o := repslab(t, append([]string{"compare", "--format", "csv"}, args...)...)
		records, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
		if o.code != exitDone || err != nil || len(records) != 7 {
			t.Fatalf("%v: %+v, error %v", args, o, err)
		}
		return records[1:]
	}
	for _, row := range read("1.jsonl", "1.jsonl") {
		if row[len(row)-1] != "false" || row[len(row)-2] != "1" {
			t.Errorf("a file differs from itself: %v", row)
		}
	}
	for _, row := range read("1.jsonl", "4.jsonl", "--except", "threshold,threshold_expression") {
		if row[len(row)-1] != "true" {
			t.Errorf("not significant: %v", row)
		}
	}
	for _, name := range []string{"1.jsonl", "4.jsonl"} {
		head, _, _ := bytes.Cut(fileBytes(t, name), []byte("\n"))
		if err := os.WriteFile("head"+name, append(head, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, where := range []string{"", " --where bins=9"} {
		o := repslab(t, strings.Fields("compare head1.jsonl head4.jsonl"+where)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, "head1.jsonl, head4.jsonl: no row, or no finished point") {
			t.Errorf("%q: %+v", where, o)
		}
	}
	if o := repslab(t, "compare", "1.jsonl", "4.jsonl"); o.code != exitUsage || !strings.Contains(o.stderr, "no point in common") {
		t.Errorf("%+v", o)
	}
}
