package proofs

import (
	"fmt"
	"strconv"
)

// Process is the reading of the model that a step refers to.
type Process string

// The processes; see package recycled.
const (
	SelfClocked Process = "self-clocked" // the process that the proof analyses
	RoundRobin  Process = "round-robin"  // the process of the model section and the theorem
	RoundTrip   Process = "round trip"   // balls come back to their senders some rounds later
	NoProcess   Process = "none"         // a statement about numbers or B alone
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	// Holds: on the whole domain, by the argument given, or by computation up to a stated n and an
	// argument beyond.
	Holds Verdict = "holds"
	// HoldsOnSmallerDomain: fails on a part of the domain. The boundary is given.
	HoldsOnSmallerDomain Verdict = "holds on a smaller domain"
	// Misprinted: the printed statement fails, or says nothing, but the statement that is meant and used
	// holds. A printed bound that is looser than the cited one but sufficient counts as Holds.
	Misprinted Verdict = "misprinted"
	// NotJustified: the conclusion holds, but its printed derivation fails, or the derivation of a step
	// on which it rests.
	NotJustified Verdict = "not justified"
	// False: with the smallest counterexample found.
	False Verdict = "false"
	// Open: neither proved nor refuted; measured at the n given.
	Open Verdict = "open"
)

// Verdicts lists the verdicts.
func Verdicts() []Verdict {
	return []Verdict{Holds, HoldsOnSmallerDomain, Misprinted, NotJustified, False, Open}
}

// Step is one statement of the theorem, its proof, the lemmas, or the stronger
// theorem, with its check.
type Step struct {
	ID      string  // such as "D3"; an r at the end marks the round-robin reading
	Place   string  // section and lines of the paper's source
	Lines   []int   // lines of the paper's LaTeX source with the statement
	Process Process // process in which the claim is judged
	Claim   string  // in words
	Formula string  // in LaTeX; may be empty
	Domain  string  // domain of the claim
	Reason  string  // the argument: why it holds everywhere, or why it does not
	Repair  string  // what holds instead; empty if nothing needs repair
	// Rests names the steps that the derivation uses on all of their domain. If the check of this step
	// finds [Holds], but one of those steps has a verdict other than Holds or [Misprinted], this step is
	// [NotJustified]; see [Audit.Check].
	Rests []string
	// Constants names the constants of [Constants] in inequalities of the check that are tight within 5
	// %: changing such a constant by 5 % against the claim changes the finding.
	Constants []string
	// Theorems names the theorems of proofs/coq that prove the step by machine. It is empty for a step
	// that is proved by hand.
	Theorems []string
	// Check computes the finding.
	Check func(*Audit) Finding

	lines    string // Lines as text
	symbolic bool   // Formula says everything that Claim says
	same     string // id of the step with the same claim in self-clocked
}

// Finding is the result of a check.
type Finding struct {
	Verdict        Verdict
	Margin         string   // slack of the claim, with units
	Counterexample string   // smallest counterexample found; empty if the claim holds
	Evidence       []string // computations and their range
	// Refuted lists statements and constants of the repair that are not supported by their argument. If
	// there are any, the recorded verdict does not follow.
	Refuted []string

	weak map[string]Verdict // steps on which it rests and that do not hold
}

// require adds a statement of a repair unless it holds.
func (f *Finding) require(holds bool, format string, a ...any) {
	if !holds {
		f.Refuted = append(f.Refuted, fmt.Sprintf(format, a...))
	}
}

// fails records that the claim is false, with a counterexample.
func (f *Finding) fails(format string, a ...any) {
	f.Verdict, f.Counterexample = False, fmt.Sprintf(format, a...)
}

// evidence adds a sentence about what was computed.
func (f *Finding) evidence(format string, a ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, a...))
}

// Constants are the numbers in inequalities of the paper's proof and of the stronger proof. Checks read
// them from here, so that a test can change them.
type Constants struct {
	Coupon        float64 // 2: fresh balls of phase one over n ln n
	Threshold     float64 // 4: τ over ln n
	Colors        float64 // 2.4: b over ln n
	NearBins      float64 // 3/4: near bins over n
	UniqueDrift   float64 // 1/4: the drift's size with few overfull bins
	FinalDrift    float64 // 1/32: the drift's size in the end
	ManyDrift     float64 // 1/8: the drift's size with many overfull bins
	Lemma1Rate    float64 // 5/4: the exponent of lemma 1
	Lemma1From    float64 // 16: the smallest x of lemma 1
	Lemma1Delta   float64 // 15: the smallest δ of lemma 1
	Lemma1Mean    float64 // 1: the largest mean in lemma 1
	Lemma2From    float64 // 7/2: the smallest x of lemma 2
	Lemma2Delta   float64 // 3: the smallest δ of lemma 2
	Lemma2Mean    float64 // 1/2: the largest mean in lemma 2
	Lemma2Pole    float64 // 1: the pole of 1/(x - 1)
	Absorption    float64 // 0.45: the absorption of the stronger theorem
	HoleShare     float64 // 1: the absorption of the stronger theorem over (n τ - M)/(n (τ - 1))
	MaxLoadRate   float64 // 5/4: the exponent of the batched process's load
	EventualSlack float64 // 1: τ - (1+ε) ln n, for eventual convergence

	// Constants of the repairs and of the stronger theorem.
	TailRounds      float64 // 2: rounds of phase two over y/h
	TailRate        float64 // 1/4: minus the exponent of the tail of these rounds over y
	Failure         float64 // 2: the probability that a run is late, over n^-FailurePower
	FailurePower    float64 // 1
	FreshLoad       float64 // 7: fresh balls of a bin in phase one over ln n
	UnionPower      float64 // 9/4: the power of n that phase two's rounds stay below
	LoadFactor      float64 // 17/5: the load that phase two adds over ln n
	LoadFailure     float64 // 4: the probability of a late run or a larger load, times n
	NeverShift      float64 // 1: in n exp(1 - τ)
	PhaseOneFactor  float64 // 2: in (e/(e-1)) (2 n - 1)
	PoissonDistance float64 // 0.64: the distance to the Poisson law, times n
	PoissonFrom     float64 // 400: the n from which the Poisson law is used
	RealAbsorption  float64 // 0.39: the absorption for real τ
	RealRate        float64 // 1: the exponent of the batched process's load for real τ
	RealUnion       float64 // 5/2: UnionPower for real τ
	RealLoadFactor  float64 // 9/2: LoadFactor for real τ
	LowerRounds     float64 // 0.38: the least expected rounds over n
	FirstExcess     float64 // 3/4: the expected excess of phase two's start
	UpperRounds     float64 // 7/2: the most expected rounds over n
}

// PaperConstants returns the constants as they are printed in the paper and in the claims and repairs of
// the steps. The texts of the steps are made from them.
func PaperConstants() Constants {
	return Constants{
		Coupon: 2, Threshold: 4, Colors: 2.4, NearBins: 0.75,
		UniqueDrift: 0.25, FinalDrift: 1. / 32, ManyDrift: 1. / 8,
		Lemma1Rate: 1.25, Lemma1From: 16, Lemma1Delta: 15, Lemma1Mean: 1,
		Lemma2From: 3.5, Lemma2Delta: 3, Lemma2Mean: 0.5, Lemma2Pole: 1,
		Absorption: 0.45, HoleShare: 1, MaxLoadRate: 1.25, EventualSlack: 1,
		TailRounds: 2, TailRate: 0.25, Failure: 2, FailurePower: 1, FreshLoad: 7,
		UnionPower: 2.25, LoadFactor: 3.4, LoadFailure: 4, NeverShift: 1, PhaseOneFactor: 2,
		PoissonDistance: 0.64, PoissonFrom: 400,
		RealAbsorption: 0.39, RealRate: 1, RealUnion: 2.5, RealLoadFactor: 4.5,
		LowerRounds: 0.38, FirstExcess: 0.75, UpperRounds: 3.5,
	}
}

// fraction writes a constant as a reduced fraction, such as "17/5".
func fraction(x float64) string { return rational(x).RatString() }

// decimal writes a constant as a decimal, such as "0.45".
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
