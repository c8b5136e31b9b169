package claims

import (
	"math"
	"slices"

	"repslab/mc"
)

// Condition holds the two p-values of a rule's condition on estimated quantities. The
// verdict itself comes from the rule; the p-values say how likely it is due to chance.
type Condition struct {
	met    float64 // of "the condition is broken": small where it is clearly met
	broken float64 // of "the condition is met": small where it is clearly broken
}

// Certain returns a condition in which chance has no part.
func Certain(holds bool) Condition {
	if holds {
		return Condition{0, 1}
	}
	return Condition{1, 0}
}

// Untested returns a condition without evidence either way: both p-values are 1.
func Untested() Condition { return Condition{1, 1} }

// AtMost returns the condition that a quantity is at most a bound.
func AtMost(e mc.Estimate, bound float64) Condition {
	return Condition{met: e.PAtLeast(bound), broken: e.PAtMost(bound)}
}

// AtLeast returns the condition that a quantity is at least a bound.
func AtLeast(e mc.Estimate, bound float64) Condition {
	return Condition{met: e.PAtMost(bound), broken: e.PAtLeast(bound)}
}

// Between returns the condition that a quantity lies in [lo, hi]. It can be broken on one
// side only, so the p-value needs no correction for two.
func Between(e mc.Estimate, lo, hi float64) Condition {
	return Condition{met: max(e.PAtMost(lo), e.PAtLeast(hi)), broken: min(e.PAtLeast(lo), e.PAtMost(hi))}
}

// CloseTo returns the condition that a quantity is within 10 % of the claimed value. [Near]
// and [IsGain] also accept an estimate whose wide interval contains the claim; the
// p-value of such a verdict is large.
func CloseTo(e mc.Estimate, claimed float64) Condition {
	slack := float64(0.1 * math.Abs(claimed))
	return Between(e, claimed-slack, claimed+slack)
}

// Below returns the condition that one mean is below another, from independent runs, by
// Welch's approximation.
func Below(less, more mc.Estimate) Condition {
	w := mc.NewWelch(more.Value-less.Value, more.StdErr, float64(more.N), less.StdErr, float64(less.N))
	half := w.P / 2
	switch {
	case math.IsNaN(half) || half == 0.5 && less.Value != more.Value:
		return Untested()
	case less.Value < more.Value:
		return Condition{half, 1 - half}
	}
	return Condition{1 - half, half}
}

// All returns the condition that all of the given ones are met.
func All(list ...Condition) Condition { return AtLeastOf(len(list), list...) }

// Any returns the condition that at least one of the given ones is met.
func Any(list ...Condition) Condition { return AtLeastOf(1, list...) }

// AtLeastOf returns the condition that at least k of the n given ones are met,
// 1 <= k <= n: the partial conjunction of [Benjamini08], valid under any dependence.
// For k = n the p-value is the largest of all, for k = 1 it is n times the smallest.
func AtLeastOf(k int, list ...Condition) Condition {
	n := len(list)
	var met, broken []float64
	for _, c := range list {
		met, broken = append(met, c.met), append(broken, c.broken)
	}
	slices.Sort(met)
	slices.Sort(broken)
	return Condition{
		met:    min(1, float64(n-k+1)*met[k-1]),
		broken: min(1, float64(k)*broken[n-k]), // at least n-k+1 are broken
	}
}
