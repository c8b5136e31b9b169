package crosscheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// uses is the graph of declarations that use each other. A declaration is named by the path
// of its package, its type if it is a field or a method, and its name.
type uses struct {
	edges    map[string][]string
	roots    []string                // used by programs, figures and examples
	exported map[string]bool         // of public packages
	hidden   [][]string              // methods of interfaces, by name
	names    map[types.Object]string // of fields and methods, by the packages known so far
	known    map[*types.Package]bool
}

// name returns the name of an object, or false for a local one or one of another module.
func (u *uses) name(o types.Object) (string, bool) {
	if o == nil || o.Pkg() == nil {
		return "", false
	}
	if _, ours := within(o.Pkg().Path()); !ours {
		return "", false
	}
	switch v := o.(type) {
	case *types.Func:
		o = v.Origin()
	case *types.Var:
		o = v.Origin()
	}
	u.know(o.Pkg())
	if name, ok := u.names[o]; ok {
		return name, true
	}
	return o.Pkg().Path() + "." + o.Name(), o.Parent() == o.Pkg().Scope()
}

// know records the fields and methods of the types of a package.
func (u *uses) know(p *types.Package) {
	if u.known[p] {
		return
	}
	u.known[p] = true
	for _, name := range p.Scope().Names() {
		o, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || o.IsAlias() {
			continue
		}
		name = p.Path() + "." + name
		for m := range o.Type().(*types.Named).Methods() {
			u.names[m] = name + "." + m.Name()
		}
		switch t := o.Type().Underlying().(type) {
		case *types.Struct:
			for f := range t.Fields() {
				u.names[f] = name + "." + f.Name()
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				u.names[m] = name + "." + m.Name()
			}
		}
	}
}

// use records the declarations that a piece of code, the declaration of a name, uses.
func (u *uses) use(name string, code ast.Node, info *types.Info) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if other, ok := u.name(info.Uses[n]); ok {
				u.edges[name] = append(u.edges[name], other)
			}
		case *ast.CompositeLit:
			t, ok := info.TypeOf(n).Underlying().(*types.Struct)
			if _, keyed := first(n.Elts).(*ast.KeyValueExpr); !ok || keyed || len(n.Elts) == 0 {
				break
			}
			for f := range t.Fields() {
				if other, ok := u.name(f); ok {
					u.edges[name] = append(u.edges[name], other)
				}
			}
		}
		return true
	})
}

func first(list []ast.Expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// typeCheck parses the files of a package, tests apart, and checks their types; info may be
// nil.
func typeCheck(t *testing.T, p listedPackage, from types.Importer, info *types.Info) (*types.Package, []*ast.File) {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	pkg, err := (&types.Config{Importer: from, FakeImportC: true}).Check(p.ImportPath, files, parsed, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, parsed
}

// read adds a package of this module and returns it, its unexported types included. All code of a package that is not
// public is a root.
func (u *uses) read(t *testing.T, p listedPackage, from types.Importer) *types.Package {
	t.Helper()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, parsed := typeCheck(t, p, from, info)
	for _, tv := range info.Types {
		if i, ok := tv.Type.(*types.Interface); ok && tv.IsType() && i.NumMethods() > 0 {
			var names []string
			for m := range i.Methods() {
				names = append(names, m.Name())
			}
			u.hidden = append(u.hidden, names)
		}
	}
	ours, _ := within(p.ImportPath)
	if !public(ours) {
		u.roots = append(u.roots, p.ImportPath)
		for _, file := range parsed {
			u.use(p.ImportPath, file, info)
		}
		return pkg
	}
	for _, file := range parsed {
		for _, d := range file.Decls {
			u.declare(d, pkg, info)
		}
	}
	return pkg
}

// declare adds a declaration of a public package. Blank variables use nothing: they only
// assert that a type has methods.
func (u *uses) declare(d ast.Decl, pkg *types.Package, info *types.Info) {
	define := func(id *ast.Ident, code ast.Node) {
		if name, ok := u.name(info.Defs[id]); ok {
			u.use(name, code, info)
			if receiver, _, isMember := strings.Cut(strings.TrimPrefix(name, pkg.Path()+"."), "."); id.IsExported() && (!isMember || token.IsExported(receiver)) {
				u.exported[name] = true
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "init" {
			u.roots = append(u.roots, pkg.Path()+".init")
			u.use(pkg.Path()+".init", d, info)
			return
		}
		define(d.Name, d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				define(s.Name, s)
				fields, ok := s.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, id := range f.Names {
						define(id, f.Type)
					}
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					define(id, s)
				}
			}
		}
	}
}

// dynamicCalls lets every type use its methods that satisfy an interface, since the calls
// are only known at run time. Unexported interfaces are compared by the names of their
// methods.
func (u *uses) dynamicCalls(all []*types.Package) {
	interfaces := []*types.Interface{types.Universe.Lookup("error").Type().Underlying().(*types.Interface)}
	for _, p := range all {
		for _, o := range declared(p) {
			if i, ok := o.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 && i.IsMethodSet() {
				interfaces = append(interfaces, i)
			}
		}
	}
	for _, p := range all {
		if _, ok := within(p.Path()); !ok {
			continue
		}
		for _, o := range declared(p) {
			u.dynamicCallsOf(o, interfaces)
		}
	}
}

// dynamicCallsOf is dynamicCalls of one type.
func (u *uses) dynamicCallsOf(o *types.TypeName, interfaces []*types.Interface) {
	if types.IsInterface(o.Type()) {
		return
	}
	pointer, typeName := types.NewPointer(o.Type()), o.Pkg().Path()+"."+o.Name()
	methods := map[string]string{}
	for m := range types.NewMethodSet(pointer).Methods() {
		if name, ok := u.name(m.Obj()); ok {
			methods[m.Obj().Name()] = name
		}
	}
	for _, i := range interfaces {
		if types.Implements(pointer, i) {
			for m := range i.Methods() {
				u.edges[typeName] = append(u.edges[typeName], methods[m.Name()])
			}
		}
	}
	for _, names := range u.hidden {
		if !slices.ContainsFunc(names, func(name string) bool { return methods[name] == "" }) {
			for _, name := range names {
				u.edges[typeName] = append(u.edges[typeName], methods[name])
			}
		}
	}
}

// declared returns the types of a package, without aliases.
func declared(pkg *types.Package) (all []*types.TypeName) {
	for _, name := range pkg.Scope().Names() {
		o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || o.IsAlias() {
			continue
		}
		if _, ok := o.Type().(*types.Named); ok { // not unsafe.Pointer
			all = append(all, o)
		}
	}
	return all
}

// readText adds the text of an example or a notebook as a root. It uses the declarations of
// packages that it names, and every method or field with one of its names.
func (u *uses) readText(name, text string, packages []string) {
	u.roots = append(u.roots, name)
	text = regexp.MustCompile(`(?m)^\s*//.*`).ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(\w+)?\.([A-Z]\w*)|\b([A-Z]\w*):`).FindAllStringSubmatch(text, -1) {
		for _, p := range packages {
			if m[1] != "" && filepath.Base(p) == m[1] {
				u.edges[name] = append(u.edges[name], p+"."+m[2])
			}
		}
		for member := range u.exported {
			if parts := strings.Split(member[strings.LastIndex(member, "/")+1:], "."); len(parts) == 3 && parts[2] == m[2]+m[3] {
				u.edges[name] = append(u.edges[name], member)
			}
		}
	}
}

// reached returns all declarations that the roots use, directly or not.
func (u *uses) reached() map[string]bool {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if !seen[name] {
			seen[name] = true
			for _, other := range u.edges[name] {
				visit(other)
			}
		}
	}
	for _, r := range u.roots {
		visit(r)
	}
	return seen
}

// unreached returns the exported declarations that no root uses.
func (u *uses) unreached() (names []string) {
	reached := u.reached()
	for _, name := range slices.Sorted(maps.Keys(u.exported)) {
		if !reached[name] {
			names = append(names, strings.TrimPrefix(name, module+"/"))
		}
	}
	return names
}

// readModule adds all packages of this module and returns their paths.
func (u *uses) readModule(t *testing.T) (ours []string) {
	t.Helper()
	packages, from := exported(t)
	var all []*types.Package
	for _, p := range packages {
		if p.ImportPath == "unsafe" {
			continue
		}
		pkg, err := from.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pkg)
		if _, ok := within(p.ImportPath); ok {
			ours = append(ours, p.ImportPath)
			all = append(all, u.read(t, p, from))
		}
	}
	u.dynamicCalls(all)
	return ours
}

// readExamples adds the Example functions, the programs in examples/ and the notebooks.
func (u *uses) readExamples(t *testing.T, ours []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		base, test := filepath.Base(name), strings.HasSuffix(name, "_test.go")
		program := strings.HasPrefix(name, "examples/") && filepath.Ext(name) == ".go" && !test
		if !program && !(test && strings.HasPrefix(base, "example")) && filepath.Ext(name) != ".ipynb" {
			return nil
		}
		text, err := os.ReadFile(name)
		u.readText(name, string(text), ours)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsForTestsAlone: every exported declaration of a public package is used by a
// command, a figure, an example or a notebook, directly or indirectly. The search is
// checked with declarations that only examples use. It needs REPSLAB_LONG=1.
func TestNothingIsForTestsAlone(t *testing.T) {
	needsLong(t)
	u := uses{edges: map[string][]string{}, exported: map[string]bool{}, names: map[types.Object]string{}, known: map[*types.Package]bool{}}
	ours := u.readModule(t)
	if len(u.exported) < 1000 {
		t.Errorf("%d exported declarations were found, want 1000 or more", len(u.exported))
	}
	found := u.unreached()
	for _, want := range []string{"ballsbins.Brownian.MeanMax", "recycled.RingSender.Ring", "reps.FIFO.Exploring"} {
		if !slices.Contains(found, want) {
			t.Errorf("without examples, %s must be found unused", want)
		}
	}
	u.readExamples(t, ours)
	for _, name := range u.unreached() {
		t.Errorf("only tests use %s: remove it, or show its use in an Example", name)
	}
}
