package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/param"
)

// TestCompletionAndHelp: the shell completion scripts exist and complete, and every
// command has an example. Those of workload are of other commands.
func TestCompletionAndHelp(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if o := repslab(t, "completion", shell); o.code != exitDone || !strings.Contains(o.stdout, "repslab") {
			t.Errorf("completion %s: code %d", shell, o.code)
		}
	}
	for typed, want := range map[string]string{"sweep rec": "recycled\t", "sweep recycled --thr": "--threshold\t", "mer": "merge\t"} {
		if o := repslab(t, append([]string{"__complete"}, strings.Fields(typed)...)...); !strings.HasPrefix(o.stdout, want) {
			t.Errorf("%s is completed to %q, want %q", typed, o.stdout, want)
		}
	}
	eachCommand(newRoot(cases.All(), nil, nil), func(c *cobra.Command) {
		if c.HasParent() && c.Name() != "help" && c.Name() != "completion" && c.Name() != "workload" && !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example", c.CommandPath())
		}
	})
}

// TestCompletionOfValues: the shell completes names, lists of them, figures, and the keys of the
// result file that is given; it offers files only where a flag takes one.
func TestCompletionOfValues(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "3", "-o", "r.jsonl")
	if err := os.WriteFile("rows.csv", []byte("bins,max_load\n8,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const noFiles, noSpace, folders, files = 4, 2, 16, 0
	for _, c := range []struct {
		typed     string
		want      []string // all of them, descriptions aside
		directive int
	}{
		{"fattree --lb ops,rep", []string{"ops,reps-legacy", "ops,reps", "ops,reps-exclude", "ops,reps-planes"}, noFiles | noSpace},
		{"fattree --lb reps,rep", []string{"reps,reps-legacy", "reps,reps-exclude", "reps,reps-planes"}, noFiles | noSpace},
		{"sweep fattree --workload allr", []string{"allreduce-ring", "allreduce-butterfly"}, noFiles | noSpace},
		{"fattree --list lb,c", []string{"lb,cc"}, noFiles | noSpace},
		{"fattree --failure s", []string{"switches="}, noFiles | noSpace},
		{"fattree --failure none|cables=1,at=5;s", []string{"none|cables=1,at=5;switches="}, noFiles | noSpace},
		{"fattree --hosts 1", nil, noFiles},
		{"fattree --flows p", nil, files},
		{"fattree --trace p", nil, files},
		{"evs --method m", []string{"multinomial"}, noFiles | noSpace},
		{"show r.jsonl --format l", []string{"latex"}, noFiles},
		{"plot r.jsonl --style s", []string{"slides"}, noFiles},
		{"sweep recycled --zip bins,thr", []string{"bins,threshold"}, noFiles | noSpace},
		{"compare r.jsonl r.jsonl --y rounds_m", []string{"rounds_mean", "rounds_max"}, noFiles | noSpace},
		{"plot r.jsonl --x bi", []string{"bins"}, noFiles},
		{"export r.jsonl --columns bins,thr", []string{"bins,threshold", "bins,threshold_expression"}, noFiles | noSpace},
		{"plot rows.csv --y max", []string{"max_load"}, noFiles},
		{"fattree --columns lb,max_f", []string{"lb,max_fct_us", "lb,max_fct_us_se", "lb,max_fct_us_lo", "lb,max_fct_us_hi", "lb,max_fct_us_spread"}, noFiles | noSpace},
		{"prove --step E1,C16", []string{"E1,C16"}, noFiles | noSpace},
		{"reproduce tab", []string{"tab01"}, noFiles},
		{"reproduce fig02 fig1", []string{"fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "fig16", "fig17", "fig18", "fig19"}, noFiles},
		{"serve --export x", nil, folders},
		{"man x", nil, folders},
		{"explain max_load_at_decision_p", []string{"max_load_at_decision_per_lnn", "max_load_at_decision_per_lnn_hi", "max_load_at_decision_per_lnn_lo"}, noFiles},
		{"help fat", []string{"fattree"}, noFiles},
		{"help sweep rec", []string{"recycled"}, noFiles},
	} {
		o := repslab(t, append([]string{"__complete"}, strings.Fields(c.typed)...)...)
		lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
		var got []string
		for _, line := range lines[:len(lines)-1] {
			name, _, described := strings.Cut(line, "\t")
			got = append(got, name)
			if described && strings.Contains(name, ",") {
				t.Errorf("%s: %q has a description, with which bash does not match its comma", c.typed, line)
			}
		}
		if !slices.Equal(got, c.want) || lines[len(lines)-1] != fmt.Sprint(":", c.directive) {
			t.Errorf("%s is completed to %q, %s, want %q, :%d", c.typed, got, lines[len(lines)-1], c.want, c.directive)
		}
	}
}

// TestHelpFits: the help of every command fits two screens, and its lines the terminal but for
// examples; --help-all has every flag and --help names those that it leaves out.
func TestHelpFits(t *testing.T) {
	const screens = 2 * 40
	root := newRoot(cases.All(), nil, nil)
	checkCompletion(root)
	eachCommand(root, func(cmd *cobra.Command) {
		brief, whole := helpText(cmd, false, 80), helpText(cmd, true, 80)
		if lines := strings.Count(brief, "\n"); lines > screens {
			t.Errorf("%s --help has %d lines, at most %d: mark a rare flag as Seldom, or move help below More", cmd.CommandPath(), lines, screens)
		}
		for line := range strings.Lines(whole + brief + helpText(cmd, true, 60)) {
			if utf8.RuneCountInString(line) > 81 && !strings.Contains(cmd.Example, strings.TrimSpace(line)) {
				t.Errorf("%s --help has a line of %d characters: %s", cmd.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if name := "--" + flag.Name; !strings.Contains(whole, name+" ") || !strings.Contains(brief, name) {
				t.Errorf("the help of %s lacks %s", cmd.CommandPath(), name)
			}
			if kind, _ := pflag.UnquoteUsage(flag); strings.HasPrefix(kind, "string") {
				t.Errorf("%s --%s has no kind of values", cmd.CommandPath(), flag.Name)
			}
		})
	})
}

// TestHelpOfFlags: flags are in groups, with their kind of values and their default in one form.
func TestHelpOfFlags(t *testing.T) {
	for args, want := range map[string][]string{
		"fattree -h": {"\nLoad balancer:\n  --lb names ", "\nEstimation:\n", "--tiers ints ", "(default 2)\n", "--message-bytes sizes",
			"(default one BDP)\n", "\n  --groups groups ", "--ring", "\n--help-all explains more"},
		"help sweep evs":      {"\nParameters:\n  --flows ints ", "\nRunning:\n  -o, --output FILE "},
		"show --help":         {"\nFlags:\n"},
		"fattree --help-all":  {"  --kmin ints ", "  permutation            random, a new one for each replica"},
		"recycled --help-all": {"(default 4*ln(n), the theorem's)\n", "  --threshold formulas "},
	} {
		o := repslab(t, strings.Fields(args)...)
		for _, w := range want {
			if o.code != exitDone || !strings.Contains(o.stdout, w) {
				t.Errorf("%s: code %d, lacks %q:\n%s", args, o.code, w, o.stdout)
			}
		}
	}
}

// TestWrap: words go to the next line, entries of lists keep their column, and longer words stay
// whole.
func TestWrap(t *testing.T) {
	const text = "one two three four\nfive:\n  six    seven eight nine\n         ten\n  eleven\n\ntwelve-thirteen-fourteen x"
	const want = "one two three\nfour five:\n  six    seven\n         eight\n         nine\n         ten\n  eleven\n\n" +
		"twelve-thirteen-fourteen\nx"
	if got := console.Wrap(text, 15); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestManual: a page for each command, the same each time.
func TestManual(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b"} {
		if o := repslab(t, "man", dir); o.code != exitDone || o.stdout+o.stderr != "" {
			t.Fatalf("%+v", o)
		}
	}
	for name, want := range map[string]string{"repslab.1": "packet spraying", "repslab-sweep-recycled.1": "colors-per-bin", "repslab-merge.1": "salvage"} {
		page := fileBytes(t, filepath.Join("a", name))
		if !bytes.Contains(page, []byte(want)) || !bytes.Equal(page, fileBytes(t, filepath.Join("b", name))) {
			t.Errorf("%s lacks %q or differs from time to time", name, want)
		}
	}
	for _, args := range [][]string{{"man"}, {"man", "a/repslab.1"}} {
		if o := repslab(t, args...); o.code != exitUsage {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// TestPlainInPipes: where the output is no terminal there is neither progress nor
// colour, with NO_COLOR and without.
func TestPlainInPipes(t *testing.T) {
	dir := t.TempDir()
	for i, variable := range []string{"NO_COLOR=1", "TERM=xterm-256color"} {
		path := filepath.Join(dir, fmt.Sprint(i))
		sweep := child("sweep", "recycled", "--bins", "8", "--replicas", "100", "-o", path)
		show := child("show", path)
		for _, cmd := range []*exec.Cmd{sweep, show} {
			cmd.Env = append(cmd.Env, variable)
			out, err := cmd.CombinedOutput()
			if err != nil || bytes.ContainsAny(out, "\x1b\r") {
				t.Errorf("%s: %v, %q", variable, err, out)
			}
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range []string{"", "help", "--help", "help recycled", "recycled --help", "reproduce --help"} {
		if o := repslab(t, strings.Fields(args)...); o.code != exitDone || !strings.Contains(o.stdout, "repslab") || o.stderr != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q", args, o.code, o.stdout, o.stderr)
		}
	}
	if o := repslab(t, "version"); o.code != exitDone || !strings.HasPrefix(o.stdout, "repslab "+param.Version) || strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("version: %+v", o)
	}
}

// TestExamplesRun runs the first and every other example of each help text with few replicas, short traces and
// messages, and low precision; every example with REPSLAB_LONG=1. TestDocumentsShowRealOutput runs whole commands.
func TestExamplesRun(t *testing.T) {
	inputs := map[string]string{}
	for name, from := range map[string]string{"permutation.cm": "perm_n128_s8388608.cm", "tree.topo": "fat_tree_128_1os_2t_400g.topo"} {
		path, err := filepath.Abs("../../fattree/traffic/testdata/" + from)
		if err != nil {
			t.Fatal(err)
		}
		inputs[name] = path
	}
	for _, cmd := range newRoot(cases.All(), nil, nil).Commands() {
		for i, line := range slices.Collect(strings.Lines(cmd.Example)) {
			if i%2 == 1 && os.Getenv("REPSLAB_LONG") == "" {
				continue
			}
			args := words(line)[1:]
			t.Chdir(t.TempDir())
			switch cmd.Name() {
			case "reproduce":
				args = []string{"reproduce", "tab01", "--quiet"}
			case "prove":
				if len(args) == 1 {
					args = append(args, "--step", "L1")
				}
				args = replace(args, "--bins", "16..300")
			case "fattree":
				for name, path := range inputs {
					copyFile(t, path, name)
				}
				args = replace(withReplicas(args), "--duration-us", "5", "--message-bytes", "16KiB")
			case "workload":
				if args[0] == "plot" {
					args = withFiles(t, args)
				} else {
					args = replace(withReplicas(args), "--message-bytes", "16KiB")
				}
			case "advise":
				args = append(withReplicas(args), "--message-bytes", "64KiB")
			case "merge", "show", "export", "plot", "compare", "view":
				args = withFiles(t, args)
			case "serve": // the others serve until they are interrupted; --export compiles, as a test of live does
				if !slices.Contains(args, "--export") || os.Getenv("REPSLAB_LONG") == "" {
					continue
				}
			case "man", "vectors", "version", "explain", "schedule":
				args = replaceHome(args, t.TempDir())
				if args[0] == "completion" { // redirected
					args = args[:2]
				}
			case "sweep":
				if slices.Contains(args, "fattree") && !slices.Contains(args, "--message-bytes") {
					args = append(args, "--message-bytes", "")
				}
				args = replace(args, "--replicas", "2", "--max-replicas", "64", "--message-bytes", "16KiB")
			case "ballsbins":
				args = replace(withReplicas(args), "--precision", "0.5", "--exceeds", "12,16")
			default:
				args = replace(withReplicas(args), "--precision", "0.5")
			}
			if o := repslab(t, args...); o.code != exitDone {
				t.Errorf("%v: code %d, stderr %q", args, o.code, o.stderr)
			}
		}
	}
}

// replaceHome replaces the home folder.
func replaceHome(args []string, home string) []string {
	for i, a := range args {
		args[i] = strings.Replace(a, "~", home, 1)
	}
	return args
}

// replace replaces the values of flags that are given.
func replace(args []string, values ...string) []string {
	for i := 0; i < len(values); i += 2 {
		if k := slices.Index(args, values[i]); k >= 0 {
			args[k+1] = values[i+1]
		}
	}
	return args
}

// withReplicas returns arguments with two replicas.
func withReplicas(args []string) []string {
	if !slices.Contains(args, "--replicas") {
		args = append(args, "--replicas", "2")
	}
	return replace(args, "--replicas", "2")
}

// withFiles makes the result files that an example reads and expands its patterns.
func withFiles(t *testing.T, args []string) []string {
	t.Helper()
	small := func(threshold string, args ...string) { // high ones, without a limit law, which takes time
		t.Helper()
		o := repslab(t, append([]string{"sweep", "recycled", "--bins", "8,16", "--threshold", threshold, "--replicas", "8"}, args...)...)
		if o.code != exitDone {
			t.Fatalf("%v: %+v", args, o)
		}
	}
	var expanded []string
	output := slices.Index(args, "-o") + 1
	for i, arg := range args {
		switch {
		case arg == "events.csv":
			if o := repslab(t, strings.Fields("fattree --hosts 8 --message-bytes 10kB --replicas 1 --events events.csv")...); o.code != exitDone {
				t.Fatalf("%+v", o)
			}
		case i == output && output > 0 || !strings.Contains(arg, ".jsonl"):
		case strings.Contains(arg, "*-of-8"):
			for k := range 8 {
				small("2*n", "-o", "r.jsonl", "--shard", fmt.Sprintf("%d/8", k+1))
			}
			found, err := filepath.Glob(arg)
			if err != nil || len(found) != 8 {
				t.Fatalf("%v, error %v", found, err)
			}
			expanded = append(expanded, found...)
			continue
		case arg == "f.jsonl":
			if o := repslab(t, strings.Fields("sweep fattree --hosts 8 --message-bytes 10kB --lb ops,reps --replicas 2 -o f.jsonl")...); o.code != exitDone {
				t.Fatalf("%+v", o)
			}
		case arg == "mix.jsonl":
			if o := repslab(t, "sweep", "fattree", "--hosts=16", "--workload=permutation: bytes=10kB; tornado: bytes=20kB", "--lb=ops,reps", "-o=mix.jsonl"); o.code != exitDone {
				t.Fatalf("%+v", o)
			}
		case arg == "loose.jsonl":
			small("8*ln(n)", "-o", arg)
		default:
			small("2*n", "-o", arg)
		}
		expanded = append(expanded, arg)
	}
	return expanded
}
