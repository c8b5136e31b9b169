package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCompletionAndHelp: the shell completion scripts exist and complete, and every
// command has an example.
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
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Name() != "help" && c.Name() != "completion" && !strings.Contains(c.Example, c.CommandPath()) {
				t.Errorf("%s has no example", c.CommandPath())
			}
			visit(c)
		}
	}
	visit(newRoot(models(), nil, nil))
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
	if o := repslab(t, "version"); o.code != exitDone || !strings.HasPrefix(o.stdout, "repslab "+version) || strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("version: %+v", o)
	}
}

// TestExamplesRun runs every example of the help texts with few replicas and short traces.
func TestExamplesRun(t *testing.T) {
	inputs := map[string]string{}
	for name, from := range map[string]string{"permutation.cm": "perm_n128_s8388608.cm", "tree.topo": "fat_tree_128_1os_2t_400g.topo"} {
		path, err := filepath.Abs("../../fattree/traffic/testdata/" + from)
		if err != nil {
			t.Fatal(err)
		}
		inputs[name] = path
	}
	for _, cmd := range newRoot(models(), nil, nil).Commands() {
		for line := range strings.Lines(cmd.Example) {
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))[1:]
			t.Chdir(t.TempDir())
			switch cmd.Name() {
			case "reproduce":
				args = []string{"reproduce", "tab01", "--quiet"}
			case "prove":
				if len(args) == 1 {
					args = append(args, "--step", "L1")
				}
			case "fattree":
				for name, path := range inputs {
					copyFile(t, path, name)
				}
				args = append(args, "--replicas", "2")
				if slices.Contains(args, "--duration-us") { // the last one counts
					args = append(args, "--duration-us", "100")
				}
			case "merge", "show", "export", "plot", "compare":
				args = withFiles(t, args)
			case "serve": // the others serve until they are interrupted
				if !slices.Contains(args, "--export") {
					continue
				}
			case "man", "vectors", "version", "explain":
				args = replaceHome(args, t.TempDir())
				if args[0] == "completion" { // redirected
					args = args[:2]
				}
			case "sweep":
				if strings.Contains(line, "slurm") { // TestSlurm runs these
					continue
				}
				args = replace(args, "--replicas", "2", "--max-replicas", "64")
			default:
				args = append(args, "--replicas", "2")
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

// withFiles makes the result files that an example reads and expands its patterns.
func withFiles(t *testing.T, args []string) []string {
	t.Helper()
	small := func(args ...string) {
		t.Helper()
		if o := repslab(t, append([]string{"sweep", "recycled", "--bins", "8,16", "--replicas", "8"}, args...)...); o.code != exitDone {
			t.Fatalf("%v: %+v", args, o)
		}
	}
	var expanded []string
	output := slices.Index(args, "-o") + 1
	for i, arg := range args {
		switch {
		case i == output && output > 0 || !strings.Contains(arg, ".jsonl"):
		case strings.Contains(arg, "*-of-8"):
			for k := range 8 {
				small("-o", "r.jsonl", "--shard", fmt.Sprintf("%d/8", k+1))
			}
			found, err := filepath.Glob(arg)
			if err != nil || len(found) != 8 {
				t.Fatalf("%v, error %v", found, err)
			}
			expanded = append(expanded, found...)
			continue
		case arg == "loose.jsonl":
			small("-o", arg, "--threshold", "8*ln(n)")
		default:
			small("-o", arg)
		}
		expanded = append(expanded, arg)
	}
	return expanded
}
