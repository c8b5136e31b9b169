package claims

import (
	"math"
	"os"
	"strings"
	"testing"

	"repslab/mc"
)

// TestOpen: a least number claimed, as in "over 70 times" (N080), is reproduced if the whole interval reaches
// it, and otherwise has the grades of every number: the direction, far smaller below a third of the gain, the
// other way.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		observations []int64
		want         Grade
	}{
		"more":              {[]int64{90, 91, 89, 92, 88}, Reproduced},
		"a hundred times":   {[]int64{7000, 7001, 7002}, Reproduced},
		"perhaps":           {[]int64{60, 90, 75, 80, 72}, Undecided},
		"less":              {[]int64{50, 51, 49, 52, 48}, Direction},
		"just over a third": {[]int64{25, 25, 26, 25, 25}, Direction},
		"an eighth":         {[]int64{9, 10, 10, 9, 10}, FarSmaller},
		"one run":           {[]int64{90}, Undecided},
	} {
		if f := Sized("N080", estimate(c.observations...), "measured", ""); f.Grade != c.want {
			t.Errorf("%s: %s, want %s (%s)", name, f.Grade, c.want, f.Why)
		}
	}
	if f := Sized("N080", estimate(9, 10, 10, 9, 10), "", ""); f.Why != "claimed is at least 70, the mean is below" {
		t.Error(f.Why)
	}
	fewer := func(x int64) mc.Estimate { return estimate(x-1, x, x+1).Per(1000) }
	if f := Sized("N080", fewer(300), "", ""); f.Grade != Contradicted {
		t.Errorf("0.3 times is %s", f.Grade)
	}
}

// TestSizedExactly: a computed number has the grades of estimates, without a p-value: about 1 % (N062) is 0.5
// to 1.5 %.
func TestSizedExactly(t *testing.T) {
	for x, want := range map[float64]Grade{0.5: Reproduced, 1.2: Reproduced, 1.54: Direction, 0.3: Direction, 4.6: FarLarger, 0.1: FarSmaller} {
		if f := Sized("N062", Exact(x), "", ""); f.Grade != want || f.PValue != nil {
			t.Errorf("%v: %s, p-value %v, want %s", x, f.Grade, f.PValue, want)
		}
	}
}

// TestSizesAgree: the least number and the number itself have the same grades below, over the whole range of
// gains.
func TestSizesAgree(t *testing.T) {
	open, number := Number{Lo: 70, Hi: math.Inf(1), None: 1}, Number{Lo: 70, Hi: 70, None: 1}
	for x := int64(2); x < 52; x++ {
		e := estimate(100*x-1, 100*x, 100*x+1).Per(100)
		one, _ := open.grade(e)
		other, _ := number.grade(e)
		if one != other {
			t.Errorf("%d times: %s for over 70, %s for 70", x, one, other)
		}
	}
}

// TestAuthorsByTheSameRule: what the authors' runs say of a number follows from mean, range and seeds as the
// grade of ours does, and no cell of the table says it too.
func TestAuthorsByTheSameRule(t *testing.T) {
	twice := Number{Lo: 1.5, Hi: 2.5, None: 1}
	for _, c := range []struct {
		value, least, top, seeds string
		want                     Agreement
	}{
		{"1.547", "1.517", "1.59", "3", Agrees},
		{"1.2", "1.19", "1.21", "3", OtherSize},
		{"1.1", "1.09", "1.11", "5", OtherSize},
		{"0.8", "0.79", "0.81", "3", Contradicts},
		{"2", "1.2", "2.9", "3", TooFew},
		{"2", "", "", "1", TooFew},
		{"2", "1.9", "2.1", "2", TooFew},
		{"2", "", "", "3", Agrees},
	} {
		e := Reading{Value: c.value, Least: c.least, Top: c.top, Seeds: c.seeds}.estimate()
		if got := twice.agreement(e); got != c.want {
			t.Errorf("%s [%s, %s] of %s seeds: %s, want %s", c.value, c.least, c.top, c.seeds, got, c.want)
		}
	}
	e := Reading{Value: "1.3", Least: "1", Top: "2", Seeds: "3"}.estimate()
	if want := estimate(1_000_000, 900_000, 2_000_000).Per(1e6); math.Abs(e.Lo-want.Lo) > 1e-9 || math.Abs(e.Hi-want.Hi) > 1e-9 || e.N != 3 {
		t.Errorf("three seeds: %+v, want %+v", e, want)
	}
	text, err := os.ReadFile("claims.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range records("claims.csv", string(text)) {
		c := Find(f["id"])
		if computed := c.Number != nil && c.Main >= 0 && c.Witness[c.Main].Seeds != ""; computed != (f["says"] == "") {
			t.Errorf("%s: the column says has %q, and the label is computed: %t", c.ID, f["says"], computed)
		}
	}
}

// TestRounding: the headline counts apart the reproduced numbers, and those among them whose mean rounds to
// the paper's.
func TestRounding(t *testing.T) {
	s := NewScorecards([]Finding{{Claim: "N008", Grade: Reproduced, Value: new(1.73)}, {Claim: "N069", Grade: Reproduced, Value: new(51.0)},
		{Claim: "N006", Grade: Direction, Value: new(1.25)}, {Claim: "N030", Grade: Reproduced, Value: new(1.0)}}).Paper
	if want := "; of the 3 reproduced, 2 are numbers, 1 of them within the paper's own rounding"; !strings.HasSuffix(s.Counts(), want) {
		t.Errorf("%q, want an end %q", s.Counts(), want)
	}
}
