package figures

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
)

// TestEveryClaimHasItsFigure: a figure decides each claim, so the scorecards of all figures
// answer all.
func TestEveryClaimHasItsFigure(t *testing.T) {
	for _, c := range claims.Statements() {
		if !slices.ContainsFunc(All(), func(f engine.Figure) bool { return f.ID == c.Figure }) {
			t.Errorf("%s: no figure is called %q", c.ID, c.Figure)
		}
	}
}

// TestNotModelledIsRare: few claims may be left unjudged, those about money,
// programs, hardware and what is cited from others.
func TestNotModelledIsRare(t *testing.T) {
	may := []string{"N003", "N012", "N024", "N055", "N092", "M9"}
	for _, c := range claims.Statements() {
		if strings.HasPrefix(c.Rule, "not modelled") && !slices.Contains(may, c.ID) {
			t.Errorf("%s: %s is not modelled, but only %v may be", c.Figure, c.ID, may)
		}
	}
}

// TestEveryConditionDecides: the code of the figures names each condition of a claim's row, and none that no
// row has. Names stand in the code as text, or as a constant beside it.
func TestEveryConditionDecides(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`claims\.(?:Met|MetTimes|Within|Exactly|Estimated)\("(\w+)", ("[^"]*"|\w+)|claims\.Find\("(\w+)"\)\.Bound\(("[^"]+")\)`)
	constant := regexp.MustCompile(`const (\w+) = ("[^"]*")`)
	named := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		texts := map[string]string{}
		for _, c := range constant.FindAllStringSubmatch(string(code), -1) {
			texts[c[1]] = c[2]
		}
		for _, use := range uses.FindAllStringSubmatch(string(code), -1) {
			claim, name := use[1]+use[3], cmp.Or(texts[use[2]], use[2]+use[4])
			if name == "name" { // of fig08Predicate, whose callers have the text
				for _, c := range regexp.MustCompile(`is\(("[^"]+")\)`).FindAllStringSubmatch(string(code), -1) {
					named[claim+" "+c[1]] = true
				}
				continue
			}
			named[claim+" "+name] = true
		}
	}
	want := map[string]bool{}
	for _, c := range claims.Statements() {
		for _, b := range c.Bounds {
			want[fmt.Sprintf("%s %q", c.ID, b.Name)] = true
		}
	}
	for _, use := range slices.Sorted(maps.Keys(named)) {
		if !want[use] {
			t.Errorf("no row has the condition %s", use)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(want)) {
		if !named[row] {
			t.Errorf("no figure asks for the condition %s", row)
		}
	}
}

// TestNoBoundInCode: figures decide claims by the bounds of their rows: no comparison with a number is in
// their code.
func TestNoBoundInCode(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal := regexp.MustCompile(`claims\.(AtMost|AtLeast|MoreThan|LessThan|Between|AtMostTimes)\(.*|claims\.Certain\(.*(<|>|==).*`)
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || file == "threshold.go" { // its rules are of open questions
			continue
		}
		for _, found := range literal.FindAllString(string(code), -1) {
			if !strings.Contains(found, "1-math.Log(p.n())/p.n()") { // N076, a share that depends on n
				t.Errorf("%s: %s", file, found)
			}
		}
	}
}
