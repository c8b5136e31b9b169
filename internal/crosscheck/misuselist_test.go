package crosscheck

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exportsFile holds [exports].
const exportsFile = "internal/crosscheck/exports_test.go"

// export is an exported function, type or constant.
type export struct {
	name  string
	value any
}

// publicFolders returns the folders of the packages that other modules may import, in order.
func publicFolders(t *testing.T) (folders []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || name == "." {
			return err
		}
		if !public(name) || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if files, err := filepath.Glob(name + "/*.go"); err != nil || len(files) > 0 {
			folders = append(folders, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// declarations returns the declarations of a package, tests apart.
func declarations(t *testing.T, folder string) (all []ast.Decl) {
	t.Helper()
	names, err := filepath.Glob(folder + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file.Decls...)
	}
	return all
}

// exportsOf returns the lines of [exports] for a package: its functions, types and constants with a type of
// the package. Generic declarations have no value; [instances] has some of theirs.
func exportsOf(t *testing.T, folder string) (lines []string) {
	t.Helper()
	own := filepath.Base(folder)
	add := func(name, value string) { lines = append(lines, fmt.Sprintf("{%q, %s},", folder+"."+name, value)) }
	for _, d := range declarations(t, folder) {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
			value := own + "." + f.Name.Name
			if f.Type.TypeParams != nil {
				value = "nil"
			}
			add(f.Name.Name, value)
		}
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		var constant ast.Expr // type of the group's constants
		for _, s := range group.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				value := "reflect.TypeFor[" + own + "." + s.Name.Name + "]()"
				if s.TypeParams != nil {
					value = "nil"
				}
				if s.Name.IsExported() {
					add(s.Name.Name, value)
				}
			case *ast.ValueSpec:
				if s.Type != nil || len(s.Values) > 0 {
					constant = s.Type
				}
				if typeName, ok := constant.(*ast.Ident); ok && typeName.IsExported() && group.Tok == token.CONST && s.Names[0].IsExported() {
					add(s.Names[0].Name, own+"."+s.Names[0].Name)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// TestExportsAreListed: [exports] has every exported declaration of the public packages; -update writes it.
func TestExportsAreListed(t *testing.T) {
	var imports, entries strings.Builder
	for _, folder := range publicFolders(t) {
		fmt.Fprintf(&imports, "%q\n", module+"/"+folder)
		column := 0
		for _, entry := range exportsOf(t, folder) {
			if column += len(entry) + 1; column > 110 {
				entries.WriteByte('\n')
				column = len(entry)
			}
			entries.WriteString(entry + " ")
		}
		entries.WriteByte('\n')
	}
	want, err := format.Source(fmt.Appendf(nil, `package crosscheck

import (
	"reflect"

%s)

// exports lists the exported functions, types and constants of the public packages with their values; generic
// ones have none. TestExportsAreListed writes it.
var exports = []export{
%s}
`, imports.String(), entries.String()))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(exportsFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(exportsFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not list all exports (%v): write it by -update", exportsFile, err)
	}
}
