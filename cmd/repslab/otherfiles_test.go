package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFilesOfOthers: files of other simulators and programs are read right or refused with the reason and code 2, and
// nothing is written. Doubts are warnings that name the flag.
func TestFilesOfOthers(t *testing.T) {
	inputs, err := filepath.Abs("../../fattree/traffic/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"head.csv": "load, fct\n0.5, 12\n0.7, 15\n", "numbers.csv": "x,y\n1,.5\n2,+0.7\n3,1.\n", "none.csv": "1,2\n3,4\n", "empty.csv": "x,y\n1,\n2,NA\n",
		"kilobytes.cdf": "1 0.4\n10 0.8\n2000 1\n", "begins.cdf": "2000 0.6\n100000 1\n",
		"loads.txt": "\ufeff1\r\n2\r\n", "wide.txt": "\xff\xfe1\x00\n\x00", "places.txt": "\ufeff3\r\n5\r\n",
		"job.goal": "\ufeffnum_ranks 2\nrank 0 {\nsend 10b to 1 tag 0\n}\nrank 1 {\nrecv 10b from 0 tag 0\n}\n", "wide.goal": "\xfe\xff\x00n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const run = " --lb ops --replicas 1 --columns flows --flows-out out.csv "
	for line, want := range map[string]string{
		"fattree --hosts 16 --flows IN/ns3_no_count.txt" + run:                          "--flows: IN/ns3_no_count.txt: traffic: line 1: found 6 words, expected one number",
		"fattree --hosts 16 --flows IN/ns3_mode_column.txt" + run:                       `traffic: line 2: port: found "65536"`,
		"fattree --hosts 16 --flows IN/ns3_more_than_count.txt" + run:                   "traffic: line 3: found 2 more flows than the first line says (1)",
		"fattree --flows IN/failures.cm" + run:                                          "traffic: line 3: found Failures, which this program does not read: --failure says what fails",
		"fattree --topology IN/unequal_topology.txt" + run:                              "--topology: IN/unequal_topology.txt: traffic: no folded Clos of equal tiers: switch 4 has 3 hosts, switch 5 has 1",
		"fattree --topology IN/twonics_topology.txt" + run:                              "host 0 has links to 2 switches; --planes describes several",
		"fattree --hosts 16 --load 0.1 --duration-us 20 --sizes IN/kilobytes.cdf" + run: "--sizes: IN/kilobytes.cdf: traffic: line 1: size: found",
		"recycled --bins 2 --replicas 2 --start wide.txt":                               "--start: wide.txt: after load 0: the text is in UTF-16, but must be in UTF-8",
		"fattree --hosts 16 --schedule wide.goal" + run:                                 "--schedule: wide.goal: schedule: after line 0: the text is in UTF-16",
		"fattree --hosts 16 --schedule job.goal --placement wide.txt" + run:             "--placement: wide.txt: the text is in UTF-16",
		"plot none.csv -x 1 -y 2 -o out.csv.svg":                                        "none.csv: must begin with a line of keys",
		"plot empty.csv -x x -y y -o out.csv.svg":                                       `--y: "y" must have a value, but has none in 2 rows`,
	} {
		o := repslab(t, strings.Fields(strings.ReplaceAll(line, "IN", inputs))...)
		if o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, strings.ReplaceAll(want, "IN", inputs)) {
			t.Errorf("repslab %s: %+v, want %q", line, o, want)
		}
		if written, _ := filepath.Glob("out*"); len(written) > 0 {
			t.Fatalf("repslab %s wrote %q", line, written)
		}
	}
	for line, want := range map[string]string{
		"fattree --topology IN/powertcp_topology.txt --lb ops --replicas 1 --columns hosts":                    "",
		"fattree --topology IN/ns3_topology.txt --flows IN/ns3_flow.txt --lb ops --replicas 1 --columns flows": "--topology: line 68: found 191 more links than the first line says (65): they are left out",
		"fattree --hosts 16 --load 0.1 --duration-us 50 --sizes begins.cdf --lb ops --replicas 1":              "--sizes: 60 % of the messages have 1 to 2000 bytes, uniformly",
		"fattree --hosts 16 --load 0.01 --duration-us 10 --sizes kilobytes.cdf --lb ops --replicas 1":          "--sizes: the mean is 203.4 bytes and the median 3.25",
		"recycled --bins 2 --replicas 2 --start loads.txt":                                                     "nothing was thrown", "fattree --hosts 16 --schedule job.goal --placement places.txt --replicas 1 --lb ops": "",
		"plot head.csv -x load -y fct -o head.svg": "", "plot numbers.csv -x x -y y -o numbers.svg": "",
	} {
		o := repslab(t, strings.Fields(strings.ReplaceAll(line, "IN", inputs))...)
		if o.code != exitDone || !strings.Contains(o.stderr, want) || want == "" && o.stderr != "" {
			t.Errorf("repslab %s: %+v, want %q", line, o, want)
		}
	}
}

// TestResultFilesAsText: a result file with a byte-order mark and CRLF gives the rows, comparisons and plots of the
// original, and is resumed and merged to its bytes.
func TestResultFilesAsText(t *testing.T) {
	t.Chdir(t.TempDir())
	sweep := []string{"sweep", "ballsbins", "--bins", "4,8", "--rounds", "20", "--replicas", "4", "--quiet", "-o", "r.jsonl"}
	whole := string(mustSweep(t, "r.jsonl", sweep...))
	if err := os.Mkdir("as-text", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("as-text/r.jsonl", []byte("\ufeff"+strings.ReplaceAll(whole, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := regexp.MustCompile(`in [0-9.]+ s\b`) // differs where the machine is busy
	outcomes := func() (list []string) {
		for _, line := range []string{"show r.jsonl", "export r.jsonl --format csv", "compare r.jsonl r2.jsonl", "plot r.jsonl -x bins -y max_load_mean -o p.svg --force",
			"merge r.jsonl -o m.jsonl --force", "sweep --config r.jsonl --print-config", strings.Join(sweep, " ") + " --resume"} {
			o := repslab(t, strings.Fields(line)...)
			if o.code != exitDone {
				t.Errorf("repslab %s: %+v", line, o)
			}
			list = append(list, taken.ReplaceAllString(o.stdout+o.stderr, "in some s"))
		}
		return append(list, string(fileBytes(t, "p.svg")), string(fileBytes(t, "m.jsonl")), string(fileBytes(t, "r.jsonl")))
	}
	write := func(name string) {
		if err := os.WriteFile(name, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("r2.jsonl")
	want := outcomes()
	t.Chdir("as-text")
	write("r2.jsonl")
	for i, got := range outcomes() {
		if got != want[i] {
			t.Errorf("outcome %d is %.200q, want %.200q", i, got, want[i])
		}
	}
}
