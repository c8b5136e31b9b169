package rows

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"repslab/internal/frame"
)

// encodeLaTeX appends a tabular environment with booktabs rules, inside a table float if there is a
// caption.
func encodeLaTeX(buf *bytes.Buffer, columns []frame.Column, rows [][]any, remark, caption, label string) {
	keys, align := make([]string, len(columns)), make([]byte, len(columns))
	for i, c := range columns {
		keys[i], align[i] = LaTeXText(c.Key), 'l'
		if c.Numeric {
			align[i] = 'r'
		}
	}
	end := "\\bottomrule\n\\end{tabular}\n"
	if caption != "" {
		buf.WriteString("% " + strings.Join(strings.Fields(plainCell(remark)), " ") + "\n\\begin{table}\n\\centering\n\\caption{" + LaTeXText(caption) + "}\n" +
			"\\label{" + notInLabels.ReplaceAllString(label, "-") + "}\n")
		end += "\\end{table}\n"
	}
	buf.WriteString("\\begin{tabular}{" + string(align) + "}\n\\toprule\n")
	appendLaTeXRow(buf, keys)
	buf.WriteString("\\midrule\n")
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = latexValue(v, columns[i].Numeric)
		}
		appendLaTeXRow(buf, texts)
	}
	buf.WriteString(end)
}

// notInLabels matches characters that are not allowed in the argument of a label.
var notInLabels = regexp.MustCompile(`[^A-Za-z0-9:._-]+`)

// appendLaTeXRow appends one line of cells that are already LaTeX.
func appendLaTeXRow(buf *bytes.Buffer, cells []string) {
	first := strings.TrimLeft(cells[0], " ")
	if strings.HasPrefix(first, "[") || strings.HasPrefix(first, "*") {
		// The \\ of the previous line would take a bracket or star as its argument.
		first = "{" + first[:1] + "}" + first[1:]
	}
	cells[0] = first
	buf.WriteString(strings.Join(cells, " & ") + " \\\\\n")
}

// exponent finds the exponent of a number in LaTeX text.
var exponent = regexp.MustCompile(`e(?:\+|\$(-)\$)0*(\d+)`)

// latexValue returns a checked cell as LaTeX. Numbers, and texts in a column of numbers, get true minus
// signs, a large ~, and powers of ten for exponents.
func latexValue(v any, numeric bool) string {
	text := humanText(v)
	if _, isText := v.(string); v == nil || isText && !numeric {
		return LaTeXText(text)
	}
	signs := strings.NewReplacer("-", "−", "~", "∼")
	return exponent.ReplaceAllString(LaTeXText(signs.Replace(text)), `$${}\times 10^{${1}${2}}$$`)
}

// LaTeXText returns s as LaTeX text. It escapes characters with a meaning in LaTeX, sets signs and Greek
// letters as formulas, and turns control characters into spaces. Other letters depend on the document's
// input encoding.
func LaTeXText(s string) string {
	const wordJoiner = "\u2060" // between hyphens, which would join into a dash
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-"+wordJoiner+"-")
	}
	return latexEscapes().Replace(s)
}

// latexEscapes replaces characters by their LaTeX form.
var latexEscapes = sync.OnceValue(func() *strings.Replacer {
	pairs := []string{
		`\`, `\textbackslash{}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
		"|", `\textbar{}`, "–", "--", "—", "---", "…", `\ldots{}`, "\u00a0", "~", "\u2060", "{}", "\x7f", " ",
		"ο", "$o$", "°", `$^{\circ}$`, "²", "$^{2}$", "³", "$^{3}$", "−", "$-$",
	}
	for _, c := range `&%$#_{}` {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	for c := range rune(' ') {
		pairs = append(pairs, string(c), " ")
	}
	const names = "α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu µ mu " +
		"ν nu ξ xi π pi ρ rho σ sigma ς varsigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega " +
		"Α mathrm{A} Β mathrm{B} Ε mathrm{E} Ζ mathrm{Z} Η mathrm{H} Ι mathrm{I} Κ mathrm{K} Μ mathrm{M} " +
		"Ν mathrm{N} Ο mathrm{O} Ρ mathrm{P} Τ mathrm{T} Χ mathrm{X} " +
		"Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega " +
		"× times ÷ div · cdot ± pm ≤ leq ≥ geq ≠ neq ≈ approx ∞ infty √ surd ∑ sum ∏ prod ∂ partial " +
		"→ rightarrow ← leftarrow ∼ sim"
	fields := strings.Fields(names)
	for i := 0; i < len(fields); i += 2 {
		pairs = append(pairs, fields[i], `$\`+fields[i+1]+` $`)
	}
	return strings.NewReplacer(pairs...)
})
