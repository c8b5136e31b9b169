package coalescing

import (
	"repslab/internal/bins"
)

// ports are the bins of a process whose balls have a sender: their queues and statistics,
// and the acknowledgements of their balls.
type ports struct {
	counts
	queues bins.Queues
	acks   acks
}

func newPorts(cfg Config) ports {
	return ports{
		queues: bins.NewQueues(cfg.Bins, min(2*cfg.Threshold, 64)),
		acks:   newAcks(cfg),
		counts: newCounts(cfg),
	}
}

// reset empties all bins.
func (p *ports) reset() {
	p.queues.Reset()
	p.acks.reset()
	p.counts.reset()
}

// remove takes the head out of a bin that may be empty or not serve, whose balls belong to
// flow ball mod flows, and returns what that flow learns now.
func (p *ports) remove(bin, flows uint32) []lesson {
	load := p.queues.Load(int(bin))
	if load == 0 || p.rests(bin) {
		return nil
	}
	l := lesson{p.queues.Pop(bin), unknown}
	if !p.removed(load) {
		l.bin = bin
	}
	return p.acks.remove(l.ball%flows, l)
}

// add throws a ball into a bin.
func (p *ports) add(bin, ball uint32) {
	if p.queues.Full(bin) {
		p.queues.Grow()
	}
	p.added(p.queues.Push(bin, ball))
}

// Load returns the balls in a bin.
func (p *ports) Load(bin int) int { return int(p.queues.Load(bin)) }
