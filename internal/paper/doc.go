// Package paper answers one question: which experiment re-makes which figure,
// table or claim of the paper [Bonato26], and does the claim hold?
//
// Each figure has a file. It turns [Settings] into an [Output]: tables of
// numbers, a plot, and a [Finding] for each claim that it decides. The rule by
// which a claim is judged is part of the figure's declaration ([Figure.Rules]),
// written before anything is run. Figures are numbered by their order of
// appearance in the camera-ready paper.
//
// The claims themselves, every quantitative statement of the paper's text, are
// in claims.csv: id, section, scenario, metric, claimed value, line in the
// paper's source, comment. The table was compiled by hand from the paper.
package paper
