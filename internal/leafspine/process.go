package leafspine

import (
	"context"
	"math/bits"

	"repslab/mc"
)

// Observation holds the queues after m slots.
type Observation struct {
	Packets int     // m, a power of two: after m + Config.Spread slots, every host has sent m packets or more
	Longest int     // longest queue of any port in any slot so far, packets
	Uplink  float64 // mean queue of the uplinks, packets
}

// process is a run.
type process struct {
	Config
	n, leaves, hosts, fan int
	up, down              []queue // by leaf and spine; by spine and leaf
	last                  []int32 // packets at the port to a host
	begin                 []int   // first slot of a host
	pairs                 []int32 // the permutation
	random                mc.Rand
	choose                chooser
	longest               int
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

// Run returns an exact realisation of the process on a stream, observed at m = 1, 2, 4, ... packets up to the given
// number, at least 1. It returns the faults of cfg and the error of a cancelled ctx. O(packets N), and n times as
// much by the shortest queue. It takes some 100 bytes for each host, and for AllToAll N for DestinationDrawn.
func Run(ctx context.Context, cfg Config, stream mc.Stream, packets int) ([]Observation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p := newProcess(cfg.WithDefaults(), stream)
	var list []Observation
	for slot := range cfg.Spread + packets {
		if slot%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.step(slot)
		if m := slot + 1 - cfg.Spread; m > 0 && bits.OnesCount(uint(m)) == 1 {
			list = append(list, Observation{m, p.longest, p.meanUplink()})
		}
	}
	return list, nil
}

// newProcess returns a run before its first slot.
func newProcess(cfg Config, stream mc.Stream) *process {
	p := &process{Config: cfg, n: cfg.spines(), leaves: cfg.Ports, hosts: cfg.hosts(), fan: cfg.fan(), random: stream.Rand()}
	p.up, p.down = make([]queue, p.hosts), make([]queue, p.hosts)
	p.last, p.begin = make([]int32, p.hosts), make([]int, p.hosts)
	p.pairs = permutation(p.hosts, &p.random)
	for i := range p.begin {
		p.begin[i] = int(p.random.Below(uint64(cfg.Spread) + 1))
	}
	for _, r := range Rules() {
		if r.Rule == cfg.Rule {
			p.choose = r.open(p)
		}
	}
	return p
}

// uplinks returns the queues of the uplinks of a host's leaf.
func (p *process) uplinks(host int) []queue { return p.up[host/p.n*p.n:][:p.n] }

// step runs a slot: ports send, the last stage first, so that a packet moves one stage; then hosts send.
func (p *process) step(slot int) {
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
		if number := slot - p.begin[host]; number >= 0 {
			p.send(host, number)
		}
	}
}

// send sends a packet of a host.
func (p *process) send(host, number int) {
	destination := p.destination(host, number, p.pairs)
	if destination/p.n == host/p.n {
		p.deliver(int32(destination))
		return
	}
	spine := p.choose(packet{host, destination, number, number % p.fan, number / p.fan})
	p.longest = max(p.longest, p.up[host/p.n*p.n+spine].push(int32(destination)))
}

// deliver adds a packet to the port of its destination.
func (p *process) deliver(destination int32) {
	p.last[destination]++
	p.longest = max(p.longest, int(p.last[destination]))
}

// meanUplink returns the mean queue of the uplinks.
func (p *process) meanUplink() float64 {
	sum := 0
	for i := range p.up {
		sum += int(p.up[i].count)
	}
	return float64(sum) / float64(len(p.up))
}
