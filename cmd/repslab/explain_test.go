package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	laboratory "repslab"
	"repslab/internal/cases"
	"repslab/internal/frame"
	"repslab/internal/metric"
	"repslab/internal/param"
)

// TestEveryKeyIsExplained: every key of every model's rows and every flag of every command has an
// explanation with a meaning, and no metric is left over.
func TestEveryKeyIsExplained(t *testing.T) {
	available, words := cases.All(), glossary()
	root := newRoot(available, nil, nil)
	used := map[string]bool{}
	for _, m := range available {
		for _, c := range slices.Concat(m.Columns(), frame.Numbers("wall_s", m.TimingKey())) {
			found := 0
			for _, g := range metric.Groups() {
				if e, _, known := g.Find(c.Key); known && g.File == "" && (g.Model == "" || g.Model == m.Name) {
					used[g.Title()+e.Keys] = true
					found++
				}
			}
			_, isParameter := m.Parameter(param.FlagOf(c.Key))
			if found > 1 || found == 0 && !isParameter {
				t.Errorf("%s of repslab %s has %d metrics", c.Key, m.Name, found)
			}
		}
	}
	for _, g := range metric.Groups() {
		for _, e := range g.Metrics {
			if e.Meaning == "" || e.Kind == "" || e.By == "" || g.File == "" && !used[g.Title()+e.Keys] {
				t.Errorf("%s: %+v is of no row, or lacks a text", g.Title(), e)
			}
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			var page strings.Builder
			const narrow = 60
			explainer{words, root, available, &page, narrow}.explain("--" + f.Name)
			for line := range strings.Lines(page.String()) {
				if len([]rune(line)) > narrow+1 {
					t.Errorf("%s --%s: more than %d characters in %q", cmd.CommandPath(), f.Name, narrow, line)
				}
			}
			if !f.Hidden && f.Name != "help" && !strings.Contains(page.String(), "  meaning      ") {
				t.Errorf("%s --%s: %q", cmd.CommandPath(), f.Name, page.String())
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// TestComputedByExists: every symbol that a metric names is exported by a package of the
// module: a function, a type, or a method or field of one.
func TestComputedByExists(t *testing.T) {
	folders := map[string]string{"allocation": "ballsbins/allocation", "claims": "internal/claims", "figures": "internal/figures", "leafspine": "ballsbins/leafspine", "experiment": "fattree/experiment", "fluid": "fattree/fluid",
		"schedule": "fattree/schedule", "topology": "fattree/topology", "traffic": "fattree/traffic", "transport": "fattree/transport", "values": "internal/values"}
	symbols := map[string][]string{} // by package
	for _, g := range metric.Groups() {
		for _, e := range g.Metrics {
			name, symbol, _ := strings.Cut(e.By, ".")
			if symbols[name] == nil {
				symbols[name] = exported(t, "../../"+cmp.Or(folders[name], name))
			}
			if !slices.Contains(symbols[name], symbol) {
				t.Errorf("%s: there is no %s", e.Keys, e.By)
			}
		}
	}
}

// TestFilesAreExplained: each key of the files of --flows-out and --trace, and each quantity of a trace, is explained.
func TestFilesAreExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := repslab(t, strings.Fields("fattree --hosts 8 --message-bytes 10kB --replicas 1 --flows-out f.csv --trace t.csv --trace-ports tor0:up --ev-counts e.csv")...); o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	keys := map[string][]string{"--flows-out": readCSV(t, "f.csv")[0], "--trace": readCSV(t, "t.csv")[0], "--ev-counts": readCSV(t, "e.csv")[0]}
	for _, row := range readCSV(t, "t.csv")[1:] {
		if quantity := row[1]; !slices.Contains(keys["--trace"], quantity) {
			keys["--trace"] = append(keys["--trace"], quantity)
		}
	}
	for file, list := range keys {
		if len(list) < 8 {
			t.Errorf("%s has the keys %v", file, list)
		}
		for _, key := range list {
			o := repslab(t, "explain", key)
			if o.code != exitDone || !strings.Contains(o.stdout, key+": in rows of repslab fattree") {
				t.Errorf("%s of %s: %+v", key, file, o)
			}
		}
	}
}

// exported returns the names of the functions and types of a folder, and of methods and fields as
// Type.Name.
func exported(t *testing.T, folder string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", folder, paths, err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if d.Recv != nil {
					receiver = receiverName(d.Recv.List[0].Type) + "."
				}
				names = append(names, receiver+d.Name.Name)
				return false
			case *ast.TypeSpec:
				names = append(names, d.Name.Name)
				if s, ok := d.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, id := range field.Names {
							names = append(names, d.Name.Name+"."+id.Name)
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// receiverName returns the name of a receiver's type.
func receiverName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// TestExplain: explanations name meaning, unit, ending, source and symbol; unknown terms are refused.
func TestExplain(t *testing.T) {
	for term, want := range map[string][]string{
		"max_load_p95":  {"95 % quantile over replicas", "unit         balls", "coalescing.Observation.MaxLoad", "[Bonato26] sec. 5.1"},
		"--ack-ratio":   {"packets per ACK", "default      1", "transport.Options.AckRatio", "used only    by --clocking per-flow"},
		"ACK_RATIO":     {"packets per ACK"},
		"tors":          {"top-of-rack switches", "topology.FatTree.ToRs"},
		"--rto-us":      {"unit         µs"},
		"failed_cables": {"that fail for good", "in the whole network", "unit         cables", "topology.Failure.Number"},
		"failure":       {"cables=1 is one cable", "aligned: N or P%", "in the glossary"},
		"aligned":       {"place (random, aligned, first, spread, tor:K): in the glossary"},
		"place":         {"aligned (the same", "tor:K (of ToR K alone)"},
		"-o":            {"--output: a flag of repslab"},
		"mixed":         {"mixed: a value of --lb", "UEC-htsim"},
		"tau":           {"τ (tau), threshold: in the glossary"},
		"exceeds_exact": {"kind         exact"},
		"misfit":        {"misfit: in rows of repslab reproduce atlas.csv", "lack of fit"},
		"bound":         {"bound: in rows of repslab reproduce atlas.csv", "kind         bound"},
		"exponent_lo":   {"repslab leafspine", "reproduce atlas.csv", "lower end of the 95 % interval"},
		"published":     {"reproduce atlas-laws.csv", "[McClure25]"},
		"over":          {"reproduce ID-claims.csv"},
	} {
		o := repslab(t, "explain", term)
		for _, text := range want {
			if o.code != exitDone || !strings.Contains(o.stdout, text) {
				t.Errorf("%s: %+v, want %q", term, o, text)
			}
		}
	}
	if o := repslab(t, "explain"); o.code != exitDone || !strings.Contains(o.stdout, "exceeds_exact") {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, "explain", "--help"); !strings.Contains(o.stdout, "repslab explain [KEY|FLAG|WORD...]") {
		t.Errorf("%+v", o)
	}
	for term, want := range map[string]string{
		"reroute":      `"reroute" must be a key of a row, a flag, one of its names or a word of the glossary; did you mean --reroute-us or reroute time or reroute_after_us`,
		"max_load_men": `did you mean max_load_mean`,
		"":             `"" must be a key of a row, a flag, one of its names or a word of the glossary; repslab explain lists the keys`,
	} {
		if o := repslab(t, "explain", "seed", term); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%q: %+v", term, o)
		}
	}
}

// TestChoicesOfMRC: explain shows each flag of the table of choices in docs/mrc.md with its source.
func TestChoicesOfMRC(t *testing.T) {
	root, shown := newRoot(cases.All(), nil, nil), 0
	for _, row := range regexp.MustCompile("(?m)^\\|.*\\| `--([a-z-]+)` \\|").FindAllStringSubmatch(laboratory.MRC(), -1) {
		var page strings.Builder
		explainer{glossary(), root, cases.All(), &page, 80}.explain("--" + row[1])
		if text := page.String(); !strings.Contains(text, "with MRC") || !strings.Contains(text, "source: ") {
			t.Errorf("--%s: %q", row[1], text)
		}
		shown++
	}
	if shown != 8 {
		t.Errorf("docs/mrc.md has choices of %d flags, want 8", shown)
	}
}

// TestExplainTable: explain writes a table of all columns, each with a meaning, or of the given ones.
func TestExplainTable(t *testing.T) {
	o := repslab(t, "explain", "--format", "json")
	rows, keys := rowsOf(t, o.stdout)
	columns := 0
	for _, m := range cases.All() {
		columns += len(m.Columns()) + 2 // and two of --timing
	}
	if o.code != exitDone || len(rows) != columns || !slices.Equal(keys, strings.Fields("model key unit kind meaning formula")) {
		t.Fatalf("code %d, %d rows with keys %v, want %d", o.code, len(rows), keys, columns)
	}
	for _, r := range rows {
		if r["meaning"] == nil || r["kind"] == nil {
			t.Errorf("%v is not explained", r)
		}
	}
	one := repslab(t, "explain", "max_fct_us", "--latency-ns", "--format=csv")
	if want := "fattree,max_fct_us,µs,estimate,"; one.code != exitDone || strings.Count(one.stdout, "\n") != 3 || !strings.Contains(one.stdout, want) || !strings.Contains(one.stdout, "fattree,latency_ns,ns,given,") {
		t.Errorf("%+v, want %s", one, want)
	}
	for _, c := range [][]string{{"--format=xml"}, {"nosuch", "--format", "csv"}, {"max_fct_us", "--format", ""}} {
		if o := repslab(t, append([]string{"explain"}, c...)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, "must be") {
			t.Errorf("%q: %+v", c, o)
		}
	}
	if o := repslab(t, "explain", "--format"); o.code != exitDone || !strings.Contains(o.stdout, "--format: a flag of") {
		t.Errorf("%+v", o)
	}
}
