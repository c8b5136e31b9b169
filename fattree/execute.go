package fattree

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"repslab/faults"
	"repslab/mc"
)

// Streams are the random streams of a run.
type Streams struct {
	Salts mc.Stream // of the switches' hash
	// Algorithm is the stream of the hosts. Its child 1 is for the network: marks, the choice of the packet to trim,
	// and the order of arrivals.
	Algorithm mc.Stream
}

// Balancer returns the stream that load balancers of the hosts draw from: flow f has child f.
func (s Streams) Balancer() mc.Stream { return s.Algorithm.Child(0) }

// NewStreams returns the streams of a replica: the same salts, and for each flow
// the same random words, whatever the balancer.
func NewStreams(seed, replica uint64) Streams {
	return Streams{mc.NewStream(seed, mc.Salts, replica), mc.NewStream(seed, mc.Algorithm, replica)}
}

// Execute runs the network until every flow has finished or the horizon is reached. The caller owns the Result: it
// shares no memory with r. Execute returns an error only if ctx is nil or done, or if packets are not conserved.
// Packets that are not conserved mean a fault of the program or of its Transport.
func (r *Run) Execute(ctx context.Context, s Streams) (*Result, error) {
	if ctx == nil {
		return nil, faults.New("fattree", "ctx", nil, "must be set")
	}
	r.Begin(s)
	tells, next := mc.TakesShares(ctx), int64(1)
	if tells {
		mc.ReportShare(ctx, 0)
	}
	// The run ends with an epoch, so that shorter blocks do not end it earlier.
	for (r.left > 0 || r.slot%r.net.epoch > 0) && r.slot < r.net.horizon {
		if err := ctx.Err(); err != nil {
			mc.ReportShare(ctx, r.shares()...)
			return nil, err
		}
		if tells && int64(r.slot) >= next { // a run slows down when flows wait for time-outs
			mc.ReportShare(ctx, r.shares()...)
			next = 2 * int64(r.slot)
		}
		r.skipIdle()
		r.advance(r.blockEnd())
	}
	if r.left == 0 {
		r.script.Play(r.net.spec.Horizon, r.start) // the script may still act when no flow is left
	}
	return r.Result()
}

// shares returns the shares of the run that are done: of its packets those that have arrived, and of the time until the
// horizon. The time until the first one arrives tells nothing about the time after it. O(flows).
func (r *Run) shares() []float64 {
	n := r.total()
	packets, arrived := 0.0, float64(n.Delivered-n.Duplicates)
	if arrived == 0 {
		return []float64{0, 0}
	}
	for _, route := range r.net.routes {
		packets += float64(route.packets)
	}
	return []float64{min(1, arrived/packets), float64(r.slot) / float64(r.net.horizon)}
}

// Begin prepares a run that the caller advances slot by slot with [Run.Step], to look at it in between
// ([Run.QueueLength], [Run.Sample], [Run.Result]) or to fail links ([Run.SetFailed]). [Run.Execute] does both.
func (r *Run) Begin(s Streams) {
	made(r != nil && r.net != nil, "Run", "NewRun")
	for i := range r.tiles {
		r.tiles[i].edge.Slot, r.tiles[i].edge.Now, r.tiles[i].edge.reportAt = 0, 0, -1
	}
	r.setNeeds(r.hosts.Begin(s))
	random := s.Algorithm.Child(1)
	salts := s.Salts.Source()
	for i := range r.salts {
		r.salts[i] = salts.Uint64()
	}
	r.slot, r.active, r.ending, r.soon = 0, 0, 0, r.soon[:0]
	for i := range r.lanes {
		r.lanes[i].reset()
	}
	for i := range r.tiles {
		r.tiles[i].reset(random)
	}
	for i := range r.workers {
		r.workers[i].reset()
	}
	r.beginRouting()
	r.forgetShort()
	r.result = newResult(r.net)
	r.left = len(r.net.routes)
	r.script.Reset()
	r.play()
	if r.trace != nil {
		r.trace.reset()
	}
}

// setNeeds notes what the hosts ask of the network, and selects the loops to run.
func (r *Run) setNeeds(needs Needs) {
	r.router, r.watcher, r.demands = needs.Router, needs.Watcher, needs.Demands
	marks := r.net.spec.LastHopMarks
	r.unmarked = marks == SpareLastHop || marks == LastHopByTransport && needs.Unmarked
	r.chooses = r.router != nil || r.net.spec.Choose != nil || len(r.net.denied) > 0 || r.net.spec.Reroutes
	if r.turns = nil; r.router != nil {
		r.turns = make([]int32, r.net.outline.Hosts)
	}
	noting := needs.Notes || needs.Demands || r.short != nil
	if noting != r.noting || r.lanes == nil {
		r.layOutLanes(noting)
	}
}

// reset prepares a tile for a run.
func (t *tile) reset(random mc.Stream) {
	random = random.Child(uint64(t.number))
	t.random, t.orders, t.spoiling, t.losing = random.Rand(), random.Child(0).Rand(), random.Child(1).Rand(), random.Child(2).Rand()
	t.ringNotes, t.demands, t.lossy, t.unusual = nil, t.run.demands, t.lossy[:0], t.run.demands
	for i := range t.ports {
		t.ports[i] = port{}
		t.setRate(t.sw.firstPort+int32(i), 1)
	}
	if t.demands {
		t.ringNotes = make([]Note, len(t.rings))
	}
	if t.kept != nil {
		t.kept.epoch = none
	}
	clear(t.busy)
	for i := range t.spiltFor {
		t.spiltFor[i] = none
	}
	for i := range t.uplink {
		t.uplink[i].reset()
		t.downlink[i].reset()
	}
	t.late, t.changes, t.change = t.late[:0], slices.Clip(t.planned), 0
	t.lastPut, t.landed, t.salt, t.nextLink = -1<<30, -1<<30, t.run.salts[t.number], 0
	clear(t.diedAt)
}

// setRate gives a port a fraction of its link's rate. 0 is a failed link: it takes packets as fast as a healthy
// one and loses them.
func (t *tile) setRate(id int32, part float64) {
	number := id - t.sw.firstPort
	p := &t.ports[number]
	p.side = t.sw.side(number)
	if part == 0 {
		part = 1
		if p.side != toHost {
			p.side = failed
		}
	}
	p.class = t.net.classOf(part, t.net.rates[t.net.ports[id].link], t.net.queueOf(id))
	if t.run.unmarked && t.net.endsAtHost(id) {
		p.class += uint16(len(t.net.classes)) // without marks
	}
	class := &t.run.services[p.class]
	p.room, p.kmin, p.perPacket, p.perHeader = min(class.capacity, int32(t.ringMask+1)), class.kmin, class.perPacket, class.perHeader
}

// worker holds the counts and scratch memory of a goroutine that advances tiles.
type worker struct {
	Counts
	reorder         []int64 // packets by how far they came behind the highest one
	finished, ended int     // finished flows; flows with an end that is news for the script
	ending          []int32 // the first slots in which flows can make news
	lastEnd         int32   // last slot in which a flow finished
	news            []news  // for the script
	moved           bool
	panicked        any // what a method of the hosts or of the router panicked with

	whole  arrivals    // at the tile that is advanced through an epoch at once
	single [1]Crossing // a packet or header that is processed alone
}

// reset prepares a worker for a run.
func (w *worker) reset() {
	clear(w.reorder)
	w.Counts = Counts{}
	w.finished, w.ended, w.lastEnd, w.ending, w.news = 0, 0, 0, w.ending[:0], w.news[:0]
}

// Step runs one slot of every tile. The switch's ports send; packets and headers arrive and are sent on; then the
// hosts take in arrivals, handle time-outs and send. The slot begins with the service that ends the previous one,
// so queue lengths seen after Step are lengths before service. It panics before [Run.Begin].
func (r *Run) Step() {
	if r.trace == nil {
		r.skipIdle()
	}
	r.advance(r.slot + 1)
}

// blockEnd returns the slot up to which tiles may be advanced one after the other.
func (r *Run) blockEnd() int32 {
	end := min(r.slot-r.slot%r.net.epoch+r.net.epoch, r.net.horizon)
	later := r.soon[:0]
	for _, slot := range r.soon {
		if slot <= r.slot {
			r.ending++
		} else {
			later, end = append(later, slot), min(end, slot)
		}
	}
	r.soon = later
	if r.ending > 0 {
		return r.slot + 1 // the script can act on another tile
	}
	end = min(end, r.scriptSlot())
	if r.routing != nil {
		end = r.nextMove(end)
	}
	if r.trace != nil {
		end = min(end, r.slot-r.slot%r.trace.slots+r.trace.slots)
	}
	return end
}

// advance runs the slots of a block, which must be of one epoch.
func (r *Run) advance(end int32) {
	if r.routing != nil {
		r.reroute()
	}
	r.advanceTiles(end)
	r.slot = end
	for i := range r.workers {
		w := &r.workers[i]
		r.left -= w.finished
		r.ending -= w.ended
		r.soon = append(r.soon, w.ending...)
		w.finished, w.ended, w.ending = 0, 0, w.ending[:0]
		if w.moved {
			r.active, w.moved = end, false
		}
	}
	r.tell()
	r.play()
	if r.trace != nil {
		r.trace.sample(r)
	}
}

// advanceTiles advances every tile to a slot.
func (r *Run) advanceTiles(end int32) {
	r.dealt.Store(0)
	if len(r.workers) == 1 {
		r.work(&r.workers[0], end)
		return
	}
	var running sync.WaitGroup
	for i := range r.workers[1:] {
		running.Go(func() { r.workBeside(&r.workers[1+i], end) })
	}
	r.workBeside(&r.workers[0], end)
	running.Wait()
	for i := range r.workers {
		if v := r.workers[i].panicked; v != nil {
			panic(v) // in the goroutine of the caller, who may recover
		}
	}
}

// workBeside is work for one of several workers. It keeps a panic until the other workers have stopped.
func (r *Run) workBeside(w *worker, end int32) {
	defer func() { w.panicked = recover() }()
	r.work(w, end)
}

// work lets a worker take some tiles at a time and advance them to a slot, until all tiles are taken. Results do
// not depend on which worker advances a tile.
func (r *Run) work(w *worker, end int32) {
	some := max(1, len(r.tiles)/(16*len(r.workers)))
	for {
		last := int(r.dealt.Add(int64(some)))
		if last-some >= len(r.tiles) {
			return
		}
		for i := last - some; i < min(last, len(r.tiles)); i++ {
			if r.tiles[i].advance(w, r.slot, end) {
				w.moved = true
			}
		}
	}
}

// schedule lets the hosts start a flow.
func (r *Run) schedule(flow int32, start Picoseconds) {
	r.result.Flows[flow].Start = start
	r.tiles[r.net.home[r.net.ends[flow].source]].hosts.Start(flow, max(r.slot, r.net.ceilSlot(start)))
}

// news is an event of a flow that the script is told of.
type news struct {
	flow      int32
	delivered bool // the flow was delivered, otherwise it ended
	at        Picoseconds
}

// tell tells the script what has happened in a block, in the order of flows. A block with news is one slot long. A
// flow can be delivered and end in the same slot only before a sink, where one worker reports both events in
// order.
func (r *Run) tell() {
	for i := range r.workers {
		w := &r.workers[i]
		r.news = append(r.news, w.news...)
		w.news = w.news[:0]
	}
	for i := range r.news { // they are few, and each worker's are nearly in order
		for j := i; j > 0 && r.news[j].flow < r.news[j-1].flow; j-- {
			r.news[j], r.news[j-1] = r.news[j-1], r.news[j]
		}
	}
	for _, n := range r.news {
		if n.delivered {
			r.script.Delivered(n.flow, n.at)
		} else {
			r.script.Ended(n.flow, n.at)
		}
	}
	r.news = r.news[:0]
}

// play lets the script start flows. A flow that waits for another flow begins in the slot after the other's end,
// or later.
func (r *Run) play() { r.script.Play(Picoseconds(r.slot)*r.net.slotTime, r.start) }

// scriptSlot returns the slot in which the script next acts by itself.
func (r *Run) scriptSlot() int32 { return r.net.ceilSlot(min(r.script.Next(), r.net.spec.Horizon)) }

// isNews reports whether the script must be told of the end of a flow, which may start flows of other tiles.
func (r *Run) isNews(flow int32) bool {
	trigger := r.net.spec.Workload.Flows[flow].Fires
	return r.scripted || trigger != NoTrigger && !r.local[trigger-1]
}

// localTriggers returns for each trigger whether it is local: the flows that fire it and the flows that it starts
// are all sent by hosts of one switch.
func (n *Network) localTriggers() []bool {
	triggers := len(n.spec.Workload.Triggers)
	local, home := slices.Repeat([]bool{true}, triggers), slices.Repeat([]int32{none}, triggers)
	for _, f := range n.spec.Workload.Flows {
		for _, trigger := range []int{f.Fires, f.StartedBy} {
			if trigger == NoTrigger {
				continue
			}
			if here := n.home[f.Source]; home[trigger-1] == none {
				home[trigger-1] = here
			} else if home[trigger-1] != here {
				local[trigger-1] = false
			}
		}
	}
	return local
}

// Shortage returns the time that the last packet of a flow, number psn of its connection, saves because it is shorter
// than a full one. It saves time on every link, but it arrives at least its own time after the packet before it on the
// same link: the links of a host take packets in turn. It saves nothing if another link took the packet before it in
// the same slot, because that packet arrives later. since returns the time between the departures of an earlier packet
// and of the last one. O(classes of links).
func (n *Network) Shortage(flow, psn int32, since func(before int32) Picoseconds) Picoseconds {
	links := n.hostLinks
	if n.outline.Sink || links > 1 && psn > 0 && since(psn-1) == 0 {
		return 0
	}
	perByte := 0.0
	for class, count := range n.outline.Paths[n.routes[flow].path].Links {
		perByte += float64(float64(count) * (8000 / n.outline.Links[class].Gbps))
	}
	short := Picoseconds(float64(n.Missing(flow)) * perByte)
	if psn < links {
		return short
	}
	perBit := 1000 / n.HostGbps()
	own := Picoseconds(float64(8*(int64(n.spec.MTU)-n.Missing(flow))) * perBit)
	// Slots round the time between two packets down. A full packet takes its own time, and on links that do not count
	// bytes every packet is full and takes its time on the slowest stage.
	gap, least := since(psn-links), 0.0
	switch {
	case !n.CountsBytes():
		least = float64(links) * n.PacketTime(flow)
	case n.spec.Packets(n.spec.Workload.Flows[flow].Bytes) > int64(links):
		least = float64(8*n.spec.MTU) * perBit
	}
	return max(0, min(short, max(gap, Picoseconds(least))-own))
}

// Missing returns how many bytes shorter a flow's last packet is than a full one.
func (n *Network) Missing(flow int32) int64 {
	bytes := n.spec.Workload.Flows[flow].Bytes
	return int64(n.spec.PayloadBytes())*n.spec.Packets(bytes) - bytes
}

// skipIdle moves to the next slot in which something happens or a bucket of the trace ends. It does so only if
// nothing has moved for so long that no packet can still be on a link.
func (r *Run) skipIdle() {
	if int64(r.slot) <= int64(r.active)+int64(r.net.buffers)*int64(r.net.epoch) {
		return
	}
	next := min(r.net.horizon-1, r.scriptSlot())
	if r.trace != nil {
		next = min(next, r.slot-r.slot%r.trace.slots+r.trace.slots-1)
	}
	for i := range r.tiles {
		t := &r.tiles[i]
		if t.hosts != nil {
			next = min(next, t.hosts.Due())
		}
		if t.change < len(t.changes) {
			next = min(next, t.changes[t.change].slot)
		}
	}
	r.slot = max(r.slot, next)
	r.play()
}

// Slot returns the slot that [Run.Step] runs next. O(1).
func (r *Run) Slot() int { return int(r.slot) }

// Unfinished returns the number of flows that have not finished. O(1).
func (r *Run) Unfinished() int { return r.left }

// QueueLength returns the number of packets in the queue of a port, numbered as in [Network.Ports].
func (r *Run) QueueLength(port int) int { return int(r.ports[port].count) }

// inside returns the number of packets in queues and on links.
func (r *Run) inside() int64 {
	var total int64
	for i := range r.ports {
		total += int64(r.ports[i].count)
	}
	total += r.underWay(r.slot)
	for i := range r.tiles {
		t := &r.tiles[i]
		total += t.uplink[0].count() + t.downlink[0].count()
	}
	return total
}

// Result returns the outcome of the run so far, for callers that advance it by [Run.Step]. Its Flows change with
// the run until the next one begins. The error says that packets are not conserved, which is a fault of the
// program. O(ports + flows).
func (r *Run) Result() (*Result, error) {
	result := Result{Counts: r.total()}
	var reorder [mostReorder + 1]int64
	deepest := 0
	for i := range r.workers {
		for depth, count := range r.workers[i].reorder {
			if reorder[depth] += count; count > 0 {
				deepest = max(deepest, depth)
			}
		}
	}
	result.reorder = slices.Clone(reorder[:deepest+1]) // callers keep thousands of results
	result.Flows = r.result.Flows
	result.Inside = r.inside()
	result.Slots = int64(r.slot)
	if r.left == 0 {
		result.Slots = 0
		for i := range r.workers {
			result.Slots = max(result.Slots, int64(r.workers[i].lastEnd)+1)
		}
	}
	gone := result.Dropped + result.Trimmed + result.Lost + result.Corrupted
	if out := result.Delivered + result.Answered + gone + result.Inside; out != result.Sent+result.Probes {
		return nil, fmt.Errorf("fattree: %d packets were sent but %d are accounted for (does the Transport count Sent?)", result.Sent+result.Probes, out)
	}
	return &result, nil
}
