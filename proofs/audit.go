package proofs

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/recycled"
)

// Limits of the bins of an audit: the theorem begins at 16.
const (
	MinBins = 16
	MaxBins = 1 << 20
)

// Audit checks the steps. [New] makes it.
type Audit struct {
	// Bins lists the n at which inequalities are computed, ascending, each in
	// [MinBins, MaxBins].
	Bins []int
	// Constants holds the constants of the inequalities; [New] sets the printed ones.
	Constants Constants
	recorded  map[string]Verdict
	known     map[knownKey]Finding
	*results
}

// results caches numbers that several checks need. Each depends only on its key.
type results struct {
	logs     map[int]Interval
	phaseOne map[int]*recycled.PhaseOne
	layers   map[layersKey][2]Interval  // results of excessLayers
	tails    map[lateKey]Interval       // results of late
	runs     map[string]recycled.Result // by configuration and number of runs
}

// newResults returns empty results.
func newResults() *results {
	return &results{
		map[int]Interval{}, map[int]*recycled.PhaseOne{}, map[layersKey][2]Interval{},
		map[lateKey]Interval{}, map[string]recycled.Result{},
	}
}

// New returns an audit at the given bins with the printed constants. The error is a *faults.FieldError about
// an empty list or the first of bins outside [MinBins, MaxBins], or the error of [Recorded].
func New(bins []int) (*Audit, error) {
	if len(bins) == 0 {
		return nil, faults.New("proofs", "bins", bins, "must not be empty")
	}
	for _, n := range bins {
		if n < MinBins || n > MaxBins {
			return nil, faults.New("proofs", "bins", n, "must be in [%d, %d]", MinBins, MaxBins)
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
		known: map[knownKey]Finding{}, results: newResults(),
	}, nil
}

// DefaultBins returns the default bins of an audit: 16 to 256, then powers of ten to
// 10^6.
func DefaultBins() []int {
	var bins []int
	for n := MinBins; n <= 256; n++ {
		bins = append(bins, n)
	}
	return append(bins, 1000, 10_000, 100_000, 1_000_000)
}

// Result is a step with the finding of its check and its recorded verdict.
type Result struct {
	Step
	Finding
	Recorded Verdict // verdict in the repository's table
}

// Follows reports whether the recorded verdict equals the verdict of the check and every statement of the
// repair holds.
func (r Result) Follows() bool { return r.Verdict == r.Recorded && len(r.Refuted) == 0 }

// Check runs the checks of a step and of the steps it rests on, each once. If the check of a step finds
// [Holds] but the step rests on a step with a verdict other than Holds or [Misprinted], it is
// [NotJustified]. Check panics if Rests names a step that does not exist, if the step has no check, and for the
// zero Audit. Cost: milliseconds for most
// steps, a few seconds for those with simulations.
func (a *Audit) Check(s Step) Result {
	f := a.own(s)
	if f.Verdict == Holds {
		f.weak = map[string]Verdict{}
		var weak []string
		for _, id := range s.Rests {
			if v := a.verdict(id); v != Holds && v != Misprinted {
				f.weak[id] = v
				weak = append(weak, fmt.Sprintf("%s (%s)", id, v))
			}
		}
		if len(weak) > 0 {
			f.Verdict = NotJustified
			f.Counterexample = "the derivation rests on " + strings.Join(weak, ", ")
		}
	}
	return Result{s, f, a.recorded[s.ID]}
}

// verdict returns the verdict of another step. It panics if there is none.
func (a *Audit) verdict(id string) Verdict { return a.Check(must(Find(id))).Verdict }

// Find returns the step with an id, ignoring case. The error is a *faults.FieldError.
func Find(id string) (Step, error) {
	var known []string
	for _, s := range Steps() {
		if strings.EqualFold(s.ID, id) {
			return s, nil
		}
		known = append(known, s.ID)
	}
	return Step{}, faults.New("proofs", "step", id, "must be one of %s", strings.Join(known, ", "))
}

// knownKey identifies a finding.
type knownKey struct {
	id        string
	constants Constants
}

// own returns the finding of a step's own check with the current constants, regardless of the steps it
// rests on. It runs the check the first time.
func (a *Audit) own(s Step) Finding {
	if a.results == nil || s.Check == nil {
		panic("proofs: Audit.Check: New must make the audit, and the step must have a check, as those of Steps")
	}
	key := knownKey{s.ID, a.Constants}
	f, ok := a.known[key]
	if !ok {
		f = s.Check(a)
		a.known[key] = f
	}
	f.Evidence = slices.Clone(f.Evidence)
	return f
}

// sameAs returns the check of another step.
func sameAs(id string) func(*Audit) Finding {
	return func(a *Audit) Finding { return a.own(must(Find(id))) }
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

// constant encloses a number that the paper or a step prints as a short decimal.
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

// threshold returns the smallest integer τ >= c ln n, with c = 4 in the theorem.
func (a *Audit) threshold(n int) int {
	return constant(a.Constants.Threshold).mul(a.log(n)).ceil()
}

// colors returns the smallest integer b >= c ln n, with c = 2.4 in the theorem.
func (a *Audit) colors(n int) int {
	return constant(a.Constants.Colors).mul(a.log(n)).ceil()
}

// balls returns 2 n ln n + n, the balls that phase two may hold.
func (a *Audit) balls(n int) Interval {
	return constant(a.Constants.Coupon).mul(integer(n)).mul(a.log(n)).add(integer(n))
}

// mostOverfull returns the largest number k of overfull bins for which the balls of phase two suffice
// when every other bin is non-empty: k τ <= M - n.
func (a *Audit) mostOverfull(n int) int {
	return a.balls(n).sub(integer(n)).div(integer(a.threshold(n))).floor()
}

// span describes the n that were computed: "the grid" by default.
func (a *Audit) span() string {
	if slices.Equal(a.Bins, DefaultBins()) {
		return "the grid"
	}
	return fmt.Sprintf("%d n in %d..%d", len(a.Bins), a.Bins[0], a.Bins[len(a.Bins)-1])
}
