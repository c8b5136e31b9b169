package crosscheck

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// continuous is a tree of two tiers in continuous time: a second program of the rules of package fattree,
// with the DCTCP variant and without trimming, that shares no code with the slotted one. Times are in
// picoseconds, sizes in bytes.
type continuous struct {
	hostsPerToR, uplinks int
	lb                   string // as balancerOf names it
	turns                bool   // a NIC sends ten headers for each packet while both wait

	random  *rand.Rand
	now     int64
	planned int64
	events  events
	nics    []nic
	ports   [][]outPort // by switch, ToRs first: uplinks, then hosts; of a spine: ToRs
	salts   []uint64    // by ToR
	orders  [][]int     // by ToR: its uplinks
	flows   []connection
}

// The authors' links and queues.
const (
	packetBytes, headerBytes       = 4150, 64
	byteTime, linkLatency          = 20, 1_000_000
	queueBytes                     = 101 * packetBytes
	kminBytes, kmaxBytes           = 25 * packetBytes, 76 * packetBytes
	baseRTT                  int64 = 8*linkLatency + 4*(packetBytes+headerBytes)*byteTime
	localRTT                       = baseRTT - 4*linkLatency
	timeout                        = baseRTT + 4*queueBytes*byteTime
)

// parcel is a packet or its ACK.
type parcel struct {
	flow, psn, size int
	ev              uint16
	ack, marked     bool
	sum, all        int // of an ACK: packets without a gap, bytes received
}

// outPort is a switch's port: headers, then packets, the first of which may be on the link.
type outPort struct {
	queues  [2][]*parcel
	bytes   [2]int
	serving int // 1 + the queue whose first parcel is on the link
	to      int // a host, or the complement of a switch
}

// nic is a host's link.
type nic struct {
	headers []*parcel
	line    []int // flows that want to send
	busy    bool
	turn    int // of eleven, counted while headers and flows wait
}

// connection is a flow: sender, receiver and the ring of REPS.
type connection struct {
	from, to      int
	start, end    int64
	packets, last int // their number; the size of the last one
	next          int
	lost          []int // in order
	sentAt        []int64
	inLine, done  bool
	window, most  float64
	inFlight      float64
	told          int // bytes received, by the ACKs
	have          []bool
	sum, all      int
	ring          [8]uint16
	valid         [8]bool
	head, fresh   int
	key           uint64
}

// event is what happens at a time.
type event struct {
	at, number int64
	do         func()
}

// events is a heap: events of one time happen in the order in which they were planned.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].number, e[j].number)) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// after plans an event.
func (c *continuous) after(delay int64, do func()) {
	c.planned++
	heap.Push(&c.events, event{c.now + delay, c.planned, do})
}

// run returns the flow completion times of a workload, in order.
func (c *continuous) run(w fattree.Workload, hosts int, seed uint64) (fcts []fattree.Picoseconds) {
	c.random = rand.New(rand.NewPCG(seed, 1))
	c.nics = make([]nic, hosts)
	tors := hosts / c.hostsPerToR
	for tor := range tors {
		var ports []outPort
		for spine := range c.uplinks {
			ports = append(ports, outPort{to: ^(tors + spine)})
		}
		for i := range c.hostsPerToR {
			ports = append(ports, outPort{to: tor*c.hostsPerToR + i})
		}
		c.ports = append(c.ports, ports)
		c.salts = append(c.salts, c.random.Uint64())
		c.orders = append(c.orders, c.random.Perm(c.uplinks))
	}
	for range c.uplinks {
		var ports []outPort
		for tor := range tors {
			ports = append(ports, outPort{to: ^tor})
		}
		c.ports = append(c.ports, ports)
	}
	for number, flow := range w.Flows {
		const payload = packetBytes - headerBytes
		f := connection{
			from: int(flow.Source), to: int(flow.Destination), start: int64(flow.Start),
			window: 151 * packetBytes, key: c.random.Uint64(),
		}
		f.packets = int((flow.Bytes + payload - 1) / payload)
		f.last = int(flow.Bytes) - (f.packets-1)*payload + headerBytes
		f.sentAt, f.have = slices.Repeat([]int64{-1}, f.packets), make([]bool, f.packets)
		rtt := baseRTT
		if f.from/c.hostsPerToR == f.to/c.hostsPerToR {
			rtt = localRTT
		}
		f.most = 1.5 * float64(rtt) / byteTime
		c.flows = append(c.flows, f)
		c.after(f.start, func() { c.offer(number) })
	}
	for len(c.events) > 0 {
		e := heap.Pop(&c.events).(event)
		c.now = e.at
		e.do()
	}
	for i := range c.flows {
		fcts = append(fcts, fattree.Picoseconds(c.flows[i].end-c.flows[i].start))
	}
	slices.Sort(fcts)
	return fcts
}

// size returns the bytes of a packet.
func (f *connection) size(psn int) int {
	if psn == f.packets-1 {
		return f.last
	}
	return packetBytes
}

// maySend reports whether a flow has something to send and room in its window.
func (f *connection) maySend() bool {
	return !f.done && (len(f.lost) > 0 || f.next < f.packets) && f.inFlight < f.window
}

// offer puts a flow in its host's line if it may send.
func (c *continuous) offer(number int) {
	f := &c.flows[number]
	if f.maySend() && !f.inLine {
		f.inLine = true
		n := &c.nics[f.from]
		n.line = append(n.line, number)
	}
	c.serveHost(f.from)
}

// serveHost lets an idle NIC send a header or the packet of a flow.
func (c *continuous) serveHost(host int) {
	n := &c.nics[host]
	if n.busy {
		return
	}
	headers := len(n.headers) > 0
	if headers && len(n.line) > 0 && c.turns {
		n.turn = (n.turn + 1) % 11
		headers = n.turn != 0
	}
	if headers {
		p := n.headers[0]
		n.headers = n.headers[1:]
		c.leave(host, p)
		return
	}
	for len(n.line) > 0 {
		number := n.line[0]
		n.line = n.line[1:]
		f := &c.flows[number]
		f.inLine = false
		if f.maySend() {
			p := c.send(number, f)
			if f.maySend() {
				f.inLine = true
				n.line = append(n.line, number)
			}
			c.leave(host, p)
			return
		}
	}
}

// leave puts a parcel on a host's link.
func (c *continuous) leave(host int, p *parcel) {
	took := int64(p.size * byteTime)
	c.nics[host].busy = true
	c.after(took, func() { c.nics[host].busy = false; c.serveHost(host) })
	c.after(took+linkLatency, func() { c.arrive(host/c.hostsPerToR, p) })
}

// send makes a packet of a flow: the first lost one, else a new one.
func (c *continuous) send(number int, f *connection) *parcel {
	psn := f.next
	if len(f.lost) > 0 {
		psn, f.lost = f.lost[0], f.lost[1:]
	} else {
		f.next++
	}
	p := &parcel{flow: number, psn: psn, size: f.size(psn), ev: uint16(c.random.IntN(65535))}
	if c.lb == "freezing" && f.fresh > 0 {
		oldest := (f.head - f.fresh + 8) % 8
		p.ev, f.valid[oldest] = f.ring[oldest], false
		f.fresh--
	}
	f.inFlight += float64(p.size)
	sent := c.now
	f.sentAt[psn] = sent
	c.after(timeout, func() {
		if f := &c.flows[number]; f.sentAt[psn] == sent {
			f.sentAt[psn] = -1
			f.inFlight -= float64(f.size(psn))
			f.window = max(f.window-float64(f.size(psn)), packetBytes)
			at, _ := slices.BinarySearch(f.lost, psn)
			f.lost = slices.Insert(f.lost, at, psn)
			c.offer(number)
		}
	})
	return p
}

// arrive lets a switch choose a parcel's port, whose queue it joins when all else of that instant has come.
func (c *continuous) arrive(sw int, p *parcel) {
	f := &c.flows[p.flow]
	to := f.to
	if p.ack {
		to = f.from
	}
	tor, port := to/c.hostsPerToR, 0
	switch {
	case sw >= len(c.salts):
		port = tor
	case sw == tor:
		port = c.uplinks + to%c.hostsPerToR
	case c.lb == "nvidia":
		port = slices.MinFunc(c.orders[sw], func(i, j int) int {
			a, b := &c.ports[sw][i], &c.ports[sw][j]
			return cmp.Compare(a.bytes[0]+a.bytes[1], b.bytes[0]+b.bytes[1])
		})
	default:
		draw := rand.NewPCG(f.key^uint64(p.ev), c.salts[sw])
		port = int(draw.Uint64() % uint64(c.uplinks))
	}
	c.after(0, func() { c.join(&c.ports[sw][port], p) })
}

// join puts a parcel into a queue. If packets fill it, a fair coin lets either the parcel or the last one
// through.
func (c *continuous) join(o *outPort, p *parcel) {
	sort := 1
	if p.ack {
		sort = 0
	}
	if sort == 1 && o.bytes[1]+p.size > queueBytes {
		if c.random.IntN(2) == 0 {
			return
		}
		last := len(o.queues[1]) - 1
		o.bytes[1] -= o.queues[1][last].size
		o.queues[1] = o.queues[1][:last]
	}
	o.queues[sort] = append(o.queues[sort], p)
	o.bytes[sort] += p.size
	if o.serving == 0 {
		c.serve(o)
	}
}

// serve lets a port send headers first.
func (c *continuous) serve(o *outPort) {
	sort := 0
	if len(o.queues[0]) == 0 {
		sort = 1
	}
	o.serving = 1 + sort
	c.after(int64(o.queues[sort][0].size*byteTime), func() {
		p := o.queues[sort][0]
		o.queues[sort] = o.queues[sort][1:]
		o.bytes[sort] -= p.size
		left := float64(o.bytes[1]-kminBytes) / (kmaxBytes - kminBytes)
		if sort == 1 && c.random.Float64() < left {
			p.marked = true
		}
		c.after(linkLatency, func() {
			switch {
			case o.to < 0:
				c.arrive(^o.to, p)
			case p.ack:
				c.takeAck(p)
			default:
				c.receive(p)
			}
		})
		o.serving = 0
		if len(o.queues[0])+len(o.queues[1]) > 0 {
			c.serve(o)
		}
	})
}

// receive answers a packet with an ACK.
func (c *continuous) receive(p *parcel) {
	f := &c.flows[p.flow]
	if !f.have[p.psn] {
		f.have[p.psn] = true
		f.all += p.size
		for f.sum < f.packets && f.have[f.sum] {
			f.sum++
		}
	}
	ack := *p
	ack.ack, ack.size, ack.sum, ack.all = true, headerBytes, f.sum, f.all
	n := &c.nics[f.to]
	n.headers = append(n.headers, &ack)
	c.serveHost(f.to)
}

// takeAck is congestion control and REPS.
func (c *continuous) takeAck(p *parcel) {
	f := &c.flows[p.flow]
	acked := float64(max(0, p.all-f.told))
	f.told = max(f.told, p.all)
	f.inFlight -= acked
	if at, lost := slices.BinarySearch(f.lost, p.psn); lost {
		f.lost = slices.Delete(f.lost, at, at+1)
		f.inFlight += float64(f.size(p.psn))
	}
	f.sentAt[p.psn] = -1
	if p.marked {
		f.window = max(f.window-acked/4, packetBytes)
	} else {
		f.window = min(f.window+acked*packetBytes/f.window, f.most)
		if !f.valid[f.head] {
			f.fresh++
		}
		f.ring[f.head], f.valid[f.head] = p.ev, true
		f.head = (f.head + 1) % 8
	}
	if p.sum == f.packets && !f.done {
		f.done, f.end = true, c.now
	}
	c.offer(p.flow)
}

// TestContinuousTime: a program in continuous time has the mean completion times of the slotted one, of a
// permutation of 32 hosts whose flows start within 20 us: within 0.3 % under REPS and OPS, 1 % under adaptive
// RoCE, and 5 standard errors, a false alarm in 10^6. Adaptive RoCE needs REPSLAB_LONG=1, with which messages are long
// enough to see
// that NICs without turns would make adaptive RoCE slower.
func TestContinuousTime(t *testing.T) {
	cases, bytes := []turnsOf{{"freezing", true, 4}, {"oblivious", true, 4}}, int64(mib)
	if os.Getenv("REPSLAB_LONG") != "" {
		cases, bytes = []turnsOf{{"freezing", true, 20}, {"oblivious", true, 20}, {"nvidia", true, 60}, {"nvidia", false, 60}}, 4*mib
	}
	w := flowList(t, "perm_n32_s8388608.cm")
	starts := rand.New(rand.NewPCG(1, 2))
	for i := range w.Flows {
		w.Flows[i].Bytes, w.Flows[i].Start = bytes, fattree.Picoseconds(starts.Int64N(20_000)*1000)
	}
	network, err := fattree.Build(fattree.Spec{
		Topology: topology.FatTree{Hosts: 32, HostsPerToR: 4, UplinksPerToR: 4}, Workload: w,
		DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76,
	})
	run := transport.NewRun(must(t, network, err))
	for _, c := range cases {
		var slotted, timed mc.Moments
		for seed := range c.runs {
			balancer := balancerOf(t, c.lb, evSets{})
			result, err := run.Execute(context.Background(), balancer, congestion.DCTCP{}, fattree.NewStreams(1, seed))
			if err != nil {
				t.Fatal(err)
			}
			slotted.Add(int64(fattree.Mean(result.FCTs())))
			second := continuous{hostsPerToR: 4, uplinks: 4, lb: c.lb, turns: c.turns}
			timed.Add(int64(fattree.Mean(second.run(w, 32, seed))))
		}
		ours, theirs := slotted.Mean(mc.DefaultConfidence).Per(1e6), timed.Mean(mc.DefaultConfidence).Per(1e6)
		noise, bound := 5*math.Hypot(ours.StdErr, theirs.StdErr), 0.003*theirs.Value
		if c.lb == "nvidia" {
			bound = 0.01 * theirs.Value
		}
		t.Logf("%s, turns %v: %.2f us, in continuous time %.2f us", c.lb, c.turns, ours, theirs)
		if math.Abs(ours.Value-theirs.Value) > bound+noise == c.turns {
			t.Errorf("%s, turns %v: the difference of %.2f us is wrong for a bound of %.2f and noise of %.2f", c.lb, c.turns, ours.Value-theirs.Value, bound, noise)
		}
	}
}

// turnsOf is a case of [TestContinuousTime].
type turnsOf struct {
	lb    string
	turns bool
	runs  uint64
}
