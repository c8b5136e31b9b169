package recycled

import (
	"slices"

	"repslab/mc"
)

// frozen is the process of ACK-clocked senders in freezing mode. A ball is identified by its EV: flow f begins with
// the EVs f (W+B) to (f+1)(W+B) - 1, each of a bin, and draws no others. A round costs O(n).
type frozen struct {
	flowSwitch
	bin    []uint32 // bin of each EV
	copies []uint32 // balls of each EV in the bins and on their way back
	ring   []uint32 // the last B EVs that flow f threw: ring[f B : (f+1) B]
	oldest []uint16 // place in its ring of the EV that flow f threw first
}

func newFrozen(cfg Config) *frozen {
	n, evs := cfg.Bins, cfg.Bins*cfg.frozenEVs()
	return &frozen{flowSwitch: newFlowSwitch(cfg), bin: make([]uint32, evs), copies: make([]uint32, evs),
		ring: make([]uint32, n*cfg.Ring), oldest: make([]uint16, n)}
}

// frozenEVs returns the EVs of a flow under the clocking Frozen: one for each ball of its window and each entry of
// its ring.
func (c Config) frozenEVs() int { return c.Window + c.Ring }

// Reset empties bins and links, fills the rings and begins the run of a stream.
func (f *frozen) Reset(stream mc.Stream) {
	f.clear(stream)
	draws := stream.Child(0).Rand()
	for ev := range f.bin {
		f.bin[ev] = uint32(draws.Below(uint64(f.cfg.Bins)))
	}
	clear(f.copies)
	clear(f.oldest)
	for i := range f.ring {
		flow, place := i/f.cfg.Ring, i%f.cfg.Ring
		f.ring[i] = uint32(flow*f.cfg.frozenEVs() + f.cfg.Window + place)
	}
}

// Step advances the process by one round. In the first W rounds each flow also throws a ball of a new EV.
func (f *frozen) Step() {
	n := f.cfg.Bins
	f.serve(0, n)
	due := f.due(0)
	all, drawn := len(*due), 0
	for _, back := range *due {
		f.copies[back.ball]--
		f.throw(int(back.ball)/f.cfg.frozenEVs(), back.ball, back.bin != nothing)
	}
	*due = (*due)[:0]
	if begun := f.Round(); begun < f.cfg.Window {
		all, drawn = all+n, n
		for flow := range n {
			f.throw(flow, uint32(flow*f.cfg.frozenEVs()+begun), true)
		}
	}
	f.Moved(0, all)
	f.EndRound(all, drawn)
}

// throw throws a ball of a flow: of the given EV if this is good, otherwise of the oldest EV in the flow's ring. In
// the ring it takes the place of the oldest.
func (f *frozen) throw(flow int, ev uint32, good bool) {
	place := &f.ring[flow*f.cfg.Ring+int(f.oldest[flow])]
	if good {
		*place = ev
	}
	if f.oldest[flow]++; int(f.oldest[flow]) == f.cfg.Ring {
		f.oldest[flow] = 0
	}
	f.copies[*place]++
	f.push(f.bin[*place], *place)
}

// Advance advances the process by a number of rounds.
func (f *frozen) Advance(rounds int) { advance(f, rounds) }

// variety returns the mean over flows of the EVs that their balls carry, and of the largest share of a flow's balls
// with the same EV. A flow has W balls from round W on.
func (f *frozen) variety() (distinct, topShare float64) {
	for own := range slices.Chunk(f.copies, f.cfg.frozenEVs()) {
		most, all := uint32(0), uint32(0)
		for _, copies := range own {
			distinct += float64(min(copies, 1))
			most, all = max(most, copies), all+copies
		}
		topShare += float64(most) / float64(all)
	}
	n := float64(f.cfg.Bins)
	return distinct / n, topShare / n
}
