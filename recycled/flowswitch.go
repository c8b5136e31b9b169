package recycled

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// flowSwitch is the switch of the per-flow processes: the bins with their balls, and the removed balls on
// their way back to their flows. A round costs O(n). Bins serve, and flows throw, in cyclic order that
// begins at (round mod n).
type flowSwitch struct {
	bins.Counts
	cfg     Config
	ramp    ramp
	queues  bins.Queues
	largest uint32 // largest load so far

	returning [][]reply // the balls that come back at round r: returning[r mod (d+1)]
}

// reply is a removed ball on its way back to its flow.
type reply struct {
	ball uint32 // what the process put into the bin
	bin  uint32 // bin of a good ball; nothing if the ball is not good
}

func newFlowSwitch(cfg Config) flowSwitch {
	n := cfg.Bins
	s := flowSwitch{
		Counts:    bins.NewCounts("recycled", n, cfg.Threshold),
		cfg:       cfg,
		ramp:      newRamp(cfg),
		queues:    bins.NewQueues(n, min(2*cfg.Threshold, 64)),
		returning: make([][]reply, cfg.Delay+1),
	}
	places := make([]reply, n*(cfg.Delay+1))
	for i := range s.returning {
		s.returning[i] = places[i*n : i*n : (i+1)*n]
	}
	return s
}

// clear empties bins and links and begins the run of a stream.
func (s *flowSwitch) clear(stream mc.Stream) {
	s.ramp.reset(stream, s.cfg.Bins)
	s.Counts.Reset()
	s.queues.Reset()
	s.largest = 0
	for i := range s.returning {
		s.returning[i] = s.returning[i][:0]
	}
}

// senders are the flows of a process.
type senders interface {
	// deliver gives the balls that are due to their flows, in the order of their removal.
	deliver()
	// throw lets flows [from, to) throw. It returns the number of throws, and the number of throws that
	// recycle nothing.
	throw(from, to int) (all, random int)
}

// round runs a round of a process with this switch.
func (s *flowSwitch) round(flows senders) {
	n := s.cfg.Bins
	first := (s.Round() + 1) % n
	s.serve(first, n)
	s.serve(0, first)
	flows.deliver()
	all, random := flows.throw(first, n)
	more, moreRandom := flows.throw(0, first)
	s.EndRound(all+more, random+moreRandom)
}

// due returns the balls that come back the given number of rounds after the current one.
func (s *flowSwitch) due(rounds int) *[]reply {
	return &s.returning[(s.Round()+1+rounds)%len(s.returning)]
}

// serve lets bins [from, to) remove their heads.
func (s *flowSwitch) serve(from, to int) {
	due, ramp, removed := s.due(s.cfg.Delay), s.ramp, 0
	for bin := from; bin < to; bin++ {
		load := s.queues.Load(bin)
		if load == 0 || s.Rests(bin) {
			continue
		}
		removed++
		marked := uint32(int32(ramp.threshold-load) >> 31) // all ones (nothing) if overfull, otherwise 0
		if ramp.draws(load) && ramp.spares(load) {
			marked = 0
		}
		*due = append(*due, reply{s.queues.Pop(uint32(bin)), uint32(bin) | marked})
	}
	s.Moved(removed, 0)
}

// push puts a ball into a bin. The caller counts it.
func (s *flowSwitch) push(bin, ball uint32) {
	if s.queues.Full(bin) {
		s.queues.Grow()
	}
	s.largest = max(s.largest, s.queues.Push(bin, ball))
}

// Load returns the balls in a bin, in [0, n).
func (s *flowSwitch) Load(bin int) int {
	s.MustHave(bin)
	return int(s.queues.Load(bin))
}

// MaxLoad returns the largest load of a bin so far, in balls.
func (s *flowSwitch) MaxLoad() int { return int(s.largest) }

// Status returns Running: this package does not look for absorbing states of per-flow.
func (s *flowSwitch) Status() Status { return Running }

// ColorRepeated returns known = false: flows have no colours.
func (s *flowSwitch) ColorRepeated() (repeated, known bool) { return false, false }
