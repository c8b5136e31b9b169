// Package claims answers one question: which quantitative statements of the paper
// [Bonato26] hold here?
//
// The statements are in claims.csv, compiled by hand from the paper: id, section, line in the
// paper's source, the sentence, scenario, metric, claimed value, the number that it may stand
// for by its rounding and the value without effect, the kind of claim, the claims that contain
// it, the reading of witness.csv that measures the same, whether the authors' own runs bear it
// out, a comment, the figure that decides it, the rule, and the runs that it needs, written before anything
// is run.
// The statements in mrc.csv are about MRC [MRC26], in our words, by the same grades and rules; no count of the paper's
// claims has them.
// witness.csv is what the authors' simulator, scripts and data yield, as its setting and basis
// columns say: commit b751588 of tommasobo/REPS_EuroSys_Artifact, run by hand.
//
// A [Condition] on estimates, or an estimate of the claimed number, gives a [Finding] with its
// [Grade]. [Scorecard] lists all claims with the findings of some figures, counts the grades
// and corrects the p-values for their number.
package claims
