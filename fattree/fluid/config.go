package fluid

import (
	"cmp"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
)

// Spreading selects how Ideal divides a flow over its paths.
type Spreading uint8

// The ways to spread a flow.
const (
	Even   Spreading = iota // equally over all paths, slow ones included; no link may have failed
	Pooled                  // optimally
)

// Config describes a network and its workload. A field that is 0 has its documented default; Topology.Hosts and
// Workload have none.
type Config struct {
	Topology topology.FatTree // of 2 or 3 tiers
	Workload fattree.Workload

	MTU         int // bytes of a full packet on the wire; default 4150
	HeaderBytes int // bytes of a packet's header and of an ACK; below MTU; default 64

	SlowLinks []SlowLink // all other links have their full rate
	Spreading Spreading  // for Ideal
	EVS       int        // for ECMP: flow f has the entropy value f modulo EVS; in [1, 65536], default 65536
}

// SlowLink is one direction of a cable between switches with a constant reduced rate: the cable at uplink port
// Uplink of switch Switch of tier Tier.
type SlowLink struct {
	Tier   int     // 0 for ToRs; 1 for aggregation switches of three tiers, numbered pod by pod
	Switch int     // in [0, switches of the tier)
	Uplink int     // in [0, uplinks of the switch)
	Down   bool    // the direction towards the lower tier
	Rate   float64 // fraction of the link's rate, in [0, 1]; 0 is a failed link
}

// Limits of a Config.
const (
	maxEVS = 1 << 16 // every 16-bit EV
	maxMTU = 1 << 20
)

// withDefaults returns c with every zero field replaced by its default.
func (c Config) withDefaults() Config {
	c.Topology = c.Topology.WithDefaults()
	c.MTU, c.HeaderBytes, c.EVS = cmp.Or(c.MTU, 4150), cmp.Or(c.HeaderBytes, 64), cmp.Or(c.EVS, maxEVS)
	return c
}

// Validate reports the faults of c, with defaults applied: joined [*faults.FieldError]
// values, and the errors of the topology's and the workload's own Validate.
// O(flows + slow links).
func (c Config) Validate() error {
	c = c.withDefaults()
	bad := faults.List{Package: "fluid"}
	bad.In("HeaderBytes", c.HeaderBytes, 1, maxMTU-1)
	bad.In("MTU", c.MTU, c.HeaderBytes+1, maxMTU)
	bad.In("EVS", c.EVS, 1, maxEVS)
	bad.In("Spreading", int(c.Spreading), int(Even), int(Pooled))
	t := c.Topology
	if err := t.Validate(); err != nil {
		bad.Add(err)
		return bad.Err()
	}
	bad.Add(c.Workload.Validate(t.Hosts))
	if t.Tiers < 2 {
		bad.Refuse("Tiers", t.Tiers, "must be 2 or 3")
		return bad.Err()
	}
	bad.Add(c.validateSlowLinks())
	return bad.Err()
}

// validateSlowLinks reports the first invalid slow link.
func (c Config) validateSlowLinks() error {
	seen := make(map[SlowLink]bool, len(c.SlowLinks))
	for i, s := range c.SlowLinks {
		switches, uplinks := c.Topology.ToRs(), c.Topology.UplinksPerToR
		if s.Tier == 1 {
			switches, uplinks = c.Topology.Pods()*c.Topology.AggsPerPod(), c.Topology.UplinksPerAgg
		}
		link, field := s, fmt.Sprintf("SlowLinks[%d]", i)
		link.Rate = 0
		switch {
		case s.Tier < 0 || s.Tier > c.Topology.Tiers-2:
			return faults.New("fluid", field+".Tier", s.Tier, "must be in [0, %d]", c.Topology.Tiers-2)
		case s.Switch < 0 || s.Switch >= switches:
			return faults.New("fluid", field+".Switch", s.Switch, "must be in [0, %d]", switches-1)
		case s.Uplink < 0 || s.Uplink >= uplinks:
			return faults.New("fluid", field+".Uplink", s.Uplink, "must be in [0, %d]", uplinks-1)
		case !(s.Rate >= 0 && s.Rate <= 1):
			return faults.New("fluid", field+".Rate", s.Rate, "must be in [0, 1]")
		case seen[link]:
			return faults.New("fluid", field, s, "must not repeat the link of an earlier entry")
		}
		seen[link] = true
	}
	return nil
}

// spec returns the specification of the network; c has its defaults.
func (c Config) spec() fattree.Spec {
	return fattree.Spec{Topology: c.Topology, MTU: c.MTU, HeaderBytes: c.HeaderBytes}
}
