package claims

import (
	"fmt"
	"strings"

	"repslab/mc"
)

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
func grade(all []Entry) {
	var tested []*Entry
	var p []float64
	for i := range all {
		if value := all[i].Finding.PValue; value != nil {
			tested, p = append(tested, &all[i]), append(p, *value)
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

// significanceText summarizes how many verdicts depend on estimates and which of them
// are not firm. It is empty if none does.
func significanceText(all []Entry) string {
	ids := map[Significance][]string{}
	for _, e := range all {
		ids[e.Significance] = append(ids[e.Significance], e.ID)
	}
	list := func(s Significance) string {
		if len(ids[s]) == 0 {
			return fmt.Sprintf("0 %s", s)
		}
		return fmt.Sprintf("%d %s (%s)", len(ids[s]), s, strings.Join(ids[s], ", "))
	}
	n := len(all) - len(ids[""])
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n%d verdicts depend on estimates. One by one at 95 %%, %d of them exclude the other verdict; "+
		"among %d, up to %.1f are expected to do so by chance. With Holm's correction at 5 %% for all together, "+
		"%d are firm, %s and %s. Open means that the rule gives this verdict, "+
		"but the estimates do not exclude the other one. docs/claims.md has more.\n",
		n, len(ids[Firm])+len(ids[Marginal]), n, alone*float64(n), len(ids[Firm]), list(Marginal), list(Open))
}
