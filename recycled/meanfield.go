package recycled

import (
	"errors"

	"repslab/faults"
	"repslab/mc"
)

// meanField is the mean field of per-flow by copies, equations (2) to (4) of the package. A round is a
// round of per-flow, except that the good balls that come back in it exchange their bins with each other
// if the bins are equally loaded. So a token is with a random sender on every circuit.
type meanField struct {
	*perFlow
	exchange mc.Rand
	good     []uint32 // a buffer: the good balls among those that come back
	last     []uint32 // a buffer: for each load the good ball that exchanged last, or nothing
}

// NewMeanField returns a process that estimates the mean field of the per-flow process of cfg by Monte
// Carlo, with Config.Bins copies of a bin and of a sender; or the faults of cfg. Clocking must be
// [PerFlow], EVS 0 and Ramp 0. The error due to the number of copies is of the order of 1/sqrt(Config.Bins).
// `repslab reproduce boundary` measures the error of the closure. A round takes O(Bins) time.
func NewMeanField(cfg Config) (Process, error) {
	bad := faults.List{Package: "recycled"}
	bad.Check(cfg.Clocking == PerFlow, "Clocking", cfg.Clocking, "must be %q for a mean field", PerFlow)
	bad.Check(cfg.EVS == 0, "EVS", cfg.EVS, "must be 0, an endless set, for a mean field")
	bad.Check(cfg.IsStep(), "Ramp", cfg.Ramp, "must be 0 for a mean field")
	if err := errors.Join(bad.Err(), cfg.Validate()); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	m := &meanField{perFlow: newPerFlow(cfg), good: make([]uint32, 0, cfg.Bins)}
	m.Reset(mc.Stream{})
	return m, nil
}

// Reset begins a new run, on a stream. O(Bins).
func (m *meanField) Reset(stream mc.Stream) {
	m.perFlow.Reset(stream)
	m.exchange = stream.Child(uint64(len(m.draws)) + 2).Rand()
}

// Step runs a round: service, the exchange of bins among equally loaded good balls, ACKs, throws. O(Bins).
func (m *meanField) Step() {
	n := len(m.draws)
	m.serve(0, n)
	m.permute(*m.due(0))
	m.deliver()
	all, random := m.throw(0, n)
	m.EndRound(all, random)
}

// Advance implements [Process]. O(rounds Bins).
func (m *meanField) Advance(rounds int) { advance(m, rounds) }

// permute lets good balls with equally loaded bins exchange their bins in a uniformly random cycle.
// O(balls + largest load).
func (m *meanField) permute(back []reply) {
	m.good = m.good[:0]
	for i := range back {
		if back[i].bin != nothing {
			m.good = append(m.good, uint32(i))
		}
	}
	m.last = m.last[:0]
	for range m.largest + 1 {
		m.last = append(m.last, nothing)
	}
	for left := len(m.good); left > 0; left-- {
		drawn := m.exchange.Below(uint64(left))
		at := m.good[drawn]
		m.good[drawn] = m.good[left-1]
		load := m.Load(int(back[at].bin))
		if last := m.last[load]; last != nothing {
			back[at].bin, back[last].bin = back[last].bin, back[at].bin
		}
		m.last[load] = at
	}
}
