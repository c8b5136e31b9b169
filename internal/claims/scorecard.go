package claims

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"repslab/internal/table"
	"repslab/internal/wholefile"
)

// Entry is a line of the scorecard: a claim with its finding.
type Entry struct {
	Claim
	Finding                   // the verdict is [NotMade] as long as the figure is not made
	Adjusted     *float64     // p-value adjusted for the number of verdicts; nil without one
	Significance Significance // of the verdict among all
}

// Made says whether the figure that decides the claim has been made.
func (e Entry) Made() bool { return e.Verdict != NotMade }

// Provisional says whether the verdict comes from a quick run.
func (e Entry) Provisional() bool { return e.Made() && !e.Final }

// Doubtful says whether the verdict depends on estimates and is not firm.
func (e Entry) Doubtful() bool { return e.Significance == Marginal || e.Significance == Open }

// SignificanceText returns the significance with its p-values, or nothing.
func (e Entry) SignificanceText() string {
	if e.Significance == "" {
		return ""
	}
	return fmt.Sprintf("%s; p-value %.2g, adjusted for all verdicts %.2g", e.Significance, *e.PValue, *e.Adjusted)
}

// Scorecard lists all claims of the paper, in order.
type Scorecard []Entry

// NewScorecard returns the scorecard with the given findings.
func NewScorecard(findings []Finding) Scorecard {
	var s Scorecard
	for _, c := range Claims() {
		e := Entry{Claim: c, Finding: Finding{Claim: c.ID, Verdict: NotMade, Rule: c.Rule}}
		if i := slices.IndexFunc(findings, func(f Finding) bool { return f.Claim == c.ID }); i >= 0 {
			e.Finding = findings[i]
		}
		s = append(s, e)
	}
	s.grade()
	return s
}

// Count returns the number of claims with a verdict.
func (s Scorecard) Count(v Verdict) int {
	n := 0
	for _, e := range s {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// Decided returns the number of claims whose figures have been made.
func (s Scorecard) Decided() int { return len(s) - s.Count(NotMade) }

// Provisional returns the number of verdicts from quick runs.
func (s Scorecard) Provisional() int {
	n := 0
	for _, e := range s {
		if e.Provisional() {
			n++
		}
	}
	return n
}

//go:embed scorecard.md.tmpl
var markdown string

// Write writes dir/scorecard.csv and dir/scorecard.md, or nothing if no claim is decided.
func (s Scorecard) Write(dir string) error {
	if s.Decided() == 0 {
		return nil
	}
	if err := s.table().WriteFile(filepath.Join(dir, "scorecard.csv"), table.CSV); err != nil {
		return err
	}
	functions := template.FuncMap{"join": strings.Join, "pipes": strings.NewReplacer("|", `\|`).Replace,
		"plural": func(n int, one, more string) string {
			if n == 1 {
				return one
			}
			return more
		}}
	var text bytes.Buffer
	if err := template.Must(template.New("").Funcs(functions).Parse(markdown)).Execute(&text, s); err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	return wholefile.Write(filepath.Join(dir, "scorecard.md"), text.Bytes())
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
	{table.Text("figure"), func(e Entry) any { return e.Figure }},
	{table.Text("measured"), func(e Entry) any { return e.Measured }},
	{table.Number("measured_lo"), func(e Entry) any { return orNull(e.Low) }},
	{table.Number("measured_hi"), func(e Entry) any { return orNull(e.High) }},
	{table.Text("verdict"), func(e Entry) any { return string(e.Verdict) }},
	{table.Text("final"), func(e Entry) any { return ifMade(e, e.Final) }},
	{table.Text("rule"), func(e Entry) any { return e.Finding.Rule }},
	{table.Text("note"), func(e Entry) any { return e.Note }},
	{table.Number("seed"), func(e Entry) any { return ifMade(e, e.Seed) }},
	{table.Text("version"), func(e Entry) any { return ifMade(e, e.Version) }},
	{table.Number("p_value"), func(e Entry) any { return orNull(e.PValue) }},
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

// table returns the scorecard for programs.
func (s Scorecard) table() table.Table {
	var t table.Table
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, e := range s {
		var row []any
		for _, c := range columns {
			row = append(row, c.cell(e))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
