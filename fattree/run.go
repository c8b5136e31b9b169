package fattree

import (
	"math"
	"slices"

	"repslab/mc"
)

// oneSlot is a slot in the fixed-point unit of debts: links lag behind by less
// than 2^-20 of a slot for each packet.
const oneSlot = 1 << 20

// mostDebt is the debt beyond which the ACKs on a slow link take no more time of
// it: 2048 slots, behind which 32 bits have room for one packet more.
const mostDebt = 1 << 31

// port is the state of a switch port. Four fill a cache line, since most of the
// time of a run goes by in waiting for them.
type port struct {
	head, count int32  // of its ring
	debt        uint32 // time that ACKs and a slow link took, in units of oneSlot; a whole slot is skipped
	class       uint16 // index into Run.services
	dead        bool
}

// service holds the settings of a queue's class that a port needs for each packet.
type service struct {
	room      int32  // packets that fit into a ring as it is, at most the capacity
	kmin      int32  // packets left behind: no marks up to here
	perPacket uint32 // what a packet takes beyond one slot, in units of oneSlot
	perAck    uint32 // what an ACK takes
}

// setServices computes the services for rings as long as they are.
func (r *Run) setServices() {
	r.services = r.services[:0]
	for _, kmin := range []int32{0, math.MaxInt32} {
		for i := range r.net.classes {
			c := &r.net.classes[i]
			r.services = append(r.services, service{min(c.capacity, r.ringMask+1), max(c.kmin, kmin), c.perPacket, c.perAck})
		}
	}
}

// nic is the state of a host's sending side.
type nic struct {
	head, tail int32 // first and last flow that waits to send; none is none
	debt       uint32
}

const none = -1

// sender is the state of a flow at its source, one cache line.
type sender struct {
	window   Window
	first    int32 // its first group
	inFlight int32 // packets
	next     int32 // number of the next new packet
	total    int32 // packets of the flow
	lost     int32 // packets declared lost and not sent again yet
	lostFrom int32 // no lost packet is below
	oldest   int32 // no packet below is outstanding in its first transmission
	received int32 // packets that the receiver had, by the last ACK
	complete int32 // packets that the receiver had without a gap, by the last ACK
	after    int32 // next flow waiting for the NIC
	lastAck  int32 // slot of the last ACK of another packet than the last one
	waits    bool  // for the NIC
	timed    bool  // its timer is set
}

// sending is the last transmission of a packet.
type sending struct {
	slot uint16 // modulo 2^16
	ev   uint16
}

// receiver is the state of a flow at its destination.
type receiver struct {
	received int32 // distinct packets
	complete int32 // packets without a gap
	highest  int32 // number of the highest packet received
	pending  int32 // packets since the last ACK
	asked    bool  // a packet below the last one that asked for an ACK is missing
}

// Run is the scratch memory of runs of one network: queues, wheels and the state
// of all flows. It may be used for one run after the other, by one goroutine at
// a time; after the first run it allocates next to nothing.
type Run struct {
	net     *Network
	balance Balancer
	router  Router  // balance if it is one
	watcher Watcher // balance if it is one
	sorting []arrival
	prober  Prober // balance if it probes
	probes  wheel[packet]
	control Control
	grants  *granting  // nil unless control is a Granter
	split   *splitting // nil unless balance cuts flows
	random  mc.Rand    // marking and the choice between two victims
	order   mc.Rand    // the order in which packets of a slot reach queues
	salts   []uint64

	slot     int32
	now      Picoseconds
	ports    []port
	services []service // by class: those of the network, then the same without marks
	rings    []packet  // of all ports
	ringMask int32
	busy     bitSet // ports with work
	nics     []nic
	ready    bitSet // hosts with work

	toSwitch  wheel[arrival]
	toHost    wheel[packet]
	acks      wheel[packet] // by what triggered them, with nackBit for a NACK
	reports   wheel[report] // of acks, in the same order, if reporting
	timers    wheel[packet]
	timeout   int32       // slots of the RTO
	latest    int32       // slots of the longest link
	moving    int         // entries of toSwitch, toHost and acks
	departing []departure // scratch
	launching []packet    // scratch: what hosts send in a slot
	acking    []arrival   // scratch: ACKs on their way

	senders   []sender
	receivers []receiver
	groups    []group
	sent      []sending // by packet, 64 places for each group

	nicRate   uint32    // debt of a data packet at a host's link
	nicAck    uint32    // debt of an ACK at a host's link
	carrying  *carrying // nil unless ACKs tell of all packets that they cover
	sacking   bool      // ACKs can be lost or are not sent for every packet
	measuring bool      // somebody wants to know RTTs
	reporting bool      // ACKs say more than which packet they are for: sacking, or pulls are among them
	unlimited bool      // time-outs are off: one tier

	starts  *Starter
	byStart []int32 // flows without trigger by start
	begun   int     // of byStart
	later   startHeap
	heirs   []int32 // last flow of each pair that ended, or none; nil unless flows inherit
	change  int     // next of the network's changes
	left    int     // flows not finished

	result Result
	trace  *tracer
}

// arrival is a packet that reaches a switch.
type arrival struct {
	packet packet
	to     int32  // the port whose queue it joins; with a router the switch, whose choice waits for it
	phase  uint32 // by how much its host's link lagged behind the slots, in units of oneSlot; 0 further on
}

// NewRun returns scratch memory for runs of n.
func (n *Network) NewRun() *Run {
	r := &Run{
		net:       n,
		ports:     make([]port, len(n.ports)),
		busy:      newBitSet(len(n.ports)),
		nics:      make([]nic, n.spec.Topology.Hosts),
		ready:     newBitSet(n.spec.Topology.Hosts),
		senders:   make([]sender, len(n.routes)),
		receivers: make([]receiver, len(n.routes)),
		salts:     make([]uint64, len(n.nodes)),
		timeout:   int32((n.spec.RTO + n.slotTime - 1) / n.slotTime),
		unlimited: n.spec.Topology.Tiers == 1,
		sacking:   n.spec.AckRatio > 1 || len(n.faults) > 0,
	}
	// Queues are mostly far from full, and memory that is not there cannot be
	// missing from a cache.
	const ring = 16
	r.ringMask = ring - 1
	r.rings = make([]packet, len(n.ports)*ring)
	r.groups = make([]group, n.groups)
	r.sent = make([]sending, 64*int(n.groups))
	r.latest = slices.Max(n.latency)
	r.toSwitch = newWheel[arrival](r.latest + 1)
	r.toHost = newWheel[packet](r.latest)
	longest := r.longestWay()
	r.acks, r.reports = newWheel[packet](longest), newWheel[report](longest)
	r.probes = newWheel[packet](longest)
	r.timers = newWheel[packet](r.timeout)
	r.setServices()
	t := n.spec.Topology
	r.nicRate, r.nicAck = n.spec.debts(t.Access.Gbps / t.fastest())
	r.orderFlows()
	return r
}

// longestWay returns the slots of the longest way back: a packet trimmed at its
// first switch, and its NACK.
func (r *Run) longestWay() int32 { return 2*slices.Max(r.net.returns[:]) + 8*r.latest }
