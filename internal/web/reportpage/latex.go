package reportpage

import (
	"fmt"
	"strings"

	"repslab/internal/table"
)

// latex returns a document that shows every figure that has a plot at its
// printed size, from its PGF file beside it.
func latex(figures []figure) string {
	var s strings.Builder
	s.WriteString(`% All figures at the size at which they are printed. In this folder:
%   pdflatex figures.tex
% A paper takes one in as here, with \usepackage{pgf} and \input{fig17/fig17.pgf}.
\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{pgf}
\usepackage[a4paper,margin=12mm]{geometry}
\renewcommand{\familydefault}{\sfdefault}
\setlength{\parindent}{0pt}
\begin{document}
\sloppy
`)
	for _, f := range figures {
		if f.SVG == nil {
			continue
		}
		fmt.Fprintf(&s, "\\begin{center}\n{\\footnotesize\\input{%s/%s.pgf}}\\\\[2mm]\n\\small \\textbf{%s}\\quad %s\n\\end{center}\n\\bigskip\n",
			f.ID, f.ID, f.ID, table.LaTeXText(f.Title))
	}
	s.WriteString("\\end{document}\n")
	return s.String()
}
