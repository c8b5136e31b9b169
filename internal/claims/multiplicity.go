package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repslab/mc"
)

// familyError is the probability with which one or more of all verdicts that are
// called firm may be wrong.
const familyError = 0.05

// Standing says whether a verdict stands among all verdicts, of which some would be
// wrong by chance.
type Standing string

// The standings. A verdict in which chance has no part has none.
const (
	// Firm verdicts are right, all of them, with a probability of at least 95 %.
	Firm Standing = "firm"
	// Marginal verdicts rest on one interval: taken alone at 95 % the estimates exclude
	// the other verdict, but not once one counts how many verdicts there are.
	Marginal Standing = "marginal"
	// Open verdicts follow from their rules as all others do, but with the other
	// verdict inside the 95 % interval: more replicas may turn them.
	Open Standing = "open"
)

// alone is the p-value at which the end of a 95 % interval is on the edge to the other
// verdict.
const alone = (1 - mc.DefaultConfidence) / 2

// weigh fills in how the verdicts stand together: p-values by Holm's step-down
// correction [Holm79], which needs no independence. It changes no verdict. Errors
// are those of a file that this package did not write.
func weigh(all []Judged) error {
	var at []int
	var doubts []float64
	for i := range all {
		all[i].Adjusted = math.NaN()
		text := all[i].Recorded.Doubt
		if text == "" {
			continue
		}
		doubt, err := strconv.ParseFloat(text, 64)
		if err != nil || !(doubt >= 0 && doubt <= 1) {
			return fmt.Errorf("record: the doubt about %s (%q) must be a number from 0 to 1", all[i].ID, text)
		}
		at, doubts = append(at, i), append(doubts, doubt)
	}
	for k, p := range mc.Holm(doubts) {
		j := &all[at[k]]
		j.doubt, j.Adjusted = doubts[k], p
		switch {
		case p < familyError:
			j.Standing = Firm
		case j.doubt < alone:
			j.Standing = Marginal
		default:
			j.Standing = Open
		}
	}
	return nil
}

// standingText tells how many verdicts rest on estimates, how many of them chance may
// have made, and which; nothing where there are none.
func standingText(all []Judged) string {
	ids := map[Standing][]string{}
	n := 0
	for _, j := range all {
		if j.Standing != "" {
			n++
			ids[j.Standing] = append(ids[j.Standing], j.ID)
		}
	}
	if n == 0 {
		return ""
	}
	list := func(s Standing) string {
		if len(ids[s]) == 0 {
			return fmt.Sprintf("0 %s", s)
		}
		return fmt.Sprintf("%d %s (%s)", len(ids[s]), s, strings.Join(ids[s], ", "))
	}
	return fmt.Sprintf("\n%d verdicts rest on estimates. Taken one by one at 95 %%, %d of them exclude the other verdict; of so many as %d up to %.1f are expected to do so wrongly, by chance. Taken together, by Holm's correction with 5 %% for all of them, %d are firm, %s and %s: there the rule gives its verdict, but the estimates do not exclude the other one. docs/claims.md has more.\n",
		n, len(ids[Firm])+len(ids[Marginal]), n, alone*float64(n), len(ids[Firm]), list(Marginal), list(Open))
}
