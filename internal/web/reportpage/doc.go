// Package reportpage answers one question: what would one look at first in a
// folder that reproduce has filled?
//
// [Write] makes three files from the records (figure.json) in the folder, whichever runs
// wrote them:
//
//   - report.html: the paper's claims, each with the measured value and a verdict; each
//     figure beside its claims, with set-up, command and data; the steps of the
//     convergence proof with their verdicts. The file is self-contained: it holds its
//     pictures and, in its links, its data, and its security policy lets it load nothing.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PDF files.
//
// Equal folders give equal bytes. A claim that no figure in the folder decides is shown as
// not yet made, with the command for it.
package reportpage
