package table

import (
	"bytes"
	"strings"
)

// encodeLaTeX appends a tabular environment with booktabs rules.
func encodeLaTeX(buf *bytes.Buffer, columns []Column, rows [][]any) error {
	buf.WriteString("\\begin{tabular}{")
	keys := make([]string, len(columns))
	for i, c := range columns {
		if c.Kind == NumberKind {
			buf.WriteByte('r')
		} else {
			buf.WriteByte('l')
		}
		keys[i] = LaTeXText(c.Key)
	}
	buf.WriteString("}\n\\toprule\n")
	appendLaTeXRow(buf, keys)
	buf.WriteString("\\midrule\n")
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = latexValue(v)
		}
		appendLaTeXRow(buf, texts)
	}
	buf.WriteString("\\bottomrule\n\\end{tabular}\n")
	return nil
}

// appendLaTeXRow appends one line of cells that are LaTeX already.
func appendLaTeXRow(buf *bytes.Buffer, cells []string) {
	first := strings.TrimLeft(cells[0], " ")
	if strings.HasPrefix(first, "[") || strings.HasPrefix(first, "*") {
		// The \\ of the line before would take these as its argument.
		first = "{" + first[:1] + "}" + first[1:]
	}
	buf.WriteString(first)
	for _, c := range cells[1:] {
		buf.WriteString(" & " + c)
	}
	buf.WriteString(" \\\\\n")
}

// latexValue returns a checked cell as LaTeX; a number gets a true minus sign
// and a power of ten for its exponent.
func latexValue(v any) string {
	text := humanText(v)
	switch v.(type) {
	case int, int64, uint64, float64:
	default:
		return LaTeXText(text)
	}
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok {
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign = "-"
		}
		return "$" + mantissa + "\\times 10^{" + sign + strings.TrimLeft(exponent, "+-0") + "}$"
	}
	if strings.HasPrefix(text, "-") {
		return "$-$" + text[1:]
	}
	return text
}

// LaTeXText returns s as LaTeX text: what LaTeX would read as a command is
// escaped, signs and Greek letters are set as formulas, other letters are left
// to the document's input encoding.
func LaTeXText(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if r == '-' && last == '-' {
			b.WriteString("{}") // no ligature
		}
		last = r
		if t, ok := latexText(r); ok {
			b.WriteString(t)
		} else if m, ok := latexMath(r); ok {
			b.WriteString("$" + m + "$")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// HasLaTeX reports whether [LaTeXText] knows a form of r.
func HasLaTeX(r rune) bool {
	_, text := latexText(r)
	_, math := latexMath(r)
	return text || math
}

// latexText returns the text-mode form of r, or false if r needs math mode or
// is not known. Control characters become spaces.
func latexText(r rune) (string, bool) {
	switch r {
	case '&', '%', '$', '#', '_', '{', '}':
		return "\\" + string(r), true
	case '\\':
		return "\\textbackslash{}", true
	case '~':
		return "\\textasciitilde{}", true
	case '^':
		return "\\textasciicircum{}", true
	case '<':
		return "\\textless{}", true
	case '>':
		return "\\textgreater{}", true
	case '|':
		return "\\textbar{}", true
	case '–':
		return "--", true
	case '—':
		return "---", true
	case '…':
		return "\\ldots{}", true
	case '\u00a0':
		return "~", true
	}
	switch {
	case r < ' ' || r == 0x7f:
		return " ", true
	case r < 0x7f:
		return string(r), true
	case r >= 0xc0 && r <= 0x17f && r != '×' && r != '÷':
		return string(r), true // Latin letters, covered by UTF-8 input
	}
	return "", false
}

// latexMath returns the math-mode form of r, or false if it is not known.
func latexMath(r rune) (string, bool) {
	switch r {
	case 'ο':
		return "o", true
	case '°':
		return "^{\\circ}", true
	case '²':
		return "^{2}", true
	case '³':
		return "^{3}", true
	}
	const names = "α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu µ mu " +
		"ν nu ξ xi π pi ρ rho σ sigma ς varsigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega " +
		"Α mathrm{A} Β mathrm{B} Ε mathrm{E} Ζ mathrm{Z} Η mathrm{H} Ι mathrm{I} Κ mathrm{K} Μ mathrm{M} " +
		"Ν mathrm{N} Ο mathrm{O} Ρ mathrm{P} Τ mathrm{T} Χ mathrm{X} " +
		"Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega " +
		"− - × times ÷ div · cdot ± pm ≤ leq ≥ geq ≠ neq ≈ approx ∞ infty √ surd ∑ sum ∏ prod ∂ partial " +
		"→ rightarrow ← leftarrow"
	fields := strings.Fields(names)
	for i := 0; i < len(fields); i += 2 {
		if []rune(fields[i])[0] == r {
			if fields[i+1] == "-" {
				return "-", true
			}
			return "\\" + fields[i+1] + " ", true
		}
	}
	return "", false
}
