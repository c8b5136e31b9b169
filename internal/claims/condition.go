package claims

import (
	"math"
	"slices"

	"repslab/mc"
)

// Condition is what a rule says about the numbers behind the estimates, and how well
// the estimates decide it: two p-values, small where the estimates are far on one
// side. It judges nothing, the rule does; it tells how far chance may have had a
// hand in the verdict.
type Condition struct {
	met    float64 // p-value of its not being met: small where it surely is
	broken float64 // p-value of its being met: small where it surely is not
}

// Certain is a condition without chance.
func Certain(holds bool) Condition {
	if holds {
		return Condition{0, 1}
	}
	return Condition{1, 0}
}

// Untested is a condition of which no p-value is known, whether it holds or not.
func Untested() Condition { return Condition{1, 1} }

// AtMost is the condition that a number is at most a bound.
func AtMost(e mc.Estimate, bound float64) Condition {
	return Condition{met: e.PAtLeast(bound), broken: e.PAtMost(bound)}
}

// AtLeast is the condition that a number is at least a bound.
func AtLeast(e mc.Estimate, bound float64) Condition {
	return Condition{met: e.PAtMost(bound), broken: e.PAtLeast(bound)}
}

// Between is the condition that a number is from lo to hi. It is broken on one side
// at the most, so that the p-value need not pay for two.
func Between(e mc.Estimate, lo, hi float64) Condition {
	return Condition{met: max(e.PAtMost(lo), e.PAtLeast(hi)), broken: min(e.PAtLeast(lo), e.PAtMost(hi))}
}

// CloseTo is the condition that a number is within 10 % of what is claimed. The rules
// of [Near] and [IsGain] are about it, but count as reproduced also what the
// interval cannot tell from the claim: such a verdict does not rest on evidence.
func CloseTo(e mc.Estimate, claimed float64) Condition {
	slack := float64(0.1 * math.Abs(claimed))
	return Between(e, claimed-slack, claimed+slack)
}

// Below is the condition that a number is below another, of independent runs, by
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

// All is the condition that each of several is met.
func All(list ...Condition) Condition { return AtLeastOf(len(list), list...) }

// Any is the condition that one of several is met.
func Any(list ...Condition) Condition { return AtLeastOf(1, list...) }

// AtLeastOf is the condition that at least k of n are met, 1 <= k <= n: the
// partial conjunction of [Benjamini08], whatever the dependence of the parts.
// Its extremes are the largest p-value of all and n times the smallest.
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

// WithPValue returns the finding with the doubt that the estimates leave about its
// verdict.
func (f Finding) WithPValue(on Condition) Finding {
	f.Doubt = on.broken
	if f.Verdict == Reproduced {
		f.Doubt = on.met
	}
	return f
}
