package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/mc"
)

// Finding holds the grade of a claim and what was measured.
type Finding struct {
	Claim    string   `json:"claim"` // id
	Grade    Grade    `json:"grade"`
	Rule     string   `json:"rule"`     // the claim's rule when the figure was made
	Measured string   `json:"measured"` // in words and numbers, with units
	Value    *float64 `json:"value"`    // nil unless the result is one number
	Low      *float64 `json:"low"`      // ends of its 95 % interval
	High     *float64 `json:"high"`
	Runs     uint64   `json:"runs"` // least number of runs behind an estimate; 0 without estimates
	Why      string   `json:"why"`  // reason for the grade in one line
	// PValue is one-sided: the probability of estimates at least as clear if the truth lies on the boundary to the
	// opposite of the grade. For a size, this boundary is the value without effect. It is nil if no estimate
	// decides.
	PValue *float64 `json:"p_value"`
	Origin `json:"-"`
	Basis  []mc.Basis `json:"-"` // the runs behind the numbers; the figure lists them
}

// Origin tells which run made a finding.
type Origin struct {
	Seed    uint64
	Version string // version of the program
}

// Validate checks a finding that comes from a file.
func (f Finding) Validate() error {
	made := slices.DeleteFunc(Grades(), func(g Grade) bool { return g == NotMade })
	if !slices.Contains(made, f.Grade) {
		return fmt.Errorf("claims: grade (%q) of %s must be one of %q", f.Grade, f.Claim, made)
	}
	if p := f.PValue; p != nil && !(*p >= 0 && *p <= 1) {
		return fmt.Errorf("claims: p-value (%v) of %s must be in [0, 1]", *p, f.Claim)
	}
	return nil
}

// finite returns a pointer to x, or nil if x is NaN or infinite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// graded returns a finding. If findings do not grade claims of this kind, the grade is the kind.
func graded(claim string, grade Grade, measured string, why ...string) Finding {
	if kind := Find(claim).Kind; !kind.graded() {
		grade = Grade(kind)
	}
	why = slices.DeleteFunc(why, func(s string) bool { return s == "" })
	return Finding{Claim: claim, Grade: grade, Measured: measured, Why: strings.Join(why, "; ")}
}

// InWords returns a finding about a predicate that does not depend on chance.
func InWords(claim string, holds bool, measured, why string) Finding {
	f := Judged(claim, Certain(holds), measured, why)
	f.PValue = nil
	return f
}

// Exactly returns a finding about a number that is computed, not estimated, by the bound that the claim's row
// names.
func Exactly(claim, name string, x float64, measured, why string) Finding {
	return InWords(claim, Within(claim, name, x), measured, why).about(Exact(x))
}

// Seen returns a finding about a predicate that the runs directly show; e is an estimate to print with it.
func Seen(claim string, holds bool, e mc.Estimate, measured, why string) Finding {
	return InWords(claim, holds, measured, why).about(e)
}

// LeftOut returns a finding without a grade of its own, and says why: no model here covers the claim, or it
// is only shown.
func LeftOut(claim, measured, why string) Finding { return graded(claim, Undecided, measured, why) }

// significant is the largest one-sided p-value of a grade that excludes its opposite: one end of the 95 % interval
// then touches the boundary.
const significant = (1 - mc.DefaultConfidence) / 2

// Judged returns a finding about a predicate on estimates: reproduced or contradicted if the estimates show it,
// otherwise undecided.
func Judged(claim string, c Condition, measured, why string) Finding {
	f := graded(claim, c.Grade(), measured, why)
	f.PValue, f.Runs, f.Basis = finite(c.pValue()), c.runs, c.basis
	return f
}

// Estimated returns a finding about an estimate, with its interval, by the bound that the claim's row names.
func Estimated(claim, name string, e mc.Estimate, measured, why string) Finding {
	return Judged(claim, Met(claim, name, e).Condition, measured, why).about(e)
}

// Grade returns the grade of a condition: reproduced, contradicted or undecided.
func (c Condition) Grade() Grade {
	switch {
	case c.pValue() > significant:
		return Undecided
	case c.Holds:
		return Reproduced
	}
	return Contradicted
}

// pValue returns the p-value of the condition's verdict.
func (c Condition) pValue() float64 {
	if c.Holds {
		return c.met
	}
	return c.broken
}

// Undecided returns the finding as undecided, because runs are too few or too small for the claim.
func (f Finding) Undecided(why string) Finding {
	if slices.Contains(ofResults(), f.Grade) {
		f.Grade, f.Why, f.PValue = Undecided, why, nil
	}
	return f
}

// Part is a reading, scenario or size that a claim speaks of.
type Part struct {
	Name string
	Condition
}

// InParts returns a finding about a claim with several parts. It holds in part if the estimates show that some
// parts hold and others do not. The reason names the parts.
func InParts(claim string, parts []Part, measured, why string) Finding {
	names := map[Grade][]string{}
	var conditions []Condition
	for _, p := range parts {
		names[p.Grade()] = append(names[p.Grade()], p.Name)
		conditions = append(conditions, p.Condition)
	}
	holding, broken := len(names[Reproduced]), len(names[Contradicted])
	grade, c := Undecided, All(conditions...)
	var words []string
	switch {
	case holding == len(parts):
		grade = Reproduced
	case broken == len(parts):
		grade, c = Contradicted, AtLeastOf(1, conditions...)
	case holding > 0 && broken > 0:
		grade = InPart
	}
	if grade == InPart || grade == Undecided {
		for _, group := range []struct {
			grade      Grade
			intro, and string
		}{{Reproduced, "holds for ", " and "}, {Contradicted, "not for ", " or "}, {Undecided, "undecided for ", " and "}} {
			if list := names[group.grade]; len(list) > 0 {
				words = append(words, group.intro+strings.Join(list, group.and))
			}
		}
	}
	f := graded(claim, grade, measured, strings.Join(words, ", "), why)
	f.Basis = All(conditions...).basis
	if c.runs > 0 {
		f.PValue, f.Runs = finite(c.pValue()), c.runs
	}
	return f
}

// Sized returns a finding about the claim's number, by [Number.grade]. It panics if the table has no number
// for the claim.
func Sized(claim string, e mc.Estimate, measured, why string) Finding {
	n := Find(claim).Number
	if n == nil {
		panic("claims: " + claim + " claims no number")
	}
	grade, p := n.grade(e)
	f := graded(claim, grade, measured, n.sizeWords(e), why).about(e)
	if f.PValue = finite(p); e.N == 0 {
		f.PValue = nil
	}
	return f
}

// about sets the measured number and its interval.
func (f Finding) about(e mc.Estimate) Finding {
	f.Value, f.Low, f.High = finite(e.Value), finite(e.Lo), finite(e.Hi)
	f.Runs = cmp.Or(e.N, f.Runs)
	return f.With(e)
}

// With adds the runs behind estimates that the finding mentions.
func (f Finding) With(estimates ...mc.Estimate) Finding {
	f.Basis = append(f.Basis, basis(estimates...)...)
	return f
}
