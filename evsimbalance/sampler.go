package evsimbalance

import (
	"context"
	"slices"

	"repslab/internal/checks"
	"repslab/internal/ecmphash"
	"repslab/internal/must"
	"repslab/mc"
)

// Sampler draws maximum loads. [New] makes it. A draw under Hash or CRC32 allocates two random sources;
// under the other methods it allocates nothing. It is not safe for concurrent use.
//
// Draw replaces the Reset and Step of the other theory packages: one draw is one replica.
type Sampler struct {
	cfg    Config // with defaults applied
	counts []int
	order  []uint16 // Distinct: the uplinks, in the order that the previous flow left
	linear []uint32 // CRC32: contribution of each EV, modulo 2, to the word of a flow
}

// New returns the sampler that cfg describes, or the faults of cfg. Under Exact it samples
// the exact law, as under Multinomial. It holds 8 bytes per uplink under Hash and CRC32, 10 under Distinct,
// and 4 bytes per EV under CRC32.
func New(cfg Config) (*Sampler, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Sampler{cfg: cfg.WithDefaults()}
	if s.hashes() || s.cfg.Method == Distinct {
		s.counts = make([]int, s.cfg.Uplinks)
	}
	if s.cfg.Method == Distinct {
		s.order = make([]uint16, s.cfg.Uplinks)
	}
	if s.cfg.Method == CRC32 {
		s.linear = make([]uint32, s.cfg.EVS)
		for ev := range s.linear {
			s.linear[ev] = ecmphash.CRC32(0, uint16(ev), 0) ^ ecmphash.CRC32(0, 0, 0)
		}
	}
	return s, nil
}

// hashes reports whether EVs are hashed one by one.
func (s *Sampler) hashes() bool { return s.cfg.Method == Hash || s.cfg.Method == CRC32 }

// Draw returns the maximum load of a replica, in EVs; [Config.Imbalance] turns it into the imbalance. It
// depends on seed and replica alone. Multinomial and Distinct draw from the Algorithm stream of the
// replica; Hash and CRC32 draw hosts from its Workload stream and the salt from its Salts stream. It
// returns the error of a nil or cancelled ctx. O(n) time under Multinomial, O(F E) under Hash and CRC32, O(n + F
// E) under Distinct.
func (s *Sampler) Draw(ctx context.Context, seed, replica uint64) (int, error) {
	must.BeMade(s.cfg.Uplinks > 0, "evsimbalance: Sampler", "New")
	if err := checks.Context("evsimbalance", ctx); err != nil {
		return 0, err
	}
	switch rng := mc.NewStream(seed, mc.Algorithm, replica).Rand(); {
	case s.cfg.Method == Distinct:
		return s.distinct(ctx, &rng)
	case !s.hashes():
		return spread(&rng, s.cfg.Balls(), s.cfg.Uplinks, 0), ctx.Err()
	}
	hosts := mc.NewStream(seed, mc.Workload, replica).Source()
	salt := mc.NewStream(seed, mc.Salts, replica).Source().Uint64()
	clear(s.counts)
	for flow := range s.cfg.Flows {
		if err := ctx.Err(); err != nil {
			mc.ReportShare(ctx, float64(flow)/float64(s.cfg.Flows))
			return 0, err
		}
		if flow := hosts.Uint64(); s.cfg.Method == Hash {
			s.hash(flow, salt)
		} else {
			s.crc(flow, uint32(salt))
		}
	}
	return slices.Max(s.counts), nil
}

// hash adds the EVs of a flow, mapped by ecmphash.Hash.
func (s *Sampler) hash(flow, salt uint64) {
	counts := s.counts
	for ev := range s.cfg.EVS {
		counts[ecmphash.Port(ecmphash.Hash(flow, uint16(ev), salt), len(counts))]++
	}
}

// crc adds the EVs of a flow, mapped by the CRC, which is linear.
func (s *Sampler) crc(flow uint64, salt uint32) {
	counts, word := s.counts, ecmphash.CRC32(flow, 0, salt)
	for _, d := range s.linear {
		counts[ecmphash.Remainder(word^d, len(counts))]++
	}
}

// spread throws balls into bins uniformly and returns the larger of the maximum load and most. It splits
// the balls binomially between two halves of the bins, and so on recursively. A part with at most most
// balls needs no further splitting, since it cannot change the result.
func spread(r *mc.Rand, balls, bins, most int) int {
	for bins > 1 && balls > most {
		half := bins / 2
		part := binomial(r, balls, float64(half)/float64(bins))
		most = spread(r, part, half, most)
		balls, bins = balls-part, bins-half
	}
	return max(balls, most)
}
