package claims

import (
	"math"

	"repslab/mc"
)

// Verdict says whether a claim holds here.
type Verdict string

// The verdicts.
const (
	Reproduced  Verdict = "reproduced"
	Differs     Verdict = "differs"
	NotModelled Verdict = "not modelled"
	NotMade     Verdict = "not yet made" // no figure that decides it has been made
)

// Rule says how a claim is judged, before the run.
type Rule struct {
	Claim string // id
	Text  string // the condition for "reproduced"
}

// Finding is what was measured about a claim.
type Finding struct {
	Claim    string // id
	Verdict  Verdict
	Measured string  // the result in words and numbers, with units
	Low      float64 // the interval's ends where the result is one number, else NaN
	High     float64
	Note     string // by how much and why it differs, or what to bear in mind
	// Doubt is the p-value of the verdict: how likely estimates are that speak for it
	// as clearly if the truth is on the edge to the other verdict. NaN where chance has
	// no part in it, or where it is about what was seen in the runs themselves.
	Doubt float64
}

// judge returns Reproduced if the rule's condition holds, else Differs.
func judge(holds bool) Verdict {
	if holds {
		return Reproduced
	}
	return Differs
}

// Exactly returns a finding about a number that is computed, not estimated.
func Exactly(claim string, holds bool, value float64, measured, note string) Finding {
	return Finding{claim, judge(holds), measured, value, value, note, math.NaN()}
}

// Estimated returns a finding about a number that is estimated.
func Estimated(claim string, holds bool, e mc.Estimate, measured, note string) Finding {
	return Finding{claim, judge(holds), measured, e.Lo, e.Hi, note, math.NaN()}
}

// InWords returns a finding about a predicate.
func InWords(claim string, holds bool, measured, note string) Finding {
	return Finding{claim, judge(holds), measured, math.NaN(), math.NaN(), note, math.NaN()}
}

// LeftOut returns a finding about what no model here can show, and why.
func LeftOut(claim, why, note string) Finding {
	return Finding{claim, NotModelled, why, math.NaN(), math.NaN(), note, math.NaN()}
}

// Near says whether an estimate is what is claimed: within 10 % of it, or with it
// in its interval.
func Near(e mc.Estimate, claimed float64) bool {
	return Within10Percent(e.Value, claimed) || e.Lo <= claimed && claimed <= e.Hi
}

// Within10Percent says whether a value is within 10 % of what is claimed.
func Within10Percent(value, claimed float64) bool {
	return math.Abs(value-claimed) <= 0.1*math.Abs(claimed)
}

// IsGain says whether an estimate is the gain that the paper claims: within 10 % of
// it, or with it in an interval that does not hold none, what there is without a
// gain.
func IsGain(e mc.Estimate, claimed, none float64) bool {
	inside := e.Lo <= claimed && claimed <= e.Hi && (none < e.Lo || e.Hi < none)
	return Within10Percent(e.Value, claimed) || inside
}

// UpTo judges a claimed gain by the rule of [IsGain].
func UpTo(claim string, e mc.Estimate, claimed, none float64, measured, note string) Finding {
	return Estimated(claim, IsGain(e, claimed, none), e, measured, note).WithPValue(CloseTo(e, claimed))
}
