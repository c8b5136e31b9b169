package recycled

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// Rule selects how a sender with a set of EVs chooses the EV of a ball.
type Rule string

// The rules.
const (
	REPS       Rule = "reps"       // the oldest EV of the ring, else a uniform one; the default
	Mixed      Rule = "mixed"      // the oldest EV of an unlimited list, else as Bitmap
	Bitmap     Rule = "bitmap"     // the walk, EVs with a penalty passed over
	Stratified Rule = "stratified" // the walk: each block of E balls uses every EV once
	OPS        Rule = "ops"        // a uniform EV
)

// Rules lists the rules, the default first.
func Rules() []Rule { return []Rule{REPS, Mixed, Bitmap, Stratified, OPS} }

// recycles reports whether a rule uses the EVs of good balls again.
func (r Rule) recycles() bool { return r == REPS || r == Mixed }

// walks reports whether a rule takes new EVs in blocks.
func (r Rule) walks() bool { return r != REPS && r != OPS }

// skips reports whether a rule passes over EVs with a penalty.
func (r Rule) skips() bool { return r == Mixed || r == Bitmap }

// mostPenalty bounds the penalty of an EV.
const mostPenalty = 15

// perEV is the per-flow process with a set of EVs for each flow. A round costs O(n), and a step
// for each EV that is passed over.
// Bins serve, and flows throw, in the order of [perFlow]. Ball f E + e is that of flow f with EV e.
type perEV struct {
	bins.Counts
	cfg     Config
	queues  bins.Queues
	largest uint32 // load so far

	hash  []uint32    // bin of each ball
	rings bins.Rings  // REPS: good EVs of a flow
	lists bins.Queues // Mixed: likewise
	flows []evFlow
	// penalty is that of each ball under rules that skip.
	penalty []uint8

	returning [][]removal // the balls that come back at round r: returning[r mod (d+1)]
	losses    mc.Rand     // decides which throws are lost
}

// evFlow is the state of a sender.
type evFlow struct {
	draw     mc.Rand
	index    uint32 // in its block
	order    uint32 // an index xor order is an EV
	inFlight int32  // balls thrown and not yet back
	silent   uint32 // balls back since the last acknowledgement
}

// removal is a removed ball on its way back to its flow.
type removal struct {
	ball   uint32
	marked bool // the bin was overfull
}

func newPerEV(cfg Config) *perEV {
	n, balls := cfg.Bins, cfg.Bins*cfg.EVS
	p := &perEV{
		Counts:    bins.NewCounts(n, cfg.Threshold),
		cfg:       cfg,
		queues:    bins.NewQueues(n, min(2*cfg.Threshold, 64)),
		hash:      make([]uint32, balls),
		flows:     make([]evFlow, n),
		returning: make([][]removal, cfg.Delay+1),
	}
	switch cfg.Rule {
	case REPS:
		p.rings = bins.NewRings(n, cfg.Ring)
	case Mixed:
		p.lists = bins.NewQueues(n, 16)
	}
	if cfg.Rule.skips() {
		p.penalty = make([]uint8, balls)
	}
	places := make([]removal, n*(cfg.Delay+1))
	for i := range p.returning {
		p.returning[i] = places[i*n : i*n : (i+1)*n]
	}
	return p
}

// Reset empties bins and memories, hashes all EVs anew and begins the run of a stream.
func (p *perEV) Reset(stream mc.Stream) {
	p.Counts.Reset()
	p.queues.Reset()
	p.largest = 0
	switch p.cfg.Rule {
	case REPS:
		p.rings.Reset()
	case Mixed:
		p.lists.Reset()
	}
	clear(p.penalty)
	for i := range p.returning {
		p.returning[i] = p.returning[i][:0]
	}
	n, evs := uint64(p.cfg.Bins), uint64(p.cfg.EVS)
	for f := range p.flows {
		p.flows[f] = evFlow{draw: stream.Child(uint64(f)).Rand()}
		if p.cfg.Rule.walks() {
			p.flows[f].order = uint32(p.flows[f].draw.Below(evs))
		}
	}
	p.losses = stream.Child(n).Rand()
	hashes := stream.Child(n + 1).Rand()
	for ball := range p.hash {
		p.hash[ball] = uint32(hashes.Below(n))
	}
}

// Step advances the process by one round.
func (p *perEV) Step() {
	n := len(p.flows)
	first := (p.Round() + 1) % n
	p.serve(first, n)
	p.serve(0, first)
	p.deliver()
	all, chosen := p.throw(first, n)
	more, moreChosen := p.throw(0, first)
	p.EndRound(all+more, chosen+moreChosen)
}

// due returns the balls that come back some rounds after the current one.
func (p *perEV) due(rounds int) *[]removal {
	return &p.returning[(p.Round()+1+rounds)%len(p.returning)]
}

// serve lets bins [from, to) remove their heads.
func (p *perEV) serve(from, to int) {
	due, removed := p.due(p.cfg.Delay), 0
	for bin := from; bin < to; bin++ {
		load := p.queues.Load(bin)
		if load == 0 || p.Rests(bin) {
			continue
		}
		removed++
		*due = append(*due, removal{p.queues.Pop(uint32(bin)), load > uint32(p.cfg.Threshold)})
	}
	p.Moved(removed, 0)
}

// deliver brings the balls that are due back to their flows, in the order of their removal. An
// overfull bin's ball is acknowledged at once, another if it is the r-th since the last
// acknowledgement.
func (p *perEV) deliver() {
	due, evs := p.due(0), uint32(p.cfg.EVS)
	for _, back := range *due {
		flow := back.ball / evs
		f := &p.flows[flow]
		f.inFlight--
		if f.silent++; !back.marked && f.silent < uint32(p.cfg.Ratio) {
			continue
		}
		f.silent = 0
		p.learn(flow, back)
	}
	*due = (*due)[:0]
}

// learn lets a flow remember or penalise the EV of an acknowledged ball.
func (p *perEV) learn(flow uint32, back removal) {
	switch {
	case back.marked && p.penalty != nil:
		p.penalty[back.ball] = min(p.penalty[back.ball]+1, mostPenalty)
	case back.marked:
	case p.cfg.Rule == REPS:
		p.rings.Put(flow, back.ball)
	case p.cfg.Rule == Mixed:
		if p.lists.Full(flow) {
			p.lists.Grow()
		}
		p.lists.Push(flow, back.ball)
	}
}

// throw lets flows [from, to) throw, and returns the number of throws and of those that recycle
// nothing.
func (p *perEV) throw(from, to int) (all, chosen int) {
	added := 0
	for i := from; i < to; i++ {
		flow := uint32(i)
		f := &p.flows[flow]
		if p.cfg.Window > 0 && int(f.inFlight) >= p.cfg.Window {
			continue
		}
		all++
		ball, ok := p.remembered(flow)
		if !ok {
			ball = flow*uint32(p.cfg.EVS) + p.choose(flow, f)
			chosen++
		}
		if p.cfg.Lambda < 1 && p.losses.Float64() >= p.cfg.Lambda {
			continue
		}
		f.inFlight++
		bin := p.hash[ball]
		if p.queues.Full(bin) {
			p.queues.Grow()
		}
		p.largest = max(p.largest, p.queues.Push(bin, ball))
		added++
	}
	p.Moved(0, added)
	return all, chosen
}

// remembered takes the oldest good ball of a flow, or returns false if there is none.
func (p *perEV) remembered(flow uint32) (ball uint32, ok bool) {
	switch {
	case p.cfg.Rule == REPS:
		return p.rings.Take(flow)
	case p.cfg.Rule == Mixed && p.lists.Load(int(flow)) > 0:
		return p.lists.Pop(flow), true
	}
	return 0, false
}

// choose returns an EV of a flow that remembers none.
func (p *perEV) choose(flow uint32, f *evFlow) uint32 {
	evs := uint32(p.cfg.EVS)
	if !p.cfg.Rule.walks() {
		return uint32(f.draw.Below(uint64(evs)))
	}
	ev := f.index ^ f.order
	if p.penalty != nil {
		penalty := p.penalty[flow*evs:][:evs]
		if penalty[ev] > 0 {
			penalty[ev]--
			for range evs {
				f.advance(evs)
				if ev = f.index ^ f.order; penalty[ev] == 0 {
					break
				}
			}
		}
	}
	f.advance(evs)
	return ev
}

// advance moves to the next EV of the block.
func (f *evFlow) advance(evs uint32) {
	if f.index++; f.index == evs {
		f.index, f.order = 0, uint32(f.draw.Below(uint64(evs)))
	}
}

// Advance advances the process by a number of rounds.
func (p *perEV) Advance(rounds int) {
	for range rounds {
		p.Step()
	}
}

// Load returns the balls in a bin, in [0, n).
func (p *perEV) Load(bin int) int { return int(p.queues.Load(bin)) }

// MaxLoad returns the largest load of a bin so far, in balls.
func (p *perEV) MaxLoad() int { return int(p.largest) }

// Status returns Running: no absorbing state is looked for.
func (p *perEV) Status() Status { return Running }

func (p *perEV) ColorRepeated() (repeated, known bool) { return false, false }
