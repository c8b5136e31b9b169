package proofs

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainTail returns P[Bin(k, 1/n) >= x] and E max(0, B - x) in plain floating
// point, by none of the package's own functions.
func plainTail(n, k int, x float64) (tail, excess float64) {
	p := math.Pow(1-1/float64(n), float64(k))
	for j := 0; j <= k; j++ {
		if float64(j) >= x {
			tail += p
			excess += p * (float64(j) - x)
		}
		p *= float64(k-j) / (float64(j+1) * float64(n-1))
	}
	return tail, excess
}

// TestVerdictsByPlainArithmetic repeats what the verdicts that do not hold rest on
// without the package's enclosures: what fails does so at the point given, and what
// is meant or concluded holds. All gaps are far above rounding.
func TestVerdictsByPlainArithmetic(t *testing.T) {
	L := math.Log
	tail3, mean3 := plainTail(8, 4, 3.5)
	color, _ := plainTail(16, 16, 7)
	_, far := plainTail(16, 8, 3)
	_, from := plainTail(16, 16, 3)
	near := func(n, k, threshold float64) bool {
		return (2*n*L(n)+n-k*(threshold+1))/(threshold-L(n)) <= 0.75*n-k
	}
	rate := math.Exp(1.25)
	few := func(n float64) float64 { return rate/n - 0.25 }
	many := func(n float64) float64 { return rate/n + 1/L(n) - (1+L(n))/4 }
	a, err := sharing([]int{16, 20, 30, 31, 64, 1000})
	if err != nil {
		t.Fatal(err)
	}
	twelve := 12 - 4*L(16) // how far 12 balls are above a real τ
	for _, c := range []struct {
		step    string
		verdict Verdict
		fails   bool // what is printed, at the counterexample
		meant   bool // what is meant, concluded or left of the domain
	}{
		{"T2", HoldsOnSmallerDomain, 2.4*L(29) > 8, 2.4*L(28) <= 8},
		{"A9", False, 23.868 < 0.9*(16*L(16)+16), true},
		{"C7", HoldsOnSmallerDomain, 1./16-1+15./16*(1-twelve) > 1./16-1+0.05, twelve > 0 && twelve < 1},
		{"C8", Misprinted, 16./1 > 1./16, true},
		{"C11", NotJustified, 3 < 3.5, from <= math.Exp(-2)/2},
		{"C12", False, 3 < L(16)+1, 3 > L(16)},
		{"C13", NotJustified, 16*math.Exp(-2)/2 > 1/L(16), 16*far <= 1/L(16)},
		{"C16", HoldsOnSmallerDomain, !near(16, 1, 4*L(16)) && !near(30, 1, 4*L(30)) && !near(20, 1, 12), near(31, 1, 4*L(31)) && near(16, 2, 4*L(16)) && near(20, 2, 12)},
		{"C22", HoldsOnSmallerDomain, 0 > -0.25, true},
		{"D5", NotJustified, math.Ceil(2.4*L(16)) < 16 && 2.4*L(785) < 16 && 2.4*L(786) >= 16, color <= rate/4096},
		{"E1", Misprinted, many(16) < -0.125 && many(1e6) < -0.125, many(12) <= -0.125 && many(11) > -0.125},
		{"E2", Misprinted, few(16) < -1./32 && few(1e6) < -1./32, few(15) > -1./32},
		{"E3", False, 3 > L(16) && 3 < 1+L(16), rate/16+1/L(16)-3./4 <= -0.125},
		{"E12", NotJustified, true, (rate-1)/2 <= 1.25},
		{"E14", HoldsOnSmallerDomain, -(12-4*L(20))*19/20 > -1./32, -(12-11.)*19/20 <= -1./32},
		{"M3", HoldsOnSmallerDomain, mean3/tail3 > 1/2.5, 4+(8-4.)/8/(4-0.5+0.125) >= 4},
		{"M9", NotJustified, mean3/tail3 > 1/2.5, mean3 <= math.Exp(-3)/2.5},
		{"M10", HoldsOnSmallerDomain, 4 > 3, true},
	} {
		s, err := Find(c.step)
		if err != nil {
			t.Fatal(err)
		}
		if f := s.Check(a); f.Verdict != c.verdict || !c.fails || !c.meant {
			t.Errorf("%s: the check finds %q, want %q; what is printed fails: %v, what is meant holds: %v", c.step, f.Verdict, c.verdict, c.fails, c.meant)
		}
	}
}

// TestTightStepsNameTheirConstants: a step whose margin is below 5 % says in which
// constants, so that [TestTightConstantsAreNoticed] changes them.
func TestTightStepsNameTheirConstants(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	share := regexp.MustCompile(`(?:^|within )([-+.0-9e]+)(?: %| at)`)
	tight := 0
	for _, r := range results {
		m := share.FindStringSubmatch(r.Margin)
		if m == nil || r.Process == RoundRobin {
			continue
		}
		slack, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatalf("%s: margin %q: %v", r.ID, r.Margin, err)
		}
		if slack >= 5 {
			continue
		}
		tight++
		if len(r.Constants) == 0 {
			t.Errorf("%s is tight (%s) in no constant", r.ID, r.Margin)
		}
	}
	if tight < 15 {
		t.Errorf("only %d tight steps", tight)
	}
}

// TestPairsOfReadings: every step that is false in round-robin alone has one for
// the proof's process beside it, or is about colours, which that does not have.
func TestPairsOfReadings(t *testing.T) {
	var ids []string
	for _, s := range Steps() {
		ids = append(ids, s.ID)
	}
	colors := []string{"D1r", "D2r", "D3r"}
	for _, id := range ids {
		if own, ok := strings.CutSuffix(id, "r"); ok && !slices.Contains(ids, own) && !slices.Contains(colors, id) {
			t.Errorf("%s has no step %s beside it", id, own)
		}
	}
}

// TestLaTeXCompiles: pdflatex makes the document. Without it the test is skipped,
// unless REPSLAB_REQUIRE names it.
func TestLaTeXCompiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "pdflatex") {
			t.Fatal(err)
		}
		t.Skip("pdflatex is not installed")
	}
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "proof.tex"), []byte(LaTeX(results)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "proof.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, out[max(0, len(out)-800):])
	}
	if pdf, err := os.Stat(filepath.Join(dir, "proof.pdf")); err != nil || pdf.Size() < 50_000 {
		t.Errorf("proof.pdf: %v, %v", pdf, err)
	}
	for _, bad := range []string{"Missing character", "Overfull \\hbox"} {
		if n := strings.Count(string(out), bad); n > 0 {
			t.Errorf("%d times %q", n, bad)
		}
	}
}

// BenchmarkProve runs every check at the bins of `repslab prove`, and at every n
// up to 3,000 and some up to 10^6.
func BenchmarkProve(b *testing.B) {
	var all []int
	for n := MinBins; n <= 3000; n++ {
		all = append(all, n)
	}
	for _, c := range []struct {
		name string
		bins []int
	}{{"default", DefaultBins()}, {"to3000", append(all, 10_000, 100_000, 1_000_000)}} {
		b.Run("bins="+c.name, func(b *testing.B) {
			for b.Loop() {
				a, err := New(c.bins)
				if err != nil {
					b.Fatal(err)
				}
				for _, s := range Steps() {
					a.Check(s)
				}
			}
			b.ReportMetric(float64(len(Steps())*b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
