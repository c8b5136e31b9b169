package recycled

import "repslab/mc"

// ackClocked is the ACK-clocked process: every ball that comes back is thrown at once, into its bin again
// if it is good. Flows differ in nothing, so balls have no identity here. A round costs O(n).
type ackClocked struct {
	flowSwitch
	draws mc.Rand
}

func newAckClocked(cfg Config) *ackClocked { return &ackClocked{flowSwitch: newFlowSwitch(cfg)} }

// Reset empties bins and links and begins the run of a stream.
func (a *ackClocked) Reset(stream mc.Stream) {
	a.clear(stream)
	a.draws = stream.Child(0).Rand()
}

// Step advances the process by one round. In the first W rounds each flow also throws a new ball.
func (a *ackClocked) Step() {
	n := a.cfg.Bins
	a.serve(0, n)
	due := a.due(0)
	all, random := len(*due), 0
	for _, back := range *due {
		if back.bin == nothing {
			random++
			continue
		}
		a.push(back.bin, 0)
	}
	*due = (*due)[:0]
	if a.Round() < a.cfg.Window {
		all += n
		random += n
	}
	for range random {
		a.push(uint32(a.draws.Below(uint64(n))), 0)
	}
	a.Moved(0, all)
	a.EndRound(all, random)
}

// Advance advances the process by a number of rounds.
func (a *ackClocked) Advance(rounds int) { advance(a, rounds) }
