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

// String returns the word of [ParseFailures].
func (d Direction) String() string { return word(directions[:], int(d)) }

// Part is a part of a fat tree that can fail: the cable at uplink number Uplink of a switch, which
// is given by its Tier (0: ToRs; 1: aggregation switches, with 3 tiers) and its number Switch in
// that tier. With WholeSwitch it is everything that a switch of tier 1 or 2 sends.
type Part struct {
	Tier, Switch, Uplink int
	WholeSwitch          bool
	Direction            Direction // of a cable
}

// Ports returns the ports that send into a part, for a [fattree.Fault]. The tree must be valid; it
// panics if it has no such part.
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
	up, down := t.up(p.Tier, p.Switch, p.Uplink), t.opposite(p.Tier, p.Switch, p.Uplink)
	switch p.Direction {
	case Up:
		return []int{up}
	case Down:
		return []int{down}
	}
	return []int{up, down}
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
	return within(p.Uplink, t.uplinks(p.Tier))
}
