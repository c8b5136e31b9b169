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

// count returns the number of entries that satisfy a condition.
func (s Scorecard) count(holds func(Entry) bool) int {
	n := 0
	for _, e := range s {
		if holds(e) {
			n++
		}
	}
	return n
}

// Count returns the number of claims with a verdict.
func (s Scorecard) Count(v Verdict) int { return s.count(func(e Entry) bool { return e.Verdict == v }) }

// Decided returns the number of claims whose figures have been made.
func (s Scorecard) Decided() int { return s.count(Entry.Made) }

// Provisional returns the number of verdicts from quick runs.
func (s Scorecard) Provisional() int { return s.count(Entry.Provisional) }

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

// table returns the scorecard for programs: CSV, where columns have no kind.
func (s Scorecard) table() table.Table {
	var t table.Table
	for i, e := range s {
		var final, seed, version any // null for a claim whose figure has not been made
		if e.Made() {
			final, seed, version = e.Final, e.Seed, e.Version
		}
		var row []any
		for _, cell := range []struct {
			key   string
			value any
		}{
			{"claim", e.ID}, {"section", e.Section}, {"scenario", e.Scenario}, {"metric", e.Metric},
			{"claimed", e.Claimed}, {"figure", e.Figure}, {"measured", e.Measured}, {"measured_lo", orNull(e.Low)},
			{"measured_hi", orNull(e.High)}, {"verdict", string(e.Verdict)}, {"final", final},
			{"rule", e.Finding.Rule}, {"note", e.Note}, {"seed", seed}, {"version", version},
			{"p_value", orNull(e.PValue)}, {"p_value_adjusted", orNull(e.Adjusted)},
			{"significance", string(e.Significance)},
		} {
			if i == 0 {
				t.Columns = append(t.Columns, table.Text(cell.key))
			}
			row = append(row, cell.value)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// orNull returns the number as a cell.
func orNull(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}
