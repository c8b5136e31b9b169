// Package claims answers one question: which quantitative statements of the paper
// [Bonato26] hold here?
//
// The statements are in claims.csv: id, section, scenario, metric, claimed value, line
// in the paper's source, comment. The table was compiled by hand from the paper. A
// [Rule], written before anything is run, says when a claim counts as reproduced; a
// [Condition] on estimates gives the verdict and its p-value; a [Finding] is the verdict
// with the measured value and its interval. [Scorecard] lists all claims with the findings
// of some figures and corrects the p-values for their number.
package claims
