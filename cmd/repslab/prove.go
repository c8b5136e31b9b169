package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/proofs"
)

// proveFlags are the flags of prove.
type proveFlags struct {
	steps, bins, explain, format, output string

	force bool
}

func newProve() *cobra.Command {
	var f proveFlags
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Check the convergence proof step by step",
		Long: `Checks the paper's convergence theorem, its proof and both lemmas, taken apart
into steps, and the stronger theorem for the process that the proof analyses.
Each step gets a verdict: holds; holds on a smaller domain; misprinted; not
justified (the derivation, or that of a step it rests on, fails; the conclusion
holds); false; open (neither proved nor refuted). A step whose id ends with r is
judged in the process of the paper's text, round-robin.

The exit code is 1 only if a verdict of the repository's table no longer follows
from its check, or a check refutes the repair of a step; what is false in the
paper is a result.

--format markdown writes the document docs/proof.md, latex a whole document that
compiles; table and json one row a step.`,
		Example: `  repslab prove
  repslab prove --step E1,E2,C16 --bins 16..3000
  repslab prove --explain C16`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.steps, "step", "", "ids of the steps to check (default all)")
	flags.StringVar(&f.bins, "bins", "", "the n that inequalities are computed at (default 16..256 and powers of ten to 10^6)")
	flags.StringVar(&f.explain, "explain", "", "print the whole reasoning of the step with this `ID`")
	flags.StringVar(&f.format, "format", string(table.Aligned), "table, csv, json (one object a line), markdown or latex")
	flags.StringVarP(&f.output, "output", "o", "", "write to this `FILE` instead of the standard output")
	addForce(flags, &f.force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := promptly(cmd.Context(), func() (struct{}, error) {
			return struct{}{}, f.prove(cmd.OutOrStdout(), cmd.Flags().Changed)
		})
		return err
	}
	return cmd
}

// prove checks the steps and writes what is found. A verdict that no longer
// follows is an error, after everything is written.
func (f proveFlags) prove(stdout io.Writer, given func(flag string) bool) error {
	steps, err := f.chosen(given)
	if err != nil {
		return err
	}
	audit, err := f.audit(given)
	if err != nil {
		return err
	}
	format, err := table.ParseFormat(f.format)
	if err != nil {
		return usagef("--format: %.60q must be one of %v", f.format, table.Formats())
	}
	if f.output != "" {
		if err := checkOutput("-o", f.output, f.force); err != nil {
			return err
		}
	}
	var results []proofs.Result
	for _, s := range steps {
		results = append(results, audit.Check(s))
	}
	var data bytes.Buffer
	if err := f.encode(&data, format, results, given); err != nil {
		return err
	}
	if f.output != "" {
		err = writeOutput("-o", f.output, f.force, data.Bytes())
	} else {
		_, err = stdout.Write(data.Bytes())
	}
	return firstError(err, allFollow(results))
}

// allFollow returns an error that names the recorded verdicts that no longer
// follow, if there are any.
func allFollow(results []proofs.Result) error {
	var broken []string
	for _, r := range results {
		if r.Verdict != r.Recorded {
			broken = append(broken, fmt.Sprintf("%s is recorded as %q, but the check finds %q", r.ID, r.Recorded, r.Verdict))
		}
		for _, statement := range r.Refuted {
			broken = append(broken, fmt.Sprintf("the repair of %s is refuted: %s", r.ID, statement))
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return fmt.Errorf("verdicts no longer follow: %s", strings.Join(broken, "; "))
}

// chosen returns the steps that the flags name.
func (f proveFlags) chosen(given func(flag string) bool) ([]proofs.Step, error) {
	if given("step") && given("explain") {
		return nil, usagef("--step and --explain exclude each other")
	}
	flag, ids := "step", strings.Split(f.steps, ",")
	switch {
	case given("explain"):
		flag, ids = "explain", []string{f.explain}
	case !given("step"):
		return proofs.Steps(), nil
	}
	var steps []proofs.Step
	for _, id := range ids {
		s, err := proofs.Find(strings.TrimSpace(id))
		if err != nil {
			return nil, usagef("--%s: %w", flag, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// audit returns the audit at the bins that the flags name.
func (f proveFlags) audit(given func(flag string) bool) (*proofs.Audit, error) {
	bins := proofs.DefaultBins()
	if given("bins") {
		var err error
		bins, err = values.Ints(f.bins, values.IntRange{Min: proofs.MinBins, Max: proofs.MaxBins})
		if err != nil {
			return nil, usagef("--bins: %w", err)
		}
	}
	return proofs.New(bins)
}

// proveColumns are the keys of the rows.
var proveColumns = columns([]string{
	"step", "place", "process", "claim", "domain", "verdict", "margin", "counterexample", "repair",
}, "step", "place", "process", "claim", "domain", "verdict", "margin", "counterexample", "repair")

// encode writes the results in a format.
func (f proveFlags) encode(w io.Writer, format table.Format, results []proofs.Result, given func(flag string) bool) error {
	if given("explain") {
		_, err := io.WriteString(w, proofs.Explain(results[0]))
		return err
	}
	switch format {
	case table.Markdown:
		_, err := io.WriteString(w, proofs.Markdown(results))
		return err
	case table.LaTeX:
		_, err := io.WriteString(w, proofs.LaTeX(results))
		return err
	case table.Aligned:
		return writeVerdicts(w, results)
	}
	rows, err := table.NewWriter(w, format, proveColumns)
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := rows.Write([]any{r.ID, r.Where(), string(r.Process), r.Claim, r.Domain, string(r.Verdict), textOrNull(r.Margin), textOrNull(r.Counterexample), textOrNull(r.Repair)}); err != nil {
			return err
		}
	}
	return rows.Close()
}

// textOrNull returns null for an empty text.
func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// writeVerdicts writes the short table for terminals: one line a step, claims cut
// to fit; --explain has the rest.
func writeVerdicts(w io.Writer, results []proofs.Result) error {
	rows, err := table.NewWriter(w, table.Aligned, columns([]string{"step", "process", "verdict", "claim"}, "step", "process", "verdict", "claim"))
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := rows.Write([]any{r.ID, string(r.Process), string(r.Verdict), shorten(r.Claim, 90)}); err != nil {
			return err
		}
	}
	return rows.Close()
}

// shorten cuts a text to a number of characters, at a space.
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
