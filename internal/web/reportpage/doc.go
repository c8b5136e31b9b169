// Package reportpage answers one question: what would one look at first in a
// folder that reproduce has filled?
//
// [Write] makes three files from the records (figure.json) in the folder, whichever runs
// wrote them:
//
//   - report.html: the headline, three figures that carry the story and what is new against
//     the paper; the paper's claims, each with its sentence, the measured value, that of the
//     authors' simulator, a grade and its reason; each figure beside its claims, with command,
//     set-up and data; the steps of the convergence proof with their verdicts. The file is
//     self-contained: it holds its pictures and, in its links, its data, and its security
//     policy lets it load nothing.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PDF files.
//
// Equal folders give equal bytes. A claim that no figure in the folder decides is shown as
// not yet made, with the command for it.
package reportpage
