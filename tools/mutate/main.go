// Command mutate breaks the code on purpose, one small change at a time, and
// counts how many of these mutants the tests notice.
//
//	go run -C tools ./mutate -count 40 ../reps ../ballsbins
//
// It picks count places of each package by the seed: a comparison, an arithmetic
// operator, a logical operator, a step up or down, or a whole number. Each mutant
// is compiled from an overlay, so that no file is touched, and meets the tests
// of its package, then those of the packages named by -also, in short mode. A
// mutant that does not compile is replaced by another. It prints a line for each
// mutant that survives, or that makes a test run beyond the limit or take more
// than five times the processor time of all tests and 20 s, which counts as
// noticed; then the counts, also where it is interrupted. With -only it tries the
// mutants of such lines again, after tests were added.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// instead says which token takes the place of another.
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

// isMessage says whether a call only makes a text: what it says is not tested.
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

// outcome is what the tests say of a mutant.
type outcome int

const (
	survived outcome = iota
	killed
	hung    // noticed, by a test that does not end
	invalid // does not compile
)

// errUnmutated is why there is nothing to learn of a package.
var errUnmutated = errors.New("the tests fail without a change")

// trial is how mutants are tested.
type trial struct {
	limit time.Duration // of the tests of a package
	cpu   time.Duration // limit of the time on a processor, which a busy machine does not stretch; 0 is none
	also  []string      // directories of further packages whose tests count
	quick []string      // tests of the package that take little time, and go first
}

// try runs the tests of a package, and then of those that count too, with a
// changed file. A run that outlasts the limit is a mutant that hangs, and noticed.
func (t *trial) try(dir string, file string, source []byte) (outcome, error) {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	changed, overlay := filepath.Join(scratch, "mutant.go"), filepath.Join(scratch, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.WriteFile(changed, source, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return 0, err
	}
	binary := filepath.Join(scratch, "tests")
	if compiled, err := compile(dir, overlay, binary); err != nil || !compiled {
		return invalid, err
	}
	quick := "^(" + strings.Join(t.quick, "|") + ")$"
	found, _, err := t.run(binary, dir, "-test.run", quick)
	if err == nil && found == survived {
		found, _, err = t.run(binary, dir, "-test.skip", quick)
	}
	for i, other := range t.also {
		if err != nil || found != survived {
			break
		}
		binary := filepath.Join(scratch, fmt.Sprint("also", i))
		if compiled, err := compile(other, overlay, binary); err != nil || !compiled {
			return invalid, err
		}
		found, _, err = t.run(binary, other, "-test.short")
	}
	return found, err
}

// compile makes the test binary of a package, and reports whether that can be.
func compile(dir, overlay, binary string) (bool, error) {
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, "-overlay", overlay, ".")
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			return false, nil
		}
		return false, err
	}
	if _, err := os.Stat(binary); err != nil {
		return false, fmt.Errorf("%s: no tests", dir)
	}
	return true, nil
}

// run runs a test binary where its package is.
func (t *trial) run(binary, dir string, flags ...string) (found outcome, out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit+time.Minute)
	defer cancel()
	arguments := append([]string{binary, "-test.failfast", "-test.timeout", t.limit.String()}, flags...)
	if t.cpu > 0 {
		limited := []string{"sh", "-c", `ulimit -t "$0" && exec "$@"`, fmt.Sprint(int(t.cpu.Seconds()))}
		arguments = append(limited, arguments...)
	}
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Dir = dir
	out, err = cmd.CombinedOutput()
	failed := new(exec.ExitError)
	switch {
	case err == nil:
		return survived, out, nil
	case !errors.As(err, &failed):
		return 0, out, err
	case failed.ExitCode() < 0 || strings.Contains(string(out), "panic: test timed out"):
		return hung, out, nil // by a signal, or its own clock
	}
	return killed, out, nil
}

// took is a line of a test that passed.
var took = regexp.MustCompile(`(?m)^--- PASS: (\S+) \(([0-9.]+)s\)`)

// spent returns the processor time of all commands that were run.
func spent() time.Duration {
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return 0
	}
	return time.Duration(children.Utime.Nano() + children.Stime.Nano())
}

// prepare sees that the tests pass without a change, and which are quick: as many
// as take a tenth of the time of all.
func (t *trial) prepare(dir string) error {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, binary := filepath.Join(scratch, "overlay.json"), filepath.Join(scratch, "tests")
	if err := os.WriteFile(overlay, []byte("{}"), 0o600); err != nil {
		return err
	}
	if compiled, err := compile(dir, overlay, binary); err != nil || !compiled {
		return errors.Join(err, fmt.Errorf("%s: the tests do not compile", dir))
	}
	t.cpu = 0
	before := spent()
	found, out, err := t.run(binary, dir, "-test.v")
	if err != nil || found != survived {
		return errors.Join(err, fmt.Errorf("%s: %w", dir, errUnmutated))
	}
	t.cpu = 20*time.Second + 5*(spent()-before)
	seconds, all := map[string]float64{}, 0.0
	for _, m := range took.FindAllStringSubmatch(string(out), -1) {
		if seconds[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			return err
		}
		all += seconds[m[1]]
	}
	tests := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[a], seconds[b]), cmp.Compare(a, b))
	})
	sum := 0.0
	t.quick = t.quick[:0]
	for _, name := range tests {
		if sum += seconds[name]; sum > all/10 {
			break
		}
		t.quick = append(t.quick, name)
	}
	return nil
}

// sources lists the files of a package that are not tests.
func sources(dir string) (files []string, err error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range all {
		if !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	return files, err
}

// score counts mutants.
type score struct{ killed, survived, invalid int }

// examine tries mutants of the package in dir: those whose lines are in only, or
// count of all if only is empty.
func (t *trial) examine(ctx context.Context, dir string, count int, only map[string]bool, rng *rand.Rand) (s score, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	files, err := sources(dir)
	if err != nil || len(files) == 0 {
		return s, errors.Join(err, fmt.Errorf("%s: no Go files", dir))
	}
	var all []mutant
	for _, file := range files {
		list, err := mutants(file)
		if err != nil {
			return s, err
		}
		all = append(all, list...)
	}
	if len(only) > 0 {
		all = slices.DeleteFunc(all, func(m mutant) bool { return !only[m.String()] })
		count = len(all)
	}
	if len(all) == 0 {
		return s, nil
	}
	if err := t.prepare(dir); err != nil {
		return s, err
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, m := range all {
		if s.killed+s.survived == count {
			break
		}
		if err := s.add(ctx, t, dir, m); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add tries a mutant. One whose tests an interruption may have ended does not
// count: the error is that of ctx then.
func (s *score) add(ctx context.Context, t *trial, dir string, m mutant) error {
	source, err := m.apply()
	if err != nil {
		return err
	}
	found, err := t.try(dir, m.file, source)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	switch found {
	case killed:
		s.killed++
	case hung:
		s.killed++
		fmt.Println("hangs:", m)
	case invalid:
		s.invalid++
	default:
		s.survived++
		fmt.Println("survives:", m)
	}
	return nil
}

// readOnly reads the mutants to try again: lines as a run prints them, others
// are passed over. No name is no mutant.
func readOnly(name string) (map[string]bool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	only := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for _, mark := range []string{"survives: ", "hangs: "} {
			if m, found := strings.CutPrefix(strings.TrimSpace(line), mark); found {
				only[m] = true
			}
		}
	}
	if len(only) == 0 {
		return nil, fmt.Errorf("%s: no line begins with \"survives: \"", name)
	}
	return only, nil
}

func run() error {
	count := flag.Int("count", 30, "mutants of each package")
	seed := flag.Uint64("seed", 1, "which mutants")
	limit := flag.Duration("limit", 5*time.Minute, "time for the tests of a package")
	also := flag.String("also", "", "directories of packages, separated by commas, whose tests count too, in short mode")
	again := flag.String("only", "", "`file` of lines that a run has printed: try these mutants again")
	flag.Parse()
	only, err := readOnly(*again)
	if err != nil {
		return err
	}
	t := trial{limit: *limit}
	if *also != "" {
		t.also = strings.Split(*also, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var total score
	for _, dir := range flag.Args() {
		s, err := t.examine(ctx, dir, *count, only, rand.New(rand.NewPCG(*seed, 0)))
		fmt.Printf("%s: %d of %d killed, %d did not compile\n", dir, s.killed, s.killed+s.survived, s.invalid)
		if err != nil {
			return err
		}
		total.killed, total.survived = total.killed+s.killed, total.survived+s.survived
	}
	fmt.Printf("%d of %d mutants killed\n", total.killed, total.killed+total.survived)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
