package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// judged returns claims with the given doubts about their verdicts.
func judged(doubts ...string) []Judged {
	var all []Judged
	for i, doubt := range doubts {
		all = append(all, Judged{Claim: Claim{ID: fmt.Sprintf("N%03d", i+1)}, Recorded: Recorded{Doubt: doubt}})
	}
	return all
}

// TestWeigh: Holm's correction by hand, over the verdicts in which chance has a part:
// of four, 0.012 is below 0.05/4, 0.02 not below 0.05/3, and what comes after it
// cannot be firm either.
func TestWeigh(t *testing.T) {
	all := judged("0.02", "", "0.012", "0.4", "0.021")
	if err := weigh(all); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		standing Standing
		adjusted float64
	}{{Marginal, 0.06}, {"", math.NaN()}, {Firm, 0.048}, {Open, 0.4}, {Marginal, 0.06}} {
		got := all[i]
		if got.Standing != want.standing || math.Abs(got.Adjusted-want.adjusted) > 1e-12 || math.IsNaN(got.Adjusted) != math.IsNaN(want.adjusted) {
			t.Errorf("%s: %q at %v, want %q at %v", got.ID, got.Standing, got.Adjusted, want.standing, want.adjusted)
		}
	}
	text := standingText(all)
	for _, want := range []string{"4 verdicts rest", "3 of them exclude", "up to 0.1", "1 are firm, 2 marginal (N001, N005) and 1 open (N004)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if got := standingText(judged("", "")); got != "" {
		t.Errorf("without chance: %q", got)
	}
	for _, nonsense := range []string{"x", "-0.1", "1.1", "NaN"} {
		if err := weigh(judged(nonsense)); err == nil {
			t.Errorf("a doubt of %q is accepted", nonsense)
		}
	}
}
