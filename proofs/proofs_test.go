package proofs

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// audited runs every check once for all tests.
var audited = sync.OnceValues(func() ([]Result, error) {
	a, err := sharing(DefaultBins())
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, s := range Steps() {
		results = append(results, a.Check(s))
	}
	return results, nil
})

// shared are the numbers that the audits of all tests have in common.
var shared = newResults()

// sharing returns an audit that looks up what an audit of another test computed.
func sharing(bins []int) (*Audit, error) {
	a, err := New(bins)
	if err == nil {
		a.results = shared
	}
	return a, err
}

// TestVerdictsFollow: each recorded verdict is what its check finds; so a flip in
// the table fails here.
func TestVerdictsFollow(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if len(recorded) != len(results) {
		t.Errorf("%d verdicts recorded for %d steps", len(recorded), len(results))
	}
	counts := map[Verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
		if r.Verdict != r.Recorded {
			t.Errorf("%s: the check finds %q, recorded is %q", r.ID, r.Verdict, r.Recorded)
		}
		for _, statement := range r.Refuted {
			t.Errorf("%s: the check refutes %q", r.ID, statement)
		}
		if r.Verdict == Open {
			if len(r.Evidence) == 0 || r.Counterexample != "" {
				t.Errorf("%s is open with %d measurements and the counterexample %q", r.ID, len(r.Evidence), r.Counterexample)
			}
			continue
		}
		if r.Verdict != Holds && (r.Counterexample == "" || r.Margin == "") {
			t.Errorf("%s is %q without a counterexample (%q) or margin (%q)", r.ID, r.Verdict, r.Counterexample, r.Margin)
		}
		if r.Verdict == Holds && r.Counterexample != "" {
			t.Errorf("%s holds, but has the counterexample %q", r.ID, r.Counterexample)
		}
		if r.Verdict != Holds && r.Repair == "" {
			t.Errorf("%s is %q without a repair", r.ID, r.Verdict)
		}
	}
	t.Logf("%d steps: %v", len(results), counts)
}

// TestFlippedVerdictsAreNoticed: for each step that does not hold, every other
// verdict in the table is noticed.
func TestFlippedVerdictsAreNoticed(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	flipped := 0
	for _, r := range results {
		if r.Verdict == Holds {
			continue
		}
		for _, other := range Verdicts() {
			r.Recorded = other
			if r.Follows() != (other == r.Verdict) {
				t.Errorf("%s: %q passes for %q", r.ID, other, r.Verdict)
			}
		}
		flipped++
	}
	if flipped < 30 {
		t.Errorf("only %d steps do not hold", flipped)
	}
}

// TestStepsCoverTheAppendix: every line of the theorem and of the appendix, from
// its heading to the last lemma's end, belongs to a step, and steps stand on no
// other lines. testdata has the lines' numbers and hashes.
func TestStepsCoverTheAppendix(t *testing.T) {
	file, err := os.Open("testdata/appendix_lines.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	covered := map[int][]string{}
	ids := map[string]bool{}
	for _, s := range Steps() {
		if ids[s.ID] {
			t.Errorf("two steps are called %s", s.ID)
		}
		ids[s.ID] = true
		if len(s.Lines) == 0 && !strings.HasPrefix(s.ID, "S") {
			t.Errorf("%s stands on no line", s.ID)
		}
		for _, l := range s.Lines {
			covered[l] = append(covered[l], s.ID)
			if (l < 718 || l > 720) && (l < 786 || l > 887) && l != 788 && l != 888 {
				t.Errorf("%s stands on line %d, outside the theorem and the appendix", s.ID, l)
			}
		}
	}
	if len(rows) < 80 {
		t.Fatalf("only %d lines in testdata", len(rows))
	}
	for _, row := range rows[1:] {
		line, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		if len(covered[line]) == 0 {
			t.Errorf("line %d (%s) belongs to no step", line, row[1])
		}
	}
}

// fewBins returns an audit of 13 numbers of bins for tests that change constants and put them back. Its
// logarithms and laws of phase one serve all of them.
var fewBins = sync.OnceValues(func() (*Audit, error) { return sharing(append(DefaultBins()[:12], 1000)) })

// mutations changes each constant by 5 % in both directions.
func mutations() map[string][]func(*Constants) {
	change := func(field func(*Constants) *float64) []func(*Constants) {
		var list []func(*Constants)
		for _, factor := range []float64{0.95, 1.05} {
			list = append(list, func(c *Constants) { *field(c) *= factor })
		}
		return list
	}
	return map[string][]func(*Constants){
		"Coupon":        change(func(c *Constants) *float64 { return &c.Coupon }),
		"Threshold":     change(func(c *Constants) *float64 { return &c.Threshold }),
		"Colors":        change(func(c *Constants) *float64 { return &c.Colors }),
		"NearBins":      change(func(c *Constants) *float64 { return &c.NearBins }),
		"UniqueDrift":   change(func(c *Constants) *float64 { return &c.UniqueDrift }),
		"FinalDrift":    change(func(c *Constants) *float64 { return &c.FinalDrift }),
		"Lemma1Rate":    change(func(c *Constants) *float64 { return &c.Lemma1Rate }),
		"Lemma1From":    change(func(c *Constants) *float64 { return &c.Lemma1From }),
		"Lemma1Delta":   change(func(c *Constants) *float64 { return &c.Lemma1Delta }),
		"Lemma1Mean":    change(func(c *Constants) *float64 { return &c.Lemma1Mean }),
		"Lemma2From":    change(func(c *Constants) *float64 { return &c.Lemma2From }),
		"Lemma2Delta":   change(func(c *Constants) *float64 { return &c.Lemma2Delta }),
		"Lemma2Mean":    change(func(c *Constants) *float64 { return &c.Lemma2Mean }),
		"Lemma2Pole":    change(func(c *Constants) *float64 { return &c.Lemma2Pole }),
		"HoleShare":     change(func(c *Constants) *float64 { return &c.HoleShare }),
		"Absorption":    change(func(c *Constants) *float64 { return &c.Absorption }),
		"MaxLoadRate":   change(func(c *Constants) *float64 { return &c.MaxLoadRate }),
		"TailRate":      change(func(c *Constants) *float64 { return &c.TailRate }),
		"TailRounds":    change(func(c *Constants) *float64 { return &c.TailRounds }),
		"NeverShift":    change(func(c *Constants) *float64 { return &c.NeverShift }),
		"EventualSlack": change(func(c *Constants) *float64 { return &c.EventualSlack }),
		"LowerRounds":   change(func(c *Constants) *float64 { return &c.LowerRounds }),
		"FirstExcess":   change(func(c *Constants) *float64 { return &c.FirstExcess }),
		"UpperRounds":   change(func(c *Constants) *float64 { return &c.UpperRounds }),
	}
}

// TestTightConstantsAreNoticed: where a step is tight within 5 %, changing its
// constant by 5 % in one direction changes the verdict or what is found at the
// boundary.
func TestTightConstantsAreNoticed(t *testing.T) {
	a, err := fewBins()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range Steps() {
		if len(s.Constants) == 0 {
			continue
		}
		before := a.own(s)
		for _, name := range s.Constants {
			seen[name] = true
			noticed := false
			for _, mutate := range mutations()[name] {
				mutate(&a.Constants)
				after := a.own(s)
				a.Constants = PaperConstants()
				noticed = after.Verdict != before.Verdict || before.Verdict == HoldsOnSmallerDomain && after.Counterexample != before.Counterexample
				if noticed {
					break
				}
			}
			if !noticed {
				t.Errorf("%s: changing %s by 5 %% either way is not noticed", s.ID, name)
			}
		}
	}
	for name := range mutations() {
		if !seen[name] {
			t.Errorf("no step says that it is tight in %s", name)
		}
	}
}

// TestAuditErrors: bad bins are named, and what is allowed.
func TestAuditErrors(t *testing.T) {
	for _, c := range []struct {
		bins []int
		want string
	}{{nil, "empty"}, {[]int{16, 15}, "(15) must be in [16, 1048576]"}, {[]int{1 << 21}, "(2097152)"}} {
		if _, err := New(c.bins); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%v): %v, want %q", c.bins, err, c.want)
		}
	}
	if _, err := Find("Z9"); err == nil || !strings.Contains(err.Error(), "T1") {
		t.Errorf("Find: %v", err)
	}
	if !slices.Contains(Verdicts(), False) {
		t.Error("no false verdict")
	}
}
