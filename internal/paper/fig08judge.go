package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// fig08Findings judges the claims about failures.
func fig08Findings(c *comparison) []Finding {
	largest := most(c.allGains("ops", "reps"))
	hundredfold := upTo("N009", largest.ratio, 100, 1, "largest over REPS: "+largest.String(),
		"failures last here, as the authors'; fig07 has two that pass. Under OPS the window falls to one packet and every loss costs a time-out, so the gain grows with message and failure without bound")
	repeated := hundredfold
	repeated.Claim, repeated.Note = "N079", "on N005 to N008 see fig03 and fig05"
	return []Finding{hundredfold, fig08Predicate(c), repeated, fig08Losses(c)}
}

// underBitErrors says whether a gain is one under bit errors, and not one where
// cables or switches are dead.
func underBitErrors(g gain) bool { return strings.HasPrefix(g.at.label, "BER") }

// whereDead returns the gains where cables or switches are dead.
func whereDead(list []gain) []gain { return slices.DeleteFunc(slices.Clone(list), underBitErrors) }

// least returns the gain of the smallest ratio; those that are not known are
// passed over.
func least(list []gain) gain {
	smallest := gain{}
	for _, g := range list {
		if !math.IsNaN(g.ratio.Value) && (smallest.than.key == "" || g.ratio.Value < smallest.ratio.Value) {
			smallest = g
		}
	}
	return smallest
}

// fig08Predicate judges what the paper says of the figure in words.
func fig08Predicate(c *comparison) Finding {
	overOPS := c.allGains("ops", "reps")
	slowest := least(whereDead(overOPS))
	spoilt := least(slices.DeleteFunc(slices.Clone(overOPS), func(g gain) bool { return !underBitErrors(g) }))
	var rivals []gain
	for _, other := range c.compared {
		if other.key != "reps" {
			rivals = append(rivals, whereDead(c.allGains(other.key, "reps"))...)
		}
	}
	closest := least(rivals)
	gainOf := map[string]float64{}
	for _, g := range c.gains(patterns, "ops", "reps", longest()) {
		gainOf[g.at.label] = g.ratio.Value
	}
	growing := gainOf["5% cables"] > gainOf["cable"] && gainOf["switch, 5% c."] > gainOf["switch"]
	means, better := map[string]float64{}, 0
	for _, key := range []string{"plb", "flowlet", "mprdma", "bitmap"} {
		means[key] = geometricMean(c.allGains("ops", key))
	}
	for _, mean := range means {
		if mean > means["mprdma"] {
			better++
		}
	}
	parts := []fig08Part{
		{"OPS takes twice as long", slowest.ratio.Value >= 2, ""},
		{"REPS is fastest", closest.ratio.Value >= 1, ""},
		{"the gain grows", growing, ""},
		{"bit errors do no harm", spoilt.ratio.Value >= 0.95, "under bit errors flows of a trace inherit freezing mode without cause"},
		{"MPRDMA does well", means["mprdma"] > 1 && better <= 1, "MPRDMA draws EVs at random while its window shrinks, as it does after every loss"},
	}
	return inWords("N053", !slices.ContainsFunc(parts, fig08Part.broken), fmt.Sprintf("dead cables and switches, least as a multiple of REPS: %s; of all %s; permutation: OPS %.0f times REPS with a cable, %.0f with 5 %% of them, %.0f with a switch, %.0f with 5 %% of cables besides; bit errors: %s; geometric mean of speed-ups over OPS: MPRDMA %.2f, BitMap %.2f, PLB %.2f, Flowlet %.2f",
		slowest, closest, gainOf["cable"], gainOf["5% cables"], gainOf["switch"], gainOf["switch, 5% c."], spoilt, means["mprdma"], means["bitmap"], means["plb"], means["flowlet"]), fig08Broken(parts))
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
func geometricMean(list []gain) float64 {
	sum, n := 0.0, 0
	for _, g := range list {
		if !math.IsNaN(g.ratio.Value) {
			sum, n = sum+math.Log(g.ratio.Value), n+1
		}
	}
	return math.Exp(sum / float64(n))
}

// fig08Losses judges how many fewer packets are lost.
func fig08Losses(c *comparison) Finding {
	sprayed, recycled := c.index("ops"), c.index("reps")
	fewer := gain{}
	for _, p := range c.points {
		if ratio := p.runs[sprayed].lost(p.runs[recycled]); ratio.Value > fewer.ratio.Value {
			fewer = gain{ratio, c.compared[sprayed], p}
		}
	}
	return Finding{"N080", judge(fewer.ratio.Value >= 70), "most, as a multiple of those under REPS: " + fewer.String(), fewer.ratio.Lo, fewer.ratio.Hi,
		"the paper's number is of its testbed; the authors' data of it give 52"}
}
