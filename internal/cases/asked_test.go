package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/param"
)

// TestAskedNumbersAreKept: every number of EVs that is asked for is the number in the row, or an error that names it
// and what the balancer takes; only the default alone stands for as many as the balancer takes. A combination that
// is refused leaves the others.
func TestAskedNumbersAreKept(t *testing.T) {
	m := fattreeModel()
	at := slices.Index(frame.Keys(m.Keys), "evs")
	for _, lb := range names("lb") {
		for _, network := range []string{"", " profile=uet", " profile=mrc planes=4"} {
			for _, evs := range []string{"3", "64", "257", "512", "16385", "65536"} {
				p := param.Texts{"lb": lb, "evs": evs, "hosts": "4", "cc": "dctcp"}
				for flag := range strings.FieldsSeq(network) {
					key, value, _ := strings.Cut(flag, "=")
					p[key] = value
				}
				g, err := m.Grid(param.Selection{Parameters: p})
				isDefault := evs == "65536" && network == ""
				switch {
				case err == nil && fmt.Sprint(g.Points[0].Parameters[at]) != evs && !isDefault:
					t.Errorf("--lb %s%s --evs %s: the row has %v", lb, network, evs, g.Points[0].Parameters[at])
				case err != nil && !strings.Contains(err.Error(), "--evs: "+evs+" ") && !strings.Contains(err.Error(), "--evs ("+evs+") ") && !strings.HasPrefix(err.Error(), "--lb"):
					t.Errorf("--lb %s%s --evs %s: error %v", lb, network, evs, err)
				}
			}
		}
	}
	for _, c := range []struct{ lb, evs, rows, warning string }{
		{"ops,bitmap", "33,36,40,64", "[33 36 40 64 64]", "--evs: 36 must be a power of two up to 256 with --lb bitmap"},
		{"stratified,mixed", "256,65536", "[256 256 65536]", "--evs: 65536 must be a power of two up to 256 with --lb mixed"},
		{"bitmap,stratified", "65536", "[256 65536]", ""},
		{"oracle,ops", "33,40", "[4 33 40]", "it has no effect in 2 of 4 combinations"},
	} {
		g, err := m.Grid(param.Selection{Parameters: param.Texts{"hosts": "16", "lb": c.lb, "evs": c.evs}})
		if err != nil {
			t.Fatal(err)
		}
		var rows []any
		for _, p := range g.Points {
			rows = append(rows, p.Parameters[at])
		}
		if text := strings.Join(g.Warnings, "\n"); fmt.Sprint(rows) != c.rows || !strings.Contains(text, c.warning) || c.warning == "" && text != "" {
			t.Errorf("--lb %s --evs %s: rows %v, want %s; warnings %s", c.lb, c.evs, rows, c.rows, text)
		}
	}
	if _, err := m.Grid(param.Selection{Parameters: param.Texts{"lb": "mrc", "mrc_backup": "0"}}); err == nil || err.Error() != "--mrc-backup: 0 must be in [1, 256], or -1 for none" {
		t.Errorf("--mrc-backup 0: error %v", err)
	}
}
