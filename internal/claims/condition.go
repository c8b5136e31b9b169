package claims

import (
	"math"
	"slices"

	"repslab/mc"
)

// Condition is a condition on estimated quantities. Holds says whether the estimates satisfy it, which is the
// verdict. Two p-values say how likely chance explains the verdict.
type Condition struct {
	Holds  bool
	met    float64 // p-value of "the condition is broken": small if it is clearly met
	broken float64 // p-value of "the condition is met": small if it is clearly broken
	runs   uint64  // least number of runs behind an estimate; 0 without estimates
	basis  []mc.Basis
}

// estimated returns a condition on estimates. Fewer than three runs give no evidence.
func estimated(holds bool, met, broken float64, runs uint64, of ...mc.Estimate) Condition {
	if runs < mc.Fewest {
		met, broken = 1, 1
	}
	return Condition{Holds: holds, met: met, broken: broken, runs: runs, basis: basis(of...)}
}

// basis returns the observations of the estimates that have a named basis.
func basis(estimates ...mc.Estimate) (list []mc.Basis) {
	for _, e := range estimates {
		if e.Basis.Quantity != "" {
			list = append(list, e.Basis)
		}
	}
	return list
}

// Certain returns a condition that does not depend on chance.
func Certain(holds bool) Condition {
	if holds {
		return Condition{Holds: true, broken: 1}
	}
	return Condition{met: 1}
}

// When returns the condition with another verdict, for rules that ask for more or less than the p-values test.
func (c Condition) When(holds bool) Condition {
	c.Holds = holds
	return c
}

// AtMost returns the condition that a quantity is at most a bound.
func AtMost(e mc.Estimate, bound float64) Condition {
	return estimated(e.Value <= bound, e.PAtLeast(bound), e.PAtMost(bound), e.N, e)
}

// AtLeast returns the condition that a quantity is at least a bound.
func AtLeast(e mc.Estimate, bound float64) Condition {
	return estimated(e.Value >= bound, e.PAtMost(bound), e.PAtLeast(bound), e.N, e)
}

// MoreThan returns the condition that a quantity is more than a bound.
func MoreThan(e mc.Estimate, bound float64) Condition { return AtLeast(e, bound).When(e.Value > bound) }

// LessThan returns the condition that a quantity is less than a bound.
func LessThan(e mc.Estimate, bound float64) Condition { return AtMost(e, bound).When(e.Value < bound) }

// Between returns the condition that a quantity lies in [lo, hi]. It can be broken on only one side at a time, so
// the p-value needs no correction for two sides.
func Between(e mc.Estimate, lo, hi float64) Condition {
	inside := e.Value >= lo && e.Value <= hi
	return estimated(inside, max(e.PAtMost(lo), e.PAtLeast(hi)), min(e.PAtLeast(lo), e.PAtMost(hi)), e.N, e)
}

// Below returns the condition that one mean is below another, from independent runs. It uses Welch's approximation
// on the scale of their intervals: see [mc.Estimate.Welch].
func Below(less, more mc.Estimate) Condition {
	half, holds, runs := more.Welch(less).P/2, less.Value < more.Value, min(less.N, more.N)
	switch {
	case math.IsNaN(half) || half == 0.5 && less.Value != more.Value:
		return estimated(holds, 1, 1, 0, less, more)
	case holds:
		return estimated(true, half, 1-half, runs, less, more)
	}
	return estimated(false, 1-half, half, runs, less, more)
}

// ClearlyBelow returns the condition that one mean is below another, from independent
// runs, with 95 % intervals that do not touch.
func ClearlyBelow(less, more mc.Estimate) Condition { return Below(less, more).When(less.Hi < more.Lo) }

// AtMostTimes returns the condition that a mean is at most a multiple of another, from
// independent runs.
func AtMostTimes(e mc.Estimate, factor float64, other mc.Estimate) Condition {
	c := Below(e, other.Per(1/factor)).When(e.Value <= factor*other.Value)
	c.basis = basis(e, other)
	return c
}

// All returns the condition that all given conditions are met.
func All(list ...Condition) Condition { return AtLeastOf(len(list), list...) }

// AtLeastOf returns the condition that at least k of the n given conditions are met, 1 <= k <= n: the partial
// conjunction of [Benjamini08], valid under any dependence. The p-value is the largest of all for k = n, and n
// times the smallest for k = 1.
func AtLeastOf(k int, list ...Condition) Condition {
	n, holding, runs := len(list), 0, uint64(0)
	var met, broken []float64
	var observed []mc.Basis
	for _, c := range list {
		met, broken = append(met, c.met), append(broken, c.broken)
		observed = append(observed, c.basis...)
		if c.Holds {
			holding++
		}
		if c.runs > 0 && (runs == 0 || c.runs < runs) {
			runs = c.runs
		}
	}
	slices.Sort(met)
	slices.Sort(broken)
	return Condition{
		Holds:  holding >= k,
		met:    min(1, float64(n-k+1)*met[k-1]),
		broken: min(1, float64(k)*broken[n-k]), // at least n-k+1 conditions are broken
		runs:   runs,
		basis:  observed,
	}
}
