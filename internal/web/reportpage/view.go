package reportpage

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
)

// functions can be called in the templates.
var functions = template.FuncMap{"slug": slug, "interval": interval, "group": group,
	"agreement": agreement, "command": command, "brief": brief, "sentence": sentence, "lead": lead}

// slug returns the CSS class of a grade or a verdict.
func slug(grade any) string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) }
	return strings.Join(strings.FieldsFunc(fmt.Sprint(grade), apart), "-")
}

// interval returns the interval of a claim's value with four digits, or nothing if there
// is none.
func interval(c claims.Entry) string {
	if c.Low == nil || c.High == nil || *c.Low == *c.High {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprintf("%.4g to %.4g", *c.Low, *c.High), "-", "\u2212")
}

// brief returns the meaning of a group of claims in plain words.
func brief(group string) string {
	return map[string]string{"reproduced": "the measurement agrees with the paper", "direction holds": "the effect exists, with another size",
		"far smaller": "the effect exists, but has less than a third of the claimed size", "far larger": "the effect has more than three times the claimed size", "holds in part": "true in some cases, false in others",
		"contradicted": "the measurement excludes it", "undecided": "more or larger runs are needed",
		"text ≠ artifact": "name a setting that differs between the paper's text and the authors' code", "setting": "describe a set-up",
		"cited, not modelled": "cite other work, or something that is not modelled", elsewhere: "repeat other claims", "arithmetic": "are arithmetic on the paper's own constants", "not yet graded": "need other runs", "not yet made": "have no figure in this folder"}[group]
}

// sentence returns a reason with a capital letter and a full stop.
func sentence(reason string) string {
	first, size := utf8.DecodeRuneInString(reason)
	return string(unicode.ToUpper(first)) + reason[size:] + "."
}

// lead returns the first sentences of the notes of a figure, up to 25 words but at least one sentence.
func lead(notes []string) string {
	var kept []string
	for _, sentence := range strings.SplitAfter(strings.Join(notes, " "), ". ") {
		words := strings.Fields(sentence)
		if len(kept) > 0 && len(kept)+len(words) > 25 {
			break
		}
		kept = append(kept, words...)
	}
	return strings.Join(kept, " ")
}

// elsewhere is the group of claims that other claims contain.
const elsewhere = "counted elsewhere"

// groups returns the groups of claims in order: the grades, arithmetic, and the claims that others contain.
func groups() []string {
	list := lists.Map(claims.Grades(), func(g claims.Grade) string { return string(g) })
	return slices.Insert(list, slices.Index(list, string(claims.NotMade)), string(claims.Arithmetic), elsewhere)
}

// group returns the group of a claim.
func group(e claims.Entry) string {
	switch {
	case e.Made() && len(e.CountedWith) > 0:
		return elsewhere
	case e.Made() && e.Kind == claims.Arithmetic:
		return string(e.Kind)
	}
	return string(e.Grade)
}

// order returns the place of a claim when sorted by a column.
func (p page) order(e claims.Entry, column string) int {
	switch column {
	case "grade":
		return slices.Index(groups(), group(e))
	case "authors":
		return slices.Index(p.Agreements(), e.Says)
	}
	return slices.Index(p.all, e.Figure)
}

// agreement returns in words whether the authors' runs agree with a claim.
func agreement(a claims.Agreement) string {
	return map[claims.Agreement]string{claims.Agrees: "agree with the paper", claims.OtherSize: "differ in size",
		claims.Mixed: "agree in part", claims.TooFew: "are too few to tell",
		claims.Contradicts: "contradict the paper", claims.NoWitness: "do not cover it"}[a]
}

// command returns the command of a figure and the name of the element that shows it.
func command(p page, figure, name string) map[string]string {
	return map[string]string{"Command": cmp.Or(p.Commands[figure], "repslab reproduce "+figure), "Name": name}
}

// scene is a figure that the summary shows, and the reason.
type scene struct {
	section
	Why string
}

// Story returns the figures of the summary: what REPS does, when it pays off, when most, and why.
func (p page) Story() []scene {
	var list []scene
	for _, part := range []struct{ id, why string }{
		{"fig02", "What REPS does. Each line is an uplink of one switch. Under OPS their rates and queues vary; under REPS they settle."},
		{"conclusion", "When it pays. Completion times as multiples of REPS's, on a healthy network, with slow and with failed uplinks: above 1, REPS is faster."},
		{"fig05", "Slow uplinks. REPS gives them their share; OPS sends them as much as the others, and every flow waits for them."},
		{"fig07", "Failures that pass. Under OPS the rates of all uplinks fall with those that fail; under REPS the others stay full."},
		{"fig08", "When it pays most. How many times as fast as OPS each load balancer is while links or switches have failed."},
		{"fig09", "Many failures. Completion times with up to half of all links failed, beside the ideal."},
		{"fig12", "Fewer acknowledgements. REPS learns from each; with one for many packets its lead shrinks."},
		{"fig15", "Few entropy values. REPS needs fewer of them than OPS."},
		{"fig18", "Why it works. Queues of a switch in the model of balls and bins: they grow where throws are random, and stay near the threshold where they are recycled."},
		{"thm1", "The theorem. How long recycling takes to converge, and which process does."},
	} {
		if i := slices.IndexFunc(p.Figures, func(s section) bool { return s.ID == part.id }); i >= 0 {
			list = append(list, scene{p.Figures[i], part.why})
		}
	}
	return list
}

// Meanings returns the grades, which have their explanation as a method.
func (page) Meanings() []claims.Grade { return claims.Grades() }

// Agreements returns the possible agreements of a claim with the authors' runs, the best first.
func (page) Agreements() []claims.Agreement {
	return []claims.Agreement{claims.Agrees, claims.OtherSize, claims.Mixed, claims.TooFew, claims.Contradicts, claims.NoWitness}
}

// RunsSentence returns a sentence about the origin of the runs of all figures, or nothing if there are no
// runs.
func (p page) RunsSentence() string {
	var all engine.Outcome
	for _, s := range p.Figures {
		all.Add(s.Runs)
	}
	if all.Recalled == 0 && all.Made == 0 {
		return ""
	}
	return all.String() + "."
}

// Dissent returns the results that are reproduced here, but not by the authors' own runs.
func (p page) Dissent() claims.Scorecard {
	return slices.DeleteFunc(p.Claims.Results().Graded(claims.Reproduced), func(e claims.Entry) bool {
		return e.Says != claims.Contradicts && e.Says != claims.OtherSize
	})
}

// Beyond returns the figures that decide no claim of the paper.
func (p page) Beyond() []section {
	return lists.Where(p.Figures, func(s section) bool {
		return !slices.ContainsFunc(p.Claims, func(e claims.Entry) bool { return e.Figure == s.ID })
	})
}

// apart holds a list of statements that are not the paper's.
type apart struct {
	ID, Noun, Title, About, Caption string
	Entries                         claims.Scorecard
}

// Apart returns the statements about MRC, and our own if there are some.
func (p page) Apart() []apart {
	all := []apart{
		{"multipath", "statements about MRC", "MRC", "What is published of Multipath Reliable Connection, which takes congested and lost paths out of use where REPS keeps good ones.",
			"Statements about MRC, in our words", p.MRC},
		{"own", "statements of our own", "Our own statements", "What this repository states beyond the paper.", "Our own statements", p.Own},
	}
	return lists.Where(all, func(a apart) bool { return len(a.Entries) > 0 })
}

// Absent returns the claims whose figures are not made.
func (p page) Absent() claims.Scorecard {
	return slices.DeleteFunc(slices.Concat(p.Claims, p.MRC, p.Own), claims.Entry.Made)
}
