package cases

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/sweep"
)

// repeated is a reader of a text without an end.
type repeated string

func (r repeated) Read(p []byte) (n int, err error) {
	for n+len(r) <= len(p) {
		n += copy(p[n:], r)
	}
	return n, nil
}

// TestInputsWithoutEnd: loads and placements from a file that never ends are an error, in bounded memory.
func TestInputsWithoutEnd(t *testing.T) {
	for text, want := range map[string]string{"0\n": "1048577 loads must be in [1, 1048576]", "\x00": "token too long", "7 x ": "load 2"} {
		if _, err := readLoads(repeated(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loads %q: error %v, want %s", text, err, want)
		}
	}
	if hosts, err := readPlacement(io.LimitReader(repeated("0\n"), 1<<30)); err != nil || len(hosts) != fattree.MaxHosts+1 {
		t.Errorf("%d hosts, error %v", len(hosts), err)
	}
}

// TestNamesOfFiles: a file is read under its whole name, commas included, before a name is taken for a list; a name
// that a spreadsheet would take for a formula is refused.
func TestNamesOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a,16.cm": "Nodes 16\nConnections 1\n0->1 start 0 size 1000\n", "a.cm": "Nodes 8\nConnections 1\n0->1 start 0 size 1000\n",
		"b.cm": "Nodes 4\nConnections 1\n0->1 start 0 size 1000\n", "7,8": "0 0 5\n",
		"-2+3.cm": "Nodes 4\nConnections 1\n0->1 start 0 size 1000\n", "=1.cm": "", "+1.cm": "", "@1.cm": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func(m param.Model, other, flag, text string, carried ...sweep.Input) string {
		g, err := m.Grid(param.Selection{Parameters: param.Texts{flag: text, other: "3"}, Inputs: carried})
		if err != nil {
			return err.Error()
		}
		return strings.Join(lists.Map(g.Inputs, func(in sweep.Input) string { return in.Path }), "|") + " of " + g.Parameters[flag]
	}
	network, process := fattreeModel(), recycledModel()
	for text, want := range map[string]string{
		"a,16.cm":   "a,16.cm of a,16.cm",
		"a.cm,b.cm": "a.cm|b.cm of a.cm,b.cm",
		"a,17.cm":   "--flows: open a: no such file or directory; commas separate files",
		"./-2+3.cm": "./-2+3.cm of ./-2+3.cm",
		"-2+3.cm":   `--flows: the name "-2+3.cm" must not begin with =, +, - or @, which spreadsheets take for a formula: give ./-2+3.cm`,
		"=1.cm":     `--flows: the name "=1.cm" must not begin`, "b.cm,+1.cm": `--flows: the name "+1.cm" must not begin`, "@1.cm": `--flows: the name "@1.cm" must not begin`,
	} {
		if got := names(network, "ring", "flows", text); !strings.HasPrefix(got, want) {
			t.Errorf("--flows %s: %s, want %s", text, got, want)
		}
	}
	if got := names(process, "bins", "start", "7,8"); got != "7,8 of 7,8" {
		t.Errorf("--start 7,8: %s", got)
	}
	g, err := network.Grid(param.Selection{Parameters: param.Texts{"flows": "a.cm,b.cm"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("a,16.cm", "a.cm,b.cm"); err != nil {
		t.Fatal(err)
	}
	if got := names(network, "ring", "flows", "a.cm,b.cm", g.Inputs...); got != "a.cm|b.cm of a.cm,b.cm" {
		t.Errorf("a configuration with two files reads %s", got)
	}
}

// TestNotesOfFiles: what reads many files says so for each, and for each combination, once it begins; and names the
// file of a point.
func TestNotesOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range []string{"a.cm", "b.cm"} {
		text := fmt.Sprintf("Nodes 8\nConnections 1\n0->%d start 0 size 1000\n", i+1)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var notes []string
	m := fattreeModel()
	g, err := m.Grid(param.Selection{Parameters: param.Texts{"hosts": "8", "flows": "a.cm,b.cm"}, Note: func(text string) { notes = append(notes, text) }})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"reading a.cm", "reading b.cm", "combination 1 of 2", "combination 2 of 2"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if name := g.Points[1].Name; !strings.Contains(name, "flows=b.cm ") {
		t.Errorf("the second point is %q", name)
	}
}
