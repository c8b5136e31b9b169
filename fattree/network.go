package fattree

import (
	"math"
	"slices"
)

// Network is a validated Spec with its ports laid out. It does not change, so
// any number of runs may share it, at the same time too.
type Network struct {
	spec     Spec // defaults filled in
	slotTime Picoseconds
	horizon  int32 // slots

	nodes     []node    // the switches of tier 0, then 1, then 2
	firstNode [3]int32  // of each tier
	ports     []wire    // by port number
	links     [][]link  // by switch: those that end at it, but for its hosts'
	rates     []float64 // of the links, by port number, as parts of the fastest link's
	ends      []ends    // by flow
	routes    []route   // by flow
	latency   []int32   // slots, by tier of the link's lower end, hosts' links first; at least 1
	headers   []int32   // the same for headers
	epoch     int32     // slots that switches may be apart: the least of all latencies, at most mostEpoch
	buffers   int32     // epochs in which what is under way can arrive, and the current one
	rtt       [3]Picoseconds
	rounding  [3]Picoseconds // rtt less an RTT in whole slots, by tiers climbed
	classes   []queueClass
	faults    []change
	errors    []errorRate
	packets   int64   // of all flows
	groups    int32   // of 64 packets of a flow
	pairs     []int32 // number of each flow's source and destination; nil unless flows inherit
}

// ends holds the hosts of a flow.
type ends struct{ source, destination int32 }

// key returns source and destination as the switches' hash sees them.
func (e ends) key() uint64 { return uint64(e.source)<<32 | uint64(e.destination) }

// target returns the host that a header travels to.
func (e ends) target(header packet) int32 {
	if header.outward() {
		return e.destination
	}
	return e.source
}

// route holds what senders and receivers need of a flow.
type route struct {
	packets int32
	first   int32 // number of its first group of packets
	climb   int32 // tiers above the ToRs on its path
}

// queueClass holds the settings shared by ports of one rate.
type queueClass struct {
	part, rate float64  // a part of the link's rate, and that rate, as parts of the fastest link's
	capacity   int32    // packets
	kmin       int32    // packets left behind: no marks up to here
	mark       []uint32 // by packets left behind, the last entry for all above: the marking probability times 2^32
	perPacket  uint32   // what a packet takes beyond one slot, in units of oneSlot
	perAck     uint32   // what an ACK takes
}

// Build validates s and lays out its network. The error lists the faults; it is
// about s alone, so the same s never fails later.
func Build(s Spec) (*Network, error) {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	n := &Network{spec: s, slotTime: s.SlotTime()}
	n.horizon = int32(s.Horizon / n.slotTime)
	if s.Topology.Tiers == 1 {
		n.layOutSwitch()
	} else {
		n.layOutTree()
	}
	n.connect()
	n.layOutEpochs()
	n.layOutRoutes()
	if s.InheritConnections {
		n.pairs = n.spec.Workload.pairs()
	}
	n.faults, n.errors = n.changes(), n.errorRates()
	n.layOutClasses()
	return n, n.checkPaths()
}

// Spec returns the network's specification with defaults applied.
func (n *Network) Spec() Spec { return n.spec }

// Flows returns the number of flows.
func (n *Network) Flows() int { return len(n.routes) }

// SlotTime returns the length of a slot in picoseconds.
func (n *Network) SlotTime() Picoseconds { return n.slotTime }

// BaseRTT returns the unloaded round-trip time of a flow's full packets.
func (n *Network) BaseRTT(flow int32) Picoseconds { return n.rtt[n.routes[flow].climb] }

// LongestRTT returns the unloaded round-trip time of full packets between the
// farthest hosts of the topology.
func (n *Network) LongestRTT() Picoseconds { return n.rtt[n.spec.Topology.Tiers-1] }

// Pair returns the source and destination of a flow.
func (n *Network) Pair(flow int32) (source, destination Host) {
	f := n.spec.Workload.Flows[flow]
	return f.Source, f.Destination
}

// layOutSwitch lays out the network of one tier: ports to an ideal sink, and those of hosts.
func (n *Network) layOutSwitch() {
	ports := int32(n.spec.Topology.Hosts)
	n.nodes = []node{{ups: ports, nics: ports}}
	for range 2 * ports {
		n.ports = append(n.ports, wire{peer: -1})
		n.rates = append(n.rates, 1)
	}
	n.latency, n.headers = []int32{0}, []int32{int32(n.spec.AckDelay)}
	n.rtt[0] = n.slotTime
}

// slots rounds a time in nanoseconds to slots.
func (n *Network) slots(ns float64) int32 {
	return int32(math.Round(1000 * ns / float64(n.slotTime)))
}

// layOutTree numbers switches and ports.
func (n *Network) layOutTree() {
	t := n.spec.Topology
	for tier := range t.Tiers {
		n.firstNode[tier] = int32(len(n.nodes))
		link := t.link(tier)
		n.headers = append(n.headers, max(1, n.slots(link.LatencyNs+t.SwitchLatencyNs)))
		// A slot is on top of it: what the link takes longer belongs to the way.
		slower := float64(float64(n.spec.MTU) * 8 * (1/link.Gbps - 1/t.fastest()))
		n.latency = append(n.latency, max(1, n.slots(link.LatencyNs+t.SwitchLatencyNs+slower)))
		for i := range t.switches(tier) {
			n.nodes = append(n.nodes, n.newNode(tier, int32(i)))
		}
	}
	roundTrip := int32(0)
	for climb := range t.Tiers {
		roundTrip += 2 * (1 + n.latency[climb] + n.headers[climb])
		n.rtt[climb] = n.spec.unloadedRTT(climb)
		n.rounding[climb] = n.rtt[climb] - Picoseconds(roundTrip)*n.slotTime
	}
	for number := range n.nodes {
		n.addPorts(int32(number))
	}
}

// newNode returns switch number i of a tier, its ports not numbered yet.
func (n *Network) newNode(tier int, i int32) node {
	t := n.spec.Topology
	sw := node{level: int32(tier), cables: 1}
	perChild := int32(1) // hosts
	switch tier {
	case 0:
		sw.count = int32(t.HostsPerToR)
		sw.first = i * sw.count
		sw.nics = sw.count
	case 1:
		sw.count = int32(t.ToRs() / t.Pods())
		sw.first = i / int32(t.AggsPerPod()) * sw.count
		sw.cables = int32(t.CablesPerPair)
		perChild = int32(t.HostsPerToR)
	case 2:
		sw.count = int32(t.Pods())
		perChild = int32(t.HostsPerToR * t.ToRsPerPod)
	}
	sw.downs = sw.count * sw.cables
	if tier < t.Tiers-1 {
		sw.ups = int32(t.uplinks(tier))
	}
	sw.firstHost, sw.hosts = sw.first*perChild, sw.count*perChild
	sw.perChild = (1<<childShift-1)/uint64(perChild) + 1
	return sw
}

// layOutEpochs computes the slots for which switches do not depend on each other.
func (n *Network) layOutEpochs() {
	latencies := slices.Concat(n.latency[1:], n.headers[1:]) // of links between switches
	if len(latencies) == 0 {
		latencies = []int32{1}
	}
	n.epoch = min(mostEpoch, slices.Min(latencies))
	n.buffers = (slices.Max(latencies)+n.epoch-1)/n.epoch + 1
}

// layOutClasses computes the queues of all rates that links have.
func (n *Network) layOutClasses() {
	parts := []float64{1}
	for _, c := range n.faults {
		if c.rate > 0 && !slices.Contains(parts, c.rate) {
			parts = append(parts, c.rate)
		}
	}
	var rates []float64
	for _, rate := range n.rates {
		if !slices.Contains(rates, rate) {
			rates = append(rates, rate)
		}
	}
	for _, rate := range rates {
		for _, part := range parts {
			n.classes = append(n.classes, n.spec.queueClass(part, rate))
		}
	}
}

// classOf returns the number of the class of a link of the given rate that runs
// at a part of it.
func (n *Network) classOf(part, rate float64) uint16 {
	for i := range n.classes {
		if c := &n.classes[i]; c.part == part && c.rate == rate {
			return uint16(i)
		}
	}
	panic("fattree: no such class of links")
}

// layOutRoutes notes for each flow what switches, senders and receivers look at.
func (n *Network) layOutRoutes() {
	t := n.spec.Topology
	for _, f := range n.spec.Workload.Flows {
		r := route{packets: int32(n.spec.packets(f.Bytes)), first: n.groups}
		if t.Tiers > 1 {
			r.climb = int32(t.Climb(f.Source, f.Destination))
		}
		n.packets += int64(r.packets)
		n.groups += (r.packets + 63) / 64
		n.routes = append(n.routes, r)
		n.ends = append(n.ends, ends{int32(f.Source), int32(f.Destination)})
	}
}

// torOf returns the number of a host's ToR; with one tier the only switch.
func (n *Network) torOf(host int32) int32 {
	if n.spec.Topology.Tiers == 1 {
		return 0
	}
	return host / int32(n.spec.Topology.HostsPerToR)
}

// queueClass returns the queue of a link that runs at a part of its rate: its
// capacity and marking thresholds shrink with it, as the authors' do. The queues
// of a network of one tier have no end.
func (s Spec) queueClass(part, rate float64) queueClass {
	kmin, kmax := float64(part*float64(s.KMin)), float64(part*float64(s.KMax))
	c := queueClass{
		part: part, rate: rate,
		capacity: max(1, int32(math.Round(part*float64(s.Queue)))),
		kmin:     int32(kmin),
	}
	if s.Topology.Tiers == 1 {
		c.capacity = math.MaxInt32
	}
	// What a queue never holds is not asked for.
	c.mark = make([]uint32, min(int64(kmax)+2, int64(c.capacity)+1))
	c.perPacket, c.perAck = s.debts(part * rate)
	for left := range c.mark {
		p := 1.0
		if q := float64(left); q <= kmin {
			p = 0
		} else if q <= kmax {
			p = (q - kmin) / (kmax - kmin)
		}
		c.mark[left] = uint32(math.Min(p*(1<<32), math.MaxUint32))
	}
	return c
}

// debts returns what a full packet takes of a link beyond one slot, and what an
// ACK takes, at a part of the fastest link's rate, in units of oneSlot. An ACK
// to an ideal sink takes nothing.
func (s Spec) debts(rate float64) (perPacket, perAck uint32) {
	perPacket = uint32(math.Round(oneSlot * (1/rate - 1)))
	if s.Topology.Tiers > 1 {
		perAck = uint32(math.Round(oneSlot * float64(s.HeaderBytes) / float64(s.MTU) / rate))
	}
	return perPacket, perAck
}

// Switches returns the number of switches. They are numbered from 0 tier by tier,
// ToRs first.
func (n *Network) Switches() int { return len(n.nodes) }

// Ports returns the number of ports of all switches and hosts. They are numbered from 0, switch
// by switch: those down, those up, then those of the hosts of a ToR; with one tier by output.
func (n *Network) Ports() int { return len(n.ports) }

// Uplinks returns the ports up of a switch.
func (n *Network) Uplinks(number int) []int {
	sw := &n.nodes[number]
	list := make([]int, sw.ups)
	for i := range list {
		list[i] = int(sw.up(int32(i)))
	}
	return list
}
