package claims

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// entries returns claims with the given p-values of their verdicts; NaN means none.
func entries(p ...float64) Scorecard {
	var all Scorecard
	for i, x := range p {
		all = append(all, Entry{Claim: Claim{ID: fmt.Sprintf("N%03d", i+1)}, Finding: Finding{PValue: finite(x)}})
	}
	return all
}

// TestGrade: Holm's correction by hand, over the verdicts that depend on estimates: of
// four, 0.012 is below 0.05/4, but 0.02 is not below 0.05/3, so no later one can be firm.
func TestGrade(t *testing.T) {
	all := entries(0.02, math.NaN(), 0.012, 0.4, 0.021)
	all.grade()
	for i, want := range []struct {
		significance Significance
		adjusted     float64
	}{{Marginal, 0.06}, {"", math.NaN()}, {Firm, 0.048}, {Open, 0.4}, {Marginal, 0.06}} {
		got, adjusted := all[i], math.NaN()
		if got.Adjusted != nil {
			adjusted = *got.Adjusted
		}
		if got.Significance != want.significance || math.Abs(adjusted-want.adjusted) > 1e-12 ||
			math.IsNaN(adjusted) != math.IsNaN(want.adjusted) {
			t.Errorf("%s: %q at %v, want %q at %v", got.ID, got.Significance, adjusted, want.significance,
				want.adjusted)
		}
	}
	if all.Tested() != 4 || all.Alone() != 3 || all.Chance() != 0.1 {
		t.Errorf("%d tested, %d significant alone, %v by chance, want 4, 3, 0.1", all.Tested(), all.Alone(),
			all.Chance())
	}
	if got := all.Graded(Marginal); !slices.Equal(got, []string{"N001", "N005"}) {
		t.Errorf("%v are marginal, want N001 and N005", got)
	}
	if got := entries(math.NaN(), math.NaN()); got.Tested() != 0 {
		t.Errorf("%d verdicts without a p-value count as tested", got.Tested())
	}
}
