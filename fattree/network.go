package fattree

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"repslab/faults"
)

// Network is a validated Spec with its ports laid out. It does not change, so any number of runs may share it,
// also at the same time.
type Network struct {
	plan
	tells   bool  // the transport reports deliveries
	horizon int32 // slots

	wires
	hostLinks int32 // most links of a host

	rates     []float64 // by class of link: full packets in a slot
	firstLink []int32   // by switch: the number of the first link that ends at it; the last entry is the number of links
	links     []int32   // by port to another switch: the number of its link among all links between switches
	origins   []int32   // by link: the switch at its beginning
	ends      []ends    // by flow
	routes    []route   // by flow
	latency   []int32   // slots, by class of link; at least 1, but for a sink
	headers   []int32   // slots by class of link, for headers
	lags      []Moment  // what headers take beyond whole slots, so that round trips have their exact length
	epoch     int32     // slots that switches may be apart: the least latency of a link, at most mostEpoch
	life      int32     // slots after which the report of an ACK is no longer needed
	buffers   int32     // of a lane: one for the current epoch, and one for each in which a packet already sent can still arrive
	ways      []Way     // by kind of path
	classes   []queueClass
	faults    []change
	perPort   map[int32][]change    // changes of rate by port
	denied    map[[2]int32][]*Fault // faults of paths, by connection and port
	errors    []errorRate
	otherEnd  []int32 // by port: the port at the other end of its cable; nil unless Spec.Reroutes
	groups    int32   // groups of 64 packets, of all flows
	// connections holds by flow the first flow of its connection; nil if every flow has a connection of its own.
	connections []int32
}

// Way holds the unloaded times of a kind of paths.
type Way struct {
	RTT      Picoseconds // time of a full packet to the receiver and of its ACK back
	Rounding Picoseconds // RTT minus the RTT in whole slots
	back     int32       // largest number of slots that an ACK takes to its sender if no header is ahead of it
	least    int32       // least number of slots from a packet's departure to the arrival of its ACK
	lag      Moment      // the part of a slot by which ACKs are later than whole slots

	base       Picoseconds // RTT, or the RTT in whole slots if rounding adds much
	packetTime float64     // see Network.PacketTime

	leastOut    int32       // least number of slots from a packet's departure to its arrival
	outRounding Picoseconds // exact time of a full packet to the receiver, minus the time in whole slots
}

// ends holds the hosts of a flow.
type ends struct{ source, destination int32 }

// key returns source and destination as input of the switches' hash.
func (e ends) key() uint64 { return uint64(e.source)<<32 | uint64(e.destination) }

// target returns the host that a header travels to.
func (e ends) target(header Packet) int32 {
	if header.Outward() {
		return e.destination
	}
	return e.source
}

// route holds what senders and receivers need of a flow.
type route struct {
	packets  int32 // of all messages of its connection if the flow is the first of them, otherwise 0
	messages int32 // of its connection, likewise
	first    int32 // number of the first group of packets
	path     int32 // kind of path
}

// queueClass holds the settings shared by ports of one rate.
type queueClass struct {
	part, rate float64  // fraction of the link's rate, and the resulting rate in full packets a slot
	queue      int      // packets that the queue holds at the whole rate
	capacity   int32    // packets
	kmin       int32    // queue length after a dequeue up to which nothing is marked
	mark       []uint32 // marking probability times 2^32, by queue length after a dequeue; the last entry is for all longer queues
	perPacket  uint32   // time of a packet beyond one slot, in units of oneSlot
	perAck     uint32   // time of an ACK, in units of oneSlot
}

// Build resolves s and lays out its network, as [Spec.Resolve] and [Plan.Build]. The error joins the faults of both.
func Build(s Spec) (*Network, error) { return s.resolve().build() }

// Build lays out the network of p. The network has copies of the lists of the [Spec] and of what its Topology
// returns, so later changes of them do not reach it. The error lists the faults. It depends on the Spec alone, so a
// Spec that was once built never fails later.
func (p *Plan) Build() (*Network, error) { return p.made().build() }

// build is Build for a plan that may be refused.
func (p *Plan) build() (*Network, error) {
	err, s := p.refused, &p.spec
	if p.slotTime == 0 {
		return nil, err
	}
	w := s.Topology.Wire()
	if w == nil {
		return nil, errors.Join(err, faults.New("fattree", "Topology.Wire()", nil, "must return a wiring"))
	}
	if s.Workload.empty() {
		err = errors.Join(err, s.Workload.Validate(p.outline.Hosts))
	}
	n := &Network{plan: *p, tells: s.Workload.tellsDelivery(), wires: w.wires.clone()}
	if wrong := n.checkWiring(err == nil); wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	_, fastest := n.outline.rates()
	for _, link := range n.outline.Links {
		rate := link.Gbps / fastest
		if n.parts > 1 {
			rate = float64(n.slotTime) * link.Gbps / (float64(s.MTU) * 8000)
		}
		n.rates = append(n.rates, rate)
	}
	n.hostLinks = int32(max(1, n.outline.HostLinks))
	n.horizon = int32(s.Horizon / n.slotTime)
	if err := errors.Join(err, n.validateFaults()); err != nil {
		return nil, err
	}
	n.connect()
	if s.Reroutes {
		if err := n.checkGroups(); err != nil {
			return nil, err
		}
		n.otherEnd = n.otherEnds()
	}
	n.layOutTimes()
	n.layOutEpochs()
	n.connections = s.Workload.connections()
	n.layOutRoutes()
	n.faults, n.errors = n.changes(), n.errorRates()
	n.perPort, n.denied = map[int32][]change{}, map[[2]int32][]*Fault{}
	for _, c := range n.faults {
		n.perPort[c.port] = append(n.perPort[c.port], c)
	}
	n.layOutClasses()
	n.layOutReports()
	if err := n.denyPaths(); err != nil {
		return nil, err
	}
	return n, n.checkPaths()
}

// built returns n, and panics unless Build made it.
func (n *Network) built() *Network {
	made(n != nil && n.slotTime != 0, "Network", "Build")
	return n
}

// plan is embedded without making it a field that users can change.
type plan = Plan

// Plan returns the plan from which the network was built. O(1).
func (n *Network) Plan() *Plan { return &n.built().plan }

// Spec returns the network's specification with defaults applied. Its lists are the network's own and must not be
// changed: see [Spec.Clone]. O(1).
func (n *Network) Spec() Spec { return n.built().spec }

// Flows returns the number of flows.
func (n *Network) Flows() int { return len(n.built().routes) }

// TellsDelivery reports whether the transport must call [Edge.Deliver] for each flow: the workload has a Script, or
// a flow with FiresOnDelivery. O(1).
func (n *Network) TellsDelivery() bool { return n.tells }

// BaseRTT returns the unloaded round-trip time of a flow's full packets and their ACKs.
func (n *Network) BaseRTT(flow int32) Picoseconds { return n.Way(flow).base }

// Hosts returns the number of hosts.
func (n *Network) Hosts() int { return n.outline.Hosts }

// HostGbps returns the rate of a link of a host, in Gb/s.
func (n *Network) HostGbps() float64 { return n.built().outline.Links[0].Gbps }

// HostLinks returns the largest number of links of a host.
func (n *Network) HostLinks() int { return int(n.hostLinks) }

// LongestRTT returns the unloaded round-trip time of full packets between the farthest hosts of the topology.
func (n *Network) LongestRTT() (longest Picoseconds) {
	for i := range n.ways {
		longest = max(longest, n.ways[i].base)
	}
	return longest
}

// PacketTime returns the time in picoseconds that a host takes to send a packet of a flow when no other flow is
// active, over all links of the host. Under UltraEthernet it is the time over one link. If the paths of the flow
// together are slower, their rate counts. O(1).
func (n *Network) PacketTime(flow int32) float64 { return n.Way(flow).packetTime }

// BDP returns the bandwidth-delay product of a flow's paths in packets: BaseRTT over PacketTime. O(1).
func (n *Network) BDP(flow int32) float64 { return float64(n.BaseRTT(flow)) / n.PacketTime(flow) }

// LongestBDP returns the largest bandwidth-delay product of all kinds of paths in packets. O(kinds of paths).
func (n *Network) LongestBDP() (packets float64) {
	for i := range n.ways {
		packets = max(packets, float64(n.ways[i].base)/n.ways[i].packetTime)
	}
	return packets
}

// Packets returns the number of packets of a flow. For the first message of a connection it is the number of
// packets of all its messages, and 0 for the other messages: balancers and congestion controls see only the first
// one.
func (n *Network) Packets(flow int32) int { return int(n.routes[flow].packets) }

// Way returns the times of a flow's paths, which must not be changed. O(1).
func (n *Network) Way(flow int32) *Way { return &n.ways[n.routes[flow].path] }

// Late returns how much later in its slot an arrival at the given phase is than an ACK of the flow in the unloaded
// network, for which Way.Rounding holds. It is negative if the arrival is earlier.
func (n *Network) Late(flow int32, phase Moment) Picoseconds {
	return Picoseconds(int32(phase)-int32(n.Way(flow).lag)) * n.slotTime / Picoseconds(aSlot)
}

// FirstGroup returns the number of a flow's first group of 64 packets. The groups of all flows are numbered
// consecutively, so that a [Transport] can keep a record for each packet.
func (n *Network) FirstGroup(flow int32) int32 { return n.routes[flow].first }

// Places returns the number of a flow's packets that have a record: 64 for each of its groups. The others cannot be
// sent before the horizon. O(1).
func (n *Network) Places(flow int32) int { return int(64 * ((n.reach(&n.routes[flow]) + 63) / 64)) }

// Groups returns the number of groups of 64 packets of all flows. Packets that cannot be sent before the horizon are in
// none.
func (n *Network) Groups() int { return int(n.groups) }

// Connection returns the first flow in the workload of a flow's connection, which stands for the connection. It
// returns the flow itself if the flow has a connection of its own.
func (n *Network) Connection(flow int32) int32 {
	if n.connections == nil {
		return flow
	}
	return n.connections[flow]
}

// Connects reports whether any connection has several messages.
func (n *Network) Connects() bool { return n.connections != nil }

// CountsBytes reports whether links count the bytes of short packets: see short.go.
func (n *Network) CountsBytes() bool {
	return n.spec.Profile == UltraEthernet && !n.outline.Sink
}

// HasSink reports whether the network is one switch before an ideal sink.
func (n *Network) HasSink() bool { return n.outline.Sink }

// Pair returns the source and destination of a flow.
func (n *Network) Pair(flow int32) (source, destination Host) {
	e := n.ends[flow]
	return Host(e.source), Host(e.destination)
}

// layOutTimes computes the latencies of links and the times of paths.
func (n *Network) layOutTimes() {
	o := n.outline
	if o.Sink {
		n.latency, n.headers, n.lags = []int32{0}, []int32{int32(n.spec.AckDelay)}, []Moment{0}
		n.ways = []Way{{RTT: n.slotTime, base: n.slotTime, back: 2 * (1 + n.headers[0]), packetTime: float64(n.slotTime)}}
		return
	}
	for class := range o.Links {
		of := n.link(class)
		n.latency, n.headers, n.lags = append(n.latency, of.latency), append(n.headers, of.headers), append(n.lags, of.lag)
	}
	for _, path := range o.Paths {
		way, roundTrip, lag := Way{RTT: n.unloadedRTT(path), base: n.roundTrip(path), packetTime: n.packetTime(path)}, int32(0), int32(0)
		out := float64(float64(path.hops()-1) * o.SwitchLatencyNs) // ns for a full packet to the receiver
		for class, count := range path.Links {
			roundTrip += int32(count) * (1 + n.latency[class] + n.headers[class])
			lag += int32(count) * int32(n.lags[class])
			way.back += int32(count) * (n.headers[class] + 1)
			way.least += int32(count) * (n.latency[class] + n.headers[class])
			way.leastOut += int32(count) * n.latency[class]
			out += float64(float64(count) * (o.Links[class].LatencyNs + float64(n.spec.MTU)*8/o.Links[class].Gbps))
		}
		way.outRounding = Picoseconds(math.Round(1000*out)) - Picoseconds(way.leastOut+int32(path.hops()))*n.slotTime
		way.lag = Moment(lag).phase()
		way.Rounding = way.RTT - Picoseconds(roundTrip+lag/int32(aSlot))*n.slotTime
		n.ways = append(n.ways, way)
	}
}

// layOutEpochs computes the epoch: the slots within which switches do not depend on each other.
func (n *Network) layOutEpochs() {
	latencies := slices.Concat(n.latency, n.headers)
	n.epoch = max(1, min(mostEpoch, slices.Min(latencies)))
	n.buffers = (slices.Max(latencies)+n.epoch-1)/n.epoch + 1
}

// layOutClasses computes the classes of queues for all rates of links, and for last hops.
func (n *Network) layOutClasses() {
	parts := []float64{1}
	for _, c := range n.faults {
		if c.rate > 0 && !slices.Contains(parts, c.rate) {
			parts = append(parts, c.rate)
		}
	}
	for _, queue := range slices.Compact([]int{n.spec.Queue, cmp.Or(n.spec.LastHopQueue, n.spec.Queue)}) {
		for _, rate := range n.rates {
			for _, part := range parts {
				n.classes = append(n.classes, n.queueClass(part, rate, queue))
			}
		}
	}
}

// queueOf returns the capacity in packets of a port's queue at the whole rate of its link.
func (n *Network) queueOf(port int32) int {
	if n.endsAtHost(port) {
		return cmp.Or(n.spec.LastHopQueue, n.spec.Queue)
	}
	return n.spec.Queue
}

// classOf returns the number of the class of a link of the given rate that runs at a fraction of it, with a queue.
func (n *Network) classOf(part, rate float64, queue int) uint16 {
	for i := range n.classes {
		if c := &n.classes[i]; c.part == part && c.rate == rate && c.queue == queue {
			return uint16(i)
		}
	}
	panic("fattree: no such class of links")
}

// layOutRoutes notes for each flow what switches, senders and receivers need of it.
func (n *Network) layOutRoutes() {
	for i, f := range n.spec.Workload.Flows {
		n.routes = append(n.routes, route{path: int32(n.spec.Topology.Path(f.Source, f.Destination))})
		n.ends = append(n.ends, ends{int32(f.Source), int32(f.Destination)})
		r := &n.routes[n.Connection(int32(i))]
		r.packets += int32(n.spec.Packets(f.Bytes))
		r.messages++
	}
	for i := range n.routes {
		r := &n.routes[i]
		r.first = n.groups
		n.groups += (n.reach(r) + 63) / 64
	}
}

// reach returns a bound on the packets of a flow that have a place in memory: those that its host can send before the
// horizon, full ones over all its links and the last ones of all messages, and 64 more that an ACK may report. Ports
// round the times of packets, so a thousandth is added.
func (n *Network) reach(r *route) int32 {
	full := 1.001 * float64(n.horizon) * slices.Max(n.rates) * float64(n.hostLinks)
	return int32(min(int64(r.packets), int64(full)+int64(r.messages)+64))
}

// queueClass returns the class of a queue of some capacity, for a link that runs at a fraction of its rate.
// Capacity and marking thresholds shrink with the rate, as in the authors' simulator. Queues before a sink are
// infinite.
func (n *Network) queueClass(part, rate float64, queue int) queueClass {
	s := &n.spec
	kmin, kmax := float64(part*float64(s.KMin)), float64(part*float64(s.KMax))
	c := queueClass{
		part: part, rate: rate, queue: queue,
		capacity: max(1, int32(math.Round(part*float64(queue)))),
		kmin:     int32(kmin),
	}
	if n.outline.Sink {
		c.capacity = math.MaxInt32
	}
	// The table ends at the capacity: longer queues do not occur.
	c.mark = make([]uint32, min(int64(kmax)+2, int64(c.capacity)+1))
	c.perPacket, c.perAck = n.debts(part * rate)
	for left := range c.mark {
		p := 1.0
		if q := float64(left); q <= kmin {
			p = 0
		} else if q <= kmax {
			p = s.PMax * ((q - kmin) / (kmax - kmin))
		}
		c.mark[left] = uint32(math.Min(p*(1<<32), math.MaxUint32))
	}
	return c
}

// headerRoom returns the debt at which headers fill twice the bytes of the queue. If debts are not counted that
// high, it returns a debt that is never reached.
func (c *queueClass) headerRoom() uint32 {
	room := 2 * int64(c.capacity) * (oneSlot + int64(c.perPacket))
	if room > mostDebt {
		room = math.MaxUint32
	}
	return uint32(room)
}

// debts returns, at a rate in packets a slot, the time of a full packet beyond one slot and the time of an ACK, in
// units of oneSlot. An ACK to an ideal sink takes no time.
func (n *Network) debts(rate float64) (perPacket, perAck uint32) {
	// Rounded up, except for the error of the division: no link is faster than its rate.
	perPacket = uint32(math.Ceil(float64(oneSlot*(1/rate-1)) - 0x1p-10))
	if !n.outline.Sink {
		perAck = uint32(math.Round(oneSlot * float64(n.spec.HeaderBytes) / float64(n.spec.MTU) / rate))
	}
	return perPacket, perAck
}

// Switches returns the number of switches. They are numbered from 0, as in their topology.
func (n *Network) Switches() int { return len(n.built().nodes) }

// Ports returns the number of ports of all switches and hosts. They are numbered from 0, switch by switch: its
// ports to hosts, its ports to other switches, and then the ports of its hosts.
func (n *Network) Ports() int { return len(n.ports) }

// Uplinks returns the equal-cost ports of a switch towards hosts that are not below it. It returns none for a
// network card ([Switch].NIC), which uses its links in turn.
func (n *Network) Uplinks(number int) []int {
	sw := &n.nodes[number]
	if sw.nic {
		return nil
	}
	list := make([]int, sw.count)
	for i := range list {
		list[i] = int(sw.firstPort+sw.first) + i
	}
	return list
}

// layOutReports computes how many slots the report of an ACK must be kept. It is the time of the longest way back,
// where an ACK waits at each link for at most a slot, and one epoch more, because the receiver may be ahead of the
// sender.
func (n *Network) layOutReports() {
	for _, way := range n.ways {
		n.life = max(n.life, way.back)
	}
	n.life += n.epoch + 1
}

// ReportPlaces returns the number of places for reports. A report holds what an ACK says in addition to the packet
// that it answers; the ACK's note has its number. There is a place for each packet that can arrive at a host in a
// slot. See [Edge.ReportPlace].
func (n *Network) ReportPlaces() int {
	return n.outline.Hosts * int(n.arrivals()) * int(n.life)
}

// HasFaults reports whether links of the network fail or slow down in a run. O(1).
func (n *Network) HasFaults() bool { return len(n.faults) > 0 }
