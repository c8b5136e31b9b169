package ballsbins

import (
	"cmp"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/mc"
)

// Variant selects when bins serve and the weight of a ball.
type Variant string

// The variants of the batched process. Loads are observed at the end of a round: after the throws under
// ServeThenArrive, after the service under the others.
const (
	// ServeThenArrive is the process of the paper's text: each non-empty bin
	// loses one ball, then balls arrive. The default.
	ServeThenArrive Variant = "serve-then-arrive"
	// ArriveThenServe lets balls arrive first. Its loads are the loads of ServeThenArrive minus one ball
	// in each non-empty bin.
	ArriveThenServe Variant = "arrive-then-serve"
	// Weighted is the process of the authors' figure script: n balls arrive, each
	// of weight Lambda, then each bin loses min(1, its content).
	Weighted Variant = "weighted"
)

// Variants lists the variants, the default first.
func Variants() []Variant { return []Variant{ServeThenArrive, ArriveThenServe, Weighted} }

// Policy selects the bin of an arriving ball.
type Policy string

// The policies. Offered balls are numbered 0 to n-1 in every round.
const (
	// Uniform throws every ball into a uniformly random bin (OPS). The default.
	Uniform Policy = "uniform"
	// TwoChoice draws Config.Choices bins with replacement, two by default, and takes the least loaded
	// [Azar99, Mitzenmacher01]. It compares the loads between the service and the first throw of the
	// round or, with Config.SeeBefore, before the service. Of equally loaded bins it takes the one drawn
	// first, which is fair.
	TwoChoice Policy = "two-choice"
	// RoundRobin throws arriving balls into bins 0, 1, ..., n-1, 0, ... in turn,
	// continuing over rounds.
	RoundRobin Policy = "round-robin"
	// Static throws ball i into bin i: a perfect fixed assignment of senders to
	// ports.
	Static Policy = "static"
)

// Policies lists the policies, the default first.
func Policies() []Policy { return []Policy{Uniform, TwoChoice, RoundRobin, Static} }

// MaxBins bounds Config.Bins; loads then take at most 128 MiB. MaxChoices bounds
// Config.Choices.
const (
	MaxBins    = 1 << 24
	MaxChoices = 16
)

// Config describes a batched process and the rounds at which it is observed. The zero
// value is a full switch of 32 ports under uniform spraying, observed after 1,000 rounds:
// the defaults of the command ballsbins.
type Config struct {
	Bins    int     // n in [1, MaxBins]; 0 means 32
	Lambda  float64 // in (0, 1]; 0 means 1. Under Weighted it is rounded to a multiple of 1e-9
	Variant Variant // empty means ServeThenArrive
	Policy  Policy  // empty means Uniform

	Choices   int  // TwoChoice: bins drawn for a ball, in [1, MaxChoices]; 0 means 2. Only 2 is fast
	SeeBefore bool // TwoChoice: loads are compared as they were before the service of the round

	Start []int // balls of the first bins before round 1, each in [0, mc.MaxRounds]; the others start empty

	// Rounds are the observed rounds, ascending in [1, mc.MaxRounds] and at most
	// mc.MaxObservations of them; a run ends at the last. Empty means 1000. New ignores them.
	Rounds []int
}

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Bins = cmp.Or(c.Bins, 32)
	c.Lambda = cmp.Or(c.Lambda, 1)
	c.Variant = cmp.Or(c.Variant, ServeThenArrive)
	c.Policy = cmp.Or(c.Policy, Uniform)
	c.Choices = cmp.Or(c.Choices, 2)
	if len(c.Rounds) == 0 {
		c.Rounds = []int{1000}
	}
	return c
}

// Validate reports every fault of the configuration with defaults applied, as joined
// [*faults.FieldError] values.
func (c Config) Validate() error {
	c = c.WithDefaults()
	bad := faults.List{Package: "ballsbins"}
	bad.In("Bins", c.Bins, 1, MaxBins)
	bad.Check(c.Lambda > 0 && c.Lambda <= 1, "Lambda", c.Lambda, "must be in (0, 1]")
	if c.Variant == Weighted && c.Lambda < 1.0/unitsPerBall {
		bad.Refuse("Lambda", c.Lambda, "must be at least %v under the weighted variant", 1.0/unitsPerBall)
	}
	faults.OneOf(&bad, "Variant", c.Variant, Variants())
	faults.OneOf(&bad, "Policy", c.Policy, Policies())
	bad.In("Choices", c.Choices, 1, MaxChoices)
	if c.Policy != TwoChoice && c.Choices != 2 {
		bad.Refuse("Choices", c.Choices, "must be 0 under %s: it applies to %s alone", c.Policy, TwoChoice)
	}
	if c.Policy != TwoChoice && c.SeeBefore {
		bad.Refuse("SeeBefore", c.SeeBefore, "needs %s", TwoChoice)
	}
	if c.SeeBefore && c.Variant != ServeThenArrive {
		bad.Refuse("SeeBefore", c.SeeBefore, "needs the variant %s: in others no service comes before throws",
			ServeThenArrive)
	}
	c.checkStart(&bad)
	bad.Add(checks.Rounds("ballsbins", "Rounds", c.Rounds))
	return bad.Err()
}

// checkStart refuses starts of too many bins or balls. Squares of at most 2^50 units add up in 128 bits.
func (c Config) checkStart(bad *faults.List) {
	bad.Check(len(c.Start) <= c.Bins, "Start", len(c.Start), "must list at most Bins=%d loads", c.Bins)
	most, sum := int64(1<<50), int64(0)
	if c.Variant == Weighted {
		most /= unitsPerBall
	}
	for _, load := range c.Start {
		bad.In("Start", load, 0, mc.MaxRounds)
		sum += int64(min(max(0, load), mc.MaxRounds))
	}
	bad.Check(sum <= most, "Start", sum, "balls in all must be at most %d", most)
}
