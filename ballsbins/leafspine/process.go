package leafspine

import (
	"repslab/faults"
	"repslab/internal/must"
	"repslab/mc"
)

// Process is one run. [New] makes it, Reset begins a run, Advance runs slots. It is not safe for concurrent use.
type Process struct {
	cfg                   Config
	n, leaves, hosts, fan int
	up, down              []queue // by leaf and spine; by spine and leaf
	last                  []int32 // packets at the port to a host
	begin                 []int   // first slot of a host
	pairs                 []int32 // the permutation
	random                mc.Rand
	open                  Opener
	choose                Chooser
	longest               int
	slot                  int   // slots run since Reset
	wrong                 error // of Config.Own
	busy                  bool  // a rule may be running
}

// queue is a first-in first-out queue of packets, which are their destinations.
type queue struct {
	ring        []int32 // a power of two of places
	head, count uint32
}

// push adds a packet and returns the new length.
func (q *queue) push(destination int32) int {
	if int(q.count) == len(q.ring) {
		grown := make([]int32, max(4, 2*len(q.ring)))
		for i := range q.ring {
			grown[i] = q.ring[(int(q.head)+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.count)&uint32(len(q.ring)-1)] = destination
	q.count++
	return int(q.count)
}

// pop removes the oldest packet; the queue must not be empty.
func (q *queue) pop() int32 {
	destination := q.ring[q.head]
	q.head = (q.head + 1) & uint32(len(q.ring)-1)
	q.count--
	return destination
}

// New returns the process that cfg describes, at the start of a run on the zero stream, or the faults of cfg, one of
// which is an Own that returns nil. Reset begins a run on another stream. It takes some 100 bytes for each host and 4
// for each packet that waits, and for AllToAll N² for DestinationDrawn.
func New(cfg Config) (*Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	p := &Process{cfg: cfg, n: cfg.spines(), leaves: cfg.Ports, hosts: cfg.hosts(), fan: cfg.fan(), open: cfg.Own}
	if p.open == nil {
		p.open = RuleOf(cfg.Rule).open
	}
	p.up, p.down = make([]queue, p.hosts), make([]queue, p.hosts)
	p.last, p.begin = make([]int32, p.hosts), make([]int, p.hosts)
	if err := p.reset(mc.Stream{}); err != nil {
		return nil, err
	}
	return p, nil
}

// Reset empties the queues, draws the permutation and the starts of hosts, and begins a run that draws from stream.
// O(N), and O(N D) for DestinationDrawn. It panics if Config.Own returns nil or calls it.
func (p *Process) Reset(stream mc.Stream) {
	p.mustBeMade()
	must.Be(!p.busy, "leafspine: Reset", "must not be called by a rule")
	if err := p.reset(stream); err != nil {
		panic(err)
	}
}

// reset is Reset with an error.
func (p *Process) reset(stream mc.Stream) error {
	for _, queues := range [][]queue{p.up, p.down} {
		for i := range queues {
			queues[i].count = 0
		}
	}
	clear(p.last)
	p.random, p.longest, p.slot, p.wrong = stream.Rand(), 0, 0, nil
	p.pairs = permutation(p.hosts, &p.random)
	for i := range p.begin {
		p.begin[i] = int(p.random.Below(uint64(p.cfg.Spread) + 1))
	}
	p.busy = true
	defer func() { p.busy = false }()
	p.choose = p.open(p)
	switch {
	case p.choose == nil:
		return faults.New("leafspine", "Own", nil, "must return a function")
	case p.cfg.Own != nil:
		p.choose = p.checked(p.choose)
	}
	return nil
}

// checked returns a chooser that notes a choice out of range and takes spine 0 in its place.
func (p *Process) checked(choose Chooser) Chooser {
	return func(q Packet) int {
		spine := choose(q)
		if spine < 0 || spine >= p.n {
			p.wrong = faults.New("leafspine", "Own", spine, "must return a spine in [0, %d]", p.n-1)
			return 0
		}
		return spine
	}
}

// mustBeMade panics for the zero value.
func (p *Process) mustBeMade() { must.BeMade(p.open != nil, "leafspine: Process", "New") }

// Spines returns n, the number of spines and of the hosts and uplinks of a leaf.
func (p *Process) Spines() int {
	p.mustBeMade()
	return p.n
}

// Hosts returns N. Host h is at the leaf h / n.
func (p *Process) Hosts() int {
	p.mustBeMade()
	return p.hosts
}

// Queue returns the number of packets that wait at the uplink to a spine, in [0, n), of the leaf of a host, in [0, N).
// It panics if a number is out of range.
func (p *Process) Queue(host, spine int) int {
	p.mustBeMade()
	must.BeIn("leafspine: Queue", "host", host, 0, p.hosts-1)
	must.BeIn("leafspine: Queue", "spine", spine, 0, p.n-1)
	return int(p.uplinks(host)[spine].count)
}

// Random returns the random numbers of the run, from which rules draw.
func (p *Process) Random() *mc.Rand {
	p.mustBeMade()
	return &p.random
}

// Drawn returns a spine, drawn uniformly from Random.
func (p *Process) Drawn() int {
	p.mustBeMade()
	return int(p.random.Below(uint64(p.n)))
}

// Longest returns the longest queue of any port in any slot since Reset, packets.
func (p *Process) Longest() int {
	p.mustBeMade()
	return p.longest
}

// UplinkTotal returns the number of packets that wait at all N uplinks now. O(N).
func (p *Process) UplinkTotal() int {
	p.mustBeMade()
	sum := 0
	for i := range p.up {
		sum += int(p.up[i].count)
	}
	return sum
}

// Advance runs slots. O(slots N), and n times as much by the shortest queue. It panics if slots is not in
// [0, MaxSpread+MaxPackets], and if Config.Own chooses no spine or calls it.
func (p *Process) Advance(slots int) {
	p.mustBeMade()
	must.Be(!p.busy, "leafspine: Advance", "must not be called by a rule")
	must.BeIn("leafspine: Advance", "slots", slots, 0, MaxSpread+MaxPackets)
	if err := p.advance(slots); err != nil {
		panic(err)
	}
}

// advance is Advance with an error.
func (p *Process) advance(slots int) error {
	p.busy = true
	defer func() { p.busy = false }()
	for range slots {
		p.step()
	}
	return p.wrong
}

// uplinks returns the queues of the uplinks of a host's leaf.
func (p *Process) uplinks(host int) []queue { return p.up[host/p.n*p.n:][:p.n] }

// step runs a slot: ports send, the last stage first, so that a packet moves one stage; then hosts send.
func (p *Process) step() {
	for i := range p.last {
		p.last[i] = max(0, p.last[i]-1)
	}
	for i := range p.down {
		if q := &p.down[i]; q.count > 0 {
			p.deliver(q.pop())
		}
	}
	for i := range p.up {
		if q := &p.up[i]; q.count > 0 {
			destination := q.pop()
			spine, leaf := i%p.n, int(destination)/p.n
			p.longest = max(p.longest, p.down[spine*p.leaves+leaf].push(destination))
		}
	}
	for host := range p.hosts {
		if number := p.slot - p.begin[host]; number >= 0 {
			p.send(host, number)
		}
	}
	p.slot++
}

// send sends a packet of a host.
func (p *Process) send(host, number int) {
	destination := p.cfg.destination(host, number, p.pairs)
	if destination/p.n == host/p.n {
		p.deliver(int32(destination))
		return
	}
	spine := p.choose(Packet{host, destination, number, number % p.fan, number / p.fan})
	p.longest = max(p.longest, p.uplinks(host)[spine].push(int32(destination)))
}

// deliver adds a packet to the port of its destination.
func (p *Process) deliver(destination int32) {
	p.last[destination]++
	p.longest = max(p.longest, int(p.last[destination]))
}
