package coalescing

import (
	"errors"
	"fmt"
	"slices"

	"repslab/recycled"
)

// Variant says what an acknowledgement teaches; see the package comment.
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

// Limits of a configuration beyond those of package recycled.
const (
	MaxRatio   = 1 << 16
	MaxPending = 1 << 27 // Carry: n r, balls removed and not yet acknowledged
	MaxRounds  = 1<<31 - 1
)

// Config describes a recycled process with coalesced acknowledgements. Fields
// that a clocking does not name play no part in it.
type Config struct {
	Bins      int     // n in [1, recycled.MaxBins]
	Ratio     int     // r in [1, MaxRatio], n r at most MaxPending under Carry; 0 means 1
	Variant   Variant // empty means Standard
	Threshold int     // τ in [1, recycled.MaxThreshold]; 0 means the theorem's ceil(4 ln n), at least 1

	// Clocking is SelfClocked under EveryRthRound, else RoundRobin or PerFlow.
	// Empty means SelfClocked under EveryRthRound, else RoundRobin.
	Clocking recycled.Clocking
	Colors   int // RoundRobin: b colours per bin, at least 1, n b at most recycled.MaxColors; 0 means the theorem's ceil(2.4 ln n), at least 1
	Ring     int // PerFlow: entries of a flow's ring, in [1, recycled.MaxRing]; 0 means 8
}

// recycled returns the part of the configuration that a process without
// coalescing has too.
func (c Config) recycled() recycled.Config {
	return recycled.Config{Bins: c.Bins, Threshold: c.Threshold, Clocking: c.Clocking, Colors: c.Colors, Ring: c.Ring}
}

// WithDefaults returns the configuration with defaults filled in.
func (c Config) WithDefaults() Config {
	if c.Ratio == 0 {
		c.Ratio = 1
	}
	if c.Variant == "" {
		c.Variant = Standard
	}
	if c.Clocking == "" {
		c.Clocking = c.Variant.clockings()[0]
	}
	r := c.recycled().WithDefaults()
	c.Threshold, c.Colors, c.Ring = r.Threshold, r.Colors, r.Ring
	return c
}

// clockings lists the clockings of a variant, its default first.
func (v Variant) clockings() []recycled.Clocking {
	if v == EveryRthRound {
		return []recycled.Clocking{recycled.SelfClocked}
	}
	return []recycled.Clocking{recycled.RoundRobin, recycled.PerFlow}
}

// Validate reports every fault of the configuration, defaults filled in; faults
// of what it shares with [recycled.Config] in that type's words.
func (c Config) Validate() error {
	c = c.WithDefaults()
	var errs []error
	if !slices.Contains(Variants(), c.Variant) {
		errs = append(errs, fmt.Errorf("coalescing: Variant (%q) must be one of %v", c.Variant, Variants()))
	}
	most := MaxRatio
	if c.Variant == Carry {
		most = min(most, MaxPending/max(1, c.Bins))
	}
	if c.Ratio < 1 || c.Ratio > most {
		errs = append(errs, fmt.Errorf("coalescing: Ratio (%d) must be in [1, %d]", c.Ratio, most))
	}
	shared := c.recycled()
	if allowed := c.Variant.clockings(); !slices.Contains(allowed, c.Clocking) {
		errs = append(errs, fmt.Errorf("coalescing: Clocking (%q) must be one of %v under %s", c.Clocking, allowed, c.Variant))
		shared.Clocking = ""
	}
	return errors.Join(append(errs, shared.Validate())...)
}

// uses returns how many throws a remembered bin serves.
func (c Config) uses() uint32 {
	if c.Variant == Reuse {
		return uint32(c.Ratio)
	}
	return 1
}
