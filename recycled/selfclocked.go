package recycled

import (
	"repslab/internal/bins"
	"repslab/mc"
)

// selfClocked is the self-clocked process, open or closed. Good balls return to their
// bins, so at λ = 1 a round changes only overfull bins and the targets of random throws:
// it costs O(K + empty bins), not O(n); O(K) if it is closed. Balls have no identity here.
type selfClocked struct {
	bins.Counts
	cfg       Config
	ramp      ramp
	loads     []uint32
	overfull  []uint32 // the bins above the threshold
	aims      []uint32 // scratch: the bins of a round's throws
	empty     int      // the number of empty bins
	largest   uint32   // largest load so far
	threshold uint32
	level     uint32 // Config.Level
	above     int    // the number of bins that hold more than level balls
	rng       mc.Rand
}

func newSelfClocked(cfg Config) *selfClocked {
	return &selfClocked{
		Counts:    bins.NewCounts("recycled", cfg.Bins, cfg.Threshold),
		cfg:       cfg,
		ramp:      newRamp(cfg),
		loads:     make([]uint32, cfg.Bins),
		overfull:  make([]uint32, 0, cfg.Bins),
		aims:      make([]uint32, 0, cfg.Bins),
		threshold: uint32(cfg.Threshold),
		level:     uint32(cfg.Level),
	}
}

// Reset begins the run of a stream, with the loads of Config.Start. O(Bins).
func (s *selfClocked) Reset(stream mc.Stream) {
	clear(s.loads)
	s.Counts.Reset()
	s.overfull = s.overfull[:0]
	s.empty, s.largest, s.above = len(s.loads), 0, 0
	s.rng = stream.Rand()
	s.ramp.reset(stream, len(s.loads))
	s.cfg.start(&s.rng, func(bin, _ uint32) { s.receive(bin) })
	s.Moved(0, s.cfg.Balls)
}

// Step advances the process by one round. O(Bins).
func (s *selfClocked) Step() {
	// The balls of overfull bins and the fresh balls of empty bins.
	fresh := s.empty
	if s.cfg.Closed {
		fresh = 0
	}
	all, throws := len(s.loads)-s.empty+fresh, len(s.overfull)+fresh
	for _, bin := range s.Idle() {
		load := s.loads[bin]
		if load == 0 && s.cfg.Closed {
			continue
		}
		all--
		if load == 0 || load > s.threshold {
			throws--
		}
	}
	if s.cfg.Lambda < 1 {
		s.loseGood()
	}
	if len(s.overfull) > 0 {
		throws -= s.removeOverfull()
	}
	if s.cfg.Lambda < 1 || s.cfg.Choices > 1 {
		s.throwChosen(throws)
	} else {
		s.throw(throws)
	}
	s.EndRound(all, throws)
}

// throw throws balls into uniform bins.
func (s *selfClocked) throw(balls int) {
	rng, n := s.rng, uint64(len(s.loads))
	for range balls {
		var bin uint64
		bin, rng = rng.NextBelow(n)
		s.receive(uint32(bin))
	}
	s.Moved(0, balls)
	s.rng = rng
}

// throwChosen throws balls into the least loaded of Choices uniform bins, the first of equal ones, by the
// loads before the first of these throws. Each ball is lost with probability 1 - λ.
func (s *selfClocked) throwChosen(balls int) {
	n, aims := uint64(len(s.loads)), s.aims[:0]
	for range balls {
		if s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda {
			continue
		}
		bin := s.rng.Below(n)
		for range s.cfg.Choices - 1 {
			if other := s.rng.Below(n); s.loads[other] < s.loads[bin] {
				bin = other
			}
		}
		aims = append(aims, uint32(bin))
	}
	for _, bin := range aims {
		s.receive(bin)
	}
	s.Moved(0, len(aims))
	s.aims = aims
}

// removeOverfull takes a ball out of every overfull bin, except good balls, which return at once. It returns
// the number of good balls. With probability 1 - λ they are lost on their way.
func (s *selfClocked) removeOverfull() (good int) {
	still, removed := s.overfull[:0], 0
	for _, bin := range s.overfull {
		load, stays := s.loads[bin], s.Rests(int(bin))
		if !stays && s.ramp.draws(load) && s.ramp.spares(load) {
			good++
			stays = s.cfg.Lambda == 1 || s.rng.Float64() < s.cfg.Lambda
		}
		if !stays {
			load--
			s.loads[bin] = load
			removed++
			if load == 0 {
				s.empty++
			}
			if load == s.level {
				s.above--
			}
		}
		if load > s.threshold {
			still = append(still, bin)
		}
	}
	s.Moved(removed, 0)
	s.overfull = still
	return good
}

// receive puts a ball into a bin. The caller counts it.
func (s *selfClocked) receive(bin uint32) {
	load := s.loads[bin] + 1
	s.loads[bin] = load
	s.largest = max(s.largest, load)
	if load == 1 {
		s.empty--
	}
	if load == s.threshold+1 {
		s.overfull = append(s.overfull, bin)
	}
	if load == s.level+1 {
		s.above++
	}
}

// loseGood lets the returning ball of every good bin be lost with probability 1 - λ. It must run before
// removeOverfull, which makes overfull bins good.
func (s *selfClocked) loseGood() {
	for bin, load := range s.loads {
		if load == 0 || load > s.threshold || s.Rests(bin) || s.rng.Float64() < s.cfg.Lambda {
			continue
		}
		s.Moved(1, 0)
		s.loads[bin]--
		if load == 1 {
			s.empty++
		}
	}
}

// Advance implements [Process]. O(rounds Bins).
func (s *selfClocked) Advance(rounds int) {
	mustBeRounds(s, rounds)
	for range rounds {
		s.Step()
		if s.Status() != Running {
			return
		}
	}
}

// Load returns the balls in a bin, counted from 0. O(1).
func (s *selfClocked) Load(bin int) int {
	s.MustHave(bin)
	return int(s.loads[bin])
}

// MaxLoad returns the largest load of any bin, in balls. O(1).
func (s *selfClocked) MaxLoad() int { return int(s.largest) }

// ColorRepeated reports that repetitions are not known: this process has no colours.
func (s *selfClocked) ColorRepeated() (repeated, known bool) { return false, false }

// survey implements surveyor. O(n).
func (s *selfClocked) survey() (empty, largest int) {
	var most uint32
	for _, load := range s.loads {
		most = max(most, load)
	}
	return s.empty, int(most)
}

// Status implements the conditions of the package comment.
func (s *selfClocked) Status() Status {
	switch {
	case !s.cfg.decidable() || !s.Even():
		return Running
	case s.cfg.Oblivious:
		if s.above == 0 {
			return Converged
		}
		return Running
	case (s.empty == 0 || s.cfg.Closed) && len(s.overfull) == 0:
		return Converged
	case s.Balls() > s.cfg.mostBalls():
		return Certified
	default:
		return Running
	}
}
