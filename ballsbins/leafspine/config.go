package leafspine

import (
	"cmp"
	"slices"

	"repslab/faults"
	"repslab/mc"
)

// Traffic selects the destinations of hosts.
type Traffic string

// The traffics.
const (
	// Permutation gives each host one destination, a uniformly drawn permutation of the hosts. The default.
	Permutation Traffic = "permutation"
	// Alternating lets the hosts of two leaves send in turn to a host of one leaf and a host of another. All these
	// hosts send to the same leaf at the same time, if they start together. A rotation with an even number of spines
	// then brings all packets of a leaf over half of the spines: the worst alignment.
	Alternating Traffic = "alternating"
	// AllToAll lets each host send to all others in turn, host i first to host i+1.
	AllToAll Traffic = "alltoall"
)

// Traffics lists the traffics, the default first.
func Traffics() []Traffic { return []Traffic{Permutation, Alternating, AllToAll} }

// Limits of a Config.
const (
	MaxPorts   = 128
	MaxSpread  = 1 << 20
	MaxPackets = 1 << 20
)

// Config describes a network and when it is observed. The zero value has 16 ports, random spraying, a permutation and
// 1,024 packets of each host.
type Config struct {
	Ports   int     // k, even, in [4, MaxPorts]; 0 means 16. Alternating needs a multiple of 4
	Rule    Rule    // empty means Random
	Traffic Traffic // empty means Permutation
	Spread  int     // s in [0, MaxSpread], slots
	// Packets are the observed numbers of packets m, ascending in [1, MaxPackets] and at most
	// mc.MaxObservations of them; a run ends at the last. Empty means
	// 1,024. New ignores them.
	Packets []int
	// Own, if not nil, is a rule of your own; Rule must then be empty. It is called at each Reset, and by several
	// workers at once.
	Own Opener `json:"-"`
}

// WithDefaults returns a copy of the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Ports = cmp.Or(c.Ports, 16)
	c.Traffic = cmp.Or(c.Traffic, Permutation)
	if c.Own == nil {
		c.Rule = cmp.Or(c.Rule, Random)
	}
	if c.Packets = slices.Clone(c.Packets); len(c.Packets) == 0 {
		c.Packets = []int{1024}
	}
	return c
}

// Validate reports every fault of the configuration with defaults applied, as joined [*faults.FieldError] values.
func (c Config) Validate() error {
	c = c.WithDefaults()
	bad := faults.List{Package: "leafspine"}
	bad.In("Ports", c.Ports, 4, MaxPorts)
	bad.Check(c.Ports%2 == 0, "Ports", c.Ports, "must be even")
	if c.Own == nil {
		faults.OneOf(&bad, "Rule", c.Rule, ruleNames())
	} else if c.Rule != "" {
		bad.Refuse("Rule", c.Rule, "must be empty with a rule of your own (Own)")
	}
	faults.OneOf(&bad, "Traffic", c.Traffic, Traffics())
	bad.In("Spread", c.Spread, 0, MaxSpread)
	if c.Traffic == Alternating {
		bad.Check(c.Ports%4 == 0, "Ports", c.Ports, "must be a multiple of 4 for %s traffic: an even number of spines", Alternating)
	}
	if c.Rule == StaticBest && c.Traffic != Permutation {
		bad.Refuse("Rule", c.Rule, "needs %s traffic: other flows do not fill a link", Permutation)
	}
	bad.Check(len(c.Packets) <= mc.MaxObservations, "Packets", len(c.Packets), "must list at most %d numbers", mc.MaxObservations)
	before := 0
	for _, packets := range c.Packets {
		bad.Check(packets > before && packets <= MaxPackets, "Packets", packets, "must be above %d, as they ascend, and at most %d", before, MaxPackets)
		before = packets
	}
	return bad.Err()
}

// spines returns n.
func (c Config) spines() int { return c.Ports / 2 }

// hosts returns N.
func (c Config) hosts() int { return c.Ports * c.spines() }

// fan returns D, the number of destinations of each host.
func (c Config) fan() int {
	switch c.Traffic {
	case Permutation:
		return 1
	case Alternating:
		return 2
	default:
		return c.hosts() - 1
	}
}

// destination returns the destination of a host's packet; pairs is the drawn permutation.
func (c Config) destination(host, packet int, pairs []int32) int {
	n := c.spines()
	switch c.Traffic {
	case Permutation:
		return int(pairs[host])
	case Alternating:
		leaf := (host/n/2*2 + 2 + packet%2) % c.Ports
		return leaf*n + host%n
	default:
		return (host + 1 + packet%(c.hosts()-1)) % c.hosts()
	}
}
