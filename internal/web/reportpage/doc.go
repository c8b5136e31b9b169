// Package reportpage answers one question: what would one look at first in a
// folder that reproduce has filled?
//
// [Write] makes four files from the records (figure.json) in the folder, whichever runs
// wrote them:
//
//   - report.html: for readers who do not know the paper, at most 15,000 words: what was asked, what
//     holds and what does not, ten pictures, each figure on a screen with its claims in plain words, and
//     the verdicts of the proof. It holds its pictures, and its security policy lets it load nothing;
//     where the window is narrow, panels that lie side by side are stacked. Data and set-ups are in the
//     files of the figures, to which it links.
//   - details.html: each claim with the paper's sentence, its rule, all readings of the authors'
//     simulator, reason and command; each step of the proof with its argument.
//   - montage.html: all figures at the size at which they are printed.
//   - figures.tex: the same in LaTeX, from the PDF files.
//
// Both pages can be searched and filtered; a search unfolds what it finds. Equal folders give equal
// bytes. A claim that no figure in the folder decides is shown as not yet made, with the command for it.
package reportpage
