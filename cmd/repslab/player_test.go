package main

import (
	"os"
	"strings"
	"testing"
)

// TestView: the player of a run's events is one file; what cannot be played writes nothing.
func TestView(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"e.csv", "e.jsonl"} {
		if o := repslab(t, strings.Fields("fattree --hosts 8 --message-bytes 40kB --replicas 1 --lb ops,reps --event-flows 0,1 --events "+name)...); o.code != exitDone {
			t.Fatalf("%+v", o)
		}
		o := repslab(t, "view", name, "-o", name+".html")
		if page := string(fileBytes(t, name+".html")); o.code != exitDone || o.stdout+o.stderr != "" || !strings.Contains(page, "<title>"+name+": ") {
			t.Errorf("%+v, a page of %d bytes", o, len(page))
		}
	}
	if err := os.WriteFile("bad.csv", []byte(strings.Replace(string(fileBytes(t, "e.csv")), "false", "NaN", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"view bad.csv -o v.html":    `bad.csv: line 2: frozen: "NaN" must be true or false`,
		"view none.csv -o v.html":   "open none.csv: no such file or directory",
		"view e.csv":                `-o: "" must be given and end in .html`,
		"view e.csv -o v.csv":       `-o: "v.csv" must be given and end in .html`,
		"view e.csv -o none/v.html": "must be in an existing directory",
		"view . -o v.html":          "is a directory",
		"view e.csv e.jsonl":        "view takes one FILE, not 2",
	} {
		if o := repslab(t, strings.Fields(line)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v, want %q", line, o, want)
		}
	}
	if _, err := os.Stat("v.html"); err == nil {
		t.Error("a page of nothing is written")
	}
}
