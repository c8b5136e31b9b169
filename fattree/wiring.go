package fattree

import "sort"

// node is a switch. Its ports are numbered consecutively: those down, which lead to children
// numbered consecutively too (the hosts of a ToR, the ToRs of a pod, the pods), those up, and
// then the ports of its hosts, their NICs.
type node struct {
	firstPort        int32
	downs, ups, nics int32  // ports
	firstHost, hosts int32  // below it
	perChild         uint64 // 2^childShift over the hosts below a child, rounded up
	cables           int32  // to each child
	first, count     int32  // children
	level            int32
}

// childShift makes the product of a host's number and node.perChild, shifted, the exact
// quotient: both factors of the quotient are at most MaxHosts = 2^21.
const childShift = 42

// next returns the ports of a switch, numbered from its first, that lead to a host: the cables down to the child above
// the host, or if the host is not below the switch all ports up.
func (sw *node) next(to int32) (first, count int32) {
	if below := to - sw.firstHost; uint32(below) < uint32(sw.hosts) {
		child := int32(uint64(below) * sw.perChild >> childShift)
		return child * sw.cables, sw.cables
	}
	return sw.downs, sw.ups
}

// end returns the number behind that of the last port of a switch and its hosts.
func (sw *node) end() int32 { return sw.firstPort + sw.downs + sw.ups + sw.nics }

// wire is where the link of a port leads.
type wire struct {
	peer  int32 // the switch at the other end; -1 - host for a port to a host
	place int32 // of the link among those from other switches that end at the peer
	class int32 // of the latency: the tier of the link's lower end, hosts being 0
}

// addPorts numbers the ports of a switch.
func (n *Network) addPorts(number int32) {
	sw := &n.nodes[number]
	tier, i := int(sw.level), number-n.firstNode[sw.level]
	sw.firstPort = int32(len(n.ports))
	for port := range sw.downs {
		n.addPort(n.below(tier, i, port/sw.cables), tier)
	}
	for port := range sw.ups {
		n.addPort(n.above(tier, i, port), tier+1)
	}
	for range sw.nics {
		n.addPort(number, 0)
	}
}

// addPort adds a port of a switch, or of one of its hosts, to peer, over a link whose lower end
// is of the given tier, hosts being 0 and ToRs 1.
func (n *Network) addPort(peer int32, tier int) {
	t := n.spec.Topology
	n.ports = append(n.ports, wire{peer: peer, class: int32(tier)})
	n.rates = append(n.rates, t.link(tier).Gbps/t.fastest())
}

// link is a link from another switch.
type link struct {
	from int32 // the switch
	port int32 // among its ports to other switches
}

// connect numbers the links from other switches that end at each switch, in order of the ports
// that they begin at.
func (n *Network) connect() {
	n.links = make([][]link, len(n.nodes))
	for i := range n.nodes {
		sw := &n.nodes[i]
		first := sw.firstPort
		if sw.nics > 0 {
			first += sw.downs
		}
		for id := first; id < sw.up(sw.ups); id++ {
			if w := &n.ports[id]; w.peer >= 0 {
				w.place = int32(len(n.links[w.peer]))
				n.links[w.peer] = append(n.links[w.peer], link{int32(i), id - first})
			}
		}
	}
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

// up returns the port up number uplink of a switch.
func (sw *node) up(uplink int32) int32 { return sw.firstPort + sw.downs + uplink }

// opposite returns the port that sends the other way over the cable at port up
// number uplink of switch i.
func (n *Network) opposite(i, uplink int32) int32 {
	lower := &n.nodes[i]
	upper := &n.nodes[n.ports[lower.up(uplink)].peer]
	if lower.level == 0 {
		return upper.firstPort + (i-upper.first)*upper.cables + uplink%upper.cables
	}
	return upper.firstPort + (i-n.firstNode[1])/int32(n.spec.Topology.AggsPerPod())
}

// portsOf returns all ports of a switch, without those of its hosts.
func (n *Network) portsOf(i int32) []int32 {
	sw := &n.nodes[i]
	list := make([]int32, sw.downs+sw.ups)
	for port := range list {
		list[port] = sw.firstPort + int32(port)
	}
	return list
}

// switchOf returns the switch that a port belongs to.
func (n *Network) switchOf(port int32) int {
	return sort.Search(len(n.nodes), func(i int) bool { return n.nodes[i].end() > port })
}
