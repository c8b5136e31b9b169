package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestFormats follows docs/formats.md: its example files are read, and the commands of "Your own network" run as they
// stand.
func TestFormats(t *testing.T) {
	text := documents(t)["docs/formats.md"]
	t.Chdir(t.TempDir())
	named := regexp.MustCompile(`^# ([a-z.]+)`)
	files := 0
	for _, block := range blocks(text, "text") {
		if name := named.FindStringSubmatch(block); name != nil {
			writeText(t, name[1], block)
			files++
		} else {
			writeText(t, "a.csv", block)
		}
	}
	writeText(t, "c.json", blocks(text, "json")[0])
	writeText(t, "a.hosts", "0 5\n")
	commands := []string{
		"fattree --hosts 4 --replicas 1 --flows a.cm",
		"fattree --topology a.topo --replicas 1 --message-bytes 1kB",
		"fattree --topology topology.txt --flows flow.txt --replicas 1",
		"fattree --hosts 16 --sizes a.cdf --duration-us 10 --replicas 1",
		"fattree --hosts 16 --schedule a.goal --placement a.hosts --replicas 1",
		"sweep --config c.json -o r.jsonl",
		"plot a.csv --x load --y fct_us --by lb -o a.svg",
	}
	for line := range strings.Lines(blocks(text, "sh")[0]) {
		if command, ours := strings.CutPrefix(line, "repslab "); ours {
			commands = append(commands, command)
		} else if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	for _, command := range commands {
		if o := repslab(t, words(command)...); o.code != exitDone {
			t.Errorf("repslab %s: %+v", command, o)
		}
	}
	if files != 6 || len(commands) != 9 || len(strings.Fields(text)) > 1250 {
		t.Errorf("%d example files, %d commands, %d words, want 6, 9 and at most 1250", files, len(commands), len(strings.Fields(text)))
	}
}
