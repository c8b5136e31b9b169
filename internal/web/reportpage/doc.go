// Package reportpage answers one question: what would one look at first in a
// folder that reproduce has filled?
//
// [Write] makes three files from the records (figure.json) in the folder, whichever runs
// wrote them:
//
//   - report.html: for readers who do not know the paper, what was tested and what came out,
//     three figures that carry the story, and what is new against the paper, each claim in plain
//     words; each figure beside its claims. Folded: a figure's command, set-up and data; the table
//     of claims, each with its sentence, the measured value, that of the authors' simulator, a
//     grade and its reason; the steps of the convergence proof with their verdicts. A search
//     unfolds what it finds. The file is self-contained: it holds its pictures and, in its links,
//     its data, and its security policy lets it load nothing.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PDF files.
//
// Equal folders give equal bytes. A claim that no figure in the folder decides is shown as
// not yet made, with the command for it.
package reportpage
