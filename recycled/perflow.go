package recycled

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// perFlow is the per-flow process: n senders with rings, one switch. A round
// costs O(n). Bins serve, and flows throw, in cyclic order that begins at (round
// mod n); the k-th uniform draw of flow f is the k-th draw of the child stream f,
// whatever the other flows do, so that another model of the same switch can be
// equal to this one, load by load.
type perFlow struct {
	cfg    Config
	queues bins.Queues
	ports  bins.Ports
	rings  bins.Rings // the theory's own model of the cache in package reps

	inFlight  []int32   // balls of a flow thrown and not yet back
	returning [][]reply // the balls that come back at round r: returning[r mod (d+1)]

	draws   []mc.Rand // of the flows
	losses  mc.Rand   // decides which throws are lost
	balls   int64
	maxLoad uint32

	round       int
	all, random int64 // throws
}

// reply is a removed ball on its way back to its flow.
type reply struct {
	flow uint32
	bin  uint32 // of a good ball; nothing for another
}

func newPerFlow(cfg Config) *perFlow {
	p := &perFlow{
		cfg:       cfg,
		queues:    bins.NewQueues(cfg.Bins, min(2*cfg.Threshold, 64)),
		ports:     bins.NewPorts(cfg.Bins),
		rings:     bins.NewRings(cfg.Bins, cfg.Ring),
		inFlight:  make([]int32, cfg.Bins),
		returning: make([][]reply, cfg.Delay+1),
		draws:     make([]mc.Rand, cfg.Bins),
	}
	places := make([]reply, cfg.Bins*(cfg.Delay+1))
	for i := range p.returning {
		p.returning[i] = places[i*cfg.Bins : i*cfg.Bins : (i+1)*cfg.Bins]
	}
	return p
}

func (p *perFlow) Reset(stream mc.Stream) {
	p.queues.Reset()
	p.ports.Reset()
	p.rings.Reset()
	clear(p.inFlight)
	for i := range p.returning {
		p.returning[i] = p.returning[i][:0]
	}
	for f := range p.draws {
		p.draws[f] = stream.Child(uint64(f)).Rand()
	}
	p.losses = stream.Child(uint64(len(p.draws))).Rand()
	p.balls, p.maxLoad = 0, 0
	p.round, p.all, p.random = 0, 0, 0
}

func (p *perFlow) Step() {
	p.round++
	first := p.round % len(p.draws)
	p.serve(first, len(p.draws))
	p.serve(0, first)
	p.deliver()
	p.throw(first, len(p.draws))
	p.throw(0, first)
}

// serve lets bins [from, to) remove their heads.
func (p *perFlow) serve(from, to int) {
	threshold := uint32(p.cfg.Threshold)
	due := &p.returning[(p.round+p.cfg.Delay)%len(p.returning)]
	for bin := from; bin < to; bin++ {
		load := p.queues.Load(bin)
		if load == 0 || p.ports.Rests(bin, p.round) {
			continue
		}
		back := reply{flow: p.queues.Pop(uint32(bin)), bin: nothing}
		if load <= threshold {
			back.bin = uint32(bin)
		}
		*due = append(*due, back)
		p.balls--
	}
}

// deliver brings the balls that are due back to their flows, in the order of
// their removal.
func (p *perFlow) deliver() {
	due := &p.returning[p.round%len(p.returning)]
	for _, back := range *due {
		p.inFlight[back.flow]--
		if back.bin != nothing {
			p.rings.Put(back.flow, back.bin)
		}
	}
	*due = (*due)[:0]
}

// throw lets flows [from, to) throw.
func (p *perFlow) throw(from, to int) {
	n := uint64(len(p.draws))
	for f := from; f < to; f++ {
		flow := uint32(f)
		if p.cfg.Window > 0 && int(p.inFlight[flow]) >= p.cfg.Window {
			continue
		}
		p.all++
		bin, ok := p.rings.Take(flow)
		if !ok {
			bin = uint32(p.draws[flow].Below(n))
			p.random++
		}
		if p.cfg.Lambda < 1 && p.losses.Float64() >= p.cfg.Lambda {
			continue
		}
		p.inFlight[flow]++
		p.balls++
		if p.queues.Full(bin) {
			p.queues.Grow()
		}
		p.maxLoad = max(p.maxLoad, p.queues.Push(bin, flow))
	}
}

func (p *perFlow) Advance(rounds int) {
	for range rounds {
		p.Step()
	}
}

func (p *perFlow) SetPort(bin, every int) { p.ports.Set(bin, every) }

func (p *perFlow) Round() int       { return p.round }
func (p *perFlow) Status() Status   { return Running }
func (p *perFlow) Load(bin int) int { return int(p.queues.Load(bin)) }
func (p *perFlow) Balls() int64     { return p.balls }
func (p *perFlow) MaxLoad() int     { return int(p.maxLoad) }

func (p *perFlow) Throws() (all, random int64) { return p.all, p.random }

func (p *perFlow) ColorRepeated() (repeated, known bool) { return false, false }
