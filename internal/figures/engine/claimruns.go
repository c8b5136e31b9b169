package engine

import (
	"fmt"

	"repslab/internal/claims"
	"repslab/internal/frame"
	"repslab/mc"
)

// claimRuns lists the named numbers behind findings run by run, so that each estimate can be computed from them.
// An estimate is the mean of value or, if over is given, the mean of value divided by the mean of over, with
// paired runs. A number without chance has no run. A bound, because some run did not finish, is not listed. It
// panics if two quantities of a claim have the same name.
func claimRuns(findings []claims.Finding) frame.Table {
	t := frame.Table{Name: "claims"}
	for _, f := range findings {
		add := func(b mc.Basis, run, over any, value float64) {
			t.Add(frame.Row{{"claim", f.Claim}, {"quantity", b.Quantity}, {"unit", b.Unit}, {"run", run}, {"value", value},
				{"over", over}})
		}
		seen := map[string]string{}
		for _, b := range f.Basis {
			numbers := fmt.Sprint(b.Values, b.Over)
			before, again := seen[b.Quantity]
			if again && before != numbers {
				panic(fmt.Sprintf("figures: %s: two quantities are called %q", f.Claim, b.Quantity))
			}
			seen[b.Quantity] = numbers
			for run := 0; run < len(b.Values) && !again; run++ {
				var over any
				if b.Over != nil {
					over = b.Over[run]
				}
				add(b, run, over, b.Values[run])
			}
		}
		if f.Value != nil && f.Runs == 0 {
			add(mc.Basis{Quantity: claims.Find(f.Claim).Metric}, nil, nil, *f.Value)
		}
	}
	return t
}
