package fattree

import (
	"math"
	"sync/atomic"
)

// oneSlot is a slot in the fixed-point unit of debts. The rounding error of a link is less than 2^-20 slots for
// each packet.
const oneSlot = 1 << 20

// mostDebt is the debt beyond which ACKs on a slow link are no longer charged: 2048 slots. Above it, 32 bits have
// room for one more packet.
const mostDebt = 1 << 31

// port is the state of a port of a switch, or of a host.
type port struct {
	head      uint32 // position of the oldest packet in its ring
	count     int32  // packets in the ring
	room      int32  // packets that fit into the ring as it is, at most the capacity
	debt      uint32 // time of headers and of slow packets not yet spent, in units of oneSlot; each whole slot of it skips one slot
	perPacket uint32 // time of a packet beyond one slot, in units of oneSlot
	perHeader uint32 // time of a header, in units of oneSlot
	kmin      int32  // queue length after a dequeue up to which nothing is marked
	class     uint16 // index into Run.services
	side      side
	served    uint8 // slot in which the link was last busy, modulo 2^8; see forgetIdle
}

// side says where the link of a port leads.
type side uint8

const (
	toHost   side = iota
	toFirst       // another switch, over a link of the switch's first class
	toSecond      // the same, of its second class
	failed
)

// service holds the settings of a queue class that a port needs for each packet.
type service struct {
	capacity  int32  // packets
	kmin      int32  // queue length after a dequeue up to which nothing is marked
	perPacket uint32 // time of a packet beyond one slot, in units of oneSlot
	perHeader uint32 // time of a header, in units of oneSlot
	headers   uint32 // debt at which a header finds no room, by the rules of UltraEthernet
}

const none = -1

// Run is the scratch memory of runs of one network: queues, links, and, through its [Transport], the state of all
// flows. It serves one run after the other, for one goroutine at a time. After the first run it allocates next to
// nothing. A run may use several goroutines of its own, see [Run.Workers].
type Run struct {
	net     *Network
	hosts   Transport
	router  Router   // Needs.Router
	watcher Watcher  // may be nil
	salts   []uint64 // by switch

	slot     int32
	tiles    []tile // by switch
	ports    []port
	services []service // by class of queues: with marks, then the same classes without marks
	ends     []ends    // by flow
	lanes    []lanes   // by epoch of arrival modulo Network.buffers
	short    []uint16  // by packet, see newShort
	turns    []int32   // by host, see yields; only with a Router

	noting    bool     // packets or headers carry notes across links
	demands   bool     // packets carry notes
	unmarked  bool     // ports to hosts do not mark
	chooses   bool     // a Router, Spec.Choose, routing that reacts or a fault of paths chooses in place of the hash
	oneSwitch bool     // before a sink: no NICs, no time-outs
	routing   *routing // nil unless Spec.Reroutes

	starts   *Starter
	script   Script // Workload.Script, or starts
	scripted bool   // the script is told of deliveries, and of all ends
	start    func(flow int32, at Picoseconds)
	sum      Counts // of all workers, see total
	news     []news // for the script

	left   int     // flows not finished
	ending int     // flows that can make news for the script now
	soon   []int32 // the first slots in which other flows can make news: those that have sent all their packets
	local  []bool  // by trigger: see localTriggers
	active int32   // last slot in which something moved

	workers []worker
	dealt   atomic.Int64 // tiles of the block that workers have taken
	result  Result
	trace   *tracer
}

// NewRun returns scratch memory for runs of n with the hosts of a transport. It panics if Build did not make n, if
// hosts is nil, or if Workload.Script makes no script.
func (n *Network) NewRun(hosts Transport) *Run {
	if n.built(); hosts == nil {
		panic("fattree: NewRun needs a Transport")
	}
	r := &Run{
		net:       n,
		hosts:     hosts,
		ends:      n.ends,
		ports:     make([]port, len(n.ports)),
		tiles:     make([]tile, len(n.nodes)),
		salts:     make([]uint64, len(n.nodes)),
		oneSwitch: n.outline.Sink,
		starts:    NewStarter(n.spec.Workload),
		local:     n.localTriggers(),
	}
	r.script, r.start, r.scripted = r.starts, r.schedule, n.TellsDelivery()
	if script := n.spec.Workload.Script; script != nil {
		if r.script = script(); r.script == nil {
			panic("fattree: Workload.Script must return a Script")
		}
	}
	for _, kmin := range []int32{0, math.MaxInt32} {
		for i := range n.classes {
			c := &n.classes[i]
			r.services = append(r.services, service{c.capacity, max(c.kmin, kmin), c.perPacket, c.perAck, c.headerRoom()})
		}
	}
	r.short = r.newShort()
	r.layOutTiles()
	r.Workers(1)
	return r
}

// made panics with the name of the function that makes a type, unless it was called.
func made(was bool, what, by string) {
	if !was {
		panic("fattree: a " + what + " that " + by + " did not make")
	}
}

// Script returns the Script of the run: the one that [Workload].Script has made, or a [Starter].
func (r *Run) Script() Script { return r.script }

// Workers sets the number of goroutines that advance the following runs, at least 1. Results do not depend on it.
// With more than one, methods of the hosts, and through them of balancers and congestion controls, are called at
// the same time for flows of different hosts. If one panics, the run panics with the same value when all workers
// have stopped. To see the stack of the panic, run with one worker.
func (r *Run) Workers(count int) {
	made(r != nil && r.net != nil, "Run", "NewRun")
	count = min(max(1, count), len(r.tiles))
	if count == len(r.workers) {
		return
	}
	r.workers = make([]worker, count)
	for i := range r.workers {
		r.workers[i].reorder = make([]int64, mostReorder+1)
	}
}
