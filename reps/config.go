package reps

import (
	"cmp"
	"errors"
	"fmt"

	"repslab/faults"
)

// Limits and defaults of [Config].
const (
	MaxBufferSize = 32      // largest ring, in entries
	maxEVSSize    = 1 << 16 // largest entropy value set: every 16-bit EV
	MaxReuseCount = 16      // largest number of uses of one cached EV

	DefaultBufferSize       = 8          // entries; [Bonato26] sec. 3.1
	DefaultEVSSize          = 1 << 16    // EVs
	DefaultFreezingTimeout  = 10_000_000 // ns, that is 10 ms
	DefaultPacketsPerWindow = 100        // packets: one bandwidth-delay product of a 2-tier 400 Gb/s tree
	DefaultReuseCount       = 1          // uses of a cached EV
)

// Exit selects the event that ends freezing mode ([Bonato26] sec. 3.2).
type Exit uint8

// Ways out of freezing mode.
const (
	// ExitOnTimeout, the default, leaves freezing mode at the first unmarked
	// ACK that comes later than FreezingTimeout after the failure
	// (Algorithm 1, line 15). OnProbeReply does nothing.
	ExitOnTimeout Exit = iota
	// ExitOnProbe leaves freezing mode when OnProbeReply is called and at no
	// other time. FreezingTimeout is not used.
	ExitOnProbe
	// ExitOnFeedback, for Artifact alone, leaves freezing mode at the first feedback of any kind, or the first
	// further failure, that comes later than FreezingTimeout after the failure ([UEC-htsim]).
	ExitOnFeedback
)

// Caching selects the EVs of unmarked ACKs that the ring takes in freezing mode. [Bonato26] takes all. An EV that comes
// back was sent from the ring, so it takes the place of another one, and EVs get lost.
type Caching uint8

// What the ring takes in freezing mode.
const (
	CacheAll  Caching = iota // every EV (Algorithm 1, line 12)
	CacheNew                 // an EV that no slot holds
	CacheFree                // every EV while a slot was never written, then none
)

// String returns "all", "new" or "free", and "Caching(n)" for any other value.
func (c Caching) String() string {
	if c > CacheFree {
		return fmt.Sprintf("Caching(%d)", uint8(c))
	}
	return [...]string{"all", "new", "free"}[c]
}

// String returns "timeout", "probe" or "feedback", and "Exit(n)" for any other value.
func (e Exit) String() string {
	switch e {
	case ExitOnTimeout:
		return "timeout"
	case ExitOnProbe:
		return "probe"
	case ExitOnFeedback:
		return "feedback"
	}
	return fmt.Sprintf("Exit(%d)", uint8(e))
}

// Config holds the constants of one REPS sender. They are not part of its state, of Table 1 or of the encoding.
// The zero value is the configuration of [Bonato26]: a field that is 0 has its default.
type Config struct {
	// BufferSize is REPS_BUFFER_SIZE, the entries of the ring: 1 to 32, default 8.
	BufferSize int
	// EVSSize is EVS_SIZE, the number of entropy values to draw from; a drawn
	// EV is in [0, EVSSize): 1 to 65536, default 65536.
	EVSSize int
	// FreezingTimeout is FREEZING_TIMEOUT in nanoseconds: 1 to 2^31-1, default
	// 10 ms. The upper end keeps a comparison modulo 2^32 meaningful.
	FreezingTimeout uint32
	// PacketsPerWindow is NUM_PKTS_CWND, the number of packets sent in the exploration after freezing mode: 1 to
	// 65535, default 100, the bandwidth-delay product of the 2-tier networks of [Bonato26] (150 in the 3-tier
	// ones). The 8-bit exploreCounter of REPS saturates at 255; Artifact uses all 16 bits.
	PacketsPerWindow int
	// ReuseCount is the number of uses of a cached EV before it becomes invalid: 1
	// to 16, default 1. With one ACK per r packets, r makes up for the missing ACKs
	// ("reuse EVs", [Bonato26] sec. 4.5). But each round trip then reuses a random
	// 1/r of the EVs of the previous one, and a connection drifts to a few EVs.
	ReuseCount int
	// Exit chooses the way out of freezing mode, default ExitOnTimeout.
	Exit Exit
	// DisableFreezing makes OnFailure do nothing. By default freezing is on.
	DisableFreezing bool
	// FrozenCache chooses what the ring takes in freezing mode, default CacheAll. With DisableFreezing it must be that.
	FrozenCache Caching
}

// The constants of the Ultra Ethernet simulator's REPS.
const (
	UltraEthernetEVSSize          = 64 // EVs
	UltraEthernetPacketsPerWindow = 16 // packets of exploration, whatever the window
)

// UltraEthernet returns c with the constants of the Ultra Ethernet simulator in fields that are 0:
// UltraEthernetEVSSize, UltraEthernetPacketsPerWindow and ExitOnFeedback. An [Artifact] with this configuration
// follows the rules of REPS in that simulator [UEC-htsim].
func (c Config) UltraEthernet() Config {
	c.EVSSize = cmp.Or(c.EVSSize, UltraEthernetEVSSize)
	c.PacketsPerWindow = cmp.Or(c.PacketsPerWindow, UltraEthernetPacketsPerWindow)
	if c.Exit == ExitOnTimeout {
		c.Exit = ExitOnFeedback
	}
	return c
}

// withDefaults returns c with defaults applied.
func (c Config) withDefaults() Config {
	c.BufferSize = cmp.Or(c.BufferSize, DefaultBufferSize)
	c.EVSSize = cmp.Or(c.EVSSize, DefaultEVSSize)
	c.FreezingTimeout = cmp.Or(c.FreezingTimeout, DefaultFreezingTimeout)
	c.PacketsPerWindow = cmp.Or(c.PacketsPerWindow, DefaultPacketsPerWindow)
	c.ReuseCount = cmp.Or(c.ReuseCount, DefaultReuseCount)
	return c
}

// Validate returns nil if c, with defaults applied, can configure a [REPS], and otherwise
// every fault, as joined [*faults.FieldError] values. O(1); it allocates only for faults.
// [Artifact.Init] requires more.
func (c Config) Validate() error {
	c = c.withDefaults()
	errs := []error{
		inRange("BufferSize", int64(c.BufferSize), MaxBufferSize),
		inRange("EVSSize", int64(c.EVSSize), maxEVSSize),
		inRange("FreezingTimeout", int64(c.FreezingTimeout), 1<<31-1),
		inRange("PacketsPerWindow", int64(c.PacketsPerWindow), 1<<16-1),
		inRange("ReuseCount", int64(c.ReuseCount), MaxReuseCount),
		c.cachingFault(),
	}
	if c.Exit > ExitOnProbe {
		errs = append(errs, refuse("Exit", uint8(c.Exit), "must be ExitOnTimeout (0) or ExitOnProbe (1)"))
	}
	return errors.Join(errs...)
}

// cachingFault returns the fault of FrozenCache.
func (c Config) cachingFault() error {
	if c.FrozenCache > CacheFree || c.DisableFreezing && c.FrozenCache != CacheAll {
		return refuse("FrozenCache", uint8(c.FrozenCache), "must be CacheAll (0), CacheNew (1) or CacheFree (2), and CacheAll with DisableFreezing")
	}
	return nil
}

// inRange returns an error unless value is in [1, limit].
func inRange(field string, value, limit int64) error {
	if value >= 1 && value <= limit {
		return nil
	}
	return refuse(field, value, "must be in [1, %d]", limit)
}

// refuse returns the fault of a field of a configuration, an argument, or a variable of an encoded state, as a
// [*faults.FieldError]. constraint is a format string for args.
func refuse(field string, value any, constraint string, args ...any) error {
	return faults.New("reps", field, value, constraint, args...)
}
