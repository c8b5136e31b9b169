package claims

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written returns the files of a scorecard.
func written(t *testing.T, findings ...Finding) (text string, rows []map[string]string) {
	t.Helper()
	dir := t.TempDir()
	if err := NewScorecard(findings).Write(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "scorecard.md"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "scorecard.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, key := range lines[0] {
			row[key] = line[i]
		}
		rows = append(rows, row)
	}
	return string(data), rows
}

// TestScorecard: every claim is listed, a decided one with its origin and significance, the
// others with the figure that decides them.
func TestScorecard(t *testing.T) {
	run := Origin{Seed: 3, Version: "1.2.3"}
	text, rows := written(t,
		Finding{Claim: "N075", Verdict: Reproduced, Measured: "measured", PValue: new(0.4), Origin: run},
		Finding{
			Claim: "N076", Verdict: Differs, Rule: "a | rule", Measured: "2 [1, 3]", Low: new(1.0), High: new(3.0),
			Note: "a note", PValue: new(0.001), Origin: run,
		},
	)
	if len(rows) != len(Claims()) {
		t.Fatalf("%d rows, want %d", len(rows), len(Claims()))
	}
	for i, c := range Claims() {
		if rows[i]["claim"] != c.ID || !strings.Contains(text, "| "+c.ID+" |") {
			t.Errorf("%s is not in the scorecard", c.ID)
		}
	}
	row := func(id string) map[string]string {
		return rows[slices.IndexFunc(rows, func(r map[string]string) bool { return r["claim"] == id })]
	}
	for id, want := range map[string]string{
		"N017": "tab01,not yet made," + Find("N017").Rule + ",,,,,,,,",
		"N076": "thm1,differs,a | rule,1,3,false,3,1.2.3,0.001,0.002,firm",
	} {
		var got []string
		for _, key := range strings.Split("figure,verdict,rule,measured_lo,measured_hi,final,seed,version,p_value,p_value_adjusted,significance", ",") {
			got = append(got, row(id)[key])
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %s", id, got, want)
		}
	}
	for _, want := range []string{
		"decide 2 of the paper's 97 claims: 1 reproduced, 1 differs, 0 not modelled. 95 are not yet made.", "2 verdicts are provisional",
		"| N017 | tab01 |", "## N075 reproduced (open)\n\n- Paper", "## N076 differs\n", "- Note: a note\n- Significance: firm; p-value 0.001, adjusted for all verdicts 0.002\n- Seed: 3\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the scorecard lacks %q", want)
		}
	}
}

// TestScorecardOfOne: of a single verdict the sentences speak in the singular.
func TestScorecardOfOne(t *testing.T) {
	text, _ := written(t, Finding{Claim: "N076", Verdict: Reproduced, PValue: new(0.001)})
	for _, want := range []string{"1 reproduced, 0 differ,", "\n1 verdict is provisional: only `--full` makes it final.",
		"\n1 verdict depends on estimates. One by one at 95 %, 1 of them excludes the", "1 is firm, 0 marginal"} {
		if !strings.Contains(text, want) {
			t.Errorf("the scorecard lacks %q:\n%.900s", want, text)
		}
	}
}

// TestScorecardOfNothing: where no claim is decided, nothing is written.
func TestScorecardOfNothing(t *testing.T) {
	dir := t.TempDir()
	if err := NewScorecard(nil).Write(dir); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v is written, error %v", entries, err)
	}
}

// TestImpossibleFindings: a p-value out of [0, 1] or a verdict that no figure gives is
// refused, as is a claim that does not exist.
func TestImpossibleFindings(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, 7, math.NaN()} {
		err := Finding{Claim: "N017", Verdict: Reproduced, PValue: &p}.Validate()
		if err == nil || !strings.Contains(err.Error(), "of N017 must be in [0, 1]") {
			t.Errorf("p-value %v: error %v", p, err)
		}
	}
	for _, v := range []Verdict{"", "Reproduced", NotMade} {
		err := Finding{Claim: "N017", Verdict: v}.Validate()
		if err == nil || !strings.Contains(err.Error(), `of N017 must be one of ["reproduced" "differs" "not modelled"]`) {
			t.Errorf("verdict %q: error %v", v, err)
		}
	}
	if err := (Finding{Verdict: Differs, PValue: new(0.5)}).Validate(); err != nil {
		t.Errorf("a possible finding: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown claim is found")
		}
	}()
	Find("N000")
}
