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
	if err := NewScorecards(findings).Write(dir); err != nil {
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

// TestScorecard: every claim is listed, a decided one with its origin and p-values, the others
// with the figure that decides them.
func TestScorecard(t *testing.T) {
	run := Origin{Seed: 3, Version: "1.2.3"}
	text, rows := written(t,
		Finding{Claim: "N075", Grade: Undecided, Measured: "measured", Why: "few", PValue: new(0.4), Origin: run},
		Finding{
			Claim: "N076", Grade: Contradicted, Rule: "a | rule", Measured: "2 [1, 3]", Value: new(2.0), Low: new(1.0),
			High: new(3.0), Runs: 5, Why: "because", PValue: new(0.001), Origin: run,
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
		"N076": "thm1,contradicted,a | rule,2,1,3,5,3,1.2.3,0.001,0.002",
	} {
		var got []string
		for _, key := range strings.Split("figure,grade,rule,value,value_lo,value_hi,runs,seed,version,p_value,p_value_adjusted", ",") {
			got = append(got, row(id)[key])
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %s", id, got, want)
		}
	}
	for _, want := range []string{
		"Of 2 results, 1 contradicted, 1 undecided; of the 1 contradicted, 0 by",
		"| 2 [1, 3] | 5 | ", "| 2x (accepted: means from 1.25 to 2.75 if one run may give 1.5 to 2.5) |", "| contradicted | because", "Not yet made: N001, ",
		"- N076: a | rule. Rule of 2026-11-22, result known then: yes. p-value 0.001, adjusted for all grades 0.002. Seed 3, repslab 1.2.3.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the scorecard lacks %q", want)
		}
	}
}

// TestMRCScorecard: the statements about MRC stand under their own heading and in a file of their own, and the headline
// of the paper does not count them.
func TestMRCScorecard(t *testing.T) {
	findings := []Finding{
		{Claim: "N001", Grade: Reproduced},
		{Claim: "M1", Grade: Reproduced},
		{Claim: "M2", Grade: Reproduced, Measured: "88 %", Why: "both hold", PValue: new(0.01)},
		{Claim: "M3", Grade: Contradicted, Measured: "2 %"},
		{Claim: "M9", Grade: Grade(Cited), Measured: "not modelled"},
	}
	text, rows := written(t, findings...)
	if len(rows) != len(Claims()) {
		t.Errorf("%d rows, want %d", len(rows), len(Claims()))
	}
	paper, mrc, parted := strings.Cut(text, "\n# MRC\n")
	if !parted || strings.Contains(paper, "| M2 |") || !strings.Contains(paper, "Of 1 results, 1 reproduced") {
		t.Errorf("the part of the paper:\n%s", paper)
	}
	for _, want := range []string{
		"Of 2 results, 1 reproduced, 1 contradicted. Arithmetic on given constants counts apart: 1 reproduced.\n",
		"| M2 | A network card that loses", "at 75 %. (authors) | 87.5 %; 75 % (accepted: 8 planes: 85 to 90; 4 planes: 72.5 to 77.5) | 88 % |  | reproduced | both hold |", "| M11 |", "| not yet made |  |",
		"- M2: ", "adjusted for all grades 0.01.",
	} {
		if !strings.Contains(mrc, want) {
			t.Errorf("the part of MRC lacks %q:\n%s", want, mrc)
		}
	}
	dir := t.TempDir()
	if err := NewScorecards(findings).Write(dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "scorecard-mrc.csv")); err != nil || strings.Count(string(data), "\nM") != len(MRC()) {
		t.Errorf("scorecard-mrc.csv:\n%s, error %v", data, err)
	}
}

// TestMerged: a claim that others contain has their grade, the weaker one or, if some hold and
// others do not, in part, and is counted nowhere.
func TestMerged(t *testing.T) {
	found := func(g Grade) []Finding {
		return []Finding{{Claim: "N093", Grade: Reproduced}, {Claim: "N005", Grade: Reproduced}, {Claim: "N006", Grade: g},
			{Claim: "N007", Grade: Reproduced}, {Claim: "N008", Grade: Reproduced}, {Claim: "N009", Grade: Reproduced}}
	}
	for _, c := range []struct{ second, summary Grade }{{Reproduced, Reproduced}, {Contradicted, InPart}, {NotMade, NotMade},
		{Direction, Direction}, {FarSmaller, FarSmaller}, {FarLarger, FarLarger}, {Undecided, Undecided}} {
		s := NewScorecards(found(c.second)).Paper
		if got := s.named([]string{"N079"})[0].Grade; got != c.summary {
			t.Errorf("the summary of %s: %s, want %s", c.second, got, c.summary)
		}
		if got := s.named([]string{"N094"})[0].Grade; got != Reproduced {
			t.Errorf("N094: %s", got)
		}
	}
	if n := len(NewScorecards(found(Direction)).Paper.Results()); n != 6 {
		t.Errorf("%d results are counted, want 6", n)
	}
}

// TestAdjust: Holm's correction by hand, over the grades that depend on estimates: of four,
// 0.012 becomes 0.048, 0.02 and 0.021 three times 0.02.
func TestAdjust(t *testing.T) {
	var all Scorecard
	for _, p := range []float64{0.02, math.NaN(), 0.012, 0.4, 0.021} {
		all = append(all, Entry{Finding: Finding{PValue: finite(p)}})
	}
	all.adjust()
	for i, want := range []float64{0.06, math.NaN(), 0.048, 0.4, 0.06} {
		got := math.NaN()
		if all[i].Adjusted != nil {
			got = *all[i].Adjusted
		}
		if math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%d: adjusted %v, want %v", i, got, want)
		}
	}
}

// TestCorrected: of three grades with p-values two are above 0.025 after Holm's correction, of which one was below.
func TestCorrected(t *testing.T) {
	s := NewScorecards([]Finding{
		{Claim: "N075", Grade: Reproduced, PValue: new(0.001)},
		{Claim: "N076", Grade: Contradicted, PValue: new(0.02)},
		{Claim: "N077", Grade: InPart, PValue: new(0.4)},
		{Claim: "N078", Grade: Undecided, PValue: new(0.5)},
	}).Paper
	const want = "Of 3 grades with a p-value, 1 have one above 0.025 after Holm's correction for so many tests: N076."
	if got := s.Corrected(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := NewScorecards(nil).Paper.Corrected(); got != "" {
		t.Errorf("%q of nothing", got)
	}
}

// TestOwnStatements: statements of our own have a table and a file of their own, and change no count of the paper.
func TestOwnStatements(t *testing.T) {
	dir := t.TempDir()
	findings := []Finding{{Claim: "R1", Grade: Reproduced, Measured: "0.99"}, {Claim: "N005", Grade: Reproduced}}
	cards := NewScorecards(findings)
	cards.Own = scorecardOf([]Claim{{ID: "R1", Section: "repslab", Quote: "Two balancers are alike.", Kind: Result}}, findings)
	if err := cards.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "scorecard.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nOf 1 results, 1 reproduced", "# Our own statements\n", "No count above contains them. Of 1 results, 1 reproduced.\n",
		"| R1 | Two balancers are alike. (repslab) |  | 0.99 |  | reproduced |  |\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("scorecard.md lacks %q:\n%s", want, text)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "scorecard-own.csv")); err != nil || strings.Count(string(data), "\n") != 2 {
		t.Errorf("scorecard-own.csv:\n%s, error %v", data, err)
	}
	if got := len(cards.All()); got != len(Claims())+len(MRC())+1 {
		t.Errorf("%d entries in all scorecards", got)
	}
}

// TestScorecardOfNothing: where no claim is decided, nothing is written.
func TestScorecardOfNothing(t *testing.T) {
	dir := t.TempDir()
	if err := NewScorecards(nil).Write(dir); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v is written, error %v", entries, err)
	}
}

// TestHeadline: of the contradicted results those are counted again that the authors' own runs
// contradict, here N029 and N086, not N001, and arithmetic apart; the reason says what they show.
func TestHeadline(t *testing.T) {
	s := NewScorecards([]Finding{{Claim: "N001", Grade: Contradicted}, {Claim: "N029", Grade: Contradicted},
		{Claim: "N086", Grade: Contradicted, Why: "queues grow"}, {Claim: "N002", Grade: Reproduced}, {Claim: "N095", Grade: InPart}}).Paper
	want := "Of 3 results, 3 contradicted; of the 3 contradicted, 2 by the authors' own runs too. " +
		"Arithmetic on given constants counts apart: 1 reproduced, 1 in part."
	if got := s.Headline(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s = NewScorecards([]Finding{{Claim: "N001", Grade: Reproduced}, {Claim: "N005", Grade: Reproduced}, {Claim: "N026", Grade: Reproduced},
		{Claim: "N063", Grade: Reproduced}, {Claim: "N065", Grade: Reproduced}, {Claim: "N082", Grade: Reproduced}, {Claim: "N090", Grade: Reproduced},
		{Claim: "N105", Grade: InPart}}).Paper
	want = "Of 8 results, 7 reproduced, 1 in part; of the reproduced, 2 by simulation, 3 by theory, 1 by inputs, 1 by construction."
	if got := s.Headline(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s = NewScorecards([]Finding{{Claim: "N086", Grade: Contradicted, Why: "queues grow"}}).Paper
	want = "queues grow; the authors' own runs contradict the paper"
	if got := s.named([]string{"N086"})[0].Reason(); got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}
