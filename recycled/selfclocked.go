package recycled

import (
	"math/bits"

	"repslab/internal/bins"
	"repslab/mc"
)

// selfClocked is the self-clocked process. Good balls return to their bins, so
// at λ = 1 a round changes only overfull bins and the targets of random throws:
// it costs O(K + empty bins), not O(n). Balls have no identity here.
type selfClocked struct {
	bins.Counts
	cfg       Config
	loads     []uint32
	overfull  []uint32 // the bins above the threshold
	empty     int      // the number of empty bins
	largest   uint32   // load so far
	threshold uint32
	rng       mc.Rand
}

func newSelfClocked(cfg Config) *selfClocked {
	return &selfClocked{
		Counts:    bins.NewCounts(cfg.Bins, cfg.Threshold),
		cfg:       cfg,
		loads:     make([]uint32, cfg.Bins),
		overfull:  make([]uint32, 0, cfg.Bins),
		threshold: uint32(cfg.Threshold),
	}
}

func (s *selfClocked) Reset(stream mc.Stream) {
	clear(s.loads)
	s.Counts.Reset()
	s.overfull = s.overfull[:0]
	s.empty, s.largest = len(s.loads), 0
	s.rng = stream.Rand()
}

func (s *selfClocked) Step() {
	// Fresh balls of empty bins and the balls of overfull bins.
	all, throws := len(s.loads), s.empty+len(s.overfull)
	for _, bin := range s.Idle() {
		all--
		if load := s.loads[bin]; load == 0 || load > s.threshold {
			throws--
		}
	}
	if s.cfg.Lambda < 1 {
		s.loseGood()
	}
	if len(s.overfull) > 0 {
		s.removeOverfull()
	}
	if s.cfg.Lambda < 1 {
		s.throwThinned(throws)
	} else {
		s.throw(throws)
	}
	s.EndRound(all, throws)
}

// throw throws balls into uniform bins.
func (s *selfClocked) throw(balls int) {
	rng, n := s.rng, uint64(len(s.loads))
	for range balls {
		var w uint64
		w, rng = rng.Next()
		bin, low := bits.Mul64(w, n)
		if low < n { // hardly ever
			s.rng = rng
			bin = s.rng.Redraw(n, bin, low)
			rng = s.rng
		}
		s.receive(uint32(bin))
	}
	s.Moved(0, balls)
	s.rng = rng
}

// throwThinned throws balls into uniform bins, each lost with probability 1 - λ.
func (s *selfClocked) throwThinned(balls int) {
	n := uint64(len(s.loads))
	for range balls {
		if s.rng.Float64() < s.cfg.Lambda {
			s.receive(uint32(s.rng.Below(n)))
			s.Moved(0, 1)
		}
	}
}

// removeOverfull takes a ball out of every overfull bin.
func (s *selfClocked) removeOverfull() {
	still, removed := s.overfull[:0], 0
	for _, bin := range s.overfull {
		if !s.Rests(int(bin)) {
			s.loads[bin]--
			removed++
		}
		if s.loads[bin] > s.threshold {
			still = append(still, bin)
		}
	}
	s.Moved(removed, 0)
	s.overfull = still
}

// receive puts a ball, which the caller counts, into a bin.
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
}

// loseGood lets the returning ball of every good bin be lost with probability
// 1 - λ. It goes before removeOverfull, which makes overfull bins good.
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

func (s *selfClocked) Advance(rounds int) {
	for range rounds {
		s.Step()
		if s.Status() != Running {
			return
		}
	}
}

func (s *selfClocked) Load(bin int) int { return int(s.loads[bin]) }

func (s *selfClocked) MaxLoad() int { return int(s.largest) }

func (s *selfClocked) ColorRepeated() (repeated, known bool) { return false, false }

func (s *selfClocked) Status() Status {
	switch {
	case s.cfg.Lambda < 1 || !s.Even():
		return Running
	case s.empty == 0 && len(s.overfull) == 0 && s.Round() > 0:
		return Converged
	case s.Balls() > s.cfg.mostBalls():
		return Certified
	default:
		return Running
	}
}
