// Command rename-module gives this repository's modules another path, for a fork that is
// published and imported elsewhere:
//
//	cd tools && go run ./rename-module example.org/me/repslab
//
// It changes the go.mod files, the import paths of Go files, of notebooks and of Go code in
// documents, and the commands that name the module. The program is still called repslab.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// modulePath matches module paths that any server accepts.
var modulePath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// moduleLine matches the line of a go.mod file that names its module.
var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

func main() {
	if len(os.Args) != 2 || !modulePath.MatchString(os.Args[1]) {
		fmt.Fprintf(os.Stderr, "rename-module: error: arguments %q must be one module path, such as example.org/me/repslab\n", os.Args[1:])
		os.Exit(2)
	}
	changed, err := rename("..", os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "rename-module: error: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%d files changed\n", changed)
}

// rename gives the modules in a folder another path and returns the number of changed files.
// All files are read before the first is written.
func rename(root, to string) (changed int, err error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, fmt.Errorf("run it in the folder tools: %w", err)
	}
	name := moduleLine.FindSubmatch(mod)
	if name == nil {
		return 0, errors.New("go.mod has no module line")
	}
	edits := editsFrom(string(name[1]))
	files := map[string]string{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || path == filepath.Join(root, "out")):
			return fs.SkipDir
		}
		kind := filepath.Ext(path)
		if edits[kind] == nil || !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		text := string(data)
		for _, e := range edits[kind] {
			text = e.ReplaceAllString(text, "${1}"+to+"${2}")
		}
		if text != string(data) {
			files[path] = text
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// editsFrom returns, by file extension, patterns of a module's path with the text around it,
// which stays.
func editsFrom(old string) map[string][]*regexp.Regexp {
	old = regexp.QuoteMeta(old)
	below := regexp.MustCompile(`(["=])` + old + `(/)`)                                              // "repslab/mc", -coverpkg=repslab/mc
	alone := regexp.MustCompile(`(?m)^(\s*(?:import )?(?:[\w.]+ )?")` + old + `("\r?)$`)             // import "repslab"
	command := regexp.MustCompile(`\b((?:require|replace)[ =])` + old + `(@|=|/|\s)`)                // go mod edit -replace repslab=...
	directive := regexp.MustCompile(`(?m)((?:^|^module |^require |^replace |^\t))` + old + `(/|\s)`) // lines of go.mod
	return map[string][]*regexp.Regexp{
		".go":    {below, alone, command},
		".md":    {below, alone, command},
		".ipynb": {below, command},
		".mod":   {directive},
	}
}
