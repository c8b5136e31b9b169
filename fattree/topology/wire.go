package topology

import "repslab/fattree"

// Outline implements [fattree.Topology].
func (t FatTree) Outline() fattree.Outline {
	t = t.WithDefaults()
	o := fattree.Outline{Hosts: t.Hosts, Ports: int64(t.Hosts), SwitchLatencyNs: t.SwitchLatencyNs, Oversubscription: t.Oversubscription(), Sink: t.Tiers == 1}
	if t.Tiers > 1 {
		o.Ports = t.ports()
	}
	if t.Tiers == 3 {
		o.Below = []int{1, 1, t.UplinksPerToR}
	}
	gbps := t.Access.Gbps
	for tier := range t.Tiers {
		o.Links = append(o.Links, t.link(tier))
		switch tier {
		case 1:
			gbps = min(gbps, float64(t.UplinksPerToR)*t.Fabric.Gbps)
		case 2:
			gbps = min(gbps, float64(t.AggsPerPod()*t.UplinksPerAgg)*t.Core.Gbps)
		}
		path := fattree.Path{Links: make([]int, t.Tiers), Gbps: gbps}
		for crossed := range tier + 1 {
			path.Links[crossed] = 2 // up and down
		}
		o.Paths = append(o.Paths, path)
	}
	return o
}

// Path implements [fattree.Topology]: the kind of a path is [FatTree.Climb].
func (t FatTree) Path(from, to fattree.Host) int {
	if t.Tiers == 1 {
		return 0
	}
	return t.WithDefaults().Climb(from, to)
}

// mustBeValid panics with what is wrong with a topology, before its numbers say how long to loop.
func mustBeValid(t fattree.Topology) {
	if err := t.Validate(); err != nil {
		panic(err)
	}
}

// Wire implements [fattree.Topology]. Switches are numbered tier by tier, ToRs first, and within a tier pod by
// pod. The ports of a switch begin with its ports down.
func (t FatTree) Wire() *fattree.Wiring {
	mustBeValid(t)
	t = t.WithDefaults()
	w := fattree.NewWiring(t.Outline())
	if t.Tiers == 1 {
		w.Add(fattree.Switch{Hosts: int32(t.Hosts), Count: int32(t.Hosts)})
		return w
	}
	for tier := range t.Tiers {
		var ports []fattree.Port
		for i := range t.switches(tier) {
			ports = t.appendPorts(ports[:0], tier, i)
			w.Add(t.newSwitch(tier, i), ports...)
		}
	}
	return w
}

// newSwitch returns switch number i of a tier.
func (t FatTree) newSwitch(tier, i int) fattree.Switch {
	sw := fattree.Switch{PerChild: 1, Cables: 1, First: int32(t.downs(tier)), Count: int32(t.uplinks(tier))}
	switch tier {
	case 0:
		sw.Hosts, sw.Below = int32(t.HostsPerToR), int32(t.HostsPerToR)
		sw.FirstHost = int32(i) * sw.Hosts
	case 1:
		sw.PerChild, sw.Cables = int32(t.HostsPerToR), int32(t.CablesPerPair)
		sw.Below = int32(t.torsBelow() * t.HostsPerToR)
		sw.FirstHost = int32(i/t.AggsPerPod()) * sw.Below
	case 2:
		sw.PerChild, sw.Below = int32(t.torsBelow()*t.HostsPerToR), int32(t.Hosts)
		sw.Cables = int32(t.CoreCablesPerPair)
	}
	return sw
}

// appendPorts appends the ports of switch number i of a tier to other switches: down, then up.
func (t FatTree) appendPorts(ports []fattree.Port, tier, i int) []fattree.Port {
	if tier > 0 {
		for down := range t.downs(tier) {
			ports = append(ports, fattree.Port{Peer: int32(t.below(tier, i, down)), Link: int32(tier)})
		}
	}
	for up := range t.uplinks(tier) {
		ports = append(ports, fattree.Port{Peer: int32(t.above(tier, i, up)), Link: int32(tier + 1)})
	}
	return ports
}

// below returns the switch at the other end of port down number port of switch i of a tier.
func (t FatTree) below(tier, i, port int) int {
	if tier == 1 {
		return i/t.AggsPerPod()*t.torsBelow() + port/t.CablesPerPair
	}
	// A core switch leads to the aggregation switch of its group in every pod.
	return t.number(1, port/t.CoreCablesPerPair*t.AggsPerPod()+i/t.CoresPerAgg())
}

// above returns the switch at the other end of port up number port of switch i of a tier.
func (t FatTree) above(tier, i, port int) int {
	if tier == 0 {
		return t.number(1, i/t.torsBelow()*t.AggsPerPod()+port/t.CablesPerPair)
	}
	return t.number(2, i%t.AggsPerPod()*t.CoresPerAgg()+port/t.CoreCablesPerPair)
}

// torsBelow returns the number of ToRs of a pod.
func (t FatTree) torsBelow() int { return t.ToRs() / t.Pods() }

// downs returns the number of ports down of a switch of a tier.
func (t FatTree) downs(tier int) int {
	switch tier {
	case 0:
		return t.HostsPerToR
	case 1:
		return t.torsBelow() * t.CablesPerPair
	}
	return t.Pods() * t.CoreCablesPerPair
}

// number returns the number of switch i of a tier.
func (t FatTree) number(tier, i int) int {
	for lower := range tier {
		i += t.switches(lower)
	}
	return i
}

// firstPort returns the number of the first port of a tier's first switch. For tier Tiers it is the number of all
// ports.
func (t FatTree) firstPort(tier int) (sum int) {
	for lower := range tier {
		sum += t.switches(lower) * t.portsOf(lower)
	}
	return sum
}

// portsOf returns the number of ports of a switch of a tier. For a ToR it includes the ports of its hosts.
func (t FatTree) portsOf(tier int) int {
	ports := t.downs(tier) + t.uplinks(tier)
	if tier == 0 {
		ports += t.HostsPerToR
	}
	return ports
}

// port returns the number of a port of switch i of a tier.
func (t FatTree) port(tier, i, port int) int { return t.firstPort(tier) + i*t.portsOf(tier) + port }

// up returns the number of an uplink's port at switch i of a tier.
func (t FatTree) up(tier, i, uplink int) int { return t.port(tier, i, t.downs(tier)+uplink) }

// opposite returns the number of the port that sends in the other direction over the cable of an uplink.
func (t FatTree) opposite(tier, i, uplink int) int {
	if tier == 0 {
		agg := i/t.torsBelow()*t.AggsPerPod() + uplink/t.CablesPerPair
		return t.port(1, agg, i%t.torsBelow()*t.CablesPerPair+uplink%t.CablesPerPair)
	}
	core, cable := i%t.AggsPerPod()*t.CoresPerAgg()+uplink/t.CoreCablesPerPair, uplink%t.CoreCablesPerPair
	return t.port(2, core, i/t.AggsPerPod()*t.CoreCablesPerPair+cable)
}
