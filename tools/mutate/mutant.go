package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
)

// mutant is a change of one token.
type mutant struct {
	file     string
	position token.Position
	old, new string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.file, m.position.Line, m.position.Column, m.old, m.new)
}

// instead returns the replacement of a token.
var instead = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL, token.REM: token.MUL,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// mutants lists all changes of a source file.
func mutants(file string) (list []mutant, err error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(at token.Pos, old, new string) {
		list = append(list, mutant{file, files.Position(at), old, new})
	}
	operator := func(at token.Pos, t token.Token) {
		if other, ok := instead[t]; ok {
			add(at, t.String(), other.String())
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			return !isMessage(n)
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
		case *ast.AssignStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
		case *ast.BasicLit:
			if k, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil {
				add(n.ValuePos, n.Value, strconv.FormatInt(k+1, 10))
			}
		}
		return true
	})
	return list, nil
}

// isMessage reports whether a call only formats text, which is not tested.
func isMessage(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && (from.Name == "fmt" || from.Name == "errors")
}

// apply returns the source with the change.
func (m mutant) apply() ([]byte, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	at := m.position.Offset
	if !bytes.HasPrefix(source[at:], []byte(m.old)) {
		return nil, fmt.Errorf("%v: not there", m)
	}
	return append(append(append([]byte{}, source[:at]...), m.new...), source[at+len(m.old):]...), nil
}
