package paper

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repslab/internal/report"
	"repslab/internal/wholefile"
)

// findingsFile holds the findings of one figure, beside its other files. The
// scorecard is built from those of all figures in a directory, so that re-making
// one figure keeps what is known of the others.
const findingsFile = "findings.csv"

// findingsColumns are the keys of a findings file. A finding is final if the
// figure was made at full scale.
var findingsColumns = []report.Column{
	text("claim"), text("figure"), text("measured"), number("measured_lo"), number("measured_hi"),
	text("verdict"), text("final"), text("rule"), text("note"), number("seed"), text("version"),
}

// findingsTable lists the findings of a figure.
func findingsTable(f Figure, out Output, p Provenance) Table {
	t := Table{Columns: findingsColumns}
	for i, finding := range out.Findings {
		t.Rows = append(t.Rows, []any{finding.Claim, f.ID, finding.Measured, finding.Low, finding.High,
			string(finding.Verdict), p.Scale == Full, f.Rules[i].Text, finding.Note, p.Seed, p.Version})
	}
	return t
}

// readFindings returns the findings in dir of all figures, by claim, as texts by
// key.
func readFindings(dir string) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	for _, f := range Figures() {
		path := filepath.Join(dir, f.ID, findingsFile)
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("paper: %w", err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("paper: %s: %w", path, err)
		}
		for i, line := range lines {
			if i == 0 {
				continue
			}
			finding := map[string]string{}
			for k, key := range lines[0] {
				finding[key] = line[k]
			}
			found[finding["claim"]] = finding
		}
	}
	return found, nil
}

// WriteScorecard writes dir/scorecard.csv and dir/scorecard.md: a row for each
// claim that the figures in dir decide, in the order of the claims, whichever run
// made them. Where there is no figure in dir it writes nothing.
func WriteScorecard(dir string) error {
	claims, err := Claims()
	if err != nil {
		return err
	}
	findings, err := readFindings(dir)
	if err != nil || len(findings) == 0 {
		return err
	}
	table := Table{Columns: append([]report.Column{text("claim"), text("section"), text("scenario"), text("metric"), text("claimed")}, findingsColumns[1:]...)}
	for _, c := range claims {
		finding, ok := findings[c.ID]
		if !ok {
			continue
		}
		row := []any{c.ID, c.Section, c.Scenario, c.Metric, c.Claimed}
		for _, column := range findingsColumns[1:] {
			row = append(row, finding[column.Key])
		}
		table.Rows = append(table.Rows, row)
	}
	if err := writeTable(filepath.Join(dir, "scorecard.csv"), table, report.CSV); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, "scorecard.md"), []byte(scorecardText(claims, findings)))
}

// scorecardText returns the scorecard for readers: a short table, then each claim
// with its rule.
func scorecardText(claims []Claim, findings map[string]map[string]string) string {
	var decided []Claim
	counts, provisional := map[string]int{}, 0
	for _, c := range claims {
		if f, ok := findings[c.ID]; ok {
			decided = append(decided, c)
			counts[f["verdict"]]++
			if f["final"] != "true" {
				provisional++
			}
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# Scorecard\n\nOf %d claims of the paper, the figures made here decide %d: %d reproduced, %d differ, %d not modelled.\n",
		len(claims), len(decided), counts[string(Reproduced)], counts[string(Differs)], counts[string(NotModelled)])
	if provisional > 0 {
		fmt.Fprintf(&s, "\n%d verdicts are provisional: only `--full` makes them final.\n", provisional)
	}
	s.WriteString("\n| claim | figure | what | claimed | verdict |\n|---|---|---|---|---|\n")
	for _, c := range decided {
		f := findings[c.ID]
		fmt.Fprintf(&s, "| %s | %s | %s: %s | %s | %s |\n", c.ID, f["figure"], cell(c.Scenario), cell(c.Metric), cell(c.Claimed), f["verdict"])
	}
	for _, c := range decided {
		f := findings[c.ID]
		fmt.Fprintf(&s, "\n## %s %s\n\n- Paper, section %s, %s: %s: %s\n- Measured: %s\n- Rule for \"reproduced\": %s\n",
			c.ID, f["verdict"], c.Section, c.Scenario, c.Metric, c.Claimed, f["measured"], f["rule"])
		for _, extra := range []struct{ name, key string }{{"Note", "note"}, {"Seed", "seed"}, {"Made by repslab", "version"}} {
			if f[extra.key] != "" {
				fmt.Fprintf(&s, "- %s: %s\n", extra.name, f[extra.key])
			}
		}
	}
	return s.String()
}

// cell makes a text fit into a cell of a Markdown table.
func cell(v string) string {
	return strings.ReplaceAll(v, "|", `\|`)
}
