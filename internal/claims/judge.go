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
	NotMade     Verdict = "not yet made" // no figure in the folder decides it
)

// Verdicts returns all verdicts, in the order in which they are listed.
func Verdicts() []Verdict { return []Verdict{Reproduced, Differs, NotModelled, NotMade} }

// Rule is the condition under which a claim counts as reproduced. It is written before
// the run.
type Rule struct {
	Claim string // id
	Text  string
}

// Finding holds the verdict about a claim and what was measured.
type Finding struct {
	Claim    string   `json:"claim"` // id
	Verdict  Verdict  `json:"verdict"`
	Rule     string   `json:"rule"`     // the text of the figure's [Rule]
	Measured string   `json:"measured"` // in words and numbers, with units
	Low      *float64 `json:"low"`      // ends of the 95 % interval; nil unless the result is one number
	High     *float64 `json:"high"`
	Note     string   `json:"note"` // by how much and why it differs, or a caveat
	// PValue is the one-sided p-value of the verdict: the probability of estimates that
	// support it as clearly while the truth lies on the boundary to the other verdict.
	// It is nil where no estimate decides.
	PValue *float64 `json:"p_value"`
	Origin `json:"-"`
}

// Origin tells which figure a finding belongs to, and which run made it, if any.
type Origin struct {
	Figure  string // id
	Final   bool   // made at full scale
	Seed    uint64
	Version string // of the program
}

// finite returns a pointer to x, or nil if x is NaN or infinite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Exactly returns a finding about a number that is computed, not estimated.
func Exactly(claim string, holds bool, value float64, measured, note string) Finding {
	f := InWords(claim, holds, measured, note)
	f.Low, f.High = finite(value), finite(value)
	return f
}

// Estimated returns a finding about a number that is estimated.
func Estimated(claim string, holds bool, e mc.Estimate, measured, note string) Finding {
	f := InWords(claim, holds, measured, note)
	f.Low, f.High = finite(e.Lo), finite(e.Hi)
	return f
}

// InWords returns a finding about a predicate.
func InWords(claim string, holds bool, measured, note string) Finding {
	verdict := Differs
	if holds {
		verdict = Reproduced
	}
	return Finding{Claim: claim, Verdict: verdict, Measured: measured, Note: note}
}

// LeftOut returns a finding about a claim that no model here covers, and why.
func LeftOut(claim, why, note string) Finding {
	return Finding{Claim: claim, Verdict: NotModelled, Measured: why, Note: note}
}

// WithPValue returns the finding with the p-value of its verdict, where the verdict
// follows from a condition on estimates.
func (f Finding) WithPValue(c Condition) Finding {
	f.PValue = finite(c.broken)
	if f.Verdict == Reproduced {
		f.PValue = finite(c.met)
	}
	return f
}

// Resting is another name of WithPValue.
func (f Finding) Resting(c Condition) Finding { return f.WithPValue(c) }

// Near says whether an estimate agrees with a claimed value: it is within 10 % of it, or
// its interval contains it.
func Near(e mc.Estimate, claimed float64) bool {
	return Within10Percent(e.Value, claimed) || e.Lo <= claimed && claimed <= e.Hi
}

// Within10Percent says whether a value is within 10 % of a claimed one.
func Within10Percent(value, claimed float64) bool {
	return math.Abs(value-claimed) <= 0.1*math.Abs(claimed)
}

// IsGain says whether an estimate agrees with a claimed gain: it is within 10 % of it, or
// its interval contains it and excludes none, the value without any gain.
func IsGain(e mc.Estimate, claimed, none float64) bool {
	inside := e.Lo <= claimed && claimed <= e.Hi && (none < e.Lo || e.Hi < none)
	return Within10Percent(e.Value, claimed) || inside
}

// UpTo judges a claimed gain by the rule of [IsGain].
func UpTo(claim string, e mc.Estimate, claimed, none float64, measured, note string) Finding {
	return Estimated(claim, IsGain(e, claimed, none), e, measured, note).WithPValue(CloseTo(e, claimed))
}
