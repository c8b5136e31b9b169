package fattree

// wire is where a port leads.
type wire struct {
	peer    int32 // the switch at the other end; -1 - host for a port to a host
	latency int32 // slots of the link
	base    int32 // see by
	// by is not below 0 where all that comes over the link goes further down, by one
	// cable: the peer sends it by port base plus the number of the destination's
	// host, ToR or pod, for by = 0, 1 or 2.
	by int32
}

// segment is consecutive ports whose links are alike.
type segment struct {
	from, to int32 // the ports [from, to)
	latency  int32 // slots of the links
	by       int32 // of all the wires
	hosts    bool  // the links lead to hosts
}

// addPorts numbers the ports up or down of the switches of a tier.
func (n *Network) addPorts(tier int, up bool) {
	t := n.spec.Topology
	for i := range int32(t.switches(tier)) {
		sw := &n.nodes[n.firstNode[tier]+i]
		base := int32(len(n.ports))
		if up {
			sw.upBase = base
			for port := range sw.ups {
				n.addPort(n.above(tier, i, port), tier+1)
			}
			continue
		}
		sw.downBase = base
		for port := range sw.count * sw.cables {
			n.addPort(n.below(tier, i, port/sw.cables), tier)
		}
	}
}

// endSegment makes the ports added since the last segment one, whose links' lower
// end is of the given tier, hosts being 0.
func (n *Network) endSegment(tier int) {
	end := len(n.ports)
	s := segment{to: int32(end), latency: n.latency[tier], by: n.ports[end-1].by, hosts: tier == 0}
	if last := len(n.segments) - 1; last >= 0 {
		s.from = n.segments[last].to
	}
	n.segments = append(n.segments, s)
}

// addPort adds a port to peer over a link whose lower end is of the given tier,
// hosts being 0 and ToRs 1.
func (n *Network) addPort(peer int32, tier int) {
	t := n.spec.Topology
	w := wire{peer: peer, latency: n.latency[tier], by: -1}
	if peer >= 0 {
		if sw := &n.nodes[peer]; sw.cables == 1 && (sw.ups == 0 || sw.level < int32(tier)) {
			w.base, w.by = sw.downBase-sw.first, sw.level
		}
	}
	n.ports = append(n.ports, w)
	n.rates = append(n.rates, t.link(tier).Gbps/t.fastest())
}

// above returns the switch that port number port up of switch i of a tier leads
// to.
func (n *Network) above(tier int, i, port int32) int32 {
	t := n.spec.Topology
	aggs := int32(t.AggsPerPod())
	if tier == 0 {
		pod := int32(0)
		if t.Tiers == 3 {
			pod = i / int32(t.ToRsPerPod)
		}
		return n.firstNode[1] + pod*aggs + port/int32(t.CablesPerPair)
	}
	return n.firstNode[2] + i%aggs*int32(t.UplinksPerAgg) + port
}

// below returns where a port to child number child of switch i of a tier leads.
func (n *Network) below(tier int, i, child int32) int32 {
	t := n.spec.Topology
	switch tier {
	case 0:
		return -1 - (i*int32(t.HostsPerToR) + child)
	case 1:
		return n.firstNode[0] + n.nodes[n.firstNode[1]+i].first + child
	}
	// A core switch reaches in every pod the aggregation switch of its group.
	return n.firstNode[1] + child*int32(t.AggsPerPod()) + i/int32(t.UplinksPerAgg)
}

// opposite returns the port that sends the other way over the cable at port up
// number uplink of switch i.
func (n *Network) opposite(i, uplink int32) int32 {
	lower := &n.nodes[i]
	upper := &n.nodes[n.ports[lower.upBase+uplink].peer]
	if lower.level == 0 {
		return upper.downBase + (i-upper.first)*upper.cables + uplink%upper.cables
	}
	return upper.downBase + (i-n.firstNode[1])/int32(n.spec.Topology.AggsPerPod())
}

// portsOf returns all ports of a switch.
func (n *Network) portsOf(i int32) []int32 {
	sw := &n.nodes[i]
	var list []int32
	for port := range sw.count * sw.cables {
		list = append(list, sw.downBase+port)
	}
	for port := range sw.ups {
		list = append(list, sw.upBase+port)
	}
	return list
}
