package proofs

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// stepsText holds the steps as records of "key: value" lines, separated by empty lines. A line that
// begins with a space continues the previous value. A record "place" names the place of the steps after
// it. A step has
//
//	step     its id
//	lines    of the paper's source; "implicit" if the paper does not say it
//	process  if it is not the default: round-robin if the id ends in r, else self-clocked
//	claim    if absent, claim, formula, place and lines are those of the step without the r
//	formula  in LaTeX; "symbols" instead if it says all that the claim says
//	domain   if absent, [robinDomain]
//	rests    the ids that [Step.Rests] lists
//	tight    the names that [Step.Constants] lists
//	coq      the names that [Step.Theorems] lists
//	fact     the key in facts of the sentence that it is; other steps have a check in checks
//	why      [Step.Reason]
//	repair   [Step.Repair]
//
// It is a template over [Constants], so that texts and checks use the same numbers.
//
//go:embed steps.txt
var stepsText string

// robinDomain is the domain of a sentence of the proof in round-robin.
const robinDomain = "the text's process, n >= 16, τ >= 4 ln n, b >= 2.4 ln n"

var (
	parseOnce sync.Once
	parsed    []Step
)

// Steps returns all steps in the order of the paper, then those of the stronger
// theorem. Their slices must not be modified.
func Steps() []Step {
	parseOnce.Do(func() { parsed = parseSteps() })
	return slices.Clone(parsed)
}

// parseSteps returns the steps of stepsText. It panics if stepsText has a fault.
func parseSteps() []Step {
	var text strings.Builder
	functions := template.FuncMap{"fraction": fraction, "failure": failureText, "rounds": roundsText}
	t := template.Must(template.New("steps").Delims("<<", ">>").Funcs(functions).Parse(stepsText))
	if err := t.Execute(&text, PaperConstants()); err != nil {
		panic(err)
	}
	checks, place := checks(), ""
	var steps []Step
	for record := range strings.SplitSeq(strings.TrimSpace(text.String()), "\n\n") {
		fields := parseFields(record)
		if p, ok := fields["place"]; ok {
			place = p
			continue
		}
		s := Step{ID: fields["step"], Place: place, Reason: fields["why"], Repair: fields["repair"]}
		s.Rests, s.Constants = parseList(fields["rests"]), parseList(fields["tight"])
		s.Theorems = parseList(fields["coq"])
		s.describe(fields, steps)
		switch name, isFact := fields["fact"]; {
		case !isFact:
			s.Check = checks[s.ID]
		case s.Process == RoundRobin:
			s.Check = once(robinFact(facts[name]))
		default:
			s.Check = once(selfClockedFact(facts[name]))
		}
		if s.Check == nil {
			panic("proofs: steps.txt: no check of step " + s.ID)
		}
		steps = append(steps, s)
	}
	return steps
}

// once returns a check that runs only the first time. Its finding must not depend on the audit.
func once(check func(*Audit) Finding) func(*Audit) Finding {
	find := sync.OnceValue(func() Finding { return check(nil) })
	return func(*Audit) Finding {
		f := find()
		f.Evidence = slices.Clone(f.Evidence)
		return f
	}
}

// parseFields returns the fields of a record.
func parseFields(record string) map[string]string {
	fields := map[string]string{}
	for line := range strings.SplitSeq(strings.ReplaceAll(record, "\n ", " "), "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			panic(fmt.Sprintf("proofs: steps.txt: %q has no key", line))
		}
		fields[key] = strings.Join(strings.Fields(value), " ")
	}
	return fields
}

// parseList splits a list at its commas.
func parseList(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

// describe fills in the claim, its place in the paper and its process. earlier are the steps before it.
func (s *Step) describe(fields map[string]string, earlier []Step) {
	proofs, isRobin := strings.CutSuffix(s.ID, "r")
	s.Process, s.Domain = SelfClocked, robinDomain
	if isRobin {
		s.Process = RoundRobin
	}
	if p, ok := fields["process"]; ok {
		s.Process = Process(p)
	}
	if d, ok := fields["domain"]; ok {
		s.Domain = d
	}
	if _, ok := fields["claim"]; !ok {
		base := earlier[slices.IndexFunc(earlier, func(e Step) bool { return e.ID == proofs })]
		s.Claim, s.Formula, s.symbolic = base.Claim, base.Formula, base.symbolic
		s.Place, s.Lines, s.lines, s.same = base.Place, base.Lines, base.lines, base.ID
		return
	}
	s.Claim, s.Formula = fields["claim"], fields["formula"]
	if symbols, ok := fields["symbols"]; ok {
		s.Formula, s.symbolic = symbols, true
	}
	s.parseLines(fields["lines"])
}

// parseLines reads lines such as "787-788, 800, implicit".
func (s *Step) parseLines(text string) {
	text, implicit := strings.CutSuffix(text, ", implicit")
	if implicit {
		s.Place += " (implicit)"
	}
	s.lines = text
	for _, span := range parseList(text) {
		first, last, isSpan := strings.Cut(span, "-")
		if !isSpan {
			last = first
		}
		for l := must(strconv.Atoi(first)); l <= must(strconv.Atoi(last)); l++ {
			s.Lines = append(s.Lines, l)
		}
	}
}

// Where returns the step's place with its lines, as in "appendix B, first phase,
// lines 799-800".
func (s Step) Where() string {
	switch len(s.Lines) {
	case 0:
		return s.Place
	case 1:
		return s.Place + ", line " + s.lines
	default:
		return s.Place + ", lines " + s.lines
	}
}

// roundsText writes the bound on the rounds of a whole run with the given absorption.
func roundsText(absorption float64) string {
	return fmt.Sprintf("2 n ln n + %s (2 n ln n + n)/%s", decimal(PaperConstants().TailRounds), decimal(absorption))
}

// failureText writes the probability with which S9 may fail.
func failureText() string {
	c := PaperConstants()
	if c.FailurePower == 1 {
		return decimal(c.Failure) + "/n"
	}
	return decimal(c.Failure) + "/n^(" + fraction(c.FailurePower) + ")"
}
