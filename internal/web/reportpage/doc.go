// Package reportpage answers one question: what would one look at first in a
// folder that reproduce has filled?
//
// [Write] makes three files of what the folder holds, whichever runs made it:
//
//   - report.html: the claims of the paper, each with what was measured and a
//     verdict; each figure beside its claims, with set-up, command and data; the
//     steps of the convergence proof with their verdicts. One file that asks
//     for nothing else: its pictures are in it, its data are in its links, and
//     its security policy lets it load nothing.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PGF files; it shows how a paper
//     takes them in, and needs texlive-latex-base and texlive-pictures.
//
// Equal folders give equal bytes. Nothing is left out in silence: a claim that no
// figure in the folder decides is shown as not yet made, with the command for
// it.
package reportpage
