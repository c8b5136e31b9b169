package proofs

import (
	"encoding/csv"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"repslab/internal/mc"
	"repslab/recycled"
)

// audited runs every check once for all tests.
var audited = sync.OnceValues(func() ([]Result, error) {
	a, err := New(DefaultBins())
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, s := range Steps() {
		r, err := a.Check(s)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
})

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
		if !r.Follows() {
			t.Errorf("%s: the check finds %q, recorded is %q", r.ID, r.Verdict, r.Recorded)
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
		"EventualSlack": change(func(c *Constants) *float64 { return &c.EventualSlack }),
	}
}

// TestTightConstantsAreNoticed: where a step is tight within 5 %, changing its
// constant by 5 % in one direction changes the verdict or what is found at the
// boundary.
func TestTightConstantsAreNoticed(t *testing.T) {
	bins := append(DefaultBins()[:60], 1000)
	seen := map[string]bool{}
	for _, s := range Steps() {
		if len(s.Constants) == 0 {
			continue
		}
		plain, err := New(bins)
		if err != nil {
			t.Fatal(err)
		}
		before := s.Check(plain)
		for _, name := range s.Constants {
			seen[name] = true
			noticed := false
			for _, mutate := range mutations()[name] {
				a, err := New(bins)
				if err != nil {
					t.Fatal(err)
				}
				mutate(&a.Constants)
				after := s.Check(a)
				noticed = noticed || after.Verdict != before.Verdict || before.Verdict == HoldsOnSmallerDomain && after.Counterexample != before.Counterexample
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

// TestEnclosures: the enclosures contain the true values, and are narrow.
func TestEnclosures(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 17, 1000, 1 << 20} {
		l := Log(n)
		if w := math.Log(float64(n)); w < l.Lo-1e-15 || w > l.Hi+1e-15 || l.Hi-l.Lo > 1e-14*(1+w) {
			t.Errorf("ln %d = %v, enclosed %v", n, w, l)
		}
	}
	for _, x := range []float64{-700, -20, -1.5, -0.1, 0, 0.1, 1.25, 10, 700} {
		e := Exp(Interval{x, x})
		if w := math.Exp(x); w < e.Lo*(1-1e-15) || w > e.Hi*(1+1e-15) || e.Hi-e.Lo > 1e-14*w {
			t.Errorf("e^%v = %v, enclosed %v", x, w, e)
		}
	}
	// ln 2 to 30 digits, by comparison of e^(ln 2) with 2.
	two := Exp(Log(2))
	if two.Lo > 2 || two.Hi < 2 {
		t.Errorf("e^(ln 2) enclosed %v", two)
	}
}

// TestBinomialAgainstRationals: enclosures of tails and excesses contain the exact
// fractions, and are narrow.
func TestBinomialAgainstRationals(t *testing.T) {
	inside := func(name string, exact *big.Rat, i Interval, n, k, x int) {
		lo, hi := new(big.Rat).SetFloat64(i.Lo), new(big.Rat).SetFloat64(i.Hi)
		if exact.Cmp(lo) < 0 || exact.Cmp(hi) > 0 || i.Hi-i.Lo > 1e-12 {
			t.Errorf("%s(%d, %d, %d) = %v outside %v", name, n, k, x, exact.FloatString(20), i)
		}
	}
	for _, n := range []int{1, 2, 3, 5, 16, 40} {
		for _, k := range []int{0, 1, 2, n / 2, n} {
			for x := 0; x <= k+1; x++ {
				inside("Tail", TailRat(n, k, x), Tail(n, k, x), n, k, x)
				z := new(big.Rat).SetInt64(int64(x))
				inside("Excess", ExcessRat(n, k, z), Excess(n, k, x), n, k, x)
				if bound := new(big.Rat).SetFloat64(excessAtMost(n, k, x).Hi); ExcessRat(n, k, z).Cmp(bound) > 0 {
					t.Errorf("excessAtMost(%d, %d, %d) = %v is below the excess", n, k, x, bound)
				}
			}
		}
	}
}

// TestWorstDriftIsTheWorst: by exhaustive search over the loads of small systems
// no configuration has a larger drift than the one that convexity gives.
func TestWorstDriftIsTheWorst(t *testing.T) {
	configurations := 0
	for _, c := range []struct{ n, threshold, balls int }{{3, 3, 9}, {4, 3, 11}, {5, 3, 13}, {4, 5, 16}, {6, 3, 14}} {
		worst := map[int]*big.Rat{}
		loads := make([]int, c.n)
		var place func(at, left, most int)
		place = func(at, left, most int) {
			if at == c.n {
				k := 0
				for _, load := range loads {
					if load > c.threshold {
						k++
					}
				}
				if k == 0 {
					return
				}
				configurations++
				drift := DriftRat(c.threshold, loads)
				if worst[k] == nil || drift.Cmp(worst[k]) > 0 {
					worst[k] = drift
				}
				return
			}
			for load := 1; load <= min(most, left-(c.n-at-1)); load++ {
				loads[at] = load
				place(at+1, left-load, load)
			}
		}
		place(0, c.balls, c.balls)
		for k, drift := range worst {
			got := DriftRat(c.threshold, worstLoads(c.n, c.threshold, c.balls, k))
			i := WorstDrift(c.n, c.threshold, c.balls, k)
			if got.Cmp(drift) != 0 {
				t.Errorf("%+v k=%d: worst %v, convexity gives %v", c, k, drift, got)
			}
			if f, _ := drift.Float64(); f < i.Lo || f > i.Hi {
				t.Errorf("%+v k=%d: %v outside %v", c, k, f, i)
			}
		}
	}
	if configurations < 100 {
		t.Errorf("only %d configurations", configurations)
	}
}

// TestSystemIsTheSimulator: the explicit model and package recycled, with the same
// draws, have the same loads in every round.
func TestSystemIsTheSimulator(t *testing.T) {
	for _, s := range []setup{{SelfClocked, 8, 3, 0}, {SelfClocked, 16, 12, 0}, {RoundRobin, 5, 4, 3}, {RoundRobin, 16, 12, 7}} {
		cfg := recycled.Config{Bins: s.bins, Threshold: s.threshold, Colors: s.colors, Clocking: recycled.Clocking(s.process)}
		p, err := recycled.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(7, mc.Algorithm, 1)
		p.Reset(stream)
		rng := stream.Rand()
		y := newSystem(s)
		for r := 1; r <= 300; r++ {
			p.Step()
			record, draws := y.remove()
			choices := make([]int, draws)
			for i := range choices {
				choices[i] = int(rng.Below(uint64(s.bins)))
			}
			y.throw(record, choices)
			for bin, load := range record.after {
				if p.Load(bin) != load {
					t.Fatalf("%v: round %d: loads %v, the simulator has %d in bin %d", s, r, record.after, p.Load(bin), bin)
				}
			}
			if met, known := p.ColorRepeated(); known && met != y.repeated {
				t.Fatalf("%v: round %d: two of a colour %v, the simulator says %v", s, r, y.repeated, met)
			}
		}
	}
}

// TestDocumentIsCurrent: docs/proof.md is what the audit writes.
func TestDocumentIsCurrent(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := Markdown(results); got != string(document) {
		t.Error("docs/proof.md is not what `repslab prove --format markdown` writes")
	}
}

// TestLaTeXIsBalanced: the LaTeX document is balanced and plain ASCII.
func TestLaTeXIsBalanced(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	text := LaTeX(results)
	for i, c := range text {
		if c > 126 {
			t.Fatalf("character %q at %d: %q", c, i, text[max(0, i-40):i])
		}
	}
	depth := 0
	plain := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(text)
	for i, c := range plain {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			t.Fatalf("a brace too many at %q", plain[max(0, i-40):i])
		}
	}
	if depth != 0 || strings.Count(text, `\[`) != strings.Count(text, `\]`) {
		t.Errorf("braces (%d open) or displays are not balanced", depth)
	}
	for _, r := range results {
		if !strings.Contains(text, `\subsection*{`+r.ID+":") {
			t.Errorf("%s is not in the document", r.ID)
		}
	}
}

// TestDriftIsTheMean: the enclosed drift of a state contains the mean over all its
// throws, along some runs of both processes.
func TestDriftIsTheMean(t *testing.T) {
	for _, s := range []setup{{SelfClocked, 4, 2, 0}, {RoundRobin, 3, 2, 2}, {RoundRobin, 4, 3, 2}} {
		rng := mc.NewStream(3, mc.Algorithm, 0).Rand()
		y := newSystem(s)
		for range 40 {
			start := y.clone()
			r, draws := start.remove()
			rise, choices := 0, 0
			eachChoice(s.bins, draws, func(choice []int) {
				z, record := start.clone(), r.fork()
				z.throw(record, choice)
				rise += excess(record.after, s.threshold) - excess(record.before, s.threshold)
				choices++
			})
			mean := float64(rise) / float64(choices)
			if d := y.drift(); mean < d.Lo-1e-12 || mean > d.Hi+1e-12 || d.Hi-d.Lo > 1e-9 {
				t.Fatalf("%v, loads %v: mean change %v, enclosed %v", s, y.loads(), mean, d)
			}
			choice := make([]int, draws)
			for i := range choice {
				choice[i] = int(rng.Below(uint64(s.bins)))
			}
			start.throw(r, choice)
			y = start
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
