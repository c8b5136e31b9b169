package recycled

import (
	"repslab/internal/bins"
	"repslab/internal/evset"
	"repslab/mc"
)

// Rule selects how a sender with a set of EVs chooses the EV of a ball.
type Rule string

// The rules.
const (
	REPS       Rule = "reps"       // the oldest EV of the ring, or a uniform EV; the default
	Mixed      Rule = "mixed"      // the oldest EV of an unlimited list, or an EV as under Bitmap
	Bitmap     Rule = "bitmap"     // as Stratified, but EVs with a penalty are skipped
	MRC        Rule = "mrc"        // all EVs in turn; each mark skips its EV once
	Stratified Rule = "stratified" // each block of E balls uses every EV once
	OPS        Rule = "ops"        // a uniform EV
	KLB        Rule = "klb"        // K EVs in turn; a mark replaces its EV with probability (K-1)/K
	KLBAlways  Rule = "klb-always" // as KLB, but every mark replaces its EV
	HKLB       Rule = "hklb"       // as KLB, but only good EVs join the set; a uniform EV while it is not full
)

// Rules lists the rules, the default first.
func Rules() []Rule { return []Rule{REPS, Mixed, Bitmap, MRC, Stratified, OPS, KLB, KLBAlways, HKLB} }

// active reports whether a rule keeps a set of active EVs.
func (r Rule) active() bool { return r == KLB || r == KLBAlways || r == HKLB }

// walks reports whether a rule takes new EVs in blocks of E balls.
func (r Rule) walks() bool { return r == Mixed || r == Bitmap || r == Stratified }

// skips reports whether a rule skips EVs with a penalty.
func (r Rule) skips() bool { return r == Mixed || r == Bitmap || r == MRC }

// mostPenalty bounds the penalty of an EV. Under MRC it is 1: a state, not a count.
func (r Rule) mostPenalty() uint8 {
	if r == MRC {
		return 1
	}
	return 15
}

// perEV is the per-flow process with a set of EVs for each flow. A round costs O(n), plus O(1) for each
// EV that is skipped. Ball f E + e belongs to flow f and has EV e.
type perEV struct {
	flowSwitch

	hash  []uint32    // bin of each ball
	rings bins.Rings  // REPS: good EVs of each flow
	lists bins.Queues // Mixed: good EVs of each flow
	sets  evset.Sets  // of rules with active EVs
	flows []evFlow
	// penalty has the penalty of each ball's EV, under rules that skip.
	penalty     []uint8
	mostPenalty uint8

	losses mc.Rand // decides which throws are lost
}

// evFlow is the state of a sender.
type evFlow struct {
	draw     mc.Rand
	index    uint32 // index in the block; under MRC the next EV
	order    uint32 // an index xor order is an EV
	inFlight int32  // balls thrown and not yet back
	silent   uint32 // balls back since the last acknowledgement
}

func newPerEV(cfg Config) *perEV {
	n, balls := cfg.Bins, cfg.Bins*cfg.EVS
	p := &perEV{
		flowSwitch: newFlowSwitch(cfg),
		hash:       make([]uint32, balls),
		flows:      make([]evFlow, n),

		mostPenalty: cfg.Rule.mostPenalty(),
	}
	switch cfg.Rule {
	case REPS:
		p.rings = bins.NewRings(n, cfg.Ring)
	case Mixed:
		p.lists = bins.NewQueues(n, 16)
	}
	if cfg.Rule.active() {
		p.sets = evset.New(evset.Rule{Always: cfg.Rule == KLBAlways, Discover: cfg.Rule == HKLB}, cfg.Active, cfg.EVS, n)
	}
	if cfg.Rule.skips() {
		p.penalty = make([]uint8, balls)
	}
	return p
}

// Reset empties bins and memories, hashes all EVs anew and begins the run of a stream.
func (p *perEV) Reset(stream mc.Stream) {
	p.clear(stream)
	switch p.cfg.Rule {
	case REPS:
		p.rings.Reset()
	case Mixed:
		p.lists.Reset()
	}
	clear(p.penalty)
	n, evs := uint64(p.cfg.Bins), uint64(p.cfg.EVS)
	for i := range p.flows {
		p.flows[i] = evFlow{draw: stream.Child(uint64(i)).Rand()}
		switch f := &p.flows[i]; {
		case p.cfg.Rule.walks():
			f.order = uint32(f.draw.Below(evs))
		case p.cfg.Rule == MRC:
			f.index = uint32(f.draw.Below(evs))
		case p.cfg.Rule.active():
			p.sets.Reset(int32(i), &f.draw)
		}
	}
	p.losses = stream.Child(n).Rand()
	hashes := stream.Child(n + 1).Rand()
	for ball := range p.hash {
		p.hash[ball] = uint32(hashes.Below(n))
	}
}

// Step advances the process by one round.
func (p *perEV) Step() { p.round(p) }

// deliver acknowledges a ball if its bin was overfull, or if it is the r-th ball since the last
// acknowledgement.
func (p *perEV) deliver() {
	due, evs := p.due(0), uint32(p.cfg.EVS)
	for _, back := range *due {
		flow := back.ball / evs
		f := &p.flows[flow]
		f.inFlight--
		if f.silent++; back.bin != nothing && f.silent < uint32(p.cfg.Ratio) {
			continue
		}
		f.silent = 0
		p.learn(flow, back)
	}
	*due = (*due)[:0]
}

// learn lets a flow remember, penalise or replace the EV of an acknowledged ball.
func (p *perEV) learn(flow uint32, back reply) {
	switch marked := back.bin == nothing; {
	case p.cfg.Rule.active() && marked:
		p.sets.Marked(int32(flow), back.ball%uint32(p.cfg.EVS), &p.flows[flow].draw)
	case p.cfg.Rule.active():
		p.sets.Good(int32(flow), back.ball%uint32(p.cfg.EVS))
	case marked && p.penalty != nil:
		p.penalty[back.ball] = min(p.penalty[back.ball]+1, p.mostPenalty)
	case marked:
	case p.cfg.Rule == REPS:
		p.rings.Put(flow, back.ball)
	case p.cfg.Rule == Mixed:
		if p.lists.Full(flow) {
			p.lists.Grow()
		}
		p.lists.Push(flow, back.ball)
	}
}

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
		p.push(p.hash[ball], ball)
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

// choose returns the EV of a ball if its flow remembers none.
func (p *perEV) choose(flow uint32, f *evFlow) uint32 {
	evs := uint32(p.cfg.EVS)
	switch p.cfg.Rule {
	case REPS, OPS:
		return uint32(f.draw.Below(uint64(evs)))
	case MRC:
		return f.turn(p.penalty[flow*evs:][:evs])
	case KLB, KLBAlways, HKLB:
		return p.sets.Next(int32(flow), &f.draw)
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

// turn returns the next EV without a mark. The marked EVs before it lose their mark.
func (f *evFlow) turn(marks []uint8) (ev uint32) {
	for {
		ev = f.index
		if f.index++; int(f.index) == len(marks) {
			f.index = 0
		}
		if marks[ev] == 0 {
			return ev
		}
		marks[ev] = 0
	}
}

// advance moves to the next EV of the block.
func (f *evFlow) advance(evs uint32) {
	if f.index++; f.index == evs {
		f.index, f.order = 0, uint32(f.draw.Below(uint64(evs)))
	}
}

// Advance advances the process by a number of rounds.
func (p *perEV) Advance(rounds int) { advance(p, rounds) }
