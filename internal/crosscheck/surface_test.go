package crosscheck

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// surfaceFile lists the public API, an identifier with its signature on each line.
const surfaceFile = "internal/crosscheck/testdata/api.txt"

// code returns a piece of Go as gofmt prints it, on one line.
func code(t *testing.T, node any) string {
	t.Helper()
	var text bytes.Buffer
	if err := format.Node(&text, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// surface collects the exported identifiers of a package.
type surface struct {
	t      *testing.T
	folder string
	lines  []string
}

// add adds an identifier, with the type that has it or nothing, and what it is.
func (s *surface) add(kind, owner, name, what string) {
	if owner != "" {
		owner += "."
	}
	s.lines = append(s.lines, strings.TrimSpace(fmt.Sprintf("%s: %s %s%s%s", s.folder, kind, owner, name, what)))
}

// function adds a function, or a method of an exported type.
func (s *surface) function(f *ast.FuncDecl) {
	if !f.Name.IsExported() {
		return
	}
	signature := code(s.t, &ast.FuncType{TypeParams: f.Type.TypeParams, Params: f.Type.Params, Results: f.Type.Results})
	signature = strings.TrimPrefix(signature, "func")
	if f.Recv == nil {
		s.add("func", "", f.Name.Name, signature)
		return
	}
	receiver := code(s.t, f.Recv.List[0].Type)
	if name, _, _ := strings.Cut(strings.TrimPrefix(receiver, "*"), "["); token.IsExported(name) {
		s.add("method", "("+receiver+")", f.Name.Name, signature)
	}
}

// declared adds a type with its exported fields or the methods of an interface.
func (s *surface) declared(d *ast.TypeSpec) {
	if !d.Name.IsExported() {
		return
	}
	what, alias := "", ""
	if d.TypeParams != nil {
		what = strings.TrimPrefix(code(s.t, &ast.FuncType{TypeParams: d.TypeParams, Params: &ast.FieldList{}}), "func")
		what = strings.TrimSuffix(what, "()")
	}
	if d.Assign.IsValid() {
		alias = "= "
	}
	var members *ast.FieldList
	kind, body := "field", code(s.t, d.Type)
	switch of := d.Type.(type) {
	case *ast.StructType:
		members, body = of.Fields, "struct"
	case *ast.InterfaceType:
		members, body, kind = of.Methods, "interface", "method"
	}
	s.add("type", "", d.Name.Name, what+" "+alias+body)
	if members == nil {
		return
	}
	for _, m := range members.List {
		signature := code(s.t, m.Type)
		if len(m.Names) == 0 { // embedded, also in an interface
			s.add("embeds", d.Name.Name, signature, "")
		}
		if _, function := m.Type.(*ast.FuncType); function && kind == "method" {
			signature = strings.TrimPrefix(signature, "func")
		} else {
			signature = " " + signature
		}
		for _, name := range m.Names {
			if name.IsExported() {
				s.add(kind, d.Name.Name, name.Name, signature)
			}
		}
	}
}

// values adds the variables and constants of a declaration. A constant without a value of its own has the type of the
// one before it.
func (s *surface) values(d *ast.GenDecl) {
	var of ast.Expr // type of the constants
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		if v.Type != nil || len(v.Values) > 0 {
			of = v.Type
		}
		for i, name := range v.Names {
			what := ""
			if of != nil {
				what = " " + code(s.t, of)
			}
			if i < len(v.Values) && d.Tok == token.CONST {
				what += " = " + code(s.t, v.Values[i])
			}
			if name.IsExported() {
				s.add(d.Tok.String(), "", name.Name, what)
			}
		}
	}
}

// surfaceOf returns a line for each exported identifier of a package, in order.
func surfaceOf(t *testing.T, folder string) []string {
	t.Helper()
	s := surface{t: t, folder: folder}
	for _, d := range declarations(t, folder) {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.function(d)
		case *ast.GenDecl:
			switch d.Tok {
			case token.TYPE:
				for _, spec := range d.Specs {
					s.declared(spec.(*ast.TypeSpec))
				}
			case token.CONST, token.VAR:
				s.values(d)
			}
		}
	}
	slices.Sort(s.lines)
	return s.lines
}

// TestSurface: surfaceFile has every exported identifier of the public packages with its signature; -update writes it.
// So each change of the public API shows in a diff.
func TestSurface(t *testing.T) {
	var text strings.Builder
	for _, folder := range publicFolders(t) {
		for _, line := range surfaceOf(t, folder) {
			fmt.Fprintln(&text, line)
		}
	}
	if *update {
		if err := os.WriteFile(surfaceFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(surfaceFile)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.SplitAfter(text.String(), "\n"), strings.SplitAfter(string(want), "\n"); !slices.Equal(got, want) {
		for _, line := range slices.Concat(got, want) {
			if isNew := slices.Contains(got, line); isNew != slices.Contains(want, line) {
				t.Errorf("%s is in the %s alone", strings.TrimSpace(line), map[bool]string{true: "code", false: surfaceFile}[isNew])
			}
		}
		t.Error("the public API has changed: if it is meant, say so in CHANGELOG.md and run this test with -update")
	}
}
