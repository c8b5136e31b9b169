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

// service holds the settings of a queue's class that a port needs for each packet.
type service struct {
	capacity  int32  // packets
	kmin      int32  // packets left behind: no marks up to here
	perPacket uint32 // what a packet takes beyond one slot, in units of oneSlot
	perHeader uint32 // what a header takes
	headers   uint32 // debt from which on a header finds no room, by the rules of UltraEthernet
}

const none = -1

// Run is the scratch memory of runs of one network: queues, links, and by its [Transport] the state of all
// flows. It may be used for one run after the other, by one goroutine at a time; after the first run
// it allocates next to nothing. A run may use several goroutines of its own, see [Run.Workers].
type Run struct {
	net     *Network
	hosts   Transport
	router  Router   // Needs.Router
	watcher Watcher  // the router if it is one
	salts   []uint64 // by switch

	slot     int32
	tiles    []tile // by switch
	ports    []port
	services []service // by class: those of the network, then the same without marks
	ends     []ends    // by flow
	lanes    []lanes   // by epoch of arrival modulo Network.buffers
	short    []uint16  // by packet, see newShort
	turns    []int32   // by host, see yields; only with a Router

	noting    bool // what crosses links carries more than a word
	demands   bool // packets do
	unmarked  bool // ports to hosts do not mark
	chooses   bool // a Router or Spec.Choose takes the place of the hash, or packets that have chosen may be lost
	oneSwitch bool // before a sink: no NICs, no time-outs

	starts   *Starter
	script   Script // Workload.Script, or starts
	scripted bool   // the script is told of deliveries, and of all ends
	start    func(flow int32, at Picoseconds)
	sum      Counts // of all workers, see total
	news     []news // for the script

	left   int     // flows not finished
	ending int     // flows of which news can come now
	soon   []int32 // the slots from which they can of others, that have sent all their packets
	local  []bool  // by trigger: the hosts of one switch alone send its flows
	active int32   // last slot in which something moved

	workers []worker
	dealt   atomic.Int64 // tiles of the block that workers have taken
	result  Result
	trace   *tracer
}

// NewRun returns scratch memory for runs of n whose hosts are those of a transport, which must not be nil.
func (n *Network) NewRun(hosts Transport) *Run {
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
		r.script = script()
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

// Script returns the Script of the run, which [Workload].Script has made; without one a [Starter].
func (r *Run) Script() Script { return r.script }

// Workers sets the number of goroutines that advance the following runs, at least 1. Results do
// not depend on it. With more than one, methods of the hosts, and by them of balancers and congestion controls,
// are called at the same time for flows of different hosts. If one panics, the run panics with the same value when
// all workers have stopped; run with one worker to see where.
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
