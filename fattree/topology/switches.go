package topology

// TierNames returns the names of the tiers: tor and spine, or tor, agg and core.
func (t FatTree) TierNames() []string {
	if t.Tiers < 3 {
		return []string{"tor", "spine"}[:t.Tiers]
	}
	return []string{"tor", "agg", "core"}
}

// Switches returns the number of switches of a tier; defaults must be applied.
func (t FatTree) Switches(tier int) int { return t.switches(tier) }

// SwitchPorts returns the ports up, or down, of switch i of a tier. The ports down of a ToR lead to its hosts. The
// highest tier has no ports up. Defaults must be applied.
func (t FatTree) SwitchPorts(tier, i int, d Direction) (ports []int) {
	mustBeValid(t)
	from, count := 0, t.downs(tier)
	if d == Up {
		from, count = count, t.uplinks(tier)
	}
	for port := from; port < from+count; port++ {
		ports = append(ports, t.port(tier, i, port))
	}
	return ports
}

// SwitchPorts returns the ports of [FatTree.SwitchPorts] in every plane, one plane after the other.
func (p Planes) SwitchPorts(tier, i int, d Direction) (ports []int) {
	mustBeValid(p)
	for plane := range p.Planes {
		for _, port := range p.Tree.SwitchPorts(tier, i, d) {
			ports = append(ports, p.port(plane, port))
		}
	}
	return ports
}
