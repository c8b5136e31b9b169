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
	cfg       Config
	loads     []int32
	overfull  []int32 // the bins above the threshold
	empty     int     // the number of empty bins
	balls     int64
	maxLoad   int32
	threshold int32
	ports     bins.Ports

	rng         mc.Rand
	round       int
	all, random int64 // throws
}

func newSelfClocked(cfg Config) *selfClocked {
	return &selfClocked{
		cfg:       cfg,
		loads:     make([]int32, cfg.Bins),
		overfull:  make([]int32, 0, cfg.Bins),
		threshold: int32(cfg.Threshold),
		ports:     bins.NewPorts(cfg.Bins),
	}
}

func (s *selfClocked) Reset(stream mc.Stream) {
	clear(s.loads)
	s.ports.Reset()
	s.overfull = s.overfull[:0]
	s.empty, s.balls, s.maxLoad = len(s.loads), 0, 0
	s.rng = stream.Rand()
	s.round, s.all, s.random = 0, 0, 0
}

func (s *selfClocked) Step() {
	s.round++
	// Fresh balls of empty bins and the balls of overfull bins.
	all, throws := len(s.loads), s.empty+len(s.overfull)
	for _, bin := range s.ports.Idle(s.round) {
		all--
		if load := s.loads[bin]; load == 0 || load > s.threshold {
			throws--
		}
	}
	s.all += int64(all)
	s.random += int64(throws)
	if s.cfg.Lambda < 1 {
		s.loseGood()
	}
	if len(s.overfull) > 0 {
		s.removeOverfull()
	}
	if s.cfg.Lambda < 1 {
		s.throwThinned(throws)
		return
	}
	rng, n := s.rng, uint64(len(s.loads))
	for range throws {
		var w uint64
		w, rng = rng.Next()
		bin, low := bits.Mul64(w, n)
		if low < n { // hardly ever
			s.rng = rng
			bin = s.rng.Redraw(n, bin, low)
			rng = s.rng
		}
		s.receive(int32(bin))
	}
	s.rng = rng
}

// throwThinned throws balls into uniform bins, each lost with probability 1 - λ.
func (s *selfClocked) throwThinned(balls int) {
	n := uint64(len(s.loads))
	for range balls {
		if s.rng.Float64() < s.cfg.Lambda {
			s.receive(int32(s.rng.Below(n)))
		}
	}
}

// removeOverfull takes a ball out of every overfull bin.
func (s *selfClocked) removeOverfull() {
	still, before := s.overfull[:0], len(s.overfull)
	resting := 0
	for _, bin := range s.overfull {
		if s.ports.Rests(int(bin), s.round) {
			resting++
			still = append(still, bin)
			continue
		}
		s.loads[bin]--
		if s.loads[bin] > s.threshold {
			still = append(still, bin)
		}
	}
	s.balls -= int64(before - resting)
	s.overfull = still
}

// receive puts a ball into a bin.
func (s *selfClocked) receive(bin int32) {
	load := s.loads[bin] + 1
	s.loads[bin] = load
	s.balls++
	s.maxLoad = max(s.maxLoad, load)
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
		if load == 0 || load > s.threshold || s.ports.Rests(bin, s.round) || s.rng.Float64() < s.cfg.Lambda {
			continue
		}
		s.loads[bin]--
		s.balls--
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

func (s *selfClocked) SetPort(bin, every int) { s.ports.Set(bin, every) }

func (s *selfClocked) Round() int       { return s.round }
func (s *selfClocked) Load(bin int) int { return int(s.loads[bin]) }
func (s *selfClocked) Balls() int64     { return s.balls }
func (s *selfClocked) MaxLoad() int     { return int(s.maxLoad) }

func (s *selfClocked) Throws() (all, random int64) { return s.all, s.random }

func (s *selfClocked) ColorRepeated() (repeated, known bool) { return false, false }

func (s *selfClocked) Status() Status {
	switch {
	case s.cfg.Lambda < 1 || !s.ports.Even():
		return Running
	case s.empty == 0 && len(s.overfull) == 0 && s.round > 0:
		return Converged
	case s.balls > s.cfg.mostBalls():
		return Certified
	default:
		return Running
	}
}
