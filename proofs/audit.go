package proofs

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"repslab/recycled"
)

// Limits of the bins of an audit: the theorem begins at 16.
const (
	MinBins = 16
	MaxBins = 1 << 20
)

// Audit checks the steps. Make it with [New].
type Audit struct {
	// Bins are the n that inequalities are computed at, ascending, each in
	// [MinBins, MaxBins].
	Bins []int
	// Constants are the numbers that inequalities rest on; [New] sets those
	// printed.
	Constants Constants
	logs      map[int]Interval
	phaseOne  map[int]*recycled.PhaseOne
	known     map[string]Finding // of checks that several steps share
}

// New returns an audit at the given bins with the printed constants. It returns
// an error that names the first bins outside [MinBins, MaxBins], or none given.
func New(bins []int) (*Audit, error) {
	if len(bins) == 0 {
		return nil, fmt.Errorf("proofs: Bins must not be empty")
	}
	for _, n := range bins {
		if n < MinBins || n > MaxBins {
			return nil, fmt.Errorf("proofs: Bins (%d) must be in [%d, %d]", n, MinBins, MaxBins)
		}
	}
	bins = slices.Clone(bins)
	slices.Sort(bins)
	return &Audit{Bins: slices.Compact(bins), Constants: PaperConstants(), logs: map[int]Interval{}, phaseOne: map[int]*recycled.PhaseOne{}, known: map[string]Finding{}}, nil
}

// DefaultBins are the bins of an audit unless others are asked for: each to 256,
// then powers of ten.
func DefaultBins() []int {
	var bins []int
	for n := MinBins; n <= 256; n++ {
		bins = append(bins, n)
	}
	return append(bins, 1000, 10_000, 100_000, 1_000_000)
}

// Result is a step with what its check found.
type Result struct {
	Step
	Finding
	Recorded Verdict // in the repository's table
}

// Follows says whether the recorded verdict is what the check finds.
func (r Result) Follows() bool { return r.Verdict == r.Recorded }

// Check runs the check of a step. Cost: milliseconds for most, a few seconds for
// those with simulations.
func (a *Audit) Check(s Step) (Result, error) {
	recorded, err := Recorded()
	if err != nil {
		return Result{}, err
	}
	return Result{s, s.Check(a), recorded[s.ID]}, nil
}

//go:embed verdicts.csv
var verdictsCSV string

// Recorded returns the repository's table of verdicts by step.
func Recorded() (map[string]Verdict, error) {
	lines, err := csv.NewReader(strings.NewReader(verdictsCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("proofs: verdicts.csv: %w", err)
	}
	table := map[string]Verdict{}
	for _, f := range lines[1:] {
		if !slices.Contains(Verdicts(), Verdict(f[1])) {
			return nil, fmt.Errorf("proofs: verdicts.csv: verdict (%q) of step %s must be one of %v", f[1], f[0], Verdicts())
		}
		table[f[0]] = Verdict(f[1])
	}
	return table, nil
}

// Find returns the step with an id, ignoring case.
func Find(id string) (Step, error) {
	var known []string
	for _, s := range Steps() {
		if strings.EqualFold(s.ID, id) {
			return s, nil
		}
		known = append(known, s.ID)
	}
	return Step{}, fmt.Errorf("proofs: step (%q) must be one of %s", id, strings.Join(known, ", "))
}

// once runs a check that several steps share, the first time it is asked for.
func (a *Audit) once(name string, check func(*Audit) Finding) Finding {
	f, ok := a.known[name]
	if !ok {
		f = check(a)
		a.known[name] = f
	}
	f.Evidence = slices.Clone(f.Evidence)
	return f
}

// log returns ln n, enclosed.
func (a *Audit) log(n int) Interval {
	l, ok := a.logs[n]
	if !ok {
		l = ln(n)
		a.logs[n] = l
	}
	return l
}

// constant encloses a number that is printed as a short decimal.
func constant(x float64) Interval {
	if x == math.Trunc(x*1024)/1024 {
		return Interval{x, x}
	}
	return outward(x, x)
}

// rational returns a number that is printed as a short decimal, exactly.
func rational(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("proofs: %v is not a number", x))
	}
	return r
}

// threshold returns the smallest integer τ >= c ln n, c the theorem's 4.
func (a *Audit) threshold(n int) int {
	return mustDecide(constant(a.Constants.Threshold).mul(a.log(n)).ceil())
}

// colors returns the smallest integer b >= c ln n, c the theorem's 2.4.
func (a *Audit) colors(n int) int {
	return mustDecide(constant(a.Constants.Colors).mul(a.log(n)).ceil())
}

// balls returns 2 n ln n + n, the balls that phase two may hold.
func (a *Audit) balls(n int) Interval {
	return constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).add(integer(n))
}

// mustDecide returns an integer part. n ln n is irrational, so only an enclosure
// too wide for an n beyond every limit leaves it open.
func mustDecide(n int, decided bool) int {
	if !decided {
		panic("proofs: an enclosure is too wide to round")
	}
	return n
}

// mostOverfull returns the largest k that the balls of phase two allow with every
// other bin non-empty: k τ <= M - n.
func (a *Audit) mostOverfull(n int) int {
	return mustDecide(a.balls(n).sub(integer(n)).div(integer(a.threshold(n))).floor())
}

// tally collects inequalities lhs <= rhs.
type tally struct {
	cases, failed int
	undecided     int
	slack         float64 // the smallest (rhs - lhs)/|rhs| of those that hold
	at            [2]int  // where
	first         [2]int  // where it first fails
	firstSides    [2]Interval
}

// newTally returns an empty tally.
func newTally() *tally { return &tally{slack: math.Inf(1)} }

// atMost adds a case lhs <= rhs at (n, k).
func (t *tally) atMost(lhs, rhs Interval, n, k int) bool {
	t.cases++
	switch compare(lhs, rhs) {
	case atMost:
		room := (rhs.Lo - lhs.Hi) / max(math.Abs(rhs.Lo), math.Abs(rhs.Hi), 1e-300)
		if room < t.slack {
			t.slack, t.at = room, [2]int{n, k}
		}
		return true
	case greater:
		if t.failed == 0 {
			t.first, t.firstSides = [2]int{n, k}, [2]Interval{lhs, rhs}
		}
		t.failed++
	default:
		t.undecided++
	}
	return false
}

// holds says whether every case does, for certain.
func (t *tally) holds() bool { return t.cases > 0 && t.failed == 0 && t.undecided == 0 }

// percent writes a share.
func percent(x float64) string {
	return strconv.FormatFloat(100*x, 'g', 3, 64) + " %"
}

// margin writes the smallest slack and where it is.
func (t *tally) margin() string {
	if t.failed > 0 || math.IsInf(t.slack, 1) {
		return ""
	}
	return fmt.Sprintf("%s of the bound at n = %d", percent(t.slack), t.at[0])
}

// span writes the n that were computed.
func (a *Audit) span() string {
	first, last := a.Bins[0], a.Bins[0]
	for _, n := range a.Bins[1:] {
		if n != last+1 {
			break
		}
		last = n
	}
	return fmt.Sprintf("%d values of n, each of %d..%d, up to %d", len(a.Bins), first, last, a.Bins[len(a.Bins)-1])
}

// decide returns the verdict of a conclusion and of its printed derivation.
func decide(conclusion, derivation bool) Verdict {
	switch {
	case !conclusion:
		return False
	case !derivation:
		return NotJustified
	default:
		return Holds
	}
}
