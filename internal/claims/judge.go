package claims

import (
	"fmt"
	"math"
	"slices"

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

// Finding holds the verdict about a claim and what was measured.
type Finding struct {
	Claim    string   `json:"claim"` // id
	Verdict  Verdict  `json:"verdict"`
	Rule     string   `json:"rule"`     // of the claim, when the figure was made
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

// Origin tells which run made a finding.
type Origin struct {
	Final   bool // made at full scale
	Seed    uint64
	Version string // of the program
}

// Validate checks a finding that comes from a file.
func (f Finding) Validate() error {
	made := []Verdict{Reproduced, Differs, NotModelled}
	if !slices.Contains(made, f.Verdict) {
		return fmt.Errorf("claims: verdict (%q) of %s must be one of %q", f.Verdict, f.Claim, made)
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

// InWords returns a finding about a predicate in which chance has no part.
func InWords(claim string, holds bool, measured, note string) Finding {
	verdict := Differs
	if holds {
		verdict = Reproduced
	}
	return Finding{Claim: claim, Verdict: verdict, Measured: measured, Note: note}
}

// Exactly returns a finding about a number that is computed, not estimated.
func Exactly(claim string, holds bool, value float64, measured, note string) Finding {
	return InWords(claim, holds, measured, note).withInterval(value, value)
}

// Seen returns a finding about what the runs themselves show; e is an estimate to go with it.
func Seen(claim string, holds bool, e mc.Estimate, measured, note string) Finding {
	return InWords(claim, holds, measured, note).withInterval(e.Lo, e.Hi)
}

// Judged returns a finding about a condition on estimates.
func Judged(claim string, c Condition, measured, note string) Finding {
	f := InWords(claim, c.Holds, measured, note)
	f.PValue = finite(c.broken)
	if c.Holds {
		f.PValue = finite(c.met)
	}
	return f
}

// Estimated returns a finding about a condition on an estimate, with its interval.
func Estimated(claim string, e mc.Estimate, c Condition, measured, note string) Finding {
	return Judged(claim, c, measured, note).withInterval(e.Lo, e.Hi)
}

// LeftOut returns a finding about a claim that no model here covers, and why.
func LeftOut(claim, why, note string) Finding {
	return Finding{Claim: claim, Verdict: NotModelled, Measured: why, Note: note}
}

// withInterval returns the finding with the interval of the measured number.
func (f Finding) withInterval(lo, hi float64) Finding {
	f.Low, f.High = finite(lo), finite(hi)
	return f
}
