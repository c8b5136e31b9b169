package claims

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestMRCTable: the statements about MRC are M1 to M11, each with its source, sentence and rule, and no claim of the
// paper is among them.
func TestMRCTable(t *testing.T) {
	list := MRC()
	if len(list) != 11 || len(Statements()) != len(Claims())+11+len(Own()) {
		t.Fatalf("%d statements, want 11", len(list))
	}
	for i, c := range list {
		if c.ID != fmt.Sprintf("M%d", i+1) || Find(c.ID).Quote != c.Quote {
			t.Errorf("statement %d is %s", i+1, c.ID)
		}
		if c.Section != "authors" && c.Section != "summaries" || c.Quote == "" || c.Claimed == "" || c.Metric == "" ||
			c.Scenario == "" || c.Figure == "" || c.Rule == "" || !slices.Contains([]Kind{Result, Arithmetic, Cited}, c.Kind) {
			t.Errorf("statement %+v has an empty field", c)
		}
		if (c.Kind == Cited) != strings.HasPrefix(c.Rule, "not modelled: ") {
			t.Errorf("%s: kind %q, rule %q", c.ID, c.Kind, c.Rule)
		}
		if c.AuthorsValue() != "" || len(c.Plain) < 30 {
			t.Errorf("%s: the authors' value is %q, the plain sentence %q", c.ID, c.AuthorsValue(), c.Plain)
		}
	}
}

// TestOwnTable: our own statements are R1, R2, ..., each with its sentence, rule and figure.
func TestOwnTable(t *testing.T) {
	for i, c := range Own() {
		if c.ID != fmt.Sprintf("R%d", i+1) || c.Section != "repslab" || c.Kind != Result {
			t.Errorf("statement %d: id %s, section %q, kind %q, want R%d, repslab, result", i+1, c.ID, c.Section, c.Kind, i+1)
		}
		if c.Quote == "" || len(c.Plain) < 30 || c.Claimed == "" || c.Metric == "" || c.Scenario == "" || c.Figure == "" || c.Rule == "" {
			t.Errorf("statement %+v has an empty field", c)
		}
	}
}

// TestGradesInDocument: docs/claims.md explains every grade in the program's words.
func TestGradesInDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range Grades() {
		if row := "| " + string(g) + " | " + g.Meaning() + " |\n"; !strings.Contains(string(text), row) {
			t.Errorf("docs/claims.md lacks %s", row)
		}
	}
}

// TestDecidedBy: decided.csv names results once, in order, each with one of three deciders and the reason; all others
// are decided by simulation.
func TestDecidedBy(t *testing.T) {
	named := map[string]string{}
	var ids []string
	for _, f := range records("decided.csv", decidedCSV) {
		ids, named[f["claim"]] = append(ids, f["claim"]), f["decided_by"]
		if !slices.Contains([]string{"theory", "inputs", "construction"}, f["decided_by"]) || f["why"] == "" || !Find(f["claim"]).Counts() {
			t.Errorf("decided.csv: %v", f)
		}
	}
	if !slices.IsSorted(ids) || len(named) != len(ids) {
		t.Errorf("claims %v, want each once and in order", ids)
	}
	for _, c := range Claims() {
		if want := cmp.Or(named[c.ID], bySimulation); c.DecidedBy != want {
			t.Errorf("%s is decided by %q, want %q", c.ID, c.DecidedBy, want)
		}
	}
}

// TestClaimsTable checks the tables themselves: ids in order, no claim without its sentence, rule
// and reading of the authors' runs or the reason why there is none, no grade without a rule.
func TestClaimsTable(t *testing.T) {
	claims := Claims()
	if len(claims) != 118 {
		t.Errorf("%d claims, want the paper's 118; another line changes this number and those of internal/web/reportpage/page_test.go",
			len(claims))
	}
	for _, g := range Grades() {
		if g.Meaning() == "" {
			t.Errorf("the grade %q has no rule", g)
		}
	}
	kinds := []Kind{Result, Arithmetic, Setting, TextArtifact, Cited, Ungraded}
	agreements := []Agreement{Agrees, OtherSize, Contradicts, Mixed, TooFew, NoWitness}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.ID)
		for column, text := range map[string]string{"section": c.Section, "line": c.Line, "quote": c.Quote, "scenario": c.Scenario,
			"metric": c.Metric, "claimed": c.Claimed, "figure": c.Figure, "rule": c.Rule} {
			if text == "" {
				t.Errorf("%s: column %q of claims.csv is empty", c.ID, column)
			}
		}
		if !slices.Contains(kinds, c.Kind) || !slices.Contains(agreements, c.Says) {
			t.Errorf("%s: kind %q, the authors' runs %q", c.ID, c.Kind, c.Says)
		}
		if p := c.Plain; len(p) < 30 || len(p) > 200 || !unicode.IsUpper(rune(p[0])) || !strings.HasSuffix(p, ".") || strings.Contains(p, "...") {
			t.Errorf("%s: %q is not one plain sentence", c.ID, p)
		}
		if n := c.Number; n != nil && !(n.Lo <= n.Hi && (n.open() || n.quarter() > 0)) {
			t.Errorf("%s: number %+v", c.ID, *n)
		}
		if len(c.Witness) == 0 {
			t.Errorf("%s: witness.csv has no line of it: a reading of the authors' runs, or why there is none", c.ID)
		} else if c.Main >= len(c.Witness) || c.Main >= 0 && c.Witness[c.Main].Value == "" {
			t.Errorf("%s: reading %d of %v", c.ID, c.Main, c.Witness)
		}
		for _, with := range c.CountedWith {
			if Find(with).Kind != Result {
				t.Errorf("%s is counted with %s, which is no result", c.ID, with)
			}
		}
		if strings.HasPrefix(c.Scenario, "same") || c.ID == "N014" &&
			c.Scenario != "400G, 4 KiB, 10 ms blackhole with freezing" {
			t.Errorf("%s: scenario %q", c.ID, c.Scenario)
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(claims) {
		t.Error("ids are not ascending")
	}
}
