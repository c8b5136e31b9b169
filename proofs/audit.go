package proofs

import (
	_ "embed"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"repslab/mc"
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
	recorded  map[string]Verdict
	known     map[knownKey]Finding
}

// New returns an audit at the given bins with the printed constants. It returns
// an error that names the first bins outside [MinBins, MaxBins], or none given, or
// that of [Recorded].
func New(bins []int) (*Audit, error) {
	if len(bins) == 0 {
		return nil, mc.NewFieldError("proofs", "bins", bins, "must not be empty")
	}
	for _, n := range bins {
		if n < MinBins || n > MaxBins {
			return nil, mc.NewFieldError("proofs", "bins", n, "must be in [%d, %d]", MinBins, MaxBins)
		}
	}
	recorded, err := Recorded()
	if err != nil {
		return nil, err
	}
	bins = slices.Clone(bins)
	slices.Sort(bins)
	return &Audit{
		Bins: slices.Compact(bins), Constants: PaperConstants(), recorded: recorded,
		logs: map[int]Interval{}, phaseOne: map[int]*recycled.PhaseOne{}, known: map[knownKey]Finding{},
	}, nil
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

// Follows says whether the recorded verdict is what the check finds, and every
// statement of the repair holds.
func (r Result) Follows() bool { return r.Verdict == r.Recorded && len(r.Refuted) == 0 }

// Check runs the checks of a step and of the steps it rests on, each once. A step
// whose own check finds [Holds] but that rests on one judged anything but Holds or
// [Misprinted] is [NotJustified]. It panics if Rests names a step that does not
// exist. Cost: milliseconds for most, a few seconds for those with simulations.
func (a *Audit) Check(s Step) Result {
	f := a.once("step "+s.ID, func(a *Audit) Finding {
		f := s.Check(a)
		if f.Verdict != Holds {
			return f
		}
		var weak []string
		for _, id := range s.Rests {
			if v := a.verdict(id); v != Holds && v != Misprinted {
				weak = append(weak, fmt.Sprintf("%s (%s)", id, v))
			}
		}
		if len(weak) > 0 {
			f.Verdict = NotJustified
			f.Counterexample = "the derivation rests on " + strings.Join(weak, ", ")
		}
		return f
	})
	return Result{s, f, a.recorded[s.ID]}
}

// verdict returns the verdict of another step, by its check. It panics if there is
// no such step.
func (a *Audit) verdict(id string) Verdict {
	s, err := Find(id)
	if err != nil {
		panic(err) // the steps are this package's
	}
	return a.Check(s).Verdict
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
	return Step{}, mc.NewFieldError("proofs", "step", id, "must be one of %s", strings.Join(known, ", "))
}

// knownKey identifies a finding that several steps use.
type knownKey struct {
	name      string
	constants Constants
}

// once runs a check that several steps share, the first time it is asked for with
// the present constants.
func (a *Audit) once(name string, check func(*Audit) Finding) Finding {
	key := knownKey{name, a.Constants}
	f, ok := a.known[key]
	if !ok {
		f = check(a)
		a.known[key] = f
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
