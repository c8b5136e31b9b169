package claims

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repslab/internal/table"
	"repslab/internal/wholefile"
)

// Source is a figure that decides claims.
type Source struct {
	Figure string // id
	Rules  []Rule
	// Of the run that made the figure, if any:
	Findings []Finding
	Final    bool // at full scale
	Seed     uint64
	Version  string // of the program
}

// Entry is a line of the scorecard: a claim, the figure that decides it, and the finding.
type Entry struct {
	Claim
	Source       Source
	Finding      Finding      // the verdict is [NotMade] as long as the figure is not made
	Adjusted     *float64     // p-value adjusted for the number of verdicts; nil without one
	Significance Significance // of the verdict among all
}

// Made says whether the figure that decides the claim has been made.
func (e Entry) Made() bool { return e.Finding.Verdict != NotMade }

// Provisional says whether the verdict comes from a quick run.
func (e Entry) Provisional() bool { return e.Made() && !e.Source.Final }

// Doubtful says whether the verdict depends on estimates and is not firm.
func (e Entry) Doubtful() bool { return e.Significance == Marginal || e.Significance == Open }

// SignificanceText returns the significance with its p-values, or nothing.
func (e Entry) SignificanceText() string {
	if e.Significance == "" {
		return ""
	}
	return fmt.Sprintf("%s; p-value %.2g, adjusted for all verdicts %.2g", e.Significance, *e.Finding.PValue, *e.Adjusted)
}

// verdict returns the verdict, marked if it is not firm.
func (e Entry) verdict() string {
	if e.Doubtful() {
		return fmt.Sprintf("%s (%s)", e.Finding.Verdict, e.Significance)
	}
	return string(e.Finding.Verdict)
}

// Scorecard returns an entry for each claim, in order, decided by the given figures.
func Scorecard(figures []Source) ([]Entry, error) {
	claims, err := Claims()
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(claims))
	for i, c := range claims {
		entries[i] = Entry{Claim: c, Finding: Finding{Claim: c.ID, Verdict: NotMade}}
		for _, f := range figures {
			if slices.ContainsFunc(f.Rules, func(r Rule) bool { return r.Claim == c.ID }) {
				entries[i].Source = f
			}
			for _, finding := range f.Findings {
				if finding.Claim == c.ID {
					entries[i].Source, entries[i].Finding = f, finding
				}
			}
		}
	}
	grade(entries)
	return entries, nil
}

// WriteScorecard writes dir/scorecard.csv and dir/scorecard.md: the entries of
// [Scorecard]. It writes nothing if no claim is decided.
func WriteScorecard(dir string, figures []Source) error {
	all, err := Scorecard(figures)
	if err != nil || !slices.ContainsFunc(all, Entry.Made) {
		return err
	}
	if err := scorecardTable(all).WriteFile(filepath.Join(dir, "scorecard.csv"), table.CSV); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, "scorecard.md"), []byte(scorecardText(all)))
}

// columns of scorecard.csv, each with the cell of an entry.
var columns = []struct {
	table.Column
	cell func(Entry) any
}{
	{table.Text("claim"), func(e Entry) any { return e.ID }},
	{table.Text("section"), func(e Entry) any { return e.Section }},
	{table.Text("scenario"), func(e Entry) any { return e.Scenario }},
	{table.Text("metric"), func(e Entry) any { return e.Metric }},
	{table.Text("claimed"), func(e Entry) any { return e.Claimed }},
	{table.Text("figure"), func(e Entry) any { return e.Source.Figure }},
	{table.Text("measured"), func(e Entry) any { return e.Finding.Measured }},
	{table.Number("measured_lo"), func(e Entry) any { return orNull(e.Finding.Low) }},
	{table.Number("measured_hi"), func(e Entry) any { return orNull(e.Finding.High) }},
	{table.Text("verdict"), func(e Entry) any { return string(e.Finding.Verdict) }},
	{table.Text("final"), func(e Entry) any { return ifMade(e, e.Source.Final) }},
	{table.Text("rule"), func(e Entry) any { return e.Finding.Rule }},
	{table.Text("note"), func(e Entry) any { return e.Finding.Note }},
	{table.Number("seed"), func(e Entry) any { return ifMade(e, e.Source.Seed) }},
	{table.Text("version"), func(e Entry) any { return ifMade(e, e.Source.Version) }},
	{table.Number("p_value"), func(e Entry) any { return orNull(e.Finding.PValue) }},
	{table.Number("p_value_adjusted"), func(e Entry) any { return orNull(e.Adjusted) }},
	{table.Text("significance"), func(e Entry) any { return string(e.Significance) }},
}

// orNull returns the number as a cell.
func orNull(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// ifMade returns the cell, or null for a claim whose figure has not been made.
func ifMade(e Entry, v any) any {
	if !e.Made() {
		return nil
	}
	return v
}

// scorecardTable returns the scorecard for programs.
func scorecardTable(all []Entry) table.Table {
	var t table.Table
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, e := range all {
		var row []any
		for _, c := range columns {
			row = append(row, c.cell(e))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// scorecardText returns the scorecard for readers: a short table of all claims, then
// each decided claim with its rule.
func scorecardText(all []Entry) string {
	counts, provisional := map[Verdict]int{}, 0
	for _, e := range all {
		counts[e.Finding.Verdict]++
		if e.Provisional() {
			provisional++
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# Scorecard\n\nThe figures in this folder decide %d of the paper's %d claims: %d reproduced, %d differ, %d not modelled.",
		len(all)-counts[NotMade], len(all), counts[Reproduced], counts[Differs], counts[NotModelled])
	if n := counts[NotMade]; n > 0 {
		fmt.Fprintf(&s, " %d are not yet made.", n)
	}
	s.WriteString("\n")
	if provisional > 0 {
		fmt.Fprintf(&s, "\n%d verdicts are provisional: only `--full` makes them final.\n", provisional)
	}
	s.WriteString(significanceText(all))
	s.WriteString("\n| claim | figure | what | claimed | verdict |\n|---|---|---|---|---|\n")
	pipes := strings.NewReplacer("|", `\|`)
	for _, e := range all {
		fmt.Fprintf(&s, "| %s | %s | %s | %s | %s |\n", e.ID, e.Source.Figure,
			pipes.Replace(e.Scenario+": "+e.Metric), pipes.Replace(e.Claimed), e.verdict())
	}
	for _, e := range all {
		if e.Made() {
			e.describe(&s)
		}
	}
	return s.String()
}

// describe writes the section of a decided claim.
func (e Entry) describe(s *strings.Builder) {
	fmt.Fprintf(s, "\n## %s %s\n\n", e.ID, e.verdict())
	for _, item := range []struct{ name, text string }{
		{"Paper, section " + e.Section + ", " + e.Scenario, e.Metric + ": " + e.Claimed},
		{"Measured", e.Finding.Measured},
		{`Rule for "reproduced"`, e.Finding.Rule},
		{"Note", e.Finding.Note},
		{"Significance", e.SignificanceText()},
		{"Seed", fmt.Sprint(e.Source.Seed)},
		{"Made by repslab", e.Source.Version},
	} {
		if item.text != "" {
			fmt.Fprintf(s, "- %s: %s\n", item.name, item.text)
		}
	}
}
