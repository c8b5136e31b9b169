package recycled

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// perFlow is the per-flow process: n senders with rings, one switch. The k-th uniform draw of flow f is
// the k-th draw of the child stream f, whatever the other flows do, so that another model of the same
// switch can have the same loads in every round. A ball is identified by its flow.
type perFlow struct {
	flowSwitch
	rings bins.Rings // a model of the cache of package reps, without its code

	inFlight []int32 // balls of each flow thrown and not yet back

	draws  []mc.Rand // one for each flow
	losses *mc.Rand  // decides which throws are lost
}

func newPerFlow(cfg Config) *perFlow {
	return &perFlow{
		flowSwitch: newFlowSwitch(cfg),
		rings:      bins.NewRings(cfg.Bins, cfg.Ring),
		inFlight:   make([]int32, cfg.Bins),
		draws:      make([]mc.Rand, cfg.Bins),
		losses:     new(mc.Rand),
	}
}

// Reset empties bins and rings and begins the run of a stream.
func (p *perFlow) Reset(stream mc.Stream) {
	p.clear(stream)
	p.rings.Reset()
	clear(p.inFlight)
	for f := range p.draws {
		p.draws[f] = stream.Child(uint64(f)).Rand()
	}
	*p.losses = stream.Child(uint64(len(p.draws))).Rand()
	starts := stream.Child(uint64(len(p.draws) + 1)).Rand()
	p.cfg.start(&starts, func(bin, ball uint32) {
		flow := ball % uint32(len(p.draws))
		p.inFlight[flow]++
		p.push(bin, flow)
	})
	p.Moved(0, p.cfg.Balls)
}

// Step advances the process by one round, O(n) time.
func (p *perFlow) Step() { p.round(p) }

func (p *perFlow) deliver() {
	due := p.due(0)
	for _, back := range *due {
		p.inFlight[back.ball]--
		if back.bin != nothing {
			p.rings.Put(back.ball, back.bin)
		}
	}
	*due = (*due)[:0]
}

func (p *perFlow) throw(from, to int) (all, random int) {
	n, added := uint64(len(p.draws)), 0
	for f := from; f < to; f++ {
		flow := uint32(f)
		if p.cfg.Window > 0 && int(p.inFlight[flow]) >= p.cfg.Window {
			continue
		}
		all++
		bin, ok := p.rings.Take(flow)
		if !ok {
			bin = uint32(p.draws[flow].Below(n))
			random++
		}
		if p.cfg.Lambda < 1 && p.losses.Float64() >= p.cfg.Lambda {
			continue
		}
		p.inFlight[flow]++
		p.push(bin, flow)
		added++
	}
	p.Moved(0, added)
	return all, random
}

// Advance advances the process by a number of rounds.
func (p *perFlow) Advance(rounds int) { advance(p, rounds) }
