package fattree

import (
	"fmt"
	"slices"
	"sort"
)

// Host is the number of a host, from 0.
type Host int32

// Limits of a topology.
const (
	MaxHosts = 1 << 21
	MaxPorts = 1 << 26 // of all switches
	MaxRadix = 1 << 22 // ports of a switch
	// LeastRate is the smallest rate of a link, degraded or not, as a fraction of the fastest link's rate. A packet
	// then takes at most 2^30 units of oneSlot.
	LeastRate = 1.0 / 1024
)

// Topology describes switches, hosts and the links between them, of networks in which the equal-cost ports of a
// switch towards a host have consecutive numbers ([Range]): fat trees and dragonflies, for example, but not HyperX,
// Slim Fly or Jellyfish with minimal paths. Package topology has the fat trees; its documentation says what another
// topology must provide.
type Topology interface {
	// Validate reports the faults of the description as joined [*faults.FieldError] values. Faults are also more than
	// MaxHosts hosts, MaxPorts ports or MaxRadix ports of a switch. The other methods are called only if Validate
	// returns nil. Build checks what they return.
	Validate() error
	// Outline returns the sizes of the network. O(1).
	Outline() Outline
	// Path returns the kind of the paths from a host to another host, an index into Outline.Paths. The paths back
	// are of the same kind. O(1).
	Path(from, to Host) int
	// Wire returns the switches and ports. O(ports).
	Wire() *Wiring
}

// Outline describes a topology without its wiring.
type Outline struct {
	Hosts           int
	Ports           int64   // of all switches
	Links           []Link  // the classes of links; class 0 is for the links of hosts and for no others
	Paths           []Path  // the kinds of paths between two hosts
	SwitchLatencyNs float64 // of every switch on a path
	HostLinks       int     // largest number of links of a host, see [Switch].NIC; default 1
	// Oversubscription is the rate of hosts over the rate of the uplinks for them, in [0, 1e15]; below 1 it counts as
	// 1.
	Oversubscription float64
	// Below holds, by class of links, the number of equal-cost ways among which a packet has already chosen on its
	// way up to links of the class. Nil is 1 for all classes. Only Spec.ChooseByTier uses it.
	Below []int
	// Sink says that the network is one switch with ports to an ideal sink: queues are infinite, and there are
	// neither time-outs nor latencies.
	Sink bool
}

// Link is a class of links with the same rate and latency.
type Link struct {
	Gbps      float64 // in each direction; in [1, 100000], and at least LeastRate times the fastest link's
	LatencyNs float64 // propagation, in [0, 1000000]
}

// Path is a kind of paths between two hosts.
type Path struct {
	Links []int   // number of links on such a path, by class
	Gbps  float64 // rate of all equal-cost paths between two hosts together, in [1, 1e9]
}

// hops returns the number of links.
func (p Path) hops() (sum int) {
	for _, count := range p.Links {
		sum += count
	}
	return sum
}

// mostHops returns the number of links of the longest path.
func (o Outline) mostHops() (most int) {
	for _, path := range o.Paths {
		most = max(most, path.hops())
	}
	return most
}

// rates returns the lowest and the highest rate of a link, in Gb/s.
func (o Outline) rates() (slowest, fastest float64) {
	slowest = o.Links[0].Gbps
	for _, link := range o.Links {
		slowest, fastest = min(slowest, link.Gbps), max(fastest, link.Gbps)
	}
	return slowest, fastest
}

// latencies returns the shortest and the longest latency of a link, in nanoseconds.
func (o Outline) latencies() (shortest, longest float64) {
	shortest = o.Links[0].LatencyNs
	for _, link := range o.Links {
		shortest, longest = min(shortest, link.LatencyNs), max(longest, link.LatencyNs)
	}
	return shortest, longest
}

// Wiring lists the switches and ports of a network; see [Wiring.Add].
type Wiring struct {
	wires
	hostLinks int32 // largest number of links of a host
}

// wires holds the data of a wiring, for Wiring and Network.
type wires struct {
	nodes  []node
	ports  []wire    // by port number
	home   []int32   // by host: the switch that it is attached to
	ranges [][]Range // by switch that has any
	fault  error     // the first fault found by Add
}

// NewWiring returns a wiring without switches, with memory for the ports of the outline. It panics if Hosts or Ports
// are out of range.
func NewWiring(o Outline) *Wiring {
	if o.Hosts < 0 || o.Hosts > MaxHosts || o.Ports < 0 || o.Ports > MaxPorts {
		panic(fmt.Sprintf("fattree: NewWiring needs an outline of at most %d Hosts and %d Ports, not of %d and %d", MaxHosts, MaxPorts, o.Hosts, o.Ports))
	}
	return &Wiring{
		wires:     wires{ports: make([]wire, 0, o.Ports+int64(o.Hosts)), home: make([]int32, o.Hosts)},
		hostLinks: int32(max(1, o.HostLinks)),
	}
}

// Switch describes a switch: its hosts, and the ports that lead to each host. Ports are numbered from 0.
type Switch struct {
	Hosts     int32 // attached to it; its first ports lead to them
	FirstHost int32 // the first host below the switch; attached hosts are below it
	// Below is the number of hosts below the switch. Ports lead down to them from port 0 on: the first Cables ports
	// to the first PerChild hosts, the next Cables ports to the next PerChild hosts, and so on.
	Below, PerChild, Cables int32
	// The ports [First, First + Count) all lead to all other hosts. If Count is 0, the range that a host is in
	// says which ports lead to it.
	First, Count int32
	Ranges       []Range // in order of hosts

	// NIC says that the switch is a part of its only host. It has Count links to other switches and no other link:
	// see nic.go.
	NIC bool
}

// Range is a range of hosts and the equal-cost ports that lead to them, at least one. The range begins where the
// previous one ends. The last range of a switch ends with the last host.
type Range struct {
	End          Host // the first host after the range
	First, Count int32
}

// Port is a port that leads to another switch.
type Port struct {
	Peer int32 // the switch at the other end
	Link int32 // class, at least 1
}

// Add appends a switch: ports to its hosts, then the given ports, then the ports of its hosts themselves. Switches
// and ports are numbered from 0 in the order in which they are added. The links to other switches must be of one
// class, or of two with all links of one class before all links of the other. [Build] reports the first switch, or
// its port, that does not fit.
func (w *Wiring) Add(s Switch, ports ...Port) {
	sw := node{
		firstPort: int32(len(w.ports)), ports: s.Hosts + int32(len(ports)), nics: s.Hosts,
		firstHost: s.FirstHost, below: s.Below, perChild: (1<<childShift-1)/uint64(max(1, s.PerChild)) + 1,
		cables: s.Cables, first: s.First, count: s.Count,
		split: s.Hosts + int32(len(ports)), sides: [2]int32{none, none}, nic: s.NIC,
	}
	number := int32(len(w.nodes))
	if w.fault == nil {
		w.fault = w.misfit(&s, ports)
	}
	if w.fault != nil {
		return
	}
	for i := range s.Hosts {
		w.ports = append(w.ports, wire{peer: -1 - (s.FirstHost + i)})
		w.home[s.FirstHost+i] = number
	}
	side := 0
	for i, p := range ports {
		if i > 0 && p.Link != ports[i-1].Link {
			side++
			sw.split = s.Hosts + int32(i)
		}
		sw.sides[side] = p.Link
		w.ports = append(w.ports, wire{peer: p.Peer, link: p.Link})
	}
	for range s.Hosts {
		w.ports = append(w.ports, wire{peer: number})
	}
	w.nodes = append(w.nodes, sw)
	if len(s.Ranges) > 0 {
		w.ranges = append(w.ranges, make([][]Range, len(w.nodes)-len(w.ranges))...)
		w.ranges[number] = s.Ranges
	}
}

// Reaches reports whether a path of working ports leads from a switch to a host. dead is indexed by port. Paths
// longer than the number of switches do not count. It panics on a switch or host that does not exist, and if dead is
// too short.
func (w *Wiring) Reaches(from int32, to Host, dead []bool) bool {
	if from < 0 || int(from) >= len(w.nodes) || to < 0 || int(to) >= len(w.home) || len(dead) < len(w.ports) {
		panic(fmt.Sprintf("fattree: Reaches needs one of %d switches (not %d), one of %d hosts (not %d) and dead for %d ports (not %d)",
			len(w.nodes), from, len(w.home), to, len(w.ports), len(dead)))
	}
	return w.reaches(from, int32(to), dead, len(w.nodes))
}

// reaches is Reaches for paths of at most some number of switches.
func (w *wires) reaches(from, to int32, dead []bool, most int) bool {
	if most == 0 {
		return false
	}
	sw := &w.nodes[from]
	first, count := w.toward(from, to)
	for port := sw.firstPort + first; port < sw.firstPort+first+count; port++ {
		if dead[port] {
			continue
		}
		if peer := w.ports[port].peer; peer < 0 || w.reaches(peer, to, dead, most-1) {
			return true
		}
	}
	return false
}

// node is a switch of a Wiring. Its ports are numbered consecutively: ports to its hosts, ports to other switches,
// and then the ports of its hosts, their NICs.
type node struct {
	firstPort        int32
	ports, nics      int32 // ports of the switch, those to hosts first; number of its hosts
	split            int32 // its first port with a link of the second class
	firstHost, below int32
	cables           int32    // ports to each child
	perChild         uint64   // 2^childShift divided by the hosts below a child, rounded up
	first, count     int32    // ports to hosts that are not below the switch
	sides            [2]int32 // the classes of its links to other switches, or none
	nic              bool
}

// childShift makes a host's number times node.perChild, shifted by it, the exact quotient: both the number and the
// hosts below a child are at most MaxHosts = 2^21.
const childShift = 42

// next returns the equal-cost ports of a switch that lead to a host, numbered from the switch's first port. It
// returns none if the switch has ranges; use search then.
func (sw *node) next(to int32) (first, count int32) {
	if below := to - sw.firstHost; uint32(below) < uint32(sw.below) {
		child := int32(uint64(below) * sw.perChild >> childShift)
		return child * sw.cables, sw.cables
	}
	return sw.first, sw.count
}

// toward returns the ports of a switch that lead to a host, by next or by search.
func (w *wires) toward(number, to int32) (first, count int32) {
	if first, count = w.nodes[number].next(to); count == 0 {
		return w.search(number, to)
	}
	return first, count
}

// search returns the ports of a switch that lead to a host, by the range that the host is in.
func (w *wires) search(number, to int32) (first, count int32) {
	ranges := w.ranges[number]
	r := &ranges[sort.Search(len(ranges), func(i int) bool { return int32(ranges[i].End) > to })]
	return r.First, r.Count
}

// side returns where the link of a port leads. The port is numbered from the switch's first port.
func (sw *node) side(port int32) side {
	if port < sw.nics {
		return toHost
	} else if port < sw.split {
		return toFirst
	}
	return toSecond
}

// end returns the first number after the ports of a switch and of its hosts.
func (sw *node) end() int32 { return sw.firstPort + sw.ports + sw.nics }

// wire says where the link of a port leads.
type wire struct {
	peer int32 // the switch at the other end; -1 - host for a port to a host
	link int32 // class
}

// HasNICs reports whether there are hosts with a NIC of their own ([Switch].NIC). O(switches).
func (n *Network) HasNICs() bool {
	return slices.ContainsFunc(n.nodes, func(sw node) bool { return sw.nic })
}

// endsAtHost reports whether a port leads to a host or to a host's NIC.
func (w *wires) endsAtHost(port int32) bool {
	peer := w.ports[port].peer
	return peer < 0 || w.nodes[peer].nic
}

// connect numbers the links between switches by the switch that they lead to, and for one switch by the port that
// they begin at. Each switch gets an odd count of numbers, some unused. Otherwise the lanes that a switch writes
// to others would be a power of two apart, and would share few places of a cache.
func (n *Network) connect() {
	n.firstLink = make([]int32, len(n.nodes)+1)
	n.eachLink(func(_, port int32) { n.firstLink[n.ports[port].peer+1]++ })
	for i := range n.nodes {
		n.firstLink[i+1] = n.firstLink[i] + (n.firstLink[i+1] | 1)
	}
	next := slices.Clone(n.firstLink)
	n.origins, n.links = make([]int32, n.firstLink[len(n.nodes)]), make([]int32, len(n.ports))
	n.eachLink(func(from, port int32) {
		number := &next[n.ports[port].peer]
		n.links[port], n.origins[*number] = *number, from
		*number++
	})
}

// eachLink calls f with the switch and the port at the beginning of each link between switches.
func (n *Network) eachLink(f func(from, port int32)) {
	for i := range n.nodes {
		sw := &n.nodes[i]
		for id := sw.nics; id < sw.ports; id++ {
			f(int32(i), sw.firstPort+id)
		}
	}
}

// switchOf returns the switch that a port belongs to.
func (n *Network) switchOf(port int32) int {
	return sort.Search(len(n.nodes), func(i int) bool { return n.nodes[i].end() > port })
}
