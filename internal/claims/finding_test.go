package claims

import (
	"math"
	"strings"
	"testing"

	"repslab/mc"
)

// N031 claims about 4 %, N037 5 %, N041 799 us in the place of 1,400, N040 a time without an
// opposite; the tests take their numbers.
const (
	about    = "N031"
	gain     = "N037"
	less     = "N041"
	absolute = "N040"
)

// TestSized: the claimed number lies among single runs, or only its direction is right, or
// neither, or one run tells nothing.
func TestSized(t *testing.T) {
	for name, c := range map[string]struct {
		claim        string
		observations []int64
		percent      float64 // one observation of 1 is so many percent
		want         Grade
	}{
		"close":                {gain, []int64{500, 520, 480, 510, 490}, 0.01, Reproduced},
		"half as much":         {gain, []int64{200, 202, 198, 201, 199}, 0.01, Direction},
		"a fifth":              {gain, []int64{100, 102, 98, 101, 99}, 0.01, FarSmaller},
		"perhaps a third":      {gain, []int64{130, 170, 110, 150, 120}, 0.01, Direction},
		"a sixth less":         {less, []int64{1295, 1300, 1305}, 1, FarSmaller},
		"half less":            {less, []int64{1095, 1100, 1105}, 1, Direction},
		"about, widely":        {about, []int64{520, 380, 430, 410, 525}, 0.01, Reproduced},
		"about, elsewhere":     {about, []int64{540, 536, 542, 538, 539}, 0.01, Direction},
		"the same, no about":   {gain, []int64{620, 480, 530, 510, 625}, 0.01, Reproduced},
		"one run is wide":      {gain, []int64{400, 600, 300, 500, 300, 700, 450, 650, 550, 600, 400, 500}, 0.01, Reproduced},
		"wide, and elsewhere":  {gain, []int64{200, 400, 100, 300, 100, 500, 250, 450, 350, 400, 200, 300, 200, 400}, 0.01, Direction},
		"wide, but more":       {gain, []int64{800, 1000, 750, 1300, 1050}, 0.01, Direction},
		"the mean is wide":     {gain, []int64{400, 600, 200, 500, 300}, 0.01, Undecided},
		"nine times as much":   {gain, []int64{4500, 4700, 4300}, 0.01, FarLarger},
		"twice as much":        {gain, []int64{1000, 1020, 980}, 0.01, Direction},
		"none":                 {gain, []int64{10, -10, 5, -5, 0}, 0.01, Undecided},
		"the other way":        {gain, []int64{-200, -202, -198, -201, -199}, 0.01, Contradicted},
		"wide around the none": {gain, []int64{-900, 900, 400, -400, 100}, 0.01, Undecided},
		"one run":              {gain, []int64{400}, 0.01, Undecided},
		"time":                 {absolute, []int64{1390, 1400, 1410}, 1, Reproduced},
		"another time":         {absolute, []int64{1490, 1500, 1510}, 1, Contradicted},
		"any time":             {absolute, []int64{500, 1500, 3000}, 1, Undecided},
	} {
		e := estimate(c.observations...).Per(1 / c.percent)
		if f := Sized(c.claim, e, "measured", ""); f.Grade != c.want {
			t.Errorf("%s: %s, want %s (%s)", name, f.Grade, c.want, f.Why)
		}
	}
}

// TestFar: a gain as a ratio and the same in percent are judged alike: 1.030 to 1.034 against
// 11 % are far smaller, but not 1.036; 1.36 is far larger, but not 1.34; a number that is no gain is neither.
func TestFar(t *testing.T) {
	ratio, percent := Number{Lo: 1.105, Hi: 1.115, None: 1}, Number{Lo: 10.5, Hi: 11.5, None: 0}
	for excess, want := range map[int64]Grade{10: FarSmaller, 30: FarSmaller, 34: FarSmaller, 36: "", 100: "", 340: "", 360: FarLarger} {
		var p mc.PairedMoments
		for _, noise := range []int64{-1, 0, 1} {
			p.Add(100_000+100*excess+noise, 100_000)
		}
		e := p.Ratio(mc.DefaultConfidence)
		for _, c := range []struct {
			n Number
			e mc.Estimate
		}{{ratio, e}, {percent, e.Percent()}} {
			if small, large := c.n.farSmaller(c.e), c.n.farLarger(c.e); small != (want == FarSmaller) || large != (want == FarLarger) {
				t.Errorf("1 + %d/1000 against %v: far smaller %v, far larger %v, want %q", excess, c.n, small, large, want)
			}
		}
		if n := (Number{Lo: 10, Hi: 11, None: math.NaN()}); n.farSmaller(e) || n.farLarger(e) {
			t.Error("a number without an opposite is far smaller or larger")
		}
	}
}

// TestAbout: every number that the paper gives with "about", "~" or the like allows a quarter to
// either side, and is marked so; no other number is.
func TestAbout(t *testing.T) {
	for _, c := range Claims() {
		if c.Number == nil {
			continue
		}
		said := strings.Contains(c.Quote, "about ") || strings.ContainsAny(c.Quote, "~≈")
		middle := (c.Number.Lo + c.Number.Hi) / 2
		if c.Number.About != said || said && (c.Number.Hi < 1.25*middle || c.Number.Lo > 0.75*middle) {
			t.Errorf("%s, %q: %+v", c.ID, c.Quote, *c.Number)
		}
	}
}

// TestJudged: a predicate needs estimates that show it.
func TestJudged(t *testing.T) {
	e := estimate(90, 100, 104, 111, 95) // 100 [90, 110]
	clear, broken, open := AtMost(e, 120), AtMost(e, 80), AtMost(e, 101)
	for name, c := range map[string]struct {
		got  Finding
		want Grade
	}{
		"met":                       {Judged("N001", clear, "", ""), Reproduced},
		"broken":                    {Judged("N001", broken, "", ""), Contradicted},
		"open":                      {Judged("N001", open, "", ""), Undecided},
		"too small a run":           {Judged("N001", clear, "", "").Undecided("small"), Undecided},
		"all parts":                 {InParts("N001", []Part{{"a", clear}, {"b", clear}}, "", ""), Reproduced},
		"no part":                   {InParts("N001", []Part{{"a", broken}, {"b", broken}}, "", ""), Contradicted},
		"one of three":              {InParts("N001", []Part{{"a", clear}, {"b", broken}, {"c", open}}, "", ""), InPart},
		"one met, the other open":   {InParts("N001", []Part{{"a", clear}, {"b", open}}, "", ""), Undecided},
		"one broken, the other not": {InParts("N001", []Part{{"a", broken}, {"b", open}}, "", ""), Undecided},
		"words":                     {InWords("N001", false, "", ""), Contradicted},
		"arithmetic":                {Exactly("N016", "bits", 74, "", ""), Reproduced},
		"cited":                     {LeftOut("N003", "", ""), Grade(Cited)},
	} {
		if c.got.Grade != c.want {
			t.Errorf("%s: %s, want %s", name, c.got.Grade, c.want)
		}
	}
	f := InParts("N001", []Part{{"a", clear}, {"b", broken}, {"c", open}, {"d", clear}, {"e", broken}}, "", "because")
	if want := "holds for a and d, not for b or e, undecided for c; because"; f.Why != want || f.Runs != 5 {
		t.Errorf("%q of %d runs, want %q of 5", f.Why, f.Runs, want)
	}
	if f := Exactly("N016", "bits", 74, "", ""); f.PValue != nil || *f.Value != 74 || *f.Low != 74 {
		t.Errorf("arithmetic: %+v", f)
	}
	if f := Estimated("N001", "the last packet into it", e, "", ""); *f.Low != e.Lo || *f.High != e.Hi || *f.PValue != AtMost(e, 100).met {
		t.Errorf("an estimate: %+v", f)
	}
	if f := Seen("N001", true, mc.Estimate{Value: 2, Lo: math.Inf(-1), Hi: math.Inf(1)}, "", ""); f.Low != nil {
		t.Errorf("an infinite interval: %+v", f)
	}
}

// TestImpossibleFindings: a p-value out of [0, 1] or a grade that no figure gives is refused,
// as is a claim that does not exist.
func TestImpossibleFindings(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, 7, math.NaN()} {
		err := Finding{Claim: "N017", Grade: Reproduced, PValue: &p}.Validate()
		if err == nil || !strings.Contains(err.Error(), "of N017 must be in [0, 1]") {
			t.Errorf("p-value %v: error %v", p, err)
		}
	}
	for _, g := range []Grade{"", "Reproduced", NotMade} {
		err := Finding{Claim: "N017", Grade: g}.Validate()
		if err == nil || !strings.Contains(err.Error(), `of N017 must be one of ["reproduced" "direction holds"`) {
			t.Errorf("grade %q: error %v", g, err)
		}
	}
	if err := (Finding{Grade: Contradicted, PValue: new(0.5)}).Validate(); err != nil {
		t.Errorf("a possible finding: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown claim is found")
		}
	}()
	Find("N000")
}
