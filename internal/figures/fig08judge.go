package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/claims"
	"repslab/mc"
)

// fig08Findings judges the claims about failures.
func fig08Findings(c *Comparison) []claims.Finding {
	largest := Most(c.AllGains("ops", "reps"))
	hundredfold := claims.UpTo("N009", largest.Ratio, 100, 1, "largest over REPS: "+largest.String(),
		"failures last here, as the authors'; fig07 has two that pass. Under OPS the window falls to one packet and every loss costs a time-out, so the gain grows with message and failure without bound")
	repeated := hundredfold
	repeated.Claim, repeated.Note = "N079", "on N005 to N008 see fig03 and fig05"
	return []claims.Finding{hundredfold, fig08Predicate(c), repeated, fig08Losses(c)}
}

// underBitErrors says whether a gain is one under bit errors, and not one where
// cables or switches are dead.
func underBitErrors(g Gain) bool { return strings.HasPrefix(g.At.Label, "BER") }

// whereDead returns the gains where cables or switches are dead.
func whereDead(list []Gain) []Gain {
	return slices.DeleteFunc(slices.Clone(list), underBitErrors)
}

// least returns the gain of the smallest ratio; those that are not known are
// passed over.
func least(list []Gain) Gain {
	smallest := Gain{}
	for _, g := range list {
		if !math.IsNaN(g.Ratio.Value) && (smallest.Than.Key == "" || g.Ratio.Value < smallest.Ratio.Value) {
			smallest = g
		}
	}
	return smallest
}

// fig08Predicate judges what the paper says of the figure in words.
func fig08Predicate(c *Comparison) claims.Finding {
	overOPS := c.AllGains("ops", "reps")
	slowest := least(whereDead(overOPS))
	underErrors := slices.DeleteFunc(slices.Clone(overOPS), func(g Gain) bool { return !underBitErrors(g) })
	spoilt := least(underErrors)
	var rivals []Gain
	for _, other := range c.Compared {
		if other.Key != "reps" {
			rivals = append(rivals, whereDead(c.AllGains(other.Key, "reps"))...)
		}
	}
	closest := least(rivals)
	ratioOf := map[string]mc.Estimate{}
	for _, g := range c.Gains(Patterns, "ops", "reps", Longest()) {
		ratioOf[g.At.Label] = g.Ratio
	}
	gainOf := func(label string) float64 { return ratioOf[label].Value }
	growing := gainOf("5% cables") > gainOf("cable") && gainOf("switch, 5% c.") > gainOf("switch")
	means, better := map[string]float64{}, 0
	for _, key := range []string{"plb", "flowlet", "mprdma", "bitmap"} {
		means[key] = geometricMean(c.AllGains("ops", key))
	}
	for _, mean := range means {
		if mean > means["mprdma"] {
			better++
		}
	}
	conditions := []claims.Condition{
		claims.Below(ratioOf["cable"], ratioOf["5% cables"]), claims.Below(ratioOf["switch"], ratioOf["switch, 5% c."]),
		claims.Untested(), // geometric means
	}
	for _, part := range []struct {
		gains []Gain
		least float64
	}{{whereDead(overOPS), 2}, {rivals, 1}, {underErrors, 0.95}} {
		for _, g := range part.gains {
			conditions = append(conditions, claims.AtLeast(g.Ratio, part.least))
		}
	}
	parts := []fig08Part{
		{"OPS takes twice as long", slowest.Ratio.Value >= 2, ""},
		{"REPS is fastest", closest.Ratio.Value >= 1, ""},
		{"the gain grows", growing, ""},
		{"bit errors do no harm", spoilt.Ratio.Value >= 0.95, "under bit errors flows of a trace inherit freezing mode without cause"},
		{"MPRDMA does well", means["mprdma"] > 1 && better <= 1, "MPRDMA draws EVs at random while its window shrinks, as it does after every loss"},
	}
	return claims.InWords("N053", !slices.ContainsFunc(parts, fig08Part.broken), fmt.Sprintf("dead cables and switches, least as a multiple of REPS: %s; of all %s; permutation: OPS %.0f times REPS with a cable, %.0f with 5 %% of them, %.0f with a switch, %.0f with 5 %% of cables besides; bit errors: %s; geometric mean of speed-ups over OPS: MPRDMA %.2f, BitMap %.2f, PLB %.2f, Flowlet %.2f",
		slowest, closest, gainOf("cable"), gainOf("5% cables"), gainOf("switch"), gainOf("switch, 5% c."), spoilt, means["mprdma"], means["bitmap"], means["plb"], means["flowlet"]), fig08Broken(parts)).Resting(claims.All(conditions...))
}

// fig08Part is a part of a rule: whether it holds, and, where that is known, why it
// may not.
type fig08Part struct {
	name  string
	holds bool
	cause string
}

func (p fig08Part) broken() bool { return !p.holds }

// fig08Broken says which parts of the rule do not hold, and why.
func fig08Broken(parts []fig08Part) string {
	var broken, causes []string
	for _, p := range parts {
		if p.holds {
			continue
		}
		broken = append(broken, p.name)
		if p.cause != "" {
			causes = append(causes, p.cause)
		}
	}
	if broken == nil {
		return ""
	}
	return strings.Join(append([]string{"does not hold: " + strings.Join(broken, ", ")}, causes...), "; ")
}

// geometricMean returns the geometric mean of the known ratios.
func geometricMean(list []Gain) float64 {
	sum, n := 0.0, 0
	for _, g := range list {
		if !math.IsNaN(g.Ratio.Value) {
			sum, n = sum+math.Log(g.Ratio.Value), n+1
		}
	}
	return math.Exp(sum / float64(n))
}

// fig08Losses judges how many fewer packets are lost.
func fig08Losses(c *Comparison) claims.Finding {
	sprayed, recycled := c.Index("ops"), c.Index("reps")
	fewer := Gain{}
	for _, p := range c.Points {
		if ratio := p.Runs[sprayed].Lost(p.Runs[recycled]); ratio.Value > fewer.Ratio.Value {
			fewer = Gain{Ratio: ratio, Than: c.Compared[sprayed], At: p}
		}
	}
	return claims.Estimated("N080", fewer.Ratio.Value >= 70, fewer.Ratio, "most, as a multiple of those under REPS: "+fewer.String(), "the paper's number is of its testbed; the authors' data of it give 52").Resting(claims.AtLeast(fewer.Ratio, 70))
}
