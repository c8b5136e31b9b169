package fattree

import (
	"slices"
	"sort"
)

// Host numbers a host from 0.
type Host int32

// Limits of a topology.
const (
	MaxHosts  = 1 << 21
	MaxPorts  = 1 << 26    // of all switches
	MaxRadix  = 1 << 22    // ports of a switch
	LeastRate = 1.0 / 1024 // of a link, degraded or not, as a fraction of the fastest one's: a packet takes at most 2^30 units of oneSlot
)

// Topology describes switches, hosts and the links between them. Package topology has the fat
// trees; its documentation says what another topology has to provide.
type Topology interface {
	// Validate reports the faults of the description, as joined [*mc.FieldError] values: also more
	// than MaxHosts hosts, MaxPorts ports or MaxRadix ports of a switch, and links slower than
	// LeastRate times the fastest one. The other methods are called only if there is none.
	Validate() error
	// Outline returns the sizes of the network. O(1).
	Outline() Outline
	// Path returns the kind of the paths from a host to another one, an index into
	// Outline.Paths; there and back are of the same kind. O(1).
	Path(from, to Host) int
	// Wire returns the switches and ports. O(ports).
	Wire() *Wiring
}

// Outline describes a topology without its wiring.
type Outline struct {
	Hosts           int
	Ports           int64   // of all switches
	Links           []Link  // the classes of links; the first one is that of the links of hosts, and no other link's
	Paths           []Path  // the kinds of paths between two hosts
	SwitchLatencyNs float64 // of every switch on a path
	HostLinks       int     // most links of a host, see [Switch].NIC; default 1
	// Below tells, by class of links, among how many equal-cost ways a packet has chosen below links of the class. Nil is
	// 1 for all. Only ChooseByTier of the Spec depends on it.
	Below []int
	// Sink says that the network is one switch whose ports lead to an ideal sink: queues have no
	// end, and there are neither time-outs nor latencies.
	Sink bool
}

// Link is a class of links with the same rate and latency.
type Link struct {
	Gbps      float64 // in each direction
	LatencyNs float64 // propagation, at least 0
}

// Path is a kind of paths between two hosts.
type Path struct {
	Links []int   // number of links on such a path, by class
	Gbps  float64 // of all equal-cost paths between two hosts together
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
	hostLinks int32 // most of a host
}

// wires holds a wiring, for Network too.
type wires struct {
	nodes  []node
	ports  []wire    // by port number
	home   []int32   // by host: the switch that it is attached to
	ranges [][]Range // by switch, as far as they have any
	fault  error     // the first one of what was added
}

// NewWiring returns a wiring without switches, with room for those of a topology.
func NewWiring(o Outline) *Wiring {
	return &Wiring{
		wires:     wires{ports: make([]wire, 0, o.Ports+int64(o.Hosts)), home: make([]int32, o.Hosts)},
		hostLinks: int32(max(1, o.HostLinks)),
	}
}

// Switch describes a switch: its hosts, and which of its ports, numbered from 0, lead to a host.
type Switch struct {
	Hosts     int32 // attached to it; its first ports lead to them
	FirstHost int32 // the first one below it; attached ones are below it
	// Below is the number of hosts below it. PerChild consecutive ones are reached by Cables
	// ports of their own, from port 0 on.
	Below, PerChild, Cables int32
	// All other hosts are reached by the ports [First, First + Count) alike, or, if Count is 0, by
	// those of the range that they are in.
	First, Count int32
	Ranges       []Range // in order of hosts

	// NIC says that the switch is a part of its only host, which has Count links to other switches and
	// no further one: see nic.go.
	NIC bool
}

// Range is a range of hosts, from the end of the one before on, and the equal-cost ports, at least
// one, that lead to them. The last range of a switch ends with the last host.
type Range struct {
	End          Host // the first one behind it
	First, Count int32
}

// Port is a port of a switch to another one.
type Port struct {
	Peer int32 // the switch at the other end
	Link int32 // class, at least 1
}

// Add appends a switch: ports to its hosts, then those given, then the ports of its hosts
// themselves. Switches are numbered from 0 in the order in which they are added, their ports
// likewise. The links to other switches must be of one class, or of two, all of one before those
// of the other. [Build] reports what is wrong with the first switch that does not fit, or with its ports.
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

// Reaches reports whether a path of live ports leads from a switch to a host. dead is indexed by
// port. A path of more switches than there are leads nowhere.
func (w *Wiring) Reaches(from int32, to Host, dead []bool) bool {
	return w.reaches(from, int32(to), dead, len(w.nodes))
}

// reaches is Reaches, for Network too, by paths of at most some number of switches.
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

// node is a switch of a Wiring. Its ports are numbered consecutively: those to its hosts, those
// to other switches, and then the ports of its hosts, their NICs.
type node struct {
	firstPort        int32
	ports, nics      int32 // of the switch, of which the first ones lead to hosts; of its hosts
	split            int32 // the first of its ports whose links are of the second class
	firstHost, below int32
	cables           int32    // to each child
	perChild         uint64   // 2^childShift over the hosts below a child, rounded up
	first, count     int32    // ports to hosts that are not below
	sides            [2]int32 // the classes of its links to other switches, or none
	nic              bool
}

// childShift makes the product of a host's number and node.perChild, shifted, the exact
// quotient: both factors of the quotient are at most MaxHosts = 2^21.
const childShift = 42

// next returns the equal-cost ports of a switch, numbered from its first, that lead to a host; none
// if search does.
func (sw *node) next(to int32) (first, count int32) {
	if below := to - sw.firstHost; uint32(below) < uint32(sw.below) {
		child := int32(uint64(below) * sw.perChild >> childShift)
		return child * sw.cables, sw.cables
	}
	return sw.first, sw.count
}

// toward is next of a switch by its number, and search where that has none.
func (w *wires) toward(number, to int32) (first, count int32) {
	if first, count = w.nodes[number].next(to); count == 0 {
		return w.search(number, to)
	}
	return first, count
}

// search returns the ports of a switch that lead to the hosts of the range that a host is in.
func (w *wires) search(number, to int32) (first, count int32) {
	ranges := w.ranges[number]
	r := &ranges[sort.Search(len(ranges), func(i int) bool { return int32(ranges[i].End) > to })]
	return r.First, r.Count
}

// side returns where the link of a port of the switch leads, numbered from its first.
func (sw *node) side(port int32) side {
	if port < sw.nics {
		return toHost
	} else if port < sw.split {
		return toFirst
	}
	return toSecond
}

// end returns the number behind that of the last port of a switch and its hosts.
func (sw *node) end() int32 { return sw.firstPort + sw.ports + sw.nics }

// wire is where the link of a port leads.
type wire struct {
	peer int32 // the switch at the other end; -1 - host for a port to a host
	link int32 // class
}

// HasNICs reports whether there are hosts with a NIC of their own ([Switch].NIC). O(switches).
func (n *Network) HasNICs() bool {
	return slices.ContainsFunc(n.nodes, func(sw node) bool { return sw.nic })
}

// endsAtHost reports whether a port leads to a host, or to its NIC.
func (w *wires) endsAtHost(port int32) bool {
	peer := w.ports[port].peer
	return peer < 0 || w.nodes[peer].nic
}

// connect numbers the links between switches, those to the first switch first, those to the same
// switch in order of the ports that they begin at. Each switch has an odd number of them, some
// unused: the lanes that a switch writes to others would otherwise be a power of two apart, and
// share few places of a cache.
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

// eachLink calls f with the switch and port that each link between switches begins at.
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
