package ballsbins

import (
	"math"

	"repslab/internal/draw"
	"repslab/mc"
)

// scalar is the kernel with one 64-bit load per bin: for balls of a weight other than 1, for policies
// that need no speed, and for more bins or longer queues than the packed kernels hold.
type scalar struct {
	policy Policy
	loads  []int64 // in units
	ball   int64   // weight of an arriving ball, in units
	serve  int64   // load that a bin loses in a round, in units: a ball of weight 1
	next   int     // the bin of the next ball under RoundRobin
	lambda float64

	draw  draw.Drawer // draws bins, up to maxPackedBins
	bins  []uint16    // scratch for drawn bins
	added []int64     // arrivals of a batch, under TwoChoice
	seen  []int64     // loads that TwoChoice compares: after the service (loads itself) or before it
	each  int         // bins drawn for a ball under TwoChoice
}

func newScalar(cfg Config) *scalar {
	s := &scalar{policy: cfg.Policy, loads: make([]int64, cfg.Bins), ball: 1, serve: 1, lambda: cfg.Lambda}
	if cfg.Variant == Weighted {
		s.ball, s.serve = int64(math.Round(cfg.Lambda*unitsPerBall)), unitsPerBall
		s.lambda = 1
	}
	if cfg.Bins <= maxPackedBins {
		s.draw, s.bins = draw.New(cfg.Bins), make([]uint16, 512)
	}
	if cfg.Policy == TwoChoice {
		s.added, s.seen, s.each = make([]int64, cfg.Bins), s.loads, cfg.Choices
		if cfg.SeeBefore {
			s.seen = make([]int64, cfg.Bins)
		}
	}
	return s
}

func (s *scalar) reset() {
	clear(s.loads)
	s.next = 0
}

func (s *scalar) advance(rng *mc.Rand, offered *arrivals, rounds int) (done int, full bool) {
	for range rounds {
		copy(s.seen, s.loads)
		for i, load := range s.loads {
			s.loads[i] = max(0, load-s.serve)
		}
		switch s.policy {
		case Uniform:
			s.throwUniform(rng, offered.next(rng))
		case TwoChoice:
			s.throwTwoChoice(rng, offered.next(rng))
		case RoundRobin:
			s.throwInTurn(offered.next(rng))
		case Static:
			s.throwOwn(rng)
		}
	}
	return rounds, false
}

func (s *scalar) throwUniform(rng *mc.Rand, balls int) {
	if s.bins == nil {
		for range balls {
			s.loads[rng.Below(uint64(len(s.loads)))] += s.ball
		}
		return
	}
	s.eachBatch(rng, balls, 1, func(bins []uint16) {
		for _, bin := range bins {
			s.loads[bin] += s.ball
		}
	})
}

// throwTwoChoice throws each ball into the least loaded of some random bins, by the loads before the
// batch. Of equally loaded bins it takes the one drawn first.
func (s *scalar) throwTwoChoice(rng *mc.Rand, balls int) {
	if s.bins == nil {
		n := uint64(len(s.loads))
		for range balls {
			bin := rng.Below(n)
			for range s.each - 1 {
				if other := rng.Below(n); s.seen[other] < s.seen[bin] {
					bin = other
				}
			}
			s.added[bin] += s.ball
		}
	} else {
		s.eachBatch(rng, balls, s.each, func(bins []uint16) {
			for ; len(bins) > 0; bins = bins[s.each:] {
				bin := bins[0]
				for _, other := range bins[1:s.each] {
					if s.seen[other] < s.seen[bin] {
						bin = other
					}
				}
				s.added[bin] += s.ball
			}
		})
	}
	for i, a := range s.added {
		s.loads[i] += a
	}
	clear(s.added)
}

// eachBatch draws bins, as many per ball as each says, and passes them to use in batches. It draws them
// as the packed kernels do.
func (s *scalar) eachBatch(rng *mc.Rand, balls, each int, use func(bins []uint16)) {
	for balls > 0 {
		n := min(balls, len(s.bins)/each)
		bins := s.bins[:n*each]
		draw.Fill(&s.draw, rng, bins)
		use(bins)
		balls -= n
	}
}

// throwInTurn throws balls into bins in turn, continuing over rounds.
func (s *scalar) throwInTurn(balls int) {
	for range balls {
		s.loads[s.next] += s.ball
		s.next++
		if s.next == len(s.loads) {
			s.next = 0
		}
	}
}

// throwOwn throws ball i into bin i if it arrives, with probability λ up to
// 2^-53.
func (s *scalar) throwOwn(rng *mc.Rand) {
	for i := range s.loads {
		if s.lambda == 1 || rng.Float64() < s.lambda {
			s.loads[i] += s.ball
		}
	}
}

func (s *scalar) load(bin int) int64          { return s.loads[bin] }
func (s *scalar) setLoad(bin int, load int64) { s.loads[bin] = load }
func (s *scalar) sound() bool                 { return true }
