package ballsbins

import (
	"errors"
	"fmt"
	"slices"
)

// Variant says when bins serve and what a ball weighs.
type Variant string

// The variants of the batched process. Loads are observed at the end of a
// round, so after the throws in the first and after the service in the others.
const (
	// ServeThenArrive is the process of the paper's text: each non-empty bin
	// loses one ball, then balls arrive. The default.
	ServeThenArrive Variant = "serve-then-arrive"
	// ArriveThenServe lets balls arrive first. Its loads are those of
	// ServeThenArrive less one ball in each non-empty bin.
	ArriveThenServe Variant = "arrive-then-serve"
	// Weighted is the process of the authors' figure script: n balls arrive, each
	// of weight Lambda, then each bin loses min(1, its content).
	Weighted Variant = "weighted"
)

// Variants lists the variants, the default first.
func Variants() []Variant { return []Variant{ServeThenArrive, ArriveThenServe, Weighted} }

// Policy says which bin an arriving ball goes to.
type Policy string

// The policies. Offered balls are numbered 0 to n-1 in every round.
const (
	// Uniform throws every ball into a uniformly random bin (OPS). The default.
	Uniform Policy = "uniform"
	// TwoChoice draws two bins with replacement and takes the one that was less
	// loaded at the start of the batch, before any ball of the round was thrown; a
	// tie goes to the one drawn first, which is fair [Azar99, Mitzenmacher01].
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

// MaxBins bounds Config.Bins; loads then take at most 128 MiB.
const MaxBins = 1 << 24

// Config describes a batched process.
type Config struct {
	Bins    int     // n in [1, MaxBins]
	Lambda  float64 // in (0, 1]; 0 means 1. Under Weighted it is rounded to a multiple of 1e-9
	Variant Variant // empty means ServeThenArrive
	Policy  Policy  // empty means Uniform
}

// withDefaults returns the configuration with defaults filled in.
func (c Config) withDefaults() Config {
	if c.Lambda == 0 {
		c.Lambda = 1
	}
	if c.Variant == "" {
		c.Variant = ServeThenArrive
	}
	if c.Policy == "" {
		c.Policy = Uniform
	}
	return c
}

// Validate reports every fault of the configuration, defaults filled in.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.Bins < 1 || c.Bins > MaxBins {
		errs = append(errs, fmt.Errorf("ballsbins: Bins (%d) must be in [1, %d]", c.Bins, MaxBins))
	}
	if !(c.Lambda > 0 && c.Lambda <= 1) {
		errs = append(errs, fmt.Errorf("ballsbins: Lambda (%v) must be in (0, 1]", c.Lambda))
	}
	if c.Variant == Weighted && c.Lambda < 1.0/unitsPerBall {
		errs = append(errs, fmt.Errorf("ballsbins: Lambda (%v) must be at least %v under the weighted variant", c.Lambda, 1.0/unitsPerBall))
	}
	if !slices.Contains(Variants(), c.Variant) {
		errs = append(errs, fmt.Errorf("ballsbins: Variant (%q) must be one of %v", c.Variant, Variants()))
	}
	if !slices.Contains(Policies(), c.Policy) {
		errs = append(errs, fmt.Errorf("ballsbins: Policy (%q) must be one of %v", c.Policy, Policies()))
	}
	return errors.Join(errs...)
}
