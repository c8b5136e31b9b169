package claims

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repslab/internal/table"
	"repslab/internal/wholefile"
)

// Decider names a figure and the rules of the claims that it decides.
type Decider struct {
	Figure string
	Rules  []Rule
}

// FindingsFile holds the findings of one figure, beside its other files. The
// scorecard is built from those of all figures in a directory, so that re-making
// one figure keeps what is known of the others.
const FindingsFile = "findings.csv"

// findingsColumns are the keys of a findings file. A finding is final if the
// figure was made at full scale.
var findingsColumns = []table.Column{
	table.Text("claim"), table.Text("figure"), table.Text("measured"), table.Number("measured_lo"), table.Number("measured_hi"),
	table.Text("verdict"), table.Text("final"), table.Text("rule"), table.Text("note"), table.Number("seed"), table.Text("version"), table.Number("doubt"),
}

// FindingsTable lists the findings of a figure.
func FindingsTable(f Decider, found []Finding, final bool, seed uint64, version string) table.Table {
	t := table.Table{Columns: findingsColumns}
	for i, finding := range found {
		t.Rows = append(t.Rows, []any{finding.Claim, f.Figure, finding.Measured, finding.Low, finding.High,
			string(finding.Verdict), final, f.Rules[i].Text, finding.Note, seed, version, finding.Doubt})
	}
	return t
}

// Recorded is a finding as the folder of its figure holds it, in texts.
type Recorded struct {
	Claim, Figure, Measured, Low, High, Verdict, Final, Rule, Note, Seed, Version, Doubt string
}

// fields points at the fields in the order of findingsColumns.
func (r *Recorded) fields() []*string {
	return []*string{&r.Claim, &r.Figure, &r.Measured, &r.Low, &r.High, &r.Verdict, &r.Final, &r.Rule, &r.Note, &r.Seed, &r.Version, &r.Doubt}
}

// ReadFindings returns what the given figures in dir found, whichever run made them,
// by claim. Errors are those of reading, and of a file that this package did not
// write.
func ReadFindings(dir string, figures []Decider) (map[string]Recorded, error) {
	found := map[string]Recorded{}
	for _, f := range figures {
		path := filepath.Join(dir, f.Figure, FindingsFile)
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("claims: %w", err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("claims: %s: %w", path, err)
		}
		if len(lines) == 0 || len(lines[0]) != len(findingsColumns) {
			return nil, fmt.Errorf("claims: %s must have the %d columns of a file of findings; make the figure again", path, len(findingsColumns))
		}
		for _, line := range lines[1:] {
			var r Recorded
			for k, field := range r.fields() {
				*field = line[k]
			}
			found[r.Claim] = r
		}
	}
	return found, nil
}

// Judged is a claim with what is known of it.
type Judged struct {
	Claim
	Recorded Recorded

	doubt    float64  // the p-value of the verdict; meaningful with a Standing
	Adjusted float64  // the same among all verdicts of the folder; NaN without chance
	Standing Standing // of the verdict among all of the folder
}

// Made says whether a figure that decides the claim has been made.
func (j Judged) Made() bool { return j.Recorded.Verdict != string(NotMade) }

// mark names a verdict that is not firm although chance may have a part in it.
func (j Judged) mark() string {
	if j.Standing == Marginal || j.Standing == Open {
		return fmt.Sprintf(" (%s)", j.Standing)
	}
	return ""
}

// StandingText says how the verdict stands, with its p-values, or nothing.
func (j Judged) StandingText() string {
	if j.Standing == "" {
		return ""
	}
	return fmt.Sprintf("%s; p-value %.2g, among all verdicts %.2g", j.Standing, j.doubt, j.Adjusted)
}

// Scorecard returns all claims in order, each with what the given figures in dir
// found, whichever run made them, or [NotMade] and the figure that would decide it.
// Errors are those of reading, and of a file that this package did not write.
func Scorecard(dir string, figures []Decider) ([]Judged, error) {
	claims, err := Claims()
	if err != nil {
		return nil, err
	}
	found, err := ReadFindings(dir, figures)
	if err != nil {
		return nil, err
	}
	by := map[string]string{} // the figure that has the rule of a claim
	for _, f := range figures {
		for _, r := range f.Rules {
			by[r.Claim] = f.Figure
		}
	}
	var all []Judged
	for _, c := range claims {
		r, made := found[c.ID]
		if !made {
			r = Recorded{Claim: c.ID, Figure: by[c.ID], Verdict: string(NotMade)}
		}
		all = append(all, Judged{Claim: c, Recorded: r})
	}
	return all, weigh(all)
}

// WriteScorecard writes dir/scorecard.csv and dir/scorecard.md: the rows of
// [Scorecard]. Where no figure in dir has decided a claim it writes nothing.
func WriteScorecard(dir string, figures []Decider) error {
	all, err := Scorecard(dir, figures)
	if err != nil || !slices.ContainsFunc(all, Judged.Made) {
		return err
	}
	card := table.Table{Columns: append([]table.Column{table.Text("claim"), table.Text("section"), table.Text("scenario"), table.Text("metric"), table.Text("claimed")}, slices.Concat(findingsColumns[1:], []table.Column{table.Number("doubt_adjusted"), table.Text("standing")})...)}
	for _, c := range all {
		row := []any{c.ID, c.Section, c.Scenario, c.Metric, c.Claimed}
		for _, field := range c.Recorded.fields()[1:] {
			row = append(row, *field)
		}
		row = append(row, c.Adjusted, string(c.Standing))
		card.Rows = append(card.Rows, row)
	}
	if err := card.WriteFile(filepath.Join(dir, "scorecard.csv"), table.CSV); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, "scorecard.md"), []byte(scorecardText(all)))
}

// scorecardText returns the scorecard for readers: a short table of all claims,
// then each that is decided with its rule.
func scorecardText(claims []Judged) string {
	counts, provisional := map[string]int{}, 0
	for _, c := range claims {
		f := c.Recorded
		counts[f.Verdict]++
		if f.Final == "false" {
			provisional++
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# Scorecard\n\nOf %d claims of the paper, the figures made here decide %d: %d reproduced, %d differ, %d not modelled.",
		len(claims), len(claims)-counts[string(NotMade)], counts[string(Reproduced)], counts[string(Differs)], counts[string(NotModelled)])
	if n := counts[string(NotMade)]; n > 0 {
		fmt.Fprintf(&s, " %d are not yet made.", n)
	}
	s.WriteString("\n")
	if provisional > 0 {
		fmt.Fprintf(&s, "\n%d verdicts are provisional: only `--full` makes them final.\n", provisional)
	}
	s.WriteString(standingText(claims))
	s.WriteString("\n| claim | figure | what | claimed | verdict |\n|---|---|---|---|---|\n")
	for _, c := range claims {
		f := c.Recorded
		fmt.Fprintf(&s, "| %s | %s | %s: %s | %s | %s |\n", c.ID, f.Figure, cell(c.Scenario), cell(c.Metric), cell(c.Claimed), f.Verdict+c.mark())
	}
	for _, c := range claims {
		if !c.Made() {
			continue
		}
		f := c.Recorded
		fmt.Fprintf(&s, "\n## %s %s\n\n- Paper, section %s, %s: %s: %s\n- Measured: %s\n- Rule for \"reproduced\": %s\n",
			c.ID, f.Verdict+c.mark(), c.Section, c.Scenario, c.Metric, c.Claimed, f.Measured, f.Rule)
		for _, extra := range []struct{ name, text string }{{"Note", f.Note}, {"Standing", c.StandingText()}, {"Seed", f.Seed}, {"Made by repslab", f.Version}} {
			if extra.text != "" {
				fmt.Fprintf(&s, "- %s: %s\n", extra.name, extra.text)
			}
		}
	}
	return s.String()
}

// cell makes a text fit into a cell of a Markdown table.
func cell(v string) string {
	return strings.ReplaceAll(v, "|", `\|`)
}
