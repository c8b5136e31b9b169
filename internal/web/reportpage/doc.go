// Package reportpage makes the report: the pages to look at first in a folder that reproduce has filled.
//
// [Write] makes four files from all manifests (figure.json) in the folder:
//
//   - report.html: for readers who do not know the paper, at most 15,000 words. It has the questions, the
//     claims that hold and those that do not, ten pictures, one screen for each figure with its claims in
//     plain words, and the verdicts on the proof. It contains its pictures, and its security policy lets
//     it load nothing. In a narrow window, panels that lie side by side are stacked. Data and set-ups are
//     in the files of the figures, to which it links.
//   - details.html: each claim with the sentence of the paper, the rule that decides it, all readings of
//     the authors' simulator, the reason and the command; each step of the proof with its argument.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PDF files.
//
// Both pages can be searched and filtered; a search unfolds what it finds. Equal folders give equal
// bytes. A claim that no figure in the folder decides is shown as not yet made, with the command for it.
package reportpage
