package claims

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"repslab/internal/lists"
	"repslab/mc"
)

// Bound is a condition on a number, as a rule states it. Its name says of what: a point, a scenario or a
// quantity.
type Bound struct {
	Name   string
	Text   string  // "at most 1.25", "85 to 90"
	Lo, Hi float64 // ends; infinite if there is none
	Open   bool    // the ends are outside: "more than" and "less than"
}

// boundText is the text of a bound.
var boundText = regexp.MustCompile(`^(at most|at least|less than|more than|exactly|(\S+) to) (\S+?)( times)?$`)

// bounds returns the bounds of a cell of the column conditions, such as "8 planes: 85 to 90; 4 planes: at
// most 1/0.65". It panics if it cannot read one.
func bounds(cell string) (list []Bound) {
	for entry := range strings.FieldsFuncSeq(cell, func(r rune) bool { return r == ';' }) {
		name, text, _ := strings.Cut(strings.TrimSpace(entry), ": ")
		words := boundText.FindStringSubmatch(text)
		if words == nil {
			panic(fmt.Sprintf("claims: condition (%q) must be a name, a colon, and \"A to B\", \"exactly A\", or at least, at most, "+
				"more than or less than A", entry))
		}
		b := Bound{Name: name, Text: text, Lo: math.Inf(-1), Hi: math.Inf(1), Open: strings.HasSuffix(words[1], " than")}
		x := bound(words[3])
		if words[1] != "at least" && words[1] != "more than" {
			b.Hi = x
		}
		if words[1] != "at most" && words[1] != "less than" {
			b.Lo = bound(cmp.Or(words[2], words[3]))
		}
		list = append(list, b)
	}
	return list
}

// bound returns the number in a text such as "1.25", "120,000" or "1/0.65".
func bound(text string) float64 {
	above, below, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), "/")
	return number(above) / number(cmp.Or(below, "1"))
}

// prose fills the bounds into the places of a rule that name them in braces. It panics if a place has no
// bound.
func prose(rule string, list []Bound) string {
	for _, b := range list {
		rule = strings.ReplaceAll(rule, "{"+b.Name+"}", b.Text)
	}
	if strings.Contains(rule, "{") {
		panic(fmt.Sprintf("claims: rule (%q) names a condition that its claim does not have", rule))
	}
	return rule
}

// holds reports whether a number is within the bound.
func (b Bound) holds(x float64) bool {
	return x >= b.Lo && x <= b.Hi && !(b.Open && (x == b.Lo || x == b.Hi))
}

// of returns the condition that a quantity is within the bound.
func (b Bound) of(e mc.Estimate) Condition {
	switch {
	case e.N == 0 && e.Lo == e.Value && e.Hi == e.Value: // computed, see [Exact]
		return Certain(b.holds(e.Value))
	case math.IsInf(b.Lo, -1):
		return AtMost(e, b.Hi).When(b.holds(e.Value))
	case math.IsInf(b.Hi, 1):
		return AtLeast(e, b.Lo).When(b.holds(e.Value))
	}
	return Between(e, b.Lo, b.Hi)
}

// Bound returns the claim's condition with a name. It panics if there is none, since figures and tables then
// differ.
func (c Claim) Bound(name string) Bound {
	i := slices.IndexFunc(c.Bounds, func(b Bound) bool { return b.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("claims: %s has no condition %q; those of its row are %q", c.ID, name,
			lists.Map(c.Bounds, func(b Bound) string { return b.Name })))
	}
	return c.Bounds[i]
}

// Exact returns a number that is computed, not estimated.
func Exact(x float64) mc.Estimate { return mc.Estimate{Value: x, Lo: x, Hi: x} }

// Within reports whether a number without chance is within the bound that the claim's row names.
func Within(claim, name string, x float64) bool { return Find(claim).Bound(name).holds(x) }

// Met returns the part of a claim that a quantity is within the bound that the claim's row names.
func Met(claim, name string, e mc.Estimate) Part { return Part{name, Find(claim).Bound(name).of(e)} }

// MetTimes is like [Met] for a bound on a multiple of another mean, from independent runs.
func MetTimes(claim, name string, e, other mc.Estimate) Part {
	return Part{name, AtMostTimes(e, Find(claim).Bound(name).Hi, other)}
}

// Accepted says which numbers the rule accepts: its bounds or, of a claimed number, the means.
func (c Claim) Accepted() string {
	if c.Number != nil {
		return c.Number.accepted()
	}
	return strings.Join(lists.Map(c.Bounds, func(b Bound) string { return b.Name + ": " + b.Text }), "; ")
}
