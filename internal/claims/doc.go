// Package claims answers one question: which quantitative statements of the paper [Bonato26] hold here?
//
// The statements are in claims.csv, compiled by hand from the paper. Its columns are: id, section, line in
// the paper's source, the sentence, scenario, metric, claimed value, the interval of numbers that round to it
// and the value without effect, the kind of claim, the claims that contain it, the reading of witness.csv
// that measures the same, whether the authors' own runs support it, a comment, the figure that decides it,
// the rule, its date and whether the result was known then, its conditions, and the deciding point. Rules
// that held before are in superseded.csv, with the grades that they give. The statements in mrc.csv are about
// MRC [MRC26], in our words, and those in own.csv are our own; both have the same grades and rules. No count of the
// paper's claims contains them.
// witness.csv has results of the authors' simulator, scripts and data, as its setting and basis columns say:
// commit b751588 of tommasobo/REPS_EuroSys_Artifact, run by hand.
//
// A [Condition] on estimates, or an estimate of the claimed number, gives a [Finding] with its [Grade].
// [Scorecard] lists all claims with the findings of some figures, counts the grades, and adjusts the p-values for
// multiple testing.
package claims
