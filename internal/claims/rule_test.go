package claims

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/mc"
)

// TestBounds: a cell of conditions gives names, ends and the words of the rule; the ends of "more than" and
// "less than" are outside, those of the others inside; a number without chance is decided by itself, an
// estimate by its interval.
func TestBounds(t *testing.T) {
	list := bounds("a: 85 to 90; b c: at most 1/0.8; d: at least 120,000; e: less than 25; f: more than -2; g: exactly 8; h: at most 1.1 times")
	for i, want := range []struct {
		name, text      string
		inside, outside []float64
	}{
		{"a", "85 to 90", []float64{85, 87, 90}, []float64{84.99, 90.01}},
		{"b c", "at most 1/0.8", []float64{-5, 1.25}, []float64{1.2501}},
		{"d", "at least 120,000", []float64{120_000, 1e9}, []float64{119_999}},
		{"e", "less than 25", []float64{24.99}, []float64{25, 26}},
		{"f", "more than -2", []float64{-1.99}, []float64{-2, -3}},
		{"g", "exactly 8", []float64{8}, []float64{7, 9}},
		{"h", "at most 1.1 times", []float64{1.1}, []float64{1.11}},
	} {
		b := list[i]
		if b.Name != want.name || b.Text != want.text {
			t.Errorf("bound %d is %q, %q, want %q, %q", i, b.Name, b.Text, want.name, want.text)
		}
		for _, x := range append(want.inside, want.outside...) {
			holds := slices.Contains(want.inside, x)
			if b.holds(x) != holds || b.of(Exact(x)).Holds != holds || b.of(Exact(x)).Grade() == Undecided {
				t.Errorf("%s: %v", b.Text, x)
			}
			if e := (mc.Estimate{Value: x, Lo: x - 1e-6, Hi: x + 1e-6, StdErr: 1e-7, Confidence: 0.95, N: 9}); b.of(e).Holds != holds {
				t.Errorf("%s: an estimate of %v", b.Text, x)
			}
		}
	}
	e := estimate(90, 100, 104, 111, 95) // 100 [90, 110]
	for text, want := range map[string]Condition{"at most 110": AtMost(e, 110), "at least 90": AtLeast(e, 90), "90 to 120": Between(e, 90, 120),
		"less than 100": AtMost(e, 100).When(false), "more than 90": AtLeast(e, 90)} {
		if got := bounds("x: " + text)[0].of(e); got.Holds != want.Holds || got.met != want.met || got.broken != want.broken {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, wrong := range []string{"85 to 90", "a: 85", "a: about 3", "a: at most x", "a: at most 1/x", "a: 3 to", "a at most 3"} {
		if !panics(func() { bounds(wrong) }) {
			t.Errorf("%q is a condition", wrong)
		}
	}
}

// panics reports whether a function panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestProse: a rule has the words of its conditions, each of them, and no other.
func TestProse(t *testing.T) {
	if got := prose("b is {b} and a {a}, {a}", bounds("a: at most 1; b: 2 to 3")); got != "b is 2 to 3 and a at most 1, at most 1" {
		t.Error(got)
	}
	for _, table := range []string{"claims.csv", "mrc.csv", "own.csv"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range records(table, string(text)) {
			for _, b := range bounds(f["conditions"]) {
				if !strings.Contains(f["rule"], "{"+b.Name+"}") {
					t.Errorf("%s: the rule has no place for %q", f["id"], b.Name)
				}
			}
		}
	}
	for rule, conditions := range map[string]string{"a is {a}": "", "{a} and {b}": "a: at most 1"} {
		if !panics(func() { prose(rule, bounds(conditions)) }) {
			t.Errorf("%q with conditions %q", rule, conditions)
		}
	}
	if got, want := Find("M2").Rule, "85 to 90 % with 8 planes and 72.5 to 77.5 % with 4"; !strings.HasSuffix(got, want) {
		t.Errorf("rule of M2: %s, want %s", got, want)
	}
	if !panics(func() { Met("M2", "9 planes", Exact(1)) }) {
		t.Error("M2 has a condition on 9 planes")
	}
}

// TestAccepted: what a rule accepts is in words: of a number the means, of other rules the bounds.
func TestAccepted(t *testing.T) {
	for id, want := range map[string]string{
		"N008": "means from 1.25 to 2.75 if one run may give 1.5 to 2.5",
		"N031": "means whose interval meets 3 to 5",
		"N041": "means from 648.25 to 949.75 if one run may give 798.5 to 799.5",
		"N009": "means from 74.75 to 125.25 if one run may give 99.5 to 100.5",
		"N080": "means of at least 70",
		"N104": "some packets: more than 0; as many as through the others: at least 0.9",
		"N087": "",
	} {
		if got := Find(id).Accepted(); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// TestRulesKeepTheirDate: a rule that has changed since its line in testdata/rules.csv has a new date there,
// and the rule before it stands in superseded.csv with its grade.
func TestRulesKeepTheirDate(t *testing.T) {
	text, err := os.ReadFile("testdata/rules.csv")
	if err != nil {
		t.Fatal(err)
	}
	pinned := map[string][]map[string]string{}
	for _, line := range records("rules.csv", string(text)) {
		pinned[line["claim"]] = append(pinned[line["claim"]], line)
	}
	for _, c := range Statements() {
		number := ""
		if c.Number != nil {
			number = fmt.Sprint(*c.Number)
		}
		sum := sha256.Sum256([]byte(c.Rule + "\n" + c.Point + "\n" + number))
		now := map[string]string{"claim": c.ID, "rule_date": c.RuleDate, "digest": fmt.Sprintf("%x", sum[:6])}
		history := pinned[c.ID]
		line := fmt.Sprintf("%s,%s,%s", c.ID, c.RuleDate, now["digest"])
		switch {
		case len(history) == 0:
			t.Errorf("%s has no rule in testdata/rules.csv: add the line %s", c.ID, line)
		case !maps.Equal(history[len(history)-1], now):
			t.Errorf("the rule of %s is not the last in testdata/rules.csv: if it is meant, add the line %s with a new rule_date, and the old rule to superseded.csv", c.ID, line)
		}
		for i := 0; i+1 < len(history); i++ {
			if date := history[i]["rule_date"]; date >= history[i+1]["rule_date"] ||
				!slices.ContainsFunc(c.Earlier, func(e Earlier) bool { return e.Date == date }) {
				t.Errorf("%s: the rule of %s must be older than the next, and stand in superseded.csv", c.ID, date)
			}
		}
	}
}

// TestDates: every rule has its date, every graded one says whether its result was known, and earlier rules
// are older.
func TestDates(t *testing.T) {
	for _, c := range Statements() {
		if len(c.RuleDate) != len("2026-11-22") || c.Kind.graded() != (c.Known != "") && c.Kind != Setting ||
			!slices.Contains([]string{"yes", "in part", "no", ""}, c.Known) {
			t.Errorf("%s: rule of %q, known %q", c.ID, c.RuleDate, c.Known)
		}
		for _, e := range c.Earlier {
			if e.Rule == "" || e.Grade == "" || e.Date > c.RuleDate || e.Date == "" {
				t.Errorf("%s: %+v before the rule of %s", c.ID, e, c.RuleDate)
			}
		}
	}
	for _, id := range []string{"N008", "N027", "N031", "N044", "N068", "N069"} {
		if e := Find(id).Earlier; len(e) == 0 || e[0].Grade != "differs" || e[0].Date != "2026-11-22" {
			t.Errorf("%s: %+v, want the rule by which it differs", id, e)
		}
	}
}
