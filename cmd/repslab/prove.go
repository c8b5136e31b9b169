package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/internal/view"
	"repslab/proofs"
)

// proveFlags are the flags of prove.
type proveFlags struct {
	view.Flags
	steps   []proofs.Step // steps to check
	explain proofs.Step   // has an ID if --explain is given
	bins    []int
}

func newProve() *cobra.Command {
	f := proveFlags{steps: proofs.Steps(), bins: proofs.DefaultBins()}
	cmd := newCommand("prove")
	flags := cmd.Flags()
	addValue(flags, &f.steps, "step", "", "IDs of the steps to check", asOne(stepsNamed))
	byDefault(flags, "step", "all")
	addValue(flags, &f.bins, "bins", "", "values of n at which inequalities are computed",
		asOne(param.IntsIn(proofs.MinBins, proofs.MaxBins)))
	byDefault(flags, "bins", "16..256 and powers of ten to 10^6")
	addValue(flags, &f.explain, "explain", "", "print the full reasoning of the step with this `ID`", stepsNamed)
	ids := lists.Map(proofs.Steps(), func(s proofs.Step) string { return s.ID })
	annotate(flags, choicesKey, ids, "step", "explain")
	addFormat(flags, &f.Format, rows.Aligned)
	addOutput(flags, &f.Output, &f.Force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.Changed("step") && flags.Changed("explain") {
			return console.Usagef("--step and --explain exclude each other")
		}
		_, err := console.Promptly(cmd.Context(), func() (struct{}, error) {
			return struct{}{}, f.prove(cmd.Context(), cmd.OutOrStdout())
		})
		return err
	}
	return cmd
}

// prove checks the steps and writes the results. If a check does not confirm a recorded verdict, prove returns an
// error after it has written everything.
func (f proveFlags) prove(ctx context.Context, stdout io.Writer) error {
	audit, err := proofs.New(f.bins)
	if err != nil {
		return err
	}
	if err := console.CheckOutput("-o", f.Output, f.Force); err != nil {
		return err
	}
	if f.explain.ID != "" {
		result := audit.Check(f.explain)
		err := console.WriteOutput(stdout, f.Output, f.Force, []byte(proofs.Explain(result)))
		return cmp.Or(err, confirmed([]proofs.Result{result}))
	}
	results := lists.Map(f.steps, audit.Check)
	switch f.Format {
	case rows.Markdown:
		err = console.WriteOutput(stdout, f.Output, f.Force, []byte(proofs.Markdown(results)))
	case rows.LaTeX:
		err = console.WriteOutput(stdout, f.Output, f.Force, []byte(proofs.LaTeX(results)))
	default:
		err = f.writeTable(ctx, stdout, results)
	}
	return cmp.Or(err, confirmed(results))
}

// writeTable writes the results as a table of texts.
func (f proveFlags) writeTable(ctx context.Context, stdout io.Writer, results []proofs.Result) error {
	names, rowOf := proveKeys, proveRow
	if f.Format == rows.Aligned {
		most := longestClaim
		if f.Output == "" {
			most = console.TitleWidth(stdout, longestClaim, besideClaim)
		}
		names, rowOf = terminalKeys, func(r proofs.Result) []any { return terminalRow(r, most) }
	}
	t := rows.New(param.Model{}, lists.Map(strings.Fields(names), frame.Text))
	for _, r := range results {
		t.AddRow(rowOf(r))
	}
	return f.Print(ctx, stdout, t)
}

// confirmed returns an error that names the recorded verdicts that the checks do not confirm, or nil.
func confirmed(results []proofs.Result) error {
	var broken []string
	for _, r := range results {
		if r.Verdict != r.Recorded {
			broken = append(broken, fmt.Sprintf("%s is recorded as %q, but the check finds %q",
				r.ID, r.Recorded, r.Verdict))
		}
		for _, statement := range r.Refuted {
			broken = append(broken, fmt.Sprintf("the repair of %s is refuted: %s", r.ID, statement))
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return fmt.Errorf("verdicts are not confirmed: %s", strings.Join(broken, "; "))
}

// stepsNamed returns the steps with the given IDs.
func stepsNamed(ids string) ([]proofs.Step, error) {
	return values.Each(ids, ",", func(id string) (proofs.Step, error) { return proofs.Find(strings.TrimSpace(id)) })
}

// The keys of a row, and of a row on a terminal.
const (
	proveKeys    = "step place process claim domain verdict theorems margin counterexample repair"
	terminalKeys = "step process verdict claim"
)

// proveRow returns the cells of a result.
func proveRow(r proofs.Result) []any {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	return []any{r.ID, r.Where(), string(r.Process), r.Claim, r.Domain, string(r.Verdict),
		orNull(strings.Join(r.Theorems, ", ")), orNull(r.Margin), orNull(r.Counterexample), orNull(r.Repair)}
}

// Numbers of characters in a line on a terminal.
const (
	longestClaim = 90
	besideClaim  = 52 // for the longest step, process and verdict, and for gaps
)

// terminalRow returns the cells of a result on a terminal: one line, with at most the given number of characters
// of the claim. --explain prints the rest.
func terminalRow(r proofs.Result, most int) []any {
	return []any{r.ID, string(r.Process), verdictOf(r), shorten(r.Claim, most)}
}

// verdictOf returns the verdict of a result, and the first theorem about it that Coq proves, if any.
func verdictOf(r proofs.Result) string {
	if len(r.Theorems) == 0 {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s (Coq: %s)", r.Verdict, r.Theorems[0])
}

// shorten cuts a text at a space to at most a number of characters.
func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cut := string(runes[:most-1])
	if at := strings.LastIndex(cut, " "); at > 0 {
		cut = cut[:at]
	}
	return cut + " …"
}
