package topology

import "fmt"

// Direction selects the half of a cable.
type Direction uint8

// The directions.
const (
	Up   Direction = iota // towards the higher tier
	Down                  // towards the lower tier
	Both
)

// directions are the words for the directions.
var directions = [...]string{"up", "down", "both"}

// String returns the direction as [ParseFailures] reads it.
func (d Direction) String() string { return word(directions[:], int(d)) }

// Part is a part of a fat tree that can fail. It is the cable at uplink number Uplink of a switch, given by its
// Tier (0: ToRs; 1: aggregation switches, with 3 tiers) and its number Switch in the tier. With WholeSwitch it is
// everything that a switch of tier 1 or 2 sends. With ToHost it is the cable to host number Uplink of a ToR; these
// fail only in [Planes].
type Part struct {
	Tier, Switch, Uplink int
	cables               int // neighbouring cables that fail together, from Uplink on; default 1
	WholeSwitch, ToHost  bool
	Direction            Direction // for cables
}

// Ports returns the ports that send into a part, for a [fattree.Fault]. The tree must be valid. Ports panics if
// the tree has no such part.
func (t FatTree) Ports(p Part) []int {
	t = t.WithDefaults()
	if !t.has(p) {
		panic(fmt.Sprintf("topology: a tree of %d hosts and %d tiers has no part %+v", t.Hosts, t.Tiers, p))
	}
	if p.WholeSwitch {
		ports := make([]int, t.portsOf(p.Tier))
		for i := range ports {
			ports[i] = t.port(p.Tier, p.Switch, i)
		}
		return ports
	}
	var ports []int
	for uplink := p.Uplink; uplink < p.Uplink+max(1, p.cables); uplink++ {
		up, down := t.up(p.Tier, p.Switch, uplink), 0
		if p.ToHost {
			up, down = t.port(0, p.Switch, t.HostsPerToR+t.UplinksPerToR+uplink), t.port(0, p.Switch, uplink)
		} else {
			down = t.opposite(p.Tier, p.Switch, uplink)
		}
		if p.Direction != Down {
			ports = append(ports, up)
		}
		if p.Direction != Up {
			ports = append(ports, down)
		}
	}
	return ports
}

// has reports whether a tree has a part.
func (t FatTree) has(p Part) bool {
	within := func(x, end int) bool { return x >= 0 && x < end }
	if !within(p.Tier, t.Tiers) || !within(p.Switch, t.switches(p.Tier)) || p.Direction > Both {
		return false
	}
	if p.WholeSwitch {
		return p.Tier > 0
	}
	of := t.uplinks(p.Tier)
	if p.ToHost {
		of = t.HostsPerToR
	}
	return within(p.Uplink, of) && within(p.cables, of-p.Uplink+1) && (p.Tier == 0 || !p.ToHost)
}
