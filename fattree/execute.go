package fattree

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"repslab/mc"
)

// Streams are the random streams of a run.
type Streams struct {
	Salts     mc.Stream // of the switches' hash
	Algorithm mc.Stream // of the balancer, of marks and victims, and of the order of arrivals
}

// Balancer returns the stream that the balancer draws from: child f is flow f's.
func (s Streams) Balancer() mc.Stream { return s.Algorithm.Child(0) }

// NewStreams returns the streams of a replica: the same salts, and for each flow
// the same random words, whatever the balancer.
func NewStreams(seed, replica uint64) Streams {
	return Streams{mc.NewStream(seed, mc.Salts, replica), mc.NewStream(seed, mc.Algorithm, replica)}
}

// Execute runs the network until every flow has finished or the horizon is
// reached. The Result is the caller's; it shares no memory with r. Execute
// returns an error only if ctx, b or c is nil, if ctx is done, if b cuts flows into
// subflows and c has a memory, or if packets are not conserved, which is a fault of the
// program.
func (r *Run) Execute(ctx context.Context, b Balancer, c Control, s Streams) (*Result, error) {
	faults := mc.Faults{Package: "fattree"}
	faults.Check(ctx != nil, "ctx", nil, "must be set")
	faults.Check(b != nil, "b", nil, "must be set: it balances the load")
	faults.Check(c != nil, "c", nil, "must be set: it controls congestion")
	if err := faults.Err(); err != nil {
		return nil, err
	}
	r.Begin(b, c, s)
	if _, memoryless := c.(Memoryless); r.split != nil && !memoryless {
		return nil, refuseMemory(c)
	}
	for r.left > 0 && r.slot < r.net.horizon {
		if r.slot%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Step()
	}
	return r.collect()
}

// Begin prepares a run that [Run.Step] then advances slot by slot, for those who
// want to look at its queues in between; [Run.Execute] does both. b and c must not be nil.
func (r *Run) Begin(b Balancer, c Control, s Streams) {
	r.balance, r.control = b, c
	r.router, _ = b.(Router)
	r.watcher, _ = b.(Watcher)
	r.prober = nil
	if p, ok := b.(Prober); ok && p.Probes() {
		r.prober = p
	}
	b.Reset(r.net, s.Balancer())
	c.Reset(r.net)
	r.measuring = Measures(b) || Measures(c)
	r.grants = r.newGranting(c)
	r.reporting = r.sacking || r.grants != nil
	r.split = r.newSplitting(b)
	r.random = s.Algorithm.Child(1).Rand()
	r.order = s.Algorithm.Child(2).Rand()
	salts := s.Salts.Source()
	for i := range r.salts {
		r.salts[i] = salts.Uint64()
	}
	r.slot, r.now, r.moving, r.change, r.begun = 0, 0, 0, 0, 0
	for i := range r.ports {
		r.ports[i] = port{}
		r.setRate(int32(i), 1)
	}
	clear(r.busy)
	for i := range r.nics {
		r.nics[i] = nic{head: none}
	}
	clear(r.ready)
	r.toSwitch.reset()
	r.toHost.reset()
	r.acks.reset()
	r.reports.reset()
	r.probes.reset()
	r.carrying = r.newCarrying()
	r.timers.reset()
	clear(r.senders)
	clear(r.receivers)
	clear(r.groups)
	r.starts.Reset()
	r.forgetConnections()
	r.later = r.later[:0]
	r.left = len(r.senders)
	r.result = newResult(r.net)
	if r.trace != nil {
		r.trace.reset()
	}
}

// Step runs one slot: ports send, packets arrive, ACKs arrive, time-outs, hosts send. It
// begins with the service that ends the previous slot, so queue lengths seen after Step
// are those before service. It panics before [Run.Begin].
func (r *Run) Step() {
	r.skipIdle()
	r.now = Picoseconds(r.slot) * r.net.slotTime
	r.servePorts()
	r.applyFaults()
	r.arriveAtSwitches()
	r.arriveAtHosts()
	if r.grants != nil {
		r.grant()
	}
	r.arriveAtSenders()
	r.expire()
	r.beginFlows()
	r.serveHosts()
	if r.trace != nil {
		r.trace.sample(r)
	}
	r.slot++
}

// applyFaults changes the ports whose time has come.
func (r *Run) applyFaults() {
	for changes := r.net.faults; r.change < len(changes) && changes[r.change].slot <= r.slot; r.change++ {
		r.setRate(changes[r.change].port, changes[r.change].rate)
		r.result.noteChange(changes[r.change])
	}
}

// setRate gives a port a fraction of its link's rate; 0 is a failed link, which takes
// packets as fast as a healthy one and loses them.
func (r *Run) setRate(id int32, part float64) {
	p := &r.ports[id]
	p.dead = part == 0
	if p.dead {
		part = 1
	}
	p.class = r.net.classOf(part, r.net.rates[id])
	if r.grants != nil && r.net.ports[id].peer < 0 {
		p.class += uint16(len(r.net.classes)) // without marks
	}
}

// orderFlows sorts the flows that no trigger starts by their start.
func (r *Run) orderFlows() {
	r.starts = NewStarter(r.net.spec.Workload)
	flows := r.net.spec.Workload.Flows
	for i := range flows {
		if flows[i].StartedBy == NoTrigger {
			r.byStart = append(r.byStart, int32(i))
		}
	}
	slices.SortStableFunc(r.byStart, func(a, b int32) int { return cmp.Compare(flows[a].Start, flows[b].Start) })
}

// startHeap holds the flows that a trigger starts after a delay, the first to
// start on top.
type startHeap []pendingStart

type pendingStart struct {
	at   Picoseconds
	flow int32
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (h startHeap) Len() int { return len(h) }
func (h startHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].flow < h[j].flow
}
func (h startHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *startHeap) Push(x any)   { *h = append(*h, x.(pendingStart)) }
func (h *startHeap) Pop() any {
	last := len(*h) - 1
	top := (*h)[last]
	*h = (*h)[:last]
	return top
}

// beginFlows starts the flows whose time has come.
func (r *Run) beginFlows() {
	flows := r.net.spec.Workload.Flows
	for r.begun < len(r.byStart) && flows[r.byStart[r.begun]].Start <= r.now {
		flow := r.byStart[r.begun]
		r.begun++
		r.begin(flow, flows[flow].Start)
	}
	for len(r.later) > 0 && r.later[0].at <= r.now {
		p := heap.Pop(&r.later).(pendingStart)
		r.begin(p.flow, p.at)
	}
}

// begin starts a flow.
func (r *Run) begin(flow int32, start Picoseconds) {
	spec := &r.net.spec
	route := &r.net.routes[flow]
	packetTime := float64(spec.MTU) * 8000 / spec.Topology.Access.Gbps
	most := 1.5 * float64(r.net.rtt[route.climb()]) / packetTime
	if spec.Topology.Tiers == 1 {
		most = float64(spec.InitialWindow)
	}
	r.senders[flow] = sender{
		window: Window{Packets: float64(spec.InitialWindow), Most: max(1, most)},
		first:  route.first,
		total:  route.packets,
		after:  none,
	}
	r.result.Flows[flow].Start = start
	from := int32(none)
	if r.heirs != nil {
		from = r.inherit(flow)
	}
	if r.split.cuts(flow) {
		r.split.open(flow, from, &r.senders[flow])
	}
	if r.grants != nil {
		r.grants.Open(&r.senders[flow].window, flow)
	}
	r.offer(flow, &r.senders[flow])
}

// finish notes the end of a flow, whose last ACK is psn's, and starts what it
// triggers.
func (r *Run) finish(flow int32, f *sender, psn int32) {
	end := r.now + r.net.rounding[r.net.routes[flow].climb()]
	if psn == f.total-1 {
		// The last packet is shorter than a slot, on every link of its way.
		end = max(end-r.net.shortage(flow), Picoseconds(f.lastAck)*r.net.slotTime)
	}
	r.result.Flows[flow].End = end
	r.left--
	if r.heirs != nil {
		r.heirs[r.net.pairs[flow]] = flow
	}
	trigger := r.net.spec.Workload.Flows[flow].Fires
	if trigger == NoTrigger {
		return
	}
	for _, next := range r.starts.Fire(trigger) {
		at := r.now + r.net.spec.Workload.Flows[next].Start
		if at == r.now {
			r.begin(next, r.now)
			continue
		}
		heap.Push(&r.later, pendingStart{at, next})
	}
}

// shortage returns the time by which a flow's last packet is faster through all
// links than a full one.
func (n *Network) shortage(flow int32) Picoseconds {
	s := &n.spec
	if s.Topology.Tiers == 1 {
		return 0
	}
	payload := int64(s.PayloadBytes())
	missing := payload*int64(n.routes[flow].packets) - s.Workload.Flows[flow].Bytes
	links := 2 * (int64(n.routes[flow].climb()) + 1)
	return Picoseconds(float64(n.slotTime) * float64(links*missing) / float64(s.MTU))
}

// skipIdle moves to the next slot in which something happens.
func (r *Run) skipIdle() {
	if r.moving > 0 || r.trace != nil || r.anyWork() {
		return
	}
	next := r.net.horizon - 1
	if r.change < len(r.net.faults) {
		next = min(next, r.net.faults[r.change].slot)
	}
	flows := r.net.spec.Workload.Flows
	if r.begun < len(r.byStart) {
		next = min(next, r.net.ceilSlot(flows[r.byStart[r.begun]].Start))
	}
	if len(r.later) > 0 {
		next = min(next, r.net.ceilSlot(r.later[0].at))
	}
	last := min(next, r.slot+int32(len(r.timers.buckets)))
	for r.slot < last && len(r.timers.at(r.slot)) == 0 {
		r.slot++
	}
	if r.slot == last && last < next {
		r.slot = next // the whole wheel was empty
	}
}

// ceilSlot returns the first slot at or after a time.
func (n *Network) ceilSlot(t Picoseconds) int32 {
	return int32(min(int64(n.horizon), (t+n.slotTime-1)/n.slotTime))
}

// anyWork reports whether a port or a host has something to do.
func (r *Run) anyWork() bool {
	if r.grants != nil && r.grants.Granting() {
		return true
	}
	for _, word := range r.ready {
		if word != 0 {
			return true
		}
	}
	for _, word := range r.busy {
		if word != 0 {
			return true
		}
	}
	return false
}

// QueueLength returns the packets in the queue of a port. Ports are numbered
// from 0: down to the hosts, then the other ports down, then those up; with one
// tier by output.
func (r *Run) QueueLength(port int) int { return int(r.ports[port].count) }

// inside returns the packets in queues and on links.
func (r *Run) inside() int64 {
	var total int64
	for i := range r.ports {
		total += int64(r.ports[i].count)
	}
	for _, bucket := range r.toSwitch.buckets {
		total += int64(len(bucket))
	}
	for _, bucket := range r.toHost.buckets {
		total += int64(len(bucket))
	}
	return total
}

// collect checks the books and returns the result.
func (r *Run) collect() (*Result, error) {
	result := r.result
	result.Inside = r.inside()
	result.Slots = int64(r.slot)
	if out := result.Delivered + result.Dropped + result.Trimmed + result.Lost + result.Corrupted + result.Inside; out != result.Sent {
		return nil, fmt.Errorf("fattree: %d packets were sent but %d are accounted for", result.Sent, out)
	}
	result.finish()
	return &result, nil
}
