package crosscheck

import (
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
	"testing"
)

// apart names the folders whose packages nobody outside this module is meant to import.
var apart = []string{"internal", "cmd", "tools", "notebooks", "examples"}

// public says whether a package is meant for other modules, by its path below this one.
func public(name string) bool {
	return !slices.ContainsFunc(apart, func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// listedPackage is a package as go list -export shows it.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
}

// exported returns the packages of some patterns with their dependencies, and an importer of
// them.
func exported(t *testing.T, patterns ...string) ([]listedPackage, types.Importer) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	files := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages, files[p.ImportPath] = append(packages, p), p.Export
	}
	return packages, importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// leaks collects the types of internal packages that an exported declaration shows.
type leaks struct {
	found []string
	seen  map[types.Type]bool
}

// declaration looks at an exported object of a package.
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

// contents looks at what a defined type shows: what it consists of, and its methods.
func (l *leaks) contents(name string, t *types.Named) {
	l.seen[t] = true
	l.look(name, t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			l.look(name+"."+m.Name(), m.Type())
		}
	}
}

// parameters looks at the constraints of type parameters.
func (l *leaks) parameters(name string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		l.look(name+"["+p.Obj().Name()+"]", p.Constraint())
	}
}

// look looks at a type that the declaration of a name shows.
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
			l.contents(name, t) // nobody else does
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

// named looks at a type that is shown by its name.
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

// internalTypes returns the exported declarations of a package that show a type of a package
// that others may not, or are not meant to, import.
func internalTypes(p *types.Package) []string {
	var l leaks
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			l.declaration(o)
		}
	}
	return l.found
}

// TestNoInternalTypes: what a public package exports can be used, named and stored by another
// module, as all types in it are of public packages.
func TestNoInternalTypes(t *testing.T) {
	packages, from := exported(t, "./...")
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
			t.Errorf("another module cannot use %s", leak)
		}
	}
	if checked < 12 {
		t.Errorf("%d packages were checked, want 12 or more", checked)
	}
}

// TestInternalTypesAreFound: in every kind of declaration.
func TestInternalTypesAreFound(t *testing.T) {
	const path = "leaks" // not below internal
	_, from := exported(t, "./internal/bins", "./internal/values")
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "internal/crosscheck/testdata/leaks/leaks.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: from}).Check(module+"/"+path, files, []*ast.File{file}, nil)
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
