package evsimbalance

import (
	"context"

	"repslab/internal/ecmphash"
	"repslab/mc"
)

// sampler draws maximum loads, one a replica. It is not safe for concurrent use.
type sampler struct {
	cfg    Config // defaults filled in
	counts []int
	linear []uint32 // CRC32: what each EV adds, modulo 2, to a flow's word
}

func newSampler(cfg Config) *sampler {
	s := &sampler{cfg: cfg}
	if cfg.Method != Multinomial {
		s.counts = make([]int, cfg.Uplinks)
	}
	if cfg.Method == CRC32 {
		s.linear = make([]uint32, cfg.EVS)
		for ev := range s.linear {
			s.linear[ev] = ecmphash.CRC32(0, uint16(ev), 0) ^ ecmphash.CRC32(0, 0, 0)
		}
	}
	return s
}

// draw returns the maximum load of a replica, in EVs: Multinomial draws from its
// Algorithm stream, the hashes take hosts and the salt from the sources of its
// Workload and Salts streams.
func (s *sampler) draw(ctx context.Context, seed, replica uint64) (int, error) {
	if s.cfg.Method == Multinomial {
		rng := mc.NewStream(seed, mc.Algorithm, replica).Rand()
		return spread(&rng, s.cfg.Balls(), s.cfg.Uplinks, 0), ctx.Err()
	}
	hosts := mc.NewStream(seed, mc.Workload, replica).Source()
	salt := mc.NewStream(seed, mc.Salts, replica).Source().Uint64()
	clear(s.counts)
	for range s.cfg.Flows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if flow := hosts.Uint64(); s.cfg.Method == Hash {
			s.hash(flow, salt)
		} else {
			s.crc(flow, uint32(salt))
		}
	}
	most := 0
	for _, c := range s.counts {
		most = max(most, c)
	}
	return most, nil
}

// hash adds the EVs of a flow by the model's hash.
func (s *sampler) hash(flow, salt uint64) {
	counts := s.counts
	for ev := range s.cfg.EVS {
		counts[ecmphash.Port(ecmphash.Hash(flow, uint16(ev), salt), len(counts))]++
	}
}

// crc adds the EVs of a flow by the CRC, which is linear.
func (s *sampler) crc(flow uint64, salt uint32) {
	counts, word := s.counts, ecmphash.CRC32(flow, 0, salt)
	for _, d := range s.linear {
		counts[ecmphash.Remainder(word^d, len(counts))]++
	}
}

// spread throws balls into bins uniformly and returns the larger of the maximum
// load and most. It splits the balls binomially between two halves of the bins,
// and these again; a part whose balls together do not pass most needs no further
// splitting, since nothing else depends on how it would turn out.
func spread(r *mc.Rand, balls, bins, most int) int {
	for bins > 1 && balls > most {
		half := bins / 2
		part := binomial(r, balls, float64(half)/float64(bins))
		most = spread(r, part, half, most)
		balls, bins = balls-part, bins-half
	}
	return max(balls, most)
}
