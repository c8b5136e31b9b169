package figures

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
)

// recordedGrades returns the grades of gradesFile by claim.
func recordedGrades(t *testing.T) map[string]claims.Grade {
	t.Helper()
	data, err := os.ReadFile(gradesFile)
	if err != nil {
		t.Fatal(err)
	}
	grades := map[string]claims.Grade{}
	for line := range strings.Lines(string(data)) {
		claim, grade, _ := strings.Cut(strings.TrimSpace(line), ",")
		grades[claim] = claims.Grade(grade)
	}
	return grades
}

// TestFormerRules: docs/claims.md has every former rule with its grade beside the present ones, and counts
// the rules that were made when results were known; our own rules are not among them.
func TestFormerRules(t *testing.T) {
	grades := recordedGrades(t)
	var rows strings.Builder
	known, graded := map[string]int{}, 0
	rows.WriteString("\n| | rule of | graded | rule of | graded |\n|---|---|---|---|---|\n")
	for _, c := range slices.Concat(claims.Claims(), claims.MRC()) {
		if c.Known != "" {
			graded++
			known[c.Known]++
		}
		now, accepted := c.Rule, c.Accepted()
		if c.Number != nil {
			now += "; accepted: " + accepted
		}
		for _, e := range c.Earlier {
			fmt.Fprintf(&rows, "| %s | %s: %s | %s | %s: %s | %s |\n", c.ID, e.Date, e.Rule, e.Grade, c.RuleDate, now, grades[c.ID])
		}
	}
	checkTable(t, "../../docs/claims.md", "former rules", rows.String()+"\n")
	want := fmt.Sprintf("Of %d rules %d were written when the result was known, %d when a part of it was, and %d before",
		graded, known["yes"], known["in part"], known["no"])
	text, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/claims.md does not say: %s", want)
	}
}

// TestReadmeCountsClaims: the README counts the grades of the paper's results.
func TestReadmeCountsClaims(t *testing.T) {
	grades := recordedGrades(t)
	all, of := 0, map[claims.Grade]int{}
	by := map[string]int{}
	for _, c := range claims.Claims() {
		if c.Counts() {
			all++
			of[grades[c.ID]]++
			if grades[c.ID] == claims.Reproduced {
				by[c.DecidedBy]++
			}
		}
	}
	word := func(g claims.Grade) string {
		words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
		if n := of[g]; n < len(words) {
			return words[n]
		}
		return fmt.Sprint(of[g])
	}
	want := fmt.Sprintf("Of the paper's %d results %d are reproduced, %d hold in direction and %d in part; %s are far smaller, %s far larger, %s contradicted, also by the authors' own simulator, and %s are undecided",
		all, of[claims.Reproduced], of[claims.Direction], of[claims.InPart], word(claims.FarSmaller), word(claims.FarLarger), word(claims.Contradicted), word(claims.Undecided))
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), want) {
		t.Errorf("README.md does not say: %s", want)
	}
	want = fmt.Sprintf("Of the reproduced, %d are decided by simulation, %d by theory, %d by the paper's data and %d by construction.",
		by["simulation"], by["theory"], by["inputs"], by["construction"])
	if !strings.Contains(string(data), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}
