package coalescing

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// perFlow is the process of n senders with rings, without a delay and without a
// window: the process of package recycled, except for the acknowledgements. A round costs
// O(n). Bins serve, and flows throw, in cyclic order that begins at (round mod n);
// the k-th uniform draw of flow f is the k-th draw of the child stream f.
type perFlow struct {
	ports
	rings bins.Rings
	used  []uint32 // throws that the oldest entry of a flow's ring has served
	uses  uint32   // throws that an entry serves

	draws []mc.Rand // one for each flow
}

func newPerFlow(cfg Config) *perFlow {
	return &perFlow{
		ports: newPorts(cfg),
		rings: bins.NewRings(cfg.Bins, cfg.Ring),
		used:  make([]uint32, cfg.Bins),
		uses:  cfg.uses(),
		draws: make([]mc.Rand, cfg.Bins),
	}
}

// Reset empties bins and rings and begins the run of a stream.
func (p *perFlow) Reset(stream mc.Stream) {
	p.ports.reset()
	p.rings.Reset()
	clear(p.used)
	for f := range p.draws {
		p.draws[f] = stream.Child(uint64(f)).Rand()
	}
}

// Step advances the process by one round.
func (p *perFlow) Step() {
	n := len(p.draws)
	first := uint32((p.Round() + 1) % n)
	p.serveAll(first, uint32(n))
	p.serveAll(0, first)
	p.EndRound(n, p.throw(first, uint32(n))+p.throw(0, first))
}

// serveAll removes the heads of bins [from, to) and puts the bins of good balls into the rings of their
// flows.
func (p *perFlow) serveAll(from, to uint32) {
	flows := uint32(len(p.draws))
	for bin := from; bin < to; bin++ {
		for _, l := range p.serve(bin, flows) {
			if l.bin != unknown && p.rings.Put(l.ball, l.bin) {
				p.used[l.ball] = 0 // the oldest entry was dropped
			}
		}
	}
}

// throw throws one ball for each of the flows [from, to) and returns the number of random throws.
func (p *perFlow) throw(from, to uint32) (random int) {
	n := uint64(len(p.draws))
	for flow := from; flow < to; flow++ {
		bin, ok := p.rings.Oldest(flow)
		if !ok {
			bin = uint32(p.draws[flow].Below(n))
			random++
		} else if p.used[flow]++; p.used[flow] == p.uses {
			p.rings.Take(flow)
			p.used[flow] = 0
		}
		p.Throw(bin, flow)
	}
	return random
}
