package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/cases"
)

// textsOfProgram returns the help texts and the string literals of the packages that speak to users, by file: errors,
// warnings, and what advise and explain print.
func textsOfProgram(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range []string{"../../cmd/repslab", "../../internal", "../../fattree"} {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || strings.HasSuffix(name, "_test.go"):
				return err
			case strings.HasSuffix(name, ".txt") && strings.Contains(name, "/help/"):
				text, err := os.ReadFile(name)
				texts[name] = string(text)
				return err
			case !strings.HasSuffix(name, ".go") || strings.Contains(name, "/slurm/"): // a script has flags of Slurm
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Fatal(err)
					}
					texts[name] += text + "\n"
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// flagsOf returns the flags of a command and of all commands below it.
func flagsOf(cmd *cobra.Command) map[string]bool {
	all := map[string]bool{"help": true}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
	}
	for _, below := range cmd.Commands() {
		maps.Copy(all, flagsOf(below))
	}
	return all
}

// TestNamesExist: each flag, command and topic of explain that a help text, an error, a warning or advice names exists.
func TestNamesExist(t *testing.T) {
	root := newRoot(cases.All(), nil, nil)
	flags, checked := flagsOf(root), map[string]int{}
	maps.Copy(flags, map[string]bool{"tie": true, "log": true}) // another name of --zip, and the beginning of --log-x
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	flag := regexp.MustCompile(`(?:^|[^-\w])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)`)
	command := regexp.MustCompile(`(?:^|[ \x60'"(])repslab ((?:schedule )?[a-z]+)(?: ([a-z_0-9]+))?`)
	for name, text := range textsOfProgram(t) {
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			if checked["flags"]++; !flags[m[1]] {
				t.Errorf("%s: there is no flag --%s", name, m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			if m[1] == "help" {
				words = []string{m[2]}
			}
			cmd, _, err := root.Find(words)
			if checked["commands"]++; err != nil || cmd == root {
				t.Errorf("%s: there is no command %q", name, m[1])
				continue
			}
			if m[1] == "explain" && m[2] != "" && m[2] != "lists" { // repslab explain lists them
				if checked["topics"]++; repslab(t, "explain", m[2]).code != exitDone {
					t.Errorf("%s: there is no topic %q", name, m[2])
				}
			}
		}
	}
	if checked["flags"] < 300 || checked["commands"] < 30 || checked["topics"] < 1 {
		t.Errorf("too few names: %v", checked)
	}
}
