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
	bins.Counts
	cfg     Config
	queues  bins.Queues
	largest uint32     // load so far
	rings   bins.Rings // the theory's own model of the cache in package reps

	inFlight  []int32   // balls of a flow thrown and not yet back
	returning [][]reply // the balls that come back at round r: returning[r mod (d+1)]

	draws  []mc.Rand // of the flows
	losses *mc.Rand  // decides which throws are lost
}

// reply is a removed ball on its way back to its flow.
type reply struct {
	flow uint32
	bin  uint32 // of a good ball; nothing for another
}

func newPerFlow(cfg Config) *perFlow {
	p := &perFlow{
		Counts:    bins.NewCounts(cfg.Bins, cfg.Threshold),
		cfg:       cfg,
		queues:    bins.NewQueues(cfg.Bins, min(2*cfg.Threshold, 64)),
		rings:     bins.NewRings(cfg.Bins, cfg.Ring),
		inFlight:  make([]int32, cfg.Bins),
		returning: make([][]reply, cfg.Delay+1),
		draws:     make([]mc.Rand, cfg.Bins),
		losses:    new(mc.Rand),
	}
	places := make([]reply, cfg.Bins*(cfg.Delay+1))
	for i := range p.returning {
		p.returning[i] = places[i*cfg.Bins : i*cfg.Bins : (i+1)*cfg.Bins]
	}
	return p
}

// Reset empties bins and rings and begins the run of a stream.
func (p *perFlow) Reset(stream mc.Stream) {
	p.Counts.Reset()
	p.queues.Reset()
	p.largest = 0
	p.rings.Reset()
	clear(p.inFlight)
	for i := range p.returning {
		p.returning[i] = p.returning[i][:0]
	}
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

// push puts a ball, which the caller counts, into a bin.
func (p *perFlow) push(bin, flow uint32) {
	if p.queues.Full(bin) {
		p.queues.Grow()
	}
	p.largest = max(p.largest, p.queues.Push(bin, flow))
}

// Step advances the process by one round, O(n) time.
func (p *perFlow) Step() {
	n := len(p.draws)
	first := (p.Round() + 1) % n
	p.serve(first, n)
	p.serve(0, first)
	p.deliver()
	all, random := p.throw(first, n)
	more, moreRandom := p.throw(0, first)
	p.EndRound(all+more, random+moreRandom)
}

// due returns the balls that come back some rounds after the current one.
func (p *perFlow) due(rounds int) *[]reply {
	return &p.returning[(p.Round()+1+rounds)%len(p.returning)]
}

// serve lets bins [from, to) remove their heads.
func (p *perFlow) serve(from, to int) {
	due, threshold, removed := p.due(p.cfg.Delay), uint32(p.cfg.Threshold), 0
	for bin := from; bin < to; bin++ {
		load := p.queues.Load(bin)
		if load == 0 || p.Rests(bin) {
			continue
		}
		removed++
		back := reply{p.queues.Pop(uint32(bin)), uint32(bin)}
		if load > threshold {
			back.bin = nothing
		}
		*due = append(*due, back)
	}
	p.Moved(removed, 0)
}

// deliver brings the balls that are due back to their flows, in the order of
// their removal.
func (p *perFlow) deliver() {
	due := p.due(0)
	for _, back := range *due {
		p.inFlight[back.flow]--
		if back.bin != nothing {
			p.rings.Put(back.flow, back.bin)
		}
	}
	*due = (*due)[:0]
}

// throw lets flows [from, to) throw, and returns the number of throws and of random ones.
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
func (p *perFlow) Advance(rounds int) {
	for range rounds {
		p.Step()
	}
}

// Load returns the balls in a bin, in [0, n).
func (p *perFlow) Load(bin int) int { return int(p.queues.Load(bin)) }

// MaxLoad returns the largest load of a bin so far, in balls.
func (p *perFlow) MaxLoad() int { return int(p.largest) }

// Status returns Running: the process has no absorbing state.
func (p *perFlow) Status() Status { return Running }

func (p *perFlow) ColorRepeated() (repeated, known bool) { return false, false }
