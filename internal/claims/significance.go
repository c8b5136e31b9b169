package claims

import "repslab/mc"

// familyError is the probability that one or more of all firm verdicts are wrong.
const familyError = 0.05

// alone is the p-value at which one end of a 95 % interval touches the boundary to the
// other verdict.
const alone = (1 - mc.DefaultConfidence) / 2

// Significance grades a verdict among all verdicts, some of which would be wrong by
// chance. It is empty where no estimate decides.
type Significance string

// The grades.
const (
	// Firm verdicts are all right with a probability of at least 95 %.
	Firm Significance = "firm"
	// Marginal verdicts are significant at 95 % alone, but not among all.
	Marginal Significance = "marginal"
	// Open verdicts follow from their rules like all others, but the other verdict lies
	// inside the 95 % interval: more replicas may change them.
	Open Significance = "open"
)

// grade fills in the adjusted p-values and the significance of all verdicts, by Holm's
// step-down correction [Holm79], which is valid under any dependence. It changes no
// verdict.
func (s Scorecard) grade() {
	var tested []*Entry
	var p []float64
	for i := range s {
		if s[i].PValue != nil {
			tested, p = append(tested, &s[i]), append(p, *s[i].PValue)
		}
	}
	for k, adjusted := range mc.Holm(p) {
		e := tested[k]
		e.Adjusted = &adjusted
		switch {
		case adjusted < familyError:
			e.Significance = Firm
		case p[k] < alone:
			e.Significance = Marginal
		default:
			e.Significance = Open
		}
	}
}

// Tested returns the number of verdicts that depend on estimates.
func (s Scorecard) Tested() int { return len(s) - len(s.Graded("")) }

// Alone returns the number of verdicts that are significant one by one.
func (s Scorecard) Alone() int { return len(s.Graded(Firm)) + len(s.Graded(Marginal)) }

// Chance returns the largest expected number of wrong verdicts among those significant one
// by one.
func (s Scorecard) Chance() float64 { return alone * float64(s.Tested()) }

// Graded returns the ids of the claims whose verdicts have the given significance.
func (s Scorecard) Graded(as Significance) []string {
	var ids []string
	for _, e := range s {
		if e.Significance == as {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
