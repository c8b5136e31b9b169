package claims

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/rows"
	"repslab/internal/wholefile"
	"repslab/mc"
)

// Entry is a line of the scorecard: a claim with its finding.
type Entry struct {
	Claim
	Finding           // the grade is [NotMade] until the figure is made
	Adjusted *float64 // p-value adjusted for multiple testing; nil without a p-value
}

// Made reports whether the figure that decides the claim has been made.
func (e Entry) Made() bool { return e.Grade != NotMade }

// Reason returns why the claim has its grade. If the paper's claim does not hold, it adds what the authors' own
// code says.
func (e Entry) Reason() string {
	why := e.Why
	if slices.Contains([]Grade{Direction, FarSmaller, FarLarger, InPart, Contradicted}, e.Grade) {
		why += map[Agreement]string{Agrees: "; the authors' own runs agree with the paper",
			OtherSize: "; the authors' own runs differ in size", Contradicts: "; the authors' own runs contradict the paper",
			Mixed: "; the authors' own runs agree in part", TooFew: "; the authors' own runs are too few to tell"}[e.Says]
	}
	return strings.TrimPrefix(why, "; ")
}

// PValues returns the p-value and the adjusted one in words, or the empty text.
func (e Entry) PValues() string {
	if e.PValue == nil || e.Adjusted == nil {
		return ""
	}
	return fmt.Sprintf("p-value %.2g, adjusted for all grades %.2g", *e.PValue, *e.Adjusted)
}

// Scorecard lists all claims of a table in order.
type Scorecard []Entry

// Scorecards holds the scorecards of the paper, of MRC and of our own statements.
type Scorecards struct{ Paper, MRC, Own Scorecard }

// NewScorecards returns the scorecards with the given findings.
func NewScorecards(findings []Finding) Scorecards {
	return Scorecards{scorecardOf(Claims(), findings), scorecardOf(MRC(), findings), scorecardOf(Own(), findings)}
}

// All returns the entries of all scorecards.
func (s Scorecards) All() Scorecard { return slices.Concat(s.Paper, s.MRC, s.Own) }

// scorecardOf returns the scorecard of a list of claims.
func scorecardOf(list []Claim, findings []Finding) Scorecard {
	var s Scorecard
	for _, c := range list {
		e := Entry{Claim: c, Finding: Finding{Claim: c.ID, Grade: NotMade, Rule: c.Rule}}
		if i := slices.IndexFunc(findings, func(f Finding) bool { return f.Claim == c.ID }); i >= 0 {
			e.Finding = findings[i]
		}
		s = append(s, e)
	}
	for i := range s {
		if with := s[i].CountedWith; len(with) > 0 {
			s[i].Finding = s.merged(s[i].ID, with)
		}
	}
	s.adjust()
	return s
}

// merged returns the finding of a claim that other claims contain: their common grade; "holds in part" if some of
// them hold and others do not; otherwise the weaker grade.
func (s Scorecard) merged(id string, with []string) Finding {
	var words []string
	var grades []Grade
	f := Finding{Claim: id}
	for i, e := range s.named(with) {
		if i == 0 {
			f.Origin = e.Origin
		}
		grades = append(grades, e.Grade)
		if !e.Made() {
			return Finding{Claim: id, Grade: NotMade}
		}
		f.Runs = max(f.Runs, e.Runs)
		words = append(words, fmt.Sprintf("%s %s", e.ID, e.Grade))
	}
	f.Grade = together(grades)
	f.Rule, f.Measured = "counted with "+strings.Join(with, ", "), "see "+strings.Join(with, ", ")
	f.Why = strings.Join(words, ", ")
	return f
}

// together returns the grade of a claim from the grades of its parts.
func together(grades []Grade) Grade {
	some := func(g Grade) bool { return slices.Contains(grades, g) }
	holding, broken := some(Reproduced) || some(Direction) || some(FarSmaller) || some(FarLarger), some(Contradicted)
	switch {
	case some(InPart) || holding && broken:
		return InPart
	case some(Undecided):
		return Undecided
	case broken:
		return Contradicted
	case some(FarSmaller):
		return FarSmaller
	case some(FarLarger):
		return FarLarger
	case some(Direction):
		return Direction
	}
	return Reproduced
}

// named returns the entries with the given ids.
func (s Scorecard) named(ids []string) Scorecard {
	return s.where(func(e Entry) bool { return slices.Contains(ids, e.ID) })
}

// where returns the entries that satisfy a condition.
func (s Scorecard) where(holds func(Entry) bool) Scorecard {
	return lists.Where(s, holds)
}

// adjust fills in the adjusted p-values by Holm's step-down correction [Holm79], which is valid under any
// dependence. It changes no grade.
func (s Scorecard) adjust() {
	var tested []*Entry
	var p []float64
	for i := range s {
		if s[i].PValue != nil {
			tested, p = append(tested, &s[i]), append(p, *s[i].PValue)
		}
	}
	for k, adjusted := range mc.Holm(p) {
		tested[k].Adjusted = &adjusted
	}
}

// Corrected returns the sentence that says which grades do not survive Holm's correction; empty if all do.
func (s Scorecard) Corrected() string {
	tested := s.where(func(e Entry) bool { return e.Adjusted != nil && e.Grade != Undecided })
	weak := tested.where(func(e Entry) bool { return *e.PValue <= significant && *e.Adjusted > significant })
	if len(weak) == 0 {
		return ""
	}
	return fmt.Sprintf("Of %d grades with a p-value, %d have one above %v after Holm's correction for so many tests: %s.",
		len(tested), len(weak), significant, strings.Join(weak.IDs(), ", "))
}

// Graded returns the claims with a grade.
func (s Scorecard) Graded(g Grade) Scorecard {
	return s.where(func(e Entry) bool { return e.Grade == g })
}

// Results returns the results of the headline's first count that have been made.
func (s Scorecard) Results() Scorecard {
	return s.where(func(e Entry) bool { return e.Counts() && e.Made() })
}

// ContradictedTwice returns the results that both repslab and the authors' own runs contradict.
func (s Scorecard) ContradictedTwice() Scorecard {
	return s.Results().Graded(Contradicted).where(func(e Entry) bool { return e.Says == Contradicts })
}

// IDs returns the ids of the claims.
func (s Scorecard) IDs() []string {
	return lists.Map(s, func(e Entry) string { return e.ID })
}

// Headline returns the sentences that count the grades of the paper's results and arithmetic.
func (s Scorecard) Headline() string {
	text := s.Counts() + s.deciders()
	if n := len(s.Results().Graded(Contradicted)); n > 0 {
		text += fmt.Sprintf("; of the %d contradicted, %d by the authors' own runs too", n, len(s.ContradictedTwice()))
	}
	if text != "" {
		text += "."
	}
	return strings.TrimSpace(text + s.Apart())
}

// deciders says of the reproduced results what decides them, if it is not always a simulation.
func (s Scorecard) deciders() string {
	counts := map[string]int{}
	for _, e := range s.Results().Graded(Reproduced) {
		counts[e.DecidedBy]++
	}
	if counts[bySimulation] == len(s.Results().Graded(Reproduced)) {
		return ""
	}
	return fmt.Sprintf("; of the reproduced, %d by simulation, %d by theory, %d by inputs, %d by construction",
		counts[bySimulation], counts["theory"], counts["inputs"], counts["construction"])
}

// Apart returns the sentence, after a space, that counts the grades of arithmetic on given constants; empty if
// there are none.
func (s Scorecard) Apart() string {
	sums := s.where(func(e Entry) bool { return e.Kind == Arithmetic && e.Made() })
	if len(sums) == 0 {
		return ""
	}
	return fmt.Sprintf(" Arithmetic on given constants counts apart: %s.", sums.tally())
}

// tally counts the entries of each grade, in words.
func (s Scorecard) tally() string {
	var counts []string
	for _, g := range ofResults() {
		if n := len(s.Graded(g)); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.Replace(string(g), "holds in part", "in part", 1)))
		}
	}
	return strings.Join(counts, ", ")
}

// Counts returns in words how many results have each grade, and how many of the reproduced ones are numbers
// within the paper's rounding; empty if none is made.
func (s Scorecard) Counts() string {
	r := s.Results()
	if len(r) == 0 {
		return ""
	}
	text := fmt.Sprintf("Of %d results, %s", len(r), r.tally())
	numbers := r.Graded(Reproduced).where(func(e Entry) bool { return e.Number != nil && e.Value != nil })
	if len(numbers) == 0 {
		return text
	}
	rounded := numbers.where(func(e Entry) bool { return *e.Value >= e.Number.Lo && *e.Value <= e.Number.Hi })
	return fmt.Sprintf("%s; of the %d reproduced, %d are numbers, %d of them within the paper's own rounding", text,
		len(r.Graded(Reproduced)), len(numbers), len(rounded))
}

//go:embed scorecard.md.tmpl
var markdown string

// Write writes dir/scorecard.csv about the paper, dir/scorecard-mrc.csv, dir/scorecard-own.csv if there are own
// statements, and dir/scorecard.md about all. It writes nothing if no claim is decided.
func (s Scorecards) Write(dir string) error {
	if all := s.All(); len(all.Graded(NotMade)) == len(all) {
		return nil
	}
	for _, part := range []struct {
		name string
		card Scorecard
	}{{"scorecard.csv", s.Paper}, {"scorecard-mrc.csv", s.MRC}, {"scorecard-own.csv", s.Own}} {
		if len(part.card) == 0 {
			continue
		}
		if err := rows.WriteFile(filepath.Join(dir, part.name), rows.CSV, part.card.table()); err != nil {
			return err
		}
	}
	functions := template.FuncMap{"join": strings.Join, "cell": strings.NewReplacer("|", `\|`, "\n", " ").Replace}
	var text bytes.Buffer
	if err := template.Must(template.New("").Funcs(functions).Parse(markdown)).Execute(&text, s); err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	return wholefile.Write(filepath.Join(dir, "scorecard.md"), text.Bytes())
}

// table returns the scorecard for programs as CSV.
func (s Scorecard) table() (t frame.Table) {
	for _, e := range s {
		var seed, version, runs any // null for a claim without a figure yet
		if e.Made() {
			seed, version, runs = e.Seed, e.Version, e.Runs
		}
		t.Add(frame.Row{
			{"claim", e.ID}, {"line", e.Line}, {"quote", e.Quote}, {"scenario", e.Scenario}, {"metric", e.Metric},
			{"claimed", e.Claimed}, {"accepted", e.Accepted()}, {"measured", e.Measured}, {"value", orNull(e.Value)}, {"value_lo", orNull(e.Low)},
			{"value_hi", orNull(e.High)}, {"runs", runs}, {"authors", e.AuthorsValue()}, {"authors_say", string(e.Says)},
			{"grade", string(e.Grade)}, {"why", e.Reason()}, {"figure", e.Figure}, {"kind", string(e.Kind)}, {"decided_by", e.DecidedBy},
			{"counted_with", strings.Join(e.CountedWith, " ")}, {"rule", e.Finding.Rule},
			{"rule_date", e.RuleDate}, {"result_known", e.Known},
			{"p_value", orNull(e.PValue)}, {"p_value_adjusted", orNull(e.Adjusted)}, {"seed", seed}, {"version", version},
		})
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
