package crosscheck

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// resultPackages compute the numbers of result files.
var resultPackages = []string{
	"./ballsbins/...", "./coalescing", "./evsimbalance", "./recycled", "./reps", "./proofs", "./fattree/...",
	"./internal/elementary", "./internal/ecmphash", "./mc", "./internal/bins", "./internal/draw", "./internal/values",
}

// TestNoFusedMultiplyAdd: no product of a package that computes results is fused with
// a sum, which would change last digits between builds. The assembly for arm64, where the compiler
// fuses sums and differences of both precisions, and for GOAMD64=v3, where it fuses sums alone, is
// searched on any machine. Calls of gonum's quantiles, whose means are 0 and deviations 1, may be inlined.
func TestNoFusedMultiplyAdd(t *testing.T) {
	needsLong(t)
	type target struct {
		environment []string
		instruction string
	}
	targets := []target{
		{[]string{"GOOS=linux", "GOARCH=arm64"}, `F(N?M(ADD|SUB))[SD]`},
		{[]string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}, `VFN?M(ADD|SUB)\w*`},
	}
	for _, c := range targets {
		build := exec.Command("go", append([]string{"build", "-gcflags=" + module + "/...=-S"}, resultPackages...)...)
		build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), c.environment...)
		assembly, err := build.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.environment, err, assembly)
		}
		if !strings.Contains(string(assembly), module+"/evsimbalance.") {
			t.Fatalf("%v: no assembly of evsimbalance", c.environment)
		}
		seen := map[string]bool{}
		for _, found := range regexp.MustCompile(`\(([^()\s]+\.go):(\d+)\)\s+`+c.instruction+`\s`).FindAllStringSubmatch(string(assembly), -1) {
			place := found[1] + ":" + found[2]
			if !seen[place] && !strings.Contains(place, "gonum.org/") && !strings.Contains(sourceLine(t, found[1], found[2]), "distuv.") {
				t.Errorf("%v: %s fuses a multiplication and an addition: %s", c.environment, place, strings.TrimSpace(sourceLine(t, found[1], found[2])))
			}
			seen[place] = true
		}
	}
}

// TestNoFusedFunctions: packages that compute results call no function of the standard
// library that fuses multiplications and additions, except for special cases of
// elementary.Pow and the error function of the Brownian prediction, which is in no row.
func TestNoFusedFunctions(t *testing.T) {
	list, err := exec.Command("go", append([]string{"list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`}, resultPackages...)...).Output()
	files := strings.Fields(string(list))
	if err != nil || len(files) < len(resultPackages) {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	fused := regexp.MustCompile(`math\.(Exp|Exp2|Expm1|Log1p|Log2|Log10|Pow|Lgamma|Gamma|Erf|Erfc|Erfinv|Sin|Cos|Tan|Sincos|Atan|Atan2|Cbrt|Hypot|FMA)\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range fused.FindAllString(string(text), -1) {
			allowed := call == "math.Pow(" && strings.HasSuffix(file, "elementary.go") || call == "math.Erf(" && strings.HasSuffix(file, "brownian.go")
			if !allowed {
				t.Errorf("%s: %s) fuses multiplications and additions; use internal/elementary", file, call)
			}
		}
	}
}

// sourceLine returns a line of a file.
func sourceLine(t *testing.T, path, number string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")[line-1]
}
