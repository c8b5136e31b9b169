package proofs

import (
	"fmt"
	"slices"
	"strings"
)

// Where returns the step's place with its lines, as in "appendix B, first phase,
// lines 799-800".
func (s Step) Where() string {
	if len(s.Lines) == 0 {
		return s.Place
	}
	numbers := slices.Clone(s.Lines)
	slices.Sort(numbers)
	var spans []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] <= numbers[j]+1 {
			j++
		}
		if numbers[i] == numbers[j] {
			spans = append(spans, fmt.Sprint(numbers[i]))
		} else {
			spans = append(spans, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	word := "line"
	if len(numbers) > 1 {
		word = "lines"
	}
	return s.Place + ", " + word + " " + strings.Join(spans, ", ")
}

// item is a named part of what is known of a step.
type item struct{ name, text string }

// items returns what is known of a result, in order, without what is empty.
func (r Result) items() []item {
	all := []item{
		{"Domain", r.Domain}, {"Rests on", strings.Join(r.Rests, ", ")}, {"Why", r.Reason}, {"Computed", strings.Join(r.Evidence, "; ")},
		{"Margin", r.Margin}, {"Counterexample", r.Counterexample}, {"Repair", r.Repair},
		{"Refuted", strings.Join(r.Refuted, "; ")},
	}
	return slices.DeleteFunc(all, func(i item) bool { return i.text == "" })
}

// Explain returns the whole reasoning of a step as plain text.
func Explain(r Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s  %s\n%s; process: %s\n\nClaim: %s.\n", r.ID, strings.ToUpper(string(r.Verdict)), r.Where(), r.Process, r.Claim)
	if r.Formula != "" {
		fmt.Fprintf(&s, "Formula: %s\n", r.Formula)
	}
	for _, i := range r.items() {
		if i.name == "Computed" {
			s.WriteString("Computed:\n")
			for _, e := range r.Evidence {
				fmt.Fprintf(&s, "  - %s\n", e)
			}
			continue
		}
		fmt.Fprintf(&s, "%s: %s\n", i.name, i.text)
	}
	if r.Verdict != r.Recorded {
		fmt.Fprintf(&s, "RECORDED VERDICT: %s, which no longer follows\n", r.Recorded)
	}
	return s.String()
}

// summary counts verdicts, in the order of [Verdicts].
func summary(results []Result) string {
	counts := map[Verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
	}
	var parts []string
	for _, v := range Verdicts() {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	return fmt.Sprintf("%d steps: %s", len(results), strings.Join(parts, ", "))
}

// introduction is the beginning of the documents.
var introduction = []string{
	"The convergence theorem of the REPS paper, its proof and both lemmas, statement by statement, each checked by computation; then the stronger theorem for the process that the proof analyses. Lines are those of the paper's LaTeX source.",
	"The text's process (round-robin: coloured balls thrown in cyclic order) and the proof's process (self-clocked: a good ball returns to its bin in the same round) are not the same. Steps whose id ends with r judge a sentence of the proof in the text's process. n bins, integer threshold τ, M balls, K bins above τ, Y balls above τ, B binomial (k, 1/n). Runs are printed round by round: colour→bin, a star for a random throw.",
	"A step that rests on steps whose derivations fail is not justified either, though its own inference is right and its conclusion holds.",
}

// Markdown returns the whole document: a table of verdicts, then every step with
// its formula and reasoning.
func Markdown(results []Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# The convergence proof, audited\n\nMade by `repslab prove --format markdown`; do not edit.\n\n")
	for _, p := range introduction {
		fmt.Fprintf(&s, "%s\n\n", p)
	}
	fmt.Fprintf(&s, "%s.\n\n| step | process | verdict | claim |\n|---|---|---|---|\n", summary(results))
	for _, r := range results {
		fmt.Fprintf(&s, "| [%s](#%s) | %s | %s | %s |\n", r.ID, strings.ToLower(r.ID), r.Process, r.Verdict, markdownText(r.Claim))
	}
	for _, r := range results {
		fmt.Fprintf(&s, "\n### %s\n\n**%s** (%s; process: %s)\n\n%s.\n", r.ID, r.Verdict, r.Where(), r.Process, markdownText(upperFirst(r.Claim)))
		if r.Formula != "" {
			fmt.Fprintf(&s, "\n$$%s$$\n", r.Formula)
		}
		s.WriteString("\n")
		for _, i := range r.items() {
			fmt.Fprintf(&s, "- %s: %s\n", i.name, markdownText(i.text))
		}
	}
	return s.String()
}

// markdownText escapes what Markdown would read as markup.
func markdownText(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`, "[", `\[`, "]", `\]`).Replace(text)
}

// upperFirst makes a sentence of a claim; one that begins with a symbol keeps it.
func upperFirst(text string) string {
	if text == "" || text[0] > 'z' {
		return text
	}
	if len(text) > 1 && text[:2] != "a " && !('a' <= text[1] && text[1] <= 'z') {
		return text // a formula: b, h, k, n, e^x
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// LaTeX returns the document as an article that compiles with a basic
// installation.
func LaTeX(results []Result) string {
	var s strings.Builder
	s.WriteString(`\documentclass[10pt]{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\sloppy
\begin{document}
\section*{The convergence proof, audited}
`)
	for _, p := range introduction {
		fmt.Fprintf(&s, "%s\n\n", latexText(p))
	}
	fmt.Fprintf(&s, "%s.\n", latexText(summary(results)))
	for _, r := range results {
		fmt.Fprintf(&s, "\n\\subsection*{%s: %s}\n\\emph{%s; process: %s.}\n\n%s.\n", latexText(r.ID), latexText(string(r.Verdict)), latexText(r.Where()), r.Process, latexText(upperFirst(r.Claim)))
		if r.Formula != "" {
			fmt.Fprintf(&s, "\\[%s\\]\n", latexFormula(r.Formula))
		}
		for _, i := range r.items() {
			fmt.Fprintf(&s, "\n\\textbf{%s.} %s\n", i.name, latexText(i.text))
		}
	}
	s.WriteString("\\end{document}\n")
	return s.String()
}

// latexFormula replaces characters of formulas that LaTeX has no input for.
func latexFormula(formula string) string {
	return strings.NewReplacer("τ", `\tau `, "δ", `\delta `).Replace(formula)
}

// latexText escapes plain text, Greek letters and signs included.
func latexText(text string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<=", `$\le$`, ">=", `$\ge$`, "<", `$<$`, ">", `$>$`,
		"τ", `$\tau$`, "λ", `$\lambda$`, "δ", `$\delta$`, "ε", `$\varepsilon$`, "θ", `$\theta$`,
		"→", `$\to$`, "²", `$^2$`, "³", `$^3$`, "…", `\ldots{}`, "\"", "''", "|", `$|$`,
	).Replace(text)
}
