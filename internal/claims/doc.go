// Package claims answers one question: which quantitative statements of the paper
// [Bonato26] hold here?
//
// The statements are in claims.csv, compiled by hand from the paper: id, section, scenario,
// metric, claimed value, line in the paper's source, comment, the figure that decides the
// claim, and the rule, written before anything is run, by which it counts as reproduced. A
// [Condition] on estimates gives the verdict and its p-value; a [Finding] is the verdict
// with the measured value and its interval. [Scorecard] lists all claims with the findings
// of some figures and corrects the p-values for their number.
package claims
