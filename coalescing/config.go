package coalescing

import (
	"cmp"
	"slices"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/recycled"
)

// Variant selects the balls that an acknowledgement reports, and how many throws each of them earns; see
// the package comment.
type Variant string

// The variants.
const (
	Standard      Variant = "standard" // the default
	Carry         Variant = "carry"
	Reuse         Variant = "reuse"
	EveryRthRound Variant = "every-rth-round" // the authors' script
)

// Variants lists the variants, the default first.
func Variants() []Variant { return []Variant{Standard, Carry, Reuse, EveryRthRound} }

// Limits of a configuration beyond the limits of package recycled.
const (
	MaxRatio   = 1 << 16
	maxPending = 1 << 27 // Carry: n r, balls removed and not yet acknowledged
)

// Config describes a recycled process with coalesced acknowledgements and the rounds at
// which it is observed. A field whose comment names a clocking applies only to it. The
// zero value is a switch of 32 ports that acknowledges every packet, observed after 1,000
// rounds: the defaults of the command coalescing.
type Config struct {
	Bins      int     // n in [1, recycled.MaxBins]; 0 means 32
	Ratio     int     // r in [1, MaxRatio], n r at most maxPending under Carry; 0 means 1
	Variant   Variant // empty means Standard
	Threshold int     // τ in [1, recycled.MaxThreshold]; 0 means the theorem's ceil(4 ln n), at least 1

	// Clocking is SelfClocked under EveryRthRound, and RoundRobin (the default) or PerFlow under the
	// other variants.
	Clocking recycled.Clocking
	Colors   int // RoundRobin: b colours per bin, at least 1, n b at most recycled.MaxColors; 0 means the theorem's ceil(2.4 ln n), at least 1
	Ring     int // PerFlow: entries of a flow's ring, in [1, recycled.MaxRing]; 0 means 8

	// Rounds are the observed rounds, ascending in [1, mc.MaxRounds] and at most
	// mc.MaxObservations of them; a run ends at the last. Empty means 1000. New ignores them.
	Rounds []int
}

// recycled returns the configuration of the same process without coalescing.
func (c Config) recycled() recycled.Config {
	return recycled.Config{Bins: c.Bins, Threshold: c.Threshold, Clocking: c.Clocking, Colors: c.Colors, Ring: c.Ring}
}

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Ratio = cmp.Or(c.Ratio, 1)
	c.Variant = cmp.Or(c.Variant, Standard)
	c.Clocking = cmp.Or(c.Clocking, c.Variant.clockings()[0])
	r := c.recycled().WithDefaults()
	c.Bins, c.Threshold, c.Colors, c.Ring = r.Bins, r.Threshold, r.Colors, r.Ring
	if len(c.Rounds) == 0 {
		c.Rounds = []int{1000}
	}
	return c
}

// Clockings lists the clockings of the variants.
func Clockings() []recycled.Clocking {
	return append(EveryRthRound.clockings(), Standard.clockings()...)
}

// clockings lists the clockings of a variant, its default first.
func (v Variant) clockings() []recycled.Clocking {
	if v == EveryRthRound {
		return []recycled.Clocking{recycled.SelfClocked}
	}
	return []recycled.Clocking{recycled.RoundRobin, recycled.PerFlow}
}

// Validate reports every fault of the configuration with defaults applied, as joined
// [*faults.FieldError] values. Fields shared with [recycled.Config] are refused by that package.
func (c Config) Validate() error {
	c = c.WithDefaults()
	bad := faults.List{Package: "coalescing"}
	faults.OneOf(&bad, "Variant", c.Variant, Variants())
	most := MaxRatio
	if c.Variant == Carry {
		most = min(most, maxPending/min(max(1, c.Bins), recycled.MaxBins))
	}
	bad.In("Ratio", c.Ratio, 1, most)
	bad.Add(checks.Rounds("coalescing", "Rounds", c.Rounds))
	shared, allowed := c.recycled(), c.Variant.clockings()
	if !slices.Contains(allowed, c.Clocking) {
		bad.Refuse("Clocking", c.Clocking, "must be one of %v under %s", allowed, c.Variant)
		shared.Clocking, shared.Colors, shared.Ring = "", 0, 0 // the fields of another clocking
	}
	bad.Add(shared.Validate())
	return bad.Err()
}

// uses returns the number of throws that a remembered bin serves.
func (c Config) uses() uint32 {
	if c.Variant == Reuse {
		return uint32(c.Ratio)
	}
	return 1
}
