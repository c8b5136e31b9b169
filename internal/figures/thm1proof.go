package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/internal/claims"
	"repslab/proofs"
)

// thm1Proof judges the paper's statements about its proof by the checks of
// package proofs, in the order of thm1's rules.
func thm1Proof(ctx context.Context) ([]claims.Finding, error) {
	audit, err := proofs.New(proofs.DefaultBins())
	if err != nil {
		return nil, err
	}
	var findings []claims.Finding
	for _, c := range []struct {
		claim   string
		decides []string // steps whose conclusions must all hold
		told    []string // others to be known
		note    string
	}{
		{"N082", []string{"B2"}, nil, ""},
		{"N083", []string{"D5", "D6", "D6r"}, nil, "the arithmetic of the binomial law is right. In the text's process that law is not the one of the balls between two of a colour"},
		{"N084", []string{"E4"}, []string{"E1", "E2"}, "E1 and E2 are printed with their inequality signs turned round"},
		{"N085", []string{"C17"}, []string{"C16"}, "C16 is the inequality that the paper derives it by, C17 what is meant"},
	} {
		holds := true
		var parts []string
		for _, id := range append(c.decides, c.told...) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			step, err := proofs.Find(id)
			if err != nil {
				return nil, err
			}
			result := audit.Check(step)
			part := fmt.Sprintf("%s %s", id, result.Verdict)
			if result.Counterexample != "" {
				part += " (" + result.Counterexample + ")"
			} else if result.Margin != "" {
				part += " (" + result.Margin + ")"
			}
			parts = append(parts, part)
			if len(parts) <= len(c.decides) {
				holds = holds && (result.Verdict == proofs.Holds || result.Verdict == proofs.NotJustified)
			}
		}
		findings = append(findings, claims.InWords(c.claim, holds, strings.Join(parts, "; "), c.note))
	}
	return findings, nil
}
