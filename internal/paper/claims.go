package paper

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strings"

	"repslab/internal/mc"
)

//go:embed claims.csv
var claimsCSV string

// Claim is a quantitative statement of the paper.
type Claim struct {
	ID       string // N001, N002, ...
	Section  string
	Scenario string
	Metric   string
	Claimed  string // the value as the paper gives it
	Line     string // in the paper's LaTeX source
	Comment  string
}

// Claims returns all claims in order.
func Claims() ([]Claim, error) {
	lines, err := csv.NewReader(strings.NewReader(claimsCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("paper: claims.csv: %w", err)
	}
	var claims []Claim
	scenario := ""
	for _, f := range lines[1:] {
		// "same", and what "same" begins, is about the scenario of the row before.
		if rest, same := strings.CutPrefix(f[2], "same"); same {
			f[2] = scenario + rest
		} else {
			scenario = f[2]
		}
		claims = append(claims, Claim{f[0], f[1], f[2], f[3], f[4], f[5], f[6]})
	}
	return claims, nil
}

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
}

// judge returns Reproduced if the rule's condition holds, else Differs.
func judge(holds bool) Verdict {
	if holds {
		return Reproduced
	}
	return Differs
}

// exactly returns a finding about a number that is computed, not estimated.
func exactly(claim string, holds bool, value float64, measured, note string) Finding {
	return Finding{claim, judge(holds), measured, value, value, note}
}

// inWords returns a finding about a predicate.
func inWords(claim string, holds bool, measured, note string) Finding {
	return Finding{claim, judge(holds), measured, math.NaN(), math.NaN(), note}
}

// notModelled returns a finding about what no model here can show, and why.
func notModelled(claim, why, note string) Finding {
	return Finding{claim, NotModelled, why, math.NaN(), math.NaN(), note}
}

// near says whether an estimate is what is claimed: within 10 % of it, or with it
// in its interval.
func near(e mc.Estimate, claimed float64) bool {
	return within10Percent(e.Value, claimed) || e.Lo <= claimed && claimed <= e.Hi
}

// within10Percent says whether a value is within 10 % of what is claimed.
func within10Percent(value, claimed float64) bool {
	return math.Abs(value-claimed) <= 0.1*math.Abs(claimed)
}
