package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// pair is a package of which a test sees one half.
const pair = `package pair

import "fmt"

func More(a, b int) bool { return a > b } // seen

func Twice(a int) int { return 2 * a } // seen by the package beside it

func Half(a int) (int, error) {
	return a / 2, fmt.Errorf("half %d", 1+1) // not seen
}
`

// module writes a module of the package pair, whose tests see More, and of a
// package beside, whose tests see Twice.
func module(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module pair\n\ngo 1.26\n",
		"pair.go":      pair,
		"pair_test.go": "package pair\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {\n\tif More(1, 1) || !More(2, 1) {\n\t\tt.Fail()\n\t}\n}\n",
		"beside/beside_test.go": "package beside\n\nimport (\n\t\"pair\"\n\t\"testing\"\n)\n\n" +
			"func TestTwice(t *testing.T) {\n\tif testing.Short() && pair.Twice(4) != 8 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMutants lists the changes of a file: what only makes a text is left alone.
func TestMutants(t *testing.T) {
	file := filepath.Join(module(t), "pair.go")
	list, err := mutants(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, strings.TrimPrefix(m.String(), file))
	}
	want := []string{":5:37: > -> >=", ":7:34: * -> +", ":7:32: 2 -> 3", ":10:11: / -> *", ":10:13: 2 -> 3"}
	if !slices.Equal(got, want) {
		t.Errorf("mutants = %q, want %q", got, want)
	}
	source, err := list[1].apply()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(pair, "2 * a", "2 + a", 1); string(source) != want {
		t.Errorf("apply = %s, want %s", source, want)
	}
}

// TestExamine counts mutants that are killed by a package's own tests, by those
// of another one, and by none; and tries given ones again.
func TestExamine(t *testing.T) {
	dir := module(t)
	beside := []string{filepath.Join(dir, "beside")}
	only := regexp.MustCompile(`pair.go:7:34: \* -> \+`)
	for _, c := range []struct {
		name string
		also []string
		only *regexp.Regexp
		want score
	}{
		{"tests beside", beside, nil, score{killed: 3, survived: 2}},
		{"one again", nil, only, score{survived: 1}},
	} {
		got, err := (&trial{limit: time.Minute, also: c.also}).examine(t.Context(), dir, 30, c.only, rand.New(rand.NewPCG(1, 0)))
		if err != nil || got != c.want {
			t.Errorf("%s: examine = %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

// TestHangs: a run that takes too much time, on the clock or on a processor, is a
// mutant that hangs; one that fails is killed.
func TestHangs(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]outcome{
		"exit 0": survived, "exit 1": killed, "exec sleep 100": hung, "while :; do :; done": hung,
	} {
		script := filepath.Join(dir, "script")
		if err := os.WriteFile(script, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		limits := &trial{limit: time.Minute, cpu: time.Second}
		if text == "exec sleep 100" {
			limits.limit = time.Second - time.Minute
		}
		if got, _, err := limits.run(script, dir); err != nil || got != want {
			t.Errorf("%s: outcome %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestPackagesThatCannotBeExamined: no source, no tests, and tests that fail without a change.
func TestPackagesThatCannotBeExamined(t *testing.T) {
	dir := module(t)
	failing := "package pair\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fail() }\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"source", "empty/readme", "", "no Go files"},
		{"tests", "untested/untested.go", "package untested\n\nconst One = 1\n", "no tests"},
		{"passing tests", "fail_test.go", failing, "the tests fail without a change"},
	} {
		path := filepath.Join(dir, c.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(c.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		_, err := (&trial{limit: time.Minute}).examine(t.Context(), filepath.Dir(path), 1, nil, rand.New(rand.NewPCG(1, 0)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("without %s: %v, want %q", c.name, err, c.want)
		}
	}
}
