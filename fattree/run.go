package fattree

import (
	"math"
	"sync/atomic"
)

// oneSlot is a slot in the fixed-point unit of debts: links lag behind by less
// than 2^-20 of a slot for each packet.
const oneSlot = 1 << 20

// mostDebt is the debt beyond which the ACKs on a slow link take no more time of
// it: 2048 slots, behind which 32 bits have room for one packet more.
const mostDebt = 1 << 31

// port is the state of a port of a switch, or of a host.
type port struct {
	head      uint32 // of its ring
	count     int32  // packets in it
	room      int32  // packets that fit into the ring as it is, at most the capacity
	debt      uint32 // time that headers and a slow link took, in units of oneSlot; a whole slot is skipped
	perPacket uint32 // what a packet takes beyond one slot, in units of oneSlot
	perHeader uint32 // what a header takes
	kmin      int32  // packets left behind: no marks up to here
	class     uint16 // index into Run.services
	side      side
	served    uint8 // slot in which the link was last busy, modulo 2^8; see joinQueues
}

// side says where the link of a port leads.
type side uint8

const (
	toHost   side = iota
	toFirst       // another switch, over a link of the switch's first class
	toSecond      // the same, of its second class
	failed
)

// service holds the settings of a queue's class that a port needs for each packet.
type service struct {
	capacity  int32  // packets
	kmin      int32  // packets left behind: no marks up to here
	perPacket uint32 // what a packet takes beyond one slot, in units of oneSlot
	perHeader uint32 // what a header takes
	headers   uint32 // debt from which on a header finds no room, by the rules of UltraEthernet
}

// sender is the state of a flow at its source, one cache line.
type sender struct {
	window   Window
	first    int32 // its first group
	inFlight int32 // packets
	next     int32 // number of the next new packet
	total    int32 // packets of the flow, of messages those that have begun
	lost     int32 // packets declared lost and not sent again yet
	lostFrom int32 // no lost packet is below
	oldest   int32 // no packet below is outstanding in its first transmission
	received int32 // packets that the receiver had, by the last ACK
	complete int32 // packets that the receiver had without a gap, by the last ACK
	after    int32 // next flow waiting for the NIC
	lastAck  int32 // slot of the last ACK of another packet than the last one
	waits    bool  // for the NIC
	timed    bool  // its timer is set
	// recovering says that lost packets are sent again whatever the window is, see sleek.
	recovering bool
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

// turns is the line of a host's flows that want to send.
type turns struct {
	head, tail int32 // none is none
	headers    int32 // sent while flows waited, since one of these had its turn
}

const none = -1

// Run is the scratch memory of runs of one network: queues, links and the state of all flows.
// It may be used for one run after the other, by one goroutine at a time; after the first run
// it allocates next to nothing. A run may use several goroutines of its own, see [Run.Workers].
type Run struct {
	net      *Network
	balance  Balancer
	router   Router  // balance if it is one
	watcher  Watcher // balance if it is one
	prober   Prober  // balance if it probes
	control  Control
	grants   *granting   // nil unless control is a Granter
	doubles  doubleTurns // in place of turns; nil unless flows can stand in line twice
	requests *requests   // around control; nil unless senders ask before they send again
	sleek    *sleek      // nil unless senders recover lost packets before their time-outs
	split    *splitting  // nil unless balance cuts flows
	carrying *carrying   // nil unless ACKs tell of all packets that they cover
	salts    []uint64    // by switch

	slot     int32
	tiles    []tile // by switch
	ports    []port
	services []service // by class: those of the network, then the same without marks
	ends     []ends    // by flow
	lanes    []lanes   // by epoch of arrival modulo Network.buffers

	senders   []sender
	receivers []receiver
	groups    []group   // of senders
	received  []uint64  // by group: the packets that the receiver has
	sent      []sending // by packet, 64 places for each group
	short     []uint16  // by packet, see newShort
	hosts     []turns
	reports   []report    // of the last ACKs of each host; nil unless ACKs say more than which packet they are for
	heirs     []int32     // by the first flow of a pair: its last one that ended, or none; nil unless flows inherit
	messages  [][]segment // under way, by connection in the order in which they began; nil if each flow has its own

	reportLife int32 // slots for which a report is kept
	timeout    int32 // slots of the RTO
	sacking    bool  // ACKs can be lost or are not sent for every packet
	noting     bool  // what crosses links carries more than a word
	chooses    bool  // a Router or Spec.Choose takes the place of the hash
	early      bool  // hosts send between the ACKs of a slot, see RoomUser
	measuring  bool  // somebody wants to know RTTs
	oneSwitch  bool  // before a sink: no NICs, no time-outs
	plain      bool  // the loops of plain.go run it
	rules            // of the hosts

	starts  *Starter
	left    int     // flows not finished
	ending  int     // flows that can end now and will fire a trigger for other tiles
	soon    []int32 // the slots from which others can, that have sent all their packets
	local   []bool  // by trigger: the hosts of one switch alone send its flows
	active  int32   // last slot in which something moved
	longest int32   // slots of a block, to test that they do not matter

	workers []worker
	dealt   atomic.Int64 // tiles of the block that workers have taken
	result  Result
	trace   *tracer
}

// NewRun returns scratch memory for runs of n.
func (n *Network) NewRun() *Run {
	r := &Run{
		net:       n,
		ends:      n.ends,
		ports:     make([]port, len(n.ports)),
		tiles:     make([]tile, len(n.nodes)),
		senders:   make([]sender, len(n.routes)),
		receivers: make([]receiver, len(n.routes)),
		groups:    make([]group, n.groups),
		received:  make([]uint64, n.groups),
		sent:      make([]sending, 64*int(n.groups)),
		hosts:     make([]turns, n.outline.Hosts),
		salts:     make([]uint64, len(n.nodes)),
		timeout:   int32((n.spec.RTO + n.slotTime - 1) / n.slotTime),
		oneSwitch: n.outline.Sink,
		sacking:   n.sacking(),
		rules:     n.newRules(),
		starts:    NewStarter(n.spec.Workload),
		local:     n.localTriggers(),
		longest:   mostEpoch,
		messages:  n.newMessages(),
	}
	for _, kmin := range []int32{0, math.MaxInt32} {
		for i := range n.classes {
			c := &n.classes[i]
			r.services = append(r.services, service{c.capacity, max(c.kmin, kmin), c.perPacket, c.perAck, c.headerRoom()})
		}
	}
	r.short = r.newShort()
	r.layOutTiles()
	r.layOutReports()
	r.Workers(1)
	return r
}

// Workers sets the number of goroutines that advance the following runs, at least 1. Results do
// not depend on it. With more than one, methods of the balancer and of the congestion control
// are called at the same time for flows of different hosts.
func (r *Run) Workers(count int) {
	count = min(max(1, count), len(r.tiles))
	if count == len(r.workers) {
		return
	}
	r.workers = make([]worker, count)
	for i := range r.workers {
		r.workers[i].reorder = make([]int64, mostReorder+1)
	}
}
