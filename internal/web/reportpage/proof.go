package reportpage

import (
	"fmt"
	"strings"

	"repslab/internal/lists"
	"repslab/proofs"
)

// proof is the section of the report about the convergence proof. Its parts are the steps of the paper,
// the same steps for the process that the text of the paper describes, and steps that this module adds.
type proof struct {
	Headline string
	Parts    []string
	Rows     []proofRow
	Broken   []brokenSteps
}

// proofRow counts the steps with a given verdict, by part.
type proofRow struct {
	Verdict proofs.Verdict
	Counts  []int
}

// brokenSteps lists the steps of the paper with a given verdict.
type brokenSteps struct {
	Verdict proofs.Verdict
	Steps   []proofs.Step
}

// partOf returns the part of the proof that a step belongs to.
func partOf(s proofs.Step) int {
	switch {
	case len(s.Lines) == 0:
		return 2 // not in the paper
	case strings.HasSuffix(s.ID, "r"):
		return 1
	}
	return 0
}

// inWords returns the predicate of a sentence about a number of steps with a verdict.
func inWords(count int, v proofs.Verdict) string {
	predicate, isVerb := strings.CutPrefix(string(v), "holds")
	verb := map[bool]string{true: "hold", false: "are "}[isVerb]
	if count == 1 {
		verb = map[bool]string{true: "holds", false: "is "}[isVerb]
	}
	return fmt.Sprintf("%d %s%s", count, verb, predicate)
}

// Proof returns the section about the proof.
func (p page) Proof() proof {
	result := proof{Parts: []string{"paper's", "repeats", "ours"}}
	total := make([]int, len(result.Parts))
	own := map[proofs.Verdict][]proofs.Step{}
	for _, v := range proofs.Verdicts() {
		row := proofRow{v, make([]int, len(result.Parts))}
		for _, s := range p.Steps {
			if p.Recorded[s.ID] != v {
				continue
			}
			part := partOf(s)
			row.Counts[part]++
			total[part]++
			if part == 0 {
				own[v] = append(own[v], s)
			}
		}
		result.Rows = append(result.Rows, row)
	}
	counts := func(part int) string {
		kept := lists.Where(result.Rows, func(r proofRow) bool { return r.Counts[part] != 0 })
		return strings.Join(lists.Map(kept, func(r proofRow) string { return inWords(r.Counts[part], r.Verdict) }), ", ")
	}
	result.Headline = fmt.Sprintf("The paper's proof has %d steps: %s. The text describes another process (balls with colours, "+
		"thrown in turn) than the proof analyses: of %d steps repeated for it %s. Ours are %d more, of a stronger theorem: %s.",
		total[0], counts(0), total[1], counts(1), total[2], counts(2))
	for _, v := range []proofs.Verdict{proofs.False, proofs.NotJustified} {
		if len(own[v]) > 0 {
			result.Broken = append(result.Broken, brokenSteps{v, own[v]})
		}
	}
	return result
}
