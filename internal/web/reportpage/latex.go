package reportpage

import (
	"fmt"
	"strings"

	"repslab/internal/table"
)

// latex returns a document that shows every plot at its printed size, from its PGF file.
func latex(figures []figure) string {
	var s strings.Builder
	s.WriteString(`% All figures at the size at which they are printed. In this folder:
%   pdflatex figures.tex
% A paper includes one as below, with \usepackage{pgf} and \input{fig17/fig17.pgf}.
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
		if len(f.Plots) > 0 {
			fmt.Fprintf(&s, "\\begin{center}\n{\\footnotesize\\input{%[1]s/%[1]s.pgf}}\\\\[2mm]\n"+
				"\\small \\textbf{%[1]s}\\quad %[2]s\n\\end{center}\n\\bigskip\n", f.ID, table.LaTeXText(f.Title))
		}
	}
	s.WriteString("\\end{document}\n")
	return s.String()
}
