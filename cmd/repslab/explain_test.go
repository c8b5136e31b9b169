package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/table"
)

// TestEveryKeyIsExplained: every key of every model's rows and every flag of every command has an
// explanation with a meaning, and no entry of docs/results.md is left over.
func TestEveryKeyIsExplained(t *testing.T) {
	d := newDictionary()
	root := newRoot(models(), nil, nil)
	var used []string
	for _, m := range models() {
		for _, c := range slices.Concat(m.columns(), table.Numbers("wall_s", m.timingKey())) {
			e, _, known := d.result(m.name, c.Key)
			if known {
				used = append(used, e.model+" "+e.keys[0])
			} else if _, isParameter := m.parameter(flagOf(c.Key)); !isParameter {
				t.Errorf("docs/results.md has no entry for %s of repslab %s", c.Key, m.name)
			}
			if known && (e.meaning == "" || e.kind == "" || e.computedBy == "") {
				t.Errorf("%s of repslab %s: %+v", c.Key, m.name, e)
			}
		}
	}
	for _, e := range d.entries {
		if !slices.Contains(used, e.model+" "+e.keys[0]) {
			t.Errorf("docs/results.md: no model has the keys %v of %q", e.keys, e.model)
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			var page strings.Builder
			const narrow = 60
			explainer{d, root, models(), &page, narrow}.explain("--" + f.Name)
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

// TestComputedByExists: every symbol that docs/results.md names is exported by a package of the
// module: a function, a type, or a method or field of one.
func TestComputedByExists(t *testing.T) {
	folders := map[string]string{"allocation": "ballsbins/allocation", "experiment": "fattree/experiment",
		"schedule": "fattree/schedule", "topology": "fattree/topology", "traffic": "fattree/traffic", "values": "internal/values"}
	symbols := map[string][]string{} // by package
	for _, e := range newDictionary().entries {
		name, symbol, _ := strings.Cut(e.computedBy, ".")
		if symbols[name] == nil {
			folder := folders[name]
			if folder == "" {
				folder = name
			}
			symbols[name] = exported(t, "../../"+folder)
		}
		if !slices.Contains(symbols[name], symbol) {
			t.Errorf("docs/results.md, %v: there is no %s", e.keys, e.computedBy)
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
		"--ack-ratio":   {"packets per ACK", "default      1", "fattree.Spec.AckRatio", "used only    by --clocking per-flow"},
		"ACK_RATIO":     {"packets per ACK"},
		"tors":          {"top-of-rack switches", "topology.FatTree.ToRs"},
		"--rto-us":      {"unit         µs"},
		"failed_cables": {"that fail for good", "in the whole network", "unit         cables", "topology.Failure.Number"},
		"failure":       {"cables=1 is one cable", "a cable of every ToR", "in the glossary"},
		"aligned":       {"place (random, aligned, first): in the glossary"},
		"place":         {"aligned (the same", "--failure cables=1 is one cable"},
		"-o":            {"--output: a flag of repslab"},
		"mixed":         {"mixed: a value of --lb", "UEC-htsim"},
		"tau":           {"τ (tau), threshold: in the glossary"},
		"exceeds_exact": {"kind         exact"},
	} {
		o := repslab(t, "explain", term)
		for _, text := range want {
			if o.code != exitDone || !strings.Contains(o.stdout, text) {
				t.Errorf("%s: %+v, want %q", term, o, text)
			}
		}
	}
	if o := repslab(t, "explain"); o.code != exitDone || !strings.Contains(o.stdout, "exceeds_hi exceeds_exact") {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, "explain", "--help"); !strings.Contains(o.stdout, "repslab explain [KEY|FLAG|WORD...]") {
		t.Errorf("%+v", o)
	}
	for term, want := range map[string]string{
		"reroute":      `"reroute" must be a key of a row, a flag, one of its names or a word of the glossary; did you mean reroute time or reroute_us?`,
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
	d := newDictionary()
	if len(d.choices) != 8 {
		t.Errorf("docs/mrc.md has choices of %d flags, want 8", len(d.choices))
	}
	root := newRoot(models(), nil, nil)
	for flag := range d.choices {
		var page strings.Builder
		explainer{d, root, models(), &page, 80}.explain("--" + flag)
		if text := page.String(); !strings.Contains(text, "with MRC") || !strings.Contains(text, "source: ") {
			t.Errorf("--%s: %q", flag, text)
		}
	}
}
