package proofs

import (
	"fmt"
	"math"
	"strconv"
)

// tally collects inequalities lhs <= rhs.
type tally struct {
	cases, failed int
	undecided     int
	slack         float64 // smallest (rhs - lhs)/|rhs| of the inequalities that hold
	at            [2]int  // (n, k) of the smallest slack
	first         [2]int  // (n, k) of the first failure
	firstSides    [2]Interval
}

// newTally returns an empty tally.
func newTally() *tally { return &tally{slack: math.Inf(1)} }

// atMost adds a case lhs <= rhs at (n, k).
func (t *tally) atMost(lhs, rhs Interval, n, k int) {
	t.cases++
	switch compare(lhs, rhs) {
	case atMost:
		room := (rhs.Lo - lhs.Hi) / max(math.Abs(rhs.Lo), math.Abs(rhs.Hi), 1e-300)
		if room < t.slack {
			t.slack, t.at = room, [2]int{n, k}
		}
	case greater:
		if t.failed == 0 {
			t.first, t.firstSides = [2]int{n, k}, [2]Interval{lhs, rhs}
		}
		t.failed++
	default:
		t.undecided++
	}
}

// equal adds a case: a computed number equals an enclosed number, up to rounding.
func (t *tally) equal(x float64, want Interval, n int) {
	near := relative(x, 1e-12)
	t.cases++
	if near.Hi < want.Lo || near.Lo > want.Hi {
		t.failed++
		t.first, t.firstSides = [2]int{n, 0}, [2]Interval{near, want}
	}
}

// holds reports whether every case holds for certain.
func (t *tally) holds() bool { return t.cases > 0 && t.failed == 0 && t.undecided == 0 }

// percent writes a share.
func percent(x float64) string {
	return strconv.FormatFloat(100*x, 'g', 3, 64) + " %"
}

// margin writes the smallest slack and its n and k.
func (t *tally) margin() string {
	if t.failed > 0 || math.IsInf(t.slack, 1) {
		return ""
	}
	return fmt.Sprintf("%s of the bound at n = %d", percent(t.slack), t.at[0])
}

// finding returns the finding of a step that holds if every case holds. Its margin is the smallest slack,
// and it gets a sentence of evidence.
func (t *tally) finding(format string, a ...any) Finding {
	f := Finding{Verdict: decide(t.holds(), true), Margin: t.margin()}
	f.evidence(format, a...)
	return f
}

// decide returns the verdict from whether the conclusion and its printed derivation hold.
func decide(conclusion, derivation bool) Verdict {
	switch {
	case !conclusion:
		return False
	case !derivation:
		return NotJustified
	default:
		return Holds
	}
}
