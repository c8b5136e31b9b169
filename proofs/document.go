package proofs

import (
	"fmt"
	"slices"
	"strings"
)

// item is a named part of a result.
type item struct{ name, text string }

// findings returns the theorems of a step and the results of its check, in order, without empty items.
func (r Result) findings() []item {
	all := []item{
		{"Proved by machine", strings.Join(r.Theorems, ", ")},
		{"Computed", strings.Join(r.Evidence, "; ")}, {"Margin", r.Margin}, {"Counterexample", r.Counterexample},
		{"Repair", r.Repair}, {"Refuted", strings.Join(r.Refuted, "; ")},
	}
	return slices.DeleteFunc(all, func(i item) bool { return i.text == "" })
}

// firstSteps maps sentences to the steps in which they first appear.
type firstSteps map[string]string

// once returns the sentence, or a reference to the earlier step that has it.
func (s firstSteps) once(id, sentence string) string {
	if first, ok := s[sentence]; ok {
		return "as " + first
	}
	if len(sentence) > 20 {
		s[sentence] = id
	}
	return sentence
}

// brief returns the result as documents print it. References replace sentences of earlier steps. It
// leaves out computations, the margin if the conclusion of the step holds, and everything that the
// surrounding text says: the usual round-robin system, a repair "none", and the weak steps on which the
// step rests.
func (r Result) brief(s firstSteps) Result {
	r.Evidence = nil
	if r.Verdict == Holds || r.Verdict == HoldsOnSmallerDomain || r.Verdict == NotJustified {
		r.Margin = ""
	}
	r.Margin = s.once(r.ID, strings.Replace(r.Margin, " of the bound at", " at", 1))
	r.Counterexample = s.once(r.ID, strings.TrimPrefix(r.Counterexample, tinyRobin.String()+": "))
	if r.Margin == r.Counterexample { // both are in an earlier step
		r.Margin = ""
	}
	if len(r.weak) > 0 {
		r.Counterexample = ""
	}
	if r.Repair == "none" {
		r.Repair = ""
	}
	return r
}

// notation explains the symbols and conventions of findings.
var notation = []string{
	"Notation: n bins, threshold τ, b colours per bin, M balls; k or K bins are overfull (above τ) with Y balls above τ; " +
		"B is binomial (k, 1/n); T1, T2 are the rounds of phases one and two; m = 2 n ln n.",
	"Inequalities are enclosed by intervals that round outward, on the grid n = 16..256 and 10^3, 10^4, 10^5, 10^6; " +
		"fractions are exact; margins are relative to the bound. " +
		"Statements about states are checked in every state of at most n τ + n balls of the tiny self-clocked systems " +
		"(n, τ) = (2, 2), (2, 3), (3, 3), (3, 5), (4, 4). " +
		"Counterexamples in round-robin are the shortest runs, by enumeration, of n = 2, τ = 3, b = 2 unless they say otherwise; " +
		"shares of violations, with 95 % intervals, are of runs of 200 rounds at τ = 12, b = 7. " +
		"Runs start empty; each round lists its throws, colour→bin, a star if random, and then the loads.",
}

// Explain returns the whole reasoning of a step as plain text.
func Explain(r Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s  %s\n%s; process: %s\n\nClaim: %s.\n", r.ID, strings.ToUpper(string(r.Verdict)), r.Where(), r.Process, r.Claim)
	items := []item{{"Formula", r.Formula}, {"Domain", r.Domain}, {"Rests on", strings.Join(r.Rests, ", ")}, {"Why", r.Reason}}
	for _, i := range append(items, r.findings()...) {
		switch {
		case i.text == "":
		case i.name == "Computed":
			fmt.Fprintf(&s, "Computed:\n  - %s\n", strings.Join(r.Evidence, "\n  - "))
		default:
			fmt.Fprintf(&s, "%s: %s\n", i.name, i.text)
		}
	}
	if r.Verdict != r.Recorded {
		fmt.Fprintf(&s, "RECORDED VERDICT: %s, which does not follow\n", r.Recorded)
	}
	fmt.Fprintf(&s, "\n%s\n", strings.Join(notation, "\n"))
	return s.String()
}

// introduction begins the documents.
var introduction = append([]string{
	"The paper's theorem says that recycled balls into bins with a threshold τ >= 4 ln n and b >= 2.4 ln n colours converge in " +
		"O(n ln n) rounds, and that no bin ever holds more than O(ln n) balls, with high probability. " +
		"Its proof is about another process than its text, and has gaps: for the proof's process both halves are repaired here " +
		"(rounds: S9, loads: S11), for the text's process nearly all runs computed never converge (T1r). " +
		"The repaired half about rounds is proved by machine, for every n and with its constants (S9), and also where ports " +
		"serve only now and then (S20); the half about loads is proved by hand. " +
		"How large τ must really be is a theorem with a proof by hand on a core proved by machine (S21 to S23): 0.1867 ln n as n grows, " +
		"a 21st of the paper's; the law at that threshold is a conjecture with evidence (docs/threshold.md). " +
		"Where a ball comes back a round trip later, as in REPS, loads are bounded, and recycling settles if few marks are possible: " +
		"proved by machine for every n and all senders (S24 to S28). " +
		"Where hosts rotate over spines for each destination, every queue is bounded: proved by machine (S29). " +
		"Open are that law, the text's process for large n (S13), and where a round trip makes recycling break down (docs/round-trip.md).",
	"`go test -run '^$' -bench 'Threshold|Convergence|Bounds' -benchtime 400x ./recycled` measures this theory on one page, with 95 % intervals (lo, hi): " +
		"the share of runs that converge beside the limit law F and its next order; the exponent of rounds in n at τ = a ln n; rounds over pi^2 n/6 at τ = 4 ln n; " +
		"log10 of P[never] beside the bound of S6; and measured values over the bounds of S3, S5, S6, S8 and S9.",
	"The convergence theorem of the REPS paper, its proof and both lemmas, each statement checked by computation; " +
		"then a stronger theorem for the process that the proof analyses. Numbers in brackets are lines of the paper's LaTeX source.",
	"The text's process (round-robin: coloured balls thrown in cyclic order) differs from the proof's " +
		"(self-clocked: a good ball returns to its bin in the same round). " +
		"A step whose ID ends in r judges a sentence in round-robin, that of the step without the r if it quotes none, " +
		"for n >= 16, τ >= 4 ln n, b >= 2.4 ln n unless it says otherwise; " +
		"the others are about self-clocked, or numbers or B alone. " +
		"An unsound step neither holds nor is merely misprinted; a step that uses one is not justified, even if its own inference is right.",
	"Steps that name theorems are proved by machine: Coq checks the theorems, which are in proofs/coq, for every n; " +
		"those that end in finite have rational bounds. Of the others those that hold are proved by hand. " +
		"Computation checks all steps, on the grid below and in small cases.",
}, notation...)

// markup is the syntax of a document.
type markup struct {
	text    func(string) string // escapes plain text
	formula func(string) string // escapes a formula
	section string              // heading of a place in the paper
	step    func(r Result) string
	display string // a displayed formula
	gap     string // between the parts of a step
	stop    string // after the heading of a step
	label   string // format of a label and its text
}

// body returns the steps by place.
func (m markup) body(results []Result) string {
	var s strings.Builder
	place, earlier := "", firstSteps{}
	for _, r := range results {
		r = r.brief(earlier)
		if p := strings.TrimSuffix(r.Place, " (implicit)"); p != place {
			place = p
			fmt.Fprintf(&s, m.section, m.text(upperFirst(p)))
		}
		s.WriteString(m.step(r))
		if about := r.about(); about != "" {
			fmt.Fprintf(&s, " (%s)", m.text(about))
		}
		s.WriteString(m.stop + "\n" + m.gap)
		if !r.symbolic && r.same == "" {
			fmt.Fprintf(&s, "%s.\n%s", m.text(upperFirst(r.Claim)), m.gap)
		}
		if r.Formula != "" && r.same == "" {
			fmt.Fprintf(&s, m.display, m.formula(r.Formula))
		}
		s.WriteString(m.text(r.Reason) + "\n")
		for _, i := range r.findings() {
			fmt.Fprintf(&s, m.label, i.name, m.text(i.text))
		}
	}
	return s.String()
}

// about returns the domain of a step, the steps on which it rests (weak ones separately), and its lines
// unless the step with the same claim has the same lines.
func (r Result) about() string {
	var parts []string
	if r.Domain != robinDomain && r.Domain != "always" && (r.symbolic || !strings.Contains(r.Claim, r.Domain)) {
		parts = append(parts, r.Domain)
	}
	var sound, unsound []string
	for _, id := range r.Rests {
		if r.weak[id] == "" {
			sound = append(sound, id)
		} else {
			unsound = append(unsound, id)
		}
	}
	if len(sound) > 0 {
		parts = append(parts, "from "+strings.Join(sound, ", "))
	}
	if len(unsound) > 0 {
		parts = append(parts, "unsound: "+strings.Join(unsound, ", "))
	}
	if strings.HasSuffix(r.Place, "(implicit)") {
		parts = append(parts, "implicit")
	}
	if r.lines != "" && r.same == "" {
		parts = append(parts, "["+r.lines+"]")
	}
	return strings.Join(parts, "; ")
}

// Markdown returns the whole document: a table of verdicts, then every step with its formula and
// reasoning. [Explain] also has all margins and computations.
func Markdown(results []Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# The convergence proof, audited\n\nMade by `repslab prove --format markdown`; do not edit. "+
		"`repslab prove --explain ID` also prints what was computed for a step, and all margins.\n\n")
	for _, p := range introduction {
		fmt.Fprintf(&s, "%s\n\n", markdownText(p))
	}
	fmt.Fprintf(&s, "| verdict | steps | |\n|---|--:|---|\n")
	for _, v := range Verdicts() {
		var links []string
		for _, r := range results {
			if r.Verdict == v {
				links = append(links, fmt.Sprintf("[%s](#%s)", r.ID, strings.ToLower(r.ID)))
			}
		}
		list := strings.Join(links, ", ")
		if v == Holds {
			list = "all others"
		}
		if len(links) > 0 {
			fmt.Fprintf(&s, "| %s | %d | %s |\n", v, len(links), list)
		}
	}
	m := markup{
		text: markdownText, formula: func(f string) string { return f },
		section: "\n## %s\n", display: "$$%s$$\n\n", gap: "\n", label: "\n*%s:* %s\n",
		step: func(r Result) string { return fmt.Sprintf("\n### %s\n\n**%s**", r.ID, r.Verdict) },
	}
	return s.String() + m.body(results)
}

// markdownText escapes characters that Markdown would read as markup.
func markdownText(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`, "[", `\[`, "]", `\]`).Replace(text)
}

// upperFirst turns a claim into a sentence with a capital letter. A symbol at the beginning stays as it
// is.
func upperFirst(text string) string {
	formula := len(text) > 1 && text[:2] != "a " && !('a' <= text[1] && text[1] <= 'z') // b, h, k, n, e^x
	if text == "" || text[0] > 'z' || formula {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// latexHead begins the LaTeX document.
const latexHead = `\documentclass[10pt]{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\sloppy
\begin{document}
\section*{The convergence proof, audited}

\texttt{repslab prove -{}-explain ID} also prints what was computed for a step, and all margins.

`

// LaTeX returns the document as an article that compiles with a basic installation.
func LaTeX(results []Result) string {
	var s strings.Builder
	s.WriteString(latexHead)
	for _, p := range introduction {
		fmt.Fprintf(&s, "%s\n\n", latexText(p))
	}
	m := markup{
		text: latexText, formula: latexFormula,
		section: "\n\\section*{%s}\n", display: "\\[%s\\]\n", label: "\\emph{%s:} %s.\n", stop: ".",
		step: func(r Result) string { return fmt.Sprintf("\n\\paragraph{%s: %s}", r.ID, r.Verdict) },
	}
	return s.String() + m.body(results) + "\\end{document}\n"
}

// latexFormula replaces characters of formulas that LaTeX cannot read.
func latexFormula(formula string) string {
	return strings.NewReplacer("τ", `\tau `, "δ", `\delta `).Replace(formula)
}

// latexText escapes plain text, including Greek letters and signs.
func latexText(text string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<=", `$\le$`, ">=", `$\ge$`, "<", `$<$`, ">", `$>$`,
		"τ", `$\tau$`, "λ", `$\lambda$`, "δ", `$\delta$`, "ε", `$\varepsilon$`, "θ", `$\theta$`,
		"→", `$\to$`, "²", `$^2$`, "³", `$^3$`, "…", `\ldots{}`, "\"", "''", "|", `$|$`,
	).Replace(text)
}
