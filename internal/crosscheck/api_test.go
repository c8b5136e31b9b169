package crosscheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// apart names the folders whose packages are not meant for other modules.
var apart = []string{"internal", "cmd", "tools", "notebooks", "examples"}

// public reports whether a package, by its path in this module, is meant for other modules.
func public(name string) bool {
	return !slices.ContainsFunc(apart, func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// listedPackage is a package as go list -export shows it.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
}

// listAll returns the packages of this module with their dependencies, compiled.
var listAll = sync.OnceValues(func() ([]listedPackage, error) { return list(".", "-export", "./...") })

// list returns the packages of go list's arguments with their dependencies, these first.
func list(dir string, arguments ...string) ([]listedPackage, error) {
	fields := "-json=ImportPath,Dir,Export,GoFiles,CgoFiles"
	cmd := exec.Command("go", append([]string{"list", "-deps", fields}, arguments...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// exported returns the packages of this module with their dependencies, and an importer
// of them.
func exported(t *testing.T) ([]listedPackage, types.Importer) {
	t.Helper()
	packages, err := listAll()
	if err != nil {
		t.Fatal(err)
	}
	return packages, importerOf(packages)
}

// importerOf returns an importer of compiled packages.
func importerOf(packages []listedPackage) types.Importer {
	files := map[string]string{}
	for _, p := range packages {
		files[p.ImportPath] = p.Export
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open)
}

// leaks collects the internal types in exported declarations.
type leaks struct {
	found []string
	seen  map[types.Type]bool
}

// declaration checks an exported object of a package.
func (l *leaks) declaration(o types.Object) {
	l.seen = map[types.Type]bool{}
	name := o.Pkg().Path() + "." + o.Name()
	typeName, isType := o.(*types.TypeName)
	if !isType {
		l.look(name, o.Type())
		return
	}
	switch t := o.Type().(type) {
	case *types.Alias:
		l.look(name, t.Rhs())
	case *types.Named:
		l.parameters(name, t.TypeParams())
		l.contents(name, t)
	default:
		panic(fmt.Sprintf("%v is neither an alias nor a defined type", typeName))
	}
}

// contents checks the underlying type and the exported methods of a defined type.
func (l *leaks) contents(name string, t *types.Named) {
	l.seen[t] = true
	l.look(name, t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			l.look(name+"."+m.Name(), m.Type())
		}
	}
}

// parameters checks the constraints of type parameters.
func (l *leaks) parameters(name string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		l.look(name+"["+p.Obj().Name()+"]", p.Constraint())
	}
}

// look checks a type in the declaration of a name.
func (l *leaks) look(name string, t types.Type) {
	if l.seen[t] {
		return
	}
	l.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		l.named(name, t.Obj(), t.TypeArgs())
		l.look(name, t.Rhs())
	case *types.Named:
		l.named(name, t.Obj(), t.TypeArgs())
		if ours, ok := within(pathOf(t.Obj())); ok && public(ours) && !t.Obj().Exported() {
			l.contents(name, t) // its own declaration is not checked
		}
	case *types.Signature:
		l.parameters(name, t.TypeParams())
		for v := range t.Params().Variables() {
			l.look(name, v.Type())
		}
		for v := range t.Results().Variables() {
			l.look(name, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				l.look(name+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			l.look(name+"."+m.Name(), m.Type())
		}
		for e := range t.EmbeddedTypes() {
			l.look(name, e)
		}
	case *types.Union:
		for term := range t.Terms() {
			l.look(name, term.Type())
		}
	case *types.Map:
		l.look(name, t.Key())
		l.look(name, t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		l.look(name, t.Elem())
	}
}

// named checks a named type and its type arguments.
func (l *leaks) named(name string, o *types.TypeName, arguments *types.TypeList) {
	if ours, ok := within(pathOf(o)); ok && !public(ours) {
		l.found = append(l.found, fmt.Sprintf("%s: %s.%s", name, pathOf(o), o.Name()))
	}
	for a := range arguments.Types() {
		l.look(name, a)
	}
}

// pathOf returns the path of an object's package; it is empty for error and comparable.
func pathOf(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	return o.Pkg().Path()
}

// internalTypes returns the exported declarations of a package that use a type of a package
// not meant for other modules.
func internalTypes(p *types.Package) []string {
	var l leaks
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			l.declaration(o)
		}
	}
	return l.found
}

// TestNoInternalTypes: exported declarations of public packages use types of public packages
// only, so other modules can name and store all of them. It needs REPSLAB_LONG=1.
func TestNoInternalTypes(t *testing.T) {
	needsLong(t)
	packages, from := exported(t)
	checked := 0
	for _, p := range packages {
		ours, ok := within(p.ImportPath)
		if !ok || !public(ours) {
			continue
		}
		checked++
		pkg, err := from.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, leak := range internalTypes(pkg) {
			t.Errorf("internal type in an exported declaration: %s", leak)
		}
	}
	if checked < 12 {
		t.Errorf("%d packages were checked, want 12 or more", checked)
	}
}

// TestInternalTypesAreFound checks that internal types are found in every kind of declaration.
func TestInternalTypesAreFound(t *testing.T) {
	const path = "leaks" // not below internal
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "internal/crosscheck/testdata/leaks/leaks.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-export"}
	for _, needed := range file.Imports {
		arguments = append(arguments, strings.Trim(needed.Path.Value, `"`))
	}
	packages, err := list(".", arguments...)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importerOf(packages)}).Check(module+"/"+path, files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, leak := range internalTypes(pkg) {
		leak = strings.ReplaceAll(leak, module+"/", "")
		got = append(got, strings.TrimPrefix(leak, path+"."))
	}
	want := []string{
		"Config.Range.Inner: internal/values.IntRange", "Config.Rings: internal/bins.Rings", "Config.Ring: internal/bins.Lockstep",
		"Instance.Sets: internal/bins.Lockstep", "New.Wheel: internal/bins.Lockstep",
		"Parse: internal/values.IntRange", "Parse: internal/values.Expr",
		"Ports: internal/bins.Ports", "Queues: internal/bins.Queues",
		"Set[V]: internal/values.IntRange", "Source.Wheel: internal/bins.Lockstep",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
